#include "viewer-cli/debug/dap.h"

#include "trace/base/alloc.h"
#include "trace/base/json.h"

#include <cjson/cJSON.h>

#include <errno.h>
#include <poll.h>
#include <string.h>

/* ---- the requests ---- */

static dap_request initialize, cancel;

/* When a request is answered. */
enum moment {
    AT_ONCE,        /* whatever the process is at */
    IF_IT_RUNS,     /* the same, but for the answer of what stands it waits */
    AT_A_STOP,      /* it waits for one while the process runs */
    WITH_INTERRUPT, /* the same, but a process that goes on for as long as it likes is interrupted
                     */
};

static const struct request {
    const char *command;
    enum moment moment;
    dap_request *run;
} requests[] = {
    {"initialize", AT_ONCE, initialize},
    {"launch", AT_ONCE, dap_launch},
    {"disconnect", AT_ONCE, dap_disconnect},
    {"terminate", AT_ONCE, dap_terminate},
    {"cancel", AT_ONCE, cancel},
    {"pause", AT_ONCE, dap_pause},
    {"threads", IF_IT_RUNS, dap_threads},
    {"configurationDone", AT_A_STOP, dap_configuration_done},
    {"setBreakpoints", WITH_INTERRUPT, dap_set_breakpoints},
    {"setFunctionBreakpoints", WITH_INTERRUPT, dap_set_function_breakpoints},
    {"setExceptionBreakpoints", WITH_INTERRUPT, dap_set_exception_breakpoints},
    {"dataBreakpointInfo", AT_A_STOP, dap_data_breakpoint_info},
    {"setDataBreakpoints", WITH_INTERRUPT, dap_set_data_breakpoints},
    {"continue", AT_A_STOP, dap_continue},
    {"next", AT_A_STOP, dap_next},
    {"stepIn", AT_A_STOP, dap_step_in},
    {"stepOut", AT_A_STOP, dap_step_out},
    {"stepBack", AT_A_STOP, dap_step_back},
    {"clerk/step", AT_A_STOP, dap_step_group},
    {"reverseContinue", AT_A_STOP, dap_reverse_continue},
    {"gotoTargets", AT_ONCE, dap_goto_targets},
    {"goto", AT_A_STOP, dap_goto},
    {"stackTrace", AT_A_STOP, dap_stack_trace},
    {"scopes", AT_A_STOP, dap_scopes},
    {"variables", AT_A_STOP, dap_variables},
    {"evaluate", AT_A_STOP, dap_evaluate},
    {"completions", AT_A_STOP, dap_completions},
    {"setVariable", AT_A_STOP, dap_set_variable},
    {"setExpression", AT_A_STOP, dap_set_expression},
    {"readMemory", AT_A_STOP, dap_read_memory},
    {"writeMemory", AT_A_STOP, dap_write_memory},
    {"disassemble", AT_A_STOP, dap_disassemble},
    {"source", WITH_INTERRUPT, dap_source_text},
    {"loadedSources", WITH_INTERRUPT, dap_loaded_sources},
    {"exceptionInfo", AT_A_STOP, dap_exception_info},
};

static const struct request *find_request(const char *command)
{
    static const struct request custom = {"clerk/", AT_A_STOP, dap_custom};
    for (size_t i = 0; i < sizeof requests / sizeof *requests; ++i)
        if (strcmp(requests[i].command, command) == 0)
            return &requests[i];
    return strncmp(command, custom.command, strlen(custom.command)) == 0 ? &custom : NULL;
}

/* ---- what is always answered ---- */

static void initialize(struct dap *dap, const struct cJSON *request, const struct cJSON *arguments)
{
    static const char *const able[] = {
        "supportsConfigurationDoneRequest",
        "supportsFunctionBreakpoints",
        "supportsConditionalBreakpoints",
        "supportsHitConditionalBreakpoints",
        "supportsEvaluateForHovers",
        "supportsGotoTargetsRequest",
        "supportsExceptionFilterOptions",
        "supportsExceptionInfoRequest",
        "supportsLogPoints",
        "supportsTerminateRequest",
        "supportsReadMemoryRequest",
        "supportsDisassembleRequest",
        "supportsSteppingGranularity",
        "supportsCancelRequest",
        "supportsLoadedSourcesRequest",
        "supportsValueFormattingOptions",
        "supportsCompletionsRequest",
        "supportsDataBreakpointBytes",
    };
    const struct cJSON *const lines = json_object_item(arguments, "linesStartAt1");
    const struct cJSON *const columns = json_object_item(arguments, "columnsStartAt1");
    dap->lines_start_at_0 = lines && cJSON_IsFalse(lines);
    dap->columns_start_at_0 = columns && cJSON_IsFalse(columns);
    dap->takes_invalidation = json_object_flag(arguments, "supportsInvalidatedEvent");
    dap->tells_progress = json_object_flag(arguments, "supportsProgressReporting");
    dap_respond(dap, request);
    for (size_t i = 0; i < sizeof able / sizeof *able; ++i)
        dap_put_flag(&dap->out, able[i], true);
    dap_put_exception_filters(&dap->out);
    dap_end(dap);
}

