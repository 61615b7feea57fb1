/* Commands that say where to stop. */
#include "viewer-cli/debug/terminal.h"

#include "checkers/rule.h"
#include "trace/base/alloc.h"
#include "trace/base/arena.h"
#include "trace/base/json.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

/* ---- break ---- */

/* What stands behind `break`: [FILE:]LINE|FUNCTION [item X,Y,Z] [hit N] [if COND], the clauses in
 * any order. Strings are of an arena. */
struct clauses {
    char *place;
    const char *condition, *item, *hit;
};

/* "item X,Y,Z" or "hit N" at the end of `text`, which is then cut before it. */
static bool cut_last_clause(char *text, struct clauses *clauses)
{
    char *const last = strrchr(text, ' ');
    if (!last || !isdigit((unsigned char)last[1]))
        return false;
    char *word = last;
    while (word > text && word[-1] != ' ')
        --word;
    const size_t length = (size_t)(last - word);
    if (!terminal_word_is(word, length, "item") && !terminal_word_is(word, length, "hit"))
        return false;
    if (*word == 'i')
        clauses->item = last + 1;
    else
        clauses->hit = last + 1;
    while (word > text && word[-1] == ' ')
        --word;
    *word = 0;
    return true;
}

static bool read_clauses(char *text, struct clauses *clauses)
{
    const char *word;
    const char *at = text;
    while (cut_last_clause(text, clauses))
        ;
    size_t length = terminal_take_word(&at, &word);
    const bool has_place = length && !terminal_word_is(word, length, "if");
    if (has_place)
        clauses->place = text + (word - text);
    char *const end_of_place = text + (word - text) + length;
    if (!has_place)
        at = text;
    /* Those before the condition. */
    for (length = terminal_take_word(&at, &word); length; length = terminal_take_word(&at, &word)) {
        if (terminal_word_is(word, length, "if")) {
            clauses->condition = at;
            break;
        }
        const bool is_item = terminal_word_is(word, length, "item");
        if (!is_item && !terminal_word_is(word, length, "hit"))
            return false;
        const char *value;
        length = terminal_take_word(&at, &value);
        if (!length)
            return false;
        text[value - text + (ptrdiff_t)length] = 0;
        if (is_item)
            clauses->item = value;
        else
            clauses->hit = value;
    }
    if (has_place)
        *end_of_place = 0;
    return !clauses->condition || *clauses->condition;
}

static const char program_prefix[] = "program#";

/* "program#2" of a live run, whose programs have no other names; 0 = it is something else. In
 * recorded runs each process has programs of its own. */
static uint64_t program_of(const struct terminal *terminal, const char *name)
{
    uint64_t number = 0;
    const size_t before = sizeof program_prefix - 1;
    return !terminal->trace.path && !terminal->path && name &&
                   strncmp(name, program_prefix, before) == 0 &&
                   terminal_number(name + before, &number)
               ? number
               : 0;
}

/* The name of the file that it is in. */
static void append_file(const struct terminal *terminal, const struct cJSON *breakpoint,
                        struct text *text)
{
    uint64_t program;
    if (json_object_number(breakpoint, "program", &program))
        text_format(text, "%s%" PRIu64, program_prefix, program);
    else
        text_append(text, terminal_file_name(terminal, json_object_text(breakpoint, "file")));
}

void terminal_print_break_place(const struct terminal *terminal, const struct cJSON *breakpoint,
                                struct text *text)
{
    uint64_t line;
    if (!json_object_number(breakpoint, "line", &line))
        return;
    append_file(terminal, breakpoint, text);
    text_format(text, ":%" PRIu64, line);
}

/* LINE, FILE:LINE or FUNCTION; none: the line of the focus. */
static bool put_place(struct terminal *terminal, struct text *request, char *place)
{
    uint64_t line = terminal->shown_line;
    const char *file = terminal->shown_file.bytes;
    char *colon = place ? strrchr(place, ':') : NULL;
    if (colon)
        *colon = 0;
    const char *const number = colon ? colon + 1 : place;
    if (number && !terminal_number(number, &line)) {
        if (colon)
            return false;
        json_string(request, "function", place);
        return true;
    }
    uint64_t program = program_of(terminal, colon ? place : terminal->program.bytes);
    if (colon)
        file = program ? terminal_compiled_string : terminal_compiled_name(terminal, place);
    if (*file && strcmp(file, terminal_compiled_string) != 0)
        program = 0;
    json_number(request, "line", line);
    json_string(request, "file", *file ? file : terminal_compiled_string);
    json_known_number(request, "program", program);
    return line != 0;
}

