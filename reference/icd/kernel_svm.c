/* OpenCL API 3.0, chapter 5.9.2: what kernels are told of shared virtual memory. */
#include "reference/icd/dispatch.h"
#include "reference/icd/svm.h"
#include "reference/vm/code.h"
#include "trace/base/alloc.h"

#include <string.h>

cl_int icd_clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint arg_index, const void *arg_value)
{
    uint64_t offset = 0;
    if (!object_is(kernel, OBJECT_KERNEL))
        return CL_INVALID_KERNEL;
    if (arg_index >= kernel->code->parameter_count)
        return CL_INVALID_ARG_INDEX;
    const enum vm_parameter_kind kind = kernel->code->parameters[arg_index].kind;
    const uint32_t object = arg_value ? svm_find_object(arg_value, &offset) : 0;
    if ((kind != VM_PARAMETER_GLOBAL && kind != VM_PARAMETER_CONSTANT) || (arg_value && !object))
        return CL_INVALID_ARG_VALUE;
    struct kernel_argument *argument = &kernel->arguments[arg_index];
    argument->mem = NULL;
    argument->object = object;
    argument->offset = offset;
    argument->set = true;
    return CL_SUCCESS;
}

bool kernel_set_svm_list(cl_kernel kernel, const uint32_t *objects, size_t count)
{
    uint32_t *copy = alloc_zero(count, sizeof(*copy));
    if (!copy)
        return false;
    if (count > 0)
        memcpy(copy, objects, count * sizeof(*copy));
    alloc_free(kernel->svm_list);
    kernel->svm_list = copy;
    kernel->svm_list_count = count;
    return true;
}

/* "The complete set of pointers is specified by each call". Pointers to nothing give a kernel
 * access to nothing. */
static cl_int list_pointers(cl_kernel kernel, const void *value, size_t size)
{
    const size_t count = size / sizeof(void *);
    if (size % sizeof(void *) != 0 || (!value && size > 0))
        return CL_INVALID_VALUE;
    uint32_t *objects = alloc_zero(count, sizeof(*objects));
    if (!objects)
        return CL_OUT_OF_HOST_MEMORY;
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        const void *address;
        uint64_t offset;
        memcpy(&address, (const char *)value + i * sizeof(address), sizeof(address));
        objects[found] = svm_find_object(address, &offset);
        found += objects[found] != 0;
    }
    icd_lock();
    const bool set = kernel_set_svm_list(kernel, objects, found);
    icd_unlock();
    alloc_free(objects);
    return set ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

cl_int icd_clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info param_name,
                               size_t param_value_size, const void *param_value)
{
    cl_bool system = CL_FALSE;
    if (!object_is(kernel, OBJECT_KERNEL))
        return CL_INVALID_KERNEL;
    switch (param_name) {
    case CL_KERNEL_EXEC_INFO_SVM_PTRS:
        return list_pointers(kernel, param_value, param_value_size);
    case CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM:
        if (param_value_size != sizeof(system) || !param_value)
            return CL_INVALID_VALUE;
        memcpy(&system, param_value, sizeof(system));
        return system ? CL_INVALID_OPERATION : CL_SUCCESS;
    default:
        return CL_INVALID_VALUE;
    }
}
