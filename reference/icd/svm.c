/* OpenCL API 3.0, chapter 5.6: shared virtual memory, which the device does not have yet:
 * CL_DEVICE_SVM_CAPABILITIES is 0. "CL_INVALID_OPERATION if the device associated with
 * command_queue does not support SVM." */
#include "reference/icd/dispatch.h"
#include "reference/icd/object.h"

#include <string.h>

/* Each function has the parameters of the header; a refusal reads only the first ones. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

static cl_int refuse_enqueue(cl_command_queue queue)
{
    return object_is(queue, OBJECT_QUEUE) ? CL_INVALID_OPERATION : CL_INVALID_COMMAND_QUEUE;
}

static cl_int refuse_kernel(cl_kernel kernel)
{
    return object_is(kernel, OBJECT_KERNEL) ? CL_INVALID_OPERATION : CL_INVALID_KERNEL;
}

void *icd_clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size,
                     unsigned int alignment)
{
    return NULL;
}

void icd_clSVMFree(cl_context context, void *svm_pointer)
{
}

cl_int icd_clEnqueueSVMFree(
    cl_command_queue command_queue, cl_uint num_svm_pointers, void **svm_pointers,
    void(CL_CALLBACK *pfn_free_func)(cl_command_queue queue, cl_uint num_svm_pointers,
                                     void **queue_svm_pointers, void *user_data),
    void *user_data, cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
    cl_event *event)
{
    return refuse_enqueue(command_queue);
}

cl_int icd_clEnqueueSVMMemcpy(cl_command_queue command_queue, cl_bool blocking_copy, void *dst_ptr,
                              const void *src_ptr, size_t size, cl_uint num_events_in_wait_list,
                              const cl_event *event_wait_list, cl_event *event)
{
    return refuse_enqueue(command_queue);
}

cl_int icd_clEnqueueSVMMemFill(cl_command_queue command_queue, void *svm_ptr, const void *pattern,
                               size_t pattern_size, size_t size, cl_uint num_events_in_wait_list,
                               const cl_event *event_wait_list, cl_event *event)
{
    return refuse_enqueue(command_queue);
}

cl_int icd_clEnqueueSVMMap(cl_command_queue command_queue, cl_bool blocking_map,
                           cl_map_flags map_flags, void *svm_ptr, size_t size,
                           cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                           cl_event *event)
{
    return refuse_enqueue(command_queue);
}

cl_int icd_clEnqueueSVMUnmap(cl_command_queue command_queue, void *svm_ptr,
                             cl_uint num_events_in_wait_list, const cl_event *event_wait_list,
                             cl_event *event)
{
    return refuse_enqueue(command_queue);
}

cl_int icd_clEnqueueSVMMigrateMem(cl_command_queue command_queue, cl_uint num_svm_pointers,
                                  const void **svm_pointers, const size_t *sizes,
                                  cl_mem_migration_flags flags, cl_uint num_events_in_wait_list,
                                  const cl_event *event_wait_list, cl_event *event)
{
    return refuse_enqueue(command_queue);
}

cl_int icd_clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint arg_index, const void *arg_value)
{
    return refuse_kernel(kernel);
}

/* 5.9.2: only what needs shared virtual memory is refused for want of it. */
cl_int icd_clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info param_name,
                               size_t param_value_size, const void *param_value)
{
    cl_bool fine_grain = CL_FALSE;
    if (!object_is(kernel, OBJECT_KERNEL))
        return CL_INVALID_KERNEL;
    switch (param_name) {
    case CL_KERNEL_EXEC_INFO_SVM_PTRS:
        return param_value_size % sizeof(void *) != 0 || (!param_value && param_value_size > 0)
                   ? CL_INVALID_VALUE
                   : CL_INVALID_OPERATION;
    case CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM:
        if (param_value_size != sizeof(fine_grain) || !param_value)
            return CL_INVALID_VALUE;
        memcpy(&fine_grain, param_value, sizeof(fine_grain));
        return fine_grain ? CL_INVALID_OPERATION : CL_SUCCESS;
    default:
        return CL_INVALID_VALUE;
    }
}
