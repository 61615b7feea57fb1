#include "layer/contents.h"

#include "layer/blocks.h"
#include "layer/capture.h"
#include "layer/hash.h"
#include "layer/image.h"
#include "layer/region.h"
#include "layer/shared.h"
#include "layer/transfer.h"
#include "trace/base/size.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* What the layer knows about handles, for regions and order. A handle that is created anew replaces
 * what was known of the old one. */
struct known {
    uint64_t handle;
    bool in_order;               /* of a queue */
    struct transfer_image image; /* of an image */
    bool was_mapped;             /* of memory: for writing, once */
    UT_hash_handle hh;
};

struct mapping {
    struct mapping *next;
    uint64_t mem; /* 0 = SVM */
    cl_map_flags flags;
    struct region region;
    bool ready;           /* the map is complete, and `blocks` has noted what it showed */
    struct blocks blocks; /* of one for writing */
    bool unmapped;        /* while its completion is still awaited: freed when that comes */
};

/* A command whose bytes are not there yet. */
struct pending {
    struct pending *next;
    uint64_t call_id;
    uint32_t argument;
    uint64_t queue, sequence;
    uint64_t event; /* 0 = the application asked for none */
    struct region region;
    struct mapping *mapping;  /* of a map; else NULL */
    struct shared_uses *uses; /* of shared memory: then nothing else is awaited here; else NULL */
};

/* What is over when a command is, which has the event (0 = none) and its place in the queue: all
 * before it in the queue, if that is in order, and what it waited for. */
struct mark {
    struct mark *next;
    uint64_t event, queue, sequence;
    uint64_t waited; /* an event; 0 = it stands for what is before it */
};

/* The application learns that the event's command is over, or (event 0) the queue's up to there. */
struct told {
    uint64_t event, queue, sequence;
};

struct contents {
    struct spool *spool;
    struct live *live;
    pthread_mutex_t mutex; /* guards all that follows; taken before the lock of `live` */
    struct known *known;
    struct mapping *mappings;
    struct pending *pending;
    struct mark *marks;
    uint64_t sequence;
    uint64_t teller; /* the call by which the program learns what is complete; 0 = a callback */
    atomic_uint_fast64_t pending_count; /* read without the mutex: usually 0 */
};

struct contents *contents_create(struct spool *spool, struct live *live)
{
    struct contents *contents = alloc_zero(1, sizeof *contents);
    if (contents) {
        contents->spool = spool;
        contents->live = live;
        pthread_mutex_init(&contents->mutex, NULL);
    }
    return contents;
}

static void mapping_free(struct mapping *mapping)
{
    blocks_release(&mapping->blocks);
    alloc_free(mapping);
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
    while (contents->pending) {
        struct pending *next = contents->pending->next;
        if (contents->pending->mapping && contents->pending->mapping->unmapped)
            mapping_free(contents->pending->mapping); /* the others are in the list below */
        if (contents->pending->uses)
            shared_drop(contents->pending->uses);
        alloc_free(contents->pending);
        contents->pending = next;
    }
    while (contents->mappings) {
        struct mapping *next = contents->mappings->next;
        mapping_free(contents->mappings);
        contents->mappings = next;
    }
    while (contents->marks) {
        struct mark *next = contents->marks->next;
        alloc_free(contents->marks);
        contents->marks = next;
    }
    pthread_mutex_destroy(&contents->mutex);
    alloc_free(contents);
}

/* ---- what is known of handles (with the mutex) ---- */

static struct known *known_find(const struct contents *contents, uint64_t handle)
{
    struct known *known;
    HASH_FIND(hh, contents->known, &handle, sizeof handle, known);
    return known;
}

static void known_set(struct contents *contents, const struct known *fresh)
{
    struct known *known = known_find(contents, fresh->handle);
    if (known) {
        known->in_order = fresh->in_order;
        known->image = fresh->image;
        known->was_mapped = fresh->was_mapped;
        return;
    }
    known = alloc(sizeof *known);
    if (!known)
        return;
    bool added = true;
    *known = *fresh;
    HASH_ADD(hh, contents->known, handle, sizeof known->handle, known);
    if (!added)
        alloc_free(known);
}

static void known_remove(struct contents *contents, uint64_t handle)
{
    struct known *known = known_find(contents, handle);
    if (known) {
        HASH_DEL(contents->known, known);
        alloc_free(known);
    }
}

