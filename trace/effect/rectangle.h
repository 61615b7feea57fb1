/* Rows of bytes that lie pitches apart: what the commands of OpenCL call rectangles of buffers and
 * regions of images (OpenCL API 3.0, 5.2.2 and 5.3.3). */
#ifndef TRACE_EFFECT_RECTANGLE_H
#define TRACE_EFFECT_RECTANGLE_H

#include <stdbool.h>
#include <stdint.h>

/* All but the counts in bytes. It is empty when a count or the row size is 0. */
struct rectangle {
    uint64_t first; /* where the first row starts */
    uint64_t row_size, rows, slices;
    uint64_t row_pitch, slice_pitch; /* from one row, or slice, to the next; none is 0 */
};

/* One row. */
static inline struct rectangle rectangle_linear(uint64_t first, uint64_t size)
{
    return (struct rectangle){.first = first,
                              .row_size = size,
                              .rows = 1,
                              .slices = 1,
                              .row_pitch = size,
                              .slice_pitch = size};
}

/* Sets the pitches of a rectangle that has its sizes: a pitch of 0 means that rows, or slices,
 * follow each other without a gap. False, as for all that follows, when a sum overflows. */
bool rectangle_set_pitches(struct rectangle *rectangle, uint64_t row_pitch, uint64_t slice_pitch);
/* Moves it by so many bytes, rows and slices. */
bool rectangle_move(struct rectangle *rectangle, const uint64_t origin[3]);

/* The bytes from its first to the end of its last row, 0 when it is empty; false also when rows or
 * slices overlap, which OpenCL refuses: the same bytes could be named any number of times. */
bool rectangle_span(const struct rectangle *rectangle, uint64_t *size);
/* Is there no gap between its rows? */
bool rectangle_is_packed(const struct rectangle *rectangle);

/* Of a byte: where in which row of which slice it lies. False when it lies in none: in the gap
 * after that row, as far as the rectangle is not empty and the byte not before it. */
bool rectangle_find(const struct rectangle *rectangle, uint64_t byte, uint64_t at[3]);
/* And the reverse. */
static inline uint64_t rectangle_byte(const struct rectangle *rectangle, const uint64_t at[3])
{
    return rectangle->first + at[0] + at[1] * rectangle->row_pitch + at[2] * rectangle->slice_pitch;
}

#endif
