#include "layer/probes/written.h"

#include "layer/probes/written_table.h"
#include "layer/targets.h"
#include "trace/base/alloc.h"
#include "trace/effect/effect.h"

struct written *written_create(struct shadows *shadows)
{
    struct written *written = alloc_zero(1, sizeof *written);
    if (!written)
        return NULL;
    written->shadows = shadows;
    pthread_mutex_init(&written->mutex, NULL);
    return written;
}

/* ---- the table: with the mutex ---- */

struct followed *followed_find(const struct written *written, uint64_t object)
{
    struct followed *followed;
    HASH_FIND(hh, written->followed, &object, sizeof object, followed);
    return followed;
}

void followed_drop(struct written *written, struct followed *followed)
{
    if (!followed)
        return;
    HASH_DEL(written->followed, followed);
    written_map_drop(&followed->map, written->shadows);
    byte_ranges_release(&followed->host);
    alloc_free(followed);
    atomic_fetch_sub(&written->count, 1);
}

static void add(struct written *written, uint64_t object, uint64_t size)
{
    struct followed *followed = alloc_zero(1, sizeof *followed);
    bool added = followed != NULL;
    if (!followed)
        return;
    *followed = (struct followed){.object = object, .size = size};
    HASH_ADD(hh, written->followed, object, sizeof followed->object, followed);
    if (added)
        atomic_fetch_add(&written->count, 1);
    else
        alloc_free(followed);
}

uint64_t written_root_of(uint64_t memory, uint64_t *offset)
{
    cl_mem whole = NULL;
    size_t before = 0;
    LAYER_TARGET(clGetMemObjectInfo)
    ((cl_mem)memory, CL_MEM_ASSOCIATED_MEMOBJECT, sizeof whole, &whole, NULL);
    if (whole)
        LAYER_TARGET(clGetMemObjectInfo)
    ((cl_mem)memory, CL_MEM_OFFSET, sizeof before, &before, NULL);
    *offset = before;
    return whole ? (uint64_t)whole : memory;
}

struct followed *followed_find_root(const struct written *written, uint64_t memory,
                                    uint64_t *offset)
{
    struct followed *followed = followed_find(written, memory);
    *offset = 0;
    return followed ? followed : followed_find(written, written_root_of(memory, offset));
}

void following_free(struct written *written, struct following *following)
{
    for (size_t i = 0; i < following->count; i++) {
        if (following->objects[i].map)
            LAYER_TARGET(clReleaseMemObject)(following->objects[i].map);
        written_map_drop(&following->objects[i].before, written->shadows);
    }
    for (size_t i = 0; i < following->event_count; i++)
        LAYER_TARGET(clReleaseEvent)(following->events[i]);
    alloc_free(following->events);
    alloc_free(following);
}

void written_destroy(struct written *written)
{
    if (!written)
        return;
    while (written->kept) {
        struct following *kept = written->kept;
        written->kept = kept->next;
        following_free(written, kept);
    }
    while (written->followed)
        followed_drop(written, written->followed);
    pthread_mutex_destroy(&written->mutex);
    alloc_free(written);
}

/* ---- objects ---- */

/* Nothing but what nobody has written is in a buffer that is made so. */
static bool is_made_empty(const struct api_call *call, uint64_t *size)
{
    const struct api_value *a = call->arguments;
    const cl_mem_flags known = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY |
                               CL_MEM_ALLOC_HOST_PTR | CL_MEM_HOST_WRITE_ONLY |
                               CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS |
                               CL_MEM_KERNEL_READ_AND_WRITE;
    const bool is_new = call->entry == API_ENTRY_clCreateBufferWithProperties;
    if (!is_new && call->entry != API_ENTRY_clCreateBuffer)
        return false;
    const struct api_value *properties = &a[API_clCreateBufferWithProperties_properties];
    const cl_mem_flags flags =
        a[is_new ? (uint32_t)API_clCreateBufferWithProperties_flags : API_clCreateBuffer_flags]
            .bits;
    *size =
        a[is_new ? (uint32_t)API_clCreateBufferWithProperties_size : API_clCreateBuffer_size].bits;
    return *size > 0 && (flags & ~known) == 0 &&
           !(is_new && properties->present && properties->count > 1);
}

