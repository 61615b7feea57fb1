/* What has been flushed, and waits for what has not. */
#include "checkers/host/checker.h"
#include "checkers/host/commands_state.h"
#include "trace/base/alloc.h"

/* OpenCL API 3.0, 5.15: "Any blocking commands queued in a command-queue and clReleaseCommandQueue
 * perform an implicit flush". */
void flushing_note(struct host_commands *commands, const struct api_call *call)
{
    struct commands_queue *queue = known_queue(commands, call->arguments[0].bits);
    struct ordered_command **events;
    size_t count;
    commands->several_threads |= call->thread > 1;
    if (queue && (call->entry == API_ENTRY_clFlush || call->entry == API_ENTRY_clFinish ||
                  call->entry == API_ENTRY_clReleaseCommandQueue || call_is_blocking(call)))
        commands_flushed(queue);
    if (call->entry != API_ENTRY_clWaitForEvents)
        return;
    known_events(commands, call, &events, &count);
    for (size_t i = 0; events && i < count; i++)
        commands_event_flushed(events[i]);
    alloc_free(events);
}

static uint64_t handle_of(const struct host_commands *commands, const struct commands_queue *queue)
{
    const struct known *known = queue ? commands->known : NULL;
    while (known && known->queue != queue)
        known = known->next;
    return known ? known->handle : 0;
}

/* What a call waits for. */
static struct commands_wait make_wait(const struct host_commands *commands,
                                      const struct api_call *call,
                                      struct ordered_command *const *events, size_t count)
{
    return (struct commands_wait){.queue = known_queue(commands, call->arguments[0].bits),
                                  .finishes = call->entry == API_ENTRY_clFinish,
                                  .events = events,
                                  .event_count = count};
}

uint64_t host_commands_unflushed(struct host_commands *commands, const struct api_call *call)
{
    struct ordered_command **events;
    size_t count;
    uint64_t found = 0;
    commands_lock(commands->commands);
    commands->several_threads |= call->thread > 1;
    const bool known = known_events(commands, call, &events, &count);
    const struct commands_wait wait = make_wait(commands, call, events, count);
    if (known && !commands->blind && !commands->several_threads)
        found = handle_of(commands, commands_find_unflushed(commands->commands, &wait));
    alloc_free(events);
    commands_unlock(commands->commands);
    return found;
}

bool host_commands_unset(struct host_commands *commands, const struct api_call *call)
{
    struct ordered_command **events;
    size_t count;
    commands_lock(commands->commands);
    const bool known = known_events(commands, call, &events, &count);
    const struct commands_wait wait = make_wait(commands, call, events, count);
    const bool unset =
        known && !commands->blind && commands_wait_for_user_event(commands->commands, &wait);
    alloc_free(events);
    commands_unlock(commands->commands);
    return unset;
}

bool host_commands_left(struct host_commands *commands, uint64_t queue, struct last_command *last)
{
    commands_lock(commands->commands);
    const struct known *known = known_find(commands, queue);
    const bool left = !commands->blind && known && known->queue &&
                      commands_has_unflushed(commands->commands, known->queue);
    if (left)
        *last = known->last;
    commands_unlock(commands->commands);
    return left;
}
