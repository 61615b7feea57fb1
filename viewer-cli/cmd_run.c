/* clerk run: starts a program under the layer and reports what was found. The program's standard
 * streams are its own; all that clerk says goes to standard error when the program has ended. */
#include "viewer-cli/cmd_run.h"
#include "checkers/checks.h"
#include "checkers/finding.h"
#include "checkers/probe/captured.h"
#include "checkers/process_notes.h"
#include "trace/api/entry.h"
#include "trace/api/in_flight.h"
#include "trace/api/program_texts.h"
#include "trace/api/settings.h"
#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/scratch.h"
#include "trace/base/visible.h"
#include "trace/claim.h"
#include "trace/debug/handover.h"
#include "trace/reader.h"
#include "viewer-cli/child.h"
#include "viewer-cli/confirm/confirm.h"
#include "viewer-cli/confirm/judged_trace.h"
#include "viewer-cli/debug/debugging.h"
#include "viewer-cli/drivers.h"
#include "viewer-cli/finding_lines.h"
#include "viewer-cli/in_flight.h"
#include "viewer-cli/origin/search_roots.h"
#include "viewer-cli/processes.h"
#include "viewer-cli/recording_options.h"
#include "viewer-cli/reporting.h"
#include "viewer-cli/source_lines.h"
#include "viewer-cli/verb.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

enum { FINDINGS_EXIT_STATUS = 99 };

#define OPTION_KIND_FLAG        OPTION_FLAG
#define OPTION_KIND_WORD        OPTION_TEXT
#define OPTION_KIND_LIST        OPTION_TEXT
#define OPTION_KIND_RANGE       OPTION_TEXT
#define OPTION_KIND_REGEX       OPTION_TEXT
#define OPTION_KIND_FRACTION    OPTION_TEXT
#define OPTION_KIND_NUMBER      OPTION_TEXT
#define OPTION_KIND_WHEN        OPTION_TEXT
#define OPTION_KIND_SIGNAL      OPTION_TEXT
#define OPTION_KIND_SIZE        OPTION_TEXT
#define OPTION_KIND_PATH        OPTION_TEXT
#define OPTION_KIND_PERSONALITY OPTION_TEXT

static const struct option_row run_options[] = {
    {"device", 0, OPTION_WORD, false, "system|reference",
     "let the program see the system's devices (default), or clerk's reference device alone "
     "(default with --personality)"},
    {"via", 0, OPTION_WORD, false, "layer|preload",
     "how clerk gets between program and driver: OPENCL_LAYERS, or LD_PRELOAD (default where the "
     "loader knows no layers)"},
    SEARCH_ROOTS_OPTION,
    {"debug", 0, OPTION_FLAG, false, NULL,
     "stop in kernels, on the reference device, and look at them with the commands of clerk debug"},
    {"break", 0, OPTION_TEXT, false, "[FILE:]LINE|FUNCTION",
     "with --debug: where to stop first; otherwise where the first kernel begins"},
    {"batch", 0, OPTION_TEXT, false, "FILE",
     "with --debug: do the commands in FILE, or for - those on standard input"},
    {"error-exitcode", 0, OPTION_NUMBER, false, "N",
     "the exit status for findings when the program's own is 0 (99)"},
#include "viewer-cli/reporting_options.def"
#define SETTING(symbol, setting_name, variable, setting_kind, initial, values, setting_help)       \
    {.name = setting_name,                                                                         \
     .letter = SETTING_##symbol == SETTING_TRACE ? 'o' : 0,                                        \
     .kind = OPTION_KIND_##setting_kind,                                                           \
     .value = values,                                                                              \
     .help = setting_help},
#include "trace/api/settings.def"
};

struct run {
    const struct options *options;
    struct reporting reporting;
    const char *trace;                 /* NULL = none asked for */
    struct reservation *reservation;   /* of its name */
    int debugger;                      /* the socket to one, until it is offered; -1 = none */
    struct debug_handover handover;    /* of that socket */
    char *findings;                    /* the file in which layer and device leave their findings */
    struct scratch findings_file;      /* that, if the user named none */
    struct scratch texts;              /* of programs: the directory for program_text_keep */
    struct confirmation *confirmation; /* NULL = kernels run as they are */
    struct calls_in_flight *in_flight;
    bool findings_has_lines;    /* anything */
    size_t broken_count;        /* lines of the file that are not findings */
    struct scratch notes_file;  /* in which processes say that they began and ended */
    struct processes processes; /* that did */
    char **environment;         /* of the program; each string ours or the process's */
    struct arena arena;         /* the strings that are ours */
    struct child child;         /* the program's process */
};

