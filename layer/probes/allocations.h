/* The allocations of shared virtual memory, as checked kernels are told of them
 * (checkers/probe/shared_table.h): those that are alive, and what was freed where nothing is now.
 * One that a command frees (clEnqueueSVMFree) may be there for long after: it stays.
 *
 * A table does not change: a launch has the one of its time. Any thread, marked as being inside the
 * driver. */
#ifndef LAYER_PROBES_ALLOCATIONS_H
#define LAYER_PROBES_ALLOCATIONS_H

#include "layer/probes/given.h"

#include <CL/cl.h>
#include <stdint.h>

struct allocations;
struct live;

/* `live` is borrowed. NULL when memory is out. */
struct allocations *allocations_create(struct live *live);
void allocations_destroy(struct allocations *allocations); /* NULL is fine */

/* There may be new ones. */
void allocations_learn(struct allocations *allocations);
/* The program is about to free the one at the address, at once. */
void allocations_free(struct allocations *allocations, uint64_t address);

/* The table for a launch on the queue with these arguments, which the caller releases; NULL where
 * pointers may lead anywhere, since kernels of the device may use all memory of the host, or it
 * cannot be had. */
cl_mem allocations_take(struct allocations *allocations, cl_command_queue queue,
                        const struct given *given);

#endif
