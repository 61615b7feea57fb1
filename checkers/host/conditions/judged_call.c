/* What the steps ask about the call under judgement and the objects that it names. */
#include "checkers/host/checker.h"

#include <string.h>

bool judged_triple(const struct judged *judged, uint8_t index, uint64_t triple[3])
{
    const struct api_value *value = &judged->call->arguments[index];
    if (!value->present || value->kind != API_VALUE_SIZES || value->count < 3 || !value->data)
        return false;
    memcpy(triple, value->data, 3 * sizeof *triple);
    return true;
}

uint64_t list_word(const struct api_value *list, size_t index)
{
    uint64_t word;
    memcpy(&word, (const char *)list->data + index * sizeof word, sizeof word);
    return word;
}

bool judged_traits(const struct judged *judged, uint64_t handle, enum api_object_kind kind,
                   void *traits)
{
    return handle != 0 && object_is_usable(object_state(judged->checker->objects, handle), kind) &&
           object_get_traits(judged->checker->objects, handle, kind, traits);
}

bool judged_object(const struct judged *judged, uint64_t handle, struct mem_traits *mem)
{
    return judged_traits(judged, handle, API_OBJECT_MEM, mem) && mem->made_by != 0;
}

bool judged_mem(const struct judged *judged, uint8_t index, struct mem_traits *mem)
{
    return judged_traits(judged, judged_bits(judged, index), API_OBJECT_MEM, mem) && mem->type != 0;
}

bool judged_command_buffer(const struct judged *judged, uint64_t handle,
                           struct command_buffer_traits *buffer)
{
    return judged_traits(judged, handle, API_OBJECT_COMMAND_BUFFER, buffer) &&
           buffer->state != RECORDING_UNKNOWN;
}

const struct kernel_traits *judged_kernel(struct judged *judged, uint64_t handle)
{
    if (handle != judged->kernel_handle) {
        judged->kernel_handle = handle;
        judged->kernel = object_usable_kernel(judged->checker->objects, handle);
    }
    return judged->kernel;
}

const struct queue_traits *judged_queue(struct judged *judged)
{
    if (!judged->queue_asked) {
        judged->queue_asked = true;
        judged->queue_known =
            judged_traits(judged, judged_bits(judged, 0), API_OBJECT_QUEUE, &judged->queue);
        if (judged->queue_known)
            judged->device = object_device_traits(judged->checker->objects, judged->queue.device);
    }
    return judged->queue_known ? &judged->queue : NULL;
}

const struct device_traits *judged_device(struct judged *judged)
{
    return judged_queue(judged) ? judged->device : NULL;
}

bool judged_devices(const struct judged *judged, uint64_t context, struct device_list *devices)
{
    struct context_traits traits;
    if (!judged_traits(judged, context, API_OBJECT_CONTEXT, &traits))
        return false;
    *devices = traits.devices;
    return devices->count > 0;
}

bool judged_device_fact(const struct judged *judged, uint64_t device, enum device_fact fact,
                        uint64_t *value)
{
    return device_fact(object_device_traits(judged->checker->objects, device), fact, value);
}

bool judged_fact(const struct judged *judged, uint64_t context, enum device_fact fact,
                 struct fact_range *range)
{
    struct device_list devices;
    uint64_t value;
    if (!judged_devices(judged, context, &devices))
        return false;
    *range = (struct fact_range){.least = UINT64_MAX};
    for (uint32_t i = 0; i < devices.count; ++i) {
        if (!judged_device_fact(judged, devices.handles[i], fact, &value))
            return false;
        range->least = value < range->least ? value : range->least;
        range->most = value > range->most ? value : range->most;
        range->any |= value;
    }
    return true;
}

uint64_t judged_context(const struct judged *judged, uint64_t handle)
{
    struct object_table *objects = judged->checker->objects;
    enum { STEPS_MAX = 8 }; /* an image of a sub-buffer of a buffer of a context */
    for (unsigned i = 0; i < STEPS_MAX && handle != 0; ++i) {
        if (object_state(objects, handle).kind == API_OBJECT_CONTEXT)
            return handle;
        handle = object_parent(objects, handle);
    }
    return 0;
}
