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

/* False: there is none, or that is not known. */
static bool read_log(struct arena *arena, struct layer_log *log)
{
    const uint32_t entry = API_ENTRY_clGetProgramBuildInfo;
    size_t size = 0;
    const uint64_t words[] = {log->program,   log->device, CL_PROGRAM_BUILD_LOG, 0, 0,
                              (uint64_t)&size};
    if ((cl_int)api_perform(entry, layer_targets[entry], words) != CL_SUCCESS || size == 0 ||
        size > ANSWER_MAX)
        return false;
    char *bytes = arena_alloc(arena, size + 1, 1);
    log->bytes = bytes;
    log->size = size;
    return bytes &&
           driver_ask_of(entry, log->program, log->device, CL_PROGRAM_BUILD_LOG, bytes, size);
}

/* Of the first device that has one; program 0 = of none. */
static struct layer_log find_log(struct arena *arena, uint64_t program)
{
    size_t size;
    const uint64_t *devices = (const uint64_t *)driver_ask_bytes(
        arena, API_ENTRY_clGetProgramInfo, program, CL_PROGRAM_DEVICES, &size);
    for (size_t i = 0; devices && i < size / sizeof *devices; i++) {
        struct layer_log log = {.program = program, .device = devices[i]};
        cl_build_status status = CL_BUILD_SUCCESS;
        if (driver_ask_of(API_ENTRY_clGetProgramBuildInfo, program, devices[i],
                          CL_PROGRAM_BUILD_STATUS, &status, sizeof status) &&
            status != CL_BUILD_SUCCESS && read_log(arena, &log) && log.bytes[0] != '\0')
            return log;
    }
    return (struct layer_log){0};
}

const char *driver_ask_build_log(void *user, uint64_t program, struct arena *arena)
{
    struct layer_thread *thread = layer_thread_get();
    (void)user;
    (void)arena;
    if (!thread)
        return "";
    layer_thread_enter(thread);
    thread->log = find_log(&thread->arena, program);
    layer_thread_leave(thread);
    return thread->log.program ? thread->log.bytes : "";
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
