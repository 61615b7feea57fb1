/* Regions that the recording mapped, and what the application wrote into them. */
#include "replay/state.h"
#include "trace/base/alloc.h"
#include "trace/base/size.h"
#include "trace/effect/effect.h"

#include <string.h>

static uint64_t target_pitch(const struct replay_prepared *prepared, uint32_t index)
{
    const size_t *pitch = (const size_t *)(uintptr_t)prepared->words[index];
    return pitch ? *pitch : 0;
}

static struct image_shape image_of(void *user, uint64_t handle)
{
    const struct replay *replay = user;
    const struct replay_object *image = replay_objects_find(replay->objects, handle);
    return image ? image->image : (struct image_shape){0};
}

/* False when the region would not fit into any memory, or rows would overlap. */
static bool rows_of_image(struct replay *replay, const struct replay_prepared *prepared,
                          struct replay_rows *rows)
{
    const struct image_shape image =
        image_of(replay, prepared->call->arguments[API_clEnqueueMapImage_image].bits);
    const uint64_t *region =
        (const uint64_t *)(uintptr_t)prepared->words[API_clEnqueueMapImage_region];
    struct effects effects;
    uint64_t size;
    effects_of(prepared->call, image_of, replay, &effects);
    const struct effect *shown = effects_find(&effects, EFFECT_HOST);
    if (!shown || !shown->known || !region ||
        !image_region_in_host(
            &image, region, target_pitch(prepared, API_clEnqueueMapImage_image_row_pitch),
            target_pitch(prepared, API_clEnqueueMapImage_image_slice_pitch), &rows->target))
        return false;
    rows->recorded = shown->bytes;
    return rectangle_span(&rows->recorded, &size) && size != 0 &&
           rectangle_span(&rows->target, &size);
}

_Static_assert((int)API_clEnqueueMapBuffer_map_flags == (int)API_clEnqueueMapImage_map_flags,
               "the flags are in one place");

enum status replay_map_add(struct replay *replay, struct replay_prepared *prepared, void *pointer,
                           struct error *error)
{
    const struct api_call *call = prepared->call;
    struct replay_map map = {.address = call->result.bits,
                             .pointer = pointer,
                             .flags = call->arguments[API_clEnqueueMapBuffer_map_flags].bits};
    if (call->entry == API_ENTRY_clEnqueueSVMMap) {
        map.address = call->arguments[API_clEnqueueSVMMap_svm_ptr].bits;
        map.flags = call->arguments[API_clEnqueueSVMMap_flags].bits;
        map.rows = replay_rows_of_buffer(call->arguments[API_clEnqueueSVMMap_size].bits);
    } else if (call->entry == API_ENTRY_clEnqueueMapBuffer) {
        map.rows = replay_rows_of_buffer(call->arguments[API_clEnqueueMapBuffer_size].bits);
    } else if (!rows_of_image(replay, prepared, &map.rows)) {
        return replay_fail(call, STATUS_MALFORMED, error,
                           "the region and its pitches do not fit the image");
    }
    void *grown =
        alloc_grow(replay->maps, replay->map_count, &replay->map_capacity, sizeof *replay->maps);
    if (!grown)
        return error_no_memory(error, sizeof *replay->maps);
    replay->maps = grown;
    replay->maps[replay->map_count++] = map;
    return replay_transfer_add(replay, prepared, &map, error);
}

/* The latest mapping of this address, taken out; false when there is none. */
static bool take(struct replay *replay, uint64_t address, struct replay_map *map)
{
    for (size_t i = replay->map_count; i-- > 0;) {
        if (replay->maps[i].address != address)
            continue;
        *map = replay->maps[i];
        memmove(&replay->maps[i], &replay->maps[i + 1],
                (replay->map_count - i - 1) * sizeof *replay->maps);
        --replay->map_count;
        return true;
    }
    return false;
}

enum status replay_map_write(struct replay *replay, const struct replay_prepared *prepared,
                             struct error *error)
{
    const struct api_call *call = prepared->call;
    const uint32_t argument = call->entry == API_ENTRY_clEnqueueSVMUnmap
                                  ? API_clEnqueueSVMUnmap_svm_ptr
                                  : API_clEnqueueUnmapMemObject_mapped_ptr;
    const uint64_t address = call->arguments[argument].bits;
    enum status status = replay_map_settle(replay, address, error);
    struct replay_map map;
    if (status != STATUS_OK || !take(replay, address, &map))
        return status;
    struct api_content *contents = NULL;
    size_t count = 0;
    status = trace_contents(replay->trace, call->id, prepared->arena, &contents, &count, error);
    for (size_t i = 0; status == STATUS_OK && i < count; ++i) {
        if (contents[i].argument != argument)
            continue;
        if (!range_within(contents[i].offset, contents[i].size, replay_rows_size(&map.rows)))
            return replay_fail(call, STATUS_MALFORMED, error,
                               "the recorded bytes lie outside the mapped region");
        void *bytes = arena_copy(prepared->arena, contents[i].bytes, contents[i].size);
        if (!bytes)
            return error_no_memory(error, contents[i].size);
        replay_shared_point_here(replay, bytes, contents[i].size, address + contents[i].offset);
        replay_rows_write(&map.rows, map.pointer, contents[i].offset, bytes, contents[i].size);
    }
    return status;
}
