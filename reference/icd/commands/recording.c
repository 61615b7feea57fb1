/* The calls that record, but for launches of kernels (mutable.c): each does what its clEnqueue...
 * does, into a command-buffer. */
#include "reference/icd/commands/command_buffer.h"
#include "reference/icd/dispatch.h"
#include "reference/icd/memory/svm.h"
#include "reference/icd/memory/transfer.h"

cl_int icd_clCommandBarrierWithWaitListKHR(RECORDED_FIRST, RECORDED_LAST)
{
    struct recording recording = RECORDED_PARAMETERS;
    struct command_request request = recording_request(&recording, CL_COMMAND_BARRIER);
    return command_enqueue(&request);
}

cl_int icd_clCommandCopyBufferKHR(RECORDED_FIRST, cl_mem src_buffer, cl_mem dst_buffer,
                                  size_t src_offset, size_t dst_offset, size_t size, RECORDED_LAST)
{
    struct recording recording = RECORDED_PARAMETERS;
    struct command_request request = recording_request(&recording, CL_COMMAND_COPY_BUFFER);
    return transfer_copy_buffer(&request, src_buffer, dst_buffer, src_offset, dst_offset, size);
}

cl_int icd_clCommandCopyBufferRectKHR(RECORDED_FIRST, cl_mem src_buffer, cl_mem dst_buffer,
                                      const size_t *src_origin, const size_t *dst_origin,
                                      const size_t *region, size_t src_row_pitch,
                                      size_t src_slice_pitch, size_t dst_row_pitch,
                                      size_t dst_slice_pitch, RECORDED_LAST)
{
    struct recording recording = RECORDED_PARAMETERS;
    struct command_request request = recording_request(&recording, CL_COMMAND_COPY_BUFFER_RECT);
    const struct given_boxes given = {dst_origin,      src_origin,    region,         dst_row_pitch,
                                      dst_slice_pitch, src_row_pitch, src_slice_pitch};
    return transfer_copy_rectangle(&request, src_buffer, dst_buffer, &given);
}

cl_int icd_clCommandCopyBufferToImageKHR(RECORDED_FIRST, cl_mem src_buffer, cl_mem dst_image,
                                         size_t src_offset, const size_t *dst_origin,
                                         const size_t *region, RECORDED_LAST)
{
    struct recording recording = RECORDED_PARAMETERS;
    struct command_request request = recording_request(&recording, CL_COMMAND_COPY_BUFFER_TO_IMAGE);
    return transfer_copy_texels(&request, dst_image, src_buffer, dst_origin, region, src_offset);
}

cl_int icd_clCommandCopyImageKHR(RECORDED_FIRST, cl_mem src_image, cl_mem dst_image,
                                 const size_t *src_origin, const size_t *dst_origin,
                                 const size_t *region, RECORDED_LAST)
{
    struct recording recording = RECORDED_PARAMETERS;
    struct command_request request = recording_request(&recording, CL_COMMAND_COPY_IMAGE);
    return transfer_copy_image(&request, src_image, dst_image, src_origin, dst_origin, region);
}

cl_int icd_clCommandCopyImageToBufferKHR(RECORDED_FIRST, cl_mem src_image, cl_mem dst_buffer,
                                         const size_t *src_origin, const size_t *region,
                                         size_t dst_offset, RECORDED_LAST)
{
    struct recording recording = RECORDED_PARAMETERS;
    struct command_request request = recording_request(&recording, CL_COMMAND_COPY_IMAGE_TO_BUFFER);
    return transfer_copy_texels(&request, src_image, dst_buffer, src_origin, region, dst_offset);
}

cl_int icd_clCommandFillBufferKHR(RECORDED_FIRST, cl_mem buffer, const void *pattern,
                                  size_t pattern_size, size_t offset, size_t size, RECORDED_LAST)
{
    struct recording recording = RECORDED_PARAMETERS;
    struct command_request request = recording_request(&recording, CL_COMMAND_FILL_BUFFER);
    return transfer_fill_buffer(&request, buffer, pattern, pattern_size, offset, size);
}

cl_int icd_clCommandFillImageKHR(RECORDED_FIRST, cl_mem image, const void *fill_color,
                                 const size_t *origin, const size_t *region, RECORDED_LAST)
{
    struct recording recording = RECORDED_PARAMETERS;
    struct command_request request = recording_request(&recording, CL_COMMAND_FILL_IMAGE);
    return transfer_fill_image(&request, image, fill_color, origin, region);
}

cl_int icd_clCommandSVMMemcpyKHR(RECORDED_FIRST, void *dst_ptr, const void *src_ptr, size_t size,
                                 RECORDED_LAST)
{
    struct recording recording = RECORDED_PARAMETERS;
    struct command_request request = recording_request(&recording, CL_COMMAND_SVM_MEMCPY);
    return svm_enqueue_copy(&request, "clCommandSVMMemcpyKHR", dst_ptr, src_ptr, size);
}

cl_int icd_clCommandSVMMemFillKHR(RECORDED_FIRST, void *svm_ptr, const void *pattern,
                                  size_t pattern_size, size_t size, RECORDED_LAST)
{
    struct recording recording = RECORDED_PARAMETERS;
    struct command_request request = recording_request(&recording, CL_COMMAND_SVM_MEMFILL);
    return svm_enqueue_fill(&request, "clCommandSVMMemFillKHR", svm_ptr, pattern, pattern_size,
                            size);
}
