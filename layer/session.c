#include "layer/session.h"

#include "checkers/process_notes.h"
#include "checkers/report.h"
#include "layer/callbacks.h"
#include "layer/contents.h"
#include "layer/driver/driver_ask.h"
#include "layer/driver/driver_queries.h"
#include "layer/driver/kernel_facts.h"
#include "layer/faults.h"
#include "layer/frees.h"
#include "layer/guards.h"
#include "layer/in_flight.h"
#include "layer/launch_memory.h"
#include "layer/other_threads.h"
#include "layer/own_memory.h"
#include "layer/probes/probes.h"
#include "layer/profile.h"
#include "layer/range.h"
#include "layer/session_parts.h"
#include "layer/stack.h"
#include "layer/thread.h"
#include "layer/watch.h"
#include "trace/api/settings.h"
#include "trace/base/alloc.h"
#include "trace/base/standard_error.h"
#include "trace/base/visible.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Where findings go: the trace, which the session has, a file of JSON lines, or a report at the
 * end. */
struct session_output {
    struct lines *lines;   /* NULL = none */
    struct report *report; /* NULL = not wanted: trace or file take the findings */
    struct stack_table *stacks;
    struct launches *launches; /* on the reference device */
    struct arena arena;
    struct finding_process process; /* ours, in `arena`; no command: memory is out */
    const char *notes;              /* the file of process notes, in `arena`; NULL = none */
};

atomic_int session_state = SESSION_UNOPENED;
static atomic_uint_fast64_t interruptions;
static atomic_bool interruption_changed; /* what rules would have to know */
static struct session *_Atomic current;  /* complete as soon as it is set */
static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static uint64_t generations;
static struct session *inherited; /* by a forked child that has made no call yet */

/* ---- failing open ---- */

void session_leave_word(enum severity severity, const char *format, ...)
{
    const char *path = setting_value(SETTING_FINDINGS);
    struct lines *lines = NULL;
    va_list list;
    if (!path[0] || lines_open(path, &lines, NULL))
        return;
    struct text sentence = TEXT_INIT;
    struct text line = TEXT_INIT;
    struct arena arena = {0};
    va_start(list, format);
    text_format_v(&sentence, format, list);
    va_end(list);
    finding_print_unchecked(&(struct finding_unchecked){.why = sentence.bytes,
                                                        .severity = severity,
                                                        .process = own_process(NULL, &arena)},
                            &line);
    arena_release(&arena);
    if (!sentence.failed)
        lines_append(lines, &line, NULL);
    text_release(&sentence);
    text_release(&line);
    lines_close(lines);
}

static void become_passive(const struct error *error)
{
    static atomic_flag said = ATOMIC_FLAG_INIT;
    atomic_store(&session_state, SESSION_PASSIVE);
    if (atomic_flag_test_and_set(&said))
        return;
    visible_tell("clerk: %s; the program runs on, unobserved\n", error->text);
    session_leave_word(SEVERITY_ERROR,
                       "the run was observed in part only (%s): what came after was neither "
                       "checked nor recorded",
                       error->text);
}

static void spool_failed(void *user, const struct error *error)
{
    (void)user;
    become_passive(error);
}

/* Only the recording ends. */
static void spool_is_full(void *user, const struct error *error)
{
    (void)user;
    visible_tell("clerk: %s: recording stopped; the program runs on, and is checked\n",
                 error->text);
    session_leave_word(SEVERITY_WARNING, "what came after %s was not recorded", error->text);
}

void session_left_call(uint32_t entry)
{
    struct error error;
    error_set(&error, STATUS_UNSUPPORTED, "the program left %s by a longjmp",
              api_entry_get(entry)->name);
    const struct session *session = atomic_load(&current);
    if (session && session->spool)
        spool_stop(session->spool, &error);
    become_passive(&error);
}

/* ---- findings ---- */

