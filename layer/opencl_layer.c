/* libclerk_layer.so: both protocols by which loaders load a layer. ocl-icd 2.3 and Khronos loaders
 * up to 2023 call clInitLayer; newer Khronos loaders call clInitLayerWithProperties and, at the
 * end, clDeinitLayer. The program's normal end is noticed by a destructor in any case. */
#include "layer/session.h"
#include "layer/targets.h"

#include <CL/cl_layer.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

/* Declared by newer headers only. */
typedef cl_properties layer_properties;
EXPORTED cl_int CL_API_CALL clInitLayerWithProperties(cl_uint num_entries,
                                                      const cl_icd_dispatch *target_dispatch,
                                                      cl_uint *num_entries_ret,
                                                      const cl_icd_dispatch **layer_dispatch_ret,
                                                      const layer_properties *properties);
EXPORTED cl_int CL_API_CALL clDeinitLayer(void);

static const char layer_name[] = "clerk";

/* Our dispatch table: as many slots as we know, whatever the headers have. */
static api_function *table[API_SLOT_COUNT];

EXPORTED cl_int CL_API_CALL clGetLayerInfo(cl_layer_info param_name, size_t param_value_size,
                                           void *param_value, size_t *param_value_size_ret)
{
    static const cl_layer_api_version version = CL_LAYER_API_VERSION_100;
    const void *answer;
    size_t size;
    switch (param_name) {
    case CL_LAYER_API_VERSION:
        answer = &version;
        size = sizeof version;
        break;
    case CL_LAYER_NAME:
        answer = layer_name;
        size = sizeof layer_name;
        break;
    default:
        return CL_INVALID_VALUE;
    }
    if (param_value && param_value_size < size)
        return CL_INVALID_VALUE;
    if (param_value)
        memcpy(param_value, answer, size);
    if (param_value_size_ret)
        *param_value_size_ret = size;
    return CL_SUCCESS;
}

/* A slot that the target lacks stays NULL; one that we cannot wrap (a function without a type on
 * this platform) leads to the target directly. */
EXPORTED cl_int CL_API_CALL clInitLayer(cl_uint num_entries, const cl_icd_dispatch *target_dispatch,
                                        cl_uint *num_entries_ret,
                                        const cl_icd_dispatch **layer_dispatch_ret)
{
    if (!target_dispatch || !num_entries_ret || !layer_dispatch_ret)
        return CL_INVALID_VALUE;
    const cl_uint count = num_entries < API_SLOT_COUNT ? num_entries : API_SLOT_COUNT;
    for (uint32_t entry = 1; entry <= count; entry++) {
        api_function *target = api_dispatch_function(target_dispatch, num_entries, entry);
        layer_targets[entry] = target;
        table[entry - 1] = target && layer_wrappers[entry] ? layer_wrappers[entry] : target;
    }
    *num_entries_ret = count;
    *layer_dispatch_ret = (const cl_icd_dispatch *)table;
    return CL_SUCCESS;
}

cl_int CL_API_CALL clInitLayerWithProperties(cl_uint num_entries,
                                             const cl_icd_dispatch *target_dispatch,
                                             cl_uint *num_entries_ret,
                                             const cl_icd_dispatch **layer_dispatch_ret,
                                             const layer_properties *properties)
{
    (void)properties; /* none is defined yet */
    return clInitLayer(num_entries, target_dispatch, num_entries_ret, layer_dispatch_ret);
}

cl_int CL_API_CALL clDeinitLayer(void)
{
    session_finish();
    return CL_SUCCESS;
}
