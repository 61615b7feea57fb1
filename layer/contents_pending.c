/* The commands whose bytes are not there yet. */
#include "layer/contents_private.h"
#include "trace/base/assert.h"

/* ---- completion ---- */

/* The application learns that the event's command is over, or (event 0) the queue's up to there. */
static bool is_told(const struct place *told, const struct place *place)
{
    return told->event != 0 ? place->event == told->event
                            : place->queue == told->queue && place->sequence <= told->sequence;
}

static void pending_complete(struct contents *contents, const struct pending *pending,
                             struct readable *readable)
{
    ASSERT(!pending->uses || !pending->mapping);
    if (pending->uses) {
        shared_complete(pending->uses, contents->of_commands, contents->teller, readable);
    } else if (!pending->mapping) {
        host_bytes_save(&pending->bytes, contents->of_commands, pending->call_id, readable);
    } else if (pending->mapping->unmapped) {
        contents_map_free(pending->mapping);
    } else {
        contents_map_ready(contents, pending->call_id, pending->mapping, readable);
    }
}

static void pending_remove(struct contents *contents, struct pending **at)
{
    struct pending *pending = *at;
    *at = pending->next;
    alloc_free(pending);
    ASSERT(atomic_load(&contents->pending_count) > 0);
    atomic_fetch_sub(&contents->pending_count, 1);
}

static void complete_matching(struct contents *contents, const struct place *told,
                              struct readable *readable)
{
    for (struct pending **at = &contents->pending; *at;) {
        struct pending *pending = *at;
        if (is_told(told, &pending->place)) {
            pending_complete(contents, pending, readable);
            pending_remove(contents, at);
        } else {
            at = &pending->next;
        }
    }
}

/* The marks of what is over say what else is, and go. */
static void follow_marks(struct contents *contents, const struct place *told, struct place **list,
                         size_t *count, size_t *capacity)
{
    for (struct mark **at = &contents->marks; *at;) {
        struct mark *mark = *at;
        struct place *grown =
            is_told(told, &mark->place) ? alloc_grow(*list, *count, capacity, sizeof *grown) : NULL;
        if (!grown) {
            at = &mark->next;
            continue;
        }
        *list = grown;
        grown[(*count)++] = mark->over;
        *at = mark->next;
        alloc_free(mark);
    }
}

