#include "layer/region.h"

#include "trace/base/size.h"

struct region region_linear(const void *base, uint64_t size)
{
    return (struct region){.base = base,
                           .row_size = size,
                           .rows = 1,
                           .slices = 1,
                           .row_pitch = size,
                           .slice_pitch = size};
}

bool region_span(const struct region *region, uint64_t *size)
{
    uint64_t rows, slices, total, end;
    if (region->rows == 0 || region->slices == 0 || region->row_size == 0) {
        *size = 0;
        return true;
    }
    if (!size_mul(region->rows - 1, region->row_pitch, &rows) ||
        !size_mul(region->slices - 1, region->slice_pitch, &slices) ||
        !size_add(rows, slices, &total) || !size_add(total, region->row_size, &total) ||
        !size_add(total, region->offset, &end) || !size_add((uint64_t)region->base, end, &end) ||
        end > INTPTR_MAX || (region->rows > 1 && region->row_pitch < region->row_size) ||
        (region->slices > 1 && region->slice_pitch < rows + region->row_size))
        return false;
    *size = total;
    return true;
}

static void save_run(const struct region *region, uint64_t offset, uint64_t size,
                     struct spool *spool, uint64_t call_id, uint32_t argument)
{
    spool_content(
        spool, call_id,
        &(struct api_content){
            .argument = argument, .offset = offset, .size = size, .bytes = region->base + offset});
}

void region_save(const struct region *region, struct spool *spool, uint64_t call_id,
                 uint32_t argument, struct probe *probe)
{
    uint64_t span;
    if (!region_span(region, &span) || span == 0 ||
        !probe_readable(probe, region->base + region->offset, span))
        return;
    const bool rows_touch = region->rows == 1 || region->row_pitch == region->row_size;
    const bool slices_touch =
        rows_touch &&
        (region->slices == 1 || region->slice_pitch == region->rows * region->row_size);
    if (slices_touch) {
        save_run(region, region->offset, span, spool, call_id, argument);
        return;
    }
    for (uint64_t slice = 0; slice < region->slices; slice++) {
        const uint64_t start = region->offset + slice * region->slice_pitch;
        if (rows_touch) {
            save_run(region, start, region->rows * region->row_size, spool, call_id, argument);
            continue;
        }
        for (uint64_t row = 0; row < region->rows; row++)
            save_run(region, start + row * region->row_pitch, region->row_size, spool, call_id,
                     argument);
    }
}
