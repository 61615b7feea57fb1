/* From calls to the order of commands.
 *
 * A command takes its place in the order when its call begins, since a blocking call may wait for
 * what other threads enqueue meanwhile; whether the call succeeded, what its event is and what it
 * does to memory is known when it returns. A command that waits for a user event is judged when the
 * event is set. */
#include "checkers/host/commands_state.h"

#include "checkers/host/checker.h"
#include "checkers/host/clash.h"
#include "checkers/host/memory.h"
#include "trace/base/alloc.h"

#include <inttypes.h>
#include <string.h>

/* ---- reports ---- */

static void print_shared(const struct host_commands *commands, const struct uses_conflict *conflict,
                         struct text *text)
{
    struct object_table *objects = commands->checker->objects;
    struct object_facts facts;
    struct mem_traits mem;
    if (conflict->object == CALL_HOST_MEMORY) {
        text_format(text, "%" PRIu64 " byte%s of the host's memory", conflict->size,
                    conflict->size == 1 ? "" : "s");
        return;
    }
    if (object_get_traits(objects, conflict->object, API_OBJECT_MEM, &mem) && mem_is_image(&mem))
        text_format(text, "texel (%" PRIu64 ", %" PRIu64 ", %" PRIu64 ") of ",
                    conflict->first & ((UINT64_C(1) << CALL_ROW_SHIFT) - 1),
                    conflict->first >> CALL_ROW_SHIFT & ((UINT64_C(1) << CALL_ROW_SHIFT) - 1),
                    conflict->first >> CALL_SLICE_SHIFT);
    else
        text_format(text, "bytes %" PRIu64 " to %" PRIu64 " of ", conflict->first,
                    conflict->first + conflict->size - 1);
    if (object_describe(objects, conflict->object, &facts))
        blame_print_object(&facts, text);
    else
        text_append(text, "a memory object");
}

struct receiver {
    struct host_checker *checker;
    struct repeat_key key;
};

static void pass_on(void *user, const struct finding *finding)
{
    const struct receiver *receiver = user;
    const struct host_options *options = &receiver->checker->options;
    options->report(options->report_user, finding);
    repeats_remember(receiver->checker->repeats, &receiver->key, finding);
}

/* One finding for two places of the program. */
static void report(void *user, const struct uses_conflict *conflict)
{
    const struct host_commands *commands = user;
    struct host_checker *checker = commands->checker;
    const enum rule_index rule = clash_rule(conflict);
    if (commands->blind || atomic_load_explicit(&checker->blind, memory_order_relaxed) ||
        !checks_has(&checker->options.checks, rule))
        return;
    struct use_origin later = *conflict->later.origin;
    if (later.stack == 0)
        later.stack = checker_stack(checker);
    const struct repeat_key key = {.stack = later.stack,
                                   .created_stack = conflict->earlier.origin->stack,
                                   .rule = (uint32_t)rule,
                                   .entry = api_entry_find(later.function),
                                   .created_entry =
                                       api_entry_find(conflict->earlier.origin->function)};
    if (repeats_count(checker->repeats, &key))
        return;
    struct uses_conflict told = *conflict;
    told.later.origin = &later;
    struct text what = TEXT_INIT;
    print_shared(commands, conflict, &what);
    const struct clash_words words = {.what = what.bytes,
                                      .describe_stack = checker->options.describe_stack,
                                      .stack_user = checker->options.stack_user};
    struct receiver receiver = {checker, key};
    clash_report(&told, &words, pass_on, &receiver);
    text_release(&what);
}

/* ---- commands ---- */

bool under_way_add(struct known *known, uint64_t call_id, struct ordered_command *command)
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

struct ordered_command *under_way_take(struct known *known, uint64_t call_id)
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
                       struct known *queue, struct ordered_command *const *events,
                       size_t event_count)
{
    const bool bars = call->entry == API_ENTRY_clEnqueueBarrier ||
                      call->entry == API_ENTRY_clEnqueueBarrierWithWaitList ||
                      call->entry == API_ENTRY_clEnqueueWaitForEvents;
    const bool orders = bars || call->entry == API_ENTRY_clEnqueueMarker ||
                        call->entry == API_ENTRY_clEnqueueMarkerWithWaitList;
    struct ordered_command *command =
        commands_enqueue(commands->commands, &(struct commands_request){.queue = queue->queue,
                                                                        .events = events,
                                                                        .event_count = event_count,
                                                                        .orders = orders,
                                                                        .bars = bars});
    if (!under_way_add(queue, call->id, command)) {
        command_drop(command);
        commands->blind = true;
    }
}

