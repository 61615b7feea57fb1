/* Which bytes launches really touch, where that decides whether two commands race: a launch that
 * other commands may run beside has cells (shadows.h) to itself, of all its memory objects, also of
 * those that it only reads. Once the program knows that it has ended they are read, if a clash
 * depends on them, and told to the rules about commands (host_checker_await). A launch in the only
 * queue of its context, which is in order, costs nothing of this. Any thread, marked as being
 * inside the driver. */
#ifndef LAYER_PROBES_TOUCHED_H
#define LAYER_PROBES_TOUCHED_H

#include "checkers/host/host.h"
#include "layer/probes/kernels.h"
#include "layer/probes/shadows.h"

#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>

struct touched;
struct touching; /* a launch */

/* `shadows` is borrowed. NULL when memory is out. */
struct touched *touched_create(struct shadows *shadows);
void touched_destroy(struct touched *touched); /* NULL is fine */

struct touched_launch {
    struct host_checker *checker; /* NULL = no rules about commands */
    cl_command_queue queue;
    uint64_t call_id;
    uint32_t number;
};
/* The launch of the kernel, whose mutex is held, is about to be enqueued. NULL: nothing is kept of
 * it. Else touched_enqueued must follow. */
struct touching *touched_begin(struct touched *touched, const struct probed *probed,
                               const struct touched_launch *launch);
/* The cells that it has for the object; they stay its own. `launch` may be NULL. */
bool touching_find(const struct touching *launch, uint64_t object, struct shadow *shadow);
/* It has this event, which is taken over; NULL = it was not enqueued. */
void touched_enqueued(struct touched *touched, struct touching *launch, cl_event event);

/* Tells of those of which the program knows that they have ended; or, `all`, that have. */
void touched_collect(struct touched *touched, bool all);
/* The program ends: all, and what has not ended by now stays unclear. */
void touched_finish(struct touched *touched);

#endif
