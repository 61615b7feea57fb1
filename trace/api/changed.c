#include "trace/api/changed.h"

#include "trace/base/alloc.h"

#include <string.h>

/* The version of an extension of which the table has the parameters. */
struct change {
    const char *extension;
    cl_version since;
};

/* cl_khr_command_buffer 0.9.5: "Add a properties parameter to all command recording entry-points";
 * ..._mutable_dispatch 0.9.2: "pass configs as an array rather than linked list". */
static const struct change *change_of(uint32_t entry)
{
    static const struct change recording = {"cl_khr_command_buffer", CL_MAKE_VERSION(0, 9, 5)};
    static const struct change update = {"cl_khr_command_buffer_mutable_dispatch",
                                         CL_MAKE_VERSION(0, 9, 2)};
    if (api_entry_get(entry)->flags & API_ENTRY_RECORDS)
        return &recording;
    return entry == API_ENTRY_clUpdateMutableCommandsKHR ? &update : NULL;
}

/* The least version that a device of the list tells of the extension; 0 = none of them tells. */
static cl_version least_version(const cl_name_version *list, size_t count, const char *extension,
                                cl_version least)
{
    for (size_t i = 0; i < count; i++)
        if (strncmp(list[i].name, extension, sizeof list[i].name) == 0 &&
            (least == 0 || list[i].version < least))
            least = list[i].version;
    return least;
}

/* Asks each device of the platform; no platform tells for all of them before OpenCL 3.0. */
static bool devices_have(cl_platform_id platform, const struct change *change,
                         api_function *const *functions)
{
    enum { DEVICES_MAX = 64 };
    __typeof__(clGetDeviceIDs) *devices_of =
        (__typeof__(clGetDeviceIDs) *)functions[API_ENTRY_clGetDeviceIDs];
    __typeof__(clGetDeviceInfo) *info_of =
        (__typeof__(clGetDeviceInfo) *)functions[API_ENTRY_clGetDeviceInfo];
    cl_device_id devices[DEVICES_MAX];
    cl_uint count = 0;
    cl_version least = 0;
    if (!devices_of || !info_of ||
        devices_of(platform, CL_DEVICE_TYPE_ALL, DEVICES_MAX, devices, &count) != CL_SUCCESS)
        return false;
    for (cl_uint i = 0; i < count && i < DEVICES_MAX; i++) {
        size_t size = 0;
        if (info_of(devices[i], CL_DEVICE_EXTENSIONS_WITH_VERSION, 0, NULL, &size) != CL_SUCCESS)
            continue;
        cl_name_version *list = alloc_zero(1, size + 1);
        if (list &&
            info_of(devices[i], CL_DEVICE_EXTENSIONS_WITH_VERSION, size, list, NULL) == CL_SUCCESS)
            least = least_version(list, size / sizeof *list, change->extension, least);
        alloc_free(list);
    }
    return least >= change->since;
}

bool api_parameters_fit(uint32_t entry, cl_platform_id platform, api_function *const *functions)
{
    const struct change *change = change_of(entry);
    return !change || (platform && devices_have(platform, change, functions));
}
