#include "checkers/host/checker.h"

#include "checkers/host/commands/commands.h"
#include "checkers/host/commands/recordings.h"
#include "checkers/host/objects/teaching_call.h"
#include "trace/effect/argument.h"

#include <inttypes.h>
#include <string.h>

/* ---- what only one thread may change at a time ---- */

bool conduct_changes_kernel(uint32_t entry)
{
    return argument_is_set_by(entry) || entry == API_ENTRY_clSetKernelExecInfo ||
           entry == API_ENTRY_clCloneKernel || entry == API_ENTRY_clFinalizeCommandBufferKHR ||
           entry == API_ENTRY_clUpdateMutableCommandsKHR;
}

static struct conduct_kernel *slot_of(struct host_checker *checker, uint64_t handle)
{
    const uint64_t mixed = handle * UINT64_C(0x9e3779b97f4a7c15);
    return &checker->conduct.kernels[mixed >> 58];
}

bool conduct_kernel_enter(struct host_checker *checker, uint64_t kernel, uint64_t call_id)
{
    struct conduct_kernel *slot = slot_of(checker, kernel);
    uint64_t held = 0;
    if (atomic_compare_exchange_strong_explicit(&slot->handle, &held, kernel, memory_order_relaxed,
                                                memory_order_relaxed)) {
        atomic_store_explicit(&slot->call_id, call_id, memory_order_relaxed);
        return true;
    }
    if (held == kernel)
        atomic_store_explicit(&slot->second, call_id, memory_order_relaxed);
    return false;
}

/* The call under way is named by its own place; the finding is of the one that came second. */
void conduct_kernel_begin(struct judged *judged)
{
    const uint64_t handle = judged_bits(judged, 0);
    struct conduct_kernel *slot = slot_of(judged->checker, handle);
    conduct_kernel_enter(judged->checker, handle, judged->call->id);
    const bool is_kernel = judged->info->parameters[0].kind == API_OBJECT_KERNEL;
    if (atomic_load_explicit(&slot->second, memory_order_relaxed) == judged->call->id &&
        atomic_exchange_explicit(&slot->told, handle, memory_order_relaxed) != handle)
        blame_as(judged, is_kernel ? RULE_KERNEL_IN_THREADS : RULE_COMMAND_BUFFER_IN_THREADS,
                 CL_SUCCESS, 0, handle, "is being changed by another thread at the same time");
}

void conduct_kernel_leave(struct host_checker *checker, uint64_t kernel, uint64_t call_id)
{
    struct conduct_kernel *slot = slot_of(checker, kernel);
    if (atomic_load_explicit(&slot->call_id, memory_order_relaxed) != call_id)
        return;
    atomic_store_explicit(&slot->call_id, 0, memory_order_relaxed);
    atomic_store_explicit(&slot->handle, 0, memory_order_relaxed);
}

void conduct_kernel_end(struct host_checker *checker, const struct api_call *call)
{
    conduct_kernel_leave(checker, call->arguments[0].bits, call->id);
}

/* ---- user events ---- */

void conduct_event_made(struct host_checker *checker)
{
    atomic_fetch_add_explicit(&checker->conduct.unset_events, 1, memory_order_relaxed);
}

/* From the moment that the status is being set commands may run, and end, on another thread. */
void conduct_event_set(struct host_checker *checker, uint64_t handle)
{
    struct locked_traits locked;
    struct event_traits *event =
        object_lock_traits(checker->objects, handle, API_OBJECT_EVENT, &locked);
    if (event && event->user && !event->status_begun) {
        event->status_begun = true;
        atomic_fetch_sub_explicit(&checker->conduct.unset_events, 1, memory_order_relaxed);
        if (event->awaited)
            atomic_fetch_sub_explicit(&checker->conduct.awaited_events, 1, memory_order_relaxed);
    }
    object_unlock_traits(&locked);
}

static void note_awaited(struct host_checker *checker, uint64_t handle)
{
    struct locked_traits locked;
    struct event_traits *event =
        object_lock_traits(checker->objects, handle, API_OBJECT_EVENT, &locked);
    if (event && event->user && !event->status_begun && !event->awaited) {
        event->awaited = true;
        atomic_fetch_add_explicit(&checker->conduct.awaited_events, 1, memory_order_relaxed);
    }
    object_unlock_traits(&locked);
}

