#include "layer/live.h"

#include "layer/capture.h"
#include "trace/api/image.h"
#include "trace/api/property.h"
#include "trace/base/assert.h"
#include "trace/effect/argument.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

enum { ARGUMENT_LIMIT = 1024 };

struct live {
    pthread_mutex_t mutex; /* guards all that follows */
    struct live_object *objects;
    uint64_t numbers;
    bool has_found;
    atomic_bool with_arguments, has_shared; /* read without the mutex */
};

struct live *live_create(bool with_arguments)
{
    struct live *live = alloc_zero(1, sizeof *live);
    if (!live)
        return NULL;
    atomic_init(&live->with_arguments, with_arguments);
    pthread_mutex_init(&live->mutex, NULL);
    return live;
}

static void object_remove(struct live *live, struct live_object *object)
{
    HASH_DEL(live->objects, object);
    blocks_release(&object->blocks);
    for (int list = 0; list < LIVE_LISTS; list++)
        alloc_free(object->lists[list].items);
    alloc_free(object);
}

void live_destroy(struct live *live)
{
    if (!live)
        return;
    while (live->objects)
        object_remove(live, live->objects);
    pthread_mutex_destroy(&live->mutex);
    alloc_free(live);
}

bool live_has_shared(const struct live *live)
{
    return atomic_load_explicit(&live->has_shared, memory_order_relaxed);
}

void live_lock(struct live *live)
{
    pthread_mutex_lock(&live->mutex);
}

void live_unlock(struct live *live)
{
    pthread_mutex_unlock(&live->mutex);
}

/* ---- finding ---- */

struct live_object *live_find(const struct live *live, uint64_t handle)
{
    struct live_object *object;
    HASH_FIND(hh, live->objects, &handle, sizeof handle, object);
    return object;
}

/* Walks them all: programs have few objects. */
struct live_object *live_find_shared(const struct live *live, uint64_t address)
{
    for (struct live_object *object = live->objects; object; object = object->hh.next)
        if (object->kind == API_OBJECT_NONE && address - object->handle < object->size)
            return object;
    return NULL;
}

struct live_object *live_next(const struct live *live, const struct live_object *object)
{
    return object ? object->hh.next : live->objects;
}

static uint32_t allocator_bit(uint32_t allocator)
{
    ASSERT(allocator < API_ENTRY_clHostMemAllocINTEL + 32);
    return allocator >= API_ENTRY_clHostMemAllocINTEL
               ? 1U << (allocator - API_ENTRY_clHostMemAllocINTEL)
               : 0;
}

static void visit(const struct live *live, uint64_t reached, live_function *function, void *user)
{
    struct live_object *object = live_find(live, reached);
    if (!object || object->kind != API_OBJECT_MEM)
        object = reached ? live_find_shared(live, reached) : NULL;
    if (object)
        function(user, object);
}

void live_each_reached(const struct live *live, const struct live_object *kernel,
                       live_function *function, void *user)
{
    for (int list = 0; list < LIVE_LISTS; list++)
        for (size_t i = 0; i < kernel->lists[list].count; i++)
            visit(live, kernel->lists[list].items[i], function, user);
    if (!kernel->allocators && !live->has_found)
        return;
    for (struct live_object *object = live->objects; object; object = object->hh.next)
        if (object->is_found || kernel->allocators & allocator_bit(object->allocator))
            function(user, object);
}

/* ---- learning (with the mutex) ---- */

/* Replaces what had the handle before; NULL when memory is out. */
static struct live_object *object_add(struct live *live, uint64_t handle, enum api_object_kind kind)
{
    struct live_object *object = live_find(live, handle);
    bool added = true;
    if (object)
        object_remove(live, object);
    object = alloc_zero(1, sizeof *object);
    if (!object)
        return NULL;
    *object = (struct live_object){.handle = handle, .kind = kind, .references = 1};
    HASH_ADD(hh, live->objects, handle, sizeof object->handle, object);
    if (!added) {
        alloc_free(object);
        return NULL;
    }
    return object;
}

