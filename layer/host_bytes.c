#include "layer/host_bytes.h"

#include "trace/base/size.h"

bool host_bytes_span(const struct effect *effect, uint64_t *size)
{
    uint64_t end;
    if (!rectangle_span(&effect->bytes, size))
        return false;
    return *size == 0 ||
           (size_add(effect->memory, effect->bytes.first + *size, &end) && end <= INTPTR_MAX);
}

static void save_run(const struct effect *effect, uint64_t offset, uint64_t size,
                     struct spool *spool, uint64_t call_id)
{
    spool_content(spool, call_id,
                  &(struct api_content){.argument = effect->argument,
                                        .offset = offset,
                                        .size = size,
                                        .bytes = (const char *)effect->memory + offset});
}

void host_bytes_save(const struct effect *effect, struct spool *spool, uint64_t call_id,
                     struct readable *readable)
{
    const struct rectangle *bytes = &effect->bytes;
    uint64_t span;
    if (!host_bytes_span(effect, &span) || span == 0 ||
        !readable_bytes(readable, host_bytes_first(effect), span))
        return;
    if (rectangle_is_packed(bytes)) {
        save_run(effect, bytes->first, span, spool, call_id);
        return;
    }
    const bool rows_touch = bytes->rows == 1 || bytes->row_pitch == bytes->row_size;
    for (uint64_t slice = 0; slice < bytes->slices; slice++) {
        const uint64_t start = bytes->first + slice * bytes->slice_pitch;
        if (rows_touch) {
            save_run(effect, start, bytes->rows * bytes->row_size, spool, call_id);
            continue;
        }
        for (uint64_t row = 0; row < bytes->rows; row++)
            save_run(effect, start + row * bytes->row_pitch, bytes->row_size, spool, call_id);
    }
}
