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

/* May the launch's pointers lead into any memory of the host? Where the device can use that, those
 * of a kernel do, until the program says otherwise (OpenCL API 3.0,
 * CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM). */
bool allocations_are_hosts(cl_command_queue queue, const struct given *given);

/* The table for a launch on the queue with these arguments, which the caller releases; NULL where
 * it cannot be had. Where kernels may use all memory of the host it has no freed memory: what is
 * there now OpenCL does not know. */
cl_mem allocations_take(struct allocations *allocations, cl_command_queue queue,
                        const struct given *given);

#endif