static void report_to_trace(struct spool *spool, const struct finding *finding, const char *json)
{
    const struct rule *rule = rule_get(finding->rule);
    spool_finding(spool, &(struct spool_finding){
                             .call_id = finding->call_id,
                             .rule = rule->id,
                             .severity = severity_name(rule->severity),
                             .message = finding->message,
                             .json = json,
                         });
    for (size_t i = 0; i < finding->place_count; i++) {
        const struct finding_place *place = &finding->places[i];
        if (place->call_id != 0 && place->kind != FINDING_PLACE_KERNEL && place->frame_count > 0)
            spool_stack(spool, place->call_id, place->frames, place->frame_count);
    }
}

/* In a file of several processes each finding says whose it is. */
static void report_to_lines(const struct session_output *output, const struct finding *finding)
{
    struct text line = TEXT_INIT;
    struct error error;
    struct finding told = *finding;
    if (output->process.command) {
        told.processes = &output->process;
        told.process_count = 1;
    }
    finding_print_json(&told, &line);
    if (lines_append(output->lines, &line, &error))
        become_passive(&error);
    text_release(&line);
}

void session_report(void *user, const struct finding *finding)
{
    struct session *session = user;
    const struct session_output *output = session->output;
    if (session->spool) {
        struct text line = TEXT_INIT;
        finding_print_json(finding, &line);
        if (!line.failed)
            report_to_trace(session->spool, finding, line.bytes);
        text_release(&line);
    }
    if (output->lines)
        report_to_lines(output, finding);
    if (output->report)
        report_add(output->report, finding);
}

/* Of clerk's own rules about calls. They know too little once memory has failed, and could blame
 * the program for it. */
static void report_call(void *session, const struct finding *finding)
{
    if (!alloc_has_failed())
        session_report(session, finding);
}

void session_note_command(struct session *session, const struct api_call *call)
{
    struct session_output *output = session->output;
    const struct launch_call launch = {
        .call_id = call->id, .stack = stack_capture(output->stacks), .entry = call->entry};
    launches_add(output->launches, &launch);
}

/* The host stacks of the commands that a finding is about; false when it is about none. */
static bool add_stacks(const struct session_output *output, struct finding *finding,
                       struct arena *arena)
{
    struct finding_place *places =
        arena_copy(arena, finding->places, finding->place_count * sizeof *places);
    bool any = false;
    for (size_t i = 0; places && i < finding->place_count; i++) {
        struct launch_call call;
        if (places[i].kind != FINDING_PLACE_CALL)
            continue;
        any = true;
        if (launches_find(output->launches, places[i].call_id, &call))
            places[i].frame_count =
                stack_describe(output->stacks, call.stack, arena, &places[i].frames);
    }
    if (places)
        finding->places = places;
    return any;
}

void session_take_finding(void *user, const struct finding *found)
{
    struct session *session = user;
    const struct session_output *output = session->output;
    struct arena arena = {0};
    struct finding finding = *found;
    struct launch_call call;
    /* Memory is read where the program has mapped it: that is not the program's doing. */
    if (atomic_load(&session->runs_own))
        return;
    const bool about_calls = add_stacks(output, &finding, &arena);
    if (!about_calls && found->call_id != 0 &&
        launches_find(output->launches, found->call_id, &call)) {
        struct finding_launch launch = {.call_id = call.call_id,
                                        .function = api_entry_get(call.entry)->name};
        launch.frame_count = stack_describe(output->stacks, call.stack, &arena, &launch.frames);
        finding_add_launch(&finding, &launch, &arena);
    }
    session_report(session, &finding);
    arena_release(&arena);
}

/* ---- opening ---- */

static enum status open_output(struct session *session, struct error *error)
{
    struct session_output *output = alloc_zero(1, sizeof *output);
    if (!output)
        return error_no_memory(error, sizeof *output);
    session->output = output;
    const char *path = setting_value(SETTING_FINDINGS);
    const char *notes = getenv(PROCESS_NOTES);
    if (path[0] != '\0') {
        const enum status status = lines_open(path, &output->lines, error);
        if (status) {
            error_prefix(error, "findings cannot be written");
            return status;
        }
        output->process =
            own_process(session->spool ? spool_path(session->spool) : NULL, &output->arena);
        output->notes = notes ? arena_string(&output->arena, notes) : NULL;
        own_process_note(output->notes, &output->process, true);
    }
    if (path[0] == '\0' && !session->spool && !(output->report = report_create(NULL)))
        return error_no_memory(error, 0);
    output->stacks = stack_table_create();
    output->launches = launches_create();
    return output->stacks && output->launches ? STATUS_OK : error_no_memory(error, 0);
}

