/* How a client starts the process, lets it go on, and ends it. */
#include "viewer-cli/debug/dap.h"

#include "trace/base/json.h"
#include "viewer-cli/cmd_run.h"
#include "viewer-cli/debug/dap_launch.h"
#include "viewer-cli/kernel/cmd_kernel.h"
#include "viewer-cli/replay/cmd_replay.h"

#include <cjson/cJSON.h>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- starting ---- */

static void take_output(void *user, bool is_error, const char *bytes, size_t size)
{
    struct dap *dap = user;
    if (is_error && dap->launch)
        text_append_n(&dap->complaint, bytes, size);
    dap_output(dap, is_error ? "stderr" : "stdout", bytes, size);
}

/* A copy for as long as the session; NULL of what is not there. */
static const char *keep_text(struct dap *dap, const struct cJSON *arguments, const char *key)
{
    const char *const text = json_object_text(arguments, key);
    return text && *text ? arena_string(&dap->arena, text) : NULL;
}

static enum status read_configuration(struct dap *dap, const struct cJSON *arguments,
                                      struct error *error)
{
    const char *const directory = json_object_text(arguments, "cwd");
    if (directory && *directory && chdir(directory) != 0)
        return error_set_errno(error, "cannot go to the directory %s", directory);
    dap->is_program = dap_launch_kind(arguments) == DAP_PROGRAM;
    dap->stops_on_entry = json_object_flag(arguments, "stopOnEntry");
    enum status status = dap_launch_threads(arguments, &dap->threads_by, error);
    if (!status)
        status = dap_launch_words(arguments, &dap->words, error);
    recorded_finding_release(&dap->finding);
    if (!status)
        status = dap_launch_finding(arguments, &dap->finding, error);
    const char *const file = json_object_text(arguments, "file");
    dap->path = NULL;
    dap->trace = keep_text(dap, arguments, "trace");
    dap->personality = keep_text(dap, arguments, "personality");
    if (status || !file)
        return status;
    char *const real = realpath(file, NULL);
    dap->path = arena_string(&dap->arena, real ? real : file);
    free(real);
    return dap->path ? STATUS_OK : error_no_memory(error, strlen(file));
}

/* What the process does. */
static int (*const runs[])(int word_count, char **words, int socket) = {
    [DAP_KERNEL] = kernel_debug, [DAP_TRACE] = replay_debug, [DAP_PROGRAM] = run_debug};

static enum status start(struct dap *dap, const struct cJSON *request,
                         const struct cJSON *arguments, struct error *error)
{
    const struct debug_front front = {.take_output = take_output, .user = dap};
    enum status status = read_configuration(dap, arguments, error);
    if (status)
        return status;
    const struct debug_start start = {.run = runs[dap_launch_kind(arguments)],
                                      .words = dap->words.words,
                                      .word_count = dap->words.count};
    status = debug_session_start(&start, &front, &dap->session, error);
    if (status)
        return status;
    struct text asked = TEXT_INIT;
    debug_request_begin(&asked, DEBUG_REQUEST_HELLO);
    json_number(&asked, "version", DEBUG_VERSION);
    dap_resume(dap, request, &asked, false);
    dap->phase = DAP_STARTING;
    text_release(&asked);
    return STATUS_OK;
}

void dap_launch(struct dap *dap, const struct cJSON *request, const struct cJSON *arguments)
{
    struct error error;
    if (dap->phase != DAP_NO_PROCESS || dap->launch) {
        dap_refuse(dap, request, "there is a process already");
        return;
    }
    kernel_words_release(&dap->words);
    text_clear(&dap->complaint);
    dap->configured = false;
    if (start(dap, request, arguments, &error)) {
        dap_refuse(dap, request, "%s", error.text);
        return;
    }
    /* The request lives as long as its message: a copy waits for the process. */
    dap->launch = cJSON_Duplicate(request, true);
}

/* What depends on the process, of which `initialize` did not know. */
static void tell_capabilities(struct dap *dap)
{
    static const struct {
        const char *capability;
        enum debug_request request;
    } able[] = {
        {"supportsStepBack", DEBUG_REQUEST_REVERSE_STEP},
        {"supportsDataBreakpoints", DEBUG_REQUEST_WATCH},
        {"supportsSetVariable", DEBUG_REQUEST_SET},
        {"supportsSetExpression", DEBUG_REQUEST_SET},
        {"supportsWriteMemoryRequest", DEBUG_REQUEST_SET},
    };
    dap_event(dap, "capabilities");
    json_key(&dap->out, "capabilities");
    text_append_char(&dap->out, '{');
    for (size_t i = 0; i < sizeof able / sizeof *able; ++i)
        dap_put_flag(&dap->out, able[i].capability,
                     debug_session_offers(dap->session, able[i].request));
    dap_close(&dap->out);
    dap_end(dap);
}

