#include "checkers/host/host.h"

#include "checkers/host/checker.h"
#include "checkers/host/commands/clash.h"
#include "checkers/host/commands/commands.h"
#include "checkers/host/commands/recordings.h"
#include "checkers/host/memory/memory.h"
#include "checkers/host/objects/binaries.h"
#include "checkers/host/objects/teaching_call.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"
#include "trace/effect/argument.h"

#include "trace/base/hash.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct host_checker *host_checker_create(const struct host_options *options)
{
    ASSERT(options->report);
    struct host_checker *checker = alloc_aligned(_Alignof(struct host_checker), sizeof *checker);
    if (!checker)
        return NULL;
    memset(checker, 0, sizeof *checker);
    checker->options = *options;
    atomic_init(&checker->blind, options->late);
    checker->objects = object_table_create();
    checker->repeats = repeats_create();
    checker->svm = svm_table_create();
    checker->recordings = recordings_create(checker);
    const bool judges_commands = clash_wanted(&options->checks) || host_memory_wanted(options) ||
                                 checks_has(&options->checks, RULE_QUEUE_UNFLUSHED) ||
                                 checks_has(&options->checks, RULE_EVENT_NEVER_SET) ||
                                 checks_has(&options->checks, RULE_INTEROP_UNORDERED);
    checker->imported = imported_table_create(options);
    checker->owned = checker->objects ? host_ptr_table_create(checker->objects) : NULL;
    if (judges_commands)
        checker->commands = host_commands_create(checker);
    if (learns_binaries(options))
        checker->binaries = binary_table_create();
    if (!checker->objects || !checker->repeats || !checker->svm || !checker->owned ||
        !checker->recordings || !checker->imported || (judges_commands && !checker->commands) ||
        (learns_binaries(options) && !checker->binaries) || !plan_make_all(checker)) {
        host_checker_destroy(checker);
        return NULL;
    }
    return checker;
}

void host_checker_destroy(struct host_checker *checker)
{
    if (!checker)
        return;
    host_commands_destroy(checker->commands);
    object_table_destroy(checker->objects);
    repeats_destroy(checker->repeats);
    svm_table_destroy(checker->svm);
    recordings_destroy(checker->recordings);
    host_ptr_table_destroy(checker->owned);
    imported_table_destroy(checker->imported);
    binary_table_destroy(checker->binaries);
    arena_release(&checker->arena);
    alloc_free(checker);
}

void host_checker_stop(struct host_checker *checker)
{
    atomic_store(&checker->stopped, true);
}

static void judge_all(struct judged *judged)
{
    const struct plan *plan = &judged->checker->plans[judged->call->entry];
    const struct step *end = plan->steps + plan->count;
    if (judged->returned != CL_SUCCESS)
        end += plan->after_count;
    for (const struct step *step = plan->steps; step != end; ++step)
        step->judge(judged, step);
}

/* What was judged before, and is as it was, is only counted. */
static void judge_launch_once(struct judged *judged)
{
    const struct seen_launch launch = seen_launch_find(judged);
    if (seen_launch_is_right(&launch)) {
        kernel_note_launch(launch.kernel);
        return;
    }
    learn_first_uses(judged->checker, judged_bits(judged, API_clEnqueueNDRangeKernel_kernel));
    judge_all(judged);
    if (!judged->blamed)
        seen_launch_note(&launch);
}

/* The same of an argument's value, which host_checker_brief_begin asks for. */
static void judge_setting(struct judged *judged)
{
    const uint64_t version = object_version(judged->checker->objects);
    struct argument_set set = {.kernel = 0};
    judge_all(judged);
    argument_set_by(judged->call, &set);
    struct kernel_traits *kernel = object_kernel_traits(judged->checker->objects, set.kernel);
    if (judged->blamed || judged->call->flags != 0 || !kernel ||
        set.index >= TRAITS_ARGUMENTS_MAX || !set.bytes)
        return;
    struct argument_traits *argument = &kernel->arguments[set.index];
    rights_note(&argument->right,
                argument_digest(argument_object(argument, argument_word(&set)), set.size, version));
}

static void judge_other(struct judged *judged)
{
    const uint32_t entry = judged->call->entry;
    if (entry == API_ENTRY_clEnqueueTask)
        learn_first_uses(judged->checker, judged_bits(judged, API_clEnqueueTask_kernel));
    else if (entry == API_ENTRY_clCommandNDRangeKernelKHR)
        learn_first_uses(judged->checker,
                         judged_bits(judged, API_clCommandNDRangeKernelKHR_kernel));
    judge_all(judged);
}

/* ---- references ---- */

/* Counts what the call, of which the object is the only argument, is about to do, before it does
 * it: once the driver has freed an object its handle may come back as another one on another
 * thread. */
