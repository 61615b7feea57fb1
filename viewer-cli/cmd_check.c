/* clerk check: the rules about API calls over a recorded run. Calls are fed to the host checker as
 * the layer fed them: each when it began, with its input, and when it ended, with what came back.
 */
#include "checkers/host/host.h"
#include "trace/api/entry.h"
#include "trace/base/alloc.h"
#include "viewer-cli/reading.h"
#include "viewer-cli/reporting.h"
#include "viewer-cli/rows.h"
#include "viewer-cli/shard.h"
#include "viewer-cli/shortfall.h"
#include "viewer-cli/source_lines.h"

#include <CL/cl.h>
#include <string.h>
#include <unistd.h>

static const struct option_row check_options[] = {
    {"checks", 0, OPTION_TEXT, false, "GROUP|RULE,...|none",
     "the groups of rules, or rules, to check"},
    {"shard", 0, OPTION_TEXT, false, SHARD_VALUE,
     "of several traces every N-th, from the I-th on" SHARD_AUTO},
#include "viewer-cli/reporting_options.def"
};

/* A call that began and has not ended yet. */
struct open_call {
    struct api_call call;
    struct arena arena;
};

static void drop(struct open_call *open)
{
    arena_release(&open->arena);
    alloc_free(open);
}

/* Of one trace. */
struct check {
    struct trace *trace;
    struct host_checker *checker;
    const struct reporting *reporting;
    struct finding_process process; /* whose trace it is, if there are several; its strings in */
    struct arena arena;
    struct source_lines *lines;
    struct open_call **open;
    size_t open_count, open_capacity;
    struct rows *find_place;     /* of a call's stack */
    uint64_t call_id;            /* of the call that the checker is looking at */
    uint64_t reference_platform; /* clerk's own; 0 = not seen */
};

/* ---- stacks: the trace has those of calls with findings ---- */

static enum status prepare_stacks(struct check *check, struct error *error)
{
    /* Equal stacks have one number, that of the first call which has it. */
    static const char sql[] =
        "CREATE TEMP TABLE stack_place AS SELECT call,"
        "  first_value(call) OVER (PARTITION BY frames ORDER BY call) AS place FROM"
        "  (SELECT call, group_concat(frame, char(10)) AS frames FROM"
        "    (SELECT call, frame FROM stack ORDER BY call, depth) GROUP BY call);"
        "CREATE INDEX temp.stack_place_call ON stack_place (call)";
    const enum status status = rows_execute(check->trace, sql, error);
    return status ? status
                  : rows_open(check->trace, "SELECT place FROM temp.stack_place WHERE call = ?1",
                              &check->find_place, error);
}

/* A call without a stack is a place of its own. */
static uint64_t capture_stack(void *user)
{
    const struct check *check = user;
    enum status status = STATUS_OK;
    rows_bind_number(check->find_place, 1, (int64_t)check->call_id);
    const uint64_t place = rows_next(check->find_place, &status, NULL)
                               ? (uint64_t)rows_number(check->find_place, 0)
                               : check->call_id;
    rows_reset(check->find_place);
    return place;
}

static size_t describe_stack(void *user, uint64_t stack, struct arena *arena,
                             const char *const **result)
{
    const struct check *check = user;
    return reading_stack(check->trace, stack, arena, result);
}

static void take_finding(void *user, const struct finding *found)
{
    struct check *check = user;
    struct arena arena = {0};
    struct finding finding = *found;
    source_lines_add(check->lines, &finding, &arena);
    if (check->process.command) {
        finding.processes = &check->process;
        finding.process_count = 1;
    }
    report_add(check->reporting->report, &finding);
    arena_release(&arena);
}

/* ---- one call ---- */

/* As the call was when it began. */
static struct api_call without_output(const struct api_call *call)
{
    const struct api_entry_info *info = api_entry_get(call->entry);
    struct api_call begun = *call;
    begun.flags &= ~(uint32_t)(API_CALL_COMPLETED | API_CALL_BLOCKED | API_CALL_PASSES);
    begun.end_ns = 0;
    begun.result = (struct api_value){0};
    for (uint32_t i = 0; i < info->parameter_count && i < begun.argument_count; ++i) {
        struct api_value *value = &begun.arguments[i];
        if (info->parameters[i].flags & API_PARAMETER_OUT ||
            info->parameters[i].role == API_ROLE_INFO_VALUE)
            *value = (struct api_value){
                .kind = API_VALUE_POINTER, .present = value->present, .bits = value->bits};
    }
    return begun;
}

