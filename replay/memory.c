#include "replay/memory.h"

#include "replay/compare.h"
#include "trace/base/size.h"

static struct image_shape image_of(void *user, uint64_t handle)
{
    const struct replay_object *object = user;
    (void)handle; /* the call names one image */
    return object ? object->image : (struct image_shape){0};
}

static void find_effects(const struct api_call *call, const struct replay_object *object,
                         struct effects *effects)
{
    effects_of(call, image_of, (void *)(uintptr_t)object, effects);
}

/* A list was not there, so the call failed, and nothing was transferred. */
static bool lacks_list(const struct api_call *call)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    for (uint32_t i = 0; i < info->parameter_count; ++i)
        if (info->parameters[i].role == API_ROLE_SIZES && !call->arguments[i].data)
            return true;
    return false;
}

/* OpenCL API 3.0, 5.3.1.2: host_ptr has all bytes of the last slice. */
static bool created_size(const struct effect *effect, uint64_t *size)
{
    return size_mul(effect->bytes.slices, effect->bytes.slice_pitch, size);
}

bool replay_memory_size(const struct api_call *call, const struct replay_object *memory_object,
                        uint64_t *size)
{
    struct effects effects;
    struct effect created;
    if (effect_of_create(call, &created))
        return created_size(&created, size);
    find_effects(call, memory_object, &effects);
    const struct effect *host = effects_find(&effects, EFFECT_HOST);
    uint64_t span;
    if (host && host->known)
        return rectangle_span(&host->bytes, &span) &&
               size_add(span ? host->bytes.first : 0, span, size);
    *size = 0;
    return effects_know(call->entry) && lacks_list(call);
}

bool replay_memory_offset(const struct api_call *call, uint64_t host_offset,
                          uint64_t *object_offset)
{
    struct effects effects;
    uint64_t at[3];
    find_effects(call, NULL, &effects);
    const struct effect *host = effects_find(&effects, EFFECT_HOST);
    const struct effect *object = effects_find(&effects, EFFECT_BUFFER);
    if (!host || !object || !object->known || !rectangle_find(&host->bytes, host_offset, at))
        return false;
    *object_offset = rectangle_byte(&object->bytes, at);
    return true;
}

uint64_t replay_memory_phase(const struct api_call *call, uint64_t host_offset, uint64_t size)
{
    uint64_t first, last;
    const bool is_known = size && replay_memory_offset(call, host_offset, &first) &&
                          replay_memory_offset(call, host_offset + size - 1, &last);
    return is_known && last - first == size - 1 ? first : REPLAY_PHASE_UNKNOWN;
}
