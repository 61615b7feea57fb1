/* cl_intel_unified_shared_memory 1.1: allocations for the host, for a device, and for both, on the
 * ground of shared virtual memory (svm.c). All of them lie in one memory, so that placing,
 * migrating and advising change nothing. */
#include "reference/icd/dispatch.h"
#include "reference/icd/info.h"
#include "reference/icd/memory/mem.h"
#include "reference/icd/memory/svm.h"
#include "reference/icd/properties.h"
#include "reference/limits/limits.h"
#include "trace/base/alloc.h"

struct unified {
    struct unified *next;
    uint32_t object;
    cl_device_id device; /* NULL = none; not held: the context holds it */
    cl_mem_alloc_flags_intel flags;
};

static struct unified *allocations; /* those that live */

static const cl_mem_alloc_flags_intel placements =
    CL_MEM_ALLOC_INITIAL_PLACEMENT_DEVICE_INTEL | CL_MEM_ALLOC_INITIAL_PLACEMENT_HOST_INTEL;

/* ---- making and freeing ---- */

static cl_int read_flags(const cl_mem_properties_intel *properties, enum observer_svm kind,
                         cl_mem_alloc_flags_intel *flags)
{
    const struct property known_property = {CL_MEM_ALLOC_FLAGS_INTEL, flags, NULL};
    struct property_list list = {0};
    const cl_int result = property_list_copy(properties, CL_INVALID_PROPERTY, &list);
    property_list_release(&list);
    *flags = 0;
    if (result != CL_SUCCESS)
        return result;
    if (!properties_read(properties, &known_property, 1))
        return CL_INVALID_PROPERTY;
    const cl_mem_alloc_flags_intel known =
        CL_MEM_ALLOC_WRITE_COMBINED_INTEL | (kind == OBSERVER_SVM_SHARED ? placements : 0);
    return (*flags & ~known) != 0 || (*flags & placements) == placements ? CL_INVALID_PROPERTY
                                                                         : CL_SUCCESS;
}

