/* Enqueued command-buffers: each is one command of its queue, or of several at once, which does
 * what was recorded (recordings.h).
 *
 * OpenCL API 3.1, "Command-Buffers": queue properties "have the same execution semantics for
 * clEnqueueCommandBufferKHR as other operations enqueued to the queue"; of several queues it says
 * otherwise (commands_enqueue_across). A list that names one queue only, however often, is taken
 * for one queue. */
#include "checkers/host/checker.h"
#include "checkers/host/commands/commands_state.h"
#include "checkers/host/commands/recordings.h"

/* ---- its queues ---- */

struct span {
    struct order_note *queues[TRAITS_DEVICES_MAX]; /* each once */
    size_t count;
};

static bool add_queue(const struct host_commands *commands, struct span *span, uint64_t handle)
{
    struct order_note *queue = order_note_find(commands, handle);
    size_t at = 0;
    while (at < span->count && span->queues[at] != queue)
        at++;
    if (!queue || at == TRAITS_DEVICES_MAX)
        return false;
    span->queues[at] = queue;
    span->count += at == span->count;
    return true;
}

/* Those of the call, or else those that the command-buffer was made for: false when one of them is
 * not known. With commands_lock. */
static bool find_queues(const struct host_commands *commands, const struct api_call *call,
                        struct span *span)
{
    const struct api_value *list = &call->arguments[API_clEnqueueCommandBufferKHR_queues];
    const uint64_t handle = call->arguments[API_clEnqueueCommandBufferKHR_command_buffer].bits;
    const bool given = list->kind == API_VALUE_HANDLES && list->data && list->count > 0;
    struct command_buffer_traits buffer;
    bool complete = true;
    span->count = 0;
    object_get_traits(commands->checker->objects, handle, API_OBJECT_COMMAND_BUFFER, &buffer);
    if (!given && buffer.queue_count > TRAITS_DEVICES_MAX)
        return false;
    for (uint32_t i = 0; complete && i < (given ? list->count : buffer.queue_count); i++)
        complete = add_queue(commands, span, given ? list_word(list, i) : buffer.queues[i]);
    return complete && span->count > 0;
}

/* ---- the call ---- */

static struct ordered_command *enqueue(struct host_commands *commands, const struct span *span,
                                       const struct order_note_events *events)
{
    struct commands_queue *queues[TRAITS_DEVICES_MAX];
    for (size_t i = 0; i < span->count; i++)
        queues[i] = span->queues[i]->queue;
    if (span->count > 1)
        return commands_enqueue_across(commands->commands,
                                       &(struct commands_span){.queues = queues,
                                                               .queue_count = span->count,
                                                               .events = events->list,
                                                               .event_count = events->count});
    return commands_enqueue(commands->commands,
                            &(struct commands_request){.queue = queues[0],
                                                       .events = events->list,
                                                       .event_count = events->count});
}

void enqueue_recording_begin(struct host_commands *commands, const struct api_call *call)
{
    struct span span;
    struct order_note_events events = {.complete = true};
    if (!commands->blind)
        events = order_note_events(commands, call);
    commands_lock(commands->commands);
    if (!commands->blind && events.complete && find_queues(commands, call, &span)) {
        struct ordered_command *command = enqueue(commands, &span, &events);
        if (!under_way_add(span.queues[0], call->id, command)) {
            command_drop(command);
            commands->blind = true;
        }
    }
    flushing_note(commands, call, NULL);
    commands_unlock(commands->commands);
    order_note_events_drop(&events);
}

/* ---- judging ---- */

/* Does it run in other queues than it was recorded for, which may be in order where those were not?
 */
static bool is_substituted(const struct host_commands *commands, const struct api_call *call)
{
    const struct api_value *list = &call->arguments[API_clEnqueueCommandBufferKHR_queues];
    const uint64_t handle = call->arguments[API_clEnqueueCommandBufferKHR_command_buffer].bits;
    struct command_buffer_traits buffer;
    bool same =
        object_get_traits(commands->checker->objects, handle, API_OBJECT_COMMAND_BUFFER, &buffer) &&
        list->count <= TRAITS_DEVICES_MAX;
    for (uint32_t i = 0; same && list->kind == API_VALUE_HANDLES && list->data && i < list->count;
         i++)
        same = list_word(list, i) == buffer.queues[i];
    return !same;
}

