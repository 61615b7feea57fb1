/* Launches, which a program makes most: as commands.c does it, but for the usual launch with
 * nothing locked but its queue, so that threads which have queues and memory of their own do not
 * wait for each other. What is unusual is found out before anything is done. */
#include "checkers/host/commands_state.h"

#include "checkers/host/checker.h"

#include <string.h>

static bool has_wait_list(const struct api_call *call)
{
    return call->arguments[API_clEnqueueNDRangeKernel_num_events_in_wait_list].bits != 0 ||
           call->arguments[API_clEnqueueNDRangeKernel_event_wait_list].present;
}

bool launched_begin(struct host_commands *commands, const struct api_call *call)
{
    struct known *queue =
        has_wait_list(call) ? NULL : known_lock_queue(commands, call->arguments[0].bits);
    struct ordered_command *command = NULL;
    if (!queue)
        return false;
    if (!commands->blind && (commands->several_threads || call->thread == 1))
        command = commands_enqueue_next(commands->commands, queue->queue);
    const bool begun = command && under_way_add(queue, call->id, command);
    if (!begun)
        command_drop(command);
    commands_queue_unlock(queue->queue);
    return begun;
}

/* Finds the uses of a launch that has few, if they are not known; false when it has more. */
static bool find_uses(const struct host_commands *commands, struct known *queue,
                      const struct api_call *call)
{
    struct object_table *objects = commands->checker->objects;
    struct launch_uses *launch = &queue->launch;
    const uint64_t handle = call->arguments[API_clEnqueueNDRangeKernel_kernel].bits;
    const struct kernel_traits *kernel = object_kernel_traits(objects, handle);
    const uint64_t changes =
        kernel ? atomic_load_explicit(&kernel->changes, memory_order_acquire) : 0;
    const uint64_t version = object_version(objects);
    struct object_facts facts;
    struct call_uses found;
    if (launch->kernel == handle && launch->changes == changes && launch->version == version)
        return true;
    launch->kernel = 0;
    call_uses_find(call, objects, &found);
    if (found.count > LAUNCH_USES_MAX || !object_describe(objects, handle, &facts))
        return false;
    launch->kernel = handle;
    launch->changes = changes;
    launch->version = version;
    launch->count = found.count;
    memcpy(launch->detail, facts.detail, sizeof launch->detail);
    memcpy(launch->uses, found.uses, found.count * sizeof found.uses[0]);
    return true;
}

/* Is there nothing to judge of the command, or no more than that it goes on where an earlier one of
 * its queue was? */
static bool goes_on(struct host_commands *commands, struct known *queue,
                    const struct api_call *call, struct ordered_command *command)
{
    const bool concurrent = commands_are_concurrent(commands->commands);
    if (queue->elsewhere || (!concurrent && !uses_has_any(commands->uses)))
        return true;
    if (!concurrent || !command_is_settled(command) || !find_uses(commands, queue, call))
        return false;
    if (queue->launch.count == 0)
        return true;
    struct use_origin origin = {.function = api_entry_get(call->entry)->name,
                                .queue = queue->ordinal,
                                .call_id = call->id,
                                .stack = checker_stack(commands->checker)};
    memcpy(origin.detail, queue->launch.detail, sizeof queue->launch.detail);
    return uses_add_next(commands->uses, command, &origin, queue->launch.uses, queue->launch.count);
}

static void remember_event(struct host_commands *commands, const struct api_call *call,
                           struct ordered_command *event)
{
    const struct api_value *out = &call->arguments[API_clEnqueueNDRangeKernel_event];
    uint64_t handle;
    memcpy(&handle, out->data, sizeof handle);
    struct ordered_command *old = known_swap_event(commands, handle, event);
    if (old == event) {
        commands_lock(commands->commands);
        commands->blind = true;
        commands_unlock(commands->commands);
    }
    known_drop(old);
}

bool launched_end(struct host_commands *commands, const struct api_call *call)
{
    const struct api_value *out = &call->arguments[API_clEnqueueNDRangeKernel_event];
    const bool succeeded = (int32_t)call->result.bits == CL_SUCCESS;
    const bool has_event =
        succeeded && out->present && out->kind == API_VALUE_HANDLES && out->count == 1;
    struct known *queue = known_lock_queue(commands, call->arguments[0].bits);
    struct ordered_command *command = queue ? under_way_take(queue, call->id) : NULL;
    if (queue && !command)
        commands_queue_unlock(queue->queue);
    if (!command)
        return false;
    if (has_event)
        command_retain(command);
    if (succeeded)
        queue->last = (struct last_command){.call_id = call->id, .entry = call->entry};
    const bool done = !succeeded || goes_on(commands, queue, call, command);
    if (done)
        command_drop(command);
    commands_queue_unlock(queue->queue);
    if (has_event)
        remember_event(commands, call, command);
    if (done)
        return true;
    commands_lock(commands->commands);
    judge_uses(commands, call, command, false);
    command_drop(command);
    commands_unlock(commands->commands);
    return true;
}