static cl_int check(cl_context context, enum observer_svm kind, cl_device_id device, size_t size,
                    cl_uint alignment)
{
    if (!object_is(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    if ((device || kind == OBSERVER_SVM_DEVICE) && !context_has_devices(context, &device, 1))
        return CL_INVALID_DEVICE;
    if ((alignment & (alignment - 1)) != 0 || alignment > LIMIT_BASE_ALIGNMENT)
        return CL_INVALID_VALUE;
    return size == 0 || size > limits_get(LIMIT_ALLOCATION) ? CL_INVALID_BUFFER_SIZE : CL_SUCCESS;
}

/* NULL when memory is out. */
static void *allocate(const struct svm_request *request, cl_device_id device,
                      cl_mem_alloc_flags_intel flags)
{
    struct unified *made = alloc(sizeof(*made));
    void *address = made ? svm_allocate(request) : NULL;
    if (!address) {
        alloc_free(made);
        return NULL;
    }
    uint64_t offset;
    icd_lock();
    *made = (struct unified){.next = allocations,
                             .object = svm_find_object(address, &offset),
                             .device = device,
                             .flags = flags};
    allocations = made;
    icd_unlock();
    return address;
}

static void *make(cl_context context, enum observer_svm kind, const char *function,
                  cl_device_id device, const cl_mem_properties_intel *properties, size_t size,
                  cl_uint alignment, cl_int *errcode_ret)
{
    cl_mem_alloc_flags_intel flags = 0;
    cl_int result = check(context, kind, device, size, alignment);
    if (result == CL_SUCCESS)
        result = read_flags(properties, kind, &flags);
    void *address = NULL;
    if (result == CL_SUCCESS) {
        address = allocate(
            &(struct svm_request){
                .function = function, .kind = kind, .size = size, .alignment = alignment},
            device, flags);
        result = address ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
    }
    return object_give(address, result, errcode_ret);
}

void *icd_clHostMemAllocINTEL(cl_context context, const cl_mem_properties_intel *properties,
                              size_t size, cl_uint alignment, cl_int *errcode_ret)
{
    return make(context, OBSERVER_SVM_HOST, "clHostMemAllocINTEL", NULL, properties, size,
                alignment, errcode_ret);
}

void *icd_clDeviceMemAllocINTEL(cl_context context, cl_device_id device,
                                const cl_mem_properties_intel *properties, size_t size,
                                cl_uint alignment, cl_int *errcode_ret)
{
    return make(context, OBSERVER_SVM_DEVICE, "clDeviceMemAllocINTEL", device, properties, size,
                alignment, errcode_ret);
}

void *icd_clSharedMemAllocINTEL(cl_context context, cl_device_id device,
                                const cl_mem_properties_intel *properties, size_t size,
                                cl_uint alignment, cl_int *errcode_ret)
{
    return make(context, OBSERVER_SVM_SHARED, "clSharedMemAllocINTEL", device, properties, size,
                alignment, errcode_ret);
}

/* The link that leads to the allocation that the address is in, or right after; its target is NULL
 * if there is none. Locked. */
static struct unified **find(const void *address, uint64_t *offset)
{
    const uint32_t object = svm_find_object(address, offset);
    struct unified **link = &allocations;
    while (*link && (*link)->object != object)
        link = &(*link)->next;
    return link;
}

static cl_int free_unified(cl_context context, void *address, bool wait)
{
    if (!object_is(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    if (!address)
        return CL_SUCCESS;
    uint64_t offset;
    icd_lock();
    if (wait)
        executor_finish();
    struct unified **link = find(address, &offset);
    struct unified *found = *link && offset == 0 ? *link : NULL;
    if (found)
        *link = found->next;
    icd_unlock();
    alloc_free(found);
    if (found)
        svm_free(address);
    return found ? CL_SUCCESS : CL_INVALID_VALUE;
}

cl_int icd_clMemFreeINTEL(cl_context context, void *ptr)
{
    return free_unified(context, ptr, false);
}

cl_int icd_clMemBlockingFreeINTEL(cl_context context, void *ptr)
{
    return free_unified(context, ptr, true);
}

/* ---- queries ---- */

static cl_unified_shared_memory_type_intel type_of(const struct vm_object *object)
{
    switch (object ? object->identity.svm : OBSERVER_SVM_NONE) {
    case OBSERVER_SVM_HOST:
        return CL_MEM_TYPE_HOST_INTEL;
    case OBSERVER_SVM_DEVICE:
        return CL_MEM_TYPE_DEVICE_INTEL;
    case OBSERVER_SVM_SHARED:
        return CL_MEM_TYPE_SHARED_INTEL;
    default:
        return CL_MEM_TYPE_UNKNOWN_INTEL;
    }
}

cl_int icd_clGetMemAllocInfoINTEL(cl_context context, const void *ptr, cl_mem_info_intel param_name,
                                  size_t param_value_size, void *param_value,
                                  size_t *param_value_size_ret)
{
    const struct info_target target = {param_value_size, param_value, param_value_size_ret};
    if (!object_is(context, OBJECT_CONTEXT))
        return CL_INVALID_CONTEXT;
    uint64_t offset = 0;
    icd_lock();
    const struct unified *found = *find(ptr, &offset);
    const struct unified unified = found ? *found : (struct unified){0};
    icd_unlock();
    const struct vm_object *object = vm_memory_find(icd_memory(), unified.object);
    const struct info_row rows[] = {
        INFO(CL_MEM_ALLOC_TYPE_INTEL, cl_unified_shared_memory_type_intel, type_of(object)),
        INFO(CL_MEM_ALLOC_BASE_PTR_INTEL, void *,
             object ? vm_memory_host_bytes(icd_memory(), unified.object) : NULL),
        INFO(CL_MEM_ALLOC_SIZE_INTEL, size_t, object ? object->size : 0),
        INFO(CL_MEM_ALLOC_DEVICE_INTEL, cl_device_id, unified.device),
        INFO(CL_MEM_ALLOC_FLAGS_INTEL, cl_mem_alloc_flags_intel, unified.flags),
    };
    return info_answer(&target, param_name, rows, sizeof(rows) / sizeof(rows[0]));
}

/* ---- commands ---- */

cl_int icd_clEnqueueMemFillINTEL(cl_command_queue queue, void *dst_ptr, const void *pattern,
                                 size_t pattern_size, size_t size, cl_uint num_events_in_wait_list,
                                 const cl_event *event_wait_list, cl_event *event)
{
    struct command_request request = command_request_of(
        queue, CL_COMMAND_MEMFILL_INTEL, num_events_in_wait_list, event_wait_list, event);
    return svm_enqueue_fill(&request, dst_ptr, pattern, pattern_size, size);
}

cl_int icd_clEnqueueMemcpyINTEL(cl_command_queue queue, cl_bool blocking, void *dst_ptr,
                                const void *src_ptr, size_t size, cl_uint num_events_in_wait_list,
                                const cl_event *event_wait_list, cl_event *event)
{
    struct command_request request = command_request_of(
        queue, CL_COMMAND_MEMCPY_INTEL, num_events_in_wait_list, event_wait_list, event);
    request.blocking = blocking;
    return svm_enqueue_copy(&request, dst_ptr, src_ptr, size);
}

/* Takes its place in the order. */
static cl_int enqueue_hint(const struct command_request *request, bool valid)
{
    const cl_int checked = command_check(request);
    if (checked != CL_SUCCESS)
        return checked;
    return valid ? command_enqueue(request) : CL_INVALID_VALUE;
}

cl_int icd_clEnqueueMigrateMemINTEL(cl_command_queue queue, const void *ptr, size_t size,
                                    cl_mem_migration_flags flags, cl_uint num_events_in_wait_list,
                                    const cl_event *event_wait_list, cl_event *event)
{
    (void)ptr;
    (void)size;
    const cl_mem_migration_flags known =
        CL_MIGRATE_MEM_OBJECT_HOST | CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED;
    struct command_request request = command_request_of(
        queue, CL_COMMAND_MIGRATEMEM_INTEL, num_events_in_wait_list, event_wait_list, event);
    return enqueue_hint(&request, (flags & ~known) == 0);
}

/* No advice is defined; what a vendor's program gives is none that this device has. */
cl_int icd_clEnqueueMemAdviseINTEL(cl_command_queue queue, const void *ptr, size_t size,
                                   cl_mem_advice_intel advice, cl_uint num_events_in_wait_list,
                                   const cl_event *event_wait_list, cl_event *event)
{
    (void)ptr;
    (void)size;
    struct command_request request = command_request_of(
        queue, CL_COMMAND_MEMADVISE_INTEL, num_events_in_wait_list, event_wait_list, event);
    return enqueue_hint(&request, advice == 0);
}
