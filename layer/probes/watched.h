/* Launches of kernels that order their work-items by more than barriers, or have barriers that
 * maybe not all reach (captures.h). What checks report of the first is a suspicion, which what
 * memory holds after the launch can neither show nor refute: flags are set and locks taken by then.
 * And either may never end, so that nothing is reported. So the first launch of each such kernel is
 * kept before anybody suspects it, in memory, until what it reported has been read, and in a file
 * while it runs (running.h). Any thread, marked as being inside the driver. */
#ifndef LAYER_PROBES_WATCHED_H
#define LAYER_PROBES_WATCHED_H

#include "layer/probes/capture.h"

#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>

struct watched;

/* NULL when memory is out. */
struct watched *watched_create(void);
void watched_destroy(struct watched *watched); /* NULL is fine */

/* Is it a launch to keep: the first one of such a kernel? Then the next one is not. */
bool watched_wants(struct watched *watched, const struct reading_launch *launch);
/* It was enqueued, on that queue, and what memory held before it is being read. */
void watched_keep(struct watched *watched, struct capture *capture,
                  const struct reading_launch *launch, cl_command_queue queue);
/* The launch with that number, if it is kept, which it then is no more; NULL = it is not. */
struct capture *watched_take(struct watched *watched, uint32_t number);
/* Launches of the copy on the queue, with numbers up to that one, have reported all that they will:
 * those that are kept still. One after the other; NULL = there is none left. */
struct capture *watched_take_silent(struct watched *watched, const struct copy *copy,
                                    cl_command_queue queue, uint32_t number);

#endif