static void count_reference(struct judged *judged)
{
    struct host_checker *checker = judged->checker;
    const struct api_call *call = judged->call;
    const uint64_t handle = call->arguments[0].bits;
    if (judged->info->parameters[0].flags & API_PARAMETER_RETAINED) {
        object_retain(checker->objects, handle);
        return;
    }
    const struct object_moment moment = {.call_id = call->id, .entry = call->entry};
    const enum object_released released =
        object_release(checker->objects, handle, &moment, checker->options.capture_stack,
                       checker->options.stack_user);
    /* It was alive when it was judged: another thread was faster. */
    if (released == OBJECT_RELEASED_EXCESS &&
        object_state(checker->objects, handle).standing == OBJECT_DEAD)
        judge_all(judged);
}

static void uncount_reference(struct host_checker *checker, const struct api_call *call,
                              const struct api_entry_info *info)
{
    const uint64_t handle = call->arguments[0].bits;
    if (info->parameters[0].flags & API_PARAMETER_RETAINED)
        object_retain_undo(checker->objects, handle);
    else
        object_release_undo(checker->objects, handle, call->id);
}

/* ---- the stream ---- */

static bool tells_commands(const struct host_checker *checker, const struct plan *plan,
                           unsigned moment)
{
    const unsigned concerns = plan->commands & moment;
    return (concerns & (HOST_COMMANDS_BEGIN | HOST_COMMANDS_END)) != 0 ||
           (concerns != 0 && (concerns & host_commands_now(checker->commands)) != 0);
}

/* What is known of objects changes before the call: it may change them. */
static void act(struct judged *judged, const struct plan *plan)
{
    if (plan->changes_kernel)
        conduct_kernel_begin(judged);
    if (judged->call->entry == API_ENTRY_clSetUserEventStatus)
        conduct_event_set(judged->checker, judged_bits(judged, API_clSetUserEventStatus_event));
    if (plan->frees && !judged->verdict->refuse)
        learn_svm_ending(judged->checker, judged->call);
}

void host_checker_begin(struct host_checker *checker, const struct api_call *call,
                        struct host_verdict *verdict)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    *verdict = (struct host_verdict){.refuse = false, .error = CL_SUCCESS};
    if (is_stopped(checker) || (call->flags & API_CALL_SYNTHETIC) ||
        call->argument_count < info->parameter_count || call->entry >= API_ENTRY_COUNT)
        return;
    const struct plan *plan = &checker->plans[call->entry];
    struct judged judged = {.checker = checker, .call = call, .info = info, .verdict = verdict};
    if (call->entry == API_ENTRY_clEnqueueNDRangeKernel)
        judge_launch_once(&judged);
    else if (call->entry == API_ENTRY_clSetKernelArg)
        judge_setting(&judged);
    else
        judge_other(&judged);
    if (call->flags & API_CALL_AT_EXIT)
        judge_at_exit(&judged);
    if (call->callback)
        judge_callback_order(&judged);
    if (plan->counts && !verdict->refuse)
        count_reference(&judged);
    if (plan->acts)
        act(&judged, plan);
    if (tells_commands(checker, plan, HOST_COMMANDS_BEGINS) && !verdict->refuse)
        host_commands_begin(checker->commands, call);
}

/* The error that a call returned. */
static int32_t error_of(const struct api_call *call, const struct api_entry_info *info)
{
    int64_t error = CL_SUCCESS;
    if (info->return_role == API_ROLE_STATUS)
        return (int32_t)call->result.bits;
    const uint32_t index = call->result.bits == 0 ? api_entry_find_role(info, API_ROLE_OUT_STATUS)
                                                  : API_PARAMETER_NONE;
    if (index != API_PARAMETER_NONE && call->arguments[index].data &&
        call->arguments[index].count == 1)
        memcpy(&error, call->arguments[index].data, sizeof error);
    return (int32_t)error;
}

/* A call failed: is it known why? */
static void explain_error(struct host_checker *checker, const struct api_call *call,
                          const struct api_entry_info *info, int32_t error)
{
    struct host_verdict verdict = {0};
    struct judged judged = {
        .checker = checker, .call = call, .info = info, .verdict = &verdict, .returned = error};
    judge_all(&judged);
    if (judged.explained)
        return;
    judged.weighs_unsure = true;
    judge_all(&judged);
    blame_driver_error(&judged);
}

static void act_on_end(struct host_checker *checker, const struct api_call *call,
                       const struct plan *plan, int32_t error)
{
    if (plan->frees)
        learn_svm_ended(checker, call, error == CL_SUCCESS);
    if (call->entry == API_ENTRY_clCreateUserEvent && error == CL_SUCCESS)
        conduct_event_made(checker);
}

