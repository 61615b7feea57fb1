/* From calls to the order of commands.
 *
 * A command takes its place in the order when its call begins, since a blocking call may wait for
 * what other threads enqueue meanwhile; whether the call succeeded, what its event is and what it
 * does to memory is known when it returns. A command that waits for a user event is judged when the
 * event is set. */
#include "checkers/host/commands/commands_state.h"

#include "checkers/host/checker.h"
#include "checkers/host/commands/awaited.h"
#include "checkers/host/commands/recordings.h"
#include "checkers/host/memory/memory.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <string.h>

/* ---- commands ---- */

bool under_way_add(struct order_note *known, uint64_t call_id, struct ordered_command *command)
{
    struct under_way *under_way = known->spare_under_way;
    if (under_way)
        known->spare_under_way = under_way->next;
    else
        under_way = alloc(sizeof *under_way);
    if (!under_way)
        return false;
    *under_way =
        (struct under_way){.next = known->under_way, .call_id = call_id, .command = command};
    known->under_way = under_way;
    return true;
}

struct ordered_command *under_way_take(struct order_note *known, uint64_t call_id)
{
    struct under_way **link = &known->under_way;
    while (*link && (*link)->call_id != call_id)
        link = &(*link)->next;
    struct under_way *under_way = *link;
    if (!under_way)
        return NULL;
    *link = under_way->next;
    under_way->next = known->spare_under_way;
    known->spare_under_way = under_way;
    return under_way->command;
}

static void take_place(struct host_commands *commands, const struct api_call *call,
                       struct order_note *queue, const struct order_note_events *events)
{
    const bool bars = call->entry == API_ENTRY_clEnqueueBarrier ||
                      call->entry == API_ENTRY_clEnqueueBarrierWithWaitList ||
                      call->entry == API_ENTRY_clEnqueueWaitForEvents;
    const bool orders = bars || call->entry == API_ENTRY_clEnqueueMarker ||
                        call->entry == API_ENTRY_clEnqueueMarkerWithWaitList;
    struct ordered_command *command = commands_enqueue(
        commands->commands, &(struct commands_request){.queue = queue->queue,
                                                       .events = events->list,
                                                       .event_count = events->count,
                                                       .orders = orders,
                                                       .bars = bars});
    if (!under_way_add(queue, call->id, command)) {
        command_drop(command);
        commands->blind = true;
    }
}

/* ---- judging ---- */

/* Is there anything that a later command may clash with? */
static bool keeps_any(const struct host_commands *commands)
{
    return uses_has_any(commands->uses) ||
           atomic_load_explicit(&commands->has_waited, memory_order_relaxed);
}

bool host_commands_watch(const struct host_commands *commands)
{
    return commands->memory && host_memory_is_busy(commands->memory);
}

unsigned host_commands_now(const struct host_commands *commands)
{
    return (uses_may_have_write(commands->uses, CALL_HOST_MEMORY) ? HOST_COMMANDS_BEGIN_HOST : 0u) |
           (keeps_any(commands) || commands->shared.any || host_commands_watch(commands)
                ? HOST_COMMANDS_END_KEPT
                : 0u);
}

static void tell(struct host_commands *commands, struct ordered_command *command,
                 const struct use_origin *origin, const struct call_uses *found, bool keep)
{
    ASSERT(!found->maps || found->count > 0);
    if (found->maps)
        uses_map(commands->uses, command, origin, &found->uses[0], &found->whole, found->handle);
    else
        uses_add(commands->uses, command, origin, found->uses, found->count, keep);
}

struct waiting *commands_tell_later(struct host_commands *commands, struct ordered_command *command,
                                    const struct use_origin *origin, bool keep)
{
    struct waiting *waiting = alloc(sizeof *waiting);
    if (!waiting) {
        commands->blind = true;
        return NULL;
    }
    *waiting =
        (struct waiting){.command = command_retain(command), .origin = *origin, .keep = keep};
    ASSERT(!*commands->last_waiting);
    *commands->last_waiting = waiting;
    commands->last_waiting = &waiting->next;
    commands->has_waited = true;
    return waiting;
}