static void enqueue(struct host_commands *commands, const struct api_call *call)
{
    struct ordered_command **events;
    size_t count;
    struct known *queue = known_find(commands, call->arguments[0].bits);
    if (known_events(commands, call, &events, &count) && queue)
        take_place(commands, call, queue, events, count);
    alloc_free(events);
}

/* ---- judging ---- */

unsigned host_commands_now(const struct host_commands *commands)
{
    return atomic_load_explicit(&commands->now, memory_order_relaxed);
}

static void find_now(struct host_commands *commands)
{
    const bool keeps = commands->waiting || uses_has_any(commands->uses);
    const unsigned now =
        HOST_COMMANDS_BEGIN | HOST_COMMANDS_END |
        (uses_has(commands->uses, CALL_HOST_MEMORY) ? HOST_COMMANDS_BEGIN_HOST : 0u) |
        (keeps ? HOST_COMMANDS_END_KEPT : 0u);
    if (now != host_commands_now(commands)) /* all threads read it */
        atomic_store_explicit(&commands->now, now, memory_order_relaxed);
}

static void tell(struct host_commands *commands, struct ordered_command *command,
                 const struct use_origin *origin, const struct call_uses *found, bool keep)
{
    if (found->maps)
        uses_map(commands->uses, command, origin, &found->uses[0], &found->whole, found->handle);
    else
        uses_add(commands->uses, command, origin, found->uses, found->count, keep);
    find_now(commands);
}

static void tell_later(struct host_commands *commands, struct ordered_command *command,
                       const struct use_origin *origin, const struct call_uses *found, bool keep)
{
    struct waiting *waiting = alloc(sizeof *waiting);
    if (!waiting) {
        commands->blind = true;
        return;
    }
    *waiting = (struct waiting){
        .command = command_retain(command), .origin = *origin, .found = *found, .keep = keep};
    *commands->last_waiting = waiting;
    commands->last_waiting = &waiting->next;
    find_now(commands);
}

static void drop_waiting(struct waiting *waiting)
{
    command_drop(waiting->command);
    command_drop(waiting->unmap);
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
            tell(commands, waiting->command, &waiting->origin, &waiting->found, waiting->keep);
        if (run && waiting->unmap)
            uses_unmap(commands->uses, waiting->found.uses[0].object, waiting->found.handle,
                       waiting->unmap);
        drop_waiting(waiting);
    }
    commands->last_waiting = link;
}

static struct use_origin make_origin(const struct host_commands *commands,
                                     const struct known *queue, const struct api_call *call,
                                     bool with_stack)
{
    struct host_checker *checker = commands->checker;
    struct object_facts kernel;
    struct use_origin origin = {.function = api_entry_get(call->entry)->name,
                                .queue = queue ? queue->ordinal : 0,
                                .call_id = call->id,
                                .stack = with_stack ? checker_stack(checker) : 0};
    if ((call->entry == API_ENTRY_clEnqueueNDRangeKernel ||
         call->entry == API_ENTRY_clEnqueueTask) &&
        object_describe(checker->objects, call->arguments[API_clEnqueueTask_kernel].bits, &kernel))
        memcpy(origin.detail, kernel.detail, sizeof kernel.detail);
    return origin;
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

/* Does a command of the only queue do what something later may clash with? */
static bool may_matter_alone(const struct api_call *call, bool blocking)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    return call->entry == API_ENTRY_clEnqueueMapBuffer ||
           call->entry == API_ENTRY_clEnqueueMapImage ||
           (!blocking && (api_entry_find_role(info, API_ROLE_IN_MEMORY) != API_PARAMETER_NONE ||
                          api_entry_find_role(info, API_ROLE_OUT_MEMORY) != API_PARAMETER_NONE));
}