static struct live_object *find_of_kind(const struct live *live, uint64_t handle,
                                        enum api_object_kind kind)
{
    struct live_object *object = live_find(live, handle);
    return object && object->kind == kind ? object : NULL;
}

/* Of items that there were not, 0. */
static void set_item(struct live_list *list, uint64_t index, uint64_t item)
{
    if (index >= list->count) {
        uint64_t *grown = alloc_resize(list->items, (index + 1) * sizeof *grown);
        if (!grown)
            return;
        memset(grown + list->count, 0, (index + 1 - list->count) * sizeof *grown);
        list->items = grown;
        list->count = index + 1;
    }
    list->items[index] = item;
}

static void set_argument(struct live *live, uint64_t handle, uint64_t index, uint64_t reached)
{
    struct live_object *kernel = find_of_kind(live, handle, API_OBJECT_KERNEL);
    if (kernel && index < ARGUMENT_LIMIT)
        set_item(&kernel->lists[LIVE_BY_ARGUMENT], index, reached);
}

/* OpenCL API 3.0, 5.9.1: a value of a memory object type is "a pointer to the memory object". Eight
 * bytes that merely look like one reach an object more than is needed. */
static void set_by(struct live *live, const struct argument_set *set)
{
    const uint64_t handle = argument_word(set);
    set_argument(live, set->kernel, set->index,
                 set->how == ARGUMENT_SET_SHARED                      ? set->address
                 : find_of_kind(live, handle, API_OBJECT_MEM) != NULL ? handle
                                                                      : 0);
}

static void set_list(struct live_list *list, const struct api_value *value)
{
    uint64_t *copy = alloc(value->size);
    if (!copy)
        return;
    memcpy(copy, value->data, value->size);
    alloc_free(list->items);
    *list = (struct live_list){.items = copy, .count = value->size / sizeof *copy};
}

static void allow(struct live_object *kernel, uint32_t allocator, const struct api_value *value)
{
    cl_bool allowed = CL_FALSE;
    if (value->size == sizeof allowed)
        memcpy(&allowed, value->data, sizeof allowed);
    kernel->allocators &= ~allocator_bit(allocator);
    kernel->allocators |= allowed ? allocator_bit(allocator) : 0;
}

static void set_indirect(struct live *live, const struct api_call *call)
{
    const struct api_value *a = call->arguments;
    const struct api_value *value = &a[API_clSetKernelExecInfo_param_value];
    struct live_object *kernel =
        find_of_kind(live, a[API_clSetKernelExecInfo_kernel].bits, API_OBJECT_KERNEL);
    if (!kernel || value->kind != API_VALUE_BYTES)
        return;
    switch (a[API_clSetKernelExecInfo_param_name].bits) {
    case CL_KERNEL_EXEC_INFO_SVM_PTRS:
        set_list(&kernel->lists[LIVE_SVM], value);
        kernel->named_version = 0;
        break;
    case CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL:
        set_list(&kernel->lists[LIVE_UNIFIED], value);
        break;
    case CL_KERNEL_EXEC_INFO_INDIRECT_HOST_ACCESS_INTEL:
        allow(kernel, API_ENTRY_clHostMemAllocINTEL, value);
        break;
    case CL_KERNEL_EXEC_INFO_INDIRECT_DEVICE_ACCESS_INTEL:
        allow(kernel, API_ENTRY_clDeviceMemAllocINTEL, value);
        break;
    case CL_KERNEL_EXEC_INFO_INDIRECT_SHARED_ACCESS_INTEL:
        allow(kernel, API_ENTRY_clSharedMemAllocINTEL, value);
        break;
    default:
        break;
    }
}

static void clone_kernel(struct live *live, const struct api_call *call)
{
    const struct live_object *source = find_of_kind(
        live, call->arguments[API_clCloneKernel_source_kernel].bits, API_OBJECT_KERNEL);
    const struct live_list *list = source ? &source->lists[LIVE_BY_ARGUMENT] : NULL;
    for (size_t i = 0; list && i < list->count; i++)
        set_argument(live, call->result.bits, i, list->items[i]);
}

