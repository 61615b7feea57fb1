/* OpenCL API 3.0, chapter 5.1: command-queues, and 5.13 to 5.15: flush and finish. */
#include "reference/icd/commands/executor.h"
#include "reference/icd/dispatch.h"
#include "reference/icd/info.h"
#include "reference/icd/kernels/device_queue.h"
#include "reference/icd/kernels/races.h"
#include "reference/icd/properties.h"
#include "reference/limits/limits.h"

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
    /* "if values specified in properties are valid but are not supported by the device" */
    const enum kept kept = (flags & CL_QUEUE_ON_DEVICE) != 0 ? KEPT_ALIKE : KEPT_OPTIONAL;
    return (flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0 || limits_keep(kept)
               ? CL_SUCCESS
               : CL_INVALID_QUEUE_PROPERTIES;
}

/* Enters a new queue where its commands come from. Locked. */
static cl_int enter(cl_command_queue queue, cl_uint size)
{
    if ((queue->flags & CL_QUEUE_ON_DEVICE) != 0)
        return device_queue_add(queue, size);
    return races_queue_created(queue) ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

/* The default queue of the device, if that is asked for and there is one: with a reference more. */
static cl_command_queue find_default(cl_context context, cl_device_id device,
                                     cl_command_queue_properties flags)
{
    if ((flags & CL_QUEUE_ON_DEVICE_DEFAULT) == 0)
        return NULL;
    icd_lock();
    cl_command_queue queue = device_queue_default(context, device);
    if (queue)
        queue->object.references++;
    icd_unlock();
    return queue;
}

static void destroy(void *handle)
{
    cl_command_queue queue = handle;
    /* Commands hold their queue, so none is left. */
    races_queue_destroyed(queue);
    device_queue_remove(queue);
    property_list_release(&queue->properties);
    object_drop(queue->device);
    object_drop(queue->context);
}

/* Takes over the list. `size`: of a queue of the device; 0 = the call makes none. */
static cl_command_queue create(cl_context context, cl_device_id device,
                               cl_command_queue_properties flags, cl_uint size,
                               struct property_list *list, cl_int *errcode_ret)
{
    cl_int result = CL_SUCCESS;
    cl_command_queue queue = NULL;
    if (!object_is(context, OBJECT_CONTEXT))
        result = CL_INVALID_CONTEXT;
    else if (!context_has_devices(context, &device, 1))
        result = CL_INVALID_DEVICE;
    else if (size == 0 && (flags & CL_QUEUE_ON_DEVICE) != 0)
        result = CL_INVALID_VALUE;
    else
        result = check_flags(flags);
    cl_command_queue existing = result == CL_SUCCESS ? find_default(context, device, flags) : NULL;
    if (result == CL_SUCCESS && !existing) {
        queue = object_create(OBJECT_QUEUE, sizeof(*queue), destroy);
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
        result = enter(queue, size);
        icd_unlock();
        if (result != CL_SUCCESS) {
            object_release(queue, OBJECT_QUEUE);
            queue = NULL;
        }
    } else {
        property_list_release(list);
    }
    return object_give(existing ? existing : queue, result, errcode_ret);
}

cl_command_queue icd_clCreateCommandQueue(cl_context context, cl_device_id device,
                                          cl_command_queue_properties properties,
                                          cl_int *errcode_ret)
{
    struct property_list none = {0};
    return create(context, device, properties, 0, &none, errcode_ret);
}

static bool is_hint(uint64_t value)
{
    return value == CL_QUEUE_PRIORITY_HIGH_KHR || value == CL_QUEUE_PRIORITY_MED_KHR ||
           value == CL_QUEUE_PRIORITY_LOW_KHR;
}
/* NOLINTBEGIN(misc-redundant-expression): equal is what they are to be. */
_Static_assert(CL_QUEUE_THROTTLE_HIGH_KHR == CL_QUEUE_PRIORITY_HIGH_KHR &&
                   CL_QUEUE_THROTTLE_MED_KHR == CL_QUEUE_PRIORITY_MED_KHR &&
                   CL_QUEUE_THROTTLE_LOW_KHR == CL_QUEUE_PRIORITY_LOW_KHR,
               "both hints have the same values");
/* NOLINTEND(misc-redundant-expression) */

/* The hints, for queues of the host, change nothing: the order of commands is the device's own. */
static cl_int parse_properties(const struct property_list *list, cl_command_queue_properties *flags,
                               cl_uint *size)
{
    uint64_t priority = CL_QUEUE_PRIORITY_MED_KHR, throttle = CL_QUEUE_THROTTLE_MED_KHR;
    uint64_t wanted = limits_get(LIMIT_DEVICE_QUEUE_PREFERRED);
    bool sized = false, hinted = false;
    const struct property known[] = {{CL_QUEUE_PROPERTIES, flags, NULL},
                                     {CL_QUEUE_PRIORITY_KHR, &priority, &hinted},
                                     {CL_QUEUE_THROTTLE_KHR, &throttle, &hinted},
                                     {CL_QUEUE_SIZE, &wanted, &sized}};
    *flags = 0;
    if (!properties_read(list->values, known, sizeof(known) / sizeof(known[0])) ||
        !is_hint(priority) || !is_hint(throttle))
        return CL_INVALID_VALUE;
    *size = !sized || wanted <= limits_get(LIMIT_DEVICE_QUEUE) ? (cl_uint)wanted : 0;
    /* "This can only be specified if CL_QUEUE_ON_DEVICE is set in CL_QUEUE_PROPERTIES." */
    const bool on_device = (*flags & CL_QUEUE_ON_DEVICE) != 0;
    if (sized && !on_device)
        return CL_INVALID_VALUE;
    return on_device && (hinted || *size == 0) ? CL_INVALID_QUEUE_PROPERTIES : CL_SUCCESS;
}

cl_command_queue icd_clCreateCommandQueueWithProperties(cl_context context, cl_device_id device,
                                                        const cl_queue_properties *properties,
                                                        cl_int *errcode_ret)
{
    struct property_list list = {0};
    cl_command_queue_properties flags = 0;
    cl_uint size = 0;
    cl_int result = property_list_copy(properties, CL_INVALID_VALUE, &list);
    if (result == CL_SUCCESS)
        result = parse_properties(&list, &flags, &size);
    if (result == CL_SUCCESS)
        return create(context, device, flags, size, &list, errcode_ret);
    property_list_release(&list);
    return object_refuse(object_is(context, OBJECT_CONTEXT) ? result : CL_INVALID_CONTEXT,
                         errcode_ret);
}

/* 5.1: "clReleaseCommandQueue performs an implicit flush". */
cl_int icd_clReleaseCommandQueue(cl_command_queue queue)
{
    const bool on_device = object_is(queue, OBJECT_QUEUE) && queue->size != 0;
    const cl_int flushed = on_device ? CL_SUCCESS : icd_clFlush(queue);
    return flushed == CL_SUCCESS ? object_release(queue, OBJECT_QUEUE) : flushed;
}

static cl_command_queue default_queue(cl_command_queue queue)
{
    icd_lock();
    cl_command_queue found = device_queue_default(queue->context, queue->device);
    icd_unlock();
    return found;
}

cl_int icd_clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info param_name,
                                 size_t param_value_size, void *param_value,
                                 size_t *param_value_size_ret)
{
    const struct info_target target = {param_value_size, param_value, param_value_size_ret};
    if (!object_is(queue, OBJECT_QUEUE))
        return CL_INVALID_COMMAND_QUEUE;
    /* "CL_INVALID_COMMAND_QUEUE if it is not valid for param_name" */
    if (param_name == CL_QUEUE_SIZE && queue->size == 0)
        return CL_INVALID_COMMAND_QUEUE;
    const struct info_row rows[] = {
        INFO(CL_QUEUE_CONTEXT, cl_context, queue->context),
        INFO(CL_QUEUE_DEVICE, cl_device_id, queue->device),
        INFO(CL_QUEUE_REFERENCE_COUNT, cl_uint, object_reference_count(queue)),
        INFO(CL_QUEUE_PROPERTIES, cl_command_queue_properties, queue->flags),
        INFO_PROPERTIES(CL_QUEUE_PROPERTIES_ARRAY, queue->properties),
        INFO(CL_QUEUE_DEVICE_DEFAULT, cl_command_queue, default_queue(queue)),
        INFO(CL_QUEUE_SIZE, cl_uint, queue->size),
    };
    return info_answer(&target, param_name, rows, sizeof(rows) / sizeof(rows[0]));
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
    if (!object_is(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (!context_has_devices(context, &device, 1))
        return CL_INVALID_DEVICE;
    if (!limits_keep(KEPT_ALIKE))
        return CL_INVALID_OPERATION;
    if (!object_is(queue, OBJECT_QUEUE) || queue->size == 0 || queue->context != context ||
        queue->device != device)
        return CL_INVALID_COMMAND_QUEUE;
    icd_lock();
    device_queue_set_default(queue);
    icd_unlock();
    return CL_SUCCESS;
}

cl_int icd_clFlush(cl_command_queue queue)
{
    if (!queue_is_of_host(queue))
        return CL_INVALID_COMMAND_QUEUE;
    icd_lock();
    executor_flush();
    icd_unlock();
    return CL_SUCCESS;
}

cl_int icd_clFinish(cl_command_queue queue)
{
    if (!queue_is_of_host(queue))
        return CL_INVALID_COMMAND_QUEUE;
    icd_lock();
    object_hold(queue);
    executor_flush();
    while (queue->first)
        executor_wait();
    races_host_finished(queue);
    object_drop(queue);
    icd_unlock();
    return CL_SUCCESS;
}