/* Is the address in shared virtual memory? That is the driver's memory, not input or output. */
static bool is_svm(const struct contents *contents, uint64_t address)
{
    live_lock(contents->live);
    const bool is_shared = live_find_shared(contents->live, address) != NULL;
    live_unlock(contents->live);
    return is_shared;
}

#define SAME_PLACE(a, b) _Static_assert((int)(a) == (int)(b), #a " is not in the place of " #b)

static const void *pointer(const struct api_value *value)
{
    return (const void *)value->bits;
}

/* ---- maps (with the mutex) ---- */

/* The first map of memory for writing shows what the driver left there, if nothing was written
 * before, and what the program writes may be the same by chance: so it is kept. */
static bool shows_first(struct contents *contents, const struct mapping *mapping)
{
    const uint64_t handle = mapping->mem ? mapping->mem : (uintptr_t)mapping->region.base;
    struct known *known = known_find(contents, handle);
    if (!(mapping->flags & CL_MAP_WRITE) || (known && known->was_mapped))
        return false;
    if (known)
        known->was_mapped = true;
    else
        known_set(contents, &(struct known){.handle = handle, .was_mapped = true});
    return true;
}

/* The map is complete: what it shows is a result of the run, and what a write through it is
 * compared with. */
static void mapping_ready(struct contents *contents, uint64_t call_id, struct mapping *mapping,
                          struct probe *probe)
{
    uint64_t size;
    mapping->ready = true;
    if (shows_first(contents, mapping) || (mapping->flags & CL_MAP_READ))
        region_save(&mapping->region, contents->spool, call_id, API_ARGUMENT_RESULT, probe);
    if (!(mapping->flags & CL_MAP_WRITE) || !region_span(&mapping->region, &size))
        return;
    blocks_init(&mapping->blocks, mapping->region.base + mapping->region.offset, size);
    blocks_note(&mapping->blocks, probe);
}

/* Saves what changed since the map; all of it where that is not known. */
static void mapping_save_changes(struct contents *contents, struct mapping *mapping,
                                 const struct api_call *call, uint32_t argument,
                                 struct probe *probe)
{
    const struct region *region = &mapping->region;
    uint64_t size;
    if (!(mapping->flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) ||
        !region_span(region, &size))
        return;
    mapping->blocks.bytes = region->base + region->offset;
    mapping->blocks.size = size;
    blocks_save_changes(&mapping->blocks, contents->spool, call->id, argument, region->offset,
                        probe);
}

static void unmapped(struct contents *contents, const struct api_call *call, uint64_t mem,
                     uint32_t argument, struct probe *probe)
{
    const char *ptr = pointer(&call->arguments[argument]);
    for (struct mapping **at = &contents->mappings; *at; at = &(*at)->next) {
        struct mapping *mapping = *at;
        if (mapping->mem != mem || mapping->region.base != ptr)
            continue;
        mapping_save_changes(contents, mapping, call, argument, probe);
        *at = mapping->next;
        mapping->unmapped = true;
        if (mapping->ready)
            mapping_free(mapping);
        return;
    }
}

/* ---- completion (with the mutex) ---- */

static void pending_complete(struct contents *contents, struct pending *pending,
                             struct probe *probe)
{
    if (pending->uses) {
        shared_complete(pending->uses, contents->spool, contents->teller, probe);
    } else if (!pending->mapping) {
        region_save(&pending->region, contents->spool, pending->call_id, pending->argument, probe);
    } else if (pending->mapping->unmapped) {
        mapping_free(pending->mapping);
    } else {
        mapping_ready(contents, pending->call_id, pending->mapping, probe);
    }
}

static void complete_matching(struct contents *contents, const struct told *told,
                              struct probe *probe)
{
    for (struct pending **at = &contents->pending; *at;) {
        struct pending *pending = *at;
        const bool matches =
            told->event != 0 ? pending->event == told->event
                             : pending->queue == told->queue && pending->sequence <= told->sequence;
        if (!matches) {
            at = &pending->next;
            continue;
        }
        *at = pending->next;
        pending_complete(contents, pending, probe);
        alloc_free(pending);
        atomic_fetch_sub(&contents->pending_count, 1);
    }
}