void enqueue_recording_tell(struct host_commands *commands, const struct waiting *waiting)
{
    const struct recorded_list *list = waiting->recorded;
    for (size_t i = 0; i < list->count; i++) {
        const struct recorded_command *recorded = &list->commands[i];
        struct use_origin origin = recorded->origin;
        origin.queue = waiting->origin.queue;
        origin.call_id = waiting->origin.call_id;
        origin.stack = waiting->origin.stack;
        for (size_t j = 0; j < recorded->use_count; j++) {
            const struct recorded_use *use = &recorded->uses[j];
            const bool told_there = waiting->elsewhere && use->use.object != CALL_HOST_MEMORY;
            if (!told_there && !use->repeats && recorded_use_lives(commands->checker, use))
                uses_add(commands->uses, waiting->command, &origin, &use->use, 1, waiting->keep);
        }
    }
}

static void recorded_inside(void *user, const struct uses_conflict *conflict)
{
    struct uses_conflict inside = *conflict;
    inside.why |= COMMAND_RECORDED;
    commands_report(user, &inside);
}

static bool is_elsewhere(const struct span *span)
{
    bool elsewhere = false;
    for (size_t i = 0; i < span->count; i++)
        elsewhere |= span->queues[i]->elsewhere;
    return elsewhere;
}

/* Now, or once it is settled. Takes over the list. */
static void tell(struct host_commands *commands, struct waiting *recorded)
{
    if (command_is_settled(recorded->command)) {
        enqueue_recording_tell(commands, recorded);
        recorded_list_drop(recorded->recorded);
        return;
    }
    struct waiting *waiting =
        commands_tell_later(commands, recorded->command, &recorded->origin, recorded->keep);
    if (!waiting) {
        recorded_list_drop(recorded->recorded);
        return;
    }
    waiting->recorded = recorded->recorded;
    waiting->elsewhere = recorded->elsewhere;
}

static void judge(struct host_commands *commands, const struct span *span,
                  const struct api_call *call, struct ordered_command *command)
{
    const uint64_t handle = call->arguments[API_clEnqueueCommandBufferKHR_command_buffer].bits;
    struct recordings *recordings = commands->checker->recordings;
    struct recorded_list *list = recordings_hold(recordings, handle);
    if (!list)
        return;
    struct waiting recorded = {.command = command, .recorded = list};
    recorded.keep = commands_are_concurrent(commands->commands) || list->of_host;
    recorded.elsewhere = is_elsewhere(span);
    recorded.origin =
        (struct use_origin){.queue = span->count == 1 ? span->queues[0]->ordinal : 0,
                            .call_id = call->id,
                            .stack = recorded.keep ? checker_stack(commands->checker) : 0};
    if (!recorded.elsewhere && !is_substituted(commands, call))
        recordings_judge(recordings, handle, &recorded.origin, recorded_inside, commands);
    if (recorded.keep || uses_has_any(commands->uses))
        tell(commands, &recorded);
    else
        recorded_list_drop(list);
}

struct ordered_command *enqueue_recording_end(struct host_commands *commands,
                                              const struct api_call *call, bool succeeded)
{
    struct ordered_command *command = NULL;
    struct span span;
    commands_lock(commands->commands);
    if (find_queues(commands, call, &span))
        command = under_way_take(span.queues[0], call->id);
    if (command && succeeded) {
        for (size_t i = 0; i < span.count; i++)
            span.queues[i]->last = (struct last_command){.call_id = call->id, .entry = call->entry};
        judge(commands, &span, call, command);
    }
    commands_unlock(commands->commands);
    if (!command && succeeded)
        commands->blind = true;
    return command;
}
