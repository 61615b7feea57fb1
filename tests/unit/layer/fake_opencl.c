/* A libOpenCL.so.1 for the test of the preloaded library: one platform, no devices. */
#include <CL/cl.h>
#include <string.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED cl_int CL_API_CALL clGetPlatformIDs(cl_uint num_entries, cl_platform_id *platforms,
                                             cl_uint *num_platforms)
{
    if (platforms && num_entries > 0)
        platforms[0] = (cl_platform_id)0x1000;
    if (num_platforms)
        *num_platforms = 1;
    return CL_SUCCESS;
}

EXPORTED cl_int CL_API_CALL clGetPlatformInfo(cl_platform_id platform, cl_platform_info param_name,
                                              size_t size, void *value, size_t *size_ret)
{
    static const char name[] = "fake";
    (void)platform;
    if (param_name != CL_PLATFORM_NAME || (value && size < sizeof name))
        return CL_INVALID_VALUE;
    if (value)
        memcpy(value, name, sizeof name);
    if (size_ret)
        *size_ret = sizeof name;
    return CL_SUCCESS;
}

EXPORTED cl_int CL_API_CALL clUnloadCompiler(void)
{
    return CL_SUCCESS;
}