static void tell_later(struct host_commands *commands, struct ordered_command *command,
                       const struct use_origin *origin, const struct call_uses *found, bool keep)
{
    struct waiting *waiting = commands_tell_later(commands, command, origin, keep);
    if (waiting)
        waiting->found = *found;
}

static void tell_waiting(struct host_commands *commands, const struct waiting *waiting)
{
    ASSERT(command_is_settled(waiting->command));
    if (waiting->recorded)
        enqueue_recording_tell(commands, waiting);
    else
        tell(commands, waiting->command, &waiting->origin, &waiting->found, waiting->keep);
    if (waiting->unmap)
        uses_unmap(commands->uses, waiting->found.uses[0].object, waiting->found.handle,
                   waiting->unmap);
}

static void drop_waiting(struct waiting *waiting)
{
    command_drop(waiting->command);
    command_drop(waiting->unmap);
    recorded_list_drop(waiting->recorded);
    alloc_free(waiting);
}

/* Those whose user events have all been set. With an error they never run. */
static void tell_settled(struct host_commands *commands, bool run)
{
    struct waiting **link = &commands->waiting;
    while (*link) {
        struct waiting *waiting = *link;
        if (!command_is_settled(waiting->command)) {
            link = &waiting->next;
            continue;
        }
        *link = waiting->next;
        if (run)
            tell_waiting(commands, waiting);
        drop_waiting(waiting);
    }
    commands->last_waiting = link;
}

/* What is judged elsewhere is left out; the host's memory never is. */
static void leave_out(struct call_uses *found)
{
    size_t kept = 0;
    for (size_t i = 0; i < found->count; i++) {
        if (found->uses[i].object == CALL_HOST_MEMORY)
            found->uses[kept++] = found->uses[i];
    }
    found->count = kept;
    found->maps = false;
}

/* Has its command ended when the call returns? A function of the program's that runs as a command
 * may tell the host what it knows: if it is called before the call returns, from then on
 * (host_checker_called_back). */
static bool is_over_when_it_returns(const struct api_call *call)
{
    return api_call_blocks(call) || call->entry == API_ENTRY_clEnqueueNativeKernel ||
           call->entry == API_ENTRY_clEnqueueSVMFree;
}

/* Does a command of the only queue do what something later may clash with? */
static bool may_matter_alone(const struct api_call *call, bool blocking)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    return call->entry == API_ENTRY_clEnqueueMapBuffer ||
           call->entry == API_ENTRY_clEnqueueMapImage ||
           (!blocking && (call->entry == API_ENTRY_clEnqueueSVMMemcpy ||
                          call->entry == API_ENTRY_clEnqueueMemcpyINTEL ||
                          api_entry_find_role(info, API_ROLE_IN_MEMORY) != API_PARAMETER_NONE ||
                          api_entry_find_role(info, API_ROLE_OUT_MEMORY) != API_PARAMETER_NONE));
}

/* What a call's command does to memory; `room` is where it may be put. */
static const struct call_uses *find_uses(struct host_commands *commands, struct order_note *queue,
                                         const struct api_call *call, struct call_uses *room,
                                         struct use_origin *origin)
{
    struct host_checker *checker = commands->checker;
    *origin = (struct use_origin){
        .function = api_entry_get(call->entry)->name, .queue = queue->ordinal, .call_id = call->id};
    if (api_entry_launches(call->entry)) {
        const struct launch_uses *launch = launch_uses_of(commands, queue, call);
        memcpy(origin->detail, launch->detail, sizeof launch->detail);
        return awaited_mark(commands->awaited, call->id, &launch->found, room);
    }
    call_uses_find(call, checker->objects, checker->svm, room);
    if (queue->elsewhere)
        leave_out(room);
    return room;
}

/* A command of the locked queue: what it does is compared with what others did. With `later` all
 * queues are locked; false without it: they have to be, and nothing was done. */
