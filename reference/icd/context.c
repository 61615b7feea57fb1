/* OpenCL API 3.0, chapter 4.4: contexts. */
#include "reference/icd/commands/executor.h"
#include "reference/icd/dispatch.h"
#include "reference/icd/info.h"
#include "reference/icd/properties.h"
#include "reference/limits/limits.h"
#include "trace/base/alloc.h"

static cl_int check_properties(const struct property_list *list)
{
    for (size_t i = 0; i + 1 < list->count; i += 2) {
        const uint64_t value = list->values[i + 1];
        switch (list->values[i]) {
        case CL_CONTEXT_PLATFORM:
            if ((cl_platform_id)(uintptr_t)value != icd_platform())
                return CL_INVALID_PLATFORM;
            break;
        case CL_CONTEXT_INTEROP_USER_SYNC:
            if (value != CL_TRUE && value != CL_FALSE)
                return CL_INVALID_PROPERTY;
            break;
        default:
            return CL_INVALID_PROPERTY;
        }
    }
    return CL_SUCCESS;
}

static void destroy(void *handle)
{
    cl_context context = handle;
    callbacks_add_destructors(context->destructors, OBJECT_CONTEXT, context);
    property_list_release(&context->properties);
    for (size_t i = 0; i < context->device_count; i++)
        object_drop(context->devices[i]);
    alloc_free(context->devices);
}

bool context_has_devices(cl_context context, const cl_device_id *devices, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        size_t at = 0;
        while (at < context->device_count && context->devices[at] != devices[i])
            at++;
        if (at == context->device_count)
            return false;
    }
    return true;
}

/* What the call names, without repetitions. The list has room. Locked. */
static cl_int add_devices(cl_context context, const cl_device_id *devices, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!object_is(devices[i], OBJECT_DEVICE))
            return CL_INVALID_DEVICE;
        if (context_has_devices(context, &devices[i], 1))
            continue;
        object_hold(devices[i]);
        context->devices[context->device_count++] = devices[i];
    }
    return CL_SUCCESS;
}

static cl_context create(const cl_context_properties *properties, cl_uint num_devices,
                         const cl_device_id *devices, cl_int *errcode_ret)
{
    struct property_list list = {0};
    cl_int result = property_list_copy(properties, CL_INVALID_PROPERTY, &list);
    if (result == CL_SUCCESS)
        result = check_properties(&list);
    cl_context context = object_create(OBJECT_CONTEXT, sizeof(*context), destroy);
    cl_device_id *room = alloc_zero(num_devices, sizeof(*room));
    if (result == CL_SUCCESS && (!context || !room || !icd_memory()))
        result = CL_OUT_OF_HOST_MEMORY;
    if (result != CL_SUCCESS) {
        property_list_release(&list);
        alloc_free(room);
        object_discard(context);
        return object_refuse(result, errcode_ret);
    }
    context->properties = list;
    context->devices = room;
    icd_lock();
    result = add_devices(context, devices, num_devices);
    icd_unlock();
    if (result == CL_SUCCESS)
        return object_give(context, CL_SUCCESS, errcode_ret);
    object_release(context, OBJECT_CONTEXT);
    return object_refuse(result, errcode_ret);
}

cl_context icd_clCreateContext(const cl_context_properties *properties, cl_uint num_devices,
                               const cl_device_id *devices,
                               void(CL_CALLBACK *pfn_notify)(const char *, const void *, size_t,
                                                             void *),
                               void *user_data, cl_int *errcode_ret)
{
    if (!devices || num_devices == 0 || (!pfn_notify && user_data))
        return object_refuse(CL_INVALID_VALUE, errcode_ret);
    return create(properties, num_devices, devices, errcode_ret);
}

cl_context icd_clCreateContextFromType(const cl_context_properties *properties,
                                       cl_device_type device_type,
                                       void(CL_CALLBACK *pfn_notify)(const char *, const void *,
                                                                     size_t, void *),
                                       void *user_data, cl_int *errcode_ret)
{
    if (!pfn_notify && user_data)
        return object_refuse(CL_INVALID_VALUE, errcode_ret);
    cl_device_id devices[LIMIT_ROOT_DEVICES];
    cl_uint count = 0;
    const cl_int found = icd_clGetDeviceIDs(NULL, device_type, LIMIT_ROOT_DEVICES, devices, &count);
    if (found != CL_SUCCESS)
        return object_refuse(found, errcode_ret);
    return create(properties, count, devices, errcode_ret);
}

cl_int icd_clGetContextInfo(cl_context context, cl_context_info param_name, size_t param_value_size,
                            void *param_value, size_t *param_value_size_ret)
{
    const struct info_target target = {param_value_size, param_value, param_value_size_ret};
    if (!object_is(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    const struct info_row rows[] = {
        INFO(CL_CONTEXT_REFERENCE_COUNT, cl_uint, object_reference_count(context)),
        INFO(CL_CONTEXT_NUM_DEVICES, cl_uint, (cl_uint)context->device_count),
        {CL_CONTEXT_DEVICES, context->devices, context->device_count * sizeof(cl_device_id)},
        INFO_PROPERTIES(CL_CONTEXT_PROPERTIES, context->properties),
    };
    return info_answer(&target, param_name, rows, sizeof(rows) / sizeof(rows[0]));
}

cl_int icd_clSetContextDestructorCallback(cl_context context,
                                          void(CL_CALLBACK *pfn_notify)(cl_context, void *),
                                          void *user_data)
{
    if (!object_is(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (!pfn_notify)
        return CL_INVALID_VALUE;
    return destructor_callback_add(&context->destructors, (object_function *)pfn_notify, user_data);
}