/* ---- before ---- */

/* Replaces or adds NAME=VALUE; a NULL value removes. */
static enum status set_variable(void *context, const char *name, const char *value,
                                struct error *error)
{
    struct run *run = context;
    const size_t length = strlen(name);
    char *setting = NULL;
    if (value) {
        setting = arena_format(&run->arena, "%s=%s", name, value);
        if (!setting)
            return error_no_memory(error, length + strlen(value) + 2);
    }
    size_t kept = 0;
    size_t count = 0;
    for (; run->environment[count]; ++count)
        if (strncmp(run->environment[count], name, length) != 0 ||
            run->environment[count][length] != '=')
            run->environment[kept++] = run->environment[count];
    if (setting)
        run->environment[kept++] = setting;
    run->environment[kept] = NULL;
    return STATUS_OK;
}

/* Puts our library after those that a list variable names already: nearest to the program. */
static enum status add_library(struct run *run, const char *variable, const char *file,
                               struct error *error)
{
    char *library = verb_own_path(file);
    const char *before = getenv(variable);
    enum status status = STATUS_OK;
    char *list = NULL;
    if (!library) {
        status = error_no_memory(error, 0);
        goto out;
    }
    if (!file_exists(library)) {
        status = error_set(error, STATUS_NOT_FOUND, "clerk's library '%s' is missing", library);
        goto out;
    }
    list = before && *before ? alloc_format("%s:%s", before, library) : alloc_string(library);
    status = list ? set_variable(run, variable, list, error)
                  : error_no_memory(error, strlen(library) + 1);
out:
    alloc_free(list);
    alloc_free(library);
    return status;
}

static enum status choose_settings(struct run *run, struct error *error)
{
    const struct option_row *row;
    const char *value;
    for (size_t i = 0; options_given(run->options, i, &row, &value); ++i) {
        const enum setting setting = setting_find(row->name);
        if (setting == SETTING_COUNT || setting == SETTING_TRACE || setting == SETTING_FINDINGS)
            continue;
        enum status status = STATUS_OK;
        if (row->kind != OPTION_FLAG)
            status = setting_check(setting, value, error);
        if (!status && setting == SETTING_CHECKS) {
            struct checks checks;
            status = checks_parse(value, &checks, error);
        }
        if (!status)
            status = set_variable(run, setting_get(setting)->variable, value ? value : "1", error);
        if (status)
            return status;
    }
    return STATUS_OK;
}

/* The program may change its directory before its first OpenCL call. */
static char *absolute_path(const char *path)
{
    char directory[4096];
    return getcwd(directory, sizeof directory) ? path_join(directory, path) : alloc_string(path);
}

/* pyopencl keeps binaries of programs between runs; a run that loads one has no source, replays on
 * no other device, has no checked copies of its programs, and shows no variables to the debugger.
 */
static enum status want_sources(struct run *run, struct error *error)
{
    return getenv("PYOPENCL_NO_CACHE") ? STATUS_OK
                                       : set_variable(run, "PYOPENCL_NO_CACHE", "1", error);
}

static enum status choose_trace(struct run *run, struct error *error)
{
    run->trace = options_text(run->options, "trace");
    if (!run->trace)
        return STATUS_OK;
    if (!*run->trace)
        return error_set(error, STATUS_INVALID, "--trace names no file, but ''");
    char *path = absolute_path(run->trace);
    char *directory = path ? path_directory(path) : NULL;
    enum status status = STATUS_OK;
    if (!path || !directory)
        status = error_no_memory(error, strlen(run->trace) + 1);
    else if (access(directory, W_OK) != 0)
        status = error_set_errno(error, "cannot write a trace in '%s'", directory);
    if (!status)
        status = claim_reserve(run->trace, &run->reservation, error);
    if (!status)
        status = claim_remove(run->trace, error);
    if (!status)
        status = set_variable(run, setting_get(SETTING_TRACE)->variable, path, error);
    if (!status)
        status = want_sources(run, error);
    alloc_free(directory);
    alloc_free(path);
    return status;
}

