/* Which bytes each call has, and what it teaches. */
#include "layer/capture.h"
#include "layer/contents_private.h"
#include "layer/image.h"

#include <string.h>

/* Does the call interest us when nothing is pending? */
static bool matters(uint32_t entry)
{
    switch (entry) {
    case API_ENTRY_clEnqueueReadBuffer:
    case API_ENTRY_clEnqueueReadBufferRect:
    case API_ENTRY_clEnqueueReadImage:
    case API_ENTRY_clEnqueueMapBuffer:
    case API_ENTRY_clEnqueueMapImage:
    case API_ENTRY_clEnqueueSVMMap:
    case API_ENTRY_clEnqueueSVMMemcpy:
    case API_ENTRY_clEnqueueMemcpyINTEL:
    case API_ENTRY_clCreateCommandQueue:
    case API_ENTRY_clCreateCommandQueueWithProperties:
    case API_ENTRY_clCreateCommandQueueWithPropertiesKHR:
    case API_ENTRY_clCreateImage:
    case API_ENTRY_clCreateImageWithProperties:
    case API_ENTRY_clCreateImage2D:
    case API_ENTRY_clCreateImage3D:
    case API_ENTRY_clCreateBuffer:
    case API_ENTRY_clCreateBufferWithProperties:
    case API_ENTRY_clCreateSubBuffer:
    case API_ENTRY_clSVMAlloc:
        return true;
    default:
        return false;
    }
}

/* Of those which it does not, the ones whose input is saved. */
static bool takes_bytes(uint32_t entry)
{
    return entry == API_ENTRY_clEnqueueWriteBuffer || entry == API_ENTRY_clEnqueueWriteBufferRect ||
           entry == API_ENTRY_clEnqueueWriteImage || entry == API_ENTRY_clEnqueueUnmapMemObject ||
           entry == API_ENTRY_clEnqueueSVMUnmap;
}

/* What other commands do to shared memory is asked once there is some; arguments are followed from
 * then on at the latest. */
static enum live_interest interest_in(uint32_t entry)
{
    const enum live_interest interest = live_interest_in(entry);
    if (matters(entry) || takes_bytes(entry))
        return LIVE_ALWAYS;
    return interest == LIVE_NEVER && api_entry_get(entry)->flags & API_ENTRY_ENQUEUES
               ? LIVE_ARGUMENTS
               : interest;
}

struct contents *contents_create(struct spool *spool, struct live *live)
{
    struct contents *contents = alloc_zero(1, sizeof *contents);
    if (contents) {
        contents->spool = spool;
        contents->live = live;
        for (uint32_t entry = 0; entry < API_ENTRY_COUNT; entry++)
            contents->interest[entry] = (uint8_t)interest_in(entry);
        pthread_mutex_init(&contents->mutex, NULL);
    }
    return contents;
}

void contents_destroy(struct contents *contents)
{
    struct known *known, *next_known;
    if (!contents)
        return;
    HASH_ITER(hh, contents->known, known, next_known)
    {
        HASH_DEL(contents->known, known);
        alloc_free(known);
    }
    contents_pending_release(contents);
    while (contents->mappings) {
        struct mapping *next = contents->mappings->next;
        contents_map_free(contents->mappings);
        contents->mappings = next;
    }
    pthread_mutex_destroy(&contents->mutex);
    alloc_free(contents);
}

/* Is the address in shared virtual memory? That is the driver's memory, not input or output. */
static bool is_svm(const struct contents *contents, uint64_t address)
{
    live_lock(contents->live);
    const bool is_shared = live_find_shared(contents->live, address) != NULL;
    live_unlock(contents->live);
    return is_shared;
}

static struct image_shape image_of(void *user, uint64_t image)
{
    const struct known *known = contents_known(user, image);
    return known ? known->image : (struct image_shape){0};
}

/* The host's memory that the call reads, writes or maps; with the mutex. */
static bool find_host(struct contents *contents, const struct api_call *call, enum effect_kind kind,
                      struct effect *found)
{
    struct effects effects;
    effects_of(call, image_of, contents, &effects);
    for (uint32_t i = 0; i < effects.count; i++) {
        *found = effects.items[i];
        if (found->kind == kind && found->known &&
            (found->place == EFFECT_HOST ||
             (found->place == EFFECT_SHARED &&
              (kind == EFFECT_MAPS || !is_svm(contents, found->memory)))))
            return true;
    }
    return false;
}