/* The marks of what is over say what else is, and go. */
static void follow_marks(struct contents *contents, const struct told *told, struct told **list,
                         size_t *count, size_t *capacity)
{
    for (struct mark **at = &contents->marks; *at;) {
        struct mark *mark = *at;
        const bool matches = told->event != 0
                                 ? mark->event == told->event
                                 : mark->queue == told->queue && mark->sequence <= told->sequence;
        struct told *grown = matches ? alloc_grow(*list, *count, capacity, sizeof *grown) : NULL;
        if (!grown) {
            at = &mark->next;
            continue;
        }
        *list = grown;
        grown[(*count)++] = mark->waited
                                ? (struct told){.event = mark->waited}
                                : (struct told){.queue = mark->queue, .sequence = mark->sequence};
        *at = mark->next;
        alloc_free(mark);
    }
}

static void complete(struct contents *contents, const struct told *first, struct probe *probe)
{
    struct told *list = NULL;
    size_t count = 0;
    size_t capacity = 0;
    struct told told = *first;
    for (size_t next = 0;; told = list[next++]) {
        follow_marks(contents, &told, &list, &count, &capacity);
        complete_matching(contents, &told, probe);
        if (next == count)
            break;
    }
    alloc_free(list);
    while (!contents->pending && contents->marks) {
        struct mark *next = contents->marks->next;
        alloc_free(contents->marks);
        contents->marks = next;
    }
}

static void event_completed(struct contents *contents, uint64_t event, struct probe *probe)
{
    complete(contents, &(struct told){.event = event}, probe);
}

static void queue_completed(struct contents *contents, uint64_t queue, uint64_t sequence,
                            struct probe *probe)
{
    complete(contents, &(struct told){.queue = queue, .sequence = sequence}, probe);
}

static bool add_pending(struct contents *contents, const struct pending *fresh)
{
    struct pending *pending = alloc(sizeof *pending);
    if (!pending)
        return false;
    *pending = *fresh;
    struct pending **end =
        &contents->pending; /* in the order of their enqueueing, as they are saved */
    while (*end)
        end = &(*end)->next;
    *end = pending;
    atomic_fetch_add(&contents->pending_count, 1);
    return true;
}

static uint64_t out_event(const struct api_call *call)
{
    const uint32_t index = api_entry_find_role(api_entry_get(call->entry), API_ROLE_OUT_EVENT);
    if (index == API_PARAMETER_NONE || call->arguments[index].kind != API_VALUE_HANDLES)
        return 0;
    return *(const uint64_t *)call->arguments[index].data;
}

static bool queue_in_order(const struct contents *contents, uint64_t queue)
{
    const struct known *known = known_find(contents, queue);
    return known && known->in_order;
}

static void add_mark(struct contents *contents, const struct mark *fresh)
{
    struct mark *mark = alloc(sizeof *mark);
    if (!mark)
        return;
    *mark = *fresh;
    mark->next = contents->marks;
    contents->marks = mark;
}

/* A handle that is given out again names another command. */
static void forget_event(struct contents *contents, uint64_t event)
{
    for (struct mark *mark = contents->marks; event && mark; mark = mark->next)
        if (mark->event == event)
            mark->event = 0;
}

static const uint64_t *wait_list(const struct api_call *call, uint32_t *count)
{
    const uint32_t index = api_entry_find_role(api_entry_get(call->entry), API_ROLE_WAIT_LIST);
    const bool there =
        index != API_PARAMETER_NONE && call->arguments[index].kind == API_VALUE_HANDLES;
    *count = there ? call->arguments[index].count : 0;
    return there ? call->arguments[index].data : NULL;
}

/* OpenCL API 3.0, 5.12: without a wait list they wait for "all commands previously enqueued in
 * command_queue". */
static bool waits_for_queue(uint32_t entry)
{
    return entry == API_ENTRY_clEnqueueMarker || entry == API_ENTRY_clEnqueueMarkerWithWaitList ||
           entry == API_ENTRY_clEnqueueBarrier || entry == API_ENTRY_clEnqueueBarrierWithWaitList;
}

static void add_marks(struct contents *contents, const struct api_call *call)
{
    const uint64_t queue = call->arguments[0].bits;
    const uint64_t event = out_event(call);
    uint32_t count;
    const uint64_t *waited = wait_list(call, &count);
    const bool is_behind =
        queue_in_order(contents, queue) || (count == 0 && waits_for_queue(call->entry));
    struct mark mark = {.event = event, .queue = queue, .sequence = ++contents->sequence};
    forget_event(contents, event);
    if (event != 0 && is_behind)
        add_mark(contents, &mark);
    for (uint32_t i = 0; i < count; i++) {
        mark.waited = waited[i];
        add_mark(contents, &mark);
    }
}

