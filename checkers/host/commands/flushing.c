/* What has been flushed, and waits for what has not. */
#include "checkers/host/checker.h"
#include "checkers/host/commands/commands_state.h"

/* OpenCL API 3.0, 5.15: "Any blocking commands queued in a command-queue and clReleaseCommandQueue
 * perform an implicit flush". */
void flushing_note(struct host_commands *commands, const struct api_call *call,
                   const struct order_note *queue)
{
    if (call->thread > 1 && !commands->several_threads)
        commands->several_threads = true;
    if (queue && (call->entry == API_ENTRY_clFlush || call->entry == API_ENTRY_clFinish ||
                  call->entry == API_ENTRY_clReleaseCommandQueue || api_call_blocks(call)))
        commands_flushed(queue->queue);
    if (call->entry != API_ENTRY_clWaitForEvents)
        return;
    struct order_note_events events = order_note_events(commands, call);
    for (size_t i = 0; i < events.count; i++)
        commands_event_flushed(events.list[i]);
    order_note_events_drop(&events);
}

static uint64_t handle_of(const struct host_commands *commands, const struct commands_queue *queue)
{
    const struct order_note *known = queue ? commands->known : NULL;
    while (known && known->queue != queue)
        known = known->next;
    return known ? known->handle : 0;
}

/* What a call waits for; with commands_lock. */
static struct commands_wait make_wait(const struct host_commands *commands,
                                      const struct api_call *call,
                                      const struct order_note_events *events)
{
    const struct order_note *known = order_note_find(commands, call->arguments[0].bits);
    return (struct commands_wait){.queue = known ? known->queue : NULL,
                                  .finishes = call->entry == API_ENTRY_clFinish,
                                  .events = events->list,
                                  .event_count = events->count};
}

uint64_t host_commands_unflushed(struct host_commands *commands, const struct api_call *call)
{
    uint64_t found = 0;
    if (call->thread > 1)
        commands->several_threads = true;
    if (commands->several_threads)
        return 0;
    struct order_note_events events = order_note_events(commands, call);
    commands_lock(commands->commands);
    const struct commands_wait wait = make_wait(commands, call, &events);
    if (events.complete && !commands->blind && !commands->several_threads)
        found = handle_of(commands, commands_find_unflushed(commands->commands, &wait));
    commands_unlock(commands->commands);
    order_note_events_drop(&events);
    return found;
}

bool host_commands_unset(struct host_commands *commands, const struct api_call *call)
{
    struct order_note_events events = order_note_events(commands, call);
    commands_lock(commands->commands);
    const struct commands_wait wait = make_wait(commands, call, &events);
    const bool unset = events.complete && !commands->blind &&
                       commands_wait_for_user_event(commands->commands, &wait);
    commands_unlock(commands->commands);
    order_note_events_drop(&events);
    return unset;
}

bool host_commands_left(struct host_commands *commands, uint64_t queue, struct last_command *last)
{
    commands_lock(commands->commands);
    const struct order_note *known = order_note_find(commands, queue);
    const bool left = !commands->blind && known && known->queue &&
                      commands_has_unflushed(commands->commands, known->queue);
    if (left)
        *last = known->last;
    commands_unlock(commands->commands);
    return left;
}
