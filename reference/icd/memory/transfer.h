/* What commands on buffers share. */
#ifndef REFERENCE_ICD_MEMORY_TRANSFER_H
#define REFERENCE_ICD_MEMORY_TRANSFER_H

#include "checkers/order/uses.h"
#include "reference/icd/commands/executor.h"
#include "reference/icd/memory/mem.h"

enum { TRANSFER_PATTERN_MAX = 128 };

/* The data of such a command; each uses some of it. Both memory objects are held. */
struct transfer {
    cl_mem mem; /* read from, or written to */
    uint64_t offset, size;
    cl_mem from; /* of a copy: the source; else NULL */
    uint64_t from_offset;
    void *destination; /* the application's memory */
    const void *source;
    cl_map_flags map_flags;
    size_t pattern_size;
    uint8_t pattern[TRANSFER_PATTERN_MAX];
    /* Rectangles: bytes, rows and slices; `mem_` of mem, `other_` of the host or of `from`. */
    uint64_t region[3];
    uint64_t mem_row_pitch, mem_slice_pitch;
    uint64_t other_offset, other_row_pitch, other_slice_pitch;
};

/* Checks of queue, memory object and wait list, in this order. `is`: mem_is_buffer, mem_is_image or
 * mem_is_buffer_or_image, whichever the command wants. */
cl_int transfer_check(cl_command_queue queue, cl_mem mem, bool (*is)(cl_mem mem),
                      cl_uint wait_count, const cl_event *wait_list);
/* Takes over `transfer`, whose objects it holds, and fills in request->release and ->data, and
 * ->tell unless it is there. */
cl_int transfer_enqueue(struct transfer *transfer, struct command_request *request);
/* Writes the pattern of `transfer` over [offset, offset + size) of its mem. */
void transfer_fill(const struct transfer *transfer, uint64_t offset, uint64_t size);
/* What moving that many bytes adds to the virtual clock. */
uint64_t transfer_cost(uint64_t size);

/* ---- what clEnqueue... does, and clCommand...KHR: the request says which, and the type ---- */
cl_int transfer_copy_buffer(struct command_request *request, cl_mem src_buffer, cl_mem dst_buffer,
                            size_t src_offset, size_t dst_offset, size_t size);
cl_int transfer_fill_buffer(struct command_request *request, cl_mem buffer, const void *pattern,
                            size_t pattern_size, size_t offset, size_t size);
/* The application's, which nothing is known of. */
struct copied_rectangle {
    const size_t *src_origin, *dst_origin, *region;
    size_t src_row_pitch, src_slice_pitch, dst_row_pitch, dst_slice_pitch;
};
cl_int transfer_copy_rectangle(struct command_request *request, cl_mem src_buffer,
                               cl_mem dst_buffer, const struct copied_rectangle *given);
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

/* ---- rect.c: boxes of bytes ---- */

/* Where a box lies in linear memory, pitches filled in. */
struct rectangle {
    uint64_t offset; /* of its first byte */
    uint64_t row_pitch, slice_pitch;
    uint64_t end; /* one behind its last byte */
};

/* `region`: bytes of a row, rows, slices. */
void transfer_set_rectangles(struct transfer *transfer, const size_t *region,
                             const struct rectangle *mem, const struct rectangle *other);
typedef void row_function(const struct transfer *transfer, uint64_t mem, uint64_t other);
/* Calls `row` for each row with its offsets in `mem` and in the other memory. */
cl_int transfer_each_row(const struct transfer *transfer, uint64_t *cost, row_function *row);
/* Those of mem, as races.h wants them. */
struct use_bytes transfer_rows(const struct transfer *transfer);
/* Commands: from `mem` to the host, from the host to `mem`, from `from` to `mem`. */
cl_int transfer_run_read_rows(void *data, uint64_t *cost);
cl_int transfer_run_write_rows(void *data, uint64_t *cost);
cl_int transfer_run_copy_rows(void *data, uint64_t *cost);

#endif
