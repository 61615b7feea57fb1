/* Regions that the recording mapped, and what the application wrote into them. */
#include "replay/state.h"
#include "trace/base/alloc.h"
#include "trace/base/size.h"

#include <string.h>

static uint64_t recorded_pitch(const struct api_call *call, uint32_t index)
{
    uint64_t pitch = 0;
    if (call->arguments[index].count && call->arguments[index].data)
        memcpy(&pitch, call->arguments[index].data, sizeof pitch);
    return pitch;
}

static uint64_t target_pitch(const struct replay_prepared *prepared, uint32_t index)
{
    const size_t *pitch = (const size_t *)(uintptr_t)prepared->words[index];
    return pitch ? *pitch : 0;
}

/* Fills a side's pitches; a slice pitch of 0 says that slices follow each other. The layers of a 1D
 * image array are rows that lie a slice pitch apart (OpenCL API 3.0, 5.3.6). False when the region
 * would not fit into any memory, or rows would overlap. */
static bool make_pitches(const struct replay_rows *rows, bool is_1d_array, uint64_t row,
                         uint64_t slice, uint64_t *row_pitch, uint64_t *slice_pitch)
{
    uint64_t end;
    *row_pitch = is_1d_array && slice ? slice : row;
    *slice_pitch = is_1d_array ? 0 : slice;
    if (rows->row_count == 1 && *row_pitch < rows->row_size)
        *row_pitch = rows->row_size;
    if (!*slice_pitch && !size_mul(rows->row_count, *row_pitch, slice_pitch))
        return false;
    return *row_pitch >= rows->row_size && size_mul(rows->row_count, *row_pitch, &end) &&
           (rows->slice_count == 1 || *slice_pitch >= end - (*row_pitch - rows->row_size)) &&
           size_mul(rows->slice_count, *slice_pitch, &end);
}

static bool rows_of_image(const struct replay *replay, const struct replay_prepared *prepared,
                          struct replay_rows *rows)
{
    const struct api_call *call = prepared->call;
    const struct replay_object *image =
        replay_objects_find(replay->objects, call->arguments[API_clEnqueueMapImage_image].bits);
    const size_t *region = (const size_t *)(uintptr_t)prepared->words[API_clEnqueueMapImage_region];
    if (!image || !image->pixel_size || !region || !region[0] || !region[1] || !region[2])
        return false;
    const uint32_t row = API_clEnqueueMapImage_image_row_pitch;
    const uint32_t slice = API_clEnqueueMapImage_image_slice_pitch;
    *rows = (struct replay_rows){.row_count = region[1], .slice_count = region[2]};
    return size_mul(region[0], image->pixel_size, &rows->row_size) &&
           make_pitches(rows, image->is_1d_array, recorded_pitch(call, row),
                        recorded_pitch(call, slice), &rows->recorded_row, &rows->recorded_slice) &&
           make_pitches(rows, image->is_1d_array, target_pitch(prepared, row),
                        target_pitch(prepared, slice), &rows->target_row, &rows->target_slice);
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
