#include "layer/found.h"

#include "layer/capture.h"
#include "layer/contents.h"
#include "layer/live.h"
#include "layer/own_memory.h"
#include "layer/range.h"
#include "layer/session.h"
#include "layer/targets.h"
#include "layer/thread.h"
#include "trace/api/entry.h"
#include "trace/spool.h"

#include <pthread.h>
#include <string.h>

/* Their bytes are looked at before every launch. What would make them more is not found. */
#define FOUND_SIZE_MAX (UINT64_C(256) << 20)
enum { FOUND_COUNT_MAX = 4096 };

struct looking {
    struct session *session;
    struct layer_thread *thread;
    struct own_memory *found;
    struct live *live;
};

/* ---- the calls that they are recorded as ---- */

/* As if the program had made the call, which is not forwarded. */
static void record(const struct looking *looking, uint32_t entry, const uint64_t *words,
                   uint64_t result)
{
    struct session *session = looking->session;
    struct layer_thread *thread = looking->thread;
    struct api_call call = {.id = session_call_number(session, thread),
                            .thread = session_thread_number(session, thread),
                            .entry = entry,
                            .begin_ns = spool_now_ns(session->spool)};
    capture_input(&call, words, &thread->arena, &thread->readable);
    capture_result(&call, result);
    call.end_ns = spool_now_ns(session->spool);
    call.flags = API_CALL_SYNTHETIC | API_CALL_COMPLETED;
    if (entry != API_ENTRY_clSetKernelExecInfo) { /* of which the program's own lists are kept */
        contents_before(session->contents, &call, &thread->readable);
        contents_after(session->contents, &call, &thread->readable);
    }
    if (!range_leaves_out(session->range, &call))
        spool_call_end(session->spool, &call);
}

/* What the kernel's context can use, and how such memory is allocated in it. */
struct way {
    cl_context context;
    cl_svm_mem_flags flags;
};

static void add(const struct looking *looking, const struct way *way, const struct own_part *part)
{
    const uint64_t words[API_ARGUMENT_MAX] = {[API_clSVMAlloc_context] = (uint64_t)way->context,
                                              [API_clSVMAlloc_flags] = way->flags,
                                              [API_clSVMAlloc_size] = part->size};
    if (own_memory_add(looking->found, part))
        record(looking, API_ENTRY_clSVMAlloc, words, part->first);
}

static void drop(const struct looking *looking, const struct way *way, size_t index)
{
    const uint64_t words[API_ARGUMENT_MAX] = {[API_clSVMFree_context] = (uint64_t)way->context,
                                              [API_clSVMFree_svm_pointer] =
                                                  looking->found->list[index].first};
    own_memory_remove(looking->found, index);
    record(looking, API_ENTRY_clSVMFree, words, 0);
}

static void take(const struct looking *looking, const struct way *way, const struct own_part *part)
{
    struct own_memory *found = looking->found;
    size_t other;
    while ((other = own_memory_find_overlapping(found, part)) < found->count)
        drop(looking, way, other);
    if (part->size > 0 && found->size + part->size <= FOUND_SIZE_MAX &&
        found->count < FOUND_COUNT_MAX)
        add(looking, way, part);
}

/* False: it is of devices that use no memory of the program's own. */
static bool find_way(const struct looking *looking, uint64_t kernel, struct way *way)
{
    cl_device_id devices[64];
    size_t size = 0;
    cl_device_svm_capabilities all = ~(cl_device_svm_capabilities)0;
    cl_device_svm_capabilities any = 0;
    live_lock(looking->live);
    const struct live_object *object = live_find(looking->live, kernel);
    const bool is_kernel = object && object->kind == API_OBJECT_KERNEL;
    live_unlock(looking->live);
    if (!is_kernel ||
        LAYER_TARGET(clGetKernelInfo)((cl_kernel)kernel, CL_KERNEL_CONTEXT, sizeof way->context,
                                      &way->context, NULL) != CL_SUCCESS ||
        LAYER_TARGET(clGetContextInfo)(way->context, CL_CONTEXT_DEVICES, sizeof devices, devices,
                                       &size) != CL_SUCCESS)
        return false;
    for (size_t i = 0; i < size / sizeof *devices; i++) {
        cl_device_svm_capabilities has = 0;
        LAYER_TARGET(clGetDeviceInfo)
        (devices[i], CL_DEVICE_SVM_CAPABILITIES, sizeof has, &has, NULL);
        all &= has;
        any |= has;
    }
    way->flags = CL_MEM_READ_WRITE | CL_MEM_SVM_FINE_GRAIN_BUFFER |
                 (all & CL_DEVICE_SVM_ATOMICS ? CL_MEM_SVM_ATOMICS : 0);
    return any & CL_DEVICE_SVM_FINE_GRAIN_SYSTEM;
}

static bool find_way_in_driver(const struct looking *looking, uint64_t kernel, struct way *way)
{
    layer_thread_enter(looking->thread);
    const bool found = find_way(looking, kernel, way);
    layer_thread_leave(looking->thread);
    return found;
}

/* ---- a kernel is given an address ---- */

/* Is the address in memory that a call gave, or that was found and is still as it was? */
static bool is_known(const struct looking *looking, uint64_t address)
{
    const struct own_memory *found = looking->found;
    const size_t index = own_memory_find(found, address);
    if (index < found->count)
        return own_part_is_current(&found->list[index]);
    live_lock(looking->live);
    const bool is_given = live_find_shared(looking->live, address) != NULL;
    live_unlock(looking->live);
    return is_given;
}