static enum status check_trace_settings(struct error *error)
{
    static const enum setting settings[] = {SETTING_CONTENTS, SETTING_CAPTURE_LAUNCHES,
                                            SETTING_KEEP_LAST, SETTING_MAX_SIZE};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < sizeof settings / sizeof *settings && status == STATUS_OK; i++) {
        const char *value = setting_value(settings[i]);
        if (value[0])
            status = setting_check(settings[i], value, error);
    }
    return status;
}

static enum status open_contents(struct session *session, struct error *error)
{
    const char *contents = setting_value(SETTING_CONTENTS);
    const bool wants_launches = strcmp(contents, "all") == 0 || strcmp(contents, "hashes") == 0;
    if (strcmp(contents, "none") == 0)
        return STATUS_OK;
    if (!(session->live = live_create(wants_launches)) ||
        !(session->contents = contents_create(session->spool, session->live)) ||
        !(session->found = own_memory_create()) ||
        (wants_launches &&
         !(session->launch_memory = launch_memory_create(session->spool, session->live))))
        return error_no_memory(error, 0);
    return STATUS_OK;
}

static enum status open_trace(struct session *session, struct error *error)
{
    const struct spool_options options = {.path = setting_value(SETTING_TRACE),
                                          .on_failure = spool_failed,
                                          .on_full = spool_is_full,
                                          .max_size = setting_size(setting_value(SETTING_MAX_SIZE)),
                                          .keep_last =
                                              setting_size(setting_value(SETTING_KEEP_LAST))};
    if (options.path[0] == '\0')
        return STATUS_OK;
    enum status status = check_trace_settings(error);
    if (status == STATUS_OK)
        status = spool_open(&options, &session->spool, error);
    if (status == STATUS_OK && inherited)
        spool_fact(session->spool, "forked", "yes");
    if (status == STATUS_OK)
        status = open_contents(session, error);
    if (status == STATUS_OK)
        status = range_create(session, &session->range, error);
    if (status == STATUS_OK && setting_is_set(SETTING_PROFILE) &&
        !(session->profile = profile_create(session->spool, session->range)))
        status = error_no_memory(error, 0);
    return status;
}

static enum status open_checker(struct session *session, const struct checks *checks,
                                struct error *error)
{
    if (!checks_has_any(checks, RULE_WHERE_HOST))
        return STATUS_OK;
    const struct host_options options = {
        .checks = *checks,
        .late = inherited != NULL,
        .forked = inherited != NULL,
        .fail_calls = setting_is_set(SETTING_FAIL_CALLS),
        .report = report_call,
        .report_user = session,
        .capture_stack = stack_capture,
        .describe_stack = stack_describe,
        .stack_user = session->output->stacks,
        .alone = alone_in_process,
        .alone_user = session,
        .descriptor_find = descriptors_find,
        .descriptor_mark = descriptors_mark,
        .gl_ask = gl_ask,
        .answer_size = driver_queries_answer_size,
        .lists_format = driver_queries_lists_format,
        .build_log = driver_ask_build_log,
        .watch = HOST_WATCH_TRANSFERS | HOST_WATCH_POINTERS | HOST_WATCH_SVM | HOST_WATCH_FREES,
        .watch_whole = watch_whole_parts(),
        .digest = watch_digest,
        .lend = frees_watch,
    };
    session->checker = host_checker_create(&options);
    return session->checker ? STATUS_OK : error_no_memory(error, 0);
}

static enum status open_guards(struct session *session, const struct checks *checks,
                               struct error *error)
{
    const struct guards_options options = {.checks = *checks,
                                           .report = report_call,
                                           .report_user = session,
                                           .stacks = session->output->stacks};
    if (!setting_is_set(SETTING_WATCH_MAPS))
        return STATUS_OK;
    faults_set_limit(strtoull(setting_value(SETTING_WATCH_MAPS_MEMORY), NULL, 10) << 20);
    session->guards = guards_create(&options);
    return session->guards ? STATUS_OK : error_no_memory(error, 0);
}