static enum status choose_findings(struct run *run, struct error *error)
{
    const char *given = options_text(run->options, "findings");
    int descriptor;
    enum status status = given ? STATUS_OK : scratch_make_file(&run->findings_file, error);
    if (status)
        return status;
    run->findings = given ? absolute_path(given) : alloc_string(run->findings_file.path);
    if (!run->findings)
        return error_no_memory(error, 64);
    status = file_open_private(AT_FDCWD, run->findings, O_WRONLY | O_CREAT | O_TRUNC, run->findings,
                               &descriptor, NULL, error);
    if (status)
        return status;
    close(descriptor);
    status = set_variable(run, setting_get(SETTING_FINDINGS)->variable, run->findings, error);
    if (!status)
        status = scratch_make_file(&run->notes_file, error);
    return status ? status : set_variable(run, PROCESS_NOTES, run->notes_file.path, error);
}

/* Without room for texts clerk does not find the files that kernels are from; the run goes on. */
static enum status choose_texts(struct run *run, struct error *error)
{
    const char *path =
        scratch_make_directory(&run->texts, NULL) == STATUS_OK ? run->texts.path : NULL;
    return set_variable(run, PROGRAM_TEXTS_DIRECTORY, path, error);
}

/* Launches that the layer is to keep for the reference device. */
static enum status choose_confirmation(struct run *run, struct error *error)
{
    if (!options_has(run->options, "probes") && !setting_is_set(SETTING_PROBES))
        return STATUS_OK;
    enum status status = confirmation_create(&run->confirmation, error);
    if (!status)
        status =
            set_variable(run, CAPTURED_DIRECTORY, confirmation_directory(run->confirmation), error);
    return status ? status : want_sources(run, error);
}

/* Of the two devices only ours has a personality. */
static bool wants_reference(const struct options *options)
{
    const char *device = options_text(options, "device");
    return device ? strcmp(device, "reference") == 0 : options_has(options, "personality");
}

static enum status choose_debugger(struct run *run, struct error *error)
{
    const int socket = run->debugger;
    if (socket < 0)
        return STATUS_OK;
    run->debugger = -1;
    enum status status = debug_handover_offer(&run->handover, socket, error);
    if (!status)
        status = set_variable(run, DEBUG_HANDOVER_VARIABLE, run->handover.path, error);
    return status ? status : want_sources(run, error);
}

/* Without room for the file clerk cannot say which calls did not return; the run goes on. */
static enum status choose_calls_in_flight(struct run *run, struct error *error)
{
    const char *path = calls_in_flight_create(&run->in_flight, NULL) == STATUS_OK
                           ? calls_in_flight_path(run->in_flight)
                           : NULL;
    return set_variable(run, IN_FLIGHT_FILE, path, error);
}

static enum status prepare(struct run *run, struct error *error)
{
    enum { VARIABLES_ADDED = SETTING_COUNT + 12 };
    size_t count = 0;
    while (environ[count])
        ++count;
    run->environment = alloc_zero(count + VARIABLES_ADDED, sizeof *run->environment);
    if (!run->environment)
        return error_no_memory(error, count * sizeof *run->environment);
    memcpy(run->environment, environ, count * sizeof *run->environment);
    const char *via = options_text(run->options, "via");
    enum status status = STATUS_OK;
    if (via ? strcmp(via, "preload") == 0 : drivers_know_no_layers(run->environment))
        status = add_library(run, "LD_PRELOAD", "lib/clerk/libclerk_preload.so", error);
    else
        status = add_library(run, "OPENCL_LAYERS", "lib/clerk/libclerk_layer.so", error);
    if (!status && wants_reference(run->options))
        status = drivers_choose_reference(set_variable, run, error);
    if (!status && (wants_reference(run->options) || options_has(run->options, "trace")))
        status = drivers_add_heap(run->environment, set_variable, run, error);
    if (!status)
        status = choose_settings(run, error);
    if (!status)
        status = choose_trace(run, error);
    if (!status)
        status = choose_findings(run, error);
    if (!status)
        status = choose_texts(run, error);
    if (!status)
        status = choose_confirmation(run, error);
    if (!status)
        status = choose_calls_in_flight(run, error);
    if (!status)
        status = choose_debugger(run, error);
    return status;
}

/* ---- afterwards ---- */

struct collector {
    struct run *run;
    struct source_lines *lines;
    struct judged_trace *judged; /* NULL = findings are as they were recorded */
    void (*look)(struct confirmation *confirmation, const struct finding *finding);
};

