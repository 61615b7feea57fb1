#include "replay/replay.h"

#include "trace/api/changed.h"
#include "trace/base/alloc.h"

#include <dlfcn.h>

/* What replay itself calls, besides what a recording asks for. */
static const uint32_t needed_entries[] = {
    API_ENTRY_clGetPlatformIDs,
    API_ENTRY_clGetPlatformInfo,
    API_ENTRY_clGetDeviceIDs,
    API_ENTRY_clGetDeviceInfo,
    API_ENTRY_clCreateContext,
    API_ENTRY_clReleaseContext,
    API_ENTRY_clCreateProgramWithSource,
    API_ENTRY_clCreateProgramWithBinary,
    API_ENTRY_clBuildProgram,
    API_ENTRY_clReleaseProgram,
    API_ENTRY_clGetProgramBuildInfo,
    API_ENTRY_clCreateKernel,
    API_ENTRY_clReleaseKernel,
    API_ENTRY_clGetKernelArgInfo,
    API_ENTRY_clWaitForEvents,
    API_ENTRY_clGetEventInfo,
    API_ENTRY_clRetainEvent,
    API_ENTRY_clReleaseEvent,
    API_ENTRY_clSetUserEventStatus,
    API_ENTRY_clRetainCommandQueue,
    API_ENTRY_clReleaseCommandQueue,
    API_ENTRY_clGetCommandQueueInfo,
    API_ENTRY_clFlush,
    API_ENTRY_clFinish,
    API_ENTRY_clEnqueueMarker,
    API_ENTRY_clGetExtensionFunctionAddressForPlatform,
};

static enum status check_functions(const struct replay_target *target, struct error *error)
{
    for (size_t i = 0; i < sizeof needed_entries / sizeof *needed_entries; ++i) {
        if (!target->functions[needed_entries[i]])
            return error_set(error, STATUS_UNSUPPORTED,
                             "the OpenCL loader or driver has no %s: it is too old",
                             api_entry_get(needed_entries[i])->name);
    }
    return STATUS_OK;
}

static enum status load_functions(struct replay_target *target, struct error *error)
{
    target->library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!target->library)
        return error_set(error, STATUS_NOT_FOUND,
                         "there is no OpenCL loader (Debian: ocl-icd-libopencl1): %s", dlerror());
    for (uint32_t entry = 1; entry < API_ENTRY_COUNT; ++entry) {
        const struct api_entry_info *info = api_entry_get(entry);
        target->functions[entry] = (api_function *)dlsym(target->library, info->name);
    }
    return check_functions(target, error);
}

static enum status choose_device(struct replay_target *target, uint32_t platform_index,
                                 struct error *error)
{
    enum { PLATFORM_MAX = 64 };
    cl_platform_id platforms[PLATFORM_MAX];
    cl_uint count = 0;
    const cl_int status = CL(target, clGetPlatformIDs)(PLATFORM_MAX, platforms, &count);
    if (status != CL_SUCCESS || count == 0)
        return error_set(error, STATUS_NOT_FOUND, "the OpenCL loader finds no platform");
    if (count > PLATFORM_MAX)
        count = PLATFORM_MAX;
    if (platform_index >= count)
        return error_set(error, STATUS_NOT_FOUND,
                         "there is no platform %u: the OpenCL loader finds %u, counted from 0",
                         platform_index, count);
    target->platform = platforms[platform_index];
    /* "All" are all but custom devices. */
    if (CL(target, clGetDeviceIDs)(target->platform, CL_DEVICE_TYPE_ALL, 1, &target->device,
                                   NULL) != CL_SUCCESS &&
        CL(target, clGetDeviceIDs)(target->platform, CL_DEVICE_TYPE_CUSTOM, 1, &target->device,
                                   NULL) != CL_SUCCESS)
        return error_set(error, STATUS_NOT_FOUND, "platform %u has no device", platform_index);
    return STATUS_OK;
}

/* What an entry point like clGetDeviceInfo tells of the object; NULL when memory is out. */
static char *info_string(const struct replay_target *target, uint32_t entry, uintptr_t object,
                         uint32_t param_name)
{
    size_t size = 0;
    const uint64_t ask_size[] = {object, param_name, 0, 0, (uintptr_t)&size};
    if ((cl_int)api_perform(entry, target->functions[entry], ask_size) != CL_SUCCESS)
        size = 0;
    char *string = alloc_zero(1, size + 1);
    const uint64_t ask[] = {object, param_name, size, (uintptr_t)string, 0};
    if (string && size)
        api_perform(entry, target->functions[entry], ask);
    return string;
}

