/* OpenCL API 3.0, chapters 5.3.3 to 5.3.5: reading, writing, copying and filling images. All of
 * them move rows, as the rectangular commands on buffers do. */
#include "reference/icd/dispatch.h"
#include "reference/icd/memory/image.h"
#include "reference/icd/memory/transfer.h"
#include "trace/base/alloc.h"
#include "trace/base/size.h"

#include <spirv/unified1/spirv.h>
#include <string.h>

/* ---- read and write ---- */

/* The host's memory with the pitches of a call, 0 meaning tightly packed. The layers of a 1D array
 * are rows that are a slice pitch apart. */
static cl_int host_box(cl_mem image, const size_t *region, size_t row_pitch, size_t slice_pitch,
                       size_t row_size, struct rectangle *host)
{
    const bool lines = image->image->type == VM_IMAGE_1D_ARRAY;
    const uint64_t row = row_pitch ? row_pitch : row_size;
    uint64_t least = row;
    if (row < row_size || (!lines && !size_mul(row, region[1], &least)))
        return CL_INVALID_VALUE;
    if (slice_pitch != 0 && (!image_has_slices(image->image) || slice_pitch < least))
        return CL_INVALID_VALUE;
    const uint64_t slice = slice_pitch ? slice_pitch : least;
    *host = (struct rectangle){.row_pitch = lines ? slice : row, .slice_pitch = slice};
    return CL_SUCCESS;
}

struct host_box {
    const size_t *origin, *region;
    size_t row_pitch, slice_pitch;
};

static cl_int enqueue_host(struct command_request *request, cl_mem image,
                           const struct host_box *given, void *destination, const void *source,
                           cl_mem_flags forbidden)
{
    struct rectangle mem, host;
    size_t row_size;
    cl_int result = transfer_check(request->queue, image, mem_is_image, request->wait_count,
                                   request->wait_list);
    if (result == CL_SUCCESS)
        result = image_box(image, given->origin, given->region, &mem, &row_size);
    if (result == CL_SUCCESS)
        result =
            host_box(image, given->region, given->row_pitch, given->slice_pitch, row_size, &host);
    if (result != CL_SUCCESS)
        return result;
    if (!destination && !source)
        return CL_INVALID_VALUE;
    if ((image->flags & (forbidden | CL_MEM_HOST_NO_ACCESS)) != 0)
        return CL_INVALID_OPERATION;
    struct transfer *transfer = alloc_zero(1, sizeof(*transfer));
    if (!transfer)
        return CL_OUT_OF_HOST_MEMORY;
    transfer->mem = image;
    transfer->destination = destination;
    transfer->source = source;
    transfer_set_rectangles(transfer, (size_t[]){row_size, given->region[1], given->region[2]},
                            &mem, &host);
    return transfer_enqueue(transfer, request);
}

cl_int icd_clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking_read,
                              const size_t *origin, const size_t *region, size_t row_pitch,
                              size_t slice_pitch, void *ptr, cl_uint num_events_in_wait_list,
                              const cl_event *event_wait_list, cl_event *event)
{
    struct command_request request = {.queue = queue,
                                      .type = CL_COMMAND_READ_IMAGE,
                                      .wait_count = num_events_in_wait_list,
                                      .wait_list = event_wait_list,
                                      .blocking = blocking_read,
                                      .event = event,
                                      .run = transfer_run_read_rows};
    const struct host_box given = {origin, region, row_pitch, slice_pitch};
    return enqueue_host(&request, image, &given, ptr, NULL, CL_MEM_HOST_WRITE_ONLY);
}

cl_int icd_clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool blocking_write,
                               const size_t *origin, const size_t *region, size_t input_row_pitch,
                               size_t input_slice_pitch, const void *ptr,
                               cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                               cl_event *event)
{
    struct command_request request = {.queue = queue,
                                      .type = CL_COMMAND_WRITE_IMAGE,
                                      .wait_count = num_events_in_wait_list,
                                      .wait_list = event_wait_list,
                                      .blocking = blocking_write,
                                      .event = event,
                                      .run = transfer_run_write_rows};
    const struct host_box given = {origin, region, input_row_pitch, input_slice_pitch};
    return enqueue_host(&request, image, &given, NULL, ptr, CL_MEM_HOST_READ_ONLY);
}

