#include "layer/call.h"

#include "layer/call_parts.h"
#include "layer/callbacks.h"
#include "layer/capture.h"
#include "layer/contents.h"
#include "layer/driver/driver_queries.h"
#include "layer/driver/kernel_facts.h"
#include "layer/found.h"
#include "layer/guards.h"
#include "layer/headers.h"
#include "layer/image.h"
#include "layer/in_flight.h"
#include "layer/launch_memory.h"
#include "layer/live.h"
#include "layer/probes/probes.h"
#include "layer/profile.h"
#include "layer/range.h"
#include "layer/session.h"
#include "layer/thread.h"
#include "trace/base/alloc.h"
#include "trace/effect/effect.h"

#include <string.h>

/* The result of a call that is not forwarded: the error as a status, or NULL and the error in
 * errcode_ret. */
static uint64_t fail(uint32_t entry, const uint64_t *words, cl_int error)
{
    const struct api_entry_info *info = api_entry_get(entry);
    const uint32_t status = api_entry_find_role(info, API_ROLE_OUT_STATUS);
    struct readable readable = {0};
    if (info->return_role == API_ROLE_STATUS)
        return (uint64_t)(int64_t)error;
    if (status != API_PARAMETER_NONE &&
        readable_bytes(&readable, (const void *)words[status], sizeof error))
        memcpy((void *)words[status], &error, sizeof error); /* which may lie anywhere */
    return 0;
}

/* The platform has no such entry point: OpenCL API 3.0 has no error for that; loaders return this
 * one. */
static uint64_t perform(uint32_t entry, api_function *target, const uint64_t *words)
{
    return target ? api_perform(entry, target, words) : fail(entry, words, CL_INVALID_OPERATION);
}

/* Does this call free memory that a thread may have found readable? */
static bool frees_memory(uint32_t entry)
{
    return entry == API_ENTRY_clSVMFree || entry == API_ENTRY_clReleaseMemObject ||
           entry == API_ENTRY_clEnqueueUnmapMemObject;
}

/* Times are for the trace alone. */
static uint64_t now(const struct session *session)
{
    return session->spool ? spool_now_ns(session->spool) : 0;
}

/* What there is to do beside forwarding a call, each more than the one before. Most of the frequent
 * ones are PLAIN, WRITING or MAKING. */
enum call_nature {
    CALL_UNKNOWN, /* not yet looked at */
    CALL_PLAIN,   /* a status is all that comes back */
    CALL_WRITING, /* the call writes through pointers, but gives and takes no object */
    CALL_ASKING,  /* the same, but it may give binaries, which are to be known again */
    CALL_MAKING,  /* it gives an event */
    CALL_RICH, /* it gives or takes an object to be watched, or tells of platforms or constants */
};

static enum call_nature find_nature(uint32_t entry)
{
    const struct api_entry_info *info = api_entry_get(entry);
    if (info->return_role != API_ROLE_STATUS || frees_memory(entry) ||
        entry == API_ENTRY_clGetPlatformInfo ||
        entry == API_ENTRY_clSetProgramSpecializationConstant)
        return CALL_RICH;
    for (uint32_t i = 0; i < info->parameter_count; i++) {
        const struct api_parameter *parameter = &info->parameters[i];
        if (parameter->role == API_ROLE_CALLBACK || parameter->role == API_ROLE_OUT_HANDLES)
            return CALL_RICH;
    }
    if (api_entry_find_role(info, API_ROLE_OUT_EVENT) != API_PARAMETER_NONE)
        return CALL_MAKING;
    if (entry == API_ENTRY_clGetProgramInfo)
        return CALL_ASKING;
    return info->outputs ? CALL_WRITING : CALL_PLAIN;
}

static enum call_nature nature_of(uint32_t entry)
{
    static _Atomic uint8_t natures[API_ENTRY_COUNT];
    uint8_t nature = atomic_load_explicit(&natures[entry], memory_order_relaxed);
    if (nature == CALL_UNKNOWN) {
        nature = (uint8_t)find_nature(entry);
        atomic_store_explicit(&natures[entry], nature, memory_order_relaxed);
    }
    return (enum call_nature)nature;
}

