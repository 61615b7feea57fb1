/* The file of a launch that may never end, for `clerk run` to find when the program was ended while
 * the launch ran: written as soon as its memory has been read, by whatever thread the driver tells
 * that to, and removed when it has ended. */
#ifndef LAYER_PROBES_RUNNING_H
#define LAYER_PROBES_RUNNING_H

#include "checkers/probe/captured.h"

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>

struct running;

/* Before the launch is enqueued, behind `count` reads, whose events they are, of what its memory
 * holds. `captured` is borrowed until running_end. NULL when memory is out, or the driver tells
 * nobody what has ended. */
struct running *running_begin(const struct captured *captured, const cl_event *reads, size_t count,
                              const char *path);
/* It was enqueued, with that event. */
void running_launched(struct running *running, cl_event event);
/* `captured` will be no more. Where it has not ended, a file that is there stays. */
void running_end(struct running *running, bool has_ended); /* NULL is fine */

#endif