static struct process_naming naming_of(const struct run *run)
{
    return (struct process_naming){.started = (uint64_t)run->child.id,
                                   .directory = run->reporting.style.directory};
}

static void name_processes(const struct run *run, struct finding *finding, struct arena *arena)
{
    const struct process_naming naming = naming_of(run);
    struct finding_process *processes =
        arena_copy(arena, finding->processes, finding->process_count * sizeof *processes);
    for (size_t i = 0; processes && i < finding->process_count; ++i)
        process_name(&naming, &processes[i]);
    if (processes)
        finding->processes = processes;
}

/* A sentence that more than explains says whose it is, where there are several: "... (./app)". */
static void collect_sentence_of(const struct run *run, const struct finding_unchecked *unchecked,
                                struct arena *arena)
{
    const struct process_naming naming = naming_of(run);
    struct finding_process process = unchecked->process;
    const char *sentence = unchecked->why;
    if (unchecked->severity > SEVERITY_NOTE && process.command &&
        processes_are_several(&run->processes)) {
        process_name(&naming, &process);
        sentence = arena_format(arena, "%s (%s)", unchecked->why, process.command);
    }
    reporting_add_gap(&run->reporting, unchecked->severity, sentence ? sentence : unchecked->why);
}

/* The command line that shows what was found under another schedule than the program ran under. */
static const char *repeat_line(const struct run *run, const char *schedule, struct arena *arena)
{
    static const char *const left_out[] = {"trace", "findings", "schedule", "schedules"};
    const struct option_row *row;
    const char *value;
    struct text text = TEXT_INIT;
    text_format(&text, "clerk run --schedule %s", schedule);
    for (size_t i = 0; options_given(run->options, i, &row, &value); ++i) {
        bool repeats = strcmp(row->name, "device") == 0 || strcmp(row->name, "via") == 0 ||
                       setting_find(row->name) != SETTING_COUNT;
        for (size_t k = 0; k < sizeof left_out / sizeof *left_out; ++k)
            repeats &= strcmp(row->name, left_out[k]) != 0;
        if (!repeats)
            continue;
        text_format(&text, " --%s", row->name);
        if (row->kind != OPTION_FLAG) {
            text_append_char(&text, ' ');
            text_append_shell(&text, value);
        }
    }
    text_append(&text, " --");
    for (char **words = options_operands(run->options); *words; ++words) {
        text_append_char(&text, ' ');
        text_append_shell(&text, *words);
    }
    const char *line = text.failed ? NULL : arena_string(arena, text.bytes);
    text_release(&text);
    return line;
}

/* Takes one line: a finding, or an observer's word of what it did not check. A line that is neither
 * (a killed process may leave half of the last) is counted. */
static void collect_line(void *user, struct finding_line *line, struct arena *arena)
{
    const struct collector *collector = user;
    struct run *run = collector->run;
    struct finding *finding = &line->finding;
    run->findings_has_lines = true;
    if (line->kind == FINDING_LINE_UNCHECKED) {
        collect_sentence_of(run, &line->unchecked, arena);
    } else if (line->kind == FINDING_LINE_FINDING) {
        name_processes(run, finding, arena);
        if (finding->schedule && !finding->repeat)
            finding->repeat = repeat_line(run, finding->schedule, arena);
        if (!run->confirmation || confirmation_judge(run->confirmation, finding, arena)) {
            judged_trace_add(collector->judged, finding);
            source_lines_add(collector->lines, finding, arena);
            report_add(run->reporting.report, finding);
        }
    } else {
        ++run->broken_count;
    }
}

/* For a confirmation, which looks at all findings before it judges one. */
static void look_at_line(void *user, struct finding_line *line, struct arena *arena)
{
    const struct collector *collector = user;
    (void)arena;
    if (line->kind == FINDING_LINE_FINDING)
        collector->look(collector->run->confirmation, &line->finding);
}

static void collect_more(void *user, const struct finding *finding)
{
    const struct collector *collector = user;
    struct finding more = *finding;
    struct arena arena = {0};
    judged_trace_add(collector->judged, finding);
    source_lines_add(collector->lines, &more, &arena);
    report_add(collector->run->reporting.report, &more);
    arena_release(&arena);
}

static void collect_sentence(void *user, const char *sentence)
{
    const struct run *run = user;
    reporting_add_gap(&run->reporting, SEVERITY_WARNING, sentence);
}