void written_made(struct written *written, const struct api_call *call)
{
    const uint64_t object = call->result.bits;
    uint64_t size, offset;
    if (object == 0 || api_entry_get(call->entry)->return_kind != API_OBJECT_MEM)
        return;
    const bool is_empty = is_made_empty(call, &size);
    const bool is_part = call->entry == API_ENTRY_clCreateSubBuffer;
    const uint64_t root = is_empty || is_part ? object : written_root_of(object, &offset);
    pthread_mutex_lock(&written->mutex);
    followed_drop(written, followed_find(written, object));
    if (is_empty)
        add(written, object, size);
    else if (root != object) /* an image is made out of it */
        followed_drop(written, followed_find_root(written, root, &offset));
    pthread_mutex_unlock(&written->mutex);
}

void written_forget(struct written *written, uint64_t object)
{
    pthread_mutex_lock(&written->mutex);
    followed_drop(written, followed_find(written, object));
    pthread_mutex_unlock(&written->mutex);
}

void written_assume(struct written *written, uint64_t memory)
{
    uint64_t offset;
    if (memory == 0 || !followed_any(written))
        return;
    pthread_mutex_lock(&written->mutex);
    followed_drop(written, followed_find_root(written, memory, &offset));
    pthread_mutex_unlock(&written->mutex);
}

void written_assume_all(struct written *written)
{
    pthread_mutex_lock(&written->mutex);
    while (written->followed)
        followed_drop(written, written->followed);
    pthread_mutex_unlock(&written->mutex);
}

void written_assume_arguments(struct written *written, const struct probed *probed)
{
    if (!followed_any(written) || !probed->kernel)
        return;
    pthread_mutex_lock(&written->mutex);
    for (uint32_t i = 0; i < probed->checked->argument_count; i++)
        followed_drop(written, followed_find(written, probed->reaches[i].object));
    pthread_mutex_unlock(&written->mutex);
}

/* ---- commands of the host ---- */

/* Is there more to know of it? Else it is dropped. */
static bool mark(struct written *written, struct followed *followed, uint64_t begin, uint64_t end)
{
    end = end < followed->size ? end : followed->size;
    if (begin >= end || byte_ranges_hold(&followed->host, begin, end))
        return true;
    if (!followed->is_copied && byte_ranges_add(&followed->host, begin, end) &&
        (!followed->map.buffer || written_map_fill(&followed->map, begin, end)) &&
        !byte_ranges_hold(&followed->host, 0, followed->size))
        return true;
    followed_drop(written, followed);
    return false;
}

static void mark_rectangle(struct written *written, struct followed *followed, uint64_t offset,
                           const struct rectangle *bytes)
{
    const bool is_one = rectangle_is_packed(bytes);
    const uint64_t slices = is_one ? 1 : bytes->slices, rows = is_one ? 1 : bytes->rows;
    const uint64_t size = is_one ? bytes->row_size * bytes->rows * bytes->slices : bytes->row_size;
    for (uint64_t slice = 0; slice < slices; slice++) {
        for (uint64_t row = 0; row < rows; row++) {
            const uint64_t begin =
                offset + bytes->first + slice * bytes->slice_pitch + row * bytes->row_pitch;
            if (!mark(written, followed, begin, begin + size))
                return;
        }
    }
}

/* Images are never followed, so nothing has to be known of them. */
static struct image_shape no_image(void *user, uint64_t image)
{
    (void)user, (void)image;
    return (struct image_shape){0};
}

static void note_effect(struct written *written, const struct effect *effect)
{
    uint64_t offset;
    if (effect->place != EFFECT_BUFFER || effect->kind == EFFECT_READS)
        return;
    pthread_mutex_lock(&written->mutex);
    struct followed *followed = followed_find_root(written, effect->memory, &offset);
    if (followed && effect->known)
        mark_rectangle(written, followed, offset, &effect->bytes);
    else
        followed_drop(written, followed);
    pthread_mutex_unlock(&written->mutex);
}

/* All memory objects that the call names. */
static void assume_named(struct written *written, const struct api_call *call)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    for (uint32_t i = 0; i < info->parameter_count; i++) {
        const struct api_value *value = &call->arguments[i];
        const uint64_t *handles = value->kind == API_VALUE_HANDLES ? value->data : NULL;
        if (info->parameters[i].kind != API_OBJECT_MEM)
            continue;
        if (value->kind == API_VALUE_HANDLE)
            written_assume(written, value->bits);
        for (uint32_t k = 0; handles && k < value->count; k++)
            written_assume(written, handles[k]);
    }
}

