#include "layer/driver/driver_ask.h"

#include "layer/targets.h"

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
