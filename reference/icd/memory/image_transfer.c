/* OpenCL API 3.0, chapters 5.3.3 to 5.3.5: reading, writing, copying and filling images. All of
 * them move rows, as the rectangular commands on buffers do. */
#include "reference/icd/dispatch.h"
#include "reference/icd/memory/image.h"
#include "reference/icd/memory/transfer.h"
#include "trace/base/size.h"

#include <spirv/unified1/spirv.h>
#include <string.h>

/* ---- read and write ---- */

/* The host's memory with the pitches of a call, 0 meaning tightly packed. The layers of a 1D array
 * are rows that are a slice pitch apart. */
static cl_int host_box(cl_mem image, const uint64_t region[3], size_t row_pitch, size_t slice_pitch,
                       struct rectangle *host)
{
    const bool lines = image->image->type == VM_IMAGE_1D_ARRAY;
    const uint64_t row = row_pitch ? row_pitch : region[0];
    uint64_t least = row;
    if (row < region[0] || (!lines && !size_mul(row, region[1], &least)))
        return CL_INVALID_VALUE;
    if (slice_pitch != 0 && (!image_has_slices(image->image) || slice_pitch < least))
        return CL_INVALID_VALUE;
    const uint64_t slice = slice_pitch ? slice_pitch : least;
    *host = (struct rectangle){.row_pitch = lines ? slice : row, .slice_pitch = slice};
    return CL_SUCCESS;
}

/* `transfer`: the image, and the host's memory. */
static cl_int enqueue_host(struct command_request *request, struct transfer *transfer,
                           const size_t *origin, const size_t *region, size_t row_pitch,
                           size_t slice_pitch)
{
    cl_int result = transfer_check(request, transfer->mem, mem_is_image);
    if (result == CL_SUCCESS)
        result = image_box(transfer->mem, origin, region, &transfer->place, transfer->region);
    if (result == CL_SUCCESS)
        result =
            host_box(transfer->mem, transfer->region, row_pitch, slice_pitch, &transfer->other);
    return result == CL_SUCCESS ? transfer_enqueue_host(transfer, request) : result;
}

cl_int icd_clEnqueueReadImage(cl_command_queue queue, cl_mem image, cl_bool blocking_read,
                              const size_t *origin, const size_t *region, size_t row_pitch,
                              size_t slice_pitch, void *ptr, cl_uint num_events_in_wait_list,
                              const cl_event *event_wait_list, cl_event *event)
{
    struct command_request request = command_request_of(
        queue, CL_COMMAND_READ_IMAGE, num_events_in_wait_list, event_wait_list, event);
    request.blocking = blocking_read;
    return enqueue_host(&request, &(struct transfer){.mem = image, .destination = ptr}, origin,
                        region, row_pitch, slice_pitch);
}

cl_int icd_clEnqueueWriteImage(cl_command_queue queue, cl_mem image, cl_bool blocking_write,
                               const size_t *origin, const size_t *region, size_t input_row_pitch,
                               size_t input_slice_pitch, const void *ptr,
                               cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                               cl_event *event)
{
    struct command_request request = command_request_of(
        queue, CL_COMMAND_WRITE_IMAGE, num_events_in_wait_list, event_wait_list, event);
    request.blocking = blocking_write;
    return enqueue_host(&request, &(struct transfer){.mem = image, .source = ptr}, origin, region,
                        input_row_pitch, input_slice_pitch);
}

/* ---- copies ---- */

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
    struct transfer transfer = {.mem = dst_image, .from = src_image};
    cl_int result = transfer_check_both(request, src_image, mem_is_image, dst_image, mem_is_image);
    if (result == CL_SUCCESS &&
        memcmp(&src_image->format, &dst_image->format, sizeof(src_image->format)) != 0)
        result = CL_IMAGE_FORMAT_MISMATCH;
    if (result == CL_SUCCESS)
        result = image_box(src_image, src_origin, region, &transfer.other, transfer.region);
    if (result == CL_SUCCESS)
        result = image_box(dst_image, dst_origin, region, &transfer.place, transfer.region);
    if (result == CL_SUCCESS && src_image == dst_image &&
        boxes_overlap(src_image->image, src_origin, dst_origin, region))
        result = CL_MEM_COPY_OVERLAP;
    return result == CL_SUCCESS ? transfer_enqueue(&transfer, request) : result;
}

/* The texels of the box of the image, one after the other in the buffer from `offset`. */
static cl_int buffer_box(cl_mem image, cl_mem buffer, const uint64_t region[3], size_t offset,
                         struct rectangle *box)
{
    const uint64_t slice = region[0] * region[1];
    if (image->parent == buffer && image->type == CL_MEM_OBJECT_IMAGE1D_BUFFER)
        return CL_INVALID_MEM_OBJECT;
    *box = (struct rectangle){.offset = offset, .row_pitch = region[0], .slice_pitch = slice};
    return range_within(offset, slice * region[2], buffer->size) ? CL_SUCCESS : CL_INVALID_VALUE;
}

cl_int transfer_copy_texels(struct command_request *request, cl_mem image, cl_mem buffer,
                            const size_t *origin, const size_t *region, size_t offset)
{
    const bool to_buffer = request->type == CL_COMMAND_COPY_IMAGE_TO_BUFFER;
    struct transfer transfer = {.mem = to_buffer ? buffer : image,
                                .from = to_buffer ? image : buffer};
    cl_int result = transfer_check_both(request, image, mem_is_image, buffer, mem_is_buffer);
    if (result == CL_SUCCESS)
        result = image_box(image, origin, region, to_buffer ? &transfer.other : &transfer.place,
                           transfer.region);
    if (result == CL_SUCCESS)
        result = buffer_box(image, buffer, transfer.region, offset,
                            to_buffer ? &transfer.place : &transfer.other);
    return result == CL_SUCCESS ? transfer_enqueue(&transfer, request) : result;
}

/* ---- fill ---- */

cl_int transfer_fill_image(struct command_request *request, cl_mem image, const void *fill_color,
                           const size_t *origin, const size_t *region)
{
    struct transfer transfer = {.mem = image};
    cl_int result = transfer_check(request, image, mem_is_image);
    if (result == CL_SUCCESS)
        result = fill_color ? image_box(image, origin, region, &transfer.place, transfer.region)
                            : CL_INVALID_VALUE;
    if (result != CL_SUCCESS)
        return result;
    transfer.pattern_size = image->image->texel_size;
    /* OpenCL API 3.0, 5.3.3: "The fill color is a single floating-point value if the channel order
     * is CL_DEPTH." */
    uint32_t color[4] = {0};
    memcpy(color, fill_color, image->image->order == SpvImageChannelOrderDepth ? 4 : sizeof color);
    vm_image_pack(image->image, color, transfer.pattern);
    return transfer_enqueue(&transfer, request);
}