static void complete(struct contents *contents, const struct place *first,
                     struct readable *readable)
{
    struct place *list = NULL;
    size_t count = 0;
    size_t capacity = 0;
    struct place told = *first;
    for (size_t next = 0;; told = list[next++]) {
        follow_marks(contents, &told, &list, &count, &capacity);
        complete_matching(contents, &told, readable);
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

void contents_event_over(struct contents *contents, uint64_t event, struct readable *readable)
{
    complete(contents, &(struct place){.event = event}, readable);
}

void contents_queue_over(struct contents *contents, uint64_t queue, uint64_t sequence,
                         struct readable *readable)
{
    complete(contents, &(struct place){.queue = queue, .sequence = sequence}, readable);
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
    const struct api_value *event = api_call_argument(call, API_ROLE_OUT_EVENT);
    return event && event->kind == API_VALUE_HANDLES ? *(const uint64_t *)event->data : 0;
}

bool contents_in_order(const struct contents *contents, uint64_t queue)
{
    live_lock(contents->live);
    const struct live_object *object = live_find(contents->live, queue);
    const bool in_order = object && object->in_order;
    live_unlock(contents->live);
    return in_order;
}

static void add_mark(struct contents *contents, const struct place *place, struct place over)
{
    struct mark *mark = alloc(sizeof *mark);
    if (!mark)
        return;
    *mark = (struct mark){.next = contents->marks, .place = *place, .over = over};
    contents->marks = mark;
}

/* A handle that is given out again names another command. */
static void forget_event(struct contents *contents, uint64_t event)
{
    for (struct mark *mark = contents->marks; event && mark; mark = mark->next)
        if (mark->place.event == event)
            mark->place.event = 0;
}

static uint64_t queue_of(const struct contents *contents, const struct api_call *call)
{
    if (call->entry != API_ENTRY_clEnqueueCommandBufferKHR)
        return call->arguments[0].bits;
    live_lock(contents->live);
    const uint64_t queue = live_queue_of(contents->live, call);
    live_unlock(contents->live);
    return queue;
}

/* Of the latest command. */
static struct place place_of(struct contents *contents, const struct api_call *call)
{
    return (struct place){.event = out_event(call),
                          .queue = queue_of(contents, call),
                          .sequence = ++contents->sequence};
}

static const uint64_t *wait_list(const struct api_call *call, uint32_t *count)
{
    const struct api_value *list = api_call_argument(call, API_ROLE_WAIT_LIST);
    const bool there = list && list->kind == API_VALUE_HANDLES;
    *count = there ? list->count : 0;
    return there ? list->data : NULL;
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
    const struct place place = place_of(contents, call);
    uint32_t count;
    const uint64_t *waited = wait_list(call, &count);
    const bool is_behind =
        contents_in_order(contents, place.queue) || (count == 0 && waits_for_queue(call->entry));
    forget_event(contents, place.event);
    if (place.event != 0 && is_behind)
        add_mark(contents, &place,
                 (struct place){.queue = place.queue, .sequence = place.sequence});
    for (uint32_t i = 0; i < count; i++)
        add_mark(contents, &place, (struct place){.event = waited[i]});
}

/* ---- enqueues ---- */

void contents_give_back(struct contents *contents, const struct api_call *call,
                        const struct effect *bytes, struct mapping *mapping,
                        struct readable *readable)
{
    const struct pending pending = {.call_id = call->id,
                                    .place = place_of(contents, call),
                                    .bytes = *bytes,
                                    .mapping = mapping};
    if (!api_call_blocks(call)) {
        add_pending(contents, &pending);
        return;
    }
    if (contents_in_order(contents, pending.place.queue))
        contents_queue_over(contents, pending.place.queue, contents->sequence, readable);
    pending_complete(contents, &pending, readable);
}

/* What a blocking command waited for is over as well. */
void contents_enqueued(struct contents *contents, const struct api_call *call,
                       struct readable *readable)
{
    uint32_t count;
    const uint64_t *waited = wait_list(call, &count);
    if (!api_call_blocks(call)) {
        add_marks(contents, call);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        contents_event_over(contents, waited[i], readable);
}

/* ---- commands that can reach shared memory ---- */

void contents_command_begins(struct contents *contents, const struct api_call *call,
                             struct shared_uses *uses)
{
    if (!add_pending(contents, &(struct pending){.call_id = call->id, .uses = uses}))
        shared_drop(uses);
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

void contents_command_enqueued(struct contents *contents, const struct api_call *call)
{
    struct pending **command = find_command(contents, call);
    if (command)
        (*command)->place = place_of(contents, call);
}

void contents_command_failed(struct contents *contents, const struct api_call *call)
{
    struct pending **command = find_command(contents, call);
    if (!command)
        return;
    shared_drop((*command)->uses);
    pending_remove(contents, command);
}

void contents_command_over(struct contents *contents, const struct api_call *call,
                           struct readable *readable)
{
    const uint64_t queue = queue_of(contents, call);
    if (!api_call_blocks(call))
        return;
    if (contents_in_order(contents, queue))
        contents_queue_over(contents, queue, contents->sequence, readable);
    struct pending **command = find_command(contents, call);
    if (!command)
        return;
    pending_complete(contents, *command, readable);
    pending_remove(contents, command);
}

void contents_pending_release(struct contents *contents)
{
    while (contents->pending) {
        struct pending *next = contents->pending->next;
        if (contents->pending->mapping && contents->pending->mapping->unmapped)
            contents_map_free(contents->pending->mapping); /* the others are in the list of maps */
        if (contents->pending->uses)
            shared_drop(contents->pending->uses);
        alloc_free(contents->pending);
        contents->pending = next;
    }
    while (contents->marks) {
        struct mark *next = contents->marks->next;
        alloc_free(contents->marks);
        contents->marks = next;
    }
}