/* What the program does with memory that no digest shows. */
static void note_unwatched(struct session *session, const struct api_call *call)
{
    if (!api_entry_enqueues(call->entry))
        return;
    if (call->entry == API_ENTRY_clEnqueueMapBuffer && !session->guards)
        atomic_store_explicit(&session->maps_unwatched, true, memory_order_relaxed);
    else if ((effects_on_host(call->entry) & 1U << EFFECT_WRITES) && !api_call_blocks(call))
        atomic_store_explicit(&session->reads_unwatched, true, memory_order_relaxed);
}

static void tell_command(struct session *session, const struct layer_thread *thread,
                         const struct api_call *call)
{
    sink_call_function *set = atomic_load_explicit(&session->set_launch_call, memory_order_relaxed);
    const bool is_unchecked = !set && !session->probes && launch_memory_is_launch(call->entry);
    if (is_unchecked && thread->in_flight)
        atomic_store_explicit(&thread->in_flight->unchecked, 1, memory_order_relaxed);
    if (is_unchecked && session->checker &&
        !atomic_load_explicit(&session->ran_unchecked, memory_order_relaxed) &&
        !atomic_exchange(&session->ran_unchecked, true))
        session_leave_word(SEVERITY_NOTE,
                           "only calls were checked: what kernels do is checked on clerk's own "
                           "device (--device reference)");
    note_unwatched(session, call);
    if (!set || (api_entry_get(call->entry)->flags & (API_ENTRY_ENQUEUES | API_ENTRY_RECORDS)) == 0)
        return;
    session_note_command(session, call);
    set(call->id);
}

static uint64_t perform_guarded(const struct session *session, const struct api_call *call,
                                api_function *target, const uint64_t *words)
{
    return session->guards && target ? guards_perform(session->guards, call, target, words)
                                     : perform(call->entry, target, words);
}

static bool is_success(const struct api_call *call, uint64_t result)
{
    return api_entry_get(call->entry)->return_role != API_ROLE_STATUS ||
           (cl_int)result == CL_SUCCESS;
}

static __attribute__((noinline)) uint64_t perform_probed(struct session *session,
                                                         const struct api_call *call,
                                                         api_function *target,
                                                         const uint64_t *words)
{
    const char *reason = NULL;
    uint64_t result;
    if (launch_memory_is_launch(call->entry))
        session_note_command(session, call);
    if (target && probes_launch(session, call, words, &reason, &result))
        return result;
    probes_before(session->probes, call, words);
    result = perform_guarded(session, call, target, words);
    if (is_success(call, result))
        probes_performed(session->probes, call, words, reason);
    return result;
}

static uint64_t perform_watched(struct session *session, const struct api_call *call,
                                api_function *target, const uint64_t *words)
{
    return session->probes ? perform_probed(session, call, target, words)
                           : perform_guarded(session, call, target, words);
}

static __attribute__((noinline)) uint64_t perform_profiled(struct session *session,
                                                           struct layer_thread *thread,
                                                           const struct api_call *call,
                                                           api_function *target, uint64_t *words)
{
    struct profile_change change;
    uint64_t result;
    if (profile_answers(session->profile, call, words, &result))
        return result;
    profile_before(session->profile, call, words, &thread->arena, &change);
    result = perform_watched(session, call, target, words);
    if (session_is_inherited(session))
        return result;
    const bool refused = profile_was_refused(call, result, &change);
    if (refused)
        result = perform_watched(session, call, target, words);
    profile_after(session->profile, call, words, result, &change, refused);
    return result;
}

static bool counts_programs(uint32_t entry)
{
    return entry == API_ENTRY_clRetainProgram || entry == API_ENTRY_clReleaseProgram ||
           entry == API_ENTRY_clReleaseKernel;
}

