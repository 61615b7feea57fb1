/* Commands that wait for a user event which is not set yet, through the events that they name and
 * the in-order queues that they stand in. Who waits for such a command waits for a call that comes
 * later, or for one that the recording lacks: what a killed program left may be damaged. So the
 * wait is put off until the event is set, and told where it never is.
 *
 * One user event is remembered of those that hold a command, so a wait may go unrecognised; none is
 * taken for held that is not. */
#include "replay/state.h"

static struct replay_kept *find_queue(const struct replay *replay, uint64_t queue)
{
    for (size_t i = 0; queue && i < replay->kept_count; ++i)
        if (replay->kept[i].kind == API_OBJECT_QUEUE && replay->kept[i].handle == queue)
            return &replay->kept[i];
    return NULL;
}

uint64_t replay_event_held_by(const struct replay *replay, uint64_t old_event)
{
    const struct replay_object *event = replay_objects_find(replay->objects, old_event);
    if (!event || event->kind != API_OBJECT_EVENT)
        return 0;
    return event->user_event_open ? old_event : event->held_by;
}

static uint64_t list_held_by(const struct replay *replay, const struct api_value *list)
{
    uint64_t by = 0;
    for (uint32_t i = 0; list->data && !by && i < list->count; ++i)
        by = replay_event_held_by(replay, replay_element(list, i));
    return by;
}

uint64_t replay_held_by(const struct replay *replay, const struct replay_prepared *prepared)
{
    const struct api_entry_info *info = prepared->info;
    uint64_t by = 0;
    if (!replay->open_user_events)
        return 0;
    for (uint32_t i = 0; i < info->parameter_count && !by; ++i)
        if (info->parameters[i].role == API_ROLE_WAIT_LIST ||
            (info->parameters[i].role == API_ROLE_HANDLES &&
             info->parameters[i].kind == API_OBJECT_EVENT))
            by = list_held_by(replay, &prepared->call->arguments[i]);
    if (by || (!(info->flags & API_ENTRY_ENQUEUES) && prepared->entry != API_ENTRY_clFinish))
        return by;
    const struct replay_kept *queue =
        find_queue(replay, (uintptr_t)replay_queue_of(replay, prepared));
    return queue ? queue->held_by : 0;
}

static bool is_in_order(const struct replay *replay, cl_command_queue queue)
{
    cl_command_queue_properties properties = CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
    return CL(replay->target, clGetCommandQueueInfo)(queue, CL_QUEUE_PROPERTIES, sizeof properties,
                                                     &properties, NULL) == CL_SUCCESS &&
           (properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
}

void replay_held_note(const struct replay *replay, const struct replay_prepared *prepared,
                      uint64_t held_by, uint64_t old_event)
{
    if (!held_by || (prepared->info->flags & API_ENTRY_ENQUEUES) == 0)
        return;
    const cl_command_queue queue = replay_queue_of(replay, prepared);
    struct replay_kept *kept = find_queue(replay, (uintptr_t)queue);
    if (kept && is_in_order(replay, queue))
        kept->held_by = held_by;
    struct replay_object *event = replay_objects_find(replay->objects, old_event);
    if (event)
        event->held_by = held_by;
}

static void forget(uint64_t *held_by, uint64_t user_event)
{
    if (*held_by == user_event)
        *held_by = 0;
}

void replay_held_end(const struct replay *replay, uint64_t user_event)
{
    struct replay_object *object = NULL;
    while ((object = replay_objects_next(replay->objects, object)))
        forget(&object->held_by, user_event);
    for (size_t i = 0; i < replay->kept_count; ++i)
        forget(&replay->kept[i].held_by, user_event);
    for (size_t i = 0; i < replay->wait_count; ++i)
        forget(&replay->waits[i].held_by, user_event);
}

enum status replay_held_for_ever(uint64_t call_id, struct error *error)
{
    return error_set(error, STATUS_UNSUPPORTED,
                     "call %llu waited for a user event that no recorded call sets: what another "
                     "thread called is missing from the recording",
                     (unsigned long long)call_id);
}
