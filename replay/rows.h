/* The rows of a mapped region. Each driver puts the rows of a mapped image as far apart as it likes
 * (OpenCL API 3.0, 5.3.6: image_row_pitch, image_slice_pitch), so a recorded byte may lie elsewhere
 * in the target's map. The bytes between rows belong to nobody. */
#ifndef REPLAY_ROWS_H
#define REPLAY_ROWS_H

#include <stdint.h>

/* All but the counts in bytes. No pitch is 0 and none is less than what it spans. */
struct replay_rows {
    uint64_t row_size, row_count, slice_count; /* at least 1 each */
    uint64_t recorded_row, recorded_slice;     /* pitches */
    uint64_t target_row, target_slice;
};

/* A region of one row: a mapped buffer. */
struct replay_rows replay_rows_of_buffer(uint64_t size);
/* Bytes from the first row to the end of the last, as recorded. */
uint64_t replay_rows_size(const struct replay_rows *rows);

/* Between the target's region and `size` bytes that lie at `offset` of the recorded one. What lies
 * between rows stays as it is on both sides. offset + size <= replay_rows_size. */
void replay_rows_write(const struct replay_rows *rows, void *region, uint64_t offset,
                       const void *bytes, uint64_t size);
void replay_rows_read(const struct replay_rows *rows, const void *region, uint64_t offset,
                      void *bytes, uint64_t size);

#endif