void judge_uses(struct host_commands *commands, const struct api_call *call,
                struct ordered_command *command, bool blocking)
{
    const struct known *queue = known_find(commands, call->arguments[0].bits);
    const bool concurrent = commands_are_concurrent(commands->commands);
    struct call_uses found;
    if (!concurrent && !may_matter_alone(call, blocking) && !uses_has_any(commands->uses))
        return;
    call_uses_find(call, commands->checker->objects, &found);
    if (!queue || queue->elsewhere)
        leave_out(&found);
    const bool of_host = found.count > 0 && found.uses[found.count - 1].object == CALL_HOST_MEMORY;
    const bool keep = found.maps || (!blocking && (of_host || concurrent));
    bool matters = keep && found.count > 0;
    for (size_t i = 0; i < found.count; i++)
        matters |= uses_has(commands->uses, found.uses[i].object);
    if (!matters)
        return;
    const struct use_origin origin = make_origin(commands, queue, call, keep);
    if (command_is_settled(command))
        tell(commands, command, &origin, &found, keep);
    else
        tell_later(commands, command, &origin, &found, keep);
}

/* A map that is judged later is not there yet to be ended. */
static void unmap(struct host_commands *commands, const struct api_call *call,
                  struct ordered_command *command)
{
    const uint64_t address = call->arguments[API_clEnqueueUnmapMemObject_mapped_ptr].bits;
    struct mem_traits mem;
    if (!object_get_traits(commands->checker->objects,
                           call->arguments[API_clEnqueueUnmapMemObject_memobj].bits, API_OBJECT_MEM,
                           &mem))
        return;
    for (struct waiting *waiting = commands->waiting; waiting; waiting = waiting->next) {
        if (waiting->found.maps && !waiting->unmap && waiting->found.handle == address &&
            waiting->found.uses[0].object == mem.root) {
            waiting->unmap = command_retain(command);
            return;
        }
    }
    uses_unmap(commands->uses, mem.root, address, command);
}

static void remember_event(struct host_commands *commands, uint64_t handle,
                           struct ordered_command *event)
{
    struct ordered_command *old = known_swap_event(commands, handle, event);
    commands->blind |= old == event;
    command_drop(old);
}

static void enqueued(struct host_commands *commands, const struct api_call *call,
                     struct ordered_command *command)
{
    const uint32_t out = api_entry_find_role(api_entry_get(call->entry), API_ROLE_OUT_EVENT);
    struct known *queue = known_find(commands, call->arguments[0].bits);
    const struct api_value *event = out != API_PARAMETER_NONE ? &call->arguments[out] : NULL;
    /* A function of the program's that runs as a command may tell the host what it knows. */
    const bool blocking = call_is_blocking(call) ||
                          call->entry == API_ENTRY_clEnqueueNativeKernel ||
                          call->entry == API_ENTRY_clEnqueueSVMFree;
    if (event && event->present && event->kind == API_VALUE_HANDLES && event->count == 1) {
        uint64_t handle;
        memcpy(&handle, event->data, sizeof handle);
        remember_event(commands, handle, command_retain(command));
    }
    if (queue)
        queue->last = (struct last_command){.call_id = call->id, .entry = call->entry};
    if (blocking)
        commands_host_waited(commands->commands, command);
    judge_uses(commands, call, command, blocking);
    if (call->entry == API_ENTRY_clEnqueueUnmapMemObject)
        unmap(commands, call, command);
}

/* ---- the host ---- */

/* The call itself reads memory that a transfer may still write. */
static void host_reads(struct host_commands *commands, const struct api_call *call)
{
    struct call_uses found;
    if (!uses_has(commands->uses, CALL_HOST_MEMORY))
        return;
    call_uses_of_host(call, &found);
    if (found.count == 0)
        return;
    const struct use_origin origin = {.function = api_entry_get(call->entry)->name,
                                      .call_id = call->id};
    struct ordered_command *act = commands_host_acts(commands->commands);
    uses_add(commands->uses, act, &origin, found.uses, found.count, false);
    command_drop(act);
    find_now(commands);
}

static void waited(struct host_commands *commands, const struct api_call *call)
{
    struct ordered_command **events;
    size_t count;
    const bool found = known_events(commands, call, &events, &count);
    for (size_t i = 0; found && i < count; i++)
        commands_host_waited(commands->commands, events[i]);
    commands->blind |= !found && (int32_t)call->result.bits == CL_SUCCESS;
    alloc_free(events);
}

static void finished(struct host_commands *commands, const struct api_call *call)
{
    const struct commands_queue *queue =
        known_queue(commands, call->arguments[API_clFinish_command_queue].bits);
    if (queue)
        commands_host_finished(commands->commands, queue);
}