static uint64_t forward(struct session *session, struct layer_thread *thread, struct api_call *call,
                        api_function *target, uint64_t *words)
{
    layer_thread_enter(thread);
    if (target && counts_programs(call->entry))
        kernel_facts_count(session, call->entry, words[0]);
    const uint64_t result = session->profile && target
                                ? perform_profiled(session, thread, call, target, words)
                                : perform_watched(session, call, target, words);
    layer_thread_leave(thread);
    call->end_ns = now(session);
    return result;
}

static uint64_t forward_writing(struct session *session, struct layer_thread *thread,
                                struct api_call *call, api_function *target, uint64_t *words)
{
    struct capture_places places = {0};
    capture_redirect(call, words, &places);
    tell_command(session, thread, call);
    const uint64_t result = forward(session, thread, call, target, words);
    capture_output(call, words, result, &thread->arena, &thread->readable);
    return result;
}

static uint64_t forward_asking(struct session *session, struct layer_thread *thread,
                               struct api_call *call, api_function *target, uint64_t *words)
{
    const uint64_t result = forward_writing(session, thread, call, target, words);
    if (call->arguments[API_clGetProgramInfo_param_name].bits == CL_PROGRAM_BINARIES &&
        capture_succeeded(call) && !session_is_inherited(session)) {
        layer_thread_enter(thread);
        driver_queries_gave_binaries(session, thread, call);
        layer_thread_leave(thread);
    }
    return result;
}

/* The numbers of the objects that the call made, in the trace and for the rules: the trace numbers
 * them by when the calls ended, so no two end at once. */
static void number_objects(struct session *session, struct api_call *call)
{
    spin_lock(&session->numbering);
    if (call->end_ns <= session->numbered_ns)
        call->end_ns = session->numbered_ns + 1;
    session->numbered_ns = call->end_ns;
    call->ordinal = host_checker_number(session->checker, call);
    spin_unlock(&session->numbering);
}

static uint64_t forward_making(struct session *session, struct layer_thread *thread,
                               struct api_call *call, api_function *target, uint64_t *words)
{
    const uint64_t result = forward_writing(session, thread, call, target, words);
    /* Where only one of the two looks, there is one numbering. */
    if (!session->spool || !session->checker)
        return result;
    const uint32_t event = api_entry_find_role(api_entry_get(call->entry), API_ROLE_OUT_EVENT);
    if ((event == API_PARAMETER_NONE || words[event] != 0) && !session_is_inherited(session))
        number_objects(session, call);
    return result;
}

static uint64_t forward_rich(struct session *session, struct layer_thread *thread,
                             struct api_call *call, api_function *target, uint64_t *words)
{
    layer_thread_enter(thread);
    driver_queries_before_call(session, call);
    if (session->contents)
        headers_record(session->spool, call);
    layer_thread_leave(thread);
    struct callback *callback = callbacks_wrap(call, words, &thread->arena, &thread->readable);
    uint64_t result = forward_making(session, thread, call, target, words);
    const bool succeeded = capture_succeeded(call);
    if (succeeded)
        image_note(call);
    if (callback)
        callbacks_returned(callback, call, succeeded);
    if (session_is_inherited(session))
        return result;
    layer_thread_enter(thread);
    result = extensions_wrap_result(session, call, result);
    layer_thread_leave(thread);
    return result;
}

static uint64_t forward_by(enum call_nature nature, struct session *session,
                           struct layer_thread *thread, struct api_call *call, api_function *target,
                           uint64_t *words)
{
    if (nature == CALL_RICH)
        return forward_rich(session, thread, call, target, words);
    if (nature == CALL_MAKING)
        return forward_making(session, thread, call, target, words);
    if (nature == CALL_ASKING)
        return forward_asking(session, thread, call, target, words);
    if (nature == CALL_WRITING)
        return forward_writing(session, thread, call, target, words);
    const uint64_t result = forward(session, thread, call, target, words);
    capture_result(call, result);
    return result;
}

