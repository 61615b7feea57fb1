/* OpenCL API 3.0, chapter 5.2.2: reading, writing and copying rectangles of buffers. */
#include "reference/icd/dispatch.h"
#include "reference/icd/memory/transfer.h"
#include "trace/base/alloc.h"
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

void transfer_set_rectangles(struct transfer *transfer, const size_t *region,
                             const struct rectangle *mem, const struct rectangle *other)
{
    for (int i = 0; i < 3; i++)
        transfer->region[i] = region[i];
    transfer->offset = mem->offset;
    transfer->mem_row_pitch = mem->row_pitch;
    transfer->mem_slice_pitch = mem->slice_pitch;
    transfer->other_offset = other->offset;
    transfer->other_row_pitch = other->row_pitch;
    transfer->other_slice_pitch = other->slice_pitch;
}

cl_int transfer_each_row(const struct transfer *transfer, uint64_t *cost, row_function *row)
{
    for (uint64_t z = 0; z < transfer->region[2]; z++) {
        for (uint64_t y = 0; y < transfer->region[1]; y++) {
            row(transfer,
                transfer->offset + z * transfer->mem_slice_pitch + y * transfer->mem_row_pitch,
                transfer->other_offset + z * transfer->other_slice_pitch +
                    y * transfer->other_row_pitch);
            *cost += transfer_cost(transfer->region[0]);
        }
    }
    return CL_SUCCESS;
}

static void read_row(const struct transfer *transfer, uint64_t mem, uint64_t other)
{
    vm_memory_read(icd_memory(), transfer->mem->number, mem,
                   (uint8_t *)transfer->destination + other, transfer->region[0]);
}

static void write_row(const struct transfer *transfer, uint64_t mem, uint64_t other)
{
    vm_memory_write(icd_memory(), transfer->mem->number, mem,
                    (const uint8_t *)transfer->source + other, transfer->region[0]);
}

static void copy_row(const struct transfer *transfer, uint64_t mem, uint64_t other)
{
    vm_memory_copy(icd_memory(), transfer->from->number, other, transfer->mem->number, mem,
                   transfer->region[0]);
}

cl_int transfer_run_read_rows(void *data, uint64_t *cost)
{
    return transfer_each_row(data, cost, read_row);
}

cl_int transfer_run_write_rows(void *data, uint64_t *cost)
{
    return transfer_each_row(data, cost, write_row);
}

cl_int transfer_run_copy_rows(void *data, uint64_t *cost)
{
    return transfer_each_row(data, cost, copy_row);
}

struct host_rectangle {
    const size_t *buffer_origin, *host_origin, *region;
    size_t buffer_row_pitch, buffer_slice_pitch, host_row_pitch, host_slice_pitch;
};

static cl_int enqueue_host(struct command_request *request, cl_mem buffer,
                           const struct host_rectangle *given, void *destination,
                           const void *source, cl_mem_flags forbidden)
{
    const cl_int checked = transfer_check(request->queue, buffer, mem_is_buffer,
                                          request->wait_count, request->wait_list);
    if (checked != CL_SUCCESS)
        return checked;
    struct rectangle mem, host;
    if (rectangle_make(given->buffer_origin, given->region, given->buffer_row_pitch,
                       given->buffer_slice_pitch, &mem) != CL_SUCCESS ||
        rectangle_make(given->host_origin, given->region, given->host_row_pitch,
                       given->host_slice_pitch, &host) != CL_SUCCESS ||
        mem.end > buffer->size || (!destination && !source))
        return CL_INVALID_VALUE;
    if ((buffer->flags & (forbidden | CL_MEM_HOST_NO_ACCESS)) != 0)
        return CL_INVALID_OPERATION;
    struct transfer *transfer = alloc_zero(1, sizeof(*transfer));
    if (!transfer)
        return CL_OUT_OF_HOST_MEMORY;
    transfer->mem = buffer;
    transfer->destination = destination;
    transfer->source = source;
    transfer_set_rectangles(transfer, given->region, &mem, &host);
    return transfer_enqueue(transfer, request);
}

cl_int icd_clEnqueueReadBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking_read,
                                   const size_t *buffer_origin, const size_t *host_origin,
                                   const size_t *region, size_t buffer_row_pitch,
                                   size_t buffer_slice_pitch, size_t host_row_pitch,
                                   size_t host_slice_pitch, void *ptr,
                                   cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                                   cl_event *event)
{
    struct command_request request = {.queue = queue,
                                      .type = CL_COMMAND_READ_BUFFER_RECT,
                                      .wait_count = num_events_in_wait_list,
                                      .wait_list = event_wait_list,
                                      .blocking = blocking_read,
                                      .event = event,
                                      .run = transfer_run_read_rows};
    const struct host_rectangle given = {buffer_origin,    host_origin,        region,
                                         buffer_row_pitch, buffer_slice_pitch, host_row_pitch,
                                         host_slice_pitch};
    return enqueue_host(&request, buffer, &given, ptr, NULL, CL_MEM_HOST_WRITE_ONLY);
}

