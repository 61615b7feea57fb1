/* The library's exported functions beside those that <CL/cl.h> declares, and the functions that it
 * gives out by name. */
#ifndef REFERENCE_ICD_EXPORTS_H
#define REFERENCE_ICD_EXPORTS_H

#include "checkers/sink.h"
#include "reference/icd/info.h"

#include <CL/cl_icd.h>

/* cl_khr_suggested_local_work_size. */
cl_int CL_API_CALL clerk_suggested_local_work_size(cl_command_queue queue, cl_kernel kernel,
                                                   cl_uint work_dim,
                                                   const size_t *global_work_offset,
                                                   const size_t *global_work_size,
                                                   size_t *suggested_local_work_size);
/* cl_ext_image_requirements_info; image.c. */
cl_int CL_API_CALL clerk_get_image_requirements_info(
    cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
    const cl_image_format *image_format, const cl_image_desc *image_desc, cl_uint param_name,
    size_t param_value_size, void *param_value, size_t *param_value_size_ret);
/* cl_intel_unified_shared_memory; the first one is in kernel_svm.c, the others in usm.c. */
cl_int CL_API_CALL clerk_set_kernel_arg_mem_pointer(cl_kernel kernel, cl_uint arg_index,
                                                    const void *arg_value);
void *CL_API_CALL clerk_host_mem_alloc(cl_context context,
                                       const cl_mem_properties_intel *properties, size_t size,
                                       cl_uint alignment, cl_int *errcode_ret);
void *CL_API_CALL clerk_device_mem_alloc(cl_context context, cl_device_id device,
                                         const cl_mem_properties_intel *properties, size_t size,
                                         cl_uint alignment, cl_int *errcode_ret);
void *CL_API_CALL clerk_shared_mem_alloc(cl_context context, cl_device_id device,
                                         const cl_mem_properties_intel *properties, size_t size,
                                         cl_uint alignment, cl_int *errcode_ret);
cl_int CL_API_CALL clerk_mem_free(cl_context context, void *ptr);
cl_int CL_API_CALL clerk_mem_blocking_free(cl_context context, void *ptr);
cl_int CL_API_CALL clerk_get_mem_alloc_info(cl_context context, const void *ptr,
                                            cl_mem_info_intel param_name, size_t param_value_size,
                                            void *param_value, size_t *param_value_size_ret);
cl_int CL_API_CALL clerk_enqueue_mem_fill(cl_command_queue queue, void *dst_ptr,
                                          const void *pattern, size_t pattern_size, size_t size,
                                          cl_uint num_events_in_wait_list,
                                          const cl_event *event_wait_list, cl_event *event);
cl_int CL_API_CALL clerk_enqueue_memcpy(cl_command_queue queue, cl_bool blocking, void *dst_ptr,
                                        const void *src_ptr, size_t size,
                                        cl_uint num_events_in_wait_list,
                                        const cl_event *event_wait_list, cl_event *event);
cl_int CL_API_CALL clerk_enqueue_migrate_mem(cl_command_queue queue, const void *ptr, size_t size,
                                             cl_mem_migration_flags flags,
                                             cl_uint num_events_in_wait_list,
                                             const cl_event *event_wait_list, cl_event *event);
cl_int CL_API_CALL clerk_enqueue_mem_advise(cl_command_queue queue, const void *ptr, size_t size,
                                            cl_mem_advice_intel advice,
                                            cl_uint num_events_in_wait_list,
                                            const cl_event *event_wait_list, cl_event *event);

/* cl_khr_semaphore and cl_khr_external_semaphore */
cl_semaphore_khr CL_API_CALL clerk_create_semaphore(cl_context context,
                                                    const cl_semaphore_properties_khr *sema_props,
                                                    cl_int *errcode_ret);
cl_int CL_API_CALL clerk_retain_semaphore(cl_semaphore_khr sema_object);
cl_int CL_API_CALL clerk_release_semaphore(cl_semaphore_khr sema_object);
cl_int CL_API_CALL clerk_get_semaphore_info(cl_semaphore_khr sema_object,
                                            cl_semaphore_info_khr param_name,
                                            size_t param_value_size, void *param_value,
                                            size_t *param_value_size_ret);
cl_int CL_API_CALL clerk_enqueue_wait_semaphores(cl_command_queue command_queue,
                                                 cl_uint num_sema_objects,
                                                 const cl_semaphore_khr *sema_objects,
                                                 const cl_semaphore_payload_khr *sema_payload_list,
                                                 cl_uint num_events_in_wait_list,
                                                 const cl_event *event_wait_list, cl_event *event);
cl_int CL_API_CALL clerk_enqueue_signal_semaphores(
    cl_command_queue command_queue, cl_uint num_sema_objects, const cl_semaphore_khr *sema_objects,
    const cl_semaphore_payload_khr *sema_payload_list, cl_uint num_events_in_wait_list,
    const cl_event *event_wait_list, cl_event *event);
cl_int CL_API_CALL clerk_get_semaphore_handle(cl_semaphore_khr sema_object, cl_device_id device,
                                              cl_external_semaphore_handle_type_khr handle_type,
                                              size_t handle_size, void *handle_ptr,
                                              size_t *handle_size_ret);

sink_set_function clerk_set_finding_sink;
sink_option_function clerk_set_device_option;
sink_call_function clerk_set_launch_call;
sink_memory_function clerk_has_lacked_memory;
sink_explore_function clerk_set_exploring;
sink_print_function clerk_set_printing;

/* The platform and its device have the same extensions. */
cl_int icd_answer_extensions(const struct info_target *target);
cl_int icd_answer_extension_versions(const struct info_target *target);

#endif