/* ---- command-buffers ---- */

uint64_t live_queue_of(const struct live *live, const struct api_call *call)
{
    const struct api_value *a = call->arguments;
    if (call->entry != API_ENTRY_clEnqueueCommandBufferKHR)
        return a[0].bits;
    const struct api_value *queues = &a[API_clEnqueueCommandBufferKHR_queues];
    if (queues->kind == API_VALUE_HANDLES && queues->count)
        return *(const uint64_t *)queues->data;
    const struct live_object *buffer = find_of_kind(
        live, a[API_clEnqueueCommandBufferKHR_command_buffer].bits, API_OBJECT_COMMAND_BUFFER);
    return buffer ? buffer->queue : 0;
}

/* Once each. */
static void reach(struct live_object *buffer, uint64_t reached)
{
    struct live_list *list = &buffer->lists[LIVE_BY_ARGUMENT];
    for (size_t i = 0; i < list->count; i++)
        if (list->items[i] == reached)
            return;
    if (reached)
        set_item(list, list->count, reached);
}

static void reach_by_kernel(struct live_object *buffer, const struct live_object *kernel)
{
    for (int list = 0; list < LIVE_LISTS; list++)
        for (size_t i = 0; i < kernel->lists[list].count; i++)
            reach(buffer, kernel->lists[list].items[i]);
    buffer->allocators |= kernel->allocators;
}

/* A command is recorded, or changed. Words of a change that look like a handle or an address reach
 * more than is needed. */
static void learn_recorded(struct live *live, const struct api_call *call)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    struct live_object *buffer =
        find_of_kind(live, call->arguments[0].bits, API_OBJECT_COMMAND_BUFFER);
    for (uint32_t i = 1; buffer && i < info->parameter_count; i++) {
        const struct api_value *value = &call->arguments[i];
        const struct live_object *object = live_find(live, value->bits);
        if (info->parameters[i].role == API_ROLE_ADDRESS ||
            info->parameters[i].kind == API_OBJECT_MEM)
            reach(buffer, value->bits);
        else if (info->parameters[i].kind == API_OBJECT_KERNEL && object)
            reach_by_kernel(buffer, object);
        if (info->parameters[i].role != API_ROLE_CONFIGS || value->kind != API_VALUE_BYTES)
            continue;
        for (size_t k = 0; k < value->size / sizeof(uint64_t); k++) {
            const uint64_t word = ((const uint64_t *)value->data)[k];
            if (find_of_kind(live, word, API_OBJECT_MEM) || live_find_shared(live, word))
                reach(buffer, word);
        }
    }
}

static void add_kernels(struct live *live, const struct api_call *call)
{
    const struct api_value *kernels = &call->arguments[API_clCreateKernelsInProgram_kernels];
    const uint64_t *handles = kernels->kind == API_VALUE_HANDLES ? kernels->data : NULL;
    for (uint32_t i = 0; handles && i < kernels->count; i++)
        object_add(live, handles[i], API_OBJECT_KERNEL);
}

static bool allocates(uint32_t entry)
{
    return entry == API_ENTRY_clSVMAlloc || entry == API_ENTRY_clHostMemAllocINTEL ||
           entry == API_ENTRY_clDeviceMemAllocINTEL || entry == API_ENTRY_clSharedMemAllocINTEL;
}

static void add_allocation(struct live *live, const struct api_call *call)
{
    const struct api_value *a = call->arguments;
    const cl_svm_mem_flags flags =
        call->entry == API_ENTRY_clSVMAlloc ? a[API_clSVMAlloc_flags].bits : 0;
    struct live_object *object = object_add(live, call->result.bits, API_OBJECT_NONE);
    if (!object)
        return;
    object->size = a[api_entry_find_parameter(api_entry_get(call->entry), "size")].bits;
    object->allocator = call->entry;
    object->context = a[API_clSVMAlloc_context].bits;
    object->is_shared = call->entry == API_ENTRY_clHostMemAllocINTEL ||
                        call->entry == API_ENTRY_clSharedMemAllocINTEL ||
                        flags & CL_MEM_SVM_FINE_GRAIN_BUFFER;
    object->is_found = call->flags & API_CALL_SYNTHETIC;
    object->is_atomic = flags & CL_MEM_SVM_ATOMICS && !object->is_found;
    live->has_found |= object->is_found;
    object->number = ++live->numbers;
    if (!object->is_shared)
        return;
    blocks_init(&object->blocks, (const void *)call->result.bits, object->size);
    atomic_store(&live->with_arguments, true);
    atomic_store(&live->has_shared, true);
}

