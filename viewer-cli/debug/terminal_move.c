/* Commands by which the process goes on, or the focus moves. */
#include "viewer-cli/debug/terminal.h"

#include "trace/base/json.h"
#include "trace/base/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- where it stands ---- */

static bool changes(struct text *shown, const char *now)
{
    if (strcmp(shown->bytes, now) == 0)
        return false;
    text_clear(shown);
    text_append(shown, now);
    return true;
}

void terminal_show_focus(struct terminal *terminal, const struct cJSON *focus, bool all)
{
    struct text *text = &terminal->text;
    const struct cJSON *const place = json_object_item(focus, "place");
    const char *const function = json_object_text(place, "function");
    const char *const file = json_object_text(place, "file");
    const char *const state = json_object_text(focus, "state");
    struct text item = TEXT_INIT;
    uint64_t line = 0;
    uint64_t launch = 0;
    uint64_t program;
    json_object_number(place, "line", &line);
    json_object_number(focus, "launch", &launch);
    if (launch != terminal->shown_launch) {
        terminal_forget_sources(terminal);
        terminal_name_program(terminal, launch);
        if (!terminal->trace.path && json_object_number(focus, "program", &program))
            text_format(&terminal->program, "program#%" PRIu64, program);
    }
    terminal->shown_launch = launch;
    terminal_print_item(json_object_item(focus, "item"), &item);
    all = changes(&terminal->shown_function, function ? function : "") || all;
    all = changes(&terminal->shown_item, item.bytes) || all;
    changes(&terminal->shown_file, file ? file : "");
    terminal->shown_line = line;
    terminal->listed_line = 0;
    terminal->listed_from = 0;
    const bool is_active = !state || strcmp(state, "active") == 0;
    if (all || !is_active) {
        text_format(text, "item %s", item.bytes);
        if (place) {
            text_append(text, " in ");
            terminal_print_place(terminal, place, text);
        }
        if (!is_active)
            text_format(text, " (%s)", state);
        text_append_char(text, '\n');
    }
    const bool has_text = file && line && terminal_show_line(terminal, file, line);
    if (!has_text && !all && is_active && place) {
        terminal_print_place(terminal, place, text);
        text_append_char(text, '\n');
    }
    text_release(&item);
}

/* "Breakpoint 1, 3" */
static void show_hits(struct terminal *terminal, const struct cJSON *stop)
{
    const struct cJSON *at = json_array_first(json_object_item(stop, "breakpoints"));
    const char *before = "Breakpoint ";
    if (!at)
        return;
    for (; at; at = json_array_next(at)) {
        uint64_t number;
        if (!json_item_number(at, &number))
            continue;
        debug_journal_hit(&terminal->journal, number);
        text_format(&terminal->text, "%s%" PRIu64, before, number);
        before = ", ";
    }
    text_append_char(&terminal->text, '\n');
}

/* Of several launches that have names elsewhere, which it is. */
static void show_launch(struct terminal *terminal, const struct cJSON *focus)
{
    const char *kernel = json_object_text(focus, "kernel");
    uint64_t launch;
    if (terminal->finds_path && json_object_number(focus, "launch", &launch) &&
        launch != terminal->shown_launch)
        text_format(&terminal->text, "launch %" PRIu64 " (%s)\n", launch, kernel ? kernel : "?");
}

/* `is_told`: why it stopped was said. */
static void show_where(struct terminal *terminal, const struct cJSON *stop, bool is_told)
{
    const char *const reason = json_object_text(stop, "reason");
    const char *const sentence = json_object_text(stop, "text");
    const bool is_step = reason && strcmp(reason, "step") == 0;
    const struct cJSON *focus = json_object_item(stop, "focus");
    const struct cJSON *const watch = json_array_first(json_object_item(stop, "watches"));
    uint64_t number;
    show_launch(terminal, focus);
    if (reason && strcmp(reason, "pause") == 0) /* behind ^C, which the terminal has shown */
        text_append(&terminal->text, terminal->batch ? "Paused.\n" : "\nPaused.\n");
    if (json_item_number(watch, &number))
        text_format(&terminal->text, "Watchpoint %" PRIu64 ": ", number);
    if (sentence && *sentence && !is_told)
        text_format(&terminal->text, "%s\n", sentence);
    show_hits(terminal, stop);
    if (focus)
        terminal_show_focus(terminal, focus, !is_step);
}

static void show_stop(struct terminal *terminal, const struct cJSON *stop)
{
    show_where(terminal, stop, false);
}

