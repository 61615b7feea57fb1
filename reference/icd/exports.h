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
sink_set_function clerk_set_finding_sink;
sink_option_function clerk_set_device_option;
sink_call_function clerk_set_launch_call;
sink_explore_function clerk_set_exploring;

/* The platform and its device have the same extensions. */
cl_int icd_answer_extensions(const struct info_target *target);
cl_int icd_answer_extension_versions(const struct info_target *target);

#endif
