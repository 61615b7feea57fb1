#include "replay/rows.h"

#include <stdbool.h>
#include <string.h>

struct replay_rows replay_rows_of_buffer(uint64_t size)
{
    return (struct replay_rows){size, 1, 1, size, size, size, size};
}

uint64_t replay_rows_size(const struct replay_rows *rows)
{
    return (rows->slice_count - 1) * rows->recorded_slice +
           (rows->row_count - 1) * rows->recorded_row + rows->row_size;
}

/* What lies at a recorded offset: so many bytes of a row, which are at `target`, or of nothing. */
struct piece {
    bool is_row;
    uint64_t size, target;
};

static struct piece find_piece(const struct replay_rows *rows, uint64_t offset)
{
    const uint64_t slice = offset / rows->recorded_slice;
    const uint64_t in_slice = offset % rows->recorded_slice;
    const uint64_t row = in_slice / rows->recorded_row;
    const uint64_t in_row = in_slice % rows->recorded_row;
    if (row >= rows->row_count)
        return (struct piece){.size = rows->recorded_slice - in_slice};
    if (in_row >= rows->row_size)
        return (struct piece){.size = rows->recorded_row - in_row};
    return (struct piece){
        .is_row = true,
        .size = rows->row_size - in_row,
        .target = slice * rows->target_slice + row * rows->target_row + in_row,
    };
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