static bool judge_uses(struct host_commands *commands, struct order_note *queue,
                       const struct api_call *call, struct ordered_command *command, bool blocking,
                       bool later)
{
    const bool concurrent = commands_are_concurrent(commands->commands);
    struct call_uses room;
    struct use_origin origin;
    if (!concurrent && !may_matter_alone(call, blocking) && !uses_has_any(commands->uses))
        return true;
    if (queue->elsewhere && api_entry_launches(call->entry))
        return true;
    if (!later && !command_is_settled(command))
        return false;
    const struct call_uses *found = find_uses(commands, queue, call, &room, &origin);
    const bool of_host =
        found->count > 0 && found->uses[found->count - 1].object == CALL_HOST_MEMORY;
    const bool keep = found->maps || (!blocking && (of_host || concurrent));
    bool matters = keep && found->count > 0;
    for (size_t i = 0; i < found->count && !matters; i++)
        matters = uses_may_have(commands->uses, found->uses[i].object);
    if (!matters)
        return true;
    if (keep)
        origin.stack = checker_stack(commands->checker);
    if (command_is_settled(command))
        tell(commands, command, &origin, found, keep);
    else
        tell_later(commands, command, &origin, found, keep);
    return true;
}

/* Its map is judged later, and not there yet to be ended. With all queues locked. */
static bool unmap_later(struct host_commands *commands, uint64_t object, uint64_t address,
                        struct ordered_command *command)
{
    for (struct waiting *waiting = commands->waiting; waiting; waiting = waiting->next) {
        if (waiting->found.maps && !waiting->unmap && waiting->found.handle == address &&
            waiting->found.uses[0].object == object) {
            waiting->unmap = command_retain(command);
            return true;
        }
    }
    return false;
}

/* The same as judge_uses for the end of a map. */
static bool judge_unmap(struct host_commands *commands, const struct api_call *call,
                        struct ordered_command *command, bool later)
{
    const uint64_t address = call->arguments[API_clEnqueueUnmapMemObject_mapped_ptr].bits;
    struct mem_traits mem;
    if (!object_get_traits(commands->checker->objects,
                           call->arguments[API_clEnqueueUnmapMemObject_memobj].bits, API_OBJECT_MEM,
                           &mem))
        return true;
    if (!later && commands->waiting)
        return false;
    if (!later || !unmap_later(commands, mem.root, address, command))
        uses_unmap(commands->uses, mem.root, address, command);
    return true;
}

static bool judge_command(struct host_commands *commands, struct order_note *queue,
                          const struct api_call *call, struct ordered_command *command,
                          bool blocking, bool later)
{
    return call->entry == API_ENTRY_clEnqueueUnmapMemObject
               ? judge_unmap(commands, call, command, later)
               : judge_uses(commands, queue, call, command, blocking, later);
}

static void judge_later(struct host_commands *commands, const struct api_call *call,
                        struct ordered_command *command)
{
    commands_lock(commands->commands);
    struct order_note *queue = order_note_find(commands, call->arguments[0].bits);
    if (queue)
        judge_command(commands, queue, call, command, is_over_when_it_returns(call), true);
    commands_unlock(commands->commands);
}

/* Takes over the command, of whose event the call may have given the handle. */
static void remember_event(struct host_commands *commands, const struct api_call *call,
                           struct ordered_command *command)
{
    const uint32_t out = api_entry_find_role(api_entry_get(call->entry), API_ROLE_OUT_EVENT);
    const struct api_value *event = out != API_PARAMETER_NONE ? &call->arguments[out] : NULL;
    if (event && event->present && event->kind == API_VALUE_HANDLES && event->count == 1)
        order_note_remember_event(commands, list_word(event, 0), command);
    else
        command_drop(command);
}

/* ---- the host ---- */

/* Does the call itself read memory that a transfer may still write? */
static bool reads_what_is_written(const struct host_commands *commands, const struct api_call *call)
{
    struct call_uses found;
    bool written = false;
    if (!uses_may_have_write(commands->uses, CALL_HOST_MEMORY))
        return false;
    call_uses_of_host(call, &found);
    for (size_t i = 0; i < found.count && !written; i++)
        written = uses_has_write(commands->uses, CALL_HOST_MEMORY, &found.uses[i].bytes);
    return written;
}