static void status_asked(struct host_commands *commands, const struct api_call *call)
{
    const struct api_value *answer = &call->arguments[API_clGetEventInfo_param_value];
    struct ordered_command *event =
        known_event(commands, call->arguments[API_clGetEventInfo_event].bits);
    int32_t status;
    if (!event || !answer->data || answer->size != sizeof status ||
        call->arguments[API_clGetEventInfo_param_name].bits != CL_EVENT_COMMAND_EXECUTION_STATUS)
        return;
    memcpy(&status, answer->data, sizeof status);
    if (status == CL_COMPLETE)
        command_note_status_asked(event);
    if (status <= CL_COMPLETE && commands->memory)
        host_memory_asked(commands->memory, call, event);
}

/* There are times of commands that have ended only. */
static void times_asked(struct host_commands *commands, const struct api_call *call)
{
    if (commands->memory)
        host_memory_asked(
            commands->memory, call,
            known_event(commands, call->arguments[API_clGetEventProfilingInfo_event].bits));
}

static void set_user_event(struct host_commands *commands, const struct api_call *call)
{
    struct ordered_command *event =
        known_event(commands, call->arguments[API_clSetUserEventStatus_event].bits);
    const int32_t status = (int32_t)call->arguments[API_clSetUserEventStatus_execution_status].bits;
    if (!event)
        return;
    commands_set_user_event(commands->commands, event);
    tell_settled(commands, status == CL_COMPLETE);
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
    struct commands_queue *queue = commands_queue_create(commands->commands, in_order);
    bool elsewhere = false;
    for (size_t i = 0; i < commands->elsewhere_count; i++)
        elsewhere |= commands->elsewhere[i] == traits.device;
    if (queue)
        known_remember_queue(commands, call->result.bits, queue, elsewhere);
}

/* It may make the queue out of order. */
static void queue_changed(struct host_commands *commands, const struct api_call *call)
{
    (void)call;
    commands->blind = true;
}

static void user_event_created(struct host_commands *commands, const struct api_call *call)
{
    remember_event(commands, call->result.bits, commands_create_user_event(commands->commands));
}

