#include "viewer-cli/debug/terminal.h"

#include "trace/base/alloc.h"

#include <string.h>

/* ---- commands ---- */

/* The format of print and x stands at their names: "p/x", "x/4xw"; and "!" is one: "!ls". */
static size_t length_of_name(const char *line)
{
    return *line == '!' ? 1 : strcspn(line, " \t/");
}

/* Stops can be said before `run`, and behind a process's end: then another one stands at the first
 * launch's beginning. Not of a program, which may do anything a second time. */
static bool starts_process(const struct terminal *terminal, const struct terminal_row *row)
{
    static const enum debug_request of_stops[] = {
        DEBUG_REQUEST_BREAK,  DEBUG_REQUEST_CATCH,  DEBUG_REQUEST_WATCH,  DEBUG_REQUEST_CHANGE,
        DEBUG_REQUEST_DELETE, DEBUG_REQUEST_ENABLE, DEBUG_REQUEST_DISABLE};
    bool is_of_stops = false;
    for (size_t i = 0; i < sizeof of_stops / sizeof *of_stops; ++i)
        is_of_stops |= row->request == of_stops[i];
    return is_of_stops && !terminal->session && !terminal->start.keeps_streams;
}

/* Returns the command where an empty line may repeat it. */
static bool do_line(struct terminal *terminal, const char *line)
{
    const size_t length = length_of_name(line);
    const struct terminal_row *row = terminal_find(terminal, line, length);
    const char *rest = line + length;
    rest += strspn(rest, " \t");
    if (!row)
        return false;
    if (starts_process(terminal, row) && !terminal_do_start(terminal, "")) {
        terminal->has_failed = true;
        return false;
    }
    if (row->needs_process && !terminal->session) {
        terminal_refuse(terminal, "There is no process: `run` or `start` starts one.");
        return false;
    }
    if (!terminal_offers(terminal, row)) {
        terminal_refuse(terminal, "'%s' cannot be done yet.", row->name);
        return false;
    }
    if (!row->run(terminal, rest))
        terminal->has_failed = true;
    return row->repeats;
}

/* What there is to be opened. */
static bool list_run(struct terminal *terminal)
{
    enum { LAUNCHES_SHOWN = 20 };
    struct error error;
    enum status status = recorded_show_launches(terminal->trace.path, LAUNCHES_SHOWN, &error);
    text_append_char(&terminal->text, '\n');
    if (!status)
        status = recorded_print_findings(terminal->trace.path, &terminal->text, &error);
    if (status)
        return terminal_refuse(terminal, "%s", error.text);
    text_append(&terminal->text, "\nfocus launch CALL or focus finding NUMBER opens one; run "
                                 "begins with the first launch.\n");
    return true;
}

/* The breakpoints of the command line, at the beginning of the first launch. */
static bool break_first(struct terminal *terminal)
{
    const char *at = terminal->breaks;
    const char *word;
    bool done = true;
    for (size_t length; done && at && (length = terminal_take_word(&at, &word)) > 0;) {
        struct text place = TEXT_INIT;
        text_append_n(&place, word, length);
        done = terminal_break(terminal, place.bytes);
        text_release(&place);
    }
    return done;
}

static bool begin(struct terminal *terminal)
{
    const struct terminal_trace *trace = &terminal->trace;
    if (trace->path && trace->finding_number)
        return terminal_open_finding(terminal, trace->finding_number) || terminal->session;
    if (trace->path)
        return trace->launch ? terminal_open_launch(terminal, trace->launch) : list_run(terminal);
    return terminal_do_start(terminal, "") && break_first(terminal) &&
           (!terminal->breaks || terminal_do_run(terminal, ""));
}

bool terminal_begin(struct terminal *terminal)
{
    const bool begun = begin(terminal);
    terminal_flush(terminal);
    return begun;
}

void terminal_end(struct terminal *terminal)
{
    debug_session_destroy(terminal->session);
    debug_journal_release(&terminal->journal);
    terminal_script_release(terminal);
    terminal_display_release(terminal);
    terminal_variables_release(terminal);
    terminal_catches_release(terminal);
    kernel_words_release(&terminal->trace.words);
    recorded_finding_release(&terminal->trace.finding);
    alloc_free(terminal->found_path);
    text_release(&terminal->text);
    text_release(&terminal->shown_function);
    text_release(&terminal->shown_item);
    text_release(&terminal->shown_file);
    text_release(&terminal->program);
    text_release(&terminal->written_at);
    text_release(&terminal->written_position);
    arena_release(&terminal->arena);
}

bool terminal_run(struct terminal *terminal, int input)
{
    const struct line_user user = {
        .wait = terminal_wait_for_input, .complete = terminal_complete, .user = terminal};
    struct text line = TEXT_INIT;
    struct text repeated = TEXT_INIT;
    terminal_lines_begin(terminal, input, &user);
    while (!terminal->ends) {
        const enum line_read read = terminal_read_line(terminal, "(clerk) ", &line);
        if (read == LINE_ENDED)
            break;
        if (read == LINE_INTERRUPTED)
            continue;
        if (!line.size)
            text_append_n(&line, repeated.bytes, repeated.size);
        const bool is_typed = !terminal->lines.is_inserted;
        const bool repeats = line.size && do_line(terminal, line.bytes);
        if (is_typed)
            text_clear(&repeated);
        if (is_typed && repeats)
            text_append_n(&repeated, line.bytes, line.size);
        terminal_flush(terminal);
    }
    if (!terminal->batch && !terminal->ends)
        text_append_char(&terminal->text, '\n');
    terminal_flush(terminal);
    terminal_lines_end(terminal);
    text_release(&line);
    text_release(&repeated);
    /* Who types sees what failed. */
    return !terminal->batch || !terminal->has_failed;
}
