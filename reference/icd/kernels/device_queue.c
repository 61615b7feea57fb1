#include "reference/icd/kernels/device_queue.h"

#include "reference/limits/limits.h"

/* In the upper half of a handle, so that a number which is none is hardly taken for one. */
static const uint64_t HANDLE_MARK = UINT64_C(0x71756575) << 32;

/* OpenCL API 3.0, CL_DEVICE_MAX_ON_DEVICE_QUEUES: "The maximum number of device queues that can be
 * created for this device in a single context"; the default queue comes besides. */
static bool is_full(cl_context context, cl_device_id device)
{
    cl_uint count = 0;
    for (cl_command_queue queue = context->device_queues; queue; queue = queue->next_on_device)
        count += queue->device == device && !queue->is_default;
    return count >= limits_get(LIMIT_DEVICE_QUEUES);
}

cl_int device_queue_add(cl_command_queue queue, cl_uint size)
{
    const bool is_default = (queue->flags & CL_QUEUE_ON_DEVICE_DEFAULT) != 0;
    if (!is_default && is_full(queue->context, queue->device))
        return CL_OUT_OF_RESOURCES;
    queue->size = size;
    queue->is_default = is_default;
    queue->next_on_device = queue->context->device_queues;
    queue->context->device_queues = queue;
    return CL_SUCCESS;
}

void device_queue_remove(cl_command_queue queue)
{
    cl_command_queue *link = &queue->context->device_queues;
    while (*link && *link != queue)
        link = &(*link)->next_on_device;
    if (*link)
        *link = queue->next_on_device;
}

cl_command_queue device_queue_default(cl_context context, cl_device_id device)
{
    cl_command_queue queue = context->device_queues;
    while (queue && (queue->device != device || !queue->is_default))
        queue = queue->next_on_device;
    return queue;
}

void device_queue_set_default(cl_command_queue queue)
{
    cl_command_queue before = device_queue_default(queue->context, queue->device);
    if (before)
        before->is_default = false;
    queue->is_default = true;
}

uint64_t device_queue_handle(cl_command_queue queue)
{
    return HANDLE_MARK | queue->ordinal;
}

cl_command_queue device_queue_find(cl_context context, cl_device_id device, uint64_t handle)
{
    cl_command_queue queue = context->device_queues;
    while (queue && (queue->device != device || device_queue_handle(queue) != handle))
        queue = queue->next_on_device;
    return queue;
}