void conduct_events_awaited(struct host_checker *checker, const struct api_value *list)
{
    if (atomic_load_explicit(&checker->conduct.unset_events, memory_order_relaxed) == 0)
        return;
    for (uint32_t i = 0; i < list_count(list, API_VALUE_HANDLES); ++i)
        note_awaited(checker, list_word(list, i));
}

/* A release of an object that is not an event. */
void judge_release_awaited(struct judged *judged, const struct step *step)
{
    const uint64_t handle = judged_bits(judged, step->argument);
    if (atomic_load_explicit(&judged->checker->conduct.awaited_events, memory_order_relaxed) != 0)
        blame_step(judged, step, handle,
                   "is released while commands wait for a user event that was not set");
}

/* ---- flushing ---- */

/* A call that may wait: does it now, and is it known for what? */
static bool waits(const struct judged *judged)
{
    return judged->checker->commands &&
           (!(judged->info->flags & API_ENTRY_ENQUEUES) || api_call_blocks(judged->call));
}

/* A call that waits: every command that it waits for begins. */
void judge_flushed(struct judged *judged, const struct step *step)
{
    struct object_label label;
    if (!waits(judged))
        return;
    const uint64_t queue = host_commands_unflushed(judged->checker->commands, judged->call);
    if (queue != 0)
        blame_step(judged, step, queue,
                   "waits for commands of %s, which was not flushed after them",
                   label_object(judged, queue, &label));
}

/* A call that waits: somebody is left to set the user events that it waits for. */
void judge_awaited_set(struct judged *judged, const struct step *step)
{
    const struct host_options *options = &judged->checker->options;
    if (atomic_load_explicit(&judged->checker->conduct.unset_events, memory_order_relaxed) == 0 ||
        !options->alone || !waits(judged))
        return;
    if (host_commands_unset(judged->checker->commands, judged->call) &&
        options->alone(options->alone_user))
        blame_step(judged, step, 0,
                   "waits for a user event that is not set, and the process has no other thread, "
                   "and no callback to come, that could set it");
}

/* ---- contents ---- */

static void note_written(struct host_checker *checker, const struct use *use, bool leaves_open)
{
    struct locked_traits locked;
    if (use->kind != USE_WRITE || use->object == CALL_HOST_MEMORY)
        return;
    struct mem_traits *mem =
        object_lock_traits(checker->objects, use->object, API_OBJECT_MEM, &locked);
    if (mem)
        mem->content_undefined = leaves_open;
    object_unlock_traits(&locked);
}

/* What a command-buffer writes has contents: if that is not known, nobody can say what has none. */
static void note_recorded(struct host_checker *checker, const struct api_call *call)
{
    struct recorded_list *list = recordings_hold(
        checker->recordings, call->arguments[API_clEnqueueCommandBufferKHR_command_buffer].bits);
    for (size_t i = 0; list && i < list->count; ++i)
        for (size_t j = 0; j < list->commands[i].use_count; ++j)
            note_written(checker, &list->commands[i].uses[j].use, false);
    if (!list || !list->complete) {
        atomic_store_explicit(&checker->conduct.contents_unknown, true, memory_order_relaxed);
        atomic_store_explicit(&checker->conduct.undefined_contents, 0, memory_order_relaxed);
    }
    recorded_list_drop(list);
}

/* In the order of the calls: where commands are not ordered so, they race. But while commands wait
 * for user events one that was enqueued before may come after, and nothing is said. */
void conduct_contents(struct host_checker *checker, const struct api_call *call)
{
    const bool undefines = call->entry == API_ENTRY_clEnqueueMigrateMemObjects &&
                           (call->arguments[API_clEnqueueMigrateMemObjects_flags].bits &
                            CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED) != 0;
    _Atomic uint64_t *undefined = &checker->conduct.undefined_contents;
    const bool leaves_open = undefines && atomic_load_explicit(&checker->conduct.awaited_events,
                                                               memory_order_relaxed) == 0;
    struct call_uses uses;
    if (!undefines && atomic_load_explicit(undefined, memory_order_relaxed) == 0)
        return;
    if (call->entry == API_ENTRY_clEnqueueCommandBufferKHR)
        note_recorded(checker, call);
    call_uses_find(call, checker->objects, checker->svm, &uses);
    for (size_t i = 0; i < uses.count; ++i)
        note_written(checker, &uses.uses[i], leaves_open);
    if (leaves_open &&
        !atomic_load_explicit(&checker->conduct.contents_unknown, memory_order_relaxed))
        atomic_fetch_add_explicit(undefined, uses.count, memory_order_relaxed);
}

