/* OpenCL API 3.0, chapter 5.2.2: reading, writing and copying rectangles of buffers. */
#include "reference/icd/dispatch.h"
#include "reference/icd/memory/transfer.h"
#include "trace/base/size.h"

/* 5.2.2: "If row_pitch is 0, row_pitch is computed as region[0]", and so on. CL_INVALID_VALUE for
 * pitches that the specification forbids and for sizes that overflow. */
static cl_int rectangle_make(const size_t *origin, const size_t *region, size_t row_pitch,
                             size_t slice_pitch, struct rectangle *rectangle)
{
    if (!origin || !region || region[0] == 0 || region[1] == 0 || region[2] == 0)
        return CL_INVALID_VALUE;
    struct rectangle made = {.row_pitch = row_pitch ? row_pitch : region[0]};
    uint64_t least_slice;
    if (made.row_pitch < region[0] || !size_mul(region[1], made.row_pitch, &least_slice))
        return CL_INVALID_VALUE;
    made.slice_pitch = slice_pitch ? slice_pitch : least_slice;
    if (made.slice_pitch < least_slice || made.slice_pitch % made.row_pitch != 0)
        return CL_INVALID_VALUE;
    uint64_t slices, rows, depth, height;
    if (!size_mul(origin[2], made.slice_pitch, &slices) ||
        !size_mul(origin[1], made.row_pitch, &rows) || !size_add(slices, rows, &made.offset) ||
        !size_add(made.offset, origin[0], &made.offset) ||
        !size_mul(region[2] - 1, made.slice_pitch, &depth) ||
        !size_mul(region[1] - 1, made.row_pitch, &height) ||
        !size_add(made.offset, depth, &made.end) || !size_add(made.end, height, &made.end) ||
        !size_add(made.end, region[0], &made.end))
        return CL_INVALID_VALUE;
    *rectangle = made;
    return CL_SUCCESS;
}

/* The boxes of a transfer. */
static cl_int set_boxes(struct transfer *transfer, const struct given_boxes *given)
{
    cl_int result = rectangle_make(given->origin, given->region, given->row_pitch,
                                   given->slice_pitch, &transfer->place);
    if (result == CL_SUCCESS)
        result = rectangle_make(given->other_origin, given->region, given->other_row_pitch,
                                given->other_slice_pitch, &transfer->other);
    for (int i = 0; result == CL_SUCCESS && i < 3; i++)
        transfer->region[i] = given->region[i];
    return result;
}

static cl_int enqueue_host(struct command_request *request, struct transfer *transfer,
                           const struct given_boxes *given)
{
    cl_int result = transfer_check(request, transfer->mem, mem_is_buffer);
    if (result == CL_SUCCESS)
        result = set_boxes(transfer, given);
    if (result != CL_SUCCESS)
        return result;
    return transfer->place.end <= transfer->mem->size ? transfer_enqueue_host(transfer, request)
                                                      : CL_INVALID_VALUE;
}

cl_int icd_clEnqueueReadBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking_read,
                                   const size_t *buffer_origin, const size_t *host_origin,
                                   const size_t *region, size_t buffer_row_pitch,
                                   size_t buffer_slice_pitch, size_t host_row_pitch,
                                   size_t host_slice_pitch, void *ptr,
                                   cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                   cl_event *event)
{
    struct command_request request = command_request_of(
        queue, CL_COMMAND_READ_BUFFER_RECT, num_events_in_wait_list, event_wait_list, event);
    request.blocking = blocking_read;
    const struct given_boxes given = {buffer_origin,    host_origin,        region,
                                      buffer_row_pitch, buffer_slice_pitch, host_row_pitch,
                                      host_slice_pitch};
    return enqueue_host(&request, &(struct transfer){.mem = buffer, .destination = ptr}, &given);
}

