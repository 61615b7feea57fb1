/* Which bytes each call has. */
#include "layer/capture.h"
#include "layer/contents_private.h"

#include <string.h>

static unsigned effects_of_entry(uint32_t entry)
{
    const struct api_entry_info *info = api_entry_get(entry);
    return info->flags & API_ENTRY_ENQUEUES &&
                   api_entry_find_parameter(info, "pattern") == API_PARAMETER_NONE
               ? effects_on_host(entry)
               : 0; /* what a fill writes, the call says */
}

static bool has_effect(const struct contents *contents, uint32_t entry, enum effect_kind kind)
{
    return contents->effects[entry] >> kind & 1;
}

static bool unmaps(uint32_t entry)
{
    return entry == API_ENTRY_clEnqueueUnmapMemObject || entry == API_ENTRY_clEnqueueSVMUnmap;
}

static bool takes_host_ptr(uint32_t entry)
{
    return api_entry_find_role(api_entry_get(entry), API_ROLE_HOST_MEMORY) != API_PARAMETER_NONE;
}

/* What other commands do to shared memory is asked once there is some; arguments are followed from
 * then on at the latest. */
static enum live_interest interest_in(uint32_t entry)
{
    const enum live_interest interest = live_interest_in(entry);
    if (effects_of_entry(entry) || unmaps(entry) || takes_host_ptr(entry))
        return LIVE_ALWAYS;
    return interest == LIVE_NEVER && api_entry_enqueues(entry) ? LIVE_ARGUMENTS : interest;
}

struct contents *contents_create(struct spool *spool, struct live *live)
{
    struct contents *contents = alloc_zero(1, sizeof *contents);
    if (contents) {
        contents->spool = spool;
        contents->of_commands = spool;
        contents->live = live;
        for (uint32_t entry = 0; entry < API_ENTRY_COUNT; entry++) {
            contents->interest[entry] = (uint8_t)interest_in(entry);
            contents->effects[entry] = (uint8_t)effects_of_entry(entry);
        }
        pthread_mutex_init(&contents->mutex, NULL);
    }
    return contents;
}

void contents_hold_back(struct contents *contents, bool hold_back)
{
    contents->of_commands = hold_back ? NULL : contents->spool;
}

