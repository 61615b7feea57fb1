/* OpenCL API 3.0, chapter 5.1: command-queues, and 5.13 to 5.15: flush and finish. */
#include "reference/icd/device_list.h"
#include "reference/icd/dispatch.h"
#include "reference/icd/executor.h"
#include "reference/icd/info.h"
#include "reference/icd/properties.h"
#include "reference/icd/races.h"

static const cl_command_queue_properties supported_flags =
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE;
static const cl_command_queue_properties known_flags =
    CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_PROFILING_ENABLE | CL_QUEUE_ON_DEVICE |
    CL_QUEUE_ON_DEVICE_DEFAULT;

static uint64_t last_ordinal;

static cl_int check_flags(cl_command_queue_properties flags)
{
    if ((flags & ~known_flags) != 0)
        return CL_INVALID_VALUE;
    /* Of CL_QUEUE_ON_DEVICE: "CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE must also be set". */
    if ((flags & CL_QUEUE_ON_DEVICE) != 0 && (flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0)
        return CL_INVALID_VALUE;
    if ((flags & CL_QUEUE_ON_DEVICE_DEFAULT) != 0 && (flags & CL_QUEUE_ON_DEVICE) == 0)
        return CL_INVALID_VALUE;
    return (flags & ~supported_flags) != 0 ? CL_INVALID_QUEUE_PROPERTIES : CL_SUCCESS;
}

/* Takes over the list. */
static cl_command_queue create(cl_context context, cl_device_id device,
                               cl_command_queue_properties flags, struct property_list *list,
                               cl_int *errcode_ret)
{
    cl_int result = CL_SUCCESS;
    cl_command_queue queue = NULL;
    if (!object_is(context, OBJECT_CONTEXT))
        result = CL_INVALID_CONTEXT;
    else if (!device_list_has(&context->devices, device))
        result = CL_INVALID_DEVICE;
    else
        result = check_flags(flags);
    if (result == CL_SUCCESS) {
        queue = object_create(OBJECT_QUEUE, sizeof(*queue));
        if (!queue)
            result = CL_OUT_OF_HOST_MEMORY;
    }
    if (queue) {
        icd_lock();
        queue->context = context;
        object_hold(context);
        queue->device = device;
        object_hold(device);
        queue->flags = flags;
        queue->properties = *list;
        queue->ordinal = ++last_ordinal;
        const bool ordered = races_queue_created(queue);
        icd_unlock();
        if (!ordered) {
            object_release(queue, OBJECT_QUEUE);
            queue = NULL;
            result = CL_OUT_OF_HOST_MEMORY;
        }
    } else {
        property_list_release(list);
    }
    if (errcode_ret)
        *errcode_ret = result;
    return queue;
}

cl_command_queue icd_clCreateCommandQueue(cl_context context, cl_device_id device,
                                          cl_command_queue_properties properties,
                                          cl_int *errcode_ret)
{
    struct property_list none = {0};
    return create(context, device, properties, &none, errcode_ret);
}

static cl_int parse_properties(const struct property_list *list, cl_command_queue_properties *flags)
{
    bool sized = false;
    *flags = 0;
    for (size_t i = 0; i + 1 < list->count; i += 2) {
        switch (list->values[i]) {
        case CL_QUEUE_PROPERTIES:
            *flags = list->values[i + 1];
            break;
        case CL_QUEUE_PRIORITY_KHR: /* a hint; the order of commands is the device's own */
            if (list->values[i + 1] != CL_QUEUE_PRIORITY_HIGH_KHR &&
                list->values[i + 1] != CL_QUEUE_PRIORITY_MED_KHR &&
                list->values[i + 1] != CL_QUEUE_PRIORITY_LOW_KHR)
                return CL_INVALID_VALUE;
            break;
        case CL_QUEUE_THROTTLE_KHR:
            if (list->values[i + 1] != CL_QUEUE_THROTTLE_HIGH_KHR &&
                list->values[i + 1] != CL_QUEUE_THROTTLE_MED_KHR &&
                list->values[i + 1] != CL_QUEUE_THROTTLE_LOW_KHR)
                return CL_INVALID_VALUE;
            break;
        case CL_QUEUE_SIZE:
            sized = true;
            break;
        default:
            return CL_INVALID_VALUE;
        }
    }
    /* "This can only be specified if CL_QUEUE_ON_DEVICE is set in CL_QUEUE_PROPERTIES." */
    return sized && (*flags & CL_QUEUE_ON_DEVICE) == 0 ? CL_INVALID_VALUE : CL_SUCCESS;
}

cl_command_queue icd_clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                        const cl_queue_properties *properties,
                                                        cl_int *errcode_ret)
{
    struct property_list list = {0};
    cl_command_queue_properties flags = 0;
    cl_int result = property_list_copy(properties, CL_INVALID_VALUE, &list);
    if (result == CL_SUCCESS)
        result = parse_properties(&list, &flags);
    if (result == CL_SUCCESS)
        return create(context, device, flags, &list, errcode_ret);
    property_list_release(&list);
    if (errcode_ret)
        *errcode_ret = object_is(context, OBJECT_CONTEXT) ? result : CL_INVALID_CONTEXT;
    return NULL;
}

