/* clerk show: what a trace holds, for people or as JSON lines. Lists are read row by row and
 * printed in pages, so a run of any length is shown in bounded memory. */
#include "trace/base/visible.h"
#include "viewer-cli/findings.h"
#include "viewer-cli/origin/search_roots.h"
#include "viewer-cli/pager.h"
#include "viewer-cli/reading.h"
#include "viewer-cli/reporting.h"
#include "viewer-cli/shortfall.h"
#include "viewer-cli/show/show.h"
#include "viewer-cli/source_lines.h"
#include "viewer-cli/verb.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct option_row show_options[] = {
    {"limit", 'n', OPTION_NUMBER, false, "N", "show the first N rows only"},
    {"thread", 0, OPTION_NUMBER, false, "N", "only what this thread called"},
    {"call", 0, OPTION_TEXT, false, "NAME", "only of this entry point; NAME may hold * and ?"},
    {"from", 0, OPTION_NUMBER, false, "ID", "only from this call on"},
    {"to", 0, OPTION_NUMBER, false, "ID", "only up to this call"},
    {"object", 0, OPTION_TEXT, false, "NAME", "only what has to do with this object, as buffer#2"},
    {"errors", 0, OPTION_FLAG, false, NULL,
     "calls, commands, launches: those that failed or never returned; findings: errors"},
    {"all", 0, OPTION_FLAG, false, NULL, "calls: also those that clerk made itself"},
    {"full", 0, OPTION_FLAG, false, NULL,
     "programs: with their source and build log; memory: all elements, not the first KiB"},
    {"type", 0, OPTION_TEXT, false, "TYPE",
     "memory: with its contents, as elements of a type of OpenCL C (uint, float4) or hex"},
    {"picture", 0, OPTION_TEXT, false, "FILE",
     "memory: the first image's texels of those that are chosen, as a picture (PPM)"},
    {"json", 0, OPTION_FLAG, false, NULL, "print JSON lines: one object a line"},
    {"width", 0, OPTION_NUMBER, false, "N",
     "print for N columns (those of the terminal); 0: tables as wide as they are"},
    {"pager", 0, OPTION_WORD, false, "auto|never",
     "auto: on a terminal, through $PAGER or less where there is one"},
    {"stack", 0, OPTION_WORD, false, "own|all",
     "findings: the program's own frames of host stacks, or also those of bindings and the system "
     "(own)"},
    SEARCH_ROOTS_OPTION,
    {"color", 0, OPTION_WORD, false, "auto|always|never",
     "colours: of findings, of the titles of tables (auto)"},
};

/* ---- findings ---- */

static void print_finding(struct finding *finding, const struct options *options,
                          struct source_lines *lines, struct arena *arena, struct text *text)
{
    source_lines_add(lines, finding, arena);
    if (options_has(options, "json")) {
        finding_print_json(finding, text);
        text_append_char(text, '\n');
    } else {
        (reporting_is_unfolded(options) ? finding_print_text_unfolded : finding_print_text)(
            finding, show_has_colour(), show_width(options), text);
    }
}

/* Of a rule that this clerk does not know. */
static void print_unknown(struct rows *rows, bool json, struct text *text)
{
    if (json)
        findings_print_unknown_json(rows, text);
    for (int i = FINDINGS_SEVERITY; !json && i <= FINDINGS_MESSAGE; ++i) {
        text_append(text, i == FINDINGS_SEVERITY ? "" : ": ");
        text_append_visible(text, rows_text(rows, i), VISIBLE_ONE_LINE);
    }
    text_append_char(text, '\n');
}

static enum status show_findings(struct trace *trace, const struct options *options,
                                 struct error *error)
{
    const bool json = options_has(options, "json");
    static const char sql[] =
        "SELECT finding.id AS id, json, call, thread, call.name AS entry_point,"
        " severity = 'error' AS failed FROM finding LEFT JOIN call ON call.id = call";
    struct rows *rows = NULL;
    struct text text = TEXT_INIT;
    uint64_t left = options_number(options, "limit", UINT64_MAX);
    uint64_t count = 0;
    struct source_lines *lines = source_lines_create_for(options, trace, false);
    char *query = show_filtered(sql, "id", options);
    enum status status =
        query ? findings_make(trace, query, error) : error_no_memory(error, sizeof sql);
    if (!status)
        status = findings_open(trace, &rows, error);
    while (left-- && rows_next(rows, &status, error)) {
        struct arena arena = {0};
        struct finding finding;
        if (count++ && !json)
            text_append_char(&text, '\n');
        if (findings_read(rows, &arena, &finding))
            print_finding(&finding, options, lines, &arena, &text);
        else
            print_unknown(rows, json, &text);
        arena_release(&arena);
        if (!verb_print(&text))
            break;
        text_clear(&text);
    }
    if (!status && !count && !json) {
        text_append(&text, shortfall_has_no_checks(trace)
                               ? "no findings: the run was recorded without checks\n"
                               : "no findings\n");
        verb_print(&text);
    }
    rows_close(rows);
    rows_query_free(query);
    source_lines_destroy(lines);
    text_release(&text);
    return status;
}

