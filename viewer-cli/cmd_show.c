/* clerk show: what a trace holds, for people or as JSON lines. Lists are read row by row and
 * printed in pages, so a run of any length is shown in bounded memory. */
#include "checkers/finding.h"
#include "trace/base/alloc.h"
#include "trace/reader.h"
#include "viewer-cli/show.h"
#include "viewer-cli/verb.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct option_row show_options[] = {
    {"limit", 'n', OPTION_NUMBER, false, "N", "show the first N rows only"},
    {"thread", 0, OPTION_NUMBER, false, "N", "calls: of this thread only"},
    {"call", 0, OPTION_TEXT, false, "NAME",
     "calls: of this entry point only; NAME may hold * and ?"},
    {"from", 0, OPTION_NUMBER, false, "ID", "calls: from this call on"},
    {"errors", 0, OPTION_FLAG, false, NULL, "calls: those that failed or never returned"},
    {"all", 0, OPTION_FLAG, false, NULL, "calls: also those that clerk made itself"},
    {"full", 0, OPTION_FLAG, false, NULL, "programs: with their source and build log"},
    {"json", 0, OPTION_FLAG, false, NULL, "print JSON lines: one object a line"},
    {"color", 0, OPTION_WORD, false, "auto|always|never", "findings: colours (auto)"},
};

enum { PAGE_ROWS = 512, PRINT_SIZE = 1 << 16 };

/* ---- calls ---- */

static void print_call_json(const struct api_call *call, struct trace_names *names,
                            struct text *text)
{
    api_call_print_json(call, trace_handle_name, names, text);
    text_append_char(text, '\n');
}

static void print_call_row(const struct api_call *call, struct trace_names *names,
                           struct table *table, struct text *scratch)
{
    table_cell_format(table, "%" PRIu64, call->id);
    table_cell_format(table, "%" PRIu32, call->thread);
    text_clear(scratch);
    print_duration(call->begin_ns, scratch);
    table_cell(table, scratch->bytes);
    text_clear(scratch);
    if (call->flags & API_CALL_COMPLETED)
        print_duration(call->end_ns - call->begin_ns, scratch);
    else
        text_append_char(scratch, '-');
    table_cell(table, scratch->bytes);
    text_clear(scratch);
    api_call_print(call, trace_handle_name, names, scratch);
    if (!(call->flags & API_CALL_COMPLETED))
        text_append(scratch, "  <-- never returned");
    else if (call->flags & API_CALL_BLOCKED)
        text_append(scratch, "  <-- not passed on to the driver");
    table_cell(table, scratch->bytes);
}

static bool flush_page(struct table *table, bool *titled, struct text *text)
{
    if (table_row_count(table)) {
        table_print(table, !*titled, text);
        *titled = true;
        table_clear(table);
    }
    const bool printed = verb_print(text);
    text_clear(text);
    return printed;
}

static enum status show_calls(struct trace *trace, const struct options *options,
                              struct error *error)
{
    static const struct table_column columns[] = {{"call", TABLE_RIGHT},
                                                  {"thread", TABLE_RIGHT},
                                                  {"start", TABLE_RIGHT},
                                                  {"took", TABLE_RIGHT},
                                                  {"", TABLE_LEFT}};
    const struct trace_filter filter = {.first_id = options_number(options, "from", 0),
                                        .thread = (uint32_t)options_number(options, "thread", 0),
                                        .name = options_text(options, "call"),
                                        .errors_only = options_has(options, "errors"),
                                        .with_synthetic = options_has(options, "all")};
    const bool json = options_has(options, "json");
    uint64_t left = options_number(options, "limit", UINT64_MAX);
    struct trace_names names = {.trace = trace};
    struct arena arena = {0};
    struct text text = TEXT_INIT;
    struct text scratch = TEXT_INIT;
    struct trace_cursor *cursor = NULL;
    bool titled = false;
    bool go_on = true;
    struct table *table = table_create(columns, sizeof columns / sizeof *columns);
    enum status status = table ? trace_calls(trace, &filter, &cursor, error)
                               : error_no_memory(error, sizeof columns);
    while (!status && go_on && left--) {
        struct api_call call;
        bool found;
        arena_reset(&arena);
        status = trace_cursor_next(cursor, &arena, &call, &found, error);
        if (status || !found)
            break;
        names.call_id = call.id;
        if (json)
            print_call_json(&call, &names, &text);
        else
            print_call_row(&call, &names, table, &scratch);
        if (text.size >= PRINT_SIZE || table_row_count(table) >= PAGE_ROWS)
            go_on = flush_page(table, &titled, &text);
    }
    if (go_on && table)
        flush_page(table, &titled, &text);
    if (!status && (text.failed || scratch.failed))
        status = error_no_memory(error, PRINT_SIZE);
    table_destroy(table);
    trace_cursor_destroy(cursor);
    text_release(&scratch);
    text_release(&text);
    arena_release(&arena);
    return status;
}

