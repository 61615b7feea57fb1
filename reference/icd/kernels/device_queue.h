/* Queues of the device itself, CL_QUEUE_ON_DEVICE: what kernels enqueue to. Their commands are
 * children.h's business; here is which queues there are. All functions are called locked. */
#ifndef REFERENCE_ICD_KERNELS_DEVICE_QUEUE_H
#define REFERENCE_ICD_KERNELS_DEVICE_QUEUE_H

#include "reference/icd/types.h"

/* Enters a queue of that many bytes into its context: CL_OUT_OF_RESOURCES when there are too many.
 */
cl_int device_queue_add(cl_command_queue queue, cl_uint size);
void device_queue_remove(cl_command_queue queue);

/* NULL = the device has no default queue in the context. */
cl_command_queue device_queue_default(cl_context context, cl_device_id device);
void device_queue_set_default(cl_command_queue queue);

/* What a queue_t holds; never 0. */
uint64_t device_queue_handle(cl_command_queue queue);
/* The queue of the device, or NULL. */
cl_command_queue device_queue_find(cl_context context, cl_device_id device, uint64_t handle);

#endif
