/* What the order of commands has for a handle: a queue or an event, in the notes of the object
 * table, or a device that judges memory itself. */
#include "checkers/host/checker.h"
#include "checkers/host/commands/commands_state.h"
#include "trace/base/alloc.h"

#include <string.h>

/* ---- queues ---- */

struct order_note *order_note_find(const struct host_commands *commands, uint64_t handle)
{
    struct commands_queue *queue =
        object_note(commands->checker->objects, handle, OBJECT_NOTE_QUEUE);
    struct order_note *known = queue ? *commands_queue_user(queue) : NULL;
    return known && known->handle == handle ? known : NULL;
}

struct order_note *order_note_lock_queue(const struct host_commands *commands, uint64_t handle)
{
    struct commands_queue *queue =
        object_note(commands->checker->objects, handle, OBJECT_NOTE_QUEUE);
    if (!queue)
        return NULL;
    commands_queue_lock(queue);
    struct order_note *known = *commands_queue_user(queue);
    if (known && known->handle == handle)
        return known;
    commands_queue_unlock(queue);
    return NULL;
}

static void forget_queue(struct host_commands *commands, struct order_note *known)
{
    void *none = NULL;
    object_swap_note(commands->checker->objects, known->handle, OBJECT_NOTE_QUEUE, &none);
    commands_queue_destroy(commands->commands, known->queue);
    known->handle = 0;
}

/* That of the queue's storage. */
static struct order_note *take_known(struct host_commands *commands, struct commands_queue *queue)
{
    void **user = commands_queue_user(queue);
    struct order_note *known = *user;
    if (known || !(known = alloc_zero(1, sizeof *known)))
        return known;
    known->queue = queue;
    known->next = commands->known;
    commands->known = known;
    *user = known;
    return known;
}

void order_note_remember_queue(struct host_commands *commands, uint64_t handle,
                               struct commands_queue *queue, bool elsewhere)
{
    struct object_table *objects = commands->checker->objects;
    struct order_note *old = order_note_find(commands, handle);
    struct object_facts facts;
    void *note = queue;
    if (old)
        forget_queue(commands, old);
    struct order_note *known = take_known(commands, queue);
    if (!known || !object_describe(objects, handle, &facts) ||
        !object_swap_note(objects, handle, OBJECT_NOTE_QUEUE, &note)) {
        commands_queue_destroy(commands->commands, queue);
        commands->blind = true;
        return;
    }
    known->handle = handle;
    known->elsewhere = elsewhere;
    known->ordinal = facts.ordinal;
    known->last = (struct last_command){0};
}

void order_note_forget_dead_queue(struct host_commands *commands, uint64_t handle)
{
    if (object_state(commands->checker->objects, handle).standing != OBJECT_DEAD)
        return;
    commands_lock(commands->commands);
    struct order_note *known = order_note_find(commands, handle);
    if (known)
        forget_queue(commands, known);
    commands_unlock(commands->commands);
}

/* ---- events ---- */

static struct ordered_command *find_event(const struct host_commands *commands, uint64_t handle)
{
    return object_note(commands->checker->objects, handle, OBJECT_NOTE_COMMAND);
}

struct ordered_command *order_note_event(const struct host_commands *commands, uint64_t handle)
{
    for (;;) {
        struct ordered_command *event = find_event(commands, handle);
        const bool held = event && command_retain_living(event);
        if (held == (event != NULL) && find_event(commands, handle) == event)
            return event;
        if (held) /* another thread has put another one in its place */
            command_drop(event);
    }
}

void order_note_remember_event(struct host_commands *commands, uint64_t handle,
                               struct ordered_command *event)
{
    void *note = event; /* from now on the one before */
    if (!object_swap_note(commands->checker->objects, handle, OBJECT_NOTE_COMMAND, &note))
        commands->blind = true;
    command_drop(note);
}

void order_note_forget_dead_event(struct host_commands *commands, uint64_t handle)
{
    struct object_table *objects = commands->checker->objects;
    struct event_traits event;
    if (object_state(objects, handle).standing == OBJECT_DEAD &&
        !(object_get_traits(objects, handle, API_OBJECT_EVENT, &event) && event.to_be_told))
        order_note_remember_event(commands, handle, NULL);
}

void order_note_event_told(struct host_commands *commands, uint64_t handle)
{
    struct locked_traits locked;
    struct event_traits *event =
        object_lock_traits(commands->checker->objects, handle, API_OBJECT_EVENT, &locked);
    if (event)
        event->to_be_told = false;
    object_unlock_traits(&locked);
    order_note_forget_dead_event(commands, handle);
}

struct order_note_events order_note_events(const struct host_commands *commands,
                                           const struct api_call *call)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    uint32_t index = api_entry_find_role(info, API_ROLE_WAIT_LIST);
    if (index == API_PARAMETER_NONE)
        index = api_entry_find_parameter(info, "event_list");
    const struct api_value *value = index != API_PARAMETER_NONE ? &call->arguments[index] : NULL;
    const size_t count = value && value->kind == API_VALUE_HANDLES ? value->count : 0;
    struct order_note_events events = {.complete = true};
    if (count == 0)
        return events;
    events.list = alloc_zero(count, sizeof *events.list);
    for (size_t i = 0; events.list && i < count; i++) {
        struct ordered_command *event = order_note_event(commands, list_word(value, i));
        if (event)
            events.list[events.count++] = event;
    }
    events.complete = events.count == count;
    return events;
}

void order_note_events_drop(struct order_note_events *events)
{
    for (size_t i = 0; i < events->count; i++)
        command_drop(events->list[i]);
    alloc_free(events->list);
}

/* ---- both ---- */

void order_note_release(struct host_commands *commands)
{
    while (commands->known) {
        struct order_note *known = commands->known;
        commands->known = known->next;
        while (known->under_way || known->spare_under_way) {
            struct under_way **list =
                known->under_way ? &known->under_way : &known->spare_under_way;
            struct under_way *under_way = *list;
            *list = under_way->next;
            alloc_free(under_way);
        }
        alloc_free(known);
    }
    alloc_free(commands->elsewhere);
}