/* A request of the queue is taken out of it; what is at work is ended. */
static void cancel(struct dap *dap, const struct cJSON *request, const struct cJSON *arguments)
{
    uint64_t wanted;
    if (json_object_number(arguments, "requestId", &wanted)) {
        struct dap_queued **at = &dap->queue;
        uint64_t seq = 0;
        while (*at && !(json_object_number((*at)->request, "seq", &seq) && seq == wanted))
            at = &(*at)->next;
        struct dap_queued *found = *at;
        if (found) {
            *at = found->next;
            dap_refuse(dap, found->request, "cancelled");
            json_object_release(found->request);
            alloc_free(found);
        }
    }
    dap_task_cancel(dap, arguments);
    dap_done(dap, request);
}

/* ---- now or later ---- */

static void answer(struct dap *dap, const struct cJSON *request)
{
    const char *const command = json_object_text(request, "command");
    const struct request *const found = command ? find_request(command) : NULL;
    if (found)
        found->run(dap, request, json_object_item(request, "arguments"));
    else
        dap_refuse(dap, request, "there is no request '%s'", command ? command : "");
}

static bool is_busy(const struct dap *dap)
{
    return dap->phase == DAP_RUNNING || dap->phase == DAP_STARTING || dap->phase == DAP_ASKED;
}

static void put_off(struct dap *dap, struct cJSON *request, enum moment moment)
{
    struct dap_queued *queued = alloc_zero(1, sizeof *queued);
    struct dap_queued **at = &dap->queue;
    if (!queued) {
        dap_refuse(dap, request, "memory ran out");
        json_object_release(request);
        return;
    }
    while (*at)
        at = &(*at)->next;
    queued->request = request;
    *at = queued;
    if (moment == WITH_INTERRUPT && dap->phase == DAP_RUNNING && dap->continues &&
        !dap->interrupts) {
        dap->interrupts = true;
        debug_session_pause(dap->session);
    }
}

/* Takes the request over. */
static void take_request(struct dap *dap, struct cJSON *request)
{
    const char *const command = json_object_text(request, "command");
    const struct request *const found = command ? find_request(command) : NULL;
    const enum moment moment = found ? found->moment : AT_ONCE;
    /* Those that came before are answered before. */
    const bool is_for_now = moment == AT_ONCE || (moment == IF_IT_RUNS && dap->phase != DAP_ASKED);
    if (!is_for_now && (is_busy(dap) || dap->queue)) {
        put_off(dap, request, moment);
        return;
    }
    answer(dap, request);
    json_object_release(request);
}

/* Answers what waits, until one of these makes the process go on. */
static void answer_queue(struct dap *dap)
{
    while (dap->queue && !is_busy(dap)) {
        struct dap_queued *const first = dap->queue;
        dap->queue = first->next;
        answer(dap, first->request);
        json_object_release(first->request);
        alloc_free(first);
    }
    if (dap->interrupts && dap->phase == DAP_STOPPED) {
        struct text asked = TEXT_INIT;
        debug_request_begin(&asked, DEBUG_REQUEST_CONTINUE);
        dap->interrupts = false;
        dap_resume(dap, NULL, &asked, true);
        text_release(&asked);
    }
}

/* ---- the loop ---- */

/* A message that cannot be read is not answered: nothing tells its number. */
static void take_message(struct dap *dap, const char *json, size_t size)
{
    struct cJSON *message = NULL;
    struct error error;
    if (json_object_parse(json, size, &message, &error)) {
        dap_output(dap, "important", error.text, strlen(error.text));
        return;
    }
    const char *const type = json_object_text(message, "type");
    if (type && strcmp(type, "request") == 0)
        take_request(dap, message);
    else
        json_object_release(message);
}

static enum status take_messages(struct dap *dap, struct error *error)
{
    enum status status = STATUS_OK;
    while (!status && !dap->ends) {
        const char *json;
        size_t size;
        status = dap_wire_take(&dap->wire, &json, &size, error);
        if (!status)
            take_message(dap, json, size);
    }
    return status == STATUS_NOT_FOUND ? STATUS_OK : status;
}

static void release(struct dap *dap)
{
    dap_drop_process(dap);
    while (dap->queue) {
        struct dap_queued *const first = dap->queue;
        dap->queue = first->next;
        json_object_release(first->request);
        alloc_free(first);
    }
    json_object_release(dap->launch);
    dap_wire_release(&dap->wire);
    kernel_words_release(&dap->words);
    recorded_finding_release(&dap->finding);
    text_release(&dap->out);
    text_release(&dap->complaint);
    text_release(&dap->rule);
    text_release(&dap->report);
    arena_release(&dap->arena);
    arena_release(&dap->stop_arena);
}

enum status dap_serve(struct dap *dap, struct error *error)
{
    enum status status = STATUS_OK;
    while (!status && !dap->ends && !dap->wire.ended) {
        struct pollfd polled[1 + DEBUG_SESSION_POLLED] = {
            {.fd = dap->wire.input, .events = POLLIN}};
        nfds_t count = 1;
        if (dap->session) {
            debug_session_polled(dap->session, polled + 1);
            count += DEBUG_SESSION_POLLED;
        }
        if (poll(polled, count, dap_task_patience(dap)) < 0 && errno != EINTR)
            return error_set_errno(error, "cannot wait for the editor");
        if (dap->session)
            debug_session_forward(dap->session);
        dap_task_tell(dap);
        if (count > 1 && polled[1].revents) {
            dap_take_answer(dap);
            answer_queue(dap);
        }
        if (polled[0].revents) {
            dap_wire_read(&dap->wire);
            status = take_messages(dap, error);
            answer_queue(dap);
        }
    }
    release(dap);
    return status;
}
