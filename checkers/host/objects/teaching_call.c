#include "checkers/host/objects/teaching_call.h"

#include <stdio.h>
#include <string.h>

const struct api_value *lesson_argument(const struct lesson *lesson, const char *name)
{
    const uint32_t index = api_entry_find_parameter(lesson->info, name);
    return index == API_PARAMETER_NONE ? NULL : &lesson->call->arguments[index];
}

uint64_t lesson_number(const struct lesson *lesson, const char *name)
{
    const struct api_value *value = lesson_argument(lesson, name);
    return value ? value->bits : 0;
}

bool lesson_version(const struct api_value *answer, uint64_t *version)
{
    char text[64] = "";
    unsigned major;
    unsigned minor;
    memcpy(text, answer->data, answer->size < sizeof text ? answer->size : sizeof text - 1);
    const bool read = sscanf(text, "OpenCL %u.%u", &major, &minor) == 2;
    if (read)
        *version = (uint64_t)major * 100 + (uint64_t)minor * 10;
    return read;
}

void lesson_set(const struct lesson *lesson, uint64_t handle, enum api_object_kind kind,
                const void *traits)
{
    object_set_traits(lesson->checker->objects, handle, kind, traits);
}

void *lesson_lock(const struct lesson *lesson, uint64_t handle, enum api_object_kind kind)
{
    return object_lock_traits(lesson->checker->objects, handle, kind, lesson->locked);
}

void *lesson_lock_first(const struct lesson *lesson, enum api_object_kind kind)
{
    return lesson_lock(lesson, lesson->call->arguments[0].bits, kind);
}

void lesson_unlock(const struct lesson *lesson)
{
    object_unlock_traits(lesson->locked);
}