void contents_destroy(struct contents *contents)
{
    if (!contents)
        return;
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
static bool is_svm(struct live *live, uint64_t address)
{
    live_lock(live);
    const bool is_shared = live_find_shared(live, address) != NULL;
    live_unlock(live);
    return is_shared;
}

static struct image_shape image_of(void *user, uint64_t image)
{
    struct live *live = user;
    live_lock(live);
    const struct live_object *object = live_find(live, image);
    const struct image_shape shape = object ? object->image : (struct image_shape){0};
    live_unlock(live);
    return shape;
}

/* The host's memory that the call reads, writes or maps. */
static bool find_host(const struct contents *contents, const struct api_call *call,
                      enum effect_kind kind, struct effect *found)
{
    struct effects effects;
    if (!has_effect(contents, call->entry, kind))
        return false;
    effects_of(call, image_of, contents->live, &effects);
    for (uint32_t i = 0; i < effects.count; i++) {
        *found = effects.items[i];
        if (found->kind == kind && found->known &&
            (found->place == EFFECT_HOST ||
             (found->place == EFFECT_SHARED &&
              (kind == EFFECT_MAPS || !is_svm(contents->live, found->memory)))))
            return true;
    }
    return false;
}

/* ---- the calls ---- */

static void before_command(struct contents *contents, const struct api_call *call,
                           struct readable *readable)
{
    struct shared_uses *uses = shared_begin(contents->live, contents->of_commands, call, readable);
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

static void before(struct contents *contents, const struct api_call *call,
                   struct readable *readable)
{
    struct effect bytes;
    live_before(contents->live, call);
    if (live_has_shared(contents->live) && api_entry_enqueues(call->entry))
        before_command(contents, call, readable);
    if (find_host(contents, call, EFFECT_READS, &bytes))
        host_bytes_save(&bytes, contents->of_commands, call->id, readable);
    else if (takes_host_ptr(call->entry) && effect_of_create(call, &bytes))
        host_bytes_save(&bytes, contents->spool, call->id, readable);
    if (!unmaps(call->entry))
        return;
    pthread_mutex_lock(&contents->mutex);
    contents_unmapped(contents, call, readable);
    pthread_mutex_unlock(&contents->mutex);
}

void contents_before(struct contents *contents, const struct api_call *call,
                     struct readable *readable)
{
    if (is_interested(contents, call))
        before(contents, call, readable);
}

/* The application was told that something is complete. */
static void synchronise(struct contents *contents, const struct api_call *call,
                        struct readable *readable)
{
    const struct api_value *a = call->arguments;
    switch (call->entry) {
    case API_ENTRY_clFinish:
        contents_queue_over(contents, a[0].bits, UINT64_MAX, readable);
        break;
    case API_ENTRY_clWaitForEvents: {
        const struct api_value *list = &a[API_clWaitForEvents_event_list];
        const uint64_t *events = list->kind == API_VALUE_HANDLES ? list->data : NULL;
        for (uint32_t i = 0; events && i < list->count; i++)
            contents_event_over(contents, events[i], readable);
        break;
    }
    case API_ENTRY_clGetEventInfo: {
        const struct api_value *answer = &a[API_clGetEventInfo_param_value];
        if (a[API_clGetEventInfo_param_name].bits == CL_EVENT_COMMAND_EXECUTION_STATUS &&
            answer->kind == API_VALUE_BYTES && answer->size == sizeof(cl_int) &&
            *(const cl_int *)answer->data == CL_COMPLETE)
            contents_event_over(contents, a[API_clGetEventInfo_event].bits, readable);
        break;
    }
    default:
        if (api_entry_enqueues(call->entry))
            contents_enqueued(contents, call, readable);
        break;
    }
}

_Static_assert((int)API_clEnqueueMapBuffer_buffer == (int)API_clEnqueueMapImage_image,
               "what is mapped is in one place");

static void after_success(struct contents *contents, const struct api_call *call,
                          struct readable *readable)
{
    const struct api_value *a = call->arguments;
    struct effect bytes;
    if (has_effect(contents, call->entry, EFFECT_WRITES)) {
        if (find_host(contents, call, EFFECT_WRITES, &bytes))
            contents_give_back(contents, call, &bytes, NULL, readable);
    } else if (find_host(contents, call, EFFECT_MAPS, &bytes)) {
        const uint64_t mem =
            bytes.place == EFFECT_SHARED ? 0 : a[API_clEnqueueMapBuffer_buffer].bits;
        contents_mapped(contents, call, mem, api_call_argument(call, API_ROLE_FLAGS)->bits, &bytes,
                        readable);
    } else if (has_effect(contents, call->entry, EFFECT_READS) && api_call_blocks(call) &&
               contents_in_order(contents, a[0].bits)) {
        contents_queue_over(contents, a[0].bits, UINT64_MAX, readable);
    }
    if (contents->pending)
        synchronise(contents, call, readable);
}

static void after(struct contents *contents, const struct api_call *call, struct readable *readable)
{
    const bool succeeded = capture_succeeded(call);
    const bool has_shared = live_has_shared(contents->live);
    live_after(contents->live, call);
    if ((atomic_load(&contents->pending_count) == 0 &&
         !has_effect(contents, call->entry, EFFECT_WRITES) &&
         !has_effect(contents, call->entry, EFFECT_MAPS)) ||
        (!succeeded && !has_shared))
        return;
    pthread_mutex_lock(&contents->mutex);
    contents->teller = call->id;
    if (!succeeded) {
        contents_command_failed(contents, call);
    } else {
        if (has_shared)
            contents_command_enqueued(contents, call);
        after_success(contents, call, readable);
        if (has_shared)
            contents_command_over(contents, call, readable);
    }
    pthread_mutex_unlock(&contents->mutex);
}

void contents_after(struct contents *contents, const struct api_call *call,
                    struct readable *readable)
{
    if (is_interested(contents, call) || atomic_load(&contents->pending_count) != 0)
        after(contents, call, readable);
}

void contents_native_left(struct contents *contents, uint64_t call_id, uint64_t index,
                          const void *bytes, uint64_t size)
{
    if (contents->of_commands && bytes && size)
        spool_content(contents->of_commands, call_id,
                      &(struct api_content){.argument = API_clEnqueueNativeKernel_mem_list,
                                            .offset = index * API_ELEMENT_STRIDE,
                                            .size = size,
                                            .bytes = bytes});
}

void contents_event_complete(struct contents *contents, cl_event event, struct readable *readable)
{
    if (atomic_load(&contents->pending_count) == 0)
        return;
    pthread_mutex_lock(&contents->mutex);
    contents->teller = 0;
    contents_event_over(contents, (uint64_t)event, readable);
    pthread_mutex_unlock(&contents->mutex);
}