static bool put_clauses(const struct terminal *terminal, const struct clauses *clauses,
                        struct text *request)
{
    uint64_t hit;
    terminal_put_expression(terminal, request, "condition", clauses->condition);
    if (clauses->item && !terminal_put_numbers(request, "item", clauses->item))
        return false;
    if (clauses->hit) {
        if (!terminal_number(clauses->hit, &hit) || !hit)
            return false;
        json_number(request, "hit", hit);
    }
    return true;
}

static void show_breakpoint(struct terminal *terminal, const char *kind,
                            const struct cJSON *breakpoint)
{
    struct text *text = &terminal->text;
    const char *const sentence = json_object_text(breakpoint, "text");
    uint64_t number = 0;
    json_object_number(breakpoint, "number", &number);
    text_format(text, "%s %" PRIu64, kind, number);
    const char *function = json_object_text(breakpoint, "function");
    if (function)
        text_format(text, " in %s", function);
    const char *const watched = json_object_text(breakpoint, "expression");
    if (watched)
        text_format(text, ": %s", watched);
    if (json_object_item(breakpoint, "line")) {
        text_append(text, " at ");
        terminal_print_break_place(terminal, breakpoint, text);
    }
    if (sentence && *sentence)
        text_format(text, ": %s", sentence);
    text_append_char(text, '\n');
}

static bool add_breakpoint(struct terminal *terminal, const char *rest, bool temporary)
{
    struct arena arena = {0};
    struct text request = TEXT_INIT;
    struct clauses clauses = {0};
    char *const copy = arena_string(&arena, rest);
    bool done = false;
    debug_request_begin(&request, DEBUG_REQUEST_BREAK);
    if (copy && read_clauses(copy, &clauses) && put_place(terminal, &request, clauses.place) &&
        put_clauses(terminal, &clauses, &request)) {
        if (temporary) {
            json_key(&request, "temporary");
            text_append(&request, "true");
        }
        struct cJSON *answer = terminal_ask(terminal, &request);
        const struct cJSON *breakpoint = json_object_item(answer, "breakpoint");
        uint64_t number = 0;
        done = answer != NULL;
        if (done) {
            json_object_number(breakpoint, "number", &number);
            terminal->last_breakpoint = number;
            debug_journal_keep(&terminal->journal, &request, temporary ? number : 0);
            show_breakpoint(terminal, temporary ? "Temporary breakpoint" : "Breakpoint",
                            breakpoint);
        }
        json_object_release(answer);
    } else {
        terminal_refuse(terminal, "Where? break [FILE:]LINE|FUNCTION [item X,Y,Z] [hit N] "
                                  "[if CONDITION]");
    }
    text_release(&request);
    arena_release(&arena);
    return done;
}

bool terminal_break(struct terminal *terminal, const char *rest)
{
    return add_breakpoint(terminal, rest, false);
}

bool terminal_tbreak(struct terminal *terminal, const char *rest)
{
    return add_breakpoint(terminal, rest, true);
}

/* ---- those that are there ---- */

static bool change_one(struct terminal *terminal, enum debug_request change, const uint64_t *number)
{
    struct text request = TEXT_INIT;
    debug_request_begin(&request, change);
    if (number)
        json_number(&request, "number", *number);
    struct cJSON *answer = terminal_ask(terminal, &request);
    if (answer)
        debug_journal_keep(&terminal->journal, &request, 0);
    const bool done = answer != NULL;
    json_object_release(answer);
    text_release(&request);
    return done;
}