/* The trace of several processes' runs has the findings of one of them, as it was recorded. */
static struct judged_trace *open_judged(const struct run *run)
{
    struct judged_trace *judged = NULL;
    struct error error;
    if (run->confirmation && run->trace && file_exists(run->trace) &&
        !processes_are_several(&run->processes) &&
        judged_trace_open(run->trace, &judged, &error) != STATUS_OK)
        visible_tell("clerk: %s\n", error.text);
    return judged;
}

static void close_judged(struct judged_trace *judged)
{
    struct error error;
    if (judged_trace_close(judged, &error) != STATUS_OK)
        visible_tell("clerk: %s\n", error.text);
}

static enum status collect(struct run *run, struct error *error)
{
    struct finding_lines lines;
    const struct process_naming naming = naming_of(run);
    enum status status = processes_read(run->notes_file.path, &naming, &run->processes, error);
    if (!status)
        status = finding_lines_read(run->findings, &lines, error);
    if (status)
        return status;
    if (processes_are_several(&run->processes))
        report_show_processes(run->reporting.report);
    struct collector collector = {
        .run = run,
        .lines = source_lines_create(
            kernel_files_create(run->options, options_operands(run->options), run->texts.path))};
    if (run->confirmation) {
        collector.look = confirmation_count;
        finding_lines_each(&lines, look_at_line, &collector);
        confirmation_perform(run->confirmation, run->environment);
        collector.look = confirmation_compare;
        finding_lines_each(&lines, look_at_line, &collector);
    }
    collector.judged = open_judged(run);
    finding_lines_each(&lines, collect_line, &collector);
    if (run->confirmation) {
        confirmation_each_more(run->confirmation, collect_more, &collector);
        confirmation_each_running(run->confirmation, collect_sentence, run);
    }
    close_judged(collector.judged);
    source_lines_destroy(collector.lines);
    finding_lines_release(&lines);
    return STATUS_OK;
}

/* Did a call of the program reach the layer? A loader that knows of no layers is silent too. */
static bool saw_calls(const struct run *run)
{
    return run->processes.count || run->findings_has_lines ||
           (run->trace && file_exists(run->trace));
}

/* Where the program was when a signal ended it. */
static void tell_signal(const struct run *run)
{
    if (run->child.signal)
        visible_tell("clerk: the program was ended by signal %d (%s)\n", run->child.signal,
                     strsignal(run->child.signal));
    if (run->in_flight && calls_in_flight_tell(run->in_flight, (uint32_t)run->child.id) == 0 &&
        run->child.signal && saw_calls(run))
        visible_tell("clerk: no OpenCL call was under way\n");
}

/* A number may also be that of another run's trace, which was asked for by that name. */
static bool is_of_run(const struct run *run, unsigned number, struct trace *trace)
{
    const char *asked_for = trace_fact(trace, "asked_for");
    return number == 1 || (asked_for && strcmp(asked_for, path_base(run->trace)) == 0);
}

/* What was recorded, and by how many processes. Opening a trace recovers what a killed program
 * left. */
static void tell_trace(const struct run *run)
{
    for (unsigned number = 1;; ++number) {
        char *path = claim_numbered_path(run->trace, number);
        struct trace *trace = NULL;
        struct error error;
        uint64_t count = 0;
        if (!path || !file_exists(path)) {
            alloc_free(path);
            break;
        }
        enum status status = trace_open(path, &trace, &error);
        if (!status)
            status = trace_count_calls(trace, NULL, &count, &error);
        struct text text = TEXT_INIT;
        const char *command = processes_are_several(&run->processes)
                                  ? processes_find_trace(&run->processes, path)
                                  : NULL;
        print_count(count, &text);
        if (status)
            visible_tell("clerk: %s\n", error.text);
        else if (is_of_run(run, number, trace))
            visible_tell("clerk: %s call%s recorded in %s%s%s%s\n", text.bytes,
                         count == 1 ? "" : "s", path, command ? ", of " : "",
                         command ? command : "",
                         trace_is_live(trace) ? ", by a process that is still running" : "");
        text_release(&text);
        trace_close(trace);
        alloc_free(path);
    }
}

static int judge(const struct run *run)
{
    if (run->child.exit_status)
        return run->child.exit_status;
    if (alloc_has_failed())
        return verb_finish(&verb_run, VERB_OK);
    const enum verb_status verdict = reporting_verdict(&run->reporting);
    return verdict == VERB_FOUND
               ? (int)options_number(run->options, "error-exitcode", FINDINGS_EXIT_STATUS)
               : (int)verdict;
}

