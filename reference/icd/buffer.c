/* OpenCL API 3.0, chapters 5.2.1 and 5.5: buffers, sub-buffers, and what holds for all memory
 * objects. */
#include "reference/icd/dispatch.h"
#include "reference/icd/executor.h"
#include "reference/icd/info.h"
#include "reference/icd/limits.h"
#include "reference/icd/properties.h"
#include "trace/base/alloc.h"
#include "trace/base/size.h"

#include <stdio.h>

static const cl_mem_flags kernel_access = CL_MEM_READ_WRITE | CL_MEM_READ_ONLY | CL_MEM_WRITE_ONLY;
static const cl_mem_flags host_access =
    CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS;
static const cl_mem_flags host_pointers =
    CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;

static uint64_t buffer_count; /* ever made: buffer#N */
static uint64_t allocated;    /* bytes of the buffers that live */

static bool at_most_one(cl_mem_flags flags)
{
    return (flags & (flags - 1)) == 0;
}

static cl_int check_flags(cl_mem_flags flags, const void *host_ptr)
{
    if ((flags & ~(kernel_access | host_access | host_pointers)) != 0 ||
        !at_most_one(flags & kernel_access) || !at_most_one(flags & host_access))
        return CL_INVALID_VALUE;
    if ((flags & CL_MEM_USE_HOST_PTR) != 0 &&
        (flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0)
        return CL_INVALID_VALUE;
    const bool takes_pointer = (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)) != 0;
    return takes_pointer != (host_ptr != NULL) ? CL_INVALID_HOST_PTR : CL_SUCCESS;
}

/* Gives `mem` its object in the device's memory, and its bytes. Locked. */
static cl_int make_object(cl_mem mem)
{
    char name[32];
    char origin[96];
    const unsigned long long size = mem->size;
    snprintf(name, sizeof(name), "buffer#%llu", (unsigned long long)buffer_count + 1);
    if (mem->parent)
        snprintf(origin, sizeof(origin), "clCreateSubBuffer, %llu bytes at %llu", size,
                 (unsigned long long)mem->origin);
    else
        snprintf(origin, sizeof(origin), "clCreateBuffer, %llu bytes", size);
    const struct vm_buffer_info info = {
        .size = mem->size,
        .host_bytes =
            (mem->flags & CL_MEM_USE_HOST_PTR) != 0 && !mem->parent ? mem->host_ptr : NULL,
        .parent = mem->parent ? mem->parent->number : 0,
        .parent_offset = mem->origin,
        .read_only = (mem->flags & CL_MEM_READ_ONLY) != 0,
        .write_only = (mem->flags & CL_MEM_WRITE_ONLY) != 0,
        .defined = (mem->flags & CL_MEM_USE_HOST_PTR) != 0,
        .name = name,
        .origin = origin,
    };
    if (vm_memory_create_object(icd_memory(), &info, &mem->number, NULL) != STATUS_OK)
        return CL_MEM_OBJECT_ALLOCATION_FAILURE;
    mem->bytes = vm_memory_find(icd_memory(), mem->number)->bytes;
    buffer_count++;
    return CL_SUCCESS;
}

static cl_mem refuse(cl_int code, cl_int *errcode_ret)
{
    if (errcode_ret)
        *errcode_ret = code;
    return NULL;
}

/* Takes over the list. */
static cl_mem create(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr,
                     struct property_list *list, cl_int *errcode_ret)
{
    cl_mem mem = object_create(OBJECT_MEM, sizeof(*mem));
    cl_int result = mem ? CL_SUCCESS : CL_OUT_OF_HOST_MEMORY;
    if (mem) {
        mem->context = context;
        mem->size = size;
        mem->flags = flags;
        mem->host_ptr = (flags & CL_MEM_USE_HOST_PTR) != 0 ? host_ptr : NULL;
        mem->properties = *list;
        icd_lock();
        result = range_within(allocated, size, LIMIT_GLOBAL_MEMORY)
                     ? make_object(mem)
                     : CL_MEM_OBJECT_ALLOCATION_FAILURE;
        if (result == CL_SUCCESS) {
            allocated += size;
            object_hold(context);
        }
        icd_unlock();
    }
    if (result != CL_SUCCESS) {
        property_list_release(list);
        object_discard(mem);
        return refuse(result, errcode_ret);
    }
    if ((flags & CL_MEM_COPY_HOST_PTR) != 0)
        vm_memory_write(icd_memory(), mem->number, 0, host_ptr, size);
    if (errcode_ret)
        *errcode_ret = CL_SUCCESS;
    return mem;
}