/* A command: what it reads has contents. */
void judge_contents(struct judged *judged, const struct step *step)
{
    struct call_uses uses;
    if (atomic_load_explicit(&judged->checker->conduct.undefined_contents, memory_order_relaxed) ==
            0 ||
        judged->call->entry == API_ENTRY_clEnqueueMigrateMemObjects)
        return;
    call_uses_find(judged->call, judged->checker->objects, judged->checker->svm, &uses);
    for (size_t i = 0; i < uses.count; ++i) {
        const struct use *use = &uses.uses[i];
        struct mem_traits mem;
        struct object_label label;
        if (use->kind != USE_READ || use->possible || !judged_object(judged, use->object, &mem) ||
            !mem.content_undefined)
            continue;
        blame_step(judged, step, use->object,
                   "reads %s, which was migrated with CL_MIGRATE_MEM_OBJECT_CONTENT_UNDEFINED and "
                   "not written since",
                   label_object(judged, use->object, &label));
        return;
    }
}

/* ---- the process ---- */

/* Any call, in a child of a process that had called OpenCL. Once. */
void judge_forked(struct judged *judged, const struct step *step)
{
    if (!atomic_exchange_explicit(&judged->checker->conduct.fork_told, true, memory_order_relaxed))
        blame_step(judged, step, 0,
                   "is called in a process that was forked after its parent had called OpenCL");
}

/* A call of a thread that runs exit handlers: to release what there is harms nobody. */
void judge_at_exit(struct judged *judged)
{
    const char *name = judged->info->name;
    if (strncmp(name, "clRelease", strlen("clRelease")) != 0 && !strstr(name, "Free"))
        blame_as(judged, RULE_CALL_AT_EXIT, CL_SUCCESS, API_PARAMETER_NONE, 0,
                 "is called in an exit handler or destructor of the program");
}

/* ---- callbacks ---- */

/* A native kernel that waits for all that is in its queue, or is in it before, waits for itself. */
static bool waits_for_itself(struct judged *judged)
{
    const struct queue_traits *queue = judged_queue(judged);
    return (judged->call->flags & API_CALL_OF_OWN_QUEUE) && queue &&
           (judged->call->entry == API_ENTRY_clFinish ||
            !(queue->properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE));
}

static void blame_callback(struct judged *judged, const struct step *step, const char *what)
{
    if (judged->call->flags & API_CALL_IN_BRIEF_CALLBACK)
        blame_step(judged, step, 0, "%s in a callback of an event or of the end of a memory object",
                   what);
    else if (waits_for_itself(judged))
        blame_step(judged, step, 0, "%s in a native kernel that the command-queue itself runs",
                   what);
}

void judge_not_in_callback(struct judged *judged, const struct step *step)
{
    const struct step call = {
        .rule = step->rule, .error = step->error, .at = {API_PARAMETER_NONE, API_PARAMETER_NONE}};
    blame_callback(judged, &call, "is called");
}

/* argument the flag that makes the call block */
void judge_blocking_callback(struct judged *judged, const struct step *step)
{
    if (judged_bits(judged, step->argument) != 0)
        blame_callback(judged, step, "makes the call block");
}

/* argument pfn_notify, without which the call builds before it returns */
void judge_building_callback(struct judged *judged, const struct step *step)
{
    if (!judged->call->arguments[step->argument].present)
        blame_callback(judged, step, "is NULL, so that the call builds before it returns,");
}

/* ---- events ---- */

/* argument where the call writes its event, or its synchronization point, other the list that it
 * waits for: the one is not a part of the other */
void judge_event_aliased(struct judged *judged, const struct step *step)
{
    const struct api_value *event = &judged->call->arguments[step->argument];
    const struct api_value *list = &judged->call->arguments[step->other];
    const uint64_t size = judged->info->parameters[step->other].element_size;
    if (event->present && list->present && event->bits - list->bits < list->count * size)
        blame_step(judged, step, 0, "points to element %" PRIu64 " of %s",
                   (event->bits - list->bits) / size, judged_name(judged, step->other));
}