/* ---- dispatch ---- */

/* Which options choose among the rows of a list. */
enum filter {
    FILTER_THREAD = 1,
    FILTER_CALL = 2,
    FILTER_RANGE = 4,
    FILTER_OBJECT = 8,
    FILTER_ERRORS = 16,
};

static const struct {
    const char *option;
    enum filter filter;
} filters[] = {{"thread", FILTER_THREAD}, {"call", FILTER_CALL},     {"from", FILTER_RANGE},
               {"to", FILTER_RANGE},      {"object", FILTER_OBJECT}, {"errors", FILTER_ERRORS}};

/* Without a function of its own it is a list of show_list. */
static const struct what {
    const char *name;
    unsigned filters;
    enum status (*show)(struct trace *trace, const struct options *options, struct error *error);
} whats[] = {
    {"summary", 0, show_summary},
    {"calls", FILTER_THREAD | FILTER_CALL | FILTER_RANGE | FILTER_OBJECT | FILTER_ERRORS,
     show_calls},
    {"commands", FILTER_THREAD | FILTER_CALL | FILTER_RANGE | FILTER_OBJECT | FILTER_ERRORS, NULL},
    {"launches", FILTER_THREAD | FILTER_RANGE | FILTER_OBJECT | FILTER_ERRORS, NULL},
    {"kernels", 0, NULL},
    {"lines", 0, NULL},
    {"transfers", 0, NULL},
    {"queues", 0, NULL},
    {"threads", 0, NULL},
    {"objects", FILTER_THREAD | FILTER_CALL | FILTER_RANGE, NULL},
    {"follow", 0, show_object},
    {"memory", FILTER_RANGE | FILTER_OBJECT, show_memory},
    {"usage", FILTER_THREAD | FILTER_RANGE, NULL},
    {"peak", 0, NULL},
    {"programs", 0, show_programs},
    {"findings", FILTER_THREAD | FILTER_CALL | FILTER_RANGE | FILTER_ERRORS, show_findings},
};
enum { WHAT_COUNT = sizeof whats / sizeof *whats };

static const struct what *find_what(const char *name)
{
    for (size_t i = 0; i < WHAT_COUNT; ++i)
        if (strcmp(whats[i].name, name) == 0)
            return &whats[i];
    return NULL;
}

static int refuse_what(const char *trace, const char *name)
{
    const char *names[WHAT_COUNT];
    if (find_what(trace))
        return verb_usage(&verb_show, "the trace comes first: clerk show %s %s", name, trace);
    for (size_t i = 0; i < WHAT_COUNT; ++i)
        names[i] = whats[i].name;
    const char *near = nearest_word(name, names, WHAT_COUNT);
    if (near)
        return verb_usage(&verb_show, "cannot show '%s'; did you mean '%s'?", name, near);
    return verb_usage(&verb_show, "cannot show '%s'", name);
}

static enum status show(const struct what *what, struct trace *trace, const struct options *options,
                        struct error *error)
{
    return what->show ? what->show(trace, options, error)
                      : show_list(trace, what->name, options, error);
}

/* An option that chooses nothing there; NULL = none. */
static const char *useless_option(const struct what *what, const struct options *options)
{
    for (size_t i = 0; i < sizeof filters / sizeof *filters; ++i)
        if (!(what->filters & filters[i].filter) && options_has(options, filters[i].option))
            return filters[i].option;
    return NULL;
}

/* The state of the run stands in its summary. */
static void print_shortfall(void *user, const char *sentence, enum severity severity)
{
    (void)user;
    if (severity > SEVERITY_NOTE)
        visible_tell("clerk show: %s\n", sentence);
}