static const struct api_value *answer(const struct api_call *call, uint32_t entry, uint64_t name)
{
    const struct api_value *value = &call->arguments[API_clGetDeviceInfo_param_value];
    return call->entry == entry && call->arguments[API_clGetDeviceInfo_param_name].bits == name &&
                   value->kind == API_VALUE_BYTES
               ? value
               : NULL;
}
_Static_assert((int)API_clGetDeviceInfo_param_value == (int)API_clGetPlatformInfo_param_value &&
                   (int)API_clGetDeviceInfo_param_name == (int)API_clGetPlatformInfo_param_name,
               "both queries have their parameters in the same places");

/* The reference device judged its commands itself when it ran them. */
static void leave_reference(struct check *check, const struct api_call *call)
{
    static const char own_name[] = "clerk";
    const struct api_value *name = answer(call, API_ENTRY_clGetPlatformInfo, CL_PLATFORM_NAME);
    const struct api_value *platform = answer(call, API_ENTRY_clGetDeviceInfo, CL_DEVICE_PLATFORM);
    uint64_t handle;
    if (name && name->size == sizeof own_name && memcmp(name->data, own_name, name->size) == 0)
        check->reference_platform = call->arguments[API_clGetPlatformInfo_platform].bits;
    if (!platform || platform->size != sizeof handle)
        return;
    memcpy(&handle, platform->data, sizeof handle);
    if (handle && handle == check->reference_platform)
        host_checker_leave_device(check->checker, call->arguments[API_clGetDeviceInfo_device].bits);
}

/* A callback is not in the trace: from where it is asked for on, its command may have ended. */
static void note_callback(struct check *check, const struct api_call *call)
{
    if (call->entry == API_ENTRY_clSetEventCallback &&
        call->arguments[API_clSetEventCallback_command_exec_callback_type].bits == CL_COMPLETE)
        host_checker_command_ended(check->checker,
                                   call->arguments[API_clSetEventCallback_event].bits);
    if (call->entry == API_ENTRY_clSetMemObjectDestructorCallback)
        host_checker_command_ended(check->checker, 0);
}

static void end_call(struct check *check, const struct api_call *call)
{
    check->call_id = call->id;
    host_checker_end(check->checker, call);
    if (call->flags & API_CALL_SYNTHETIC)
        leave_reference(check, call);
    else
        note_callback(check, call);
}

/* ---- the order in which calls began and ended ---- */

/* Open calls are a heap: each ends no later than the two at twice its place, counted from 1. */
static bool ends_before(const struct open_call *a, const struct open_call *b)
{
    return a->call.end_ns != b->call.end_ns ? a->call.end_ns < b->call.end_ns
                                            : a->call.id < b->call.id;
}

static void push(struct check *check, struct open_call *open)
{
    size_t at = ++check->open_count;
    for (; at > 1 && ends_before(open, check->open[at / 2 - 1]); at /= 2)
        check->open[at - 1] = check->open[at / 2 - 1];
    check->open[at - 1] = open;
}

static struct open_call *pop(struct check *check)
{
    struct open_call *first = check->open[0];
    struct open_call *last = check->open[--check->open_count];
    size_t at = 1;
    for (size_t next = 2; next <= check->open_count; at = next, next *= 2) {
        if (next < check->open_count && ends_before(check->open[next], check->open[next - 1]))
            ++next;
        if (!ends_before(check->open[next - 1], last))
            break;
        check->open[at - 1] = check->open[next - 1];
    }
    check->open[at - 1] = last;
    return first;
}

/* Ends what had ended by then, the earliest first. */
static void end_calls(struct check *check, uint64_t time_ns)
{
    while (check->open_count && check->open[0]->call.end_ns <= time_ns) {
        struct open_call *ended = pop(check);
        end_call(check, &ended->call);
        drop(ended);
    }
}

