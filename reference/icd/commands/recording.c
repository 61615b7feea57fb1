/* The calls that enqueue or record the same command, and those that record others, but for launches
 * of kernels (mutable.c). */
#include "reference/icd/commands/command_buffer.h"
#include "reference/icd/dispatch.h"
#include "reference/icd/memory/svm.h"
#include "reference/icd/memory/transfer.h"

/* COMMAND(clEnqueueX, clCommandXKHR, its type, what performs it after a request, (the parameters of
 * both calls), (those of what performs it)) */
#define COMMAND(enqueue, record, type, perform, parameters, arguments)                             \
    cl_int icd_##enqueue(cl_command_queue queue, API_UNPACK parameters,                            \
                         cl_uint num_events_in_wait_list, const cl_event *event_wait_list,         \
                         cl_event *event)                                                          \
    {                                                                                              \
        struct command_request request =                                                           \
            command_request_of(queue, type, num_events_in_wait_list, event_wait_list, event);      \
        return perform(&request, API_UNPACK arguments);                                            \
    }                                                                                              \
    cl_int icd_##record(RECORDED_FIRST, API_UNPACK parameters, RECORDED_LAST)                      \
    {                                                                                              \
        struct recording recording = RECORDED_PARAMETERS;                                          \
        struct command_request request = recording_request(&recording, type);                      \
        return perform(&request, API_UNPACK arguments);                                            \
    }

/* clang-format off */
COMMAND(clEnqueueCopyBuffer, clCommandCopyBufferKHR, CL_COMMAND_COPY_BUFFER, transfer_copy_buffer,
        (cl_mem src_buffer, cl_mem dst_buffer, size_t src_offset, size_t dst_offset, size_t size),
        (src_buffer, dst_buffer, src_offset, dst_offset, size))
COMMAND(clEnqueueCopyBufferRect, clCommandCopyBufferRectKHR, CL_COMMAND_COPY_BUFFER_RECT,
        transfer_copy_rectangle,
        (cl_mem src_buffer, cl_mem dst_buffer, const size_t *src_origin, const size_t *dst_origin,
         const size_t *region, size_t src_row_pitch, size_t src_slice_pitch, size_t dst_row_pitch,
         size_t dst_slice_pitch),
        (src_buffer, dst_buffer,
         &(struct given_boxes){dst_origin, src_origin, region, dst_row_pitch, dst_slice_pitch,
                               src_row_pitch, src_slice_pitch}))
COMMAND(clEnqueueCopyBufferToImage, clCommandCopyBufferToImageKHR, CL_COMMAND_COPY_BUFFER_TO_IMAGE,
        transfer_copy_texels,
        (cl_mem src_buffer, cl_mem dst_image, size_t src_offset, const size_t *dst_origin,
         const size_t *region),
        (dst_image, src_buffer, dst_origin, region, src_offset))
COMMAND(clEnqueueCopyImage, clCommandCopyImageKHR, CL_COMMAND_COPY_IMAGE, transfer_copy_image,
        (cl_mem src_image, cl_mem dst_image, const size_t *src_origin, const size_t *dst_origin,
         const size_t *region),
        (src_image, dst_image, src_origin, dst_origin, region))
COMMAND(clEnqueueCopyImageToBuffer, clCommandCopyImageToBufferKHR, CL_COMMAND_COPY_IMAGE_TO_BUFFER,
        transfer_copy_texels,
        (cl_mem src_image, cl_mem dst_buffer, const size_t *src_origin, const size_t *region,
         size_t dst_offset),
        (src_image, dst_buffer, src_origin, region, dst_offset))
COMMAND(clEnqueueFillBuffer, clCommandFillBufferKHR, CL_COMMAND_FILL_BUFFER, transfer_fill_buffer,
        (cl_mem buffer, const void *pattern, size_t pattern_size, size_t offset, size_t size),
        (buffer, pattern, pattern_size, offset, size))
COMMAND(clEnqueueFillImage, clCommandFillImageKHR, CL_COMMAND_FILL_IMAGE, transfer_fill_image,
        (cl_mem image, const void *fill_color, const size_t *origin, const size_t *region),
        (image, fill_color, origin, region))
COMMAND(clEnqueueSVMMemFill, clCommandSVMMemFillKHR, CL_COMMAND_SVM_MEMFILL, svm_enqueue_fill,
        (void *svm_ptr, const void *pattern, size_t pattern_size, size_t size),
        (svm_ptr, pattern, pattern_size, size))
/* clang-format on */

cl_int icd_clCommandBarrierWithWaitListKHR(RECORDED_FIRST, RECORDED_LAST)
{
    struct recording recording = RECORDED_PARAMETERS;
    struct command_request request = recording_request(&recording, CL_COMMAND_BARRIER);
    return command_enqueue(&request);
}

/* Unlike the call that enqueues it, which may block. */
cl_int icd_clCommandSVMMemcpyKHR(RECORDED_FIRST, void *dst_ptr, const void *src_ptr, size_t size,
                                 RECORDED_LAST)
{
    struct recording recording = RECORDED_PARAMETERS;
    struct command_request request = recording_request(&recording, CL_COMMAND_SVM_MEMCPY);
    return svm_enqueue_copy(&request, dst_ptr, src_ptr, size);
}
