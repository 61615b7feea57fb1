/* One launch that is kept (captures.h): what it is, its arguments, and what its memory holds, read
 * at once or by commands in front of it. A capture belongs to one thread at a time, marked as being
 * inside the driver. */
#ifndef LAYER_PROBES_CAPTURE_H
#define LAYER_PROBES_CAPTURE_H

#include "checkers/probe/captured.h"
#include "layer/probes/reading.h"

#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>

struct live;
struct released;
struct written;

struct capture {
    struct capture *next;     /* the owner's, as is */
    struct suspect *suspect;  /* what it is kept for; NULL = nobody suspects it so far */
    bool is_counted;          /* the owner's too */
    struct captured captured; /* with captured.reason all else may be missing */
    cl_mem *memory;           /* of captured.memory, held; NULL of shared virtual memory */
    size_t room;              /* for memory */
    struct running *running;  /* NULL = its file is not written while it runs */
    cl_event *events;         /* of reads that have been enqueued */
    size_t event_count;
};

/* Where its memory objects are: alive, or kept though they are not. Both are borrowed. */
struct capture_from {
    struct live *live;
    struct released *released;
};
/* All but what its memory holds; `kernel`, its name, must live as long. NULL when memory is out. */
struct capture *capture_create(const struct capture_from *from, const char *kernel,
                               const struct reading_launch *launch, bool is_after);
/* The driver may still write to what reads that have not ended lead to: that stays then. */
void capture_drop(struct capture *capture, bool has_ended);

/* What its memory objects have; memory for it: false when that is out. */
uint64_t capture_bytes(const struct capture *capture);
bool capture_make_room(struct capture *capture);

/* Which bytes of its memory were unwritten before the launch of that number. */
void capture_read_undefined(struct capture *capture, struct written *written, uint32_t number);

/* Each sets captured.reason where it fails, does nothing where there is one, and lets go of the
 * memory objects. Reads at once: */
void capture_read(struct capture *capture, struct live *live, cl_command_queue queue);
/* Enqueues reads that wait for what the launch waits for, and adds them to its wait list. */
void capture_read_before(struct capture *capture, const struct reading_launch *launch,
                         uint32_t entry, uint64_t *words);
/* Have these ended? */
bool capture_has_ended(struct capture *capture);

/* Writes the file for `clerk run`, whole. NULL, or why that failed, as the end of a sentence. */
const char *capture_write(const struct captured *captured, const char *path);

#endif