static void note_state(struct trace *trace)
{
    fflush(stdout);
    if (trace_was_recovered(trace))
        visible_tell("clerk show: what %s was recovered\n",
                     shortfall_has_end(trace) ? "was not stored when the program ended"
                                              : "the program left");
    shortfall_tell(trace, print_shortfall, NULL);
}

static void use_terminal(const struct options *options)
{
    const char *pager = options_text(options, "pager");
    show_set_look(options);
    if (isatty(STDOUT_FILENO) && !(pager && strcmp(pager, "never") == 0))
        pager_start();
}

static int run_show(const struct options *options)
{
    const size_t count = options_operand_count(options);
    struct trace *trace = NULL;
    struct error error;
    if (count < 1)
        return verb_usage(&verb_show, "which trace?");
    const struct what *what = count > 1 ? find_what(options_operand(options, 1)) : &whats[0];
    if (!what)
        return refuse_what(options_operand(options, 0), options_operand(options, 1));
    const size_t wanted = what->show == show_object ? 3 : 2;
    if (count > wanted)
        return verb_usage(&verb_show, "one thing at a time: '%s' is one operand too many",
                          options_operand(options, wanted));
    if (wanted == 3 && count < 3)
        return verb_usage(&verb_show, "follow which object?");
    const char *useless = useless_option(what, options);
    if (useless)
        return verb_usage(&verb_show, "'--%s' chooses nothing among %s", useless, what->name);
    if (options_number(options, "thread", 0) > UINT32_MAX)
        return verb_usage(&verb_show, "there is no thread %s", options_text(options, "thread"));
    enum status status = search_roots_check(options, &error);
    if (!status)
        status = reading_open(options_operand(options, 0), &trace, &error);
    if (!status) {
        note_state(trace);
        use_terminal(options);
        status = show(what, trace, options, &error);
        pager_finish();
    }
    trace_close(trace);
    return status ? verb_fail(&verb_show, &error) : verb_finish(&verb_show, VERB_OK);
}

const struct verb verb_show = {
    .name = "show",
    .synopsis =
        "TRACE "
        "[summary|calls|commands|launches|kernels|lines|transfers|queues|threads|objects|follow "
        "OBJECT|memory|usage|peak|programs|findings]"
        " [options]",
    .summary = "show what a recorded run did",
    .options = show_options,
    .option_count = sizeof show_options / sizeof *show_options,
    .help =
        "Shows a trace that clerk run -o TRACE made; without a second word, its summary. The "
        "spool\n"
        "of a killed program is recovered first, so every call that had returned is there, and\n"
        "those under way are marked. A trace is a SQLite database with views for people.\n"
        "\n"
        "What launches and other commands took is told by the device's clock, where the program "
        "or\n"
        "clerk run --profile asked for it. A queue is busy while one of its launches or transfers\n"
        "runs, and has gaps between them. What a kernel was given are the sizes of the buffers\n"
        "among its arguments, of all launches together: a launch may use less of them.\n"
        "Kernels that others enqueued on the reference device are children: launches has them "
        "after\n"
        "the call's own launch, as 'child#7 of child#5'; times of all are without their children. "
        "In\n"
        "lines, which --limit cuts to those that execute most, idle are the work-items that did "
        "not take part, of each 64 that run together;\n"
        "uncoalesced are accesses of 32 work-items to more lines of 128 bytes of global memory "
        "than\n"
        "hold what they access, bank conflicts those to one of 32 banks of local memory in turn.\n"
        "\n"
        "Exit status: 0, also when the trace holds findings; 2 if it cannot be read.\n",
    .examples =
        "  clerk show app.db calls --errors --limit 20\n"
        "  clerk show app.db launches --object 'buffer#2'     with their arguments\n"
        "  clerk show app.db kernels                which take the time, on which device\n"
        "  clerk show app.db lines                  which lines of kernels execute most\n"
        "  clerk show app.db queues                 how busy each was, how long it had nothing to "
        "do\n"
        "  clerk show app.db commands               what ran on the queues, how long, after what\n"
        "  clerk show app.db follow 'buffer#2'      all calls about it, and launches that use it\n"
        "  clerk show app.db memory --from 104 --to 104 --type float     what call 104 read\n"
        "  clerk show app.db peak                   who held memory when most of it was in use\n"
        "  clerk show app.db programs --full        sources, with findings below their lines\n"
        "  sqlite3 -box app.db 'select * from launch_view'\n",
    .run = run_show,
};
