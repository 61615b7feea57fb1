/* OpenCL API 3.0, chapter 4.1: the platform. */
#include "reference/icd/dispatch.h"
#include "reference/icd/info.h"
#include "reference/icd/options.h"
#include "reference/icd/types.h"
#include "reference/limits/limits.h"

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

cl_int icd_clGetPlatformInfo(cl_platform_id asked, cl_platform_info param_name,
                             size_t param_value_size, void *param_value,
                             size_t *param_value_size_ret)
{
    /* Of all devices, which have the same. */
    static const struct {
        cl_platform_info name;
        cl_device_info of_devices;
    } alike[] = {
        {CL_PLATFORM_PROFILE, CL_DEVICE_PROFILE},
        {CL_PLATFORM_VERSION, CL_DEVICE_VERSION},
        {CL_PLATFORM_NUMERIC_VERSION, CL_DEVICE_NUMERIC_VERSION},
        {CL_PLATFORM_EXTENSIONS, CL_DEVICE_EXTENSIONS},
        {CL_PLATFORM_EXTENSIONS_WITH_VERSION, CL_DEVICE_EXTENSIONS_WITH_VERSION},
        {CL_PLATFORM_SEMAPHORE_TYPES_KHR, CL_DEVICE_SEMAPHORE_TYPES_KHR},
        {CL_PLATFORM_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR,
         CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR},
        {CL_PLATFORM_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR,
         CL_DEVICE_SEMAPHORE_EXPORT_HANDLE_TYPES_KHR},
    };
    const struct info_row rows[] = {
        INFO_STRING(CL_PLATFORM_NAME, "clerk"),
        INFO_STRING(CL_PLATFORM_VENDOR, "clerk"),
        INFO(CL_PLATFORM_HOST_TIMER_RESOLUTION, cl_ulong, 1),
        INFO_STRING(CL_PLATFORM_ICD_SUFFIX_KHR, "CLERK"),
    };
    const struct info_target target = {param_value_size, param_value, param_value_size_ret};
    if (!platform_accepts(asked))
        return CL_INVALID_PLATFORM;
    for (size_t i = 0; i < sizeof(alike) / sizeof(alike[0]); i++) {
        if (alike[i].name == param_name)
            return icd_clGetDeviceInfo(icd_root_device(0), alike[i].of_devices, param_value_size,
                                       param_value, param_value_size_ret);
    }
    return info_answer(&target, param_name, rows, sizeof(rows) / sizeof(rows[0]));
}

cl_int icd_clUnloadPlatformCompiler(cl_platform_id asked)
{
    return asked == icd_platform() ? CL_SUCCESS : CL_INVALID_PLATFORM;
}

cl_int icd_clUnloadCompiler(void)
{
    return CL_SUCCESS;
}
