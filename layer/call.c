#include "layer/call.h"

#include "layer/callbacks.h"
#include "layer/capture.h"
#include "layer/contents.h"
#include "layer/extensions.h"
#include "layer/facts.h"
#include "layer/image.h"
#include "layer/launch_memory.h"
#include "layer/session.h"
#include "layer/thread.h"

/* The result of a call that is not forwarded: the error as a status, or NULL and the error in
 * errcode_ret. */
static uint64_t fail(uint32_t entry, const uint64_t *words, cl_int error)
{
    const struct api_entry_info *info = api_entry_get(entry);
    const uint32_t status = api_entry_find_role(info, API_ROLE_OUT_STATUS);
    if (info->return_role == API_ROLE_STATUS)
        return (uint64_t)(int64_t)error;
    if (status != API_PARAMETER_NONE && words[status] != 0)
        *(cl_int *)words[status] = error;
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

static void tell_command(struct session *session, const struct api_call *call)
{
    sink_call_function *set = atomic_load_explicit(&session->set_launch_call, memory_order_relaxed);
    if (!set || (api_entry_get(call->entry)->flags & API_ENTRY_ENQUEUES) == 0)
        return;
    session_note_command(session, call);
    set(call->id);
}

/* Forwards a captured call, or refuses it, and captures what came back. */
static uint64_t forward(struct session *session, struct layer_thread *thread, struct api_call *call,
                        const struct host_verdict *verdict, api_function *target, uint64_t *words)
{
    struct capture_places places = {0};
    uint64_t result;
    capture_redirect(call, words, &places);
    if (verdict->refuse) {
        call->flags |= API_CALL_BLOCKED;
        result = fail(call->entry, words, verdict->error);
    } else {
        struct callback *callback = callbacks_wrap(call, words);
        tell_command(session, call);
        thread->inside++;
        result = perform(call->entry, target, words);
        thread->inside--;
        capture_output(call, words, result, &thread->arena, &thread->probe);
        if (capture_succeeded(call))
            image_note(call);
        if (callback && !capture_succeeded(call))
            callbacks_drop(callback);
    }
    call->end_ns = spool_now_ns(session->spool);
    if (verdict->refuse)
        capture_output(call, words, result, &thread->arena, &thread->probe);
    call->flags |= API_CALL_COMPLETED;
    return result;
}

static struct launch_capture *capture_launch(struct session *session, struct layer_thread *thread,
                                             const struct api_call *call)
{
    if (!session->launch_memory)
        return NULL;
    thread->inside++;
    struct launch_capture *capture =
        launch_memory_before(session->launch_memory, call, &thread->arena);
    thread->inside--;
    return capture;
}

/* Does it name the object whose end the program is being told? */
static bool names_ended(const struct layer_thread *thread, const struct api_call *call)
{
    bool found = false;
    for (uint32_t i = 0; thread->ended != 0 && i < call->argument_count; i++)
        found |=
            call->arguments[i].kind == API_VALUE_HANDLE && call->arguments[i].bits == thread->ended;
    return found;
}

static uint64_t record(struct session *session, struct layer_thread *thread, uint32_t entry,
                       api_function *target, uint64_t *words)
{
    struct host_verdict verdict = {0};
    struct api_call call;
    call.id = atomic_fetch_add_explicit(&session->call_count, 1, memory_order_relaxed) + 1;
    call.thread = session_thread_number(session, thread);
    call.entry = entry;
    call.flags = (thread->callbacks > 0 ? API_CALL_IN_CALLBACK : 0u) |
                 (thread->briefs > 0 ? API_CALL_IN_BRIEF_CALLBACK : 0u);
    call.begin_ns = spool_now_ns(session->spool);
    call.end_ns = 0;
    call.name = NULL;
    call.result = (struct api_value){0};
    capture_input(&call, words, &thread->arena, &thread->probe);
    call.flags |= names_ended(thread, &call) ? API_CALL_OF_ENDED : 0u;
    spool_call_begin(session->spool, &call);
    if (session->checker)
        host_checker_begin(session->checker, &call, &verdict);
    if (session->contents && !verdict.refuse)
        contents_before(session->contents, &call, &thread->probe);
    const struct launch_capture *capture =
        verdict.refuse ? NULL : capture_launch(session, thread, &call);

    uint64_t result = forward(session, thread, &call, &verdict, target, words);
    if (!verdict.refuse) {
        thread->inside++;
        result = extensions_wrap_result(session, &call, result);
        thread->inside--;
    }
    if (session->checker)
        host_checker_end(session->checker, &call);
    if (session->contents)
        contents_after(session->contents, &call, &thread->probe);
    if (session->launch_memory && !verdict.refuse) {
        thread->inside++;
        launch_memory_after(session->launch_memory, &call, capture);
        thread->inside--;
    }
    spool_call_end(session->spool, &call);
    if (frees_memory(entry))
        probe_forget(&thread->probe);
    if (!verdict.refuse) {
        thread->inside++;
        facts_after_call(session, thread, &call);
        thread->inside--;
    }
    return result;
}

uint64_t layer_call(uint32_t entry, api_function *target, uint64_t *words)
{
    struct layer_thread *thread = layer_thread_get();
    struct session *session = thread && thread->inside == 0 ? session_get() : NULL;
    if (!session)
        return perform(entry, target, words);
    if (thread->depth == 0)
        arena_reset(&thread->arena);
    thread->depth++;
    const uint64_t result = record(session, thread, entry, target, words);
    thread->depth--;
    return result;
}