static const char *name_of(const struct dap *dap, const struct cJSON *arguments)
{
    const char *const trace = json_object_text(arguments, "trace");
    const char *const program = json_object_text(arguments, "program");
    return trace ? trace : program ? program : dap->path;
}

/* The process stands at the beginning of its first launch, and the client may say what it wants. */
static void tell_started(struct dap *dap, const struct cJSON *hello)
{
    const struct cJSON *const arguments = json_object_item(dap->launch, "arguments");
    dap->phase = DAP_STOPPED;
    debug_session_learn(dap->session, hello);
    tell_capabilities(dap);
    /* What kernels print last comes with a stop at the end of their launch. */
    dap_catch(dap, "end");
    if (json_object_flag(arguments, "stopOnFinding"))
        dap_catch(dap, "finding");
    dap_event(dap, "process");
    json_string(&dap->out, "name", name_of(dap, arguments));
    json_string(&dap->out, "startMethod", "launch");
    dap_end(dap);
    dap_done(dap, dap->launch);
    json_object_release(dap->launch);
    dap->launch = NULL;
    dap_event(dap, "initialized");
    dap_end(dap);
}

/* ---- stops ---- */

/* The reasons of the debugger as the protocol has them. */
static const char *stop_reason(const char *reason)
{
    static const struct {
        const char *of_debugger, *of_client;
    } reasons[] = {
        {"breakpoint", "breakpoint"}, {"step", "step"},     {"finding", "exception"},
        {"watch", "data breakpoint"}, {"pause", "pause"},   {"goto", "goto"},
        {"launch", "entry"},          {"nan", "exception"}, {"undefined", "exception"},
        {"divergence", "exception"},
    };
    for (size_t i = 0; reason && i < sizeof reasons / sizeof *reasons; ++i)
        if (strcmp(reasons[i].of_debugger, reason) == 0)
            return reasons[i].of_client;
    return reason ? reason : "pause";
}

/* The focus' thread is the first. */
static void learn_focus(struct dap *dap)
{
    struct text asked = TEXT_INIT;
    debug_request_begin(&asked, DEBUG_REQUEST_THREADS);
    json_number(&asked, "max", 1);
    struct cJSON *answer = dap_ask(dap, NULL, &asked);
    dap->thread = 1;
    dap->frame = 0;
    json_object_number(json_array_first(json_object_item(answer, "threads")), "id", &dap->thread);
    json_object_release(answer);
    text_release(&asked);
}

static void put_hits(struct dap *dap, const struct cJSON *stop)
{
    static const char *const kinds[] = {"breakpoints", "watches"};
    json_key(&dap->out, "hitBreakpointIds");
    text_append_char(&dap->out, '[');
    for (size_t kind = 0; kind < 2; ++kind) {
        const struct cJSON *at = json_array_first(json_object_item(stop, kinds[kind]));
        for (; at; at = json_array_next(at)) {
            uint64_t number;
            if (!json_item_number(at, &number))
                continue;
            json_item(&dap->out);
            text_format(&dap->out, "%llu", (unsigned long long)number);
        }
    }
    text_append_char(&dap->out, ']');
}

static void tell_stop(struct dap *dap, const struct cJSON *stop, const char *reason)
{
    const struct cJSON *const finding = json_object_item(stop, "finding");
    const char *const sentence = json_object_text(stop, "text");
    const bool is_other = !finding && strcmp(reason, "exception") == 0;
    const char *const rule =
        is_other ? json_object_text(stop, "reason") : json_object_text(finding, "rule");
    const char *const report = is_other ? sentence : json_object_text(finding, "text");
    text_append(&dap->rule, rule ? rule : "");
    text_append(&dap->report, report ? report : "");
    learn_focus(dap);
    dap_event(dap, "stopped");
    json_string(&dap->out, "reason", reason);
    json_string(&dap->out, "description", sentence && *sentence ? sentence : NULL);
    json_string(&dap->out, "text", rule);
    json_number(&dap->out, "threadId", dap->thread);
    dap_put_flag(&dap->out, "allThreadsStopped", true);
    put_hits(dap, stop);
    dap_end(dap);
}

void dap_tell_moved(struct dap *dap, const struct cJSON *stop)
{
    dap_forget_stop(dap);
    tell_stop(dap, stop, "goto");
}