/* ---- enqueues that give bytes back (with the mutex) ---- */

/* A transfer to the host, or a map, which has `mapping`. */
static void give_back(struct contents *contents, const struct api_call *call,
                      const struct region *region, uint32_t argument, struct mapping *mapping,
                      struct probe *probe)
{
    const uint64_t queue = call->arguments[0].bits;
    const struct pending pending = {
        .call_id = call->id,
        .argument = argument,
        .queue = queue,
        .sequence = ++contents->sequence,
        .event = out_event(call),
        .region = *region,
        .mapping = mapping,
    };
    if (!transfer_blocks(call)) {
        add_pending(contents, &pending);
        return;
    }
    struct pending complete = pending;
    if (queue_in_order(contents, queue))
        queue_completed(contents, queue, contents->sequence, probe);
    pending_complete(contents, &complete, probe);
}

static void mapped(struct contents *contents, const struct api_call *call, uint64_t mem,
                   cl_map_flags flags, const struct region *region, struct probe *probe)
{
    struct mapping *mapping = alloc(sizeof *mapping);
    if (!mapping)
        return;
    *mapping =
        (struct mapping){.next = contents->mappings, .mem = mem, .flags = flags, .region = *region};
    contents->mappings = mapping;
    give_back(contents, call, region, API_ARGUMENT_RESULT, mapping, probe);
}

/* The first argument of kind MEM, if it is an image. */
static struct transfer_image image_of(const struct contents *contents, const struct api_call *call)
{
    const struct known *known = known_find(contents, call->arguments[1].bits);
    return known ? known->image : (struct transfer_image){0};
}
SAME_PLACE(API_clEnqueueReadImage_image, 1);
SAME_PLACE(API_clEnqueueWriteImage_image, 1);
SAME_PLACE(API_clEnqueueMapImage_image, 1);

static void after_map(struct contents *contents, const struct api_call *call, struct probe *probe)
{
    const bool is_svm_map = call->entry == API_ENTRY_clEnqueueSVMMap;
    const struct transfer_image image = image_of(contents, call);
    const uint64_t flags = call->arguments[is_svm_map ? (int)API_clEnqueueSVMMap_flags
                                                      : (int)API_clEnqueueMapBuffer_map_flags]
                               .bits;
    const uint64_t mem = is_svm_map ? 0 : call->arguments[API_clEnqueueMapBuffer_buffer].bits;
    struct region region;
    if (transfer_mapped_region(call, &image, &region))
        mapped(contents, call, mem, flags, &region, probe);
}
SAME_PLACE(API_clEnqueueMapBuffer_map_flags, API_clEnqueueMapImage_map_flags);
SAME_PLACE(API_clEnqueueMapBuffer_buffer, API_clEnqueueMapImage_image);

SAME_PLACE(API_clEnqueueSVMMemcpy_dst_ptr, API_clEnqueueMemcpyINTEL_dst_ptr);
SAME_PLACE(API_clEnqueueSVMMemcpy_src_ptr, API_clEnqueueMemcpyINTEL_src_ptr);
SAME_PLACE(API_clEnqueueSVMMemcpy_size, API_clEnqueueMemcpyINTEL_size);

static void after_svm_copy(struct contents *contents, const struct api_call *call,
                           struct probe *probe)
{
    const struct api_value *a = call->arguments;
    if (is_svm(contents, a[API_clEnqueueSVMMemcpy_dst_ptr].bits))
        return;
    const struct region region = region_linear(pointer(&a[API_clEnqueueSVMMemcpy_dst_ptr]),
                                               a[API_clEnqueueSVMMemcpy_size].bits);
    give_back(contents, call, &region, API_clEnqueueSVMMemcpy_dst_ptr, NULL, probe);
}

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
    known_set(contents,
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
        known_set(contents,
                  &(struct known){.handle = call->result.bits,
                                  .image = {.element_size = image_pixel_size(create.format),
                                            .type = create.desc.image_type}});
}

/* ---- the calls ---- */