/* ---- findings ---- */

static enum status show_findings(struct trace *trace, const struct options *options,
                                 struct error *error)
{
    const bool json = options_has(options, "json");
    const bool colour = verb_use_colour(options_text(options, "color"), STDOUT_FILENO);
    struct show_rows *rows = NULL;
    struct text text = TEXT_INIT;
    uint64_t left = options_number(options, "limit", UINT64_MAX);
    uint64_t count = 0;
    bool more = true;
    enum status status = show_rows_open(
        trace, "SELECT json, severity, rule, message FROM finding ORDER BY id", &rows, error);
    while (!status && left--) {
        status = show_rows_next(rows, &more, error);
        if (status || !more)
            break;
        struct arena arena = {0};
        struct finding finding;
        const char *object = show_rows_text(rows, 0);
        if (!json && count)
            text_append_char(&text, '\n');
        ++count;
        if (json)
            text_format(&text, "%s\n", object);
        else if (finding_parse_json(object, &arena, &finding, NULL) == STATUS_OK)
            finding_print_text(&finding, colour, &text);
        else /* a rule that this clerk does not know */
            text_format(&text, "%s: %s: %s\n", show_rows_text(rows, 1), show_rows_text(rows, 2),
                        show_rows_text(rows, 3));
        arena_release(&arena);
        if (!verb_print(&text))
            break;
        text_clear(&text);
    }
    if (!status && !count && !json) {
        text_append(&text, "no findings\n");
        verb_print(&text);
    }
    show_rows_close(rows);
    text_release(&text);
    return status;
}

/* ---- programs ---- */

static enum status show_sources(struct trace *trace, struct error *error)
{
    struct show_rows *rows = NULL;
    struct text text = TEXT_INIT;
    bool more = true;
    enum status status = show_rows_open(
        trace,
        "SELECT object.name, origin, ifnull(options, ''), ifnull(source, ''), ifnull(log, '')"
        " FROM program JOIN object USING (id) ORDER BY id",
        &rows, error);
    while (!status) {
        status = show_rows_next(rows, &more, error);
        if (status || !more)
            break;
        text_format(&text, "==== %s (%s)  options: %s ====\n", show_rows_text(rows, 0),
                    show_rows_text(rows, 1), show_rows_text(rows, 2));
        const char *source = show_rows_text(rows, 3);
        const char *log = show_rows_text(rows, 4);
        text_append(&text, source);
        if (*source && source[strlen(source) - 1] != '\n')
            text_append_char(&text, '\n');
        if (*log)
            text_format(&text, "---- build log ----\n%s\n", log);
        if (!verb_print(&text))
            break;
        text_clear(&text);
    }
    show_rows_close(rows);
    text_release(&text);
    return status;
}

static enum status show_programs(struct trace *trace, const struct options *options,
                                 struct error *error)
{
    if (options_has(options, "full") && !options_has(options, "json"))
        return show_sources(trace, error);
    return show_list(trace, "programs", options, error);
}