static void session_destroy(struct session *session)
{
    if (!session)
        return;
    host_checker_destroy(session->checker);
    guards_destroy(session->guards);
    if (session->output) {
        lines_close(session->output->lines);
        report_destroy(session->output->report);
        stack_table_destroy(session->output->stacks);
        launches_destroy(session->output->launches);
        arena_release(&session->output->arena);
        alloc_free(session->output);
    }
    contents_destroy(session->contents);
    own_memory_destroy(session->found);
    launch_memory_destroy(session->launch_memory);
    range_destroy(session->range);
    probes_destroy(session->probes);
    profile_destroy(session->profile);
    kernel_facts_destroy(session->kernel_facts);
    live_destroy(session->live);
    spool_close(session->spool);
    alloc_free(session);
}

/* A session that has nothing to do is not a failure: *session stays NULL. */
static enum status session_open(struct session **result, struct error *error)
{
    struct session *session = alloc_aligned(_Alignof(struct session), sizeof *session);
    struct checks checks = {0};
    if (session)
        memset(session, 0, sizeof *session);
    enum status status = session ? STATUS_OK : error_no_memory(error, sizeof *session);
    if (status == STATUS_OK)
        status = checks_parse(setting_value(SETTING_CHECKS), &checks, error);
    if (status == STATUS_OK)
        status = open_trace(session, error);
    if (status == STATUS_OK)
        spool_fact(session->spool, "checks", setting_value(SETTING_CHECKS));
    if (status == STATUS_OK)
        status = open_output(session, error);
    if (status == STATUS_OK)
        status = open_checker(session, &checks, error);
    if (status == STATUS_OK)
        status = open_guards(session, &checks, error);
    if (status == STATUS_OK)
        session->shuffles_callbacks = setting_is_set(SETTING_SHUFFLE_CALLBACKS);
    if (status == STATUS_OK && (session->spool || session->checker || session->shuffles_callbacks ||
                                setting_is_set(SETTING_PROBES))) {
        session->kernel_facts = kernel_facts_create();
        if (setting_is_set(SETTING_PROBES) &&
            (session->live || (session->live = live_create(false))))
            session->probes = probes_create(session->live, session_take_finding, session);
        session->generation = ++generations;
        session->inherited = inherited;
        *result = session;
        return STATUS_OK;
    }
    session_destroy(session);
    return status;
}

/* In the child only the forking thread lives on; the parent's session is not ours to use or to
 * free. */
static void forked(void)
{
    pthread_mutex_init(&opening, NULL);
    atomic_store(&watch_checker, NULL);
    struct session *parents = atomic_exchange(&current, NULL);
    if (parents)
        inherited = parents;
    if (atomic_load(&session_state) == SESSION_ACTIVE)
        atomic_store(&session_state, SESSION_UNOPENED);
    layer_thread_forked();
}

/* Exit handlers run in reverse order: after this one come those that the program registered before
 * it first called OpenCL, and destructors of what it made before. */
static void exiting(void)
{
    struct layer_thread *thread = layer_thread_get();
    struct session *session = atomic_load(&current);
    if (thread)
        thread->exiting = true;
    if (!thread || !session || session_is_passive())
        return;
    layer_thread_enter(thread);
    if (session->profile)
        profile_finish(session->profile);
    const bool all = !session->probes || probes_finish(session->probes);
    layer_thread_leave(thread);
    if (!all)
        session_leave_word(SEVERITY_WARNING,
                           "kernels were still running when the program ended: what they "
                           "reported after that was not read");
}