void queue_destroy(cl_command_queue queue)
{
    /* Commands hold their queue, so none is left. */
    races_queue_destroyed(queue);
    property_list_release(&queue->properties);
    object_drop(queue->device);
    object_drop(queue->context);
}

cl_int icd_clRetainCommandQueue(cl_command_queue queue)
{
    return object_retain(queue, OBJECT_QUEUE);
}

/* 5.1: "clReleaseCommandQueue performs an implicit flush". */
cl_int icd_clReleaseCommandQueue(cl_command_queue queue)
{
    const cl_int flushed = icd_clFlush(queue);
    return flushed == CL_SUCCESS ? object_release(queue, OBJECT_QUEUE) : flushed;
}

cl_int icd_clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info param_name,
                                 size_t param_value_size, void *param_value,
                                 size_t *param_value_size_ret)
{
    const struct info_target target = {param_value_size, param_value, param_value_size_ret};
    if (!object_is(queue, OBJECT_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    switch (param_name) {
    case CL_QUEUE_CONTEXT:
        return INFO_VALUE(&target, cl_context, queue->context);
    case CL_QUEUE_DEVICE:
        return INFO_VALUE(&target, cl_device_id, queue->device);
    case CL_QUEUE_REFERENCE_COUNT:
        return INFO_VALUE(&target, cl_uint, object_reference_count(queue));
    case CL_QUEUE_PROPERTIES:
        return INFO_VALUE(&target, cl_command_queue_properties, queue->flags);
    case CL_QUEUE_PROPERTIES_ARRAY:
        return info_bytes(&target, queue->properties.values,
                          queue->properties.count * sizeof(uint64_t));
    case CL_QUEUE_DEVICE_DEFAULT:
        return INFO_VALUE(&target, cl_command_queue, NULL);
    case CL_QUEUE_SIZE: /* "CL_INVALID_COMMAND_QUEUE if it is not valid for param_name" */
        return CL_INVALID_COMMAND_QUEUE;
    default:
        return CL_INVALID_VALUE;
    }
}

/* Deprecated with OpenCL 1.1, whose text has: "CL_INVALID_OPERATION if no devices support modifying
 * the properties of a command-queue." */
cl_int icd_clSetCommandQueueProperty(cl_command_queue queue, cl_command_queue_properties properties,
                                     cl_bool enable, cl_command_queue_properties *old_properties)
{
    (void)properties;
    (void)enable;
    (void)old_properties;
    return object_is(queue, OBJECT_QUEUE) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE;
}

cl_int icd_clSetDefaultDeviceCommandQueue(cl_context context, cl_device_id device,
                                          cl_command_queue queue)
{
    (void)queue;
    if (!object_is(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (!device_list_has(&context->devices, device))
        return CL_INVALID_DEVICE;
    return CL_INVALID_OPERATION; /* the device has no queues of its own */
}

cl_int icd_clFlush(cl_command_queue queue)
{
    if (!object_is(queue, OBJECT_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    icd_lock();
    executor_flush();
    icd_unlock();
    return CL_SUCCESS;
}

cl_int icd_clFinish(cl_command_queue queue)
{
    if (!object_is(queue, OBJECT_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    icd_lock();
    object_hold(queue);
    executor_flush();
    while (queue->first)
        icd_wait_change();
    races_host_finished(queue);
    object_drop(queue);
    icd_unlock();
    return CL_SUCCESS;
}