/* A command that is about to be given to a device: it is awaited from now on, since it may be over
 * before the call returns. */
static void before_command(struct contents *contents, const struct api_call *call,
                           struct probe *probe)
{
    struct shared_uses *uses = shared_begin(contents->live, contents->spool, call, probe);
    if (!uses)
        return;
    pthread_mutex_lock(&contents->mutex);
    if (!add_pending(contents, &(struct pending){.call_id = call->id, .uses = uses}))
        shared_drop(uses);
    pthread_mutex_unlock(&contents->mutex);
}

void contents_before(struct contents *contents, const struct api_call *call, struct probe *probe)
{
    const struct api_value *a = call->arguments;
    struct transfer_image image = {0};
    struct region region;
    uint32_t argument;
    bool known;
    live_before(contents->live, call);
    if (live_has_shared(contents->live) && api_entry_get(call->entry)->flags & API_ENTRY_ENQUEUES)
        before_command(contents, call, probe);
    switch (call->entry) {
    case API_ENTRY_clEnqueueWriteBuffer:
    case API_ENTRY_clEnqueueWriteBufferRect:
    case API_ENTRY_clEnqueueWriteImage:
        pthread_mutex_lock(&contents->mutex);
        image = image_of(contents, call);
        pthread_mutex_unlock(&contents->mutex);
        if (transfer_host_region(call, &image, &region, &argument))
            region_save(&region, contents->spool, call->id, argument, probe);
        break;
    case API_ENTRY_clCreateBuffer:
    case API_ENTRY_clCreateBufferWithProperties:
    case API_ENTRY_clCreateImage:
    case API_ENTRY_clCreateImageWithProperties:
    case API_ENTRY_clCreateImage2D:
    case API_ENTRY_clCreateImage3D:
        if (transfer_created_region(call, &region, &argument))
            region_save(&region, contents->spool, call->id, argument, probe);
        break;
    case API_ENTRY_clEnqueueUnmapMemObject:
        pthread_mutex_lock(&contents->mutex);
        unmapped(contents, call, a[API_clEnqueueUnmapMemObject_memobj].bits,
                 API_clEnqueueUnmapMemObject_mapped_ptr, probe);
        pthread_mutex_unlock(&contents->mutex);
        break;
    case API_ENTRY_clEnqueueSVMUnmap:
        pthread_mutex_lock(&contents->mutex);
        unmapped(contents, call, 0, API_clEnqueueSVMUnmap_svm_ptr, probe);
        pthread_mutex_unlock(&contents->mutex);
        break;
    case API_ENTRY_clEnqueueSVMMemcpy:
    case API_ENTRY_clEnqueueMemcpyINTEL:
        pthread_mutex_lock(&contents->mutex);
        known = !is_svm(contents, a[API_clEnqueueSVMMemcpy_src_ptr].bits);
        pthread_mutex_unlock(&contents->mutex);
        region = region_linear(pointer(&a[API_clEnqueueSVMMemcpy_src_ptr]),
                               a[API_clEnqueueSVMMemcpy_size].bits);
        if (known)
            region_save(&region, contents->spool, call->id, API_clEnqueueSVMMemcpy_src_ptr, probe);
        break;
    default:
        break;
    }
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
        known_remove(contents, call->result.bits);
        return true;
    default:
        return false;
    }
}

