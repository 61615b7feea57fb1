/* clerk view: a recorded run on a terminal, to walk about in. */
#include "trace/base/file.h"
#include "viewer-cli/origin/search_roots.h"
#include "viewer-cli/reading.h"
#include "viewer-cli/tolerance.h"
#include "viewer-cli/verb.h"
#include "viewer-cli/view/view_pair.h"
#include "viewer-cli/view/view_screen.h"

#include <ncurses.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- moving ---- */

/* Shows this span, within the run and of ten nanoseconds at least. */
static void show_time(struct view *view, double from, double to)
{
    const double begin = (double)view->run.begin_ns;
    const double all = (double)view->run.end_ns - begin;
    double span = to - from;
    span = span < 10 ? 10 : span;
    span = span > all ? all : span;
    from = from > begin + all - span ? begin + all - span : from;
    from = from < begin ? begin : from;
    view->from_ns = (uint64_t)from;
    view->to_ns = (uint64_t)(from + span);
    if (view->to_ns <= view->from_ns)
        view->to_ns = view->from_ns + 1;
}

static void show_all(struct view *view, double unused)
{
    (void)unused;
    show_time(view, (double)view->run.begin_ns, (double)view->run.end_ns);
}

/* Around the chosen call if it is in sight, else around the middle. */
static void zoom(struct view *view, double factor)
{
    const double from = (double)view->from_ns;
    const double to = (double)view->to_ns;
    double around = (from + to) / 2;
    if (view->run.call_count) {
        const double at = (double)view->run.calls[view->call].begin_ns;
        if (at >= from && at <= to)
            around = at;
    }
    show_time(view, around - (around - from) * factor, around + (to - around) * factor);
}

/* By this part of the span that is shown. */
static void pan(struct view *view, double part)
{
    const double by = (double)(view->to_ns - view->from_ns) * part;
    show_time(view, (double)view->from_ns + by, (double)view->to_ns + by);
}

/* Chooses a call, of all if the filter hides it, and moves the time to it if it is out of sight. */
static void choose_call(struct view *view, size_t call)
{
    if (call >= view->run.call_count)
        return;
    const size_t position = view_list_position(&view->list, call);
    if (position >= view_list_count(&view->list, &view->run) ||
        view_list_call(&view->list, position) != call)
        view_list_release(&view->list);
    view->call = call;
    const uint64_t at = view->run.calls[call].begin_ns;
    if (at < view->from_ns || at >= view->to_ns) {
        const double half = (double)(view->to_ns - view->from_ns) / 2;
        show_time(view, (double)at - half, (double)at + half);
    }
}

/* Drawing sees to it that there is text from there on. */
static void scroll_text(struct view *view, double lines)
{
    const double wanted = (double)view->first_line + lines;
    view->first_line = wanted < 0 ? 0 : (size_t)wanted;
}

/* By so many entries of the list, to its end at most. */
static void step(struct view *view, double entries)
{
    const size_t count =
        view->in_findings ? view->run.finding_count : view_list_count(&view->list, &view->run);
    const size_t at =
        view->in_findings ? view->finding : view_list_position(&view->list, view->call);
    if (view->page)
        scroll_text(view, entries);
    if (view->page || !count)
        return;
    const double wanted = (double)at + entries;
    const size_t next = wanted < 0 ? 0 : wanted < (double)count ? (size_t)wanted : count - 1;
    if (!view->in_findings) {
        choose_call(view, view_list_call(&view->list, next));
    } else if (next != view->finding) {
        view->finding = next;
        view->first_line = 0;
    }
}

/* In findings and pages a page is one of the text. */
static void page(struct view *view, double direction)
{
    if (view->page || view->in_findings)
        scroll_text(view, direction * (view->page ? 10 : 5));
    else
        step(view, direction * (double)view_screen_page(view));
}

static void show_calls(struct view *view)
{
    view->in_findings = false;
    view->page = VIEW_PAGE_NONE;
}

static void choose_failed(struct view *view, double unused)
{
    (void)unused;
    for (size_t i = 1; i <= view->run.call_count; ++i) {
        const size_t at = (view->call + i) % view->run.call_count;
        if (!view->run.calls[at].has_failed)
            continue;
        show_calls(view);
        choose_call(view, at);
        return;
    }
    snprintf(view->message, sizeof view->message, "no call failed");
}

static void follow_finding(struct view *view, double unused)
{
    (void)unused;
    if (view->page || !view->in_findings || !view->run.finding_count)
        return;
    show_calls(view);
    choose_call(view, view_run_find(&view->run, view->run.findings[view->finding].call));
}