static void host_reads(struct host_commands *commands, const struct api_call *call)
{
    struct call_uses found;
    const struct use_origin origin = {.function = api_entry_get(call->entry)->name,
                                      .call_id = call->id};
    call_uses_of_host(call, &found);
    commands_lock(commands->commands);
    struct ordered_command *act = commands_host_acts(commands->commands);
    uses_add(commands->uses, act, &origin, found.uses, found.count, false);
    command_drop(act);
    commands_unlock(commands->commands);
}

void commands_waited(struct host_commands *commands, const struct ordered_command *event)
{
    struct commands_queue *home = command_home(event);
    commands_queue_lock(home);
    commands_host_waited(commands->commands, event);
    commands_queue_unlock(home);
}

static void waited(struct host_commands *commands, const struct api_call *call)
{
    struct order_note_events events = order_note_events(commands, call);
    for (size_t i = 0; events.complete && i < events.count; i++)
        commands_waited(commands, events.list[i]);
    if (!events.complete && (int32_t)call->result.bits == CL_SUCCESS)
        commands->blind = true;
    order_note_events_drop(&events);
}

static void finished(struct host_commands *commands, const struct api_call *call)
{
    const struct order_note *queue =
        order_note_lock_queue(commands, call->arguments[API_clFinish_command_queue].bits);
    if (!queue)
        return;
    commands_host_finished(commands->commands, queue->queue);
    commands_queue_unlock(queue->queue);
}

/* The program knows that the command has ended, but is told so by nothing that orders. */
static void asked(struct host_commands *commands, const struct api_call *call, uint64_t handle)
{
    if (!host_commands_watch(commands) && !commands->shared.any)
        return;
    struct ordered_command *event = order_note_event(commands, handle);
    commands_lock(commands->commands);
    if (commands->memory)
        host_memory_asked(commands->memory, call, event);
    if (event)
        shared_uses_asked(&commands->shared, event);
    commands_unlock(commands->commands);
    command_drop(event);
}

static void status_asked(struct host_commands *commands, const struct api_call *call)
{
    const uint64_t event = call->arguments[API_clGetEventInfo_event].bits;
    const struct api_value *answer = &call->arguments[API_clGetEventInfo_param_value];
    int32_t status;
    if (!answer->data || answer->size != sizeof status ||
        call->arguments[API_clGetEventInfo_param_name].bits != CL_EVENT_COMMAND_EXECUTION_STATUS)
        return;
    memcpy(&status, answer->data, sizeof status);
    if (status == CL_COMPLETE)
        host_commands_completed(commands, event);
    if (status <= CL_COMPLETE)
        asked(commands, call, event);
}

/* There are times of commands that have ended only. */
static void times_asked(struct host_commands *commands, const struct api_call *call)
{
    asked(commands, call, call->arguments[API_clGetEventProfilingInfo_event].bits);
}

static void set_user_event(struct host_commands *commands, const struct api_call *call)
{
    struct ordered_command *event =
        order_note_event(commands, call->arguments[API_clSetUserEventStatus_event].bits);
    const int32_t status = (int32_t)call->arguments[API_clSetUserEventStatus_execution_status].bits;
    if (!event)
        return;
    commands_lock(commands->commands);
    commands_set_user_event(commands->commands, event);
    tell_settled(commands, status == CL_COMPLETE);
    commands_unlock(commands->commands);
    command_drop(event);
}

/* ---- the stream ---- */

/* A wait that ends with an error has waited as well. */
static bool call_succeeded(const struct api_call *call)
{
    const enum api_role role = api_entry_get(call->entry)->return_role;
    if (call->entry == API_ENTRY_clWaitForEvents || role == API_ROLE_NOTHING)
        return true;
    return role == API_ROLE_STATUS ? (int32_t)call->result.bits == CL_SUCCESS
                                   : call->result.bits != 0;
}

/* What calls that are no commands do once they succeeded. */