/* Does it stand at the end of a launch, where nobody asked it to stop? */
static bool is_mere_end(const struct terminal *terminal, const struct cJSON *answer)
{
    const char *reason = json_object_text(json_object_item(answer, "stop"), "reason");
    return !terminal->catches[TERMINAL_CAUGHT - 1].on && reason && strcmp(reason, "end") == 0;
}

static void count_catch(struct terminal *terminal, const struct cJSON *stop)
{
    const char *const reason = json_object_text(stop, "reason");
    for (size_t i = 0; reason && i < TERMINAL_CAUGHT; ++i)
        if (strcmp(terminal_caught[i], reason) == 0)
            ++terminal->catches[i].hits;
}

/* It has stopped there, unlike a place that is shown once more. */
static void arrive(struct terminal *terminal, const struct cJSON *stop)
{
    const bool is_silent = terminal_begin_stop(terminal, stop);
    const size_t size = terminal->text.size;
    count_catch(terminal, stop);
    show_stop(terminal, stop);
    if (is_silent) {
        terminal->text.size = size;
        terminal->text.bytes[size] = 0;
    } else {
        terminal_show_displays(terminal);
    }
}

bool terminal_resume(struct terminal *terminal, struct text *request)
{
    terminal_drop_stop_lines(terminal);
    terminal->has_run = true;
    terminal->has_refused = false;
    struct cJSON *answer = terminal_ask(terminal, request);
    while (answer && is_mere_end(terminal, answer)) {
        terminal_show_output(terminal, answer);
        json_object_release(answer);
        answer = terminal_ask_plain(terminal, DEBUG_REQUEST_CONTINUE);
    }
    terminal_show_output(terminal, answer);
    if (answer)
        arrive(terminal, json_object_item(answer, "stop"));
    json_object_release(answer);
    text_release(request);
    /* A process that ended instead did what was wanted, and that is told. */
    return !terminal->has_refused;
}

static bool resume_plain(struct terminal *terminal, enum debug_request request)
{
    struct text text = TEXT_INIT;
    debug_request_begin(&text, request);
    return terminal_resume(terminal, &text);
}

/* `rest`: how often, or nothing. */
static bool resume_counted(struct terminal *terminal, enum debug_request request,
                           const char *granularity, const char *rest)
{
    struct text text = TEXT_INIT;
    uint64_t count = 1;
    if (*rest && !terminal_number(rest, &count))
        return terminal_refuse(terminal, "How often? '%s' is no number.", rest);
    debug_request_begin(&text, request);
    json_string(&text, "granularity", granularity);
    json_number(&text, "count", count);
    return terminal_resume(terminal, &text);
}

/* ---- the process ---- */

/* A process that is killed by us has nothing more to say. */
static void drop_process(struct terminal *terminal)
{
    debug_session_destroy(terminal->session);
    terminal->session = NULL;
}

static bool show_position(struct terminal *terminal)
{
    struct cJSON *answer = terminal_ask_plain(terminal, DEBUG_REQUEST_POSITION);
    const bool known = answer != NULL;
    if (known)
        show_stop(terminal, json_object_item(answer, "stop"));
    json_object_release(answer);
    return known;
}

static bool show_focus_again(struct terminal *terminal)
{
    struct cJSON *answer = terminal_ask_plain(terminal, DEBUG_REQUEST_POSITION);
    const struct cJSON *focus = json_object_item(json_object_item(answer, "stop"), "focus");
    const bool known = answer != NULL;
    if (focus)
        terminal_show_focus(terminal, focus, true);
    json_object_release(answer);
    return known;
}

/* Of a recorded run the words say which launch it begins with. */
static bool choose_words(struct terminal *terminal)
{
    struct terminal_trace *trace = &terminal->trace;
    struct error error;
    if (!trace->path)
        return true;
    kernel_words_release(&trace->words);
    const enum status status =
        recorded_words(&trace->words, trace->path, trace->personality, trace->launch, &error);
    terminal->start.words = trace->words.words;
    terminal->start.word_count = trace->words.count;
    return status == STATUS_OK || terminal_refuse(terminal, "%s", error.text);
}

static bool start(struct terminal *terminal)
{
    drop_process(terminal);
    terminal->shown_launch = 0;
    return choose_words(terminal) && terminal_start(terminal);
}

bool terminal_do_start(struct terminal *terminal, const char *rest)
{
    (void)rest;
    return start(terminal) && show_position(terminal);
}