static uint64_t refuse(struct session *session, struct layer_thread *thread, struct api_call *call,
                       const struct host_verdict *verdict, uint64_t *words)
{
    struct capture_places places = {0};
    capture_redirect(call, words, &places);
    const uint64_t result = fail(call->entry, words, verdict->error);
    call->flags |= API_CALL_BLOCKED;
    call->end_ns = now(session);
    capture_output(call, words, result, &thread->arena, &thread->readable);
    return result;
}

static bool names(const struct api_call *call, uint64_t handle)
{
    bool found = false;
    if (handle == 0)
        return false;
    for (uint32_t i = 0; i < call->argument_count; i++)
        found |= call->arguments[i].kind == API_VALUE_HANDLE && call->arguments[i].bits == handle;
    return found;
}

/* From where the program calls. */
static uint32_t flags_of(const struct layer_thread *thread, const struct api_call *call)
{
    if (layer_thread_is_plain(thread))
        return 0;
    return (thread->place.callbacks > 0 ? API_CALL_IN_CALLBACK : 0u) |
           (thread->place.briefs > 0 ? API_CALL_IN_BRIEF_CALLBACK : 0u) |
           (names(call, thread->place.ended) ? API_CALL_OF_ENDED : 0u) |
           (names(call, thread->place.queue) ? API_CALL_OF_OWN_QUEUE : 0u) |
           (thread->exiting ? API_CALL_AT_EXIT : 0u);
}

static void begin(struct session *session, struct layer_thread *thread, struct api_call *call,
                  const uint64_t *words, struct host_verdict *verdict)
{
    call->begin_ns = now(session);
    layer_thread_empty(thread);
    capture_input(call, words, &thread->arena, &thread->readable);
    call->flags = flags_of(thread, call);
    if (thread->place.callback)
        call->callback = callbacks_now(thread);
    if (session->spool && !range_leaves_out(session->range, call))
        spool_call_begin(session->spool, call);
    if (session->checker)
        host_checker_begin(session->checker, call, verdict);
    if (verdict->refuse && alloc_has_failed())
        verdict->refuse = false; /* the rules may have missed what it names */
    if (session->contents && !verdict->refuse)
        contents_before(session->contents, call, &thread->readable);
    else if (session->live && !verdict->refuse)
        live_before(session->live, call);
}

static struct launch_capture *capture_launch(struct session *session, struct layer_thread *thread,
                                             const struct api_call *call)
{
    layer_thread_enter(thread);
    struct launch_capture *capture =
        launch_memory_before(session->launch_memory, call, &thread->arena);
    layer_thread_leave(thread);
    return capture;
}

static void end(struct session *session, struct layer_thread *thread, struct api_call *call,
                const struct launch_capture *capture)
{
    call->flags |= API_CALL_COMPLETED;
    if (session->checker)
        host_checker_end(session->checker, call);
    if (session->contents)
        contents_after(session->contents, call, &thread->readable);
    else if (session->live)
        live_after(session->live, call);
    if (session->launch_memory && (call->flags & API_CALL_BLOCKED) == 0) {
        layer_thread_enter(thread);
        launch_memory_after(session->launch_memory, call, capture);
        layer_thread_leave(thread);
    }
    if (session->spool && !range_leaves_out(session->range, call))
        spool_call_end(session->spool, call);
    if (session->range)
        range_note(session->range, call);
}