static void queue_created(struct host_commands *commands, const struct api_call *call)
{
    struct queue_traits traits;
    object_get_traits(commands->checker->objects, call->result.bits, API_OBJECT_QUEUE, &traits);
    const bool in_order = (traits.properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) == 0;
    commands_lock(commands->commands);
    struct commands_queue *queue = commands_queue_create(commands->commands, in_order);
    bool elsewhere = false;
    for (size_t i = 0; i < commands->elsewhere_count; i++)
        elsewhere |= commands->elsewhere[i] == traits.device;
    if (queue)
        order_note_remember_queue(commands, call->result.bits, queue, elsewhere);
    struct order_note *known = order_note_find(commands, call->result.bits);
    if (known) {
        known->in_order = in_order;
        known->context = call->arguments[0].bits;
    }
    commands_unlock(commands->commands);
}

/* It may make the queue out of order. */
static void queue_changed(struct host_commands *commands, const struct api_call *call)
{
    (void)call;
    commands->blind = true;
}

static void user_event_created(struct host_commands *commands, const struct api_call *call)
{
    commands_lock(commands->commands);
    struct ordered_command *event = commands_create_user_event(commands->commands);
    commands_unlock(commands->commands);
    order_note_remember_event(commands, call->result.bits, event);
}

/* The last reference, perhaps. */
static void queue_released(struct host_commands *commands, const struct api_call *call)
{
    order_note_forget_dead_queue(commands, call->arguments[0].bits);
}

static void event_released(struct host_commands *commands, const struct api_call *call)
{
    order_note_forget_dead_event(commands, call->arguments[0].bits);
}

/* The handle may have been that of an object which is no more. */
static void memory_created(struct host_commands *commands, const struct api_call *call)
{
    uses_forget(commands->uses, call->result.bits);
}

static void memory_released(struct host_commands *commands, const struct api_call *call)
{
    const uint64_t handle = call->arguments[0].bits;
    if (object_state(commands->checker->objects, handle).standing == OBJECT_DEAD)
        uses_forget(commands->uses, handle);
}

typedef void handler(struct host_commands *commands, const struct api_call *call);
static handler *const handlers[API_ENTRY_COUNT] = {
    [API_ENTRY_clCreateCommandQueue] = queue_created,
    [API_ENTRY_clCreateCommandQueueWithProperties] = queue_created,
    [API_ENTRY_clCreateCommandQueueWithPropertiesKHR] = queue_created,
    [API_ENTRY_clReleaseCommandQueue] = queue_released,
    [API_ENTRY_clSetCommandQueueProperty] = queue_changed,
    [API_ENTRY_clFinish] = finished,
    [API_ENTRY_clWaitForEvents] = waited,
    [API_ENTRY_clCreateUserEvent] = user_event_created,
    [API_ENTRY_clReleaseEvent] = event_released,
    [API_ENTRY_clGetEventInfo] = status_asked,
    [API_ENTRY_clGetEventProfilingInfo] = times_asked,
    [API_ENTRY_clCreateBuffer] = memory_created,
    [API_ENTRY_clCreateBufferWithProperties] = memory_created,
    [API_ENTRY_clCreateSubBuffer] = memory_created,
    [API_ENTRY_clCreateImage] = memory_created,
    [API_ENTRY_clCreateImageWithProperties] = memory_created,
    [API_ENTRY_clCreateImage2D] = memory_created,
    [API_ENTRY_clCreateImage3D] = memory_created,
    [API_ENTRY_clReleaseMemObject] = memory_released,
};

/* What a semaphore orders is not known: after such a command nothing can be said of others. */
static bool orders_unseen(uint32_t entry)
{
    return entry == API_ENTRY_clEnqueueWaitSemaphoresKHR;
}

static bool may_flush(uint32_t entry)
{
    return api_entry_enqueues(entry) || entry == API_ENTRY_clFlush || entry == API_ENTRY_clFinish ||
           entry == API_ENTRY_clWaitForEvents || entry == API_ENTRY_clReleaseCommandQueue;
}

static bool reads_host(uint32_t entry)
{
    const struct api_entry_info *info = api_entry_get(entry);
    return api_entry_find_role(info, API_ROLE_IN_BYTES) != API_PARAMETER_NONE ||
           api_entry_find_role(info, API_ROLE_HOST_MEMORY) != API_PARAMETER_NONE;
}

