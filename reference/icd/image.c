/* OpenCL API 3.0, chapters 5.2.2, 5.3, 5.4 and 5.7: images, pipes and samplers, which the device
 * does not have yet: CL_DEVICE_IMAGE_SUPPORT and CL_DEVICE_PIPE_SUPPORT are false.
 * "CL_INVALID_OPERATION if there are no devices in context that support images", and so on; handles
 * are checked first. */
#include "reference/icd/dispatch.h"
#include "reference/icd/object.h"

/* Each function has the parameters of the header; a refusal reads only the first ones. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

/* What a constructor of images, samplers or pipes answers. */
static void *refuse_create(cl_context context, cl_int *errcode_ret)
{
    if (errcode_ret)
        *errcode_ret =
            object_is(context, OBJECT_CONTEXT) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT;
    return NULL;
}

static cl_int refuse_enqueue(cl_command_queue queue)
{
    return object_is(queue, OBJECT_QUEUE) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE;
}

cl_mem icd_clCreateImage2D(cl_context context, cl_mem_flags flags,
                           const cl_image_format *image_format, size_t image_width,
                           size_t image_height, size_t image_row_pitch, void *host_ptr,
                           cl_int *errcode_ret)
{
    return refuse_create(context, errcode_ret);
}

cl_mem icd_clCreateImage3D(cl_context context, cl_mem_flags flags,
                           const cl_image_format *image_format, size_t image_width,
                           size_t image_height, size_t image_depth, size_t image_row_pitch,
                           size_t image_slice_pitch, void *host_ptr, cl_int *errcode_ret)
{
    return refuse_create(context, errcode_ret);
}

cl_mem icd_clCreateImage(cl_context context, cl_mem_flags flags,
                         const cl_image_format *image_format, const cl_image_desc *image_desc,
                         void *host_ptr, cl_int *errcode_ret)
{
    return refuse_create(context, errcode_ret);
}

cl_mem icd_clCreateImageWithProperties(cl_context context, const cl_mem_properties *properties,
                                       cl_mem_flags flags, const cl_image_format *image_format,
                                       const cl_image_desc *image_desc, void *host_ptr,
                                       cl_int *errcode_ret)
{
    return refuse_create(context, errcode_ret);
}

cl_sampler icd_clCreateSampler(cl_context context, cl_bool normalized_coords,
                               cl_addressing_mode addressing_mode, cl_filter_mode filter_mode,
                               cl_int *errcode_ret)
{
    return refuse_create(context, errcode_ret);
}

cl_sampler icd_clCreateSamplerWithProperties(cl_context context,
                                             const cl_sampler_properties *sampler_properties,
                                             cl_int *errcode_ret)
{
    return refuse_create(context, errcode_ret);
}

cl_mem icd_clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint pipe_packet_size,
                        cl_uint pipe_max_packets, const cl_pipe_properties *properties,
                        cl_int *errcode_ret)
{
    return refuse_create(context, errcode_ret);
}

cl_int icd_clGetSupportedImageFormats(cl_context context, cl_mem_flags flags,
                                      cl_mem_object_type image_type, cl_uint num_entries,
                                      cl_image_format *image_formats, cl_uint *num_image_formats)
{
    if (!object_is(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (image_formats && num_entries == 0)
        return CL_INVALID_VALUE;
    if (num_image_formats)
        *num_image_formats = 0;
    return CL_SUCCESS;
}

cl_int icd_clGetImageInfo(cl_mem image, cl_image_info param_name, size_t param_value_size,
                          void *param_value, size_t *param_value_size_ret)
{
    return CL_INVALID_MEM_OBJECT;
}

cl_int icd_clGetPipeInfo(cl_mem pipe, cl_pipe_info param_name, size_t param_value_size,
                         void *param_value, size_t *param_value_size_ret)
{
    return CL_INVALID_MEM_OBJECT;
}

cl_int icd_clRetainSampler(cl_sampler sampler)
{
    return CL_INVALID_SAMPLER;
}

cl_int icd_clReleaseSampler(cl_sampler sampler)
{
    return CL_INVALID_SAMPLER;
}

cl_int icd_clGetSamplerInfo(cl_sampler sampler, cl_sampler_info param_name, size_t param_value_size,
                            void *param_value, size_t *param_value_size_ret)
{
    return CL_INVALID_SAMPLER;
}

cl_int icd_clEnqueueReadImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_read,
                              const size_t *origin, const size_t *region, size_t row_pitch,
                              size_t slice_pitch, void *ptr, cl_uint num_events_in_wait_list,
                              const cl_event *event_wait_list, cl_event *event)
{
    return refuse_enqueue(command_queue);
}

cl_int icd_clEnqueueWriteImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_write,
                               const size_t *origin, const size_t *region, size_t input_row_pitch,
                               size_t input_slice_pitch, const void *ptr,
                               cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                               cl_event *event)
{
    return refuse_enqueue(command_queue);
}

cl_int icd_clEnqueueCopyImage(cl_command_queue command_queue, cl_mem src_image, cl_mem dst_image,
                              const size_t *src_origin, const size_t *dst_origin,
                              const size_t *region, cl_uint num_events_in_wait_list,
                              const cl_event *event_wait_list, cl_event *event)
{
    return refuse_enqueue(command_queue);
}

cl_int icd_clEnqueueCopyImageToBuffer(cl_command_queue command_queue, cl_mem src_image,
                                      cl_mem dst_buffer, const size_t *src_origin,
                                      const size_t *region, size_t dst_offset,
                                      cl_uint num_events_in_wait_list,
                                      const cl_event *event_wait_list, cl_event *event)
{
    return refuse_enqueue(command_queue);
}

cl_int icd_clEnqueueCopyBufferToImage(cl_command_queue command_queue, cl_mem src_buffer,
                                      cl_mem dst_image, size_t src_offset, const size_t *dst_origin,
                                      const size_t *region, cl_uint num_events_in_wait_list,
                                      const cl_event *event_wait_list, cl_event *event)
{
    return refuse_enqueue(command_queue);
}

cl_int icd_clEnqueueFillImage(cl_command_queue command_queue, cl_mem image, const void *fill_color,
                              const size_t origin[3], const size_t region[3],
                              cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                              cl_event *event)
{
    return refuse_enqueue(command_queue);
}

void *icd_clEnqueueMapImage(cl_command_queue command_queue, cl_mem image, cl_bool blocking_map,
                            cl_map_flags map_flags, const size_t *origin, const size_t *region,
                            size_t *image_row_pitch, size_t *image_slice_pitch,
                            cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                            cl_event *event, cl_int *errcode_ret)
{
    if (errcode_ret)
        *errcode_ret = refuse_enqueue(command_queue);
    return NULL;
}
