#include "trace/effect/rectangle.h"

#include "trace/base/size.h"

bool rectangle_set_pitches(struct rectangle *rectangle, uint64_t row_pitch, uint64_t slice_pitch)
{
    rectangle->row_pitch = row_pitch ? row_pitch : rectangle->row_size;
    rectangle->slice_pitch = slice_pitch;
    return slice_pitch || size_mul(rectangle->rows, rectangle->row_pitch, &rectangle->slice_pitch);
}

bool rectangle_move(struct rectangle *rectangle, const uint64_t origin[3])
{
    uint64_t rows, slices, first;
    if (!size_mul(origin[1], rectangle->row_pitch, &rows) ||
        !size_mul(origin[2], rectangle->slice_pitch, &slices) || !size_add(rows, slices, &first) ||
        !size_add(first, origin[0], &first))
        return false;
    return size_add(rectangle->first, first, &rectangle->first);
}

static bool is_empty(const struct rectangle *rectangle)
{
    return rectangle->rows == 0 || rectangle->slices == 0 || rectangle->row_size == 0;
}

bool rectangle_span(const struct rectangle *rectangle, uint64_t *size)
{
    uint64_t rows, slices, total, end;
    if (is_empty(rectangle)) {
        *size = 0;
        return true;
    }
    if (!size_mul(rectangle->rows - 1, rectangle->row_pitch, &rows) ||
        !size_mul(rectangle->slices - 1, rectangle->slice_pitch, &slices) ||
        !size_add(rows, rectangle->row_size, &rows) || !size_add(rows, slices, &total) ||
        !size_add(total, rectangle->first, &end) ||
        (rectangle->rows > 1 && rectangle->row_pitch < rectangle->row_size) ||
        (rectangle->slices > 1 && rectangle->slice_pitch < rows))
        return false;
    *size = total;
    return true;
}

bool rectangle_is_packed(const struct rectangle *rectangle)
{
    return (rectangle->rows == 1 || rectangle->row_pitch == rectangle->row_size) &&
           (rectangle->slices == 1 ||
            rectangle->slice_pitch == rectangle->rows * rectangle->row_size);
}

bool rectangle_find(const struct rectangle *rectangle, uint64_t byte, uint64_t at[3])
{
    if (is_empty(rectangle) || byte < rectangle->first)
        return false;
    const uint64_t offset = byte - rectangle->first;
    const uint64_t slice = rectangle->slices == 1 ? 0 : offset / rectangle->slice_pitch;
    const uint64_t in_slice = offset - slice * rectangle->slice_pitch;
    const uint64_t row = rectangle->rows == 1 ? 0 : in_slice / rectangle->row_pitch;
    at[0] = in_slice - row * rectangle->row_pitch;
    at[1] = row;
    at[2] = slice;
    return at[0] < rectangle->row_size && row < rectangle->rows && slice < rectangle->slices;
}
