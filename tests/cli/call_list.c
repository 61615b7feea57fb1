/* A layer that knows nothing of clerk: it writes the thread's number and the name of each call to
 * the file CALL_LIST, before the driver is called. What clerk records is compared with it. */
#include "trace/api/entry.h"

#include <CL/cl_layer.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

/* What newer Khronos loaders call; declared by newer headers only. */
EXPORTED cl_int CL_API_CALL clInitLayerWithProperties(cl_uint num_entries,
                                                      const cl_icd_dispatch *target_dispatch,
                                                      cl_uint *num_entries_ret,
                                                      const cl_icd_dispatch **layer_dispatch_ret,
                                                      const cl_properties *properties);

static api_function *targets[API_SLOT_COUNT + 1];
static api_function *table[API_SLOT_COUNT];
static int list_file = -1;

static void list_call(const char *name)
{
    static atomic_int thread_count;
    static _Thread_local int thread;
    char line[128];
    if (!thread)
        thread = atomic_fetch_add(&thread_count, 1) + 1;
    const int length = snprintf(line, sizeof line, "%d %s\n", thread, name);
    if (list_file < 0 || write(list_file, line, (size_t)length) != length)
        abort();
}

#define GIVE_STATUS(type)  return (type)
#define GIVE_POINTER(type) return (type)
#define GIVE_NOTHING(type) (type)
#define GIVE_OBJECT(kind)  GIVE_STATUS

#define API(name, since, type, role, ...)                                                          \
    static type CL_API_CALL list_##name(API_EACH(API_VIEW_DECLARE, name, __VA_ARGS__))             \
    {                                                                                              \
        typedef type(CL_API_CALL entry_type)(API_EACH(API_VIEW_TYPE, name, __VA_ARGS__));          \
        list_call(#name);                                                                          \
        GIVE_##role(type)(((entry_type *)targets[API_ENTRY_##name])(                               \
            API_EACH(API_VIEW_NAME, name, __VA_ARGS__)));                                          \
    }
#define API_VOID(name, since, type, role)                                                          \
    static type CL_API_CALL list_##name(void)                                                      \
    {                                                                                              \
        typedef type(CL_API_CALL entry_type)(void);                                                \
        list_call(#name);                                                                          \
        GIVE_##role(type)(((entry_type *)targets[API_ENTRY_##name])());                            \
    }
#define API_EXTENSION(...)
#include "trace/api/cl_api.def"

static api_function *const wrappers[API_SLOT_COUNT + 1] = {
#define API(name, ...) [API_ENTRY_##name] = (api_function *)list_##name,
#define API_EXTENSION(...)
#include "trace/api/cl_api.def"
};

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
    const char *path = getenv("CALL_LIST");
    list_file = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    for (uint32_t entry = 1; entry <= count; entry++) {
        targets[entry] = api_dispatch_function(target_dispatch, num_entries, entry);
        table[entry - 1] = targets[entry] && wrappers[entry] ? wrappers[entry] : targets[entry];
    }
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
