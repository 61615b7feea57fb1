/* The rows of a mapped region. Each driver puts the rows of a mapped image as far apart as it likes
 * (OpenCL API 3.0, 5.3.6: image_row_pitch, image_slice_pitch), so a recorded byte may lie elsewhere
 * in the target's map. The bytes between rows belong to nobody. */
#ifndef REPLAY_ROWS_H
#define REPLAY_ROWS_H

#include "trace/effect/rectangle.h"

/* The same rows, as rectangle_span takes them. */
struct replay_rows {
    struct rectangle recorded, target;
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
