#include "layer/driver/driver_ask.h"

#include "layer/targets.h"
#include "layer/thread.h"

#include <CL/cl.h>

enum { ANSWER_MAX = 128 << 20 };

bool driver_ask(uint32_t entry, uint64_t object, uint64_t name, void *answer, size_t size,
                size_t *actual)
{
    const uint64_t words[] = {object, name, size, (uint64_t)answer, (uint64_t)actual};
    return layer_targets[entry] &&
           (cl_int)api_perform(entry, layer_targets[entry], words) == CL_SUCCESS;
}

bool driver_is_last(uint32_t entry, uint64_t object, uint64_t name)
{
    cl_uint references = 0;
    return driver_ask(entry, object, name, &references, sizeof references, NULL) && references == 1;
}

bool driver_ask_of(uint32_t entry, uint64_t object, uint64_t other, uint64_t name, void *answer,
                   size_t size)
{
    const uint64_t words[] = {object, other, name, size, (uint64_t)answer, 0};
    return layer_targets[entry] &&
           (cl_int)api_perform(entry, layer_targets[entry], words) == CL_SUCCESS;
}

char *driver_ask_bytes(struct arena *arena, uint32_t entry, uint64_t object, uint64_t name,
                       size_t *size)
{
    *size = 0;
    if (!driver_ask(entry, object, name, NULL, 0, size) || *size == 0 || *size > ANSWER_MAX)
        return NULL;
    char *bytes = arena_alloc(arena, *size + 1, 1);
    return bytes && driver_ask(entry, object, name, bytes, *size, NULL) ? bytes : NULL;
}

static const char *read_log(struct arena *arena, uint64_t program, uint64_t device)
{
    const uint32_t entry = API_ENTRY_clGetProgramBuildInfo;
    size_t size = 0;
    const uint64_t words[] = {program, device, CL_PROGRAM_BUILD_LOG, 0, 0, (uint64_t)&size};
    if ((cl_int)api_perform(entry, layer_targets[entry], words) != CL_SUCCESS || size > ANSWER_MAX)
        return NULL;
    char *log = arena_alloc(arena, size + 1, 1);
    return log && driver_ask_of(entry, program, device, CL_PROGRAM_BUILD_LOG, log, size) ? log
                                                                                         : NULL;
}

static const char *find_log(struct arena *arena, uint64_t program)
{
    size_t size;
    const char *log = "";
    const uint64_t *devices = (const uint64_t *)driver_ask_bytes(
        arena, API_ENTRY_clGetProgramInfo, program, CL_PROGRAM_DEVICES, &size);
    for (size_t i = 0; devices && i < size / sizeof *devices && log[0] == '\0'; i++) {
        cl_build_status status = CL_BUILD_SUCCESS;
        if (driver_ask_of(API_ENTRY_clGetProgramBuildInfo, program, devices[i],
                          CL_PROGRAM_BUILD_STATUS, &status, sizeof status) &&
            status != CL_BUILD_SUCCESS) {
            const char *found = read_log(arena, program, devices[i]);
            log = found ? found : log;
        }
    }
    return log;
}

const char *driver_ask_build_log(void *user, uint64_t program, struct arena *arena)
{
    struct layer_thread *thread = layer_thread_get();
    (void)user;
    if (!thread)
        return "";
    layer_thread_enter(thread);
    const char *log = find_log(arena, program);
    layer_thread_leave(thread);
    return log;
}

const char *driver_ask_text(struct arena *arena, uint64_t device, uint64_t name)
{
    size_t size;
    const char *text = driver_ask_bytes(arena, API_ENTRY_clGetDeviceInfo, device, name, &size);
    return text ? text : "";
}

uint32_t driver_ask_number(uint64_t device, uint64_t name)
{
    uint32_t number = 0;
    return driver_ask(API_ENTRY_clGetDeviceInfo, device, name, &number, sizeof number, NULL)
               ? number
               : 0;
}