/* ---- searching ---- */

/* For the words of the last search, this many calls after the chosen one. */
static void search(struct view *view, double ahead)
{
    if (!*view->words || !view->run.call_count)
        return;
    const size_t from = (view->call + (size_t)ahead) % view->run.call_count;
    const size_t found = view_run_search(&view->run, from, view->words);
    show_calls(view);
    if (found < view->run.call_count)
        choose_call(view, found);
    else
        snprintf(view->message, sizeof view->message, "no call says '%s'", view->words);
}

/* Asks for words in the last line; false if the user took it back. */
static bool ask(struct view *view, const char *what, char *words, size_t room)
{
    size_t size = 0;
    words[0] = 0;
    for (;;) {
        snprintf(view->message, sizeof view->message, "%s: %s_", what, words);
        view_screen_draw(view);
        const int key = getch();
        if (key == '\n' || key == KEY_ENTER || key == 27 || key == ERR) {
            view->message[0] = 0;
            return key != 27 && key != ERR;
        }
        if ((key == KEY_BACKSPACE || key == 127 || key == '\b') && size)
            words[--size] = 0;
        else if (key >= ' ' && key < 127 && size + 1 < room) {
            words[size++] = (char)key;
            words[size] = 0;
        }
    }
}

static void ask_and_search(struct view *view, double ahead)
{
    if (ask(view, "search", view->words, sizeof view->words))
        search(view, ahead);
}

/* Without words all calls are listed again. */
static void ask_and_filter(struct view *view, double unused)
{
    char words[sizeof view->filter];
    (void)unused;
    if (!ask(view, "only calls that say", words, sizeof words))
        return;
    show_calls(view);
    view_list_release(&view->list);
    if (!*words)
        return;
    memcpy(view->filter, words, sizeof words);
    if (view_list_filter(&view->list, &view->run, words)) {
        const size_t position = view_list_position(&view->list, view->call);
        choose_call(view,
                    view_list_call(&view->list,
                                   position < view->list.count ? position : view->list.count - 1));
    } else {
        snprintf(view->message, sizeof view->message, "no call says '%s'", words);
    }
}

static void ask_and_go(struct view *view, double unused)
{
    char digits[24];
    char *end;
    (void)unused;
    if (!ask(view, "go to call", digits, sizeof digits))
        return;
    const uint64_t id = strtoull(digits, &end, 10);
    const size_t call = view_run_find(&view->run, id);
    if (end == digits || *end || call >= view->run.call_count || view->run.calls[call].id != id) {
        snprintf(view->message, sizeof view->message, "there is no call '%s'", digits);
        return;
    }
    show_calls(view);
    choose_call(view, call);
}

/* ---- keys ---- */

/* From a page back to the list; else to the other list. */
static void change_list(struct view *view, double unused)
{
    (void)unused;
    view->in_findings = view->page ? view->in_findings : !view->in_findings;
    view->page = VIEW_PAGE_NONE;
    view->first_line = 0;
}

static void show_page(struct view *view, double which)
{
    struct error error;
    view->page = (enum view_page)which;
    view->first_line = 0;
    text_clear(&view->page_text);
    if (view_page_print(&view->run, view->page, &view->page_text, &error))
        text_append(&view->page_text, error.text);
}

static void show_other_tracks(struct view *view, double by)
{
    if (view->run.track_count)
        view->first_track = (view->first_track + (size_t)by) % view->run.track_count;
}

/* More entries than any list has. */
#define ALL 1e15

static const struct {
    int key;
    void (*act)(struct view *view, double amount);
    double amount;
} actions[] = {
    {KEY_UP, step, -1},
    {KEY_DOWN, step, 1},
    {KEY_PPAGE, page, -1},
    {KEY_NPAGE, page, 1},
    {KEY_HOME, step, -ALL},
    {KEY_END, step, ALL},
    {KEY_LEFT, pan, -0.25},
    {KEY_RIGHT, pan, 0.25},
    {'+', zoom, 0.5},
    {'=', zoom, 0.5},
    {'-', zoom, 2},
    {'0', show_all, 0},
    {'\t', change_list, 0},
    {'\n', follow_finding, 0},
    {KEY_ENTER, follow_finding, 0},
    {'e', choose_failed, 0},
    {'f', ask_and_filter, 0},
    {'g', ask_and_go, 0},
    {'?', show_page, VIEW_PAGE_HELP},
    {'h', show_page, VIEW_PAGE_HELP},
    {'l', show_page, VIEW_PAGE_LAUNCHES},
    {'o', show_page, VIEW_PAGE_OBJECTS},
    {'s', show_page, VIEW_PAGE_SOURCES},
    {'x', show_page, VIEW_PAGE_LINES},
    {'/', ask_and_search, 0},
    {'n', search, 1},
    {'t', show_other_tracks, 1},
};

