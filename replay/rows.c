#include "replay/rows.h"

#include <stdbool.h>
#include <string.h>

struct replay_rows replay_rows_of_buffer(uint64_t size)
{
    return (struct replay_rows){rectangle_linear(0, size), rectangle_linear(0, size)};
}

uint64_t replay_rows_size(const struct replay_rows *rows)
{
    uint64_t size = 0;
    rectangle_span(&rows->recorded, &size);
    return size;
}

/* What lies at a recorded offset: so many bytes of a row, which are at `target`, or of nothing. */
struct piece {
    bool is_row;
    uint64_t size, target;
};

static struct piece find_piece(const struct replay_rows *rows, uint64_t offset)
{
    const struct rectangle *recorded = &rows->recorded;
    uint64_t at[3];
    if (rectangle_find(recorded, offset, at))
        return (struct piece){.is_row = true,
                              .size = recorded->row_size - at[0],
                              .target = rectangle_byte(&rows->target, at)};
    const bool is_last = at[1] + 1 >= recorded->rows;
    return (struct piece){.size = is_last
                                      ? recorded->slice_pitch - at[1] * recorded->row_pitch - at[0]
                                      : recorded->row_pitch - at[0]};
}

void replay_rows_write(const struct replay_rows *rows, void *region, uint64_t offset,
                       const void *bytes, uint64_t size)
{
    for (uint64_t done = 0; done < size;) {
        const struct piece piece = find_piece(rows, offset + done);
        const uint64_t count = piece.size < size - done ? piece.size : size - done;
        if (piece.is_row)
            memcpy((unsigned char *)region + piece.target, (const unsigned char *)bytes + done,
                   count);
        done += count;
    }
}

void replay_rows_read(const struct replay_rows *rows, const void *region, uint64_t offset,
                      void *bytes, uint64_t size)
{
    for (uint64_t done = 0; done < size;) {
        const struct piece piece = find_piece(rows, offset + done);
        const uint64_t count = piece.size < size - done ? piece.size : size - done;
        if (piece.is_row)
            memcpy((unsigned char *)bytes + done, (const unsigned char *)region + piece.target,
                   count);
        done += count;
    }
}
