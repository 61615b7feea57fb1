/* OpenCL API 3.0, chapter 5.2.1: buffers and sub-buffers. */
#include "reference/icd/dispatch.h"
#include "reference/icd/exports.h"
#include "reference/icd/kernels/host_changes.h"
#include "reference/icd/memory/host_copy.h"
#include "reference/icd/memory/mem.h"
#include "reference/icd/memory/svm.h"
#include "reference/icd/properties.h"
#include "reference/limits/limits.h"
#include "trace/base/size.h"

#include <stdio.h>

cl_mem icd_clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties,
                                        cl_mem_flags flags, size_t size, void *host_ptr,
                                        cl_int *errcode_ret)
{
    if (!object_is(context, OBJECT_CONTEXT))
        return object_refuse(CL_INVALID_CONTEXT, errcode_ret);
    if (properties && properties[0] != 0) /* OpenCL 3.0 defines none */
        return object_refuse(CL_INVALID_PROPERTY, errcode_ret);
    cl_int result = mem_check_flags(flags, host_ptr);
    if (result == CL_INVALID_VALUE)
        return object_refuse(CL_INVALID_VALUE, errcode_ret);
    if (size == 0 || size > limits_get(LIMIT_ALLOCATION))
        return object_refuse(CL_INVALID_BUFFER_SIZE, errcode_ret);
    if (result != CL_SUCCESS)
        return object_refuse(result, errcode_ret);
    uint64_t svm_offset = 0;
    const uint32_t svm =
        (flags & CL_MEM_USE_HOST_PTR) != 0 ? svm_find_object(host_ptr, &svm_offset) : 0;
    if (svm && !range_within(svm_offset, size, vm_memory_find(icd_memory(), svm)->size))
        return object_refuse(CL_INVALID_BUFFER_SIZE, errcode_ret);
    char made_by[64];
    snprintf(made_by, sizeof(made_by), "clCreateBuffer, %llu bytes", (unsigned long long)size);
    struct mem_request request = {
        .context = context,
        .type = CL_MEM_OBJECT_BUFFER,
        .flags = mem_default_flags(flags),
        .size = size,
        .host_ptr = (flags & CL_MEM_USE_HOST_PTR) != 0 ? host_ptr : NULL,
        .svm = svm,
        .svm_offset = svm_offset,
        .made_by = made_by,
    };
    result = property_list_copy(properties, CL_INVALID_PROPERTY, &request.properties);
    if (result != CL_SUCCESS)
        return object_refuse(result, errcode_ret);
    cl_mem mem = mem_create(&request, &result);
    if (mem && svm) {
        icd_lock();
        host_changes_leave_coarse();
        icd_unlock();
    }
    if (mem && !svm && host_copy_begins(flags))
        vm_memory_write(icd_memory(), mem->number, 0, host_ptr, size);
    return object_give(mem, result, errcode_ret);
}

cl_mem icd_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr,
                          cl_int *errcode_ret)
{
    return icd_clCreateBufferWithProperties(context, NULL, flags, size, host_ptr, errcode_ret);
}

void *clerk_create_empty_buffer(void *context)
{
    const struct mem_request request = {
        .context = context,
        .type = CL_MEM_OBJECT_BUFFER,
        .flags = mem_default_flags(0),
        .made_by = "a buffer of no bytes",
    };
    cl_int result;
    return object_give(mem_create(&request, &result), result, NULL);
}

/* ---- sub-buffers ---- */

static cl_int check_region(cl_mem buffer, cl_buffer_create_type type, const void *info)
{
    if (type != CL_BUFFER_CREATE_TYPE_REGION || !info)
        return CL_INVALID_VALUE;
    const cl_buffer_region *region = info;
    if (!range_within(region->origin, region->size, buffer->size))
        return CL_INVALID_VALUE;
    if (region->size == 0)
        return CL_INVALID_BUFFER_SIZE;
    return region->origin % LIMIT_BASE_ALIGNMENT != 0 ? CL_MISALIGNED_SUB_BUFFER_OFFSET
                                                      : CL_SUCCESS;
}

cl_mem icd_clCreateSubBuffer(cl_mem buffer, cl_mem_flags flags,
                             cl_buffer_create_type buffer_create_type,
                             const void *buffer_create_info, cl_int *errcode_ret)
{
    if (!mem_is_buffer(buffer) || buffer->parent)
        return object_refuse(CL_INVALID_MEM_OBJECT, errcode_ret);
    cl_mem_flags all_flags = 0;
    cl_int result = mem_inherit_flags(buffer->flags, flags, &all_flags);
    if (result == CL_SUCCESS)
        result = check_region(buffer, buffer_create_type, buffer_create_info);
    if (result != CL_SUCCESS)
        return object_refuse(result, errcode_ret);
    const cl_buffer_region *region = buffer_create_info;
    char made_by[96];
    snprintf(made_by, sizeof(made_by), "clCreateSubBuffer, %llu bytes at %llu",
             (unsigned long long)region->size, (unsigned long long)region->origin);
    const struct mem_request request = {
        .context = buffer->context,
        .type = CL_MEM_OBJECT_BUFFER,
        .flags = all_flags,
        .size = region->size,
        .parent = buffer,
        .origin = region->origin,
        .host_ptr = buffer->host_ptr ? (uint8_t *)buffer->host_ptr + region->origin : NULL,
        .made_by = made_by,
    };
    cl_mem mem = mem_create(&request, &result);
    return object_give(mem, result, errcode_ret);
}