static struct session *open_once(void)
{
    static bool watches_forks;
    static bool watches_exit;
    struct session *session = NULL;
    struct error error;
    pthread_mutex_lock(&opening);
    if (atomic_load(&session_state) == SESSION_UNOPENED) {
        if (!watches_forks)
            watches_forks = pthread_atfork(NULL, NULL, forked) == 0;
        if (!watches_exit)
            watches_exit = atexit(exiting) == 0;
        in_flight_open();
        if (session_open(&session, &error) != STATUS_OK)
            become_passive(&error);
        else
            atomic_store(&session_state, session ? SESSION_ACTIVE : SESSION_PASSIVE);
        atomic_store(&current, session);
        atomic_store(&watch_checker, session ? session->checker : NULL);
    }
    session = session_is_passive() ? NULL : atomic_load(&current);
    pthread_mutex_unlock(&opening);
    return session;
}

struct session *session_get(void)
{
    struct session *session = atomic_load_explicit(&current, memory_order_acquire);
    if (session_is_passive())
        return NULL;
    return session ? session : open_once();
}

bool session_is_inherited(const struct session *session)
{
    return atomic_load_explicit(&current, memory_order_relaxed) != session;
}

uint32_t session_thread_number(struct session *session, struct layer_thread *thread)
{
    if (thread->session != session->generation) {
        thread->session = session->generation;
        thread->number = (uint32_t)atomic_fetch_add(&session->thread_count, 1) + 1;
        thread->calls_left = 0;
        thread->in_flight = in_flight_take(thread->number);
        spool_thread_begin(session->spool);
    }
    return thread->number;
}

void session_note_place(const struct session *session, const struct layer_thread *thread)
{
    if (thread->in_flight)
        in_flight_note_stack(thread->in_flight, session->output->stacks);
}

uint64_t session_call_number(struct session *session, struct layer_thread *thread)
{
    enum { PORTION = 64 };
    if (session->spool)
        return atomic_fetch_add_explicit(&session->call_count, 1, memory_order_relaxed) + 1;
    if (thread->calls_left == 0) {
        thread->call =
            atomic_fetch_add_explicit(&session->call_count, PORTION, memory_order_relaxed);
        thread->calls_left = PORTION;
    }
    thread->calls_left--;
    return ++thread->call;
}

/* ---- the end ---- */

/* Does the call change nothing that a rule would have to know of? */
static bool only_asks(uint32_t entry)
{
    const struct api_entry_info *info = api_entry_get(entry);
    return (info->flags & API_ENTRY_ASKS) && info->return_role == API_ROLE_STATUS;
}

void session_note_interruption(uint32_t entry)
{
    const struct session *session = atomic_load(&current);
    atomic_fetch_add(&interruptions, 1);
    if (only_asks(entry))
        return;
    atomic_store(&interruption_changed, true);
    if (session && session->checker)
        host_checker_stop(session->checker);
}

/* What no rule can have looked at. */
static void tell_unchecked(struct session *session)
{
    const uint64_t failed = atomic_load(&session->failed_builds);
    const uint64_t count = atomic_load(&interruptions);
    if (failed)
        session_leave_word(SEVERITY_WARNING,
                           "%" PRIu64 " build%s for the reference device failed: the kernels of "
                           "such a program were not checked",
                           failed, failed == 1 ? "" : "s");
    if (count)
        session_leave_word(
            SEVERITY_WARNING,
            "%" PRIu64 " call%s of a signal handler that interrupted clerk went to "
            "the driver, and %s neither recorded nor checked%s",
            count, count == 1 ? "" : "s", count == 1 ? "was" : "were",
            atomic_load(&interruption_changed) ? "; nor was any call after them checked" : "");
}

/* A recording that was to begin later than the program. */
static void tell_not_begun(const struct session *session)
{
    const char *hindrance = range_hindrance(session->range);
    if (hindrance)
        session_leave_word(SEVERITY_WARNING, "the recording never began: %s", hindrance);
}

/* What the program does with its memory is partly not to be seen. */
static void tell_unwatched(struct session *session)
{
    const bool maps = atomic_load(&session->maps_unwatched);
    const bool reads = atomic_load(&session->reads_unwatched);
    if (session->checker && (maps || reads))
        session_leave_word(SEVERITY_NOTE, "not watched: %s%s%s",
                           maps ? "mapped pointers (--watch-maps watches them)" : "",
                           maps && reads ? ", and " : "",
                           reads ? "what clEnqueueReadBuffer and the like read until the program "
                                   "waits for it"
                                 : "");
}