static bool change_all(struct terminal *terminal, enum debug_request change)
{
    struct cJSON *answer = terminal_ask_plain(terminal, DEBUG_REQUEST_BREAKPOINTS);
    const struct cJSON *at = json_array_first(json_object_item(answer, "breakpoints"));
    bool done = answer != NULL;
    for (; at; at = json_array_next(at)) {
        uint64_t number;
        if (json_object_number(at, "number", &number))
            done = change_one(terminal, change, &number) && done;
    }
    json_object_release(answer);
    return done;
}

/* Those of the numbers, "2" or "2-4"; without any all. */
static bool change_breakpoints(struct terminal *terminal, enum debug_request change,
                               const char *rest)
{
    bool done = true;
    if (!*rest)
        return change == DEBUG_REQUEST_DELETE ? change_one(terminal, change, NULL)
                                              : change_all(terminal, change);
    while (*rest) {
        uint64_t number;
        if (!terminal_take_number(terminal, &rest, "breakpoint", &number))
            return false;
        done = change_one(terminal, change, &number) && done;
    }
    return done;
}

bool terminal_delete(struct terminal *terminal, const char *rest)
{
    return change_breakpoints(terminal, DEBUG_REQUEST_DELETE, rest);
}

bool terminal_enable(struct terminal *terminal, const char *rest)
{
    return change_breakpoints(terminal, DEBUG_REQUEST_ENABLE, rest);
}

bool terminal_disable(struct terminal *terminal, const char *rest)
{
    return change_breakpoints(terminal, DEBUG_REQUEST_DISABLE, rest);
}

/* Sends a change of a breakpoint, which is kept for later processes. */
static bool ask_change(struct terminal *terminal, struct text *request)
{
    struct cJSON *answer = terminal_ask(terminal, request);
    const bool done = answer != NULL;
    if (done)
        debug_journal_keep(&terminal->journal, request, 0);
    json_object_release(answer);
    return done;
}

bool terminal_condition(struct terminal *terminal, const char *rest)
{
    uint64_t number;
    struct text request = TEXT_INIT;
    if (!*rest)
        return terminal_refuse(terminal, "Of which breakpoint? condition 1 acc > 2");
    if (!terminal_take_number(terminal, &rest, "breakpoint", &number))
        return false;
    if (strncmp(rest, "if ", 3) == 0)
        rest += 3;
    debug_request_begin(&request, DEBUG_REQUEST_CHANGE);
    json_number(&request, "number", number);
    terminal_put_expression(terminal, &request, "condition", rest);
    const bool done = ask_change(terminal, &request);
    if (done && *rest)
        text_format(&terminal->text, "Breakpoint %" PRIu64 " stops if %s.\n", number, rest);
    else if (done)
        text_format(&terminal->text, "Breakpoint %" PRIu64 " has no condition any more.\n", number);
    text_release(&request);
    return done;
}

bool terminal_ignore(struct terminal *terminal, const char *rest)
{
    uint64_t number;
    uint64_t count;
    struct text request = TEXT_INIT;
    if (!*rest)
        return terminal_refuse(terminal, "Which breakpoint, and how often? ignore 1 20");
    if (!terminal_take_number(terminal, &rest, "breakpoint", &number))
        return false;
    if (!terminal_number(rest, &count))
        return terminal_refuse(terminal, "How often? ignore 1 20");
    debug_request_begin(&request, DEBUG_REQUEST_CHANGE);
    json_number(&request, "number", number);
    json_number(&request, "ignore", count);
    const bool done = ask_change(terminal, &request);
    if (done)
        text_format(&terminal->text,
                    count == 1 ? "Breakpoint %" PRIu64 " does not stop at its next hit.\n"
                               : "Breakpoint %" PRIu64 " does not stop at its next %" PRIu64
                                 " hits.\n",
                    number, count);
    text_release(&request);
    return done;
}

/* Is the breakpoint where `clear` was told: at a line, or of a function? */
static bool is_at(struct terminal *terminal, const struct cJSON *breakpoint, const char *place)
{
    const char *const function = json_object_text(breakpoint, "function");
    const char *const colon = strrchr(place, ':');
    struct text file = TEXT_INIT;
    uint64_t line = 0;
    uint64_t asked = terminal->shown_line;
    json_object_number(breakpoint, "line", &line);
    if (*place && !terminal_number(colon ? colon + 1 : place, &asked))
        return function && strcmp(function, place) == 0;
    append_file(terminal, breakpoint, &file);
    const size_t length = colon ? (size_t)(colon - place) : 0;
    const bool is_there =
        line && line == asked && (!colon || terminal_word_is(place, length, file.bytes));
    text_release(&file);
    return is_there;
}