static void free_allocation(struct live *live, uint64_t address)
{
    struct live_object *object = find_of_kind(live, address, API_OBJECT_NONE);
    if (object)
        object_remove(live, object);
}

static void free_allocations(struct live *live, const struct api_call *call)
{
    const struct api_value *list = &call->arguments[API_clEnqueueSVMFree_svm_pointers];
    const uint64_t *addresses = list->kind == API_VALUE_SIZES ? list->data : NULL;
    for (uint32_t i = 0; addresses && i < list->count; i++)
        free_allocation(live, addresses[i]);
}

/* OpenCL API 3.0, 5.2.1: a buffer with CL_MEM_USE_HOST_PTR in shared virtual memory has its bytes
 * there; and so have its sub-buffers. */
static void find_base(const struct live *live, const struct api_call *call,
                      struct live_object *object)
{
    const struct api_value *host_ptr = api_call_argument(call, API_ROLE_HOST_MEMORY);
    if (call->entry == API_ENTRY_clCreateSubBuffer) {
        const struct live_object *buffer =
            live_find(live, call->arguments[API_clCreateSubBuffer_buffer].bits);
        object->base = buffer ? buffer->base : 0;
    } else if (host_ptr && live_find_shared(live, host_ptr->bits)) {
        object->base = host_ptr->bits;
    }
}

/* The first argument, if it is one that is known, of a parameter with this flag. */
static struct live_object *first_object(const struct live *live, const struct api_call *call,
                                        unsigned flag)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    if (!info->parameter_count || !(info->parameters[0].flags & flag))
        return NULL;
    return find_of_kind(live, call->arguments[0].bits,
                        (enum api_object_kind)info->parameters[0].kind);
}

/* OpenCL API 3.0, 5.1: a queue executes commands in order unless its properties say otherwise. */
static bool is_in_order(const struct api_call *call)
{
    const struct api_value *value =
        &call->arguments[api_entry_find_parameter(api_entry_get(call->entry), "properties")];
    cl_command_queue_properties flags = value->kind == API_VALUE_SCALAR ? value->bits : 0;
    struct api_property property;
    if (api_property_find(value, API_FAMILY_QUEUE_PROPERTIES, CL_QUEUE_PROPERTIES, &property))
        flags = api_property_word(&property, 0);
    return !(flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE);
}

static void learn_created(struct live *live, const struct api_call *call)
{
    const enum api_object_kind kind = api_entry_get(call->entry)->return_kind;
    const struct api_value *queues = &call->arguments[API_clCreateCommandBufferKHR_queues];
    struct live_object *object = object_add(live, call->result.bits, kind);
    struct image_create create;
    if (object && kind == API_OBJECT_QUEUE)
        object->in_order = is_in_order(call);
    if (object && kind == API_OBJECT_MEM) {
        find_base(live, call, object);
        if (image_create_parse(call, &create))
            object->image = image_shape_of(create.format, &create.desc);
    }
    if (call->entry == API_ENTRY_clCloneKernel)
        clone_kernel(live, call);
    if (object && call->entry == API_ENTRY_clCreateCommandBufferKHR &&
        queues->kind == API_VALUE_HANDLES && queues->count)
        object->queue = *(const uint64_t *)queues->data;
}

static bool records(uint32_t entry)
{
    return api_entry_get(entry)->flags & API_ENTRY_RECORDS ||
           entry == API_ENTRY_clUpdateMutableCommandsKHR;
}