static void leave_sentence(void *user, const char *sentence)
{
    (void)user;
    session_leave_word(SEVERITY_NOTE, "%s", sentence);
}

/* Which launches of the reference device the user did not want checked. */
static void tell_left_out(struct session *session)
{
    sink_left_out_function *device = atomic_load(&session->left_out);
    if (device)
        device(leave_sentence, NULL);
}

/* Which kernels the driver ran with checks. */
static void tell_probes(struct session *session)
{
    struct text text = TEXT_INIT;
    if (session->probes && probes_summary(session->probes, &text))
        session_leave_word(SEVERITY_NOTE, "%s", text.bytes);
    text_release(&text);
}

/* Where memory ran out, findings may be missing. */
static void tell_lack_of_memory(const struct session *session)
{
    static const char sentence[] = "memory ran out while the program was observed: not all of it "
                                   "was checked or recorded";
    sink_memory_function *device = atomic_load(&session->lacks_memory);
    if (!alloc_has_failed() && !(device && device()))
        return;
    if (session->output->report)
        report_add_gap(session->output->report,
                       &(struct report_gap){.sentence = sentence, .severity = SEVERITY_ERROR});
    session_leave_word(SEVERITY_ERROR, "%s", sentence);
}

/* Which commands have no times though all were to have them. */
static void tell_untimed(const struct session *session)
{
    const struct profile_gaps gaps =
        session->profile ? profile_gaps(session->profile) : (struct profile_gaps){0};
    if (session->profile && setting_is_set(SETTING_PROFILE_LINES))
        session_leave_word(SEVERITY_NOTE, "%s",
                           session->reference_platform
                               ? "kernels were interpreted, on one thread, to count what their "
                                 "lines execute"
                               : "what the lines of kernels execute is counted on clerk's own "
                                 "device alone (--device reference)");
    if (gaps.refused)
        session_leave_word(SEVERITY_NOTE, "a queue could not be made to profile: the times of its "
                                          "commands are not recorded");
    if (gaps.unended)
        session_leave_word(SEVERITY_NOTE,
                           "%" PRIu64 " command%s had not ended when the %s did: the times "
                           "are not recorded",
                           gaps.unended, gaps.unended == 1 ? "" : "s",
                           range_is_outside(session->range) ? "recording" : "program");
    if (gaps.excess)
        session_leave_word(SEVERITY_NOTE,
                           "the times of %" PRIu64 " commands are not recorded: too many others "
                           "were enqueued before they ended",
                           gaps.excess);
}

static void note_end(const struct session *session)
{
    in_flight_close();
    own_process_note(session->output->notes, &session->output->process, false);
}

void session_finish(void)
{
    pthread_mutex_lock(&opening);
    struct session *session = atomic_load(&current);
    const bool first = session && !session->finished;
    if (first)
        session->finished = true;
    pthread_mutex_unlock(&opening);
    if (first && session_is_passive())
        note_end(session);
    if (!first || session_is_passive())
        return;
    atomic_store(&watch_checker, NULL);
    kernel_facts_stop(session->kernel_facts);
    if (session->guards)
        guards_report(session->guards);
    if (session->checker)
        host_checker_finish(session->checker, other_call_comes());
    tell_unchecked(session);
    tell_not_begun(session);
    tell_unwatched(session);
    tell_left_out(session);
    tell_probes(session);
    tell_untimed(session);
    tell_lack_of_memory(session);
    note_end(session);
    struct report *report = session->output->report;
    if (report && standard_error_is_there() &&
        (!report_is_empty(report) || report_has_gap(report, SEVERITY_ERROR))) {
        struct text text = TEXT_INIT;
        report_print_text(report, isatty(STDERR_FILENO), 0, &text);
        visible_print(stderr, text.bytes, text.size);
        text_release(&text);
    }
    /* Other threads may still be in a call: the session stays, and if they record, its trace too.
     */
    if (!spool_close(session->spool))
        atomic_store(&session_state, SESSION_PASSIVE);
}