bool terminal_do_run(struct terminal *terminal, const char *rest)
{
    (void)rest;
    if ((!terminal->session || terminal->has_run) && !start(terminal))
        return false;
    return resume_plain(terminal, DEBUG_REQUEST_CONTINUE);
}

bool terminal_kill(struct terminal *terminal, const char *rest)
{
    (void)rest;
    drop_process(terminal);
    text_append(&terminal->text, "The process was killed.\n");
    return true;
}

bool terminal_detach(struct terminal *terminal, const char *rest)
{
    (void)rest;
    if (!terminal_stop_nowhere(terminal))
        return false;
    while (terminal->session && resume_plain(terminal, DEBUG_REQUEST_CONTINUE))
        ;
    return !terminal->session;
}

bool terminal_quit(struct terminal *terminal, const char *rest)
{
    (void)rest;
    terminal->ends = true;
    return true;
}

/* ---- going on ---- */

bool terminal_continue(struct terminal *terminal, const char *rest)
{
    uint64_t count = 1;
    if (*rest && !terminal_number(rest, &count))
        return terminal_refuse(terminal, "How often? '%s' is no number.", rest);
    bool done = true;
    for (; done && count && terminal->session; --count)
        done = resume_plain(terminal, DEBUG_REQUEST_CONTINUE);
    return done;
}

bool terminal_step(struct terminal *terminal, const char *rest)
{
    const char *word;
    const char *behind = rest;
    const size_t length = terminal_take_word(&behind, &word);
    if (terminal_word_is(word, length, "group"))
        return resume_counted(terminal, DEBUG_REQUEST_ADVANCE_GROUP, NULL, behind);
    if (strcmp(rest, "column") == 0 || strcmp(rest, "--column") == 0)
        return resume_counted(terminal, DEBUG_REQUEST_STEP, "column", "");
    return resume_counted(terminal, DEBUG_REQUEST_STEP, NULL, rest);
}

bool terminal_next(struct terminal *terminal, const char *rest)
{
    return resume_counted(terminal, DEBUG_REQUEST_NEXT, NULL, rest);
}

bool terminal_stepi(struct terminal *terminal, const char *rest)
{
    return resume_counted(terminal, DEBUG_REQUEST_STEP, "instruction", rest);
}

bool terminal_finish(struct terminal *terminal, const char *rest)
{
    (void)rest;
    return resume_plain(terminal, DEBUG_REQUEST_FINISH);
}

/* A breakpoint that was for one time alone, wherever it stopped. */
static void drop_breakpoint(struct terminal *terminal, uint64_t number)
{
    struct text request = TEXT_INIT;
    debug_journal_hit(&terminal->journal, number);
    debug_request_begin(&request, DEBUG_REQUEST_DELETE);
    json_number(&request, "number", number);
    json_object_release(terminal_ask(terminal, &request));
    text_release(&request);
}

/* By a breakpoint for the focus item alone. */
static bool advance_to(struct terminal *terminal, const char *place)
{
    const uint64_t last = terminal->last_breakpoint;
    struct text once = TEXT_INIT;
    text_format(&once, "%s item %s", place, terminal->shown_item.bytes);
    bool done = terminal_tbreak(terminal, once.bytes);
    if (done) {
        const uint64_t number = terminal->last_breakpoint;
        done = terminal_continue(terminal, "");
        drop_breakpoint(terminal, number);
    }
    terminal->last_breakpoint = last;
    text_release(&once);
    return done;
}

bool terminal_until(struct terminal *terminal, const char *rest)
{
    uint64_t line;
    if (!*rest)
        return terminal_next(terminal, rest);
    if (!terminal_number(rest, &line))
        return advance_to(terminal, rest);
    struct text text = TEXT_INIT;
    debug_request_begin(&text, DEBUG_REQUEST_UNTIL);
    json_number(&text, "line", line);
    if (*terminal->shown_file.bytes)
        json_string(&text, "file", terminal->shown_file.bytes);
    return terminal_resume(terminal, &text);
}

bool terminal_reverse_step(struct terminal *terminal, const char *rest)
{
    if (strncmp(rest, "group", 5) == 0)
        return terminal_refuse(terminal, "Backwards goes one item at a time: reverse-step; a group "
                                         "goes to a position, as `when` shows it: goto.");
    return resume_counted(terminal, DEBUG_REQUEST_REVERSE_STEP, NULL, rest);
}

bool terminal_reverse_next(struct terminal *terminal, const char *rest)
{
    return resume_counted(terminal, DEBUG_REQUEST_REVERSE_NEXT, NULL, rest);
}