/* A number of `size` bytes; 0 where the device does not know the question. */
static uint64_t device_number(const struct replay_target *target, cl_device_info param_name,
                              size_t size)
{
    uint64_t value = 0;
    return CL(target, clGetDeviceInfo)(target->device, param_name, size, &value, NULL) == CL_SUCCESS
               ? value
               : 0;
}

enum status replay_target_open(uint32_t platform_index, struct replay_target **result,
                               struct error *error)
{
    struct replay_target *target = alloc_zero(1, sizeof *target);
    if (!target)
        return error_no_memory(error, sizeof *target);
    enum status status = load_functions(target, error);
    if (status == STATUS_OK)
        status = choose_device(target, platform_index, error);
    if (status != STATUS_OK)
        goto out;
    target->platform_name = info_string(target, API_ENTRY_clGetPlatformInfo,
                                        (uintptr_t)target->platform, CL_PLATFORM_NAME);
    target->device_name =
        info_string(target, API_ENTRY_clGetDeviceInfo, (uintptr_t)target->device, CL_DEVICE_NAME);
    if (!target->platform_name || !target->device_name) {
        status = error_no_memory(error, 256);
        goto out;
    }
    target->has_images = device_number(target, CL_DEVICE_IMAGE_SUPPORT, sizeof(cl_bool));
    target->has_pipes = device_number(target, CL_DEVICE_PIPE_SUPPORT, sizeof(cl_bool));
    target->svm = device_number(target, CL_DEVICE_SVM_CAPABILITIES, sizeof target->svm);
    for (uint32_t entry = 1; entry < API_ENTRY_COUNT; ++entry) {
        const struct api_entry_info *info = api_entry_get(entry);
        if (info->flags & API_ENTRY_EXTENSION &&
            api_parameters_fit(entry, target->platform, target->functions))
            target->functions[entry] = replay_target_extension(target, info->name);
    }
    *result = target;
    target = NULL;
out:
    replay_target_close(target);
    return status;
}

/* cl_khr_icd: how a loader finds a driver's functions. */
static enum status load_driver(struct replay_target *target, const char *path, struct error *error)
{
    enum { SLOTS = API_ENTRY_clSetContextDestructorCallback }; /* those of OpenCL 3.0 */
    target->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    __typeof__(clGetExtensionFunctionAddress) *const find =
        target->library ? (__typeof__(clGetExtensionFunctionAddress) *)dlsym(
                              target->library, "clGetExtensionFunctionAddress")
                        : NULL;
    __typeof__(clGetPlatformIDs) *const list =
        find ? (__typeof__(clGetPlatformIDs) *)find("clIcdGetPlatformIDsKHR") : NULL;
    cl_platform_id platform = NULL;
    if (!list || list(1, &platform, NULL) != CL_SUCCESS)
        return error_set(error, STATUS_NOT_FOUND, "'%s' is not an OpenCL driver", path);
    const cl_icd_dispatch *dispatch = *(const cl_icd_dispatch *const *)(const void *)platform;
    for (uint32_t entry = 1; entry < API_ENTRY_COUNT; ++entry)
        target->functions[entry] = api_dispatch_function(dispatch, SLOTS, entry);
    target->functions[API_ENTRY_clGetPlatformIDs] = (api_function *)list;
    return check_functions(target, error);
}

enum status replay_target_open_driver(const char *path, struct replay_target **result,
                                      struct error *error)
{
    struct replay_target *target = alloc_zero(1, sizeof *target);
    if (!target)
        return error_no_memory(error, sizeof *target);
    enum status status = load_driver(target, path, error);
    if (status == STATUS_OK)
        status = choose_device(target, 0, error);
    if (status == STATUS_OK)
        *result = target;
    else
        replay_target_close(target);
    return status;
}

void replay_target_close(struct replay_target *target)
{
    if (!target)
        return;
    alloc_free(target->platform_name);
    alloc_free(target->device_name);
    alloc_free(target);
}

api_function *replay_target_extension(const struct replay_target *target, const char *name)
{
    return (api_function *)CL(target, clGetExtensionFunctionAddressForPlatform)(target->platform,
                                                                                name);
}