static void resume_plain(struct dap *dap, const struct cJSON *request, enum debug_request resumes,
                         bool continues)
{
    struct text asked = TEXT_INIT;
    debug_request_begin(&asked, resumes);
    dap_resume(dap, request, &asked, continues);
    text_release(&asked);
}

/* The process has ended, and a finding that was looked for was not made. */
static void tell_not_found(struct dap *dap)
{
    static const char sentence[] = "The finding was not made at one of its lines on this device.\n";
    if (dap->finding.launch)
        dap_output(dap, "important", sentence, sizeof sentence - 1);
    dap->finding.launch = 0;
}

static void take_end(struct dap *dap)
{
    const int result = debug_session_finish(dap->session);
    struct cJSON *const launch = dap->launch;
    dap_drop_process(dap);
    dap->interrupts = false;
    dap->pauses = false;
    dap->launch = NULL;
    if (launch) {
        dap_refuse(dap, launch, "%s",
                   dap->complaint.size ? dap->complaint.bytes : "the kernel was not launched");
        json_object_release(launch);
    }
    tell_not_found(dap);
    dap_event(dap, "exited");
    json_number(&dap->out, "exitCode", (uint64_t)(result < 0 ? 128 - result : result));
    dap_end(dap);
    dap_event(dap, "terminated");
    dap_end(dap);
}

/* Is another finding than this looked for? */
static bool passes(struct dap *dap, const struct cJSON *stop)
{
    const struct cJSON *const found = json_object_item(stop, "finding");
    if (!dap->finding.launch || !found)
        return false;
    if (!recorded_finding_is(&dap->finding, found))
        return true;
    dap_output(dap, "console", dap->finding.text, strlen(dap->finding.text));
    dap->finding.launch = 0;
    return false;
}

static void take_stop(struct dap *dap, const struct cJSON *answer)
{
    const struct cJSON *const stop = json_object_item(answer, "stop");
    const char *const output = json_object_text(answer, "output");
    const char *const reason = json_object_text(stop, "reason");
    const bool is_pause = reason && strcmp(reason, "pause") == 0;
    dap->phase = DAP_STOPPED;
    if (output && *output)
        dap_output(dap, "stdout", output, strlen(output));
    if (debug_answer_is_exit(answer)) {
        take_end(dap);
        return;
    }
    /* The end of a launch is where nobody asked to stop. */
    if ((reason && strcmp(reason, "end") == 0) || passes(dap, stop)) {
        resume_plain(dap, NULL, DEBUG_REQUEST_CONTINUE, true);
        return;
    }
    /* What it was interrupted for is done from the queue, and it goes on behind it. */
    if (is_pause && dap->interrupts && !dap->pauses)
        return;
    dap->interrupts = false;
    dap->pauses = false;
    tell_stop(dap, stop, stop_reason(reason));
}

void dap_take_answer(struct dap *dap)
{
    struct cJSON *answer = NULL;
    struct error error;
    const enum status status = debug_session_receive(dap->session, &answer, &error);
    if (dap->phase != DAP_ASKED)
        dap_task_end(dap);
    if ((status && status != STATUS_INVALID) ||
        (dap->phase == DAP_ASKED && debug_answer_is_exit(answer))) {
        take_end(dap);
    } else if (dap->phase == DAP_ASKED) {
        dap_answer_asked(dap, answer, status ? error.text : NULL);
    } else if (dap->phase == DAP_STARTING) {
        tell_started(dap, answer);
    } else if (status) {
        /* It did not go on. */
        dap->phase = DAP_STOPPED;
        dap_output(dap, "important", error.text, strlen(error.text));
        tell_stop(dap, NULL, "pause");
    } else {
        take_stop(dap, answer);
    }
    json_object_release(answer);
}

void dap_configuration_done(struct dap *dap, const struct cJSON *request,
                            const struct cJSON *arguments)
{
    (void)arguments;
    dap_done(dap, request);
    if (dap->phase != DAP_STOPPED || dap->configured)
        return;
    dap->configured = true;
    if (dap->finding.launch)
        dap_catch_rule(dap, dap->finding.rule);
    if (dap->stops_on_entry && !dap->finding.launch)
        tell_stop(dap, NULL, "entry");
    else
        resume_plain(dap, request, DEBUG_REQUEST_CONTINUE, true);
}

/* ---- going on ---- */

static const char *granularity_of(const struct cJSON *arguments)
{
    const char *const wanted = json_object_text(arguments, "granularity");
    return wanted && strcmp(wanted, "instruction") == 0 ? "instruction" : NULL;
}