bool terminal_reverse_stepi(struct terminal *terminal, const char *rest)
{
    return resume_counted(terminal, DEBUG_REQUEST_REVERSE_STEP, "instruction", rest);
}

bool terminal_reverse_finish(struct terminal *terminal, const char *rest)
{
    (void)rest;
    return resume_plain(terminal, DEBUG_REQUEST_REVERSE_FINISH);
}

bool terminal_reverse_continue(struct terminal *terminal, const char *rest)
{
    (void)rest;
    return resume_plain(terminal, DEBUG_REQUEST_REVERSE_CONTINUE);
}

bool terminal_open_launch_of(struct terminal *terminal, const char *position)
{
    uint64_t launch;
    return !terminal->trace.path || !number_take(&position, &launch) || *position != ':' ||
           launch == terminal->shown_launch || terminal_open_launch(terminal, launch);
}

bool terminal_goto(struct terminal *terminal, const char *rest)
{
    if (!*rest)
        return terminal_refuse(terminal, "Where to? `when` shows positions: goto 1:25200.");
    if (!terminal_open_launch_of(terminal, rest))
        return false;
    struct text text = TEXT_INIT;
    debug_request_begin(&text, DEBUG_REQUEST_GOTO);
    json_string(&text, "position", rest);
    return terminal_resume(terminal, &text);
}

bool terminal_other(struct terminal *terminal, const char *rest)
{
    (void)rest;
    return resume_plain(terminal, DEBUG_REQUEST_OTHER);
}

/* ---- a recorded run ---- */

bool terminal_open_launch(struct terminal *terminal, uint64_t launch)
{
    struct error error;
    if (!terminal->trace.path)
        return terminal_refuse(terminal, "What is debugged is no recorded run: `continue` goes to "
                                         "later launches, and `catch launch` stops at each.");
    if (recorded_check_launch(terminal->trace.path, launch, &error))
        return terminal_refuse(terminal, "%s", error.text);
    terminal->trace.launch = launch;
    return terminal_do_start(terminal, "");
}

/* Is it where the finding is made that is looked for? */
static bool is_found(const struct terminal *terminal, const struct cJSON *answer)
{
    const struct cJSON *found = json_object_item(json_object_item(answer, "stop"), "finding");
    return found && recorded_finding_is(&terminal->trace.finding, found);
}

static bool is_end(const struct cJSON *answer)
{
    const char *reason = json_object_text(json_object_item(answer, "stop"), "reason");
    return reason && strcmp(reason, "end") == 0;
}

/* Runs until the finding is made, whatever else would stop it before. */
static bool run_to_finding(struct terminal *terminal)
{
    const struct recorded_finding *finding = &terminal->trace.finding;
    struct cJSON *answer = NULL;
    terminal->has_run = true;
    do {
        json_object_release(answer);
        answer = terminal_ask_plain(terminal, DEBUG_REQUEST_CONTINUE);
        terminal_show_output(terminal, answer);
    } while (answer && !is_found(terminal, answer) && !is_end(answer));
    const bool found = is_found(terminal, answer);
    text_append(&terminal->text, finding->text);
    if (found)
        show_where(terminal, json_object_item(answer, "stop"), true);
    else if (answer)
        terminal_refuse(terminal, "The launch has ended, and the finding was not made at one of "
                                  "its lines on this device.");
    json_object_release(answer);
    return found;
}

bool terminal_open_finding(struct terminal *terminal, uint64_t number)
{
    struct recorded_finding *finding = &terminal->trace.finding;
    struct error error;
    if (!terminal->trace.path)
        return terminal_refuse(terminal, "What is debugged is no recorded run.");
    recorded_finding_release(finding);
    if (recorded_finding_read(terminal->trace.path, number, finding, &error)) {
        recorded_finding_release(finding);
        return terminal_refuse(terminal, "%s", error.text);
    }
    return terminal_open_launch(terminal, finding->launch) &&
           terminal_ask_catch(terminal, "finding", "rule", finding->rule, true) &&
           run_to_finding(terminal);
}

/* ---- the focus ---- */

/* What one may focus on by a word and numbers. */
static const struct {
    const char *word;
    bool is_list; /* up to three numbers; else one */
} focuses[] = {
    {"item", true},
    {"group", true},
    {"lane", false},
    {"thread", false},
};