static void learn(struct live *live, const struct api_call *call)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    struct live_object *retained = first_object(live, call, API_PARAMETER_RETAINED);
    struct argument_set set;
    if (retained)
        ++retained->references;
    if (info->return_role == API_ROLE_HANDLE)
        learn_created(live, call);
    if (records(call->entry))
        learn_recorded(live, call);
    if (argument_set_by(call, &set))
        set_by(live, &set);
    if (allocates(call->entry))
        add_allocation(live, call);
    else if (call->entry == API_ENTRY_clCreateKernelsInProgram)
        add_kernels(live, call);
    else if (call->entry == API_ENTRY_clSetKernelExecInfo)
        set_indirect(live, call);
    else if (call->entry == API_ENTRY_clEnqueueSVMFree)
        free_allocations(live, call);
}

static bool is_kept(enum api_object_kind kind)
{
    return kind == API_OBJECT_MEM || kind == API_OBJECT_QUEUE || kind == API_OBJECT_KERNEL ||
           kind == API_OBJECT_COMMAND_BUFFER;
}

static bool frees(uint32_t entry)
{
    return entry == API_ENTRY_clSVMFree || entry == API_ENTRY_clMemFreeINTEL ||
           entry == API_ENTRY_clMemBlockingFreeINTEL;
}

/* Calls that retain or release, as the flag says, what is kept. */
static bool counts(uint32_t entry, enum api_parameter_flags flag)
{
    const struct api_entry_info *info = api_entry_get(entry);
    return info->parameter_count && info->parameters[0].flags & flag &&
           is_kept(info->parameters[0].kind);
}

/* What there is to learn from calls that came back. */
static enum live_interest teaching(uint32_t entry)
{
    const struct api_entry_info *info = api_entry_get(entry);
    if (entry == API_ENTRY_clSetKernelExecInfo || records(entry) || argument_is_set_by(entry))
        return LIVE_ARGUMENTS;
    return allocates(entry) || entry == API_ENTRY_clCreateKernelsInProgram ||
                   entry == API_ENTRY_clEnqueueSVMFree ||
                   (info->return_role == API_ROLE_HANDLE && is_kept(info->return_kind)) ||
                   counts(entry, API_PARAMETER_RETAINED)
               ? LIVE_ALWAYS
               : LIVE_NEVER;
}

enum live_interest live_interest_in(uint32_t entry)
{
    return frees(entry) || counts(entry, API_PARAMETER_RELEASED) ? LIVE_ALWAYS : teaching(entry);
}

bool live_follows_arguments(const struct live *live)
{
    return atomic_load_explicit(&live->with_arguments, memory_order_relaxed);
}

/* Asked without the mutex. */
static bool teaches(const struct live *live, uint32_t entry)
{
    const enum live_interest interest = teaching(entry);
    return interest == LIVE_ALWAYS || (interest == LIVE_ARGUMENTS && live_follows_arguments(live));
}

void live_after(struct live *live, const struct api_call *call)
{
    if (!teaches(live, call->entry) || !capture_succeeded(call))
        return;
    pthread_mutex_lock(&live->mutex);
    learn(live, call);
    pthread_mutex_unlock(&live->mutex);
}

_Static_assert((int)API_clSVMFree_svm_pointer == (int)API_clMemFreeINTEL_ptr &&
                   (int)API_clSVMFree_svm_pointer == (int)API_clMemBlockingFreeINTEL_ptr,
               "what is freed is in one place");

/* What is released goes before the driver has it: afterwards the handle may be another object's,
 * and meanwhile no other thread may take it for alive. */
void live_before(struct live *live, const struct api_call *call)
{
    const bool is_free = frees(call->entry);
    if (!is_free && !counts(call->entry, API_PARAMETER_RELEASED))
        return;
    pthread_mutex_lock(&live->mutex);
    struct live_object *object = first_object(live, call, API_PARAMETER_RELEASED);
    if (object && --object->references <= 0)
        object_remove(live, object);
    if (is_free)
        free_allocation(live, call->arguments[API_clSVMFree_svm_pointer].bits);
    pthread_mutex_unlock(&live->mutex);
}