uint8_t host_commands_concern(const struct host_commands *commands, uint32_t entry)
{
    unsigned moments = 0;
    if (may_flush(entry) || entry == API_ENTRY_clSetUserEventStatus)
        moments |= HOST_COMMANDS_BEGIN;
    if (reads_host(entry))
        moments |= HOST_COMMANDS_BEGIN_HOST;
    if (entry == API_ENTRY_clGetEventInfo)
        moments |= HOST_COMMANDS_END_KEPT;
    else if (api_entry_enqueues(entry) || handlers[entry])
        moments |= HOST_COMMANDS_END;
    if (commands->memory && host_memory_concerns(entry))
        moments |= HOST_COMMANDS_BEGIN | HOST_COMMANDS_END;
    if (ends_svm(entry))
        moments |= HOST_COMMANDS_BEGIN;
    if (shared_uses_concern_end(entry))
        moments |= HOST_COMMANDS_END;
    return (uint8_t)moments;
}

/* The command takes its place in its queue, and the queue is flushed, perhaps. */
static void begin_in_queue(struct host_commands *commands, const struct api_call *call)
{
    struct order_note_events events = {.complete = true};
    const bool enqueues = api_entry_enqueues(call->entry) && !commands->blind;
    if (enqueues)
        events = order_note_events(commands, call);
    struct order_note *queue = order_note_lock_queue(commands, call->arguments[0].bits);
    if (enqueues && queue && events.complete)
        take_place(commands, call, queue, &events);
    flushing_note(commands, call, queue); /* before other threads wait for what begins now */
    if (queue)
        commands_queue_unlock(queue->queue);
    order_note_events_drop(&events);
}

void host_commands_begin(struct host_commands *commands, const struct api_call *call)
{
    if (reads_what_is_written(commands, call))
        host_reads(commands, call);
    if (orders_unseen(call->entry))
        commands->blind = true;
    if (call->entry == API_ENTRY_clEnqueueCommandBufferKHR)
        enqueue_recording_begin(commands, call);
    else if (may_flush(call->entry))
        begin_in_queue(commands, call);
    if (commands->memory && !commands->blind && host_memory_begins(commands->memory, call->entry)) {
        commands_lock(commands->commands);
        host_memory_begin(commands->memory, call);
        commands_unlock(commands->commands);
    }
    if (ends_svm(call->entry) && !commands->blind) {
        commands_lock(commands->commands);
        shared_uses_begin(&commands->shared, call);
        commands_unlock(commands->commands);
    }
    if (call->entry == API_ENTRY_clSetUserEventStatus)
        set_user_event(commands, call);
}

/* A call that enqueues has returned. Its command, which is to be dropped; NULL = it is not known.
 */
static struct ordered_command *end_in_queue(struct host_commands *commands,
                                            const struct api_call *call, bool succeeded)
{
    struct order_note *queue = order_note_lock_queue(commands, call->arguments[0].bits);
    struct ordered_command *command = queue ? under_way_take(queue, call->id) : NULL;
    bool judged = true;
    if (api_entry_launches(call->entry))
        awaited_bind(commands->awaited, call->id, command);
    if (command && succeeded) {
        const bool blocking = is_over_when_it_returns(call);
        queue->last = (struct last_command){.call_id = call->id, .entry = call->entry};
        if (blocking)
            commands_host_waited(commands->commands, command);
        judged = judge_command(commands, queue, call, command, blocking, false);
    } else if (command) {
        commands_refused(command);
    }
    if (queue)
        commands_queue_unlock(queue->queue);
    if (!judged)
        judge_later(commands, call, command);
    if (!command && succeeded)
        commands->blind = true;
    return command;
}

/* Is the command, of a queue, for a device that judges its commands itself? */
static bool judges_itself(struct host_commands *commands, const struct api_call *call)
{
    const struct order_note *queue = order_note_find(commands, call->arguments[0].bits);
    return queue && queue->elsewhere;
}