static bool focus_on(struct terminal *terminal, struct text *request)
{
    struct cJSON *answer = terminal_ask(terminal, request);
    const bool moved = answer != NULL;
    const struct cJSON *stop = json_object_item(answer, "stop");
    if (stop) { /* it was not there now: that is elsewhere in time */
        terminal_show_output(terminal, answer);
        show_stop(terminal, stop);
    } else if (moved) {
        terminal_show_focus(terminal, json_object_item(answer, "focus"), true);
    }
    json_object_release(answer);
    return moved;
}

/* False where it is neither. */
static bool put_focus(struct text *request, const char *word, size_t length, const char *rest)
{
    for (size_t i = 0; i < sizeof focuses / sizeof *focuses; ++i) {
        uint64_t number;
        if (strlen(focuses[i].word) != length || memcmp(word, focuses[i].word, length) != 0)
            continue;
        if (focuses[i].is_list)
            return terminal_put_numbers(request, focuses[i].word, rest);
        if (!terminal_number(rest, &number))
            return false;
        json_number(request, focuses[i].word, number);
        return true;
    }
    return false;
}

bool terminal_focus(struct terminal *terminal, const char *rest)
{
    if (!*rest && terminal->session)
        return show_focus_again(terminal);
    struct text request = TEXT_INIT;
    const char *const all = rest;
    const char *word;
    const size_t length = terminal_take_word(&rest, &word);
    uint64_t number;
    if (terminal_word_is(word, length, "launch") && terminal_number(rest, &number))
        return terminal_open_launch(terminal, number);
    if (terminal_word_is(word, length, "finding") && terminal_number(rest, &number))
        return terminal_open_finding(terminal, number);
    if (!terminal->session)
        return terminal_refuse(terminal, "There is no process: `run` or `start` starts one.");
    debug_request_begin(&request, DEBUG_REQUEST_FOCUS);
    /* A number alone is that of an item. */
    const bool good =
        put_focus(&request, word, length, rest) || terminal_put_numbers(&request, "item", all);
    const bool moved =
        good ? focus_on(terminal, &request)
             : terminal_refuse(terminal, "On what? focus item 3,0,0; group 1,0,0; lane 5; "
                                         "thread 2; launch 7; finding 2.");
    text_release(&request);
    return moved;
}

bool terminal_thread(struct terminal *terminal, const char *rest)
{
    uint64_t number;
    struct text request = TEXT_INIT;
    if (!*rest)
        return show_focus_again(terminal);
    if (!terminal_take_number(terminal, &rest, "thread", &number))
        return false;
    debug_request_begin(&request, DEBUG_REQUEST_FOCUS);
    json_number(&request, "thread", number);
    const bool moved = focus_on(terminal, &request);
    text_release(&request);
    return moved;
}

static bool select_frame(struct terminal *terminal, uint64_t frame)
{
    struct text request = TEXT_INIT;
    debug_request_begin(&request, DEBUG_REQUEST_FOCUS);
    json_number(&request, "frame", frame);
    const bool moved = focus_on(terminal, &request);
    text_release(&request);
    return moved;
}

static bool current_frame(struct terminal *terminal, uint64_t *frame)
{
    struct cJSON *answer = terminal_ask_plain(terminal, DEBUG_REQUEST_POSITION);
    *frame = 0;
    json_object_number(json_object_item(json_object_item(answer, "stop"), "focus"), "frame", frame);
    json_object_release(answer);
    return answer != NULL;
}

bool terminal_frame(struct terminal *terminal, const char *rest)
{
    uint64_t frame;
    if (!*rest)
        return show_focus_again(terminal);
    if (!terminal_number(rest, &frame))
        return terminal_refuse(terminal, "Which frame? '%s' is no number.", rest);
    return select_frame(terminal, frame);
}

/* By so many frames, to the callers or back. */
static bool move_frame(struct terminal *terminal, const char *rest, bool up)
{
    uint64_t count = 1;
    uint64_t frame;
    if (*rest && !terminal_number(rest, &count))
        return terminal_refuse(terminal, "How many frames? '%s' is no number.", rest);
    if (!current_frame(terminal, &frame))
        return false;
    if (!up && frame == 0)
        return terminal_refuse(terminal, "This is the innermost frame.");
    return select_frame(terminal, up ? frame + count : count < frame ? frame - count : 0);
}

bool terminal_up(struct terminal *terminal, const char *rest)
{
    return move_frame(terminal, rest, true);
}

bool terminal_down(struct terminal *terminal, const char *rest)
{
    return move_frame(terminal, rest, false);
}
