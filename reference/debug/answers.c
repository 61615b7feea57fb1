/* The parts of answers, and which request is answered by what. */
#include "reference/debug/look.h"
#include "reference/debug/private.h"
#include "trace/base/json.h"
#include "trace/debug/json_object.h"
#include "trace/debug/requests.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void debug_append_position(const struct debug_session *session, struct text *text)
{
    text_format(text, "%" PRIu64 ":%" PRIu64, session->launch_number, debug_position(session));
}

static void put_position(const struct debug_session *session, struct text *answer)
{
    struct text position = TEXT_INIT;
    debug_append_position(session, &position);
    json_string(answer, "position", position.bytes);
    text_release(&position);
}

static void put_focus(const struct debug_session *session, struct text *answer)
{
    uint64_t ids[3] = {0};
    if (!session->launch)
        return;
    const struct launch *launch = session->holder ? session->holder : session->launch;
    const struct debug_standing standing = debug_stand(session, session->vector, session->lane);
    uint32_t place =
        standing.state < DEBUG_ENDED
            ? debug_frame_place(session, debug_site_place(session, standing.site), session->frame)
            : 0;
    if (standing.state == DEBUG_NOT_BEGUN)
        place = debug_first_place(session);
    json_key(answer, "focus");
    text_append(answer, "{");
    json_number(answer, "launch", session->launch_number);
    json_known_number(answer, "program", session->launch->request->program);
    json_string(answer, "kernel", session->code->name);
    debug_put_triple(answer, "group", launch->group.id);
    for (uint32_t d = 0; d < 3; d++)
        ids[d] = debug_item(session, session->vector, session->lane, d, false);
    debug_put_triple(answer, "item", ids);
    for (uint32_t d = 0; d < 3; d++)
        ids[d] = debug_item(session, session->vector, session->lane, d, true);
    debug_put_triple(answer, "local", ids);
    json_number(answer, "vector", session->vector);
    json_number(answer, "lane", session->lane);
    json_number(answer, "frame", session->frame);
    json_string(answer, "state", debug_state_name(standing.state));
    debug_put_place(session, answer, place);
    text_append(answer, "}");
}

static void put_finding(const struct debug_session *session, const struct debug_found *found,
                        struct text *answer)
{
    text_append(answer, "{");
    json_string(answer, "rule", found->rule);
    json_string(answer, "severity", found->severity);
    json_string(answer, "text", found->text);
    json_string(answer, "position", found->position);
    if (session->code)
        debug_put_place(session, answer, found->place);
    text_append(answer, "}");
}

static void put_numbers(struct text *answer, const char *key, const uint32_t *numbers,
                        uint32_t count)
{
    if (count == 0)
        return;
    json_key(answer, key);
    text_append(answer, "[");
    for (uint32_t i = 0; i < count; i++) {
        json_item(answer);
        text_format(answer, "%u", numbers[i]);
    }
    text_append(answer, "]");
}

void debug_put_stop(struct debug_session *session, struct text *answer)
{
    const struct debug_stop *stop = &session->stop;
    json_key(answer, "stop");
    text_append(answer, "{");
    json_string(answer, "reason", stop->reason);
    if (stop->text[0] != '\0')
        json_string(answer, "text", stop->text);
    put_position(session, answer);
    put_focus(session, answer);
    put_numbers(answer, "breakpoints", stop->breakpoints, stop->breakpoint_count);
    put_numbers(answer, "watches", stop->watches, stop->watch_count);
    if (stop->finding) {
        json_key(answer, "finding");
        put_finding(session, &session->found[stop->finding - 1], answer);
    }
    text_append(answer, "}");
}

/* ---- requests ---- */

typedef bool answer_function(struct debug_session *session, const struct cJSON *request,
                             struct text *answer, struct error *error);