/* ---- copies ---- */

/* A copy of rows: of `row_size` bytes, as many as `region` says. */
static cl_int enqueue_copy(struct command_request *request, cl_mem from, cl_mem to,
                           const size_t *region, size_t row_size, const struct rectangle *from_box,
                           const struct rectangle *to_box)
{
    struct transfer *transfer = alloc_zero(1, sizeof(*transfer));
    if (!transfer)
        return CL_OUT_OF_HOST_MEMORY;
    transfer->mem = to;
    transfer->from = from;
    transfer_set_rectangles(transfer, (size_t[]){row_size, region[1], region[2]}, to_box, from_box);
    request->run = transfer_run_copy_rows;
    return transfer_enqueue(transfer, request);
}

static bool boxes_overlap(const struct vm_image *image, const size_t *a_origin,
                          const size_t *b_origin, const size_t *region)
{
    uint64_t a[3], b[3];
    if (image_origin(image, a_origin, a) != image_origin(image, b_origin, b))
        return false;
    for (int i = 0; i < 3; i++) {
        if ((a[i] < b[i] ? b[i] - a[i] : a[i] - b[i]) >= region[i])
            return false;
    }
    return true;
}

cl_int transfer_copy_image(struct command_request *request, cl_mem src_image, cl_mem dst_image,
                           const size_t *src_origin, const size_t *dst_origin, const size_t *region)
{
    struct rectangle from, to;
    size_t row_size;
    cl_int result = transfer_check(request->queue, src_image, mem_is_image, request->wait_count,
                                   request->wait_list);
    if (result == CL_SUCCESS)
        result = transfer_check(request->queue, dst_image, mem_is_image, request->wait_count,
                                request->wait_list);
    if (result == CL_SUCCESS &&
        memcmp(&src_image->format, &dst_image->format, sizeof(src_image->format)) != 0)
        result = CL_IMAGE_FORMAT_MISMATCH;
    if (result == CL_SUCCESS)
        result = image_box(src_image, src_origin, region, &from, &row_size);
    if (result == CL_SUCCESS)
        result = image_box(dst_image, dst_origin, region, &to, &row_size);
    if (result == CL_SUCCESS && src_image == dst_image &&
        boxes_overlap(src_image->image, src_origin, dst_origin, region))
        result = CL_MEM_COPY_OVERLAP;
    if (result != CL_SUCCESS)
        return result;
    return enqueue_copy(request, src_image, dst_image, region, row_size, &from, &to);
}

cl_int icd_clEnqueueCopyImage(cl_command_queue queue, cl_mem src_image, cl_mem dst_image,
                              const size_t *src_origin, const size_t *dst_origin,
                              const size_t *region, cl_uint num_events_in_wait_list,
                              const cl_event *event_wait_list, cl_event *event)
{
    struct command_request request = {.queue = queue,
                                      .type = CL_COMMAND_COPY_IMAGE,
                                      .wait_count = num_events_in_wait_list,
                                      .wait_list = event_wait_list,
                                      .event = event};
    return transfer_copy_image(&request, src_image, dst_image, src_origin, dst_origin, region);
}

