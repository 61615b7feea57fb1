/* Waits that are performed later than the calls that they belong to: of calls that overlapped with
 * others, where the recorded call returned; of callbacks, where they ran. */
#include "replay/state.h"
#include "trace/base/alloc.h"

#include <string.h>

/* Another thread may drop the event meanwhile. */
void replay_await(struct replay *replay, cl_event event)
{
    CL(replay->target, clRetainEvent)(event);
    replay_leave(replay);
    CL(replay->target, clWaitForEvents)(1, &event);
    replay_enter(replay);
    CL(replay->target, clReleaseEvent)(event);
}

void replay_finish_queues(const struct replay *replay)
{
    for (size_t i = 0; i < replay->kept_count; ++i)
        if (replay->kept[i].kind == API_OBJECT_QUEUE)
            CL(replay->target, clFinish)((cl_command_queue)(uintptr_t)replay->kept[i].handle);
}

enum status replay_wait_add(struct replay *replay, const struct replay_wait *wait,
                            struct error *error)
{
    void *grown =
        alloc_grow(replay->waits, replay->wait_count, &replay->wait_capacity, sizeof *wait);
    if (!grown)
        return error_no_memory(error, sizeof *wait);
    replay->waits = grown;
    replay->waits[replay->wait_count++] = *wait;
    return STATUS_OK;
}

static void perform_wait(struct replay *replay, const struct replay_wait *wait)
{
    replay_leave(replay);
    if (wait->event)
        CL(replay->target, clWaitForEvents)(1, &wait->event);
    else
        CL(replay->target, clFinish)(wait->queue);
    replay_enter(replay);
}

static void release_wait(const struct replay *replay, const struct replay_wait *wait)
{
    if (wait->event)
        CL(replay->target, clReleaseEvent)(wait->event);
    else
        CL(replay->target, clReleaseCommandQueue)(wait->queue);
}

static struct replay_wait *find_due(const struct replay *replay, uint64_t time_ns)
{
    for (size_t i = 0; i < replay->wait_count; ++i)
        if (replay->waits[i].end_ns <= time_ns && !replay->waits[i].held_by)
            return &replay->waits[i];
    return NULL;
}

/* All that wait at once have to: the wait is in the list until one of them is back. */
static bool take_wait(struct replay *replay, const struct replay_wait *done)
{
    for (size_t i = 0; i < replay->wait_count; ++i) {
        struct replay_wait *wait = &replay->waits[i];
        if (wait->event != done->event || wait->queue != done->queue ||
            wait->end_ns != done->end_ns)
            continue;
        memmove(wait, wait + 1, (--replay->wait_count - i) * sizeof *wait);
        return true;
    }
    return false;
}

enum status replay_waits_end(struct replay *replay, uint64_t time_ns, struct error *error)
{
    bool any = false;
    enum status status = STATUS_OK;
    struct replay_wait *due;
    while (status == STATUS_OK && (due = find_due(replay, time_ns))) {
        const struct replay_wait wait = *due;
        any = true;
        if (wait.event)
            CL(replay->target, clRetainEvent)(wait.event);
        else
            CL(replay->target, clRetainCommandQueue)(wait.queue);
        perform_wait(replay, &wait);
        release_wait(replay, &wait);
        if (!take_wait(replay, &wait))
            continue;
        release_wait(replay, &wait);
        if (wait.call_id)
            status = replay_host_sees(replay, wait.call_id, error);
    }
    return any && status == STATUS_OK ? replay_transfers_settle(replay, error) : status;
}

enum status replay_waits_end_all(struct replay *replay, struct error *error)
{
    enum status status = replay_waits_end(replay, UINT64_MAX - 1, error);
    for (size_t i = 0; i < replay->wait_count; ++i) {
        const struct replay_wait *wait = &replay->waits[i];
        if (wait->held_by && wait->end_ns != UINT64_MAX && wait->call_id && !status)
            status = replay_held_for_ever(wait->call_id, error);
        release_wait(replay, wait);
    }
    replay->wait_count = 0;
    return status;
}

enum status replay_wait_defer(struct replay *replay, const struct replay_prepared *prepared,
                              uint64_t end_ns, struct error *error)
{
    const uint64_t held_by = replay_held_by(replay, prepared);
    if (prepared->entry == API_ENTRY_clFinish) {
        cl_command_queue queue =
            (cl_command_queue)(uintptr_t)prepared->words[API_clFinish_command_queue];
        CL(replay->target, clFlush)(queue);
        CL(replay->target, clRetainCommandQueue)(queue);
        return replay_wait_add(replay,
                               &(struct replay_wait){.end_ns = end_ns,
                                                     .call_id = prepared->call->id,
                                                     .queue = queue,
                                                     .held_by = held_by},
                               error);
    }
    const cl_event *events =
        (const cl_event *)(uintptr_t)prepared->words[API_clWaitForEvents_event_list];
    const uint64_t count = events ? prepared->words[API_clWaitForEvents_num_events] : 0;
    enum status status = STATUS_OK;
    for (uint64_t i = 0; status == STATUS_OK && i < count; ++i) {
        const struct replay_wait wait = {.end_ns = end_ns,
                                         .call_id = i + 1 == count ? prepared->call->id : 0,
                                         .event = events[i],
                                         .held_by = held_by};
        CL(replay->target, clRetainEvent)(events[i]);
        status = replay_wait_add(replay, &wait, error);
    }
    return status;
}

enum status replay_callback_await(struct replay *replay, const struct api_call *call,
                                  cl_event event, uint64_t held_by, struct error *error)
{
    uint64_t began_ns;
    if (!trace_callback(replay->trace, call->id, &began_ns))
        return STATUS_OK;
    CL(replay->target, clRetainEvent)(event);
    const struct replay_wait wait = {.end_ns = began_ns, .event = event, .held_by = held_by};
    return replay_wait_add(replay, &wait, error);
}

enum status replay_callback_note(struct replay *replay, const struct api_call *call,
                                 struct error *error)
{
    ++replay->result->callbacks;
    if (call->entry != API_ENTRY_clSetEventCallback ||
        call->arguments[API_clSetEventCallback_command_exec_callback_type].bits != CL_COMPLETE)
        return STATUS_OK;
    const struct replay_object *event =
        replay_objects_find(replay->objects, call->arguments[API_clSetEventCallback_event].bits);
    return event && event->kind == API_OBJECT_EVENT && event->references > 0
               ? replay_callback_await(replay, call, (cl_event)(uintptr_t)event->new_handle,
                                       replay_event_held_by(replay, event->old_handle), error)
               : STATUS_OK;
}