static void after_map(struct contents *contents, const struct api_call *call, struct probe *probe)
{
    const bool is_svm_map = call->entry == API_ENTRY_clEnqueueSVMMap;
    const uint64_t flags = call->arguments[is_svm_map ? (int)API_clEnqueueSVMMap_flags
                                                      : (int)API_clEnqueueMapBuffer_map_flags]
                               .bits;
    const uint64_t mem = is_svm_map ? 0 : call->arguments[API_clEnqueueMapBuffer_buffer].bits;
    struct effect shown;
    if (find_host(contents, call, EFFECT_MAPS, &shown))
        contents_mapped(contents, call, mem, flags, &shown, probe);
}
SAME_PLACE(API_clEnqueueMapBuffer_map_flags, API_clEnqueueMapImage_map_flags);
SAME_PLACE(API_clEnqueueMapBuffer_buffer, API_clEnqueueMapImage_image);

/* ---- creates (with the mutex) ---- */

static void after_create_queue(struct contents *contents, const struct api_call *call)
{
    const struct api_value *properties = &call->arguments[API_clCreateCommandQueue_properties];
    cl_command_queue_properties flags = 0;
    if (properties->kind == API_VALUE_SCALAR)
        flags = properties->bits;
    const uint64_t *list = properties->kind == API_VALUE_PROPERTIES ? properties->data : NULL;
    for (uint32_t i = 0; list && i + 1 < properties->count; i += 2)
        if (list[i] == CL_QUEUE_PROPERTIES)
            flags = list[i + 1];
    contents_know(contents,
                  &(struct known){.handle = call->result.bits,
                                  .in_order = !(flags & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE)});
}
SAME_PLACE(API_clCreateCommandQueue_properties, API_clCreateCommandQueueWithProperties_properties);
SAME_PLACE(API_clCreateCommandQueue_properties,
           API_clCreateCommandQueueWithPropertiesKHR_properties);

static void after_create_image(struct contents *contents, const struct api_call *call)
{
    struct image_create create;
    if (image_create_parse(call, &create))
        contents_know(contents,
                      &(struct known){.handle = call->result.bits,
                                      .image = image_shape_of(create.format, &create.desc)});
}

/* ---- the calls ---- */

static void before_command(struct contents *contents, const struct api_call *call,
                           struct probe *probe)
{
    struct shared_uses *uses = shared_begin(contents->live, contents->spool, call, probe);
    if (!uses)
        return;
    pthread_mutex_lock(&contents->mutex);
    contents_command_begins(contents, call, uses);
    pthread_mutex_unlock(&contents->mutex);
}

/* Asked of every call, without the mutex. */
static bool is_interested(const struct contents *contents, const struct api_call *call)
{
    const enum live_interest interest = (enum live_interest)contents->interest[call->entry];
    return interest == LIVE_ALWAYS ||
           (interest == LIVE_ARGUMENTS && live_follows_arguments(contents->live));
}

static void before(struct contents *contents, const struct api_call *call, struct probe *probe)
{
    const struct api_value *a = call->arguments;
    struct effect bytes;
    bool found;
    live_before(contents->live, call);
    if (live_has_shared(contents->live) && api_entry_get(call->entry)->flags & API_ENTRY_ENQUEUES)
        before_command(contents, call, probe);
    switch (call->entry) {
    case API_ENTRY_clEnqueueWriteBuffer:
    case API_ENTRY_clEnqueueWriteBufferRect:
    case API_ENTRY_clEnqueueWriteImage:
    case API_ENTRY_clEnqueueSVMMemcpy:
    case API_ENTRY_clEnqueueMemcpyINTEL:
        pthread_mutex_lock(&contents->mutex);
        found = find_host(contents, call, EFFECT_READS, &bytes);
        pthread_mutex_unlock(&contents->mutex);
        if (found)
            host_bytes_save(&bytes, contents->spool, call->id, probe);
        break;
    case API_ENTRY_clCreateBuffer:
    case API_ENTRY_clCreateBufferWithProperties:
    case API_ENTRY_clCreateImage:
    case API_ENTRY_clCreateImageWithProperties:
    case API_ENTRY_clCreateImage2D:
    case API_ENTRY_clCreateImage3D:
        if (effect_of_create(call, &bytes))
            host_bytes_save(&bytes, contents->spool, call->id, probe);
        break;
    case API_ENTRY_clEnqueueUnmapMemObject:
        pthread_mutex_lock(&contents->mutex);
        contents_unmapped(contents, call, a[API_clEnqueueUnmapMemObject_memobj].bits,
                          API_clEnqueueUnmapMemObject_mapped_ptr, probe);
        pthread_mutex_unlock(&contents->mutex);
        break;
    case API_ENTRY_clEnqueueSVMUnmap:
        pthread_mutex_lock(&contents->mutex);
        contents_unmapped(contents, call, 0, API_clEnqueueSVMUnmap_svm_ptr, probe);
        pthread_mutex_unlock(&contents->mutex);
        break;
    default:
        break;
    }
}

void contents_before(struct contents *contents, const struct api_call *call, struct probe *probe)
{
    if (is_interested(contents, call))
        before(contents, call, probe);
}