static void print_report(const struct run *run)
{
    struct text text = TEXT_INIT;
    if (alloc_has_failed())
        reporting_add_gap(&run->reporting, SEVERITY_ERROR,
                          "memory ran out: findings may be missing");
    reporting_print(&run->reporting, STDERR_FILENO, &text);
    if (!reporting_is_for_programs(&run->reporting))
        processes_print(&run->processes, &text);
    visible_print(stderr, text.bytes, text.size);
    text_release(&text);
}

/* Nothing came: for want of a driver, of a way into the program, or of OpenCL calls. */
static void tell_silence(const struct run *run)
{
    struct text sentence = TEXT_INIT;
    if (drivers_count_platforms(run->environment) == 0) {
        reporting_add_gap(
            &run->reporting, SEVERITY_ERROR,
            wants_reference(run->options)
                ? "the reference device cannot be loaded, so nothing was checked (see clerk "
                  "doctor)"
                : finding_no_driver);
        return;
    }
    text_format(&sentence, "no OpenCL call of the program came through clerk: none was checked%s ",
                run->trace ? " or recorded" : "");
    const char *program = options_operand(run->options, 0);
    if (!hindrance_describe(program, &sentence))
        text_append(&sentence, "(see clerk doctor)");
    reporting_add_gap(&run->reporting, SEVERITY_WARNING, sentence.bytes);
    text_release(&sentence);
}

/* Which of the processes had no chance to release what they made. */
static void tell_unended(const struct run *run)
{
    static const char sentence[] = " did not end by itself, but by a signal or _exit, or still "
                                   "runs: what it has not released was not looked for";
    struct text text = TEXT_INIT;
    for (size_t i = 0; i < run->processes.count; ++i) {
        const struct process_seen *seen = &run->processes.seen[i];
        if (seen->ended)
            continue;
        text_clear(&text);
        text_append(&text,
                    processes_are_several(&run->processes) ? seen->process.command : "the program");
        text_append(&text, sentence);
        reporting_add_gap(&run->reporting, SEVERITY_NOTE, text.bytes);
    }
    text_release(&text);
}

/* What the report cannot answer for. */
static void add_gaps(const struct run *run)
{
    if (run->broken_count) {
        struct text sentence = TEXT_INIT;
        text_format(&sentence, "%zu line%s of '%s' could not be read as findings",
                    run->broken_count, run->broken_count == 1 ? "" : "s", run->findings);
        reporting_add_gap(&run->reporting, SEVERITY_WARNING, sentence.bytes);
        text_release(&sentence);
    }
    if (!saw_calls(run)) {
        tell_silence(run);
        return;
    }
    const char *checks = options_text(run->options, "checks");
    reporting_note_checks(&run->reporting, checks ? checks : setting_value(SETTING_CHECKS),
                          wants_reference(run->options));
    tell_unended(run);
}

static enum status tell(struct run *run, struct error *error)
{
    enum status status = collect(run, error);
    if (status)
        return status;
    tell_signal(run);
    add_gaps(run);
    print_report(run);
    if (run->trace)
        tell_trace(run);
    return reporting_write(&run->reporting, error);
}

static int perform(const struct options *options, int debugger)
{
    struct run run = {.options = options, .debugger = debugger};
    struct error error;
    int result = VERB_FAILED;
    char **arguments = options_operands(options);
    if (!arguments[0])
        return verb_usage(&verb_run, "which program?");
    if (options_number(options, "error-exitcode", 0) > 255)
        return verb_usage(&verb_run, "--error-exitcode is a number from 0 to 255");
    const char *fault = recording_options_fault(options);
    if (fault)
        return verb_usage(&verb_run, "%s", fault);
    enum status status = search_roots_check(options, &error);
    if (!status)
        status = reporting_open(options, &run.reporting, &error);
    if (!status)
        status = prepare(&run, &error);
    if (!status)
        status = child_start(&run.child, arguments, run.environment, &error);
    if (!status)
        status = child_wait(&run.child, &error);
    if (!status)
        status = tell(&run, &error);
    result = status ? verb_fail(&verb_run, &error) : judge(&run);
    debug_handover_release(&run.handover);
    scratch_release(&run.findings_file);
    scratch_release(&run.notes_file);
    processes_release(&run.processes);
    scratch_release(&run.texts);
    confirmation_destroy(run.confirmation);
    calls_in_flight_destroy(run.in_flight);
    claim_drop(run.reservation);
    alloc_free(run.findings);
    alloc_free(run.environment);
    arena_release(&run.arena);
    reporting_close(&run.reporting);
    return result;
}

