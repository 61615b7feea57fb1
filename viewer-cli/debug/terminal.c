#include "viewer-cli/debug/terminal.h"

#include "trace/base/alloc.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const char prompt[] = "(clerk) ";

/* ---- lines ---- */

struct lines {
    int input;
    bool ended;
    struct text read; /* what was read, from `at` on not given yet */
    size_t at;
};

enum line { LINE_READ, LINE_ENDED, LINE_INTERRUPTED };

/* The next line, without its end. */
static enum line read_line(struct lines *lines, struct text *line)
{
    text_clear(line);
    for (;;) {
        const char *from = lines->read.bytes + lines->at;
        const char *end = memchr(from, '\n', lines->read.size - lines->at);
        if (end || (lines->ended && lines->at < lines->read.size)) {
            const size_t length = end ? (size_t)(end - from) : lines->read.size - lines->at;
            text_append_n(line, from, length);
            lines->at += length + (end ? 1 : 0);
            return LINE_READ;
        }
        if (lines->ended || lines->read.failed)
            return LINE_ENDED;
        if (!terminal_wait_for_input(lines->input))
            return LINE_INTERRUPTED;
        char bytes[4096];
        const ssize_t count = read(lines->input, bytes, sizeof bytes);
        if (count > 0)
            text_append_n(&lines->read, bytes, (size_t)count);
        else if (count == 0 || errno != EINTR)
            lines->ended = true;
    }
}

/* ---- commands ---- */

/* Without spaces at its ends. */
static void trim(struct text *line)
{
    while (line->size && strchr(" \t\r", line->bytes[line->size - 1]))
        line->bytes[--line->size] = 0;
    const size_t skipped = strspn(line->bytes, " \t");
    memmove(line->bytes, line->bytes + skipped, line->size - skipped + 1);
    line->size -= skipped;
}

/* The format of print and x stands at their names: "p/x", "x/4xw". */
static size_t length_of_name(const char *line)
{
    return strcspn(line, " \t/");
}

/* Stops can be said before `run`: then a process stands at the first launch's beginning. Not of a
 * program, which may do anything a second time. */
static bool starts_process(const struct terminal *terminal, const struct terminal_row *row)
{
    return !terminal->session && terminal->trace.path &&
           (row->request == DEBUG_REQUEST_BREAK || row->request == DEBUG_REQUEST_CATCH);
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

static void show_prompt(struct terminal *terminal)
{
    text_append(&terminal->text, prompt);
    terminal_flush(terminal);
}

/* A file's line as it would stand behind the prompt; its empty lines and comments are nothing. */
static bool begin_line(struct terminal *terminal, const struct text *line)
{
    if (!terminal->batch)
        return true;
    if (!line->size || *line->bytes == '#')
        return false;
    text_format(&terminal->text, "%s%s\n", prompt, line->bytes);
    return true;
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
    kernel_words_release(&terminal->trace.words);
    recorded_finding_release(&terminal->trace.finding);
    alloc_free(terminal->found_path);
    text_release(&terminal->text);
    text_release(&terminal->shown_function);
    text_release(&terminal->shown_item);
    text_release(&terminal->shown_file);
    text_release(&terminal->written_at);
    text_release(&terminal->written_position);
    arena_release(&terminal->arena);
}

bool terminal_run(struct terminal *terminal, int input)
{
    struct lines lines = {.input = input, .read = TEXT_INIT};
    struct text line = TEXT_INIT;
    struct text repeated = TEXT_INIT;
    while (!terminal->ends) {
        if (!terminal->batch)
            show_prompt(terminal);
        const enum line read = read_line(&lines, &line);
        if (read == LINE_ENDED)
            break;
        if (read == LINE_INTERRUPTED) {
            text_append(&terminal->text, "\n");
            continue;
        }
        trim(&line);
        if (!begin_line(terminal, &line))
            continue;
        if (!line.size)
            text_append_n(&line, repeated.bytes, repeated.size);
        if (line.size && do_line(terminal, line.bytes)) {
            text_clear(&repeated);
            text_append_n(&repeated, line.bytes, line.size);
        } else {
            text_clear(&repeated);
        }
        terminal_flush(terminal);
    }
    if (!terminal->batch && !terminal->ends)
        text_append_char(&terminal->text, '\n');
    terminal_flush(terminal);
    text_release(&lines.read);
    text_release(&line);
    text_release(&repeated);
    return !terminal->has_failed;
}