/* ---- copies of what is not written whole ---- */

struct copied {
    struct followed *from, *to; /* NULL = it counts as written */
    uint64_t from_begin, to_begin, size;
};

/* Does what was written of the source come along? With the mutex. */
static bool carries(const struct written *written, const struct api_call *call,
                    struct copied *copied)
{
    const struct api_value *a = call->arguments;
    uint64_t from, to;
    if (call->entry != API_ENTRY_clEnqueueCopyBuffer)
        return false;
    copied->from = followed_find_root(written, a[API_clEnqueueCopyBuffer_src_buffer].bits, &from);
    copied->to = followed_find_root(written, a[API_clEnqueueCopyBuffer_dst_buffer].bits, &to);
    copied->size = a[API_clEnqueueCopyBuffer_size].bits;
    copied->from_begin = from + a[API_clEnqueueCopyBuffer_src_offset].bits;
    copied->to_begin = to + a[API_clEnqueueCopyBuffer_dst_offset].bits;
    return copied->from && copied->to && copied->from != copied->to &&
           !byte_ranges_hold(&copied->from->host, copied->from_begin,
                             copied->from_begin + copied->size);
}

static bool is_in_order(cl_command_queue queue)
{
    cl_command_queue_properties properties = 0;
    return LAYER_TARGET(clGetCommandQueueInfo)(queue, CL_QUEUE_PROPERTIES, sizeof properties,
                                               &properties, NULL) == CL_SUCCESS &&
           (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
}

static bool has_map(struct written *written, struct followed *followed, cl_command_queue queue)
{
    return followed->map.buffer || written_map_create(&followed->map, written->shadows, queue,
                                                      followed->size, &followed->host);
}

static bool carry(struct written *written, const struct api_call *call, const struct copied *copied)
{
    const struct api_value *a = call->arguments;
    const struct api_value *list = &a[API_clEnqueueCopyBuffer_event_wait_list];
    cl_command_queue queue = (cl_command_queue)a[API_clEnqueueCopyBuffer_command_queue].bits;
    struct followed *to = copied->to;
    if (!is_in_order(queue) || !has_map(written, copied->from, queue) ||
        !has_map(written, to, queue) ||
        LAYER_TARGET(clEnqueueCopyBuffer)(
            queue, copied->from->map.buffer, to->map.buffer, copied->from_begin, copied->to_begin,
            copied->size, list->kind == API_VALUE_HANDLES ? list->count : 0,
            list->kind == API_VALUE_HANDLES && list->count > 0 ? list->data : NULL,
            NULL) != CL_SUCCESS)
        return false;
    to->is_copied = true;
    to->full_until = copied->to_begin < to->full_until ? copied->to_begin : to->full_until;
    return byte_ranges_remove(&to->host, copied->to_begin, copied->to_begin + copied->size);
}

/* In front of it, in the same queue: who waits for the copy finds the map so. */
void written_before(struct written *written, const struct api_call *call)
{
    struct copied copied;
    if (call->entry != API_ENTRY_clEnqueueCopyBuffer || !followed_any(written))
        return;
    pthread_mutex_lock(&written->mutex);
    if (carries(written, call, &copied) && !carry(written, call, &copied))
        followed_drop(written, copied.to);
    pthread_mutex_unlock(&written->mutex);
}

void written_enqueued(struct written *written, const struct api_call *call)
{
    const uint32_t commands = API_ENTRY_ENQUEUES | API_ENTRY_RECORDS;
    struct effects effects;
    struct copied copied;
    if (!followed_any(written))
        return;
    if (call->entry == API_ENTRY_clUpdateMutableCommandsKHR) {
        written_assume_all(written);
        return;
    }
    if ((api_entry_get(call->entry)->flags & commands) == 0 ||
        call->entry == API_ENTRY_clEnqueueMigrateMemObjects)
        return;
    if (!effects_know(call->entry)) {
        assume_named(written, call);
        return;
    }
    pthread_mutex_lock(&written->mutex);
    const bool is_carried = carries(written, call, &copied);
    pthread_mutex_unlock(&written->mutex);
    effects_of(call, no_image, NULL, &effects);
    for (uint32_t i = 0; i < effects.count && !is_carried; i++)
        note_effect(written, &effects.items[i]);
}
