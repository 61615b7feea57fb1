/* The functions of cl_khr_command_buffer 0.9.8 and ..._mutable_dispatch 0.9.5, which programs find
 * by name. */
#ifndef REFERENCE_ICD_COMMANDS_RECORDING_H
#define REFERENCE_ICD_COMMANDS_RECORDING_H

#include "trace/api/foreign.h"

/* The first parameters of a call that records, and the last. */
#define RECORDED_FIRST                                                                             \
    cl_command_buffer_khr command_buffer, cl_command_queue command_queue,                          \
        const cl_command_properties_khr *properties
#define RECORDED_LAST                                                                              \
    cl_uint num_sync_points_in_wait_list, const cl_sync_point_khr *sync_point_wait_list,           \
        cl_sync_point_khr *sync_point, cl_mutable_command_khr *mutable_handle
/* What a struct recording has of them. */
#define RECORDED_PARAMETERS                                                                        \
    {                                                                                              \
        command_buffer, command_queue, properties, num_sync_points_in_wait_list,                   \
            sync_point_wait_list, sync_point, mutable_handle                                       \
    }

cl_command_buffer_khr CL_API_CALL clerk_create_command_buffer(
    cl_uint num_queues, const cl_command_queue *queues,
    const cl_command_buffer_properties_khr *properties, cl_int *errcode_ret);
cl_int CL_API_CALL clerk_retain_command_buffer(cl_command_buffer_khr command_buffer);
cl_int CL_API_CALL clerk_release_command_buffer(cl_command_buffer_khr command_buffer);
cl_int CL_API_CALL clerk_finalize_command_buffer(cl_command_buffer_khr command_buffer);
cl_int CL_API_CALL clerk_enqueue_command_buffer(cl_uint num_queues, cl_command_queue *queues,
                                                cl_command_buffer_khr command_buffer,
                                                cl_uint num_events_in_wait_list,
                                                const cl_event *event_wait_list, cl_event *event);
cl_int CL_API_CALL clerk_get_command_buffer_info(cl_command_buffer_khr command_buffer,
                                                 cl_command_buffer_info_khr param_name,
                                                 size_t param_value_size, void *param_value,
                                                 size_t *param_value_size_ret);

cl_int CL_API_CALL clerk_command_barrier(RECORDED_FIRST, RECORDED_LAST);
cl_int CL_API_CALL clerk_command_copy_buffer(RECORDED_FIRST, cl_mem src_buffer, cl_mem dst_buffer,
                                             size_t src_offset, size_t dst_offset, size_t size,
                                             RECORDED_LAST);
cl_int CL_API_CALL clerk_command_copy_buffer_rect(RECORDED_FIRST, cl_mem src_buffer,
                                                  cl_mem dst_buffer, const size_t *src_origin,
                                                  const size_t *dst_origin, const size_t *region,
                                                  size_t src_row_pitch, size_t src_slice_pitch,
                                                  size_t dst_row_pitch, size_t dst_slice_pitch,
                                                  RECORDED_LAST);
cl_int CL_API_CALL clerk_command_copy_buffer_to_image(RECORDED_FIRST, cl_mem src_buffer,
                                                      cl_mem dst_image, size_t src_offset,
                                                      const size_t *dst_origin,
                                                      const size_t *region, RECORDED_LAST);
cl_int CL_API_CALL clerk_command_copy_image(RECORDED_FIRST, cl_mem src_image, cl_mem dst_image,
                                            const size_t *src_origin, const size_t *dst_origin,
                                            const size_t *region, RECORDED_LAST);
cl_int CL_API_CALL clerk_command_copy_image_to_buffer(RECORDED_FIRST, cl_mem src_image,
                                                      cl_mem dst_buffer, const size_t *src_origin,
                                                      const size_t *region, size_t dst_offset,
                                                      RECORDED_LAST);
cl_int CL_API_CALL clerk_command_fill_buffer(RECORDED_FIRST, cl_mem buffer, const void *pattern,
                                             size_t pattern_size, size_t offset, size_t size,
                                             RECORDED_LAST);
cl_int CL_API_CALL clerk_command_fill_image(RECORDED_FIRST, cl_mem image, const void *fill_color,
                                            const size_t *origin, const size_t *region,
                                            RECORDED_LAST);
cl_int CL_API_CALL clerk_command_svm_memcpy(RECORDED_FIRST, void *dst_ptr, const void *src_ptr,
                                            size_t size, RECORDED_LAST);
cl_int CL_API_CALL clerk_command_svm_mem_fill(RECORDED_FIRST, void *svm_ptr, const void *pattern,
                                              size_t pattern_size, size_t size, RECORDED_LAST);
cl_int CL_API_CALL clerk_command_ndrange_kernel(RECORDED_FIRST, cl_kernel kernel, cl_uint work_dim,
                                                const size_t *global_work_offset,
                                                const size_t *global_work_size,
                                                const size_t *local_work_size, RECORDED_LAST);

cl_int CL_API_CALL clerk_update_mutable_commands(
    cl_command_buffer_khr command_buffer, cl_uint num_configs,
    const cl_command_buffer_update_type_khr *config_types, const void **configs);
cl_int CL_API_CALL clerk_get_mutable_command_info(cl_mutable_command_khr command,
                                                  cl_mutable_command_info_khr param_name,
                                                  size_t param_value_size, void *param_value,
                                                  size_t *param_value_size_ret);

#endif