static bool answer_launches(struct debug_session *session, const struct cJSON *request,
                            struct text *answer, struct error *error)
{
    (void)request;
    (void)error;
    json_key(answer, "launches");
    text_append(answer, "[");
    if (session->launch) {
        const struct sched_launch *launch = session->launch->request;
        text_append(answer, "{");
        json_number(answer, "launch", session->launch_number);
        json_string(answer, "kernel", session->code->name);
        debug_put_triple(answer, "global", launch->global_size);
        debug_put_triple(answer, "local", launch->local_size);
        debug_put_triple(answer, "offset", launch->global_offset);
        debug_put_triple(answer, "groups", session->launch->group_count);
        text_append(answer, "}");
    }
    text_append(answer, "]");
    json_number(answer, "now", session->launch_number);
    return true;
}

static bool answer_kernels(struct debug_session *session, const struct cJSON *request,
                           struct text *answer, struct error *error)
{
    (void)request;
    (void)error;
    json_key(answer, "kernels");
    text_append(answer, "[");
    if (session->code)
        text_append_json(answer, session->code->name);
    text_append(answer, "]");
    return true;
}

static bool answer_enable(struct debug_session *session, const struct cJSON *request,
                          struct text *answer, struct error *error)
{
    (void)answer;
    return debug_answer_enable(session, request, true, error);
}

static bool answer_disable(struct debug_session *session, const struct cJSON *request,
                           struct text *answer, struct error *error)
{
    (void)answer;
    return debug_answer_enable(session, request, false, error);
}

static bool answer_position(struct debug_session *session, const struct cJSON *request,
                            struct text *answer, struct error *error)
{
    (void)error;
    put_position(session, answer);
    debug_put_stop(session, answer);
    if (json_object_flag(request, "digest")) {
        json_key(answer, "digest");
        text_format(answer, "\"%016" PRIx64 "\"", debug_digest(session));
    }
    return true;
}

static bool answer_lanes(struct debug_session *session, const struct cJSON *request,
                         struct text *answer, struct error *error)
{
    (void)request;
    (void)error;
    return debug_answer_lanes(session, answer);
}

static bool answer_findings(struct debug_session *session, const struct cJSON *request,
                            struct text *answer, struct error *error)
{
    (void)request;
    (void)error;
    json_key(answer, "findings");
    text_append(answer, "[");
    for (size_t i = 0; i < session->found_count; i++) {
        json_item(answer);
        put_finding(session, &session->found[i], answer);
    }
    text_append(answer, "]");
    return true;
}

static bool answer_output(struct debug_session *session, const struct cJSON *request,
                          struct text *answer, struct error *error)
{
    (void)request;
    (void)error;
    debug_take_output(session);
    json_string(answer, "output", session->output.bytes);
    text_clear(&session->output);
    return true;
}

static bool answer_focus(struct debug_session *session, const struct cJSON *request,
                         struct text *answer, struct error *error)
{
    const bool is_set = debug_set_focus(session, request, error);
    if (is_set)
        put_focus(session, answer);
    return is_set;
}

static answer_function answer_hello;

