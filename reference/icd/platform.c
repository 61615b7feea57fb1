/* OpenCL API 3.0, chapter 4.1: the platform. */
#include "reference/icd/dispatch.h"
#include "reference/icd/exports.h"
#include "reference/icd/info.h"
#include "reference/icd/options.h"
#include "reference/icd/types.h"
#include "reference/limits/limits.h"

#include <stdio.h>

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
