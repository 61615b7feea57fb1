/* OpenCL API 3.0, chapter 5.9.2, and cl_intel_unified_shared_memory: what kernels are told of
 * shared memory. */
#include "reference/icd/dispatch.h"
#include "reference/icd/memory/svm.h"
#include "reference/vm/code.h"
#include "trace/base/alloc.h"

#include <CL/cl_ext.h>

#include <string.h>

/* A pointer that leads into no allocation is passed as it is where that is `allowed`, and told of
 * when it is used. */
static cl_int set_pointer(cl_kernel kernel, cl_uint index, const void *pointer, bool allowed)
{
    uint64_t offset;
    if (!object_is(kernel, OBJECT_KERNEL))
        return CL_INVALID_KERNEL;
    if (!svm_is_offered())
        return CL_INVALID_OPERATION;
    if (index >= kernel->code->parameter_count)
        return CL_INVALID_ARG_INDEX;
    const enum vm_parameter_kind kind = kernel->code->parameters[index].kind;
    if (kind != VM_PARAMETER_GLOBAL && kind != VM_PARAMETER_CONSTANT)
        return CL_INVALID_ARG_VALUE;
    const uint32_t object = svm_find_object(pointer, &offset);
    if (!object && pointer && !allowed && !svm_is_system(pointer))
        return CL_INVALID_ARG_VALUE;
    struct kernel_argument *argument = &kernel->arguments[index];
    if (object || !heap_find((uintptr_t)pointer, &argument->block) || argument->block.freed)
        argument->block = (struct heap_block){0};
    argument->mem = NULL;
    argument->object = object;
    argument->offset = object ? offset : (uintptr_t)pointer;
    argument->set = true;
    return CL_SUCCESS;
}

cl_int icd_clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint arg_index, const void *arg_value)
{
    return set_pointer(kernel, arg_index, arg_value, false);
}

cl_int icd_clSetKernelArgMemPointerINTEL(cl_kernel kernel, cl_uint arg_index, const void *arg_value)
{
    return set_pointer(kernel, arg_index, arg_value, true);
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

/* Is it one of cl_intel_unified_shared_memory? */
static bool is_unified(uint32_t object)
{
    return vm_memory_find(icd_memory(), object)->identity.svm >= OBSERVER_SVM_HOST;
}

/* "The complete set of pointers is specified by each call": of SVM, or of unified shared memory.
 * Pointers to nothing give a kernel access to nothing. */
static cl_int list_pointers(cl_kernel kernel, bool unified, const void *value, size_t size)
{
    const size_t count = size / sizeof(void *);
    if (size % sizeof(void *) != 0 || (!value && size > 0))
        return CL_INVALID_VALUE;
    icd_lock();
    uint32_t *objects = alloc_zero(kernel->svm_list_count + count, sizeof(*objects));
    size_t found = 0;
    for (size_t i = 0; objects && i < kernel->svm_list_count; i++) {
        if (is_unified(kernel->svm_list[i]) != unified)
            objects[found++] = kernel->svm_list[i];
    }
    for (size_t i = 0; objects && i < count; i++) {
        const void *address;
        uint64_t offset;
        memcpy(&address, (const char *)value + i * sizeof(address), sizeof(address));
        objects[found] = svm_find_object(address, &offset);
        found += objects[found] != 0 && is_unified(objects[found]) == unified;
    }
    const bool set = objects && kernel_set_svm_list(kernel, objects, found);
    icd_unlock();
    alloc_free(objects);
    return set ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
}

static cl_int set_system(cl_kernel kernel, cl_bool flag)
{
    if (flag && !limits_share_system())
        return CL_INVALID_OPERATION;
    icd_lock();
    kernel->system = flag ? VM_SYSTEM_USED : VM_SYSTEM_SPARED;
    icd_unlock();
    return CL_SUCCESS;
}

static cl_int set_flag(cl_kernel kernel, cl_kernel_exec_info name, cl_bool flag)
{
    static const struct {
        cl_kernel_exec_info name;
        enum observer_svm kind;
    } indirect[] = {
        {CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL, OBSERVER_SVM_HOST},
        {CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL, OBSERVER_SVM_DEVICE},
        {CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL, OBSERVER_SVM_SHARED},
    };
    if (name == CL_KERNEL_EXEC_INFO_SVM_FINE_GRAIN_SYSTEM)
        return set_system(kernel, flag);
    for (size_t i = 0; i < sizeof(indirect) / sizeof(indirect[0]); i++) {
        if (indirect[i].name != name)
            continue;
        icd_lock();
        kernel->svm_kinds &= ~(1U << indirect[i].kind);
        kernel->svm_kinds |= flag ? 1U << indirect[i].kind : 0;
        icd_unlock();
        return CL_SUCCESS;
    }
    return CL_INVALID_VALUE;
}

cl_int icd_clSetKernelExecInfo(cl_kernel kernel, cl_kernel_exec_info param_name,
                               size_t param_value_size, const void *param_value)
{
    cl_bool flag = CL_FALSE;
    if (!object_is(kernel, OBJECT_KERNEL))
        return CL_INVALID_KERNEL;
    if (!svm_is_offered())
        return CL_INVALID_OPERATION;
    if (param_name == CL_KERNEL_EXEC_INFO_SVM_PTRS ||
        param_name == CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL)
        return list_pointers(kernel, param_name == CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL, param_value,
                             param_value_size);
    if (param_value_size != sizeof(flag) || !param_value)
        return CL_INVALID_VALUE;
    memcpy(&flag, param_value, sizeof(flag));
    return set_flag(kernel, param_name, flag);
}