static answer_function *const answers[DEBUG_REQUEST_COUNT] = {
    [DEBUG_REQUEST_HELLO] = answer_hello,
    [DEBUG_REQUEST_LAUNCHES] = answer_launches,
    [DEBUG_REQUEST_KERNELS] = answer_kernels,
    [DEBUG_REQUEST_BREAK] = debug_answer_break,
    [DEBUG_REQUEST_BREAKPOINTS] = debug_answer_breakpoints,
    [DEBUG_REQUEST_DELETE] = debug_answer_delete,
    [DEBUG_REQUEST_ENABLE] = answer_enable,
    [DEBUG_REQUEST_DISABLE] = answer_disable,
    [DEBUG_REQUEST_CHANGE] = debug_answer_change,
    [DEBUG_REQUEST_CATCH] = debug_answer_catch,
    [DEBUG_REQUEST_WHO] = debug_answer_who,
    [DEBUG_REQUEST_WATCH] = debug_answer_watch,
    [DEBUG_REQUEST_POSITION] = answer_position,
    [DEBUG_REQUEST_THREADS] = debug_answer_threads,
    [DEBUG_REQUEST_FOCUS] = answer_focus,
    [DEBUG_REQUEST_STACK] = debug_answer_stack,
    [DEBUG_REQUEST_SCOPES] = debug_answer_scopes,
    [DEBUG_REQUEST_VARIABLES] = debug_answer_variables,
    [DEBUG_REQUEST_LOCALS] = debug_answer_locals,
    [DEBUG_REQUEST_ARGUMENTS] = debug_answer_arguments,
    [DEBUG_REQUEST_EVALUATE] = debug_answer_evaluate,
    [DEBUG_REQUEST_SET] = debug_answer_set,
    [DEBUG_REQUEST_MEMORY] = debug_answer_memory,
    [DEBUG_REQUEST_IMAGE] = debug_answer_image,
    [DEBUG_REQUEST_LANES] = answer_lanes,
    [DEBUG_REQUEST_DIFFER] = debug_answer_differ,
    [DEBUG_REQUEST_DISASSEMBLE] = debug_answer_disassemble,
    [DEBUG_REQUEST_SOURCES] = debug_answer_sources,
    [DEBUG_REQUEST_SOURCE] = debug_answer_source,
    [DEBUG_REQUEST_FINDINGS] = answer_findings,
    [DEBUG_REQUEST_OUTPUT] = answer_output,
};

/* Those that session.c answers, by going on. */
static bool resumes(enum debug_request request)
{
    switch (request) {
    case DEBUG_REQUEST_CONTINUE:
    case DEBUG_REQUEST_STEP:
    case DEBUG_REQUEST_NEXT:
    case DEBUG_REQUEST_FINISH:
    case DEBUG_REQUEST_UNTIL:
    case DEBUG_REQUEST_ADVANCE_GROUP:
    case DEBUG_REQUEST_REVERSE_STEP:
    case DEBUG_REQUEST_REVERSE_NEXT:
    case DEBUG_REQUEST_REVERSE_FINISH:
    case DEBUG_REQUEST_REVERSE_CONTINUE:
    case DEBUG_REQUEST_GOTO:
    case DEBUG_REQUEST_OTHER:
    case DEBUG_REQUEST_PAUSE:
    case DEBUG_REQUEST_END:
        return true;
    default:
        return false;
    }
}

static bool answer_hello(struct debug_session *session, const struct cJSON *request,
                         struct text *answer, struct error *error)
{
    uint64_t version = DEBUG_VERSION;
    json_object_number(request, "version", &version);
    if (version != DEBUG_VERSION) {
        error_set(error, STATUS_UNSUPPORTED, "the engine speaks version %d, not %" PRIu64,
                  DEBUG_VERSION, version);
        return false;
    }
    uint64_t stride;
    if (json_object_number(request, "stride", &stride) && stride > 0)
        debug_past_set_stride(session, stride);
    json_number(answer, "version", DEBUG_VERSION);
    json_key(answer, "requests");
    text_append(answer, "[");
    for (int i = 0; i < DEBUG_REQUEST_COUNT; i++) {
        if (!answers[i] && !resumes((enum debug_request)i))
            continue;
        json_item(answer);
        text_append_json(answer, debug_request_name((enum debug_request)i));
    }
    text_append(answer, "]");
    debug_put_stop(session, answer);
    return true;
}

bool debug_answer(struct debug_session *session, const struct cJSON *request, struct text *answer,
                  struct error *error)
{
    const char *name = json_object_text(request, "request");
    const enum debug_request number = name ? debug_request_find(name) : DEBUG_REQUEST_COUNT;
    arena_reset(&session->scratch);
    if (number == DEBUG_REQUEST_COUNT) {
        error_set(error, STATUS_INVALID, "there is no request '%s'", name ? name : "");
        return false;
    }
    if (!answers[number]) {
        error_set(error, STATUS_UNSUPPORTED, "'%s' is not supported yet", name);
        return false;
    }
    return answers[number](session, request, answer, error);
}