static void watch(struct host_commands *commands, const struct api_call *call,
                  struct ordered_command *command, bool succeeded)
{
    commands_lock(commands->commands);
    if (succeeded) {
        host_memory_learned(commands->memory, call);
        host_memory_end(commands->memory, call, command, command && judges_itself(commands, call));
    } else {
        host_memory_failed(commands->memory, call);
    }
    commands_unlock(commands->commands);
}

static void share(struct host_commands *commands, const struct api_call *call,
                  struct ordered_command *command)
{
    commands_lock(commands->commands);
    shared_uses_end(&commands->shared, call,
                    &(struct shared_command){command, api_entry_launches(call->entry) &&
                                                          judges_itself(commands, call)});
    commands_unlock(commands->commands);
}

void host_commands_end(struct host_commands *commands, const struct api_call *call)
{
    const bool succeeded = call_succeeded(call);
    struct ordered_command *command = NULL;
    if (call->entry == API_ENTRY_clEnqueueCommandBufferKHR)
        command = enqueue_recording_end(commands, call, succeeded);
    else if (api_entry_enqueues(call->entry))
        command = end_in_queue(commands, call, succeeded);
    else if (handlers[call->entry] && succeeded)
        handlers[call->entry](commands, call);
    if (commands->memory && !commands->blind && host_memory_ends(commands->memory, call->entry))
        watch(commands, call, command, succeeded);
    if (succeeded && !commands->blind &&
        (command ? commands->shared.begun : shared_uses_concern_end(call->entry)))
        share(commands, call, command);
    if (command && succeeded)
        interop_release_note(commands, call, command);
    if (command && succeeded)
        remember_event(commands, call, command);
    else
        command_drop(command);
}

bool host_commands_write_host(const struct host_commands *commands, uint64_t address, uint64_t size)
{
    return commands && uses_has_write(commands->uses, CALL_HOST_MEMORY,
                                      &(struct use_bytes){.first = address, .size = size});
}

void host_commands_completed(struct host_commands *commands, uint64_t event)
{
    if (keeps_any(commands))
        command_note_status_asked(
            object_note(commands->checker->objects, event, OBJECT_NOTE_COMMAND));
    if (!commands->shared.any)
        return;
    struct ordered_command *command = order_note_event(commands, event);
    commands_lock(commands->commands);
    if (command)
        shared_uses_asked(&commands->shared, command);
    commands_unlock(commands->commands);
    command_drop(command);
}

void host_commands_finish(struct host_commands *commands)
{
    if (!commands->memory || commands->blind)
        return;
    commands_lock(commands->commands);
    host_memory_finish(commands->memory);
    commands_unlock(commands->commands);
}

/* ---- life ---- */

struct host_commands *host_commands_create(struct host_checker *checker)
{
    struct host_commands *commands = alloc_zero(1, sizeof *commands);
    if (!commands)
        return NULL;
    commands->checker = checker;
    commands->last_waiting = &commands->waiting;
    commands->commands = commands_create();
    shared_uses_init(&commands->shared, checker, commands->commands);
    commands->uses =
        commands->commands ? uses_create(commands->commands, commands_report, commands) : NULL;
    commands->awaited = awaited_create(commands_report, commands);
    if (commands->uses)
        uses_set_postpone(commands->uses, commands_postpone);
    const bool watches = commands->commands && host_memory_wanted(&checker->options);
    if (watches)
        commands->memory = host_memory_create(checker, commands->commands);
    if (commands->uses && commands->awaited && (!watches || commands->memory))
        return commands;
    host_commands_destroy(commands);
    return NULL;
}

void host_commands_destroy(struct host_commands *commands)
{
    if (!commands)
        return;
    while (commands->waiting) {
        struct waiting *waiting = commands->waiting;
        commands->waiting = waiting->next;
        drop_waiting(waiting);
    }
    interop_release_drop_all(commands);
    alloc_free(commands->handed);
    order_note_release(commands);
    uses_destroy(commands->uses);
    awaited_destroy(commands->awaited);
    host_memory_destroy(commands->memory);
    shared_uses_release(&commands->shared);
    commands_destroy(commands->commands);
    alloc_free(commands);
}
