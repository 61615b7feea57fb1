/* What commands on buffers share. */
#ifndef REFERENCE_ICD_MEMORY_TRANSFER_H
#define REFERENCE_ICD_MEMORY_TRANSFER_H

#include "checkers/order/uses.h"
#include "reference/icd/commands/executor.h"
#include "reference/icd/memory/mem.h"

enum { TRANSFER_PATTERN_MAX = 128 };

/* Where a box of bytes lies in linear memory, pitches filled in. */
struct rectangle {
    uint64_t offset; /* of its first byte */
    uint64_t row_pitch, slice_pitch;
    uint64_t end; /* one after its last byte */
};

/* The data of such a command; each uses some of it. Both memory objects are held. A range of bytes
 * is a box of one row. */
struct transfer {
    cl_mem mem;        /* read from, or written to */
    cl_mem from;       /* of a copy: the source; else NULL */
    void *destination; /* the application's memory */
    const void *source;
    cl_map_flags map_flags;
    size_t pattern_size;
    uint8_t pattern[TRANSFER_PATTERN_MAX];
    uint64_t region[3];     /* bytes of a row, rows, slices */
    struct rectangle place; /* in mem */
    struct rectangle other; /* in the host's memory, or in `from` */
};

/* Checks of queue, memory object and wait list, in this order. `is`: mem_is_buffer, mem_is_image or
 * mem_is_buffer_or_image, whichever the command wants. */
cl_int transfer_check(const struct command_request *request, cl_mem mem, bool (*is)(cl_mem mem));
/* The same of one object, then of another. */
cl_int transfer_check_both(const struct command_request *request, cl_mem a,
                           bool (*is_a)(cl_mem mem), cl_mem b, bool (*is_b)(cl_mem mem));
/* Enqueues a copy of `transfer`, with holds of its objects. Fills in `release` and `data` of
 * request->work, and what is NULL of `run` and `tell`: to move the bytes, or to write the pattern
 * over them. */
cl_int transfer_enqueue(const struct transfer *transfer, struct command_request *request);
/* The same of a transfer between the object and the host: CL_INVALID_VALUE where the host's memory
 * is NULL, CL_INVALID_OPERATION where the object's flags forbid it. */
cl_int transfer_enqueue_host(const struct transfer *transfer, struct command_request *request);
/* What moving that many bytes adds to the virtual clock. */
uint64_t transfer_cost(uint64_t size);

/* Can a pattern be written over `size` bytes from there? */
bool transfer_pattern_fits(const void *pattern, size_t pattern_size, uint64_t at, uint64_t size);
/* Have two ranges of that size a byte in common? */
static inline bool transfer_ranges_overlap(uint64_t a, uint64_t b, uint64_t size)
{
    return a < b ? b - a < size : a - b < size;
}

/* ---- what clEnqueue... does, and clCommand...KHR: the request says which, and the type ---- */
cl_int transfer_copy_buffer(struct command_request *request, cl_mem src_buffer, cl_mem dst_buffer,
                            size_t src_offset, size_t dst_offset, size_t size);
cl_int transfer_fill_buffer(struct command_request *request, cl_mem buffer, const void *pattern,
                            size_t pattern_size, size_t offset, size_t size);
/* A box of the object that is written, or read by the host, and one of the other memory: the
 * application's, which nothing is known of. */
struct given_boxes {
    const size_t *origin, *other_origin, *region;
    size_t row_pitch, slice_pitch, other_row_pitch, other_slice_pitch;
};
cl_int transfer_copy_rectangle(struct command_request *request, cl_mem src_buffer,
                               cl_mem dst_buffer, const struct given_boxes *given);
cl_int transfer_copy_image(struct command_request *request, cl_mem src_image, cl_mem dst_image,
                           const size_t *src_origin, const size_t *dst_origin,
                           const size_t *region);
/* From an image to a buffer, or the other way: the request's type says which. */
cl_int transfer_copy_texels(struct command_request *request, cl_mem image, cl_mem buffer,
                            const size_t *origin, const size_t *region, size_t offset);
cl_int transfer_fill_image(struct command_request *request, cl_mem image, const void *fill_color,
                           const size_t *origin, const size_t *region);

/* Of the memory object that owns the bytes of `mem`. */
uint64_t transfer_root_offset(cl_mem mem, uint64_t offset);
bool transfer_same_root(cl_mem a, cl_mem b);

/* ---- rows ---- */

typedef void row_function(const struct transfer *transfer, uint64_t place, uint64_t other);
/* Calls `row` for each row with its offsets in `mem` and in the other memory. */
void transfer_each_row(const struct transfer *transfer, uint64_t *cost, row_function *row);
/* The bytes of a box, as races.h wants them. */
struct use_bytes transfer_rows(const struct transfer *transfer, const struct rectangle *box);

#endif