void host_checker_end(struct host_checker *checker, const struct api_call *call)
{
    const struct plan *plan =
        &checker->plans[call->entry < API_ENTRY_COUNT ? call->entry : API_ENTRY_UNKNOWN];
    const struct api_entry_info *info = api_entry_get(call->entry);
    if (is_stopped(checker) || call->argument_count < info->parameter_count ||
        api_call_is_of_found(call)) /* for rules it stays the program's own */
        return;
    if (plan->changes_kernel)
        conduct_kernel_end(checker, call);
    if (call->flags & API_CALL_BLOCKED)
        return;
    const int32_t error = call->flags & API_CALL_SYNTHETIC ? CL_SUCCESS : error_of(call, info);
    if (plan->counts && error != CL_SUCCESS)
        uncount_reference(checker, call, info);
    else if (plan->learn)
        plan->learn(checker, call, info);
    if (plan->acts)
        act_on_end(checker, call, plan, error);
    if (call->callback)
        learn_callback_order(checker, call);
    if (tells_commands(checker, plan, HOST_COMMANDS_ENDS))
        host_commands_end(checker->commands, call);
    if ((info->flags & API_ENTRY_ENQUEUES) && error == CL_SUCCESS)
        conduct_contents(checker, call);
    if (plan->wait_list != API_PARAMETER_NONE && error == CL_SUCCESS)
        conduct_events_awaited(checker, &call->arguments[plan->wait_list]);
    if (error != CL_SUCCESS && call->entry < API_ENTRY_COUNT)
        explain_error(checker, call, info, error);
}

/* ---- the end ---- */

/* Objects made in the same place of the program: what a leak is reported for. */
struct leak {
    struct leak_place {
        uint64_t stack;
        uint32_t entry;
        uint32_t kind;
    } place; /* the key: no padding */
    const struct object_facts *first;
    uint64_t count;
    UT_hash_handle hh;
};

/* Counts one more object of its place; false when memory is out. */
static bool add_leak(struct leak **leaks, struct arena *arena, const struct object_facts *facts)
{
    const struct leak_place place = {.stack = facts->created.stack,
                                     .entry = facts->created.entry,
                                     .kind = (uint32_t)facts->kind};
    struct leak *leak;
    HASH_FIND(hh, *leaks, &place, sizeof place, leak);
    if (!leak) {
        leak = arena_alloc(arena, 1, sizeof *leak);
        if (!leak)
            return false;
        leak->place = place;
        leak->first = facts;
        HASH_ADD(hh, *leaks, place, sizeof leak->place, leak);
        if (!leak->hh.tbl)
            return false;
    }
    ++leak->count;
    return true;
}

/* A queue that was left with commands: that it was not released either goes without saying. */
static bool tell_unflushed(struct host_checker *checker, const struct object_facts *facts)
{
    struct last_command last;
    const bool left = facts->kind == API_OBJECT_QUEUE && checker->commands &&
                      checks_has(&checker->options.checks, RULE_QUEUE_UNFLUSHED) &&
                      !is_blind(checker) &&
                      host_commands_left(checker->commands, facts->handle, &last);
    if (left)
        blame_unflushed(checker, facts, &last);
    return left;
}

/* An allocation as an object of no kind: it has a name, and was created. */
static struct object_facts describe_svm(const struct svm_range *range)
{
    struct object_facts facts = {.label = "svm",
                                 .handle = range->address,
                                 .ordinal = range->ordinal,
                                 .counted = true,
                                 .references = 1,
                                 .created = range->created};
    snprintf(facts.detail, sizeof facts.detail, "%" PRIu64 " bytes", range->size);
    return facts;
}

/* Those of shared virtual memory; their facts live in the arena. */
static bool add_svm_leaks(struct host_checker *checker, struct leak **leaks, struct arena *arena)
{
    size_t count;
    struct svm_range *list = svm_list_held(checker->svm, &count);
    bool complete = true;
    for (size_t i = 0; i < count && complete; ++i) {
        const struct object_facts facts = describe_svm(&list[i]);
        const struct object_facts *kept = arena_copy(arena, &facts, sizeof facts);
        complete = kept && add_leak(leaks, arena, kept);
    }
    alloc_free(list);
    return complete;
}

void host_checker_finish(struct host_checker *checker, bool releases_more)
{
    size_t count;
    if (!is_stopped(checker) && checker->commands && !releases_more)
        host_commands_finish(checker->commands);
    repeats_report(checker->repeats, checker->options.report, checker->options.report_user);
    if (is_stopped(checker))
        return;
    const bool tells_leaks =
        !releases_more && checks_has(&checker->options.checks, RULE_OBJECT_LEAKED);
    struct object_facts *list = object_list_held(checker->objects, &count);
    struct leak *leaks = NULL;
    struct arena arena = {0};
    bool complete = true;
    for (size_t i = 0; i < count && complete; ++i)
        if (list[i].kind != API_OBJECT_PLATFORM && list[i].kind != API_OBJECT_DEVICE &&
            !tell_unflushed(checker, &list[i]) && tells_leaks)
            complete = add_leak(&leaks, &arena, &list[i]);
    if (tells_leaks && complete)
        add_svm_leaks(checker, &leaks, &arena);
    for (const struct leak *leak = leaks; leak; leak = leak->hh.next)
        blame_leak(checker, leak->first, leak->count);
    HASH_CLEAR(hh, leaks);
    arena_release(&arena);
    alloc_free(list);
}

const char *host_checker_handle_name(void *checker, uint64_t handle)
{
    const struct host_checker *self = checker;
    return object_name(self->objects, handle);
}