static enum status show_launches(struct trace *trace, const struct options *options,
                                 struct error *error)
{
    return show_list(trace, "launches", options, error);
}

static enum status show_objects(struct trace *trace, const struct options *options,
                                struct error *error)
{
    return show_list(trace, "objects", options, error);
}

/* ---- dispatch ---- */

static const struct what {
    const char *name;
    enum status (*show)(struct trace *trace, const struct options *options, struct error *error);
} whats[] = {
    {"summary", show_summary}, {"calls", show_calls},       {"launches", show_launches},
    {"objects", show_objects}, {"programs", show_programs}, {"findings", show_findings},
};
enum { WHAT_COUNT = sizeof whats / sizeof *whats };

static const struct what *find_what(const char *name)
{
    for (size_t i = 0; i < WHAT_COUNT; ++i)
        if (strcmp(whats[i].name, name) == 0)
            return &whats[i];
    return NULL;
}

static int refuse_what(const char *name)
{
    const char *names[WHAT_COUNT];
    for (size_t i = 0; i < WHAT_COUNT; ++i)
        names[i] = whats[i].name;
    const char *near = nearest_word(name, names, WHAT_COUNT);
    if (near)
        return verb_usage(&verb_show, "cannot show '%s'; did you mean '%s'?", name, near);
    return verb_usage(&verb_show, "cannot show '%s'", name);
}

static void note_state(struct trace *trace)
{
    fflush(stdout);
    const char *damaged;
    if (trace_is_live(trace))
        fprintf(stderr, "clerk show: the program is still running; this is what is stored so far, "
                        "without objects and launches\n");
    const char *state = trace_fact(trace, "state");
    const bool was_killed = state && strcmp(state, "recovered") == 0;
    if (trace_was_recovered(trace))
        fprintf(stderr, "clerk show: %s was recovered\n",
                was_killed ? "the program was killed; what it left"
                           : "what the trace had no room for");
    if (state && strcmp(state, "stopped") == 0)
        fprintf(stderr, "clerk show: recording stopped before the program ended\n");
    if ((damaged = trace_fact(trace, "damaged_records")))
        fprintf(stderr, "clerk show: %s damaged records of the killed program were left out\n",
                damaged);
}

static int run_show(const struct options *options)
{
    const size_t count = options_operand_count(options);
    struct trace *trace = NULL;
    struct error error;
    if (count < 1)
        return verb_usage(&verb_show, "which trace?");
    if (count > 2)
        return verb_usage(&verb_show, "one thing at a time: '%s' is one operand too many",
                          options_operand(options, 2));
    const struct what *what = count == 2 ? find_what(options_operand(options, 1)) : &whats[0];
    if (!what)
        return refuse_what(options_operand(options, 1));
    if (options_number(options, "thread", 0) > UINT32_MAX)
        return verb_usage(&verb_show, "there is no thread %s", options_text(options, "thread"));
    enum status status = trace_open(options_operand(options, 0), &trace, &error);
    if (!status) {
        note_state(trace);
        status = what->show(trace, options, &error);
    }
    trace_close(trace);
    return status ? verb_fail(&verb_show, &error) : verb_finish(&verb_show, VERB_OK);
}

const struct verb verb_show = {
    .name = "show",
    .synopsis = "TRACE [summary|calls|launches|objects|programs|findings] [options]",
    .summary = "show what a recorded run did",
    .options = show_options,
    .option_count = sizeof show_options / sizeof *show_options,
    .help =
        "Shows a trace that clerk run -o TRACE made; without a second word, its summary. The "
        "spool\n"
        "of a killed program is recovered first, so every call that had returned is there, and\n"
        "those under way are marked. A trace is a SQLite database with views for people:\n"
        "\n"
        "  clerk show app.db calls --errors --limit 20\n"
        "  sqlite3 -box app.db 'select * from launch_view'\n"
        "\n"
        "Exit status: 0, also when the trace holds findings; 2 if it cannot be read.\n",
    .run = run_show,
};