cl_int icd_clEnqueueWriteBufferRect(cl_command_queue queue, cl_mem buffer, cl_bool blocking_write,
                                    const size_t *buffer_origin, const size_t *host_origin,
                                    const size_t *region, size_t buffer_row_pitch,
                                    size_t buffer_slice_pitch, size_t host_row_pitch,
                                    size_t host_slice_pitch, const void *ptr,
                                    cl_uint num_events_in_wait_list,
                                    const cl_event *event_wait_list, cl_event *event)
{
    struct command_request request = {.queue = queue,
                                      .type = CL_COMMAND_WRITE_BUFFER_RECT,
                                      .wait_count = num_events_in_wait_list,
                                      .wait_list = event_wait_list,
                                      .blocking = blocking_write,
                                      .event = event,
                                      .run = transfer_run_write_rows};
    const struct host_rectangle given = {buffer_origin,    host_origin,        region,
                                         buffer_row_pitch, buffer_slice_pitch, host_row_pitch,
                                         host_slice_pitch};
    return enqueue_host(&request, buffer, &given, NULL, ptr, CL_MEM_HOST_READ_ONLY);
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

static cl_int check_copy(cl_mem src, cl_mem dst, const struct rectangle *from,
                         const struct rectangle *to, const size_t *region)
{
    if (from->end > src->size || to->end > dst->size)
        return CL_INVALID_VALUE;
    if (src == dst && (from->row_pitch != to->row_pitch || from->slice_pitch != to->slice_pitch))
        return CL_INVALID_VALUE;
    if (!transfer_same_root(src, dst))
        return CL_SUCCESS;
    struct rectangle a = *from, b = *to;
    const uint64_t a_shift = transfer_root_offset(src, 0), b_shift = transfer_root_offset(dst, 0);
    a.offset += a_shift;
    a.end += a_shift;
    b.offset += b_shift;
    b.end += b_shift;
    if (a.row_pitch == b.row_pitch && a.slice_pitch == b.slice_pitch)
        return rectangles_overlap(&a, &b, region) ? CL_MEM_COPY_OVERLAP : CL_SUCCESS;
    /* Two sub-buffers with different pitches: their spans must be apart. */
    return a.end > b.offset && b.end > a.offset ? CL_MEM_COPY_OVERLAP : CL_SUCCESS;
}

cl_int transfer_copy_rectangle(struct command_request *request, cl_mem src_buffer,
                               cl_mem dst_buffer, const struct copied_rectangle *given)
{
    cl_int result = transfer_check(request->queue, src_buffer, mem_is_buffer, request->wait_count,
                                   request->wait_list);
    if (result == CL_SUCCESS)
        result = transfer_check(request->queue, dst_buffer, mem_is_buffer, request->wait_count,
                                request->wait_list);
    struct rectangle from, to;
    if (result == CL_SUCCESS)
        result = rectangle_make(given->src_origin, given->region, given->src_row_pitch,
                                given->src_slice_pitch, &from);
    if (result == CL_SUCCESS)
        result = rectangle_make(given->dst_origin, given->region, given->dst_row_pitch,
                                given->dst_slice_pitch, &to);
    if (result == CL_SUCCESS)
        result = check_copy(src_buffer, dst_buffer, &from, &to, given->region);
    if (result != CL_SUCCESS)
        return result;
    struct transfer *transfer = alloc_zero(1, sizeof(*transfer));
    if (!transfer)
        return CL_OUT_OF_HOST_MEMORY;
    transfer->mem = dst_buffer;
    transfer->from = src_buffer;
    transfer_set_rectangles(transfer, given->region, &to, &from);
    request->run = transfer_run_copy_rows;
    return transfer_enqueue(transfer, request);
}

cl_int icd_clEnqueueCopyBufferRect(cl_command_queue queue, cl_mem src_buffer, cl_mem dst_buffer,
                                   const size_t *src_origin, const size_t *dst_origin,
                                   const size_t *region, size_t src_row_pitch,
                                   size_t src_slice_pitch, size_t dst_row_pitch,
                                   size_t dst_slice_pitch, cl_uint num_events_in_wait_list,
                                   const cl_event *event_wait_list, cl_event *event)
{
    struct command_request request = {.queue = queue,
                                      .type = CL_COMMAND_COPY_BUFFER_RECT,
                                      .wait_count = num_events_in_wait_list,
                                      .wait_list = event_wait_list,
                                      .event = event};
    const struct copied_rectangle given = {src_origin,     dst_origin,      region,
                                           src_row_pitch,  src_slice_pitch, dst_row_pitch,
                                           dst_slice_pitch};
    return transfer_copy_rectangle(&request, src_buffer, dst_buffer, &given);
}
