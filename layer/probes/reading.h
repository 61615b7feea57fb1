/* When the buffers into which checked kernels report are read, and what comes of it: findings.
 *
 * After a call that waits for a queue its launches have ended, and a few bytes are read. A queue
 * that goes away, or that nobody waits for, gets a read that does not block behind its commands.
 * Any thread, marked as being inside the driver. */
#ifndef LAYER_PROBES_READING_H
#define LAYER_PROBES_READING_H

#include "checkers/sink.h"
#include "layer/probes/copy.h"
#include "trace/api/call.h"

#include <stdbool.h>

struct captures;
struct given;
struct written;
struct reading;

/* Findings go to `report`, and launches of which there are some to `captures`. NULL when memory is
 * out. */
struct reading *reading_create(sink_function *report, void *user, struct captures *captures,
                               struct written *written);
void reading_destroy(struct reading *reading); /* NULL is fine */

struct reading_launch {
    const struct copy *copy; /* of whose kernels it is */
    uint64_t call_id;
    uint32_t number;      /* of reading_number */
    const char *function; /* the entry point's name */
    const char *kernel;   /* its name, which lives as long as the copy */
    struct given *given;  /* its arguments; NULL = memory was out */
    uint32_t dimensions;
    uint64_t offset[3], global[3], local[3]; /* local 0 = the driver chooses */
};
/* A launch of one of the copy's kernels is about to be enqueued. Holds what it was given. Its
 * number, not 0, which it gets, is that which its records will have. */
uint32_t reading_number(struct reading *reading, struct reading_launch *launch);
/* It was enqueued. */
void reading_launched(struct reading *reading, cl_command_queue queue, struct copy *copy,
                      struct copy_device *device);

/* A call on the queue has returned, which waited for its commands: all of them if `whole`, else
 * for one of them, and so for all if the queue is in order. */
void reading_waited(struct reading *reading, cl_command_queue queue, bool whole);
/* The queue is about to be released. */
void reading_leave(struct reading *reading, cl_command_queue queue);
/* Is the memory object an argument of a launch of which nothing has been read yet? */
bool reading_uses(struct reading *reading, cl_mem memory);
/* Has all been read of all launches? */
bool reading_is_idle(struct reading *reading);
/* The program ends: all that is there within a few seconds. False: launches have not ended. */
bool reading_finish(struct reading *reading);

/* What is not told: how often a buffer could not be read, and how many reports had no room in
 * theirs. */
void reading_losses(struct reading *reading, uint64_t *unread, uint64_t *left_out);

#endif
