/* A layer that stands for a driver whose queues do not profile. */
#include "trace/api/entry.h"

#include <CL/cl_layer.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

/* What newer Khronos loaders call; declared by newer headers only. */
EXPORTED cl_int CL_API_CALL clInitLayerWithProperties(cl_uint num_entries,
                                                      const cl_icd_dispatch *target_dispatch,
                                                      cl_uint *num_entries_ret,
                                                      const cl_icd_dispatch **layer_dispatch_ret,
                                                      const cl_properties *properties);

static __typeof__(&clCreateCommandQueueWithProperties) create;
static api_function *table[API_SLOT_COUNT];

static cl_command_queue CL_API_CALL refuse(cl_context context, cl_device_id device,
                                           const cl_queue_properties *properties, cl_int *status)
{
    for (const cl_queue_properties *pair = properties; pair && *pair; pair += 2) {
        if (pair[0] != CL_QUEUE_PROPERTIES || !(pair[1] & CL_QUEUE_PROFILING_ENABLE))
            continue;
        if (status)
            *status = CL_INVALID_QUEUE_PROPERTIES;
        return NULL;
    }
    return create(context, device, properties, status);
}

EXPORTED cl_int CL_API_CALL clGetLayerInfo(cl_layer_info param_name, size_t param_value_size,
                                           void *param_value, size_t *param_value_size_ret)
{
    const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    if (param_name != CL_LAYER_API_VERSION || (param_value && param_value_size < sizeof version))
        return CL_INVALID_VALUE;
    if (param_value)
        memcpy(param_value, &version, sizeof version);
    if (param_value_size_ret)
        *param_value_size_ret = sizeof version;
    return CL_SUCCESS;
}

EXPORTED cl_int CL_API_CALL clInitLayer(cl_uint num_entries, const cl_icd_dispatch *target_dispatch,
                                        cl_uint *num_entries_ret,
                                        const cl_icd_dispatch **layer_dispatch_ret)
{
    const cl_uint count = num_entries < API_SLOT_COUNT ? num_entries : API_SLOT_COUNT;
    for (uint32_t entry = 1; entry <= count; entry++)
        table[entry - 1] = api_dispatch_function(target_dispatch, num_entries, entry);
    api_function **slot = &table[API_ENTRY_clCreateCommandQueueWithProperties - 1];
    create = (__typeof__(create))*slot;
    *slot = (api_function *)refuse;
    *num_entries_ret = count;
    *layer_dispatch_ret = (const cl_icd_dispatch *)table;
    return CL_SUCCESS;
}

cl_int CL_API_CALL clInitLayerWithProperties(cl_uint num_entries,
                                             const cl_icd_dispatch *target_dispatch,
                                             cl_uint *num_entries_ret,
                                             const cl_icd_dispatch **layer_dispatch_ret,
                                             const cl_properties *properties)
{
    (void)properties;
    return clInitLayer(num_entries, target_dispatch, num_entries_ret, layer_dispatch_ret);
}