cl_int icd_clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking_write,
                                    const size_t *buffer_origin, const size_t *host_origin,
                                    const size_t *region, size_t buffer_row_pitch,
                                    size_t buffer_slice_pitch, size_t host_row_pitch,
                                    size_t host_slice_pitch, const void *ptr,
                                    cl_uint num_events_in_wait_list,
                                    const cl_event *event_wait_list, cl_event *event)
{
    struct command_request request = command_request_of(
        queue, CL_COMMAND_WRITE_BUFFER_RECT, num_events_in_wait_list, event_wait_list, event);
    request.blocking = blocking_write;
    const struct given_boxes given = {buffer_origin,    host_origin,        region,
                                      buffer_row_pitch, buffer_slice_pitch, host_row_pitch,
                                      host_slice_pitch};
    return enqueue_host(&request, &(struct transfer){.mem = buffer, .source = ptr}, &given);
}

/* ---- copies ---- */

/* Does a row of `a` meet a row of `b` among slices that are `slice` bytes apart? Rows meet when
 * their starts are closer than a row is long; only row differences around -slice / row_pitch can
 * bring them there. */
static bool rows_meet(int64_t slice, const struct rectangle *a, const size_t *region)
{
    const int64_t pitch = (int64_t)a->row_pitch;
    const int64_t size = (int64_t)region[0];
    const int64_t most = (int64_t)region[1] - 1;
    const int64_t nearest = -slice / pitch;
    for (int64_t y = nearest - 1; y <= nearest + 1; y++) {
        const int64_t distance = slice + y * pitch;
        if (y >= -most && y <= most && distance > -size && distance < size)
            return true;
    }
    return false;
}

/* Do two rectangles of one buffer, of equal pitches, have a byte in common? Exact, unlike the
 * sample code of the specification's appendix, which errs on the safe side. */
static bool rectangles_overlap(const struct rectangle *a, const struct rectangle *b,
                               const size_t *region)
{
    if (a->end <= b->offset || b->end <= a->offset)
        return false;
    const int64_t start = (int64_t)(a->offset - b->offset);
    const int64_t most = (int64_t)region[2] - 1;
    for (int64_t z = -most; z <= most; z++) {
        if (rows_meet(start + z * (int64_t)a->slice_pitch, a, region))
            return true;
    }
    return false;
}

static cl_int check_copy(const struct transfer *transfer, const size_t *region)
{
    cl_mem src = transfer->from, dst = transfer->mem;
    struct rectangle a = transfer->other, b = transfer->place;
    const bool same_pitches = a.row_pitch == b.row_pitch && a.slice_pitch == b.slice_pitch;
    if (a.end > src->size || b.end > dst->size || (src == dst && !same_pitches))
        return CL_INVALID_VALUE;
    if (!transfer_same_root(src, dst))
        return CL_SUCCESS;
    const uint64_t a_shift = transfer_root_offset(src, 0), b_shift = transfer_root_offset(dst, 0);
    a.offset += a_shift;
    a.end += a_shift;
    b.offset += b_shift;
    b.end += b_shift;
    if (same_pitches)
        return rectangles_overlap(&a, &b, region) ? CL_MEM_COPY_OVERLAP : CL_SUCCESS;
    /* Two sub-buffers with different pitches: their spans must be apart. */
    return a.end > b.offset && b.end > a.offset ? CL_MEM_COPY_OVERLAP : CL_SUCCESS;
}

cl_int transfer_copy_rectangle(struct command_request *request, cl_mem src_buffer,
                               cl_mem dst_buffer, const struct given_boxes *given)
{
    struct transfer transfer = {.mem = dst_buffer, .from = src_buffer};
    cl_int result =
        transfer_check_both(request, src_buffer, mem_is_buffer, dst_buffer, mem_is_buffer);
    if (result == CL_SUCCESS)
        result = set_boxes(&transfer, given);
    if (result == CL_SUCCESS)
        result = check_copy(&transfer, given->region);
    return result == CL_SUCCESS ? transfer_enqueue(&transfer, request) : result;
}