static uint64_t record(struct session *session, struct layer_thread *thread, struct api_call *call,
                       api_function *target, uint64_t *words)
{
    const uint32_t entry = call->entry;
    const enum call_nature nature = nature_of(entry);
    struct host_verdict verdict = {0};
    uint64_t result;
    if (fast_path_knows(entry) && fast_path_perform(session, thread, call, target, words, &result))
        return result;
    begin(session, thread, call, words, &verdict);
    const struct launch_capture *capture =
        session->launch_memory && !verdict.refuse && !range_is_outside(session->range)
            ? capture_launch(session, thread, call)
            : NULL;
    if (verdict.refuse)
        result = refuse(session, thread, call, &verdict, words);
    else
        result = forward_by(nature, session, thread, call, target, words);
    if (session_is_inherited(session))
        return result;
    end(session, thread, call, capture);
    if (nature != CALL_RICH)
        return result;
    if (frees_memory(entry))
        readable_forget(&thread->readable);
    if (!verdict.refuse) {
        layer_thread_enter(thread);
        driver_queries_after_call(session, thread, call);
        if (session->probes && capture_succeeded(call))
            probes_after(session, call);
        layer_thread_leave(thread);
    }
    return result;
}

static uint64_t observe(struct layer_thread *thread, uint32_t entry, api_function *target,
                        uint64_t *words)
{
    struct session *session = session_get();
    if (!session)
        return perform(entry, target, words);
    struct api_call call;
    call.thread = session_thread_number(session, thread);
    if (session->range)
        range_enter(session->range, thread, entry, words);
    if (session->found && found_concerns(entry))
        found_look(session, thread, entry, words);
    call.id = session_call_number(session, thread);
    call.entry = entry;
    thread->depth++;
    const struct in_flight_call outer = in_flight_begin(thread->in_flight, &call);
    if (in_flight_wants_stack(entry))
        session_note_place(session, thread);
    const uint64_t result = record(session, thread, &call, target, words);
    in_flight_end(thread->in_flight, outer);
    thread->depth--;
    if (session->range)
        range_leave(session->range, thread);
    return result;
}

/* ---- where calls come from that are not usual ---- */

struct passage {
    struct layer_thread *thread;
    uint32_t entry;
    api_function *target;
    uint64_t *words;
    uint64_t result;
};

static void pass(void *user)
{
    struct passage *passage = user;
    passage->result = observe(passage->thread, passage->entry, passage->target, passage->words);
}

static __attribute__((noinline)) uint64_t
observe_in_room(struct layer_thread *thread, uint32_t entry, api_function *target, uint64_t *words)
{
    struct passage passage = {thread, entry, target, words, 0};
    room_call(&thread->room, pass, &passage);
    return passage.result;
}

/* The thread is in a call, or in a callback of one: has it left that by longjmp? */
static bool has_left_call(const struct layer_thread *thread, const void *frame)
{
    return thread->depth > 0 && room_was_left(&thread->room, thread->frame, frame);
}

/* In a callback: the call that it is in, or was. */
static __attribute__((noinline)) void look_back(const struct layer_thread *thread,
                                                const void *frame)
{
    if (has_left_call(thread, frame))
        session_left_call(thread->entry);
}

static void open_call(struct layer_thread *thread, uint32_t entry, const void *frame)
{
    thread->entry = entry;
    thread->frame = frame;
}

/* Of a signal handler, or the driver's own. */
static __attribute__((noinline)) uint64_t interrupt(uint32_t entry, api_function *target,
                                                    const uint64_t *words, const void *frame)
{
    const struct layer_thread *thread = layer_thread_find();
    if (thread && has_left_call(thread, frame))
        session_left_call(thread->entry);
    else if (!thread || thread->inside == 0)
        session_note_interruption(entry);
    return perform(entry, target, words);
}

uint64_t layer_call(uint32_t entry, api_function *target, uint64_t *words)
{
    const void *frame = __builtin_frame_address(0);
    if (__builtin_expect(layer_thread_busy, 0))
        return interrupt(entry, target, words, frame);
    layer_thread_busy = 1;
    struct layer_thread *thread = layer_thread_get();
    uint64_t result;
    if (!thread) {
        result = perform(entry, target, words);
    } else {
        if (thread->depth > 0)
            look_back(thread, frame);
        else
            open_call(thread, entry, frame);
        result = room_is_short(&thread->room, frame) ? observe_in_room(thread, entry, target, words)
                                                     : observe(thread, entry, target, words);
    }
    layer_thread_busy = 0;
    return result;
}