cl_mem icd_clCreateBufferWithProperties(cl_context context, const cl_mem_properties *properties,
                                        cl_mem_flags flags, size_t size, void *host_ptr,
                                        cl_int *errcode_ret)
{
    if (!object_is(context, OBJECT_CONTEXT))
        return refuse(CL_INVALID_CONTEXT, errcode_ret);
    if (properties && properties[0] != 0) /* OpenCL 3.0 defines none */
        return refuse(CL_INVALID_PROPERTY, errcode_ret);
    const cl_int flags_result = check_flags(flags, host_ptr);
    if (flags_result == CL_INVALID_VALUE)
        return refuse(CL_INVALID_VALUE, errcode_ret);
    if (size == 0 || size > LIMIT_ALLOCATION)
        return refuse(CL_INVALID_BUFFER_SIZE, errcode_ret);
    if (flags_result != CL_SUCCESS)
        return refuse(flags_result, errcode_ret);
    if ((flags & kernel_access) == 0)
        flags |= CL_MEM_READ_WRITE;
    struct property_list list;
    const cl_int copied = property_list_copy(properties, CL_INVALID_PROPERTY, &list);
    if (copied != CL_SUCCESS)
        return refuse(copied, errcode_ret);
    return create(context, flags, size, host_ptr, &list, errcode_ret);
}

cl_mem icd_clCreateBuffer(cl_context context, cl_mem_flags flags, size_t size, void *host_ptr,
                          cl_int *errcode_ret)
{
    return icd_clCreateBufferWithProperties(context, NULL, flags, size, host_ptr, errcode_ret);
}

/* ---- sub-buffers ---- */

/* 5.2.4: what a sub-buffer may add to its parent's flags, and what it inherits. */
static cl_int sub_flags(cl_mem_flags parent, cl_mem_flags asked, cl_mem_flags *flags)
{
    if ((asked & ~(kernel_access | host_access)) != 0 || !at_most_one(asked & kernel_access) ||
        !at_most_one(asked & host_access))
        return CL_INVALID_VALUE;
    if ((parent & CL_MEM_WRITE_ONLY) != 0 && (asked & (CL_MEM_READ_WRITE | CL_MEM_READ_ONLY)) != 0)
        return CL_INVALID_VALUE;
    if ((parent & CL_MEM_READ_ONLY) != 0 && (asked & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY)) != 0)
        return CL_INVALID_VALUE;
    if ((parent & CL_MEM_HOST_WRITE_ONLY) != 0 && (asked & CL_MEM_HOST_READ_ONLY) != 0)
        return CL_INVALID_VALUE;
    if ((parent & CL_MEM_HOST_READ_ONLY) != 0 && (asked & CL_MEM_HOST_WRITE_ONLY) != 0)
        return CL_INVALID_VALUE;
    if ((parent & CL_MEM_HOST_NO_ACCESS) != 0 &&
        (asked & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_WRITE_ONLY)) != 0)
        return CL_INVALID_VALUE;
    *flags = asked | (parent & host_pointers);
    if ((asked & kernel_access) == 0)
        *flags |= parent & kernel_access;
    if ((asked & host_access) == 0)
        *flags |= parent & host_access;
    return CL_SUCCESS;
}

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
    if (!object_is(buffer, OBJECT_MEM) || buffer->parent)
        return refuse(CL_INVALID_MEM_OBJECT, errcode_ret);
    cl_mem_flags all_flags = 0;
    cl_int result = sub_flags(buffer->flags, flags, &all_flags);
    if (result == CL_SUCCESS)
        result = check_region(buffer, buffer_create_type, buffer_create_info);
    if (result != CL_SUCCESS)
        return refuse(result, errcode_ret);
    const cl_buffer_region *region = buffer_create_info;
    cl_mem mem = object_create(OBJECT_MEM, sizeof(*mem));
    if (!mem)
        return refuse(CL_OUT_OF_HOST_MEMORY, errcode_ret);
    mem->context = buffer->context;
    mem->parent = buffer;
    mem->origin = region->origin;
    mem->size = region->size;
    mem->flags = all_flags;
    mem->host_ptr = buffer->host_ptr ? (uint8_t *)buffer->host_ptr + region->origin : NULL;
    icd_lock();
    result = make_object(mem);
    if (result == CL_SUCCESS) {
        object_hold(mem->context);
        object_hold(mem->parent);
    }
    icd_unlock();
    if (result != CL_SUCCESS) {
        object_discard(mem);
        mem = NULL;
    }
    if (errcode_ret)
        *errcode_ret = result;
    return mem;
}