static enum status take_call(struct check *check, struct open_call *open, struct error *error)
{
    struct host_verdict verdict;
    const struct api_call begun = without_output(&open->call);
    end_calls(check, open->call.begin_ns);
    check->call_id = begun.id;
    host_checker_begin(check->checker, &begun, &verdict);
    if (!(open->call.flags & API_CALL_COMPLETED)) {
        drop(open);
        return STATUS_OK;
    }
    void *grown =
        alloc_grow(check->open, check->open_count, &check->open_capacity, sizeof *check->open);
    if (!grown) {
        drop(open);
        return error_no_memory(error, sizeof *check->open);
    }
    check->open = grown;
    push(check, open);
    return STATUS_OK;
}

static enum status take_calls(struct check *check, struct error *error)
{
    const struct trace_filter filter = {.with_synthetic = true, .by_time = true};
    struct trace_cursor *cursor = NULL;
    bool found = true;
    enum status status = trace_calls(check->trace, &filter, &cursor, error);
    while (!status && found) {
        struct open_call *open = alloc_zero(1, sizeof *open);
        if (!open) {
            status = error_no_memory(error, sizeof *open);
            break;
        }
        status = trace_cursor_next(cursor, &open->arena, &open->call, &found, error);
        if (!status && found) {
            status = take_call(check, open, error);
            continue;
        }
        drop(open);
    }
    end_calls(check, UINT64_MAX);
    trace_cursor_destroy(cursor);
    return status;
}

/* ---- one trace ---- */

/* Findings of several traces tell which they are of. */
static enum status name_trace(struct check *check, const char *path, uint64_t number,
                              struct error *error)
{
    const char *command = trace_fact(check->trace, "command");
    check->process = (struct finding_process){
        .command = arena_string(&check->arena, command ? command : path),
        .trace = arena_string(&check->arena, path),
        .id = number,
    };
    return check->process.command && check->process.trace ? STATUS_OK
                                                          : error_no_memory(error, strlen(path));
}

static enum status open_check(struct check *check, const struct checks *checks, struct error *error)
{
    const enum status status = prepare_stacks(check, error);
    if (status)
        return status;
    check->lines = source_lines_create_for(NULL, check->trace, false);
    const bool forked = trace_fact(check->trace, "forked") != NULL;
    const struct host_options host = {.checks = *checks,
                                      .late = forked || trace_begins_after(check->trace) != 0,
                                      .forked = forked,
                                      .report = take_finding,
                                      .report_user = check,
                                      .capture_stack = capture_stack,
                                      .describe_stack = describe_stack,
                                      .stack_user = check,
                                      .watch = HOST_WATCH_TRANSFERS};
    check->checker = host_checker_create(&host);
    return check->checker ? STATUS_OK : error_no_memory(error, sizeof host);
}

static void add_gap(void *user, const char *sentence, enum severity severity)
{
    const struct check *check = user;
    struct arena arena = {0};
    reporting_add_gap(check->reporting, severity,
                      check->process.trace
                          ? arena_format(&arena, "%s: %s", check->process.trace, sentence)
                          : sentence);
    arena_release(&arena);
}

/* Only a program that ended by itself had the chance to release what it made. */
static void finish(struct check *check)
{
    shortfall_tell(check->trace, add_gap, check);
    if (shortfall_has_end(check->trace))
        host_checker_finish(check->checker, false);
    else
        add_gap(check,
                "what the program had not released was not looked for: the recording "
                "does not have its end",
                SEVERITY_NOTE);
}

/* `number`: of several traces, from 1; 0 = there is but one. */
static enum status check_trace(const struct reporting *reporting, const struct checks *checks,
                               const char *path, uint64_t number, struct error *error)
{
    struct check check = {.reporting = reporting};
    enum status status = reading_open(path, &check.trace, error);
    if (!status && number)
        status = name_trace(&check, path, number, error);
    if (!status)
        status = open_check(&check, checks, error);
    if (!status)
        status = take_calls(&check, error);
    if (!status)
        finish(&check);
    host_checker_destroy(check.checker);
    alloc_free(check.open);
    rows_close(check.find_place);
    source_lines_destroy(check.lines);
    trace_close(check.trace);
    arena_release(&check.arena);
    return status;
}

