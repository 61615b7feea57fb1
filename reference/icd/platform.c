/* OpenCL API 3.0, chapter 4.1: the platform, and the tables behind it. */
#include "reference/compiler/pair.h"
#include "reference/icd/commands/recording.h"
#include "reference/icd/dispatch.h"
#include "reference/icd/exports.h"
#include "reference/icd/info.h"
#include "reference/icd/options.h"
#include "reference/icd/types.h"
#include "reference/limits/limits.h"

#include <stdio.h>
#include <string.h>

api_function *const icd_dispatch[API_SLOT_COUNT] = {
#define ENTRY(name) [API_ENTRY_##name - 1] = (api_function *)icd_##name,
#include "reference/icd/entry_points.def"
#undef ENTRY
    [API_ENTRY_clGetKernelSuggestedLocalWorkSize - 1] =
        (api_function *)clerk_suggested_local_work_size,
};

static struct _cl_platform_id platform;
static struct _cl_device_id devices[LIMIT_ROOT_DEVICES];
static cl_uint device_count;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void init(void)
{
    object_init_static(&platform, OBJECT_PLATFORM);
    device_count = options_device_count();
    for (cl_uint i = 0; i < device_count; i++) {
        object_init_static(&devices[i], OBJECT_DEVICE);
        devices[i].compute_units = (cl_uint)limits_get(LIMIT_COMPUTE_UNITS);
    }
}

cl_platform_id icd_platform(void)
{
    pthread_once(&once, init);
    return &platform;
}

cl_uint icd_root_device_count(void)
{
    pthread_once(&once, init);
    return device_count;
}

cl_device_id icd_root_device(cl_uint index)
{
    pthread_once(&once, init);
    return &devices[index];
}

bool platform_accepts(cl_platform_id asked)
{
    return !asked || asked == icd_platform();
}

cl_int icd_clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms, cl_uint *num_platforms)
{
    if ((!platforms && !num_platforms) || (platforms && num_entries == 0))
        return CL_INVALID_VALUE;
    if (platforms)
        platforms[0] = icd_platform();
    if (num_platforms)
        *num_platforms = 1;
    return CL_SUCCESS;
}

static const struct {
    cl_name_version extension;
    enum kept kept;
} extensions[] = {
#define EXTENSION(name, major, minor, patch, language, kept)                                       \
    {{CL_MAKE_VERSION(major, minor, patch), #name}, KEPT_##kept},
#include "reference/limits/extensions.def"
#undef EXTENSION
};
enum { EXTENSION_COUNT = sizeof(extensions) / sizeof(extensions[0]) };

cl_int icd_answer_extensions(const struct info_target *target)
{
    char names[EXTENSION_COUNT * sizeof(extensions[0].extension.name)];
    size_t size = 0;
    for (size_t i = 0; i < EXTENSION_COUNT; i++) {
        if (limits_keep(extensions[i].kept))
            size += (size_t)sprintf(names + size, "%s%s", size > 0 ? " " : "",
                                    extensions[i].extension.name);
    }
    return info_string(target, names);
}

cl_int icd_answer_extension_versions(const struct info_target *target)
{
    cl_name_version versions[EXTENSION_COUNT];
    size_t count = 0;
    for (size_t i = 0; i < EXTENSION_COUNT; i++) {
        if (limits_keep(extensions[i].kept))
            versions[count++] = extensions[i].extension;
    }
    return info_bytes(target, versions, count * sizeof(versions[0]));
}

cl_int icd_clGetPlatformInfo(cl_platform_id asked, cl_platform_info param_name,
                             size_t param_value_size, void *param_value,
                             size_t *param_value_size_ret)
{
    const struct info_target target = {param_value_size, param_value, param_value_size_ret};
    if (!platform_accepts(asked))
        return CL_INVALID_PLATFORM;
    switch (param_name) {
    case CL_PLATFORM_PROFILE:
        return info_string(&target, limits_profile());
    case CL_PLATFORM_VERSION:
        return icd_clGetDeviceInfo(icd_root_device(0), CL_DEVICE_VERSION, param_value_size,
                                   param_value, param_value_size_ret);
    case CL_PLATFORM_NUMERIC_VERSION:
        return icd_clGetDeviceInfo(icd_root_device(0), CL_DEVICE_NUMERIC_VERSION, param_value_size,
                                   param_value, param_value_size_ret);
    case CL_PLATFORM_NAME:
    case CL_PLATFORM_VENDOR:
        return info_string(&target, "clerk");
    case CL_PLATFORM_EXTENSIONS:
        return icd_answer_extensions(&target);
    case CL_PLATFORM_EXTENSIONS_WITH_VERSION:
        return icd_answer_extension_versions(&target);
    case CL_PLATFORM_HOST_TIMER_RESOLUTION:
        return INFO_VALUE(&target, cl_ulong, 1);
        /* Of all devices, which have the same. */
#define AS_THE_DEVICES(query)                                                                      \
    case CL_PLATFORM_##query:                                                                      \
        return icd_clGetDeviceInfo(icd_root_device(0), CL_DEVICE_##query, param_value_size,        \
                                   param_value, param_value_size_ret)
        AS_THE_DEVICES(SEMAPHORE_TYPES_KHR);
        AS_THE_DEVICES(SEMAPHORE_IMPORT_HANDLE_TYPES_KHR);
        AS_THE_DEVICES(SEMAPHORE_EXPORT_HANDLE_TYPES_KHR);
#undef AS_THE_DEVICES
    case CL_PLATFORM_ICD_SUFFIX_KHR:
        return info_string(&target, "CLERK");
    default:
        return CL_INVALID_VALUE;
    }
}

cl_int icd_clUnloadPlatformCompiler(cl_platform_id asked)
{
    return asked == icd_platform() ? CL_SUCCESS : CL_INVALID_PLATFORM;
}

cl_int icd_clUnloadCompiler(void)
{
    return CL_SUCCESS;
}

/* ---- extension functions and what the library exports (cl_khr_icd) ---- */

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