/* What a blocking command waited for is over as well. */
static void enqueued(struct contents *contents, const struct api_call *call, struct probe *probe)
{
    uint32_t count;
    const uint64_t *waited = wait_list(call, &count);
    if (!transfer_blocks(call)) {
        add_marks(contents, call);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        event_completed(contents, waited[i], probe);
}

/* The application was told that something is complete. */
static void synchronise(struct contents *contents, const struct api_call *call, struct probe *probe)
{
    const struct api_value *a = call->arguments;
    switch (call->entry) {
    case API_ENTRY_clFinish:
        queue_completed(contents, a[0].bits, UINT64_MAX, probe);
        break;
    case API_ENTRY_clWaitForEvents: {
        const struct api_value *list = &a[API_clWaitForEvents_event_list];
        const uint64_t *events = list->kind == API_VALUE_HANDLES ? list->data : NULL;
        for (uint32_t i = 0; events && i < list->count; i++)
            event_completed(contents, events[i], probe);
        break;
    }
    case API_ENTRY_clGetEventInfo: {
        const struct api_value *answer = &a[API_clGetEventInfo_param_value];
        if (a[API_clGetEventInfo_param_name].bits == CL_EVENT_COMMAND_EXECUTION_STATUS &&
            answer->kind == API_VALUE_BYTES && answer->size == sizeof(cl_int) &&
            *(const cl_int *)answer->data == CL_COMPLETE)
            event_completed(contents, a[API_clGetEventInfo_event].bits, probe);
        break;
    }
    default:
        if (api_entry_get(call->entry)->flags & API_ENTRY_ENQUEUES)
            enqueued(contents, call, probe);
        break;
    }
}

static void after_success(struct contents *contents, const struct api_call *call,
                          struct probe *probe)
{
    struct region region;
    uint32_t argument;
    struct transfer_image image;
    if (learn(contents, call))
        return;
    switch (call->entry) {
    case API_ENTRY_clEnqueueReadBuffer:
    case API_ENTRY_clEnqueueReadBufferRect:
    case API_ENTRY_clEnqueueReadImage:
        image = image_of(contents, call);
        if (transfer_host_region(call, &image, &region, &argument))
            give_back(contents, call, &region, argument, NULL, probe);
        break;
    case API_ENTRY_clEnqueueMapBuffer:
    case API_ENTRY_clEnqueueMapImage:
    case API_ENTRY_clEnqueueSVMMap:
        after_map(contents, call, probe);
        break;
    case API_ENTRY_clEnqueueSVMMemcpy:
    case API_ENTRY_clEnqueueMemcpyINTEL:
        after_svm_copy(contents, call, probe);
        break;
    case API_ENTRY_clEnqueueWriteBuffer:
    case API_ENTRY_clEnqueueWriteBufferRect:
    case API_ENTRY_clEnqueueWriteImage:
        if (transfer_blocks(call) && queue_in_order(contents, call->arguments[0].bits))
            queue_completed(contents, call->arguments[0].bits, UINT64_MAX, probe);
        break;
    default:
        break;
    }
    if (contents->pending)
        synchronise(contents, call, probe);
}

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

/* The place in the list of what was added before the call; NULL when there is nothing, or when it
 * is complete. */
static struct pending **find_command(struct contents *contents, const struct api_call *call)
{
    struct pending **at = &contents->pending;
    while (*at && !((*at)->call_id == call->id && (*at)->uses))
        at = &(*at)->next;
    return *at ? at : NULL;
}

static void command_enqueued(struct contents *contents, const struct api_call *call)
{
    struct pending **command = find_command(contents, call);
    if (!command)
        return;
    (*command)->queue = call->arguments[0].bits;
    (*command)->sequence = ++contents->sequence;
    (*command)->event = out_event(call);
}

static void remove_command(struct contents *contents, struct pending **command)
{
    struct pending *pending = *command;
    *command = pending->next;
    alloc_free(pending);
    atomic_fetch_sub(&contents->pending_count, 1);
}

static void command_failed(struct contents *contents, const struct api_call *call)
{
    struct pending **command = find_command(contents, call);
    if (!command)
        return;
    shared_drop((*command)->uses);
    remove_command(contents, command);
}

/* A command that blocked is over. */
static void command_over(struct contents *contents, const struct api_call *call,
                         struct probe *probe)
{
    const uint64_t queue = call->arguments[0].bits;
    if (!transfer_blocks(call))
        return;
    if (queue_in_order(contents, queue))
        queue_completed(contents, queue, contents->sequence, probe);
    struct pending **command = find_command(contents, call);
    if (!command)
        return;
    pending_complete(contents, *command, probe);
    remove_command(contents, command);
}

void contents_after(struct contents *contents, const struct api_call *call, struct probe *probe)
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
        command_failed(contents, call);
    } else {
        if (has_shared)
            command_enqueued(contents, call);
        after_success(contents, call, probe);
        if (has_shared)
            command_over(contents, call, probe);
    }
    pthread_mutex_unlock(&contents->mutex);
}

void contents_event_complete(struct contents *contents, cl_event event, struct probe *probe)
{
    if (atomic_load(&contents->pending_count) == 0)
        return;
    pthread_mutex_lock(&contents->mutex);
    contents->teller = 0;
    event_completed(contents, (uint64_t)event, probe);
    pthread_mutex_unlock(&contents->mutex);
}
