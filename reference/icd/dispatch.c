/* How programs and loaders find the device's functions: by slot, by name, by export (cl_khr_icd).
 */
#include "reference/icd/dispatch.h"

#include "reference/compiler/pair.h"
#include "reference/icd/commands/recording.h"
#include "reference/icd/exports.h"
#include "reference/icd/types.h"

#include <string.h>

api_function *const icd_dispatch[API_SLOT_COUNT] = {
#define ENTRY(name) [API_ENTRY_##name - 1] = (api_function *)icd_##name,
#include "reference/icd/entry_points.def"
#undef ENTRY
    [API_ENTRY_clGetKernelSuggestedLocalWorkSize - 1] =
        (api_function *)clerk_suggested_local_work_size,
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
        FUNCTION("clIcdGetPlatformIDsKHR", clIcdGetPlatformIDsKHR),
        FUNCTION("clGetPlatformInfo", clGetPlatformInfo),
        FUNCTION("clCreateCommandQueueWithPropertiesKHR", icd_clCreateCommandQueueWithProperties),
        FUNCTION("clCreateProgramWithILKHR", icd_clCreateProgramWithIL),
        FUNCTION("clGetKernelSuggestedLocalWorkSizeKHR", clerk_suggested_local_work_size),
        FUNCTION("clGetImageRequirementsInfoEXT", clerk_get_image_requirements_info),
        FUNCTION("clHostMemAllocINTEL", clerk_host_mem_alloc),
        FUNCTION("clDeviceMemAllocINTEL", clerk_device_mem_alloc),
        FUNCTION("clSharedMemAllocINTEL", clerk_shared_mem_alloc),
        FUNCTION("clMemFreeINTEL", clerk_mem_free),
        FUNCTION("clMemBlockingFreeINTEL", clerk_mem_blocking_free),
        FUNCTION("clGetMemAllocInfoINTEL", clerk_get_mem_alloc_info),
        FUNCTION("clSetKernelArgMemPointerINTEL", clerk_set_kernel_arg_mem_pointer),
        FUNCTION("clEnqueueMemFillINTEL", clerk_enqueue_mem_fill),
        FUNCTION("clEnqueueMemcpyINTEL", clerk_enqueue_memcpy),
        FUNCTION("clEnqueueMigrateMemINTEL", clerk_enqueue_migrate_mem),
        FUNCTION("clEnqueueMemAdviseINTEL", clerk_enqueue_mem_advise),
        FUNCTION("clCreateSemaphoreWithPropertiesKHR", clerk_create_semaphore),
        FUNCTION("clRetainSemaphoreKHR", clerk_retain_semaphore),
        FUNCTION("clReleaseSemaphoreKHR", clerk_release_semaphore),
        FUNCTION("clGetSemaphoreInfoKHR", clerk_get_semaphore_info),
        FUNCTION("clEnqueueWaitSemaphoresKHR", clerk_enqueue_wait_semaphores),
        FUNCTION("clEnqueueSignalSemaphoresKHR", clerk_enqueue_signal_semaphores),
        FUNCTION("clGetSemaphoreHandleForTypeKHR", clerk_get_semaphore_handle),
        FUNCTION("clCreateCommandBufferKHR", clerk_create_command_buffer),
        FUNCTION("clRetainCommandBufferKHR", clerk_retain_command_buffer),
        FUNCTION("clReleaseCommandBufferKHR", clerk_release_command_buffer),
        FUNCTION("clFinalizeCommandBufferKHR", clerk_finalize_command_buffer),
        FUNCTION("clEnqueueCommandBufferKHR", clerk_enqueue_command_buffer),
        FUNCTION("clGetCommandBufferInfoKHR", clerk_get_command_buffer_info),
        FUNCTION("clCommandBarrierWithWaitListKHR", clerk_command_barrier),
        FUNCTION("clCommandCopyBufferKHR", clerk_command_copy_buffer),
        FUNCTION("clCommandCopyBufferRectKHR", clerk_command_copy_buffer_rect),
        FUNCTION("clCommandCopyBufferToImageKHR", clerk_command_copy_buffer_to_image),
        FUNCTION("clCommandCopyImageKHR", clerk_command_copy_image),
        FUNCTION("clCommandCopyImageToBufferKHR", clerk_command_copy_image_to_buffer),
        FUNCTION("clCommandFillBufferKHR", clerk_command_fill_buffer),
        FUNCTION("clCommandFillImageKHR", clerk_command_fill_image),
        FUNCTION("clCommandNDRangeKernelKHR", clerk_command_ndrange_kernel),
        FUNCTION("clCommandSVMMemcpyKHR", clerk_command_svm_memcpy),
        FUNCTION("clCommandSVMMemFillKHR", clerk_command_svm_mem_fill),
        FUNCTION("clUpdateMutableCommandsKHR", clerk_update_mutable_commands),
        FUNCTION("clGetMutableCommandInfoKHR", clerk_get_mutable_command_info),
        FUNCTION(SINK_SET_FUNCTION, clerk_set_finding_sink),
        FUNCTION(SINK_OPTION_FUNCTION, clerk_set_device_option),
        FUNCTION(SINK_CALL_FUNCTION, clerk_set_launch_call),
        FUNCTION(SINK_MEMORY_FUNCTION, clerk_has_lacked_memory),
        FUNCTION(SINK_EXPLORE_FUNCTION, clerk_set_exploring),
        FUNCTION(SINK_PRINT_FUNCTION, clerk_set_printing),
        FUNCTION(SINK_PAIRS_FUNCTION, clerk_examine_compilers),
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