/* ---- the verb ---- */

/* One of several that cannot be checked does not keep the others from it. */
static void note_failure(const struct reporting *reporting, const struct error *failure)
{
    struct arena arena = {0};
    reporting_add_gap(reporting, SEVERITY_ERROR,
                      arena_format(&arena, "a trace was not checked: %s", failure->text));
    arena_release(&arena);
}

static enum status check_traces(const struct options *options, const struct reporting *reporting,
                                struct error *error)
{
    struct checks checks;
    struct shard shard;
    const char *given = options_text(options, "checks");
    const char *list = given ? given : "all,-deprecated";
    const size_t count = options_operand_count(options);
    enum status status = checks_parse(list, &checks, error);
    if (!status)
        status = shard_parse("check", options_text(options, "shard"), &shard, error);
    if (status)
        return status;
    reporting_note_checks(reporting, list, false);
    if (count == 1 && !shard.count)
        return check_trace(reporting, &checks, options_operand(options, 0), 0, error);
    report_show_processes(reporting->report);
    report_set_shard(reporting->report, shard.index, shard.count);
    if (shard.index > count)
        fprintf(stderr, "clerk check: shard %u/%u has no trace: nothing is checked\n", shard.index,
                shard.count);
    for (size_t i = 0; i < count; ++i) {
        struct error failure;
        if (shard_has(&shard, i) && check_trace(reporting, &checks, options_operand(options, i),
                                                i + 1, &failure) != STATUS_OK)
            note_failure(reporting, &failure);
    }
    return STATUS_OK;
}

static int run_check(const struct options *options)
{
    struct error error;
    struct reporting reporting = {0};
    struct text text = TEXT_INIT;
    if (!options_operand_count(options))
        return verb_usage(&verb_check, "which trace?");
    enum status status = reporting_open(options, &reporting, &error);
    if (!status)
        status = check_traces(options, &reporting, &error);
    if (!status) {
        reporting_print(&reporting, STDOUT_FILENO, &text);
        verb_print(&text);
        status = reporting_write(&reporting, &error);
    }
    const int result = status ? verb_fail(&verb_check, &error) : (int)reporting_verdict(&reporting);
    text_release(&text);
    reporting_close(&reporting);
    return verb_finish(&verb_check, result);
}

#define CHECKS_ALL(name)                                                                           \
    "there is no --" name ": all calls are judged, and no kernels; clerk run and clerk replay "    \
    "choose which launches are checked"
static const struct absent_option absent_options[] = {
    {"kernels", CHECKS_ALL("kernels")},
    {"launches", CHECKS_ALL("launches")},
    {"sample", CHECKS_ALL("sample")},
    {"time-limit", CHECKS_ALL("time-limit")},
    {"skip", CHECKS_ALL("skip")},
    {"count", CHECKS_ALL("count")},
    {NULL, NULL},
};

const struct verb verb_check = {
    .name = "check",
    .synopsis = "TRACE... [options]",
    .summary = "apply the rules about API calls to recorded runs",
    .options = check_options,
    .option_count = sizeof check_options / sizeof *check_options,
    .absent = absent_options,
    .help =
        "Judges the calls of a trace by the rules of this clerk, without a driver: also of a run\n"
        "that was recorded with --checks none, or by an older clerk. Rules that look at the\n"
        "program's memory, or at kernels while they execute, are not among them; what is\n"
        "deprecated is told with --checks all or --checks deprecated. Of several traces\n"
        "equal findings are one, with the traces that have it; clerk report makes one report of\n"
        "those of all shards.\n\n"
        "Exit status: 0 nothing found, 1 errors were found (--fail-on), 2 could not check.\n",
    .examples = "  clerk check app.db\n"
                "  clerk check app.db --checks race --report r.sarif\n"
                "  clerk check *.db --shard 2/8 --max-per-rule 0 --report 2.json\n"
                "  clerk report [1-8].json\n",
    .run = run_check,
};