bool terminal_clear(struct terminal *terminal, const char *rest)
{
    struct cJSON *answer = terminal_ask_plain(terminal, DEBUG_REQUEST_BREAKPOINTS);
    const struct cJSON *at = json_array_first(json_object_item(answer, "breakpoints"));
    bool any = false;
    for (; at; at = json_array_next(at)) {
        uint64_t number;
        if (!json_object_number(at, "number", &number) || !is_at(terminal, at, rest))
            continue;
        any = true;
        if (change_one(terminal, DEBUG_REQUEST_DELETE, &number))
            text_format(&terminal->text, "Breakpoint %" PRIu64 " is deleted.\n", number);
    }
    const bool done =
        answer && (any || terminal_refuse(terminal, "There is no breakpoint there: "
                                                    "`info breakpoints` lists them."));
    json_object_release(answer);
    return done;
}

void terminal_print_break(const struct terminal *terminal, const struct cJSON *breakpoint,
                          struct text *text)
{
    const char *const function = json_object_text(breakpoint, "function");
    const char *const condition = json_object_text(breakpoint, "condition");
    const char *const watched = json_object_text(breakpoint, "expression");
    const char *const access = json_object_text(breakpoint, "access");
    const struct cJSON *const item = json_object_item(breakpoint, "item");
    uint64_t number;
    if (watched)
        text_format(text, "%s %s",
                    !access || strcmp(access, "write") == 0 ? "watch"
                    : strcmp(access, "read") == 0           ? "rwatch"
                                                            : "awatch",
                    watched);
    else if (function)
        text_format(text, "break %s", function);
    else if (json_object_item(breakpoint, "line")) {
        text_append(text, "break ");
        terminal_print_break_place(terminal, breakpoint, text);
    }
    if (json_array_first(item)) {
        text_append(text, " item ");
        terminal_print_item(item, text);
    }
    if (json_object_number(breakpoint, "hit", &number) && number)
        text_format(text, " hit %" PRIu64, number);
    if (condition)
        text_format(text, " if %s", condition);
}

/* ---- catch and watch ---- */

const char *const terminal_caught[TERMINAL_CAUGHT] = {
    "finding", "nan", "undefined", "divergence", "barrier", "launch", "end",
};

void terminal_note_catch(struct terminal *terminal, const char *what, const char *option, bool on)
{
    for (size_t i = 0; i < TERMINAL_CAUGHT; ++i) {
        struct terminal_catch *caught = &terminal->catches[i];
        if (strcmp(terminal_caught[i], what) != 0)
            continue;
        alloc_free(caught->option);
        *caught = (struct terminal_catch){.on = on, .option = option ? alloc_string(option) : NULL};
    }
}

void terminal_print_catches(const struct terminal *terminal, const char *before, bool counts,
                            struct text *text)
{
    for (size_t i = 0; i < TERMINAL_CAUGHT; ++i) {
        const struct terminal_catch *caught = &terminal->catches[i];
        if (!caught->on)
            continue;
        text_format(text, "%scatch %s%s%s", before, terminal_caught[i], caught->option ? " " : "",
                    caught->option ? caught->option : "");
        if (counts)
            text_format(text, ", hit %" PRIu64 " time%s", caught->hits,
                        caught->hits == 1 ? "" : "s");
        text_append_char(text, '\n');
    }
}

void terminal_catches_release(struct terminal *terminal)
{
    for (size_t i = 0; i < TERMINAL_CAUGHT; ++i)
        alloc_free(terminal->catches[i].option);
}

