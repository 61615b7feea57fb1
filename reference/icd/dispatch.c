/* How programs and loaders find the device's functions: by slot, by name, by export (cl_khr_icd).
 */
#include "reference/icd/dispatch.h"

#include "reference/compiler/pair.h"
#include "reference/icd/exports.h"
#include "reference/icd/types.h"

#include <string.h>

api_function *const icd_dispatch[API_SLOT_COUNT] = {
#define ENTRY(name) [API_ENTRY_##name - 1] = (api_function *)icd_##name,
#define EXTENSION(name)
#include "reference/icd/entry_points.def"
};

#define FUNCTION(exported, function)                                                               \
    {                                                                                              \
        exported, (void *)(function)                                                               \
    }

void *icd_clGetExtensionFunctionAddress(const char *func_name)
{
    static const struct {
        const char *name;
        void *function;
    } functions[] = {
#define ENTRY(name)
#define EXTENSION(name) FUNCTION(#name, icd_##name),
#include "reference/icd/entry_points.def"
        FUNCTION("clIcdGetPlatformIDsKHR", clIcdGetPlatformIDsKHR),
        FUNCTION("clGetPlatformInfo", clGetPlatformInfo),
        FUNCTION("clCreateCommandQueueWithPropertiesKHR", icd_clCreateCommandQueueWithProperties),
        FUNCTION("clCreateProgramWithILKHR", icd_clCreateProgramWithIL),
        FUNCTION("clGetKernelSuggestedLocalWorkSizeKHR", icd_clGetKernelSuggestedLocalWorkSize),
        FUNCTION(SINK_SET_FUNCTION, clerk_set_finding_sink),
        FUNCTION(SINK_OPTION_FUNCTION, clerk_set_device_option),
        FUNCTION(SINK_CALL_FUNCTION, clerk_set_launch_call),
        FUNCTION(SINK_MEMORY_FUNCTION, clerk_has_lacked_memory),
        FUNCTION(SINK_EXPLORE_FUNCTION, clerk_set_exploring),
        FUNCTION(SINK_METER_FUNCTION, clerk_set_meter),
        FUNCTION(SINK_PRINT_FUNCTION, clerk_set_printing),
        FUNCTION(SINK_PAIRS_FUNCTION, clerk_examine_compilers),
        FUNCTION(SINK_LEFT_OUT_FUNCTION, clerk_describe_left_out),
        FUNCTION(SINK_NATIVE_FUNCTION, clerk_try_native),
        FUNCTION(SINK_PROFILE_FUNCTION, clerk_set_profiling),
        FUNCTION(SINK_EMPTY_FUNCTION, clerk_create_empty_buffer),
        FUNCTION(SINK_CHILD_FUNCTION, clerk_set_child_sink),
        FUNCTION(DEBUG_SET_FUNCTION, clerk_set_debugger),
    };
    for (size_t i = 0; func_name && i < sizeof(functions) / sizeof(functions[0]); i++) {
        if (strcmp(func_name, functions[i].name) == 0)
            return functions[i].function;
    }
    return NULL;
}

void *icd_clGetExtensionFunctionAddressForPlatform(cl_platform_id asked, const char *func_name)
{
    return platform_accepts(asked) ? icd_clGetExtensionFunctionAddress(func_name) : NULL;
}

__attribute__((visibility("default"))) cl_int CL_API_CALL
clIcdGetPlatformIDsKHR(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
    return icd_clGetPlatformIDs(num_entries, platforms, num_platforms);
}

__attribute__((visibility("default"))) cl_int CL_API_CALL
clGetPlatformInfo(cl_platform_id asked, cl_platform_info param_name, size_t param_value_size,
                  void *param_value, size_t *param_value_size_ret)
{
    return icd_clGetPlatformInfo(asked, param_name, param_value_size, param_value,
                                 param_value_size_ret);
}

__attribute__((visibility("default"))) void *CL_API_CALL
clGetExtensionFunctionAddress(const char *func_name)
{
    return icd_clGetExtensionFunctionAddress(func_name);
}