/* The texels of the box of the image, one behind the other in the buffer from `offset`. */
static cl_int buffer_box(cl_mem image, cl_mem buffer, const size_t *region, size_t offset,
                         size_t row_size, struct rectangle *box)
{
    const uint64_t slice = row_size * region[1];
    if (image->parent == buffer && image->type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
        return CL_INVALID_MEM_OBJECT;
    *box = (struct rectangle){.offset = offset, .row_pitch = row_size, .slice_pitch = slice};
    return range_within(offset, slice * region[2], buffer->size) ? CL_SUCCESS : CL_INVALID_VALUE;
}

cl_int transfer_copy_texels(struct command_request *request, cl_mem image, cl_mem buffer,
                            const size_t *origin, const size_t *region, size_t offset)
{
    const bool to_buffer = request->type == CL_COMMAND_COPY_IMAGE_TO_BUFFER;
    struct rectangle texels, bytes;
    size_t row_size;
    cl_int result = transfer_check(request->queue, image, mem_is_image, request->wait_count,
                                   request->wait_list);
    if (result == CL_SUCCESS)
        result = transfer_check(request->queue, buffer, mem_is_buffer, request->wait_count,
                                request->wait_list);
    if (result == CL_SUCCESS)
        result = image_box(image, origin, region, &texels, &row_size);
    if (result == CL_SUCCESS)
        result = buffer_box(image, buffer, region, offset, row_size, &bytes);
    if (result != CL_SUCCESS)
        return result;
    return to_buffer ? enqueue_copy(request, image, buffer, region, row_size, &texels, &bytes)
                     : enqueue_copy(request, buffer, image, region, row_size, &bytes, &texels);
}

cl_int icd_clEnqueueCopyImageToBuffer(cl_command_queue queue, cl_mem src_image, cl_mem dst_buffer,
                                      const size_t *src_origin, const size_t *region,
                                      size_t dst_offset, cl_uint num_events_in_wait_list,
                                      const cl_event *event_wait_list, cl_event *event)
{
    struct command_request request = {.queue = queue,
                                      .type = CL_COMMAND_COPY_IMAGE_TO_BUFFER,
                                      .wait_count = num_events_in_wait_list,
                                      .wait_list = event_wait_list,
                                      .event = event};
    return transfer_copy_texels(&request, src_image, dst_buffer, src_origin, region, dst_offset);
}

cl_int icd_clEnqueueCopyBufferToImage(cl_command_queue queue, cl_mem src_buffer, cl_mem dst_image,
                                      size_t src_offset, const size_t *dst_origin,
                                      const size_t *region, cl_uint num_events_in_wait_list,
                                      const cl_event *event_wait_list, cl_event *event)
{
    struct command_request request = {.queue = queue,
                                      .type = CL_COMMAND_COPY_BUFFER_TO_IMAGE,
                                      .wait_count = num_events_in_wait_list,
                                      .wait_list = event_wait_list,
                                      .event = event};
    return transfer_copy_texels(&request, dst_image, src_buffer, dst_origin, region, src_offset);
}

/* ---- fill ---- */

static void fill_row(const struct transfer *transfer, uint64_t mem, uint64_t other)
{
    (void)other;
    transfer_fill(transfer, mem, transfer->region[0]);
}

static cl_int run_fill(void *data, uint64_t *cost)
{
    return transfer_each_row(data, cost, fill_row);
}

cl_int transfer_fill_image(struct command_request *request, cl_mem image, const void *fill_color,
                           const size_t *origin, const size_t *region)
{
    struct rectangle box;
    size_t row_size;
    cl_int result = transfer_check(request->queue, image, mem_is_image, request->wait_count,
                                   request->wait_list);
    if (result == CL_SUCCESS)
        result = fill_color ? image_box(image, origin, region, &box, &row_size) : CL_INVALID_VALUE;
    if (result != CL_SUCCESS)
        return result;
    struct transfer *transfer = alloc_zero(1, sizeof(*transfer));
    if (!transfer)
        return CL_OUT_OF_HOST_MEMORY;
    transfer->mem = image;
    transfer->pattern_size = image->image->texel_size;
    /* OpenCL API 3.0, 5.3.3: "The fill color is a single floating-point value if the channel order
     * is CL_DEPTH." */
    uint32_t color[4] = {0};
    memcpy(color, fill_color, image->image->order == SpvImageChannelOrderDepth ? 4 : sizeof color);
    vm_image_pack(image->image, color, transfer->pattern);
    transfer_set_rectangles(transfer, (size_t[]){row_size, region[1], region[2]}, &box, &box);
    request->run = run_fill;
    return transfer_enqueue(transfer, request);
}

cl_int icd_clEnqueueFillImage(cl_command_queue queue, cl_mem image, const void *fill_color,
                              const size_t *origin, const size_t *region,
                              cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                              cl_event *event)
{
    struct command_request request = {.queue = queue,
                                      .type = CL_COMMAND_FILL_IMAGE,
                                      .wait_count = num_events_in_wait_list,
                                      .wait_list = event_wait_list,
                                      .event = event};
    return transfer_fill_image(&request, image, fill_color, origin, region);
}