/* ---- all memory objects ---- */

void mem_destroy(cl_mem mem)
{
    callbacks_add_destructors(mem->destructors, OBJECT_MEM, mem);
    vm_memory_free_object(icd_memory(), mem->number);
    if (mem->parent)
        object_drop(mem->parent);
    else
        allocated -= mem->size;
    property_list_release(&mem->properties);
    alloc_free(mem->mappings);
    object_drop(mem->context);
}

cl_int icd_clRetainMemObject(cl_mem memobj)
{
    return object_retain(memobj, OBJECT_MEM);
}

cl_int icd_clReleaseMemObject(cl_mem memobj)
{
    return object_release(memobj, OBJECT_MEM);
}

cl_int icd_clSetMemObjectDestructorCallback(cl_mem memobj,
                                            void(CL_CALLBACK *pfn_notify)(cl_mem, void *),
                                            void *user_data)
{
    if (!object_is(memobj, OBJECT_MEM))
        return CL_INVALID_MEM_OBJECT;
    if (!pfn_notify)
        return CL_INVALID_VALUE;
    return destructor_callback_add(&memobj->destructors, (object_function *)pfn_notify, user_data);
}

static cl_uint map_count(cl_mem mem)
{
    cl_uint count = 0;
    icd_lock();
    for (size_t i = 0; i < mem->mapping_count; i++)
        count += mem->mappings[i].count;
    icd_unlock();
    return count;
}

cl_int icd_clGetMemObjectInfo(cl_mem memobj, cl_mem_info param_name, size_t param_value_size,
                              void *param_value, size_t *param_value_size_ret)
{
    const struct info_target target = {param_value_size, param_value, param_value_size_ret};
    if (!object_is(memobj, OBJECT_MEM))
        return CL_INVALID_MEM_OBJECT;
    switch (param_name) {
    case CL_MEM_TYPE:
        return INFO_VALUE(&target, cl_mem_object_type, CL_MEM_OBJECT_BUFFER);
    case CL_MEM_FLAGS:
        return INFO_VALUE(&target, cl_mem_flags, memobj->flags);
    case CL_MEM_SIZE:
        return INFO_VALUE(&target, size_t, memobj->size);
    case CL_MEM_HOST_PTR:
        return INFO_VALUE(&target, void *, memobj->host_ptr);
    case CL_MEM_MAP_COUNT:
        return INFO_VALUE(&target, cl_uint, map_count(memobj));
    case CL_MEM_REFERENCE_COUNT:
        return INFO_VALUE(&target, cl_uint, object_reference_count(memobj));
    case CL_MEM_CONTEXT:
        return INFO_VALUE(&target, cl_context, memobj->context);
    case CL_MEM_ASSOCIATED_MEMOBJECT:
        return INFO_VALUE(&target, cl_mem, memobj->parent);
    case CL_MEM_OFFSET:
        return INFO_VALUE(&target, size_t, memobj->origin);
    case CL_MEM_USES_SVM_POINTER:
        return INFO_VALUE(&target, cl_bool, CL_FALSE);
    case CL_MEM_PROPERTIES:
        return info_bytes(&target, memobj->properties.values,
                          memobj->properties.count * sizeof(uint64_t));
    default:
        return CL_INVALID_VALUE;
    }
}