/* What the call taught about handles. True when that was all there was to it. */
static bool learn(struct contents *contents, const struct api_call *call)
{
    switch (call->entry) {
    case API_ENTRY_clCreateCommandQueue:
    case API_ENTRY_clCreateCommandQueueWithProperties:
    case API_ENTRY_clCreateCommandQueueWithPropertiesKHR:
        after_create_queue(contents, call);
        return true;
    case API_ENTRY_clCreateImage:
    case API_ENTRY_clCreateImageWithProperties:
    case API_ENTRY_clCreateImage2D:
    case API_ENTRY_clCreateImage3D:
        after_create_image(contents, call);
        return true;
    case API_ENTRY_clCreateBuffer:
    case API_ENTRY_clCreateBufferWithProperties:
    case API_ENTRY_clCreateSubBuffer:
    case API_ENTRY_clSVMAlloc:
        contents_forget(contents, call->result.bits);
        return true;
    default:
        return false;
    }
}

/* The application was told that something is complete. */
static void synchronise(struct contents *contents, const struct api_call *call, struct probe *probe)
{
    const struct api_value *a = call->arguments;
    switch (call->entry) {
    case API_ENTRY_clFinish:
        contents_queue_over(contents, a[0].bits, UINT64_MAX, probe);
        break;
    case API_ENTRY_clWaitForEvents: {
        const struct api_value *list = &a[API_clWaitForEvents_event_list];
        const uint64_t *events = list->kind == API_VALUE_HANDLES ? list->data : NULL;
        for (uint32_t i = 0; events && i < list->count; i++)
            contents_event_over(contents, events[i], probe);
        break;
    }
    case API_ENTRY_clGetEventInfo: {
        const struct api_value *answer = &a[API_clGetEventInfo_param_value];
        if (a[API_clGetEventInfo_param_name].bits == CL_EVENT_COMMAND_EXECUTION_STATUS &&
            answer->kind == API_VALUE_BYTES && answer->size == sizeof(cl_int) &&
            *(const cl_int *)answer->data == CL_COMPLETE)
            contents_event_over(contents, a[API_clGetEventInfo_event].bits, probe);
        break;
    }
    default:
        if (api_entry_get(call->entry)->flags & API_ENTRY_ENQUEUES)
            contents_enqueued(contents, call, probe);
        break;
    }
}

static void after_success(struct contents *contents, const struct api_call *call,
                          struct probe *probe)
{
    struct effect bytes;
    if (learn(contents, call))
        return;
    switch (call->entry) {
    case API_ENTRY_clEnqueueReadBuffer:
    case API_ENTRY_clEnqueueReadBufferRect:
    case API_ENTRY_clEnqueueReadImage:
    case API_ENTRY_clEnqueueSVMMemcpy:
    case API_ENTRY_clEnqueueMemcpyINTEL:
        if (find_host(contents, call, EFFECT_WRITES, &bytes))
            contents_give_back(contents, call, &bytes, NULL, probe);
        break;
    case API_ENTRY_clEnqueueMapBuffer:
    case API_ENTRY_clEnqueueMapImage:
    case API_ENTRY_clEnqueueSVMMap:
        after_map(contents, call, probe);
        break;
    case API_ENTRY_clEnqueueWriteBuffer:
    case API_ENTRY_clEnqueueWriteBufferRect:
    case API_ENTRY_clEnqueueWriteImage:
        if (api_call_blocks(call) && contents_in_order(contents, call->arguments[0].bits))
            contents_queue_over(contents, call->arguments[0].bits, UINT64_MAX, probe);
        break;
    default:
        break;
    }
    if (contents->pending)
        synchronise(contents, call, probe);
}

static void after(struct contents *contents, const struct api_call *call, struct probe *probe)
{
    const bool succeeded = capture_succeeded(call);
    const bool has_shared = live_has_shared(contents->live);
    live_after(contents->live, call);
    if ((atomic_load(&contents->pending_count) == 0 && !matters(call->entry)) ||
        (!succeeded && !has_shared))
        return;
    pthread_mutex_lock(&contents->mutex);
    contents->teller = call->id;
    if (!succeeded) {
        contents_command_failed(contents, call);
    } else {
        if (has_shared)
            contents_command_enqueued(contents, call);
        after_success(contents, call, probe);
        if (has_shared)
            contents_command_over(contents, call, probe);
    }
    pthread_mutex_unlock(&contents->mutex);
}

void contents_after(struct contents *contents, const struct api_call *call, struct probe *probe)
{
    if (is_interested(contents, call) || atomic_load(&contents->pending_count) != 0)
        after(contents, call, probe);
}

void contents_event_complete(struct contents *contents, cl_event event, struct probe *probe)
{
    if (atomic_load(&contents->pending_count) == 0)
        return;
    pthread_mutex_lock(&contents->mutex);
    contents->teller = 0;
    contents_event_over(contents, (uint64_t)event, probe);
    pthread_mutex_unlock(&contents->mutex);
}