int run_debug(int word_count, char **words, int socket)
{
    struct options *options = NULL;
    struct error error;
    if (options_parse(run_options, sizeof run_options / sizeof *run_options,
                      OPTIONS_STOP_AT_OPERAND, word_count, words, &options, &error) != STATUS_OK)
        return verb_fail(&verb_run, &error);
    const int result = perform(options, socket);
    options_destroy(options);
    return result;
}

static int run_program(const struct options *options)
{
    if (!options_has(options, "debug")) {
        static const char *const of_debugger[] = {"break", "batch"};
        for (size_t i = 0; i < sizeof of_debugger / sizeof *of_debugger; ++i)
            if (options_has(options, of_debugger[i]))
                return verb_usage(&verb_run, "--%s is of the debugger (--debug)", of_debugger[i]);
        return perform(options, -1);
    }
    return debugging_run_program(&verb_run, options, run_debug);
}

static const struct absent_option absent_options[] = {
    {"skip", "there is no --skip: --launches A-B checks the A-th to the B-th launch"},
    {"count", "there is no --count: --launches A-B checks the A-th to the B-th launch"},
    {NULL, NULL},
};

const struct verb verb_run = {
    .name = "run",
    .synopsis = "[options] [--] PROGRAM [ARG...]",
    .summary = "run a program under clerk: check its OpenCL calls, record it",
    .options = run_options,
    .option_count = sizeof run_options / sizeof *run_options,
    .absent = absent_options,
    .option_flags = OPTIONS_STOP_AT_OPERAND,
    .help =
        "Starts PROGRAM with clerk between it and the OpenCL driver, on any driver and without\n"
        "rebuilding it. The program's input and output stay its own; findings follow on\n"
        "standard error when it has ended. Of all processes that it starts (ctest, mpirun) there\n"
        "is one report, which says of each finding in which of them it was seen.\n"
        "\n"
        "A trace of that name from an earlier run is replaced; any other file is left alone. Each\n"
        "further process that the program starts gets a trace of its own: app.2.db and so on.\n"
        "So that the trace has sources and not binaries, which no other device can load,\n"
        "PYOPENCL_NO_CACHE=1 is set while recording or debugging, unless the variable is there "
        "already.\n"
        "\n"
        "With --device reference, and where the run is recorded, a library is put into LD_PRELOAD\n"
        "that notes which blocks the program has from malloc, for kernels that use them;\n"
        "AddressSanitizer is told to let it pass (ASAN_OPTIONS).\n"
        "\n"
        "With --debug the program runs on the reference device, and the first of its processes "
        "that\n"
        "uses that stops in its kernels, while its other threads go on. Commands are those of "
        "clerk\n"
        "debug, from the terminal or --batch FILE; a program that reads the terminal finds its "
        "end\n"
        "there. The exit status is 0; with --batch 2 where a command could not be done.\n"
        "\n"
        "With --probes, launches whose kernels reported something are run again on the reference\n"
        "device when the program has ended, for a minute each and five minutes in all at most.\n"
        "\n"
        "Exit status: the program's own if it is not 0 (128 + N if signal N ended it); else 99 if\n"
        "an error was found (--error-exitcode, --fail-on); 2 if clerk could not run it, or could\n"
        "not check it: there is no OpenCL driver, or the layer had to stop. With --strict "
        "warnings\n"
        "count too, and a program that made no OpenCL call is one that was not checked.\n",
    .examples =
        "  clerk run -- ./app                  check it\n"
        "  clerk run -o app.db -- ./app        and record it, for clerk show and clerk replay\n"
        "  clerk run --keep-last 2GiB -o app.db -- ./app   of a long run the end\n"
        "  clerk run --record-from frame:100 --record-until frame:110 -o app.db -- ./app   a part\n"
        "  clerk run --device reference -- ./app   also find races and wrong accesses in kernels\n"
        "  clerk run --debug --break sum.cl:9 -- ./app   stop there, and look\n"
        "  clerk run --report r.sarif -- ./app     and leave a report for CI\n",
    .run = run_program,
};