/* A queue's or event's last reference, perhaps. */
static void released(struct host_commands *commands, const struct api_call *call)
{
    known_forget_dead(commands, call->arguments[0].bits);
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
    [API_ENTRY_clReleaseCommandQueue] = released,
    [API_ENTRY_clSetCommandQueueProperty] = queue_changed,
    [API_ENTRY_clFinish] = finished,
    [API_ENTRY_clWaitForEvents] = waited,
    [API_ENTRY_clCreateUserEvent] = user_event_created,
    [API_ENTRY_clReleaseEvent] = released,
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

static bool is_command(uint32_t entry)
{
    return (api_entry_get(entry)->flags & API_ENTRY_ENQUEUES) != 0;
}

/* What was recorded into a command-buffer is not judged, and what a semaphore orders is not known:
 * after such a command nothing can be said of others. */
static bool orders_unseen(uint32_t entry)
{
    return entry == API_ENTRY_clEnqueueCommandBufferKHR ||
           entry == API_ENTRY_clEnqueueWaitSemaphoresKHR;
}

static bool may_flush(uint32_t entry)
{
    return is_command(entry) || entry == API_ENTRY_clFlush || entry == API_ENTRY_clFinish ||
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
    if (entry == API_ENTRY_clGetEventInfo && !commands->memory)
        moments |= HOST_COMMANDS_END_KEPT;
    else if (is_command(entry) || handlers[entry])
        moments |= HOST_COMMANDS_END;
    if (commands->memory && host_memory_concerns(entry))
        moments |= HOST_COMMANDS_BEGIN | HOST_COMMANDS_END;
    return (uint8_t)moments;
}

/* What programs do most, without other threads standing still. False: nothing was done. Memory that
 * is watched may have changed at any call. */
static bool begin_shortly(struct host_commands *commands, const struct api_call *call)
{
    return !commands->memory && call->entry == API_ENTRY_clEnqueueNDRangeKernel &&
           launched_begin(commands, call);
}

static bool end_shortly(struct host_commands *commands, const struct api_call *call)
{
    if (commands->memory)
        return false;
    switch (call->entry) {
    case API_ENTRY_clEnqueueNDRangeKernel:
        return launched_end(commands, call);
    case API_ENTRY_clReleaseEvent:
        if (call_succeeded(call))
            known_forget_dead_event(commands, call->arguments[0].bits);
        return true;
    case API_ENTRY_clGetEventInfo:
        if (call_succeeded(call))
            status_asked(commands, call);
        return true;
    default:
        return false;
    }
}

void host_commands_begin(struct host_commands *commands, const struct api_call *call)
{
    if (begin_shortly(commands, call))
        return;
    commands_lock(commands->commands);
    host_reads(commands, call);
    commands->blind |= orders_unseen(call->entry);
    if (is_command(call->entry) && !commands->blind)
        enqueue(commands, call);
    if (may_flush(call->entry))
        flushing_note(commands, call); /* before other threads wait for what begins now */
    if (commands->memory && !commands->blind)
        host_memory_begin(commands->memory, call);
    if (call->entry == API_ENTRY_clSetUserEventStatus)
        set_user_event(commands, call);
    commands_unlock(commands->commands);
}

static void watch(struct host_commands *commands, const struct api_call *call,
                  struct ordered_command *command)
{
    if (!call_succeeded(call)) {
        host_memory_failed(commands->memory, call);
        return;
    }
    host_memory_learned(commands->memory, call);
    host_memory_end(commands->memory, call, command);
}

void host_commands_end(struct host_commands *commands, const struct api_call *call)
{
    struct ordered_command *command = NULL;
    if (end_shortly(commands, call))
        return;
    commands_lock(commands->commands);
    if (is_command(call->entry)) {
        struct known *queue = known_find(commands, call->arguments[0].bits);
        command = queue ? under_way_take(queue, call->id) : NULL;
        if (command && call_succeeded(call))
            enqueued(commands, call, command);
        commands->blind |= !command && call_succeeded(call);
    } else if (handlers[call->entry] && call_succeeded(call)) {
        handlers[call->entry](commands, call);
    }
    if (commands->memory && !commands->blind)
        watch(commands, call, command);
    command_drop(command);
    commands_unlock(commands->commands);
}

bool host_commands_watches(const struct host_commands *commands)
{
    return commands->memory != NULL;
}

bool host_commands_reads_host(const struct host_commands *commands)
{
    return commands && (host_commands_now(commands) & HOST_COMMANDS_BEGIN_HOST) != 0;
}

void host_commands_completed(struct host_commands *commands, uint64_t event)
{
    if (host_commands_now(commands) & HOST_COMMANDS_END_KEPT)
        command_note_status_asked(known_event(commands, event));
}

void host_commands_ended(struct host_commands *commands, uint64_t event)
{
    commands_lock(commands->commands);
    if (event != 0)
        commands_host_waited(commands->commands, known_event(commands, event));
    for (const struct known *known = commands->known; event == 0 && known; known = known->next) {
        if (known->handle != 0)
            commands_host_finished(commands->commands, known->queue);
    }
    if (commands->memory && !commands->blind)
        host_memory_learned(commands->memory, NULL);
    commands_unlock(commands->commands);
}

void host_commands_called_back(struct host_commands *commands, uint64_t call_id)
{
    if (!commands->memory)
        return;
    commands_lock(commands->commands);
    if (!commands->blind)
        host_memory_called_back(commands->memory, call_id);
    commands_unlock(commands->commands);
}

bool host_commands_lend(struct host_commands *commands, uint64_t address, uint64_t size)
{
    return commands->memory && host_memory_is_lent(commands->memory, address, size);
}

void host_commands_freed(struct host_commands *commands, uint64_t address, uint64_t size,
                         const char *function)
{
    commands_lock(commands->commands);
    if (!commands->blind)
        host_memory_freed(commands->memory, address, size, function);
    commands_unlock(commands->commands);
}

void host_commands_leave_device(struct host_commands *commands, uint64_t device)
{
    commands_lock(commands->commands);
    uint64_t *grown = alloc_grow(commands->elsewhere, commands->elsewhere_count,
                                 &commands->elsewhere_capacity, sizeof *grown);
    commands->blind |= !grown;
    if (grown) {
        commands->elsewhere = grown;
        grown[commands->elsewhere_count++] = device;
    }
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
    commands->uses = commands->commands ? uses_create(commands->commands, report, commands) : NULL;
    const bool watches = commands->commands && host_memory_wanted(&checker->options);
    if (watches)
        commands->memory = host_memory_create(checker, commands->commands);
    if (commands->uses && (!watches || commands->memory)) {
        find_now(commands);
        return commands;
    }
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
    known_release(commands);
    uses_destroy(commands->uses);
    host_memory_destroy(commands->memory);
    commands_destroy(commands->commands);
    alloc_free(commands);
}
