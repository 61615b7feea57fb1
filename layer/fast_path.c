#include "layer/call_parts.h"

#include "layer/capture.h"

#include <string.h>

/* Nobody looks at the call but the rules, and it is made from no callback. */
static bool is_unobserved(const struct session *session, const struct layer_thread *thread)
{
    return !session->spool && session->checker && !session->guards && !session->probes &&
           layer_thread_is_plain(thread);
}

static bool read_setting(const uint64_t *words, struct readable *readable, struct host_brief *brief)
{
    const void *value = (const void *)words[API_clSetKernelArg_arg_value];
    brief->index = (uint32_t)words[API_clSetKernelArg_arg_index];
    brief->size = words[API_clSetKernelArg_arg_size];
    brief->address = words[API_clSetKernelArg_arg_value];
    if (!value || !readable_bytes(readable, value, brief->size))
        return false;
    uint32_t number = 0;
    if (brief->size == sizeof brief->value)
        memcpy(&brief->value, value, sizeof brief->value);
    if (brief->size == sizeof number)
        memcpy(&number, value, sizeof number);
    brief->number = number | brief->value;
    return true;
}

static bool asks_for_status(const uint64_t *words, struct readable *readable)
{
    const void *status = (const void *)words[API_clGetEventInfo_param_value];
    return words[API_clGetEventInfo_param_name] == CL_EVENT_COMMAND_EXECUTION_STATUS &&
           words[API_clGetEventInfo_param_value_size] >= sizeof(cl_int) && status &&
           readable_bytes(readable, status, sizeof(cl_int));
}

/* What the rules ask of the arguments beside the object; false: it has to be captured. */
static bool read_brief(const uint64_t *words, struct readable *readable, struct host_brief *brief)
{
    switch (brief->entry) {
    case API_ENTRY_clSetKernelArg:
        return read_setting(words, readable, brief);
    case API_ENTRY_clGetEventInfo:
        return asks_for_status(words, readable);
    default:
        return true;
    }
}

/* What host_checker_end is to know of the call after all. */
static void tell_end(const struct session *session, struct layer_thread *thread,
                     struct api_call *call, const uint64_t *words, uint64_t result)
{
    layer_thread_empty(thread);
    capture_input(call, words, &thread->arena, &thread->readable);
    capture_output(call, words, result, &thread->arena, &thread->readable);
    call->flags |= API_CALL_COMPLETED;
    host_checker_end(session->checker, call);
}

bool fast_path_perform(struct session *session, struct layer_thread *thread, struct api_call *call,
                       api_function *target, const uint64_t *words, uint64_t *result)
{
    cl_int status = CL_COMPLETE;
    if (!target || !is_unobserved(session, thread))
        return false;
    struct host_brief brief = {
        .call_id = call->id, .thread = call->thread, .entry = call->entry, .object = words[0]};
    if (!read_brief(words, &thread->readable, &brief) ||
        !host_checker_brief_begin(session->checker, &brief))
        return false;
    layer_thread_enter(thread);
    *result = api_perform(call->entry, target, words);
    layer_thread_leave(thread);
    const bool succeeded = (cl_int)*result == CL_SUCCESS;
    if (succeeded && call->entry == API_ENTRY_clGetEventInfo)
        memcpy(&status, (const void *)words[API_clGetEventInfo_param_value], sizeof status);
    if (!succeeded || !host_checker_brief_end(session->checker, &brief, status))
        tell_end(session, thread, call, words, *result);
    return true;
}