static void view_until_left(struct view *view)
{
    int key;
    show_all(view, 0);
    view_screen_open();
    view_screen_draw(view);
    while ((key = getch()) != 'q' && key != ERR) {
        view->message[0] = 0;
        for (size_t i = 0; i < sizeof actions / sizeof *actions; ++i)
            if (actions[i].key == key)
                actions[i].act(view, actions[i].amount);
        view_screen_draw(view);
    }
    view_screen_close();
}

/* ---- the verb ---- */

static const struct option_row view_options[] = {
    SEARCH_ROOTS_OPTION,
    {"no-queries", 0, OPTION_FLAG, false, NULL,
     "two runs: leave out calls that only ask, which other drivers answer otherwise"},
    TOLERANCE_OPTIONS("the first run's value"),
};

static enum status view_one(const struct options *options, struct error *error)
{
    struct trace *trace = NULL;
    struct view view = {.title = path_base(options_operand(options, 0)),
                        .run.options = options,
                        .page_text = TEXT_INIT};
    enum status status = search_roots_check(options, error);
    if (!status)
        status = reading_open(options_operand(options, 0), &trace, error);
    if (!status)
        status = view_run_load(trace, &view.run, error);
    if (!status)
        view_until_left(&view);
    text_release(&view.page_text);
    view_list_release(&view.list);
    view_run_release(&view.run);
    trace_close(trace);
    return status;
}

static enum status view_two(const struct options *options, struct error *error)
{
    const char *titles[2];
    struct diff_lines lines = {.count = 0};
    enum status status = STATUS_OK;
    for (size_t side = 0; side < 2 && !status; ++side) {
        titles[side] = path_base(options_operand(options, side));
        status = reading_open(options_operand(options, side), &lines.traces[side], error);
    }
    if (!status)
        status = diff_lines_load(&lines, options, error);
    if (!status)
        view_pair_show(&lines, titles);
    diff_lines_release(&lines);
    trace_close(lines.traces[0]);
    trace_close(lines.traces[1]);
    return status;
}

static int run_view(const struct options *options)
{
    const size_t count = options_operand_count(options);
    struct error error;
    if (count < 1 || count > 2)
        return verb_usage(&verb_view, count ? "two traces at most" : "which trace?");
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
        return verb_usage(&verb_view,
                          "this needs a terminal; clerk show prints, of two clerk diff");
    return (count == 1 ? view_one(options, &error) : view_two(options, &error))
               ? verb_fail(&verb_view, &error)
               : VERB_OK;
}

const struct verb verb_view = {
    .name = "view",
    .synopsis = "TRACE [TRACE] [options]",
    .summary = "browse a recorded run in a terminal, or two side by side",
    .options = view_options,
    .option_count = sizeof view_options / sizeof *view_options,
    .help = "The upper part is a timeline: a line a thread (#, ! what failed), a line a\n"
            "queue (=), and * where something was found. Below are the calls or the\n"
            "findings, and what the chosen one says.\n"
            "\n"
            "  Up, Down, PgUp, PgDn, Home, End\n"
            "                  choose a call or finding, or page in its text\n"
            "  Tab, Enter      calls or findings; to the call of a finding\n"
            "  +, -, 0         zoom around the chosen call; the whole run\n"
            "  Left, Right, t  other times; other tracks\n"
            "  /, n, e         search in calls, again; the next call that failed\n"
            "  f, g            list only calls that say some words; go to a call by number\n"
            "  l, o, s, x      pages of launches, objects, sources and executed lines\n"
            "  ?, q            this help; leave\n"
            "\n"
            "Of two runs a line has the calls that belong together, as clerk diff finds them,\n"
            "and an ! between those that differ. Keys are Up, Down, PgUp, PgDn, Home, End and\n"
            "\n"
            "  n, p, d         the next difference, the one before; list only differences\n"
            "  q               leave\n",
    .examples = "  clerk view app.db\n"
                "  clerk view --no-queries cpu.db gpu.db\n",
    .run = run_view,
};