/* `option`: a rule, or "if CONDITION". */
static bool catch_what(struct terminal *terminal, const char *what, const char *option, bool on)
{
    const char *after = option ? option : "";
    const char *word;
    const size_t length = terminal_take_word(&after, &word);
    if (strcmp(what, "end") == 0 && !option)
        return true;
    if (length && terminal_word_is(word, length, "if"))
        return *after ? terminal_ask_catch(terminal, what, "condition", after, on)
                      : terminal_refuse(terminal, "If what? catch %s if acc > 2", what);
    if (option && strcmp(what, "finding") != 0)
        return terminal_refuse(terminal, "`catch %s` takes no '%s': `help catch` says what does.",
                               what, option);
    if (option && rule_find(option) == RULE_COUNT)
        return terminal_refuse(terminal, "There is no rule '%s': `clerk rules` lists them.",
                               option);
    return terminal_ask_catch(terminal, what, "rule", option, on);
}

bool terminal_catch(struct terminal *terminal, const char *rest)
{
    const char *word;
    const size_t length = terminal_take_word(&rest, &word);
    const bool on = strcmp(rest, "off") != 0;
    const char *const rule = on && *rest ? rest : NULL;
    if (!length)
        return terminal_refuse(terminal,
                               "Catch what? finding [RULE]; nan, undefined, divergence [if COND]; "
                               "barrier, launch, end; catch WHAT off.");
    struct text what = TEXT_INIT;
    text_append_n(&what, word, length);
    const bool done = catch_what(terminal, what.bytes, rule, on);
    if (done) {
        terminal_note_catch(terminal, what.bytes, rule, on);
        text_format(&terminal->text, on ? "Catchpoint: %s%s%s\n" : "No catchpoint: %s\n",
                    what.bytes, rule ? " " : "", rule ? rule : "");
    }
    text_release(&what);
    return done;
}

bool terminal_stop_nowhere(struct terminal *terminal)
{
    struct cJSON *answer = terminal_ask_plain(terminal, DEBUG_REQUEST_DELETE);
    bool done = answer != NULL;
    json_object_release(answer);
    for (size_t i = 0; done && i < TERMINAL_CAUGHT; ++i) {
        terminal_note_catch(terminal, terminal_caught[i], NULL, false);
        done = strcmp(terminal_caught[i], "end") == 0 ||
               terminal_ask_catch(terminal, terminal_caught[i], NULL, NULL, false);
    }
    return done;
}

/* `rest`: EXPR [if COND]. No expression has the word `if`. */
static bool add_watch(struct terminal *terminal, const char *rest, const char *access)
{
    static const char before[] = " if";
    const char *clause = strstr(rest, before);
    while (clause && clause[strlen(before)] && clause[strlen(before)] != ' ')
        clause = strstr(clause + 1, before);
    if (clause && !clause[strlen(before)])
        return terminal_refuse(terminal, "If what? watch out[3] if out[3] > 5");
    if (!*rest)
        return terminal_refuse(terminal, "Watch what? An expression that has an address, "
                                         "as out[3].");
    struct text request = TEXT_INIT;
    struct text expression = TEXT_INIT;
    text_append_n(&expression, rest, clause ? (size_t)(clause - rest) : strlen(rest));
    debug_request_begin(&request, DEBUG_REQUEST_WATCH);
    terminal_put_expression(terminal, &request, "expression", expression.bytes);
    if (clause)
        terminal_put_expression(terminal, &request, "condition", clause + strlen(before) + 1);
    text_release(&expression);
    json_string(&request, "access", access);
    struct cJSON *answer = terminal_ask(terminal, &request);
    const bool done = answer != NULL;
    /* One that was refused has a number, too. */
    debug_journal_keep(&terminal->journal, &request, 0);
    if (done) {
        const struct cJSON *watch = json_object_item(answer, "watch");
        json_object_number(watch, "number", &terminal->last_breakpoint);
        show_breakpoint(terminal, "Watchpoint", watch);
    }
    json_object_release(answer);
    text_release(&request);
    return done;
}

bool terminal_watch(struct terminal *terminal, const char *rest)
{
    return add_watch(terminal, rest, "write");
}

bool terminal_rwatch(struct terminal *terminal, const char *rest)
{
    return add_watch(terminal, rest, "read");
}

bool terminal_awatch(struct terminal *terminal, const char *rest)
{
    return add_watch(terminal, rest, "both");
}