/* The thread becomes the focus, and steps. */
static void step(struct dap *dap, const struct cJSON *request, const struct cJSON *arguments,
                 enum debug_request over, enum debug_request instruction)
{
    const char *const granularity = granularity_of(arguments);
    uint64_t thread = 0;
    json_object_number(arguments, "threadId", &thread);
    if (dap->phase != DAP_STOPPED) {
        dap_refuse(dap, request, "there is no process that is stopped");
        return;
    }
    if (!dap_focus(dap, request, thread, 0))
        return;
    struct text asked = TEXT_INIT;
    debug_request_begin(&asked, granularity ? instruction : over);
    json_string(&asked, "granularity", granularity);
    dap_done(dap, request);
    dap_resume(dap, request, &asked, false);
    text_release(&asked);
}

void dap_next(struct dap *dap, const struct cJSON *request, const struct cJSON *arguments)
{
    step(dap, request, arguments, DEBUG_REQUEST_NEXT, DEBUG_REQUEST_STEP);
}

void dap_step_in(struct dap *dap, const struct cJSON *request, const struct cJSON *arguments)
{
    step(dap, request, arguments, DEBUG_REQUEST_STEP, DEBUG_REQUEST_STEP);
}

void dap_step_out(struct dap *dap, const struct cJSON *request, const struct cJSON *arguments)
{
    step(dap, request, arguments, DEBUG_REQUEST_FINISH, DEBUG_REQUEST_FINISH);
}

void dap_step_back(struct dap *dap, const struct cJSON *request, const struct cJSON *arguments)
{
    step(dap, request, arguments, DEBUG_REQUEST_REVERSE_NEXT, DEBUG_REQUEST_REVERSE_STEP);
}

/* "clerk/step": all of the group. */
void dap_step_group(struct dap *dap, const struct cJSON *request, const struct cJSON *arguments)
{
    step(dap, request, arguments, DEBUG_REQUEST_ADVANCE_GROUP, DEBUG_REQUEST_ADVANCE_GROUP);
}

void dap_continue(struct dap *dap, const struct cJSON *request, const struct cJSON *arguments)
{
    (void)arguments;
    if (dap->phase != DAP_STOPPED) {
        dap_refuse(dap, request, "there is no process that is stopped");
        return;
    }
    dap_respond(dap, request);
    dap_put_flag(&dap->out, "allThreadsContinued", true);
    dap_end(dap);
    resume_plain(dap, request, DEBUG_REQUEST_CONTINUE, true);
}

void dap_reverse_continue(struct dap *dap, const struct cJSON *request,
                          const struct cJSON *arguments)
{
    (void)arguments;
    if (dap->phase != DAP_STOPPED) {
        dap_refuse(dap, request, "there is no process that is stopped");
        return;
    }
    dap_done(dap, request);
    resume_plain(dap, request, DEBUG_REQUEST_REVERSE_CONTINUE, false);
}

void dap_pause(struct dap *dap, const struct cJSON *request, const struct cJSON *arguments)
{
    (void)arguments;
    dap_done(dap, request);
    dap_task_stop(dap);
}

/* To a target of dap_goto_targets: by running until there. */
void dap_goto(struct dap *dap, const struct cJSON *request, const struct cJSON *arguments)
{
    uint64_t target = 0;
    uint64_t thread = 0;
    json_object_number(arguments, "targetId", &target);
    json_object_number(arguments, "threadId", &thread);
    const char *const file = dap_target_file(dap, target);
    if (!file || dap->phase != DAP_STOPPED) {
        dap_refuse(dap, request, "there is no such target");
        return;
    }
    if (!dap_focus(dap, request, thread, 0))
        return;
    struct text asked = TEXT_INIT;
    debug_request_begin(&asked, DEBUG_REQUEST_UNTIL);
    json_number(&asked, "line", dap_target_line(target));
    json_string(&asked, "file", file);
    dap_done(dap, request);
    dap_resume(dap, request, &asked, false);
    text_release(&asked);
}

/* ---- ending ---- */

static void end_process(struct dap *dap)
{
    struct cJSON *const launch = dap->launch;
    dap->launch = NULL;
    dap_drop_process(dap);
    if (launch)
        dap_refuse(dap, launch, "the process was ended before it stood anywhere");
    json_object_release(launch);
}

void dap_terminate(struct dap *dap, const struct cJSON *request, const struct cJSON *arguments)
{
    (void)arguments;
    const bool was_there = dap->phase != DAP_NO_PROCESS;
    end_process(dap);
    dap_done(dap, request);
    if (was_there) {
        dap_event(dap, "terminated");
        dap_end(dap);
    }
}

void dap_disconnect(struct dap *dap, const struct cJSON *request, const struct cJSON *arguments)
{
    (void)arguments;
    end_process(dap);
    dap_done(dap, request);
    dap->ends = true;
}