static void look_at(const struct looking *looking, uint64_t kernel, uint64_t address)
{
    struct own_part part;
    struct way way;
    if (address && !is_known(looking, address) && find_way_in_driver(looking, kernel, &way) &&
        (own_part_find_block(address, &part) ||
         own_part_find_mapping(address, looking->thread->frame, &part)))
        take(looking, &way, &part);
}

static void look_at_list(const struct looking *looking, const uint64_t *words)
{
    const uint64_t name = words[API_clSetKernelExecInfo_param_name];
    const size_t size = words[API_clSetKernelExecInfo_param_value_size];
    const uint64_t *list = (const uint64_t *)words[API_clSetKernelExecInfo_param_value];
    if ((name != CL_KERNEL_EXEC_INFO_SVM_PTRS && name != CL_KERNEL_EXEC_INFO_USM_PTRS_INTEL) ||
        !readable_bytes(&looking->thread->readable, list, size))
        return;
    for (size_t i = 0; i < size / sizeof *list; i++)
        look_at(looking, words[API_clSetKernelExecInfo_kernel], list[i]);
}

/* ---- a kernel is launched ---- */

static bool is_found(const struct looking *looking, const struct own_part *block)
{
    live_lock(looking->live);
    const struct live_object *object = live_find(looking->live, block->first);
    const bool is = object && object->is_found && object->size == block->size;
    live_unlock(looking->live);
    return is;
}

/* Blocks that the words of the part point to are found, too. */
static void follow(const struct looking *looking, const struct way *way,
                   const struct own_part *part)
{
    const uint64_t *word = (const uint64_t *)((part->first + 7) & ~UINT64_C(7));
    const uint64_t *end = (const uint64_t *)((part->first + part->size) & ~UINT64_C(7));
    struct own_part block;
    if (!readable_bytes(&looking->thread->readable, (const void *)part->first, part->size))
        return;
    for (; word < end; word++)
        if (own_part_find_block(*word, &block) && !is_found(looking, &block))
            take(looking, way, &block);
}

/* What clSetKernelExecInfo would name: all that was found, beside what the program has named. NULL:
 * the kernel has that already. */
static uint64_t *list_named(const struct looking *looking, uint64_t kernel, size_t *count)
{
    const struct own_memory *found = looking->found;
    struct live_object *object = live_find(looking->live, kernel);
    if (!object || object->kind != API_OBJECT_KERNEL || object->named_version == found->version)
        return NULL;
    const struct live_list *named = &object->lists[LIVE_SVM];
    *count = found->count + named->count;
    uint64_t *list = arena_alloc(&looking->thread->arena, *count + 1, sizeof *list);
    if (!list)
        return NULL;
    object->named_version = found->version;
    for (size_t i = 0; i < found->count; i++)
        list[i] = found->list[i].first;
    if (named->count > 0)
        memcpy(list + found->count, named->items, named->count * sizeof *list);
    return list;
}

/* Kernels may follow any pointer to the program's own memory, but only those to allocations that
 * are named for them. */
static void name_all(const struct looking *looking, uint64_t kernel)
{
    size_t count = 0;
    live_lock(looking->live);
    const uint64_t *list = list_named(looking, kernel, &count);
    live_unlock(looking->live);
    const uint64_t words[API_ARGUMENT_MAX] = {
        [API_clSetKernelExecInfo_kernel] = kernel,
        [API_clSetKernelExecInfo_param_name] = CL_KERNEL_EXEC_INFO_SVM_PTRS,
        [API_clSetKernelExecInfo_param_value_size] = count * sizeof *list,
        [API_clSetKernelExecInfo_param_value] = (uint64_t)list};
    if (list)
        record(looking, API_ENTRY_clSetKernelExecInfo, words, CL_SUCCESS);
}

static void look_before_launch(const struct looking *looking, uint64_t kernel)
{
    struct own_memory *found = looking->found;
    struct way way;
    if (found->count == 0 || !find_way_in_driver(looking, kernel, &way))
        return;
    for (size_t i = found->count; i-- > 0;)
        if (!own_part_is_current(&found->list[i]))
            drop(looking, &way, i);
    for (size_t i = 0; i < found->count; i++) { /* of which there may be more each time */
        const struct own_part part = found->list[i];
        if (part.is_block)
            follow(looking, &way, &part);
    }
    name_all(looking, kernel);
}

bool found_concerns(uint32_t entry)
{
    return entry == API_ENTRY_clSetKernelArgSVMPointer ||
           entry == API_ENTRY_clSetKernelArgMemPointerINTEL ||
           entry == API_ENTRY_clSetKernelExecInfo || api_entry_launches(entry);
}

void found_look(struct session *session, struct layer_thread *thread, uint32_t entry,
                const uint64_t *words)
{
    const struct looking looking = {session, thread, session->found, session->live};
    if (api_entry_launches(entry) && !live_has_shared(session->live))
        return; /* nothing was found */
    pthread_mutex_lock(&session->found->mutex);
    if (entry == API_ENTRY_clSetKernelExecInfo)
        look_at_list(&looking, words);
    else if (api_entry_launches(entry))
        look_before_launch(&looking, words[API_clEnqueueNDRangeKernel_kernel]);
    else
        look_at(&looking, words[API_clSetKernelArgSVMPointer_kernel],
                words[API_clSetKernelArgSVMPointer_arg_value]);
    pthread_mutex_unlock(&session->found->mutex);
}
_Static_assert((int)API_clSetKernelArgSVMPointer_kernel ==
                       (int)API_clSetKernelArgMemPointerINTEL_kernel &&
                   (int)API_clSetKernelArgSVMPointer_arg_value ==
                       (int)API_clSetKernelArgMemPointerINTEL_arg_value,
               "the address of an argument is in one place");
