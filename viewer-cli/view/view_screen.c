#include "viewer-cli/view/view_screen.h"
#include "viewer-cli/shortfall.h"

#include "checkers/finding.h"
#include "trace/base/visible.h"
#include "viewer-cli/verb.h"

#include <inttypes.h>
#include <locale.h>
#include <ncurses.h>
#include <string.h>

enum { NAME_WIDTH = 10, TRACKS_MAX = 6, DETAIL_LINES = 5, FINDINGS_SHOWN = 4, LINE_MAX_SIZE = 512 };
enum { COLOUR_FAILED = 1, COLOUR_QUEUE = 2 };

static const char keys[] =
    "arrows move  +/- zoom  Tab findings  / search  f filter  g go to  ? help  q quit";

void view_screen_open(void)
{
    setlocale(LC_ALL, "");
    initscr();
    cbreak();
    noecho();
    keypad(stdscr, TRUE);
    set_escdelay(25);
    curs_set(0);
    if (has_colors()) {
        start_color();
        use_default_colors();
        init_pair(COLOUR_FAILED, COLOR_RED, -1);
        init_pair(COLOUR_QUEUE, COLOR_GREEN, -1);
    }
}

void view_screen_close(void)
{
    endwin();
}

/* ---- where things are ---- */

static int track_lines(const struct view *view)
{
    const size_t room = LINES > 16 ? TRACKS_MAX : 2;
    return (int)(view->run.track_count < room ? view->run.track_count : room);
}

static int list_top(const struct view *view)
{
    return 3 + track_lines(view);
}

size_t view_screen_page(const struct view *view)
{
    const int room = LINES - 1 - list_top(view);
    int lines = room - 1 - DETAIL_LINES;
    if (view->in_findings)
        lines = view->run.finding_count < FINDINGS_SHOWN ? (int)view->run.finding_count
                                                         : FINDINGS_SHOWN;
    return lines > 0 ? (size_t)lines : 1;
}

/* ---- lines ---- */

void view_screen_put_line(int line, int attributes, const char *text)
{
    char plain[LINE_MAX_SIZE];
    visible_copy(plain, sizeof plain, text);
    attron(attributes);
    mvhline(line, 0, ' ', COLS);
    mvaddnstr(line, 0, plain, COLS);
    attroff(attributes);
}

void view_screen_put_rule(int line, const char *words)
{
    mvhline(line, 0, '-', COLS);
    mvaddnstr(line, 3, words, COLS - 3);
}

static void put_title(const struct view *view)
{
    struct text text = TEXT_INIT;
    text_format(&text, "%s  ", view->title);
    print_count(view->run.call_count, &text);
    text_format(&text, " call%s  ", view->run.call_count == 1 ? "" : "s");
    print_count(view->run.finding_count, &text);
    text_format(&text, " finding%s  shown: ", view->run.finding_count == 1 ? "" : "s");
    print_duration(view->from_ns, &text);
    text_append(&text, " to ");
    print_duration(view->to_ns, &text);
    view_screen_put_line(0, A_REVERSE, text.bytes);
    text_release(&text);
}

/* ---- the timeline ---- */

static int column_of(const struct view *view, uint64_t time)
{
    const double span = (double)(view->to_ns - view->from_ns);
    const double column = ((double)time - (double)view->from_ns) / span * (COLS - NAME_WIDTH);
    return NAME_WIDTH + (int)(column < 0 ? 0 : column > COLS ? COLS : column);
}

/* Where the chosen call begins. */
static void put_marker(const struct view *view)
{
    mvhline(1, 0, ' ', COLS);
    if (!view->run.call_count)
        return;
    const uint64_t at = view->run.calls[view->call].begin_ns;
    if (at >= view->from_ns && at < view->to_ns)
        mvaddch(1, column_of(view, at), 'v' | A_BOLD);
}

/* What an item is drawn as. */
static chtype look_of(const struct view_track *track, const struct view_item *item)
{
    const chtype failed = A_BOLD | COLOR_PAIR(COLOUR_FAILED);
    return item->has_finding  ? '*' | failed
           : item->has_failed ? '!' | failed
           : track->is_queue  ? '=' | COLOR_PAIR(COLOUR_QUEUE)
                              : '#';
}

/* May it be drawn over what stands there? A finding is seen first, then a failed call. */
static bool is_drawn_over(int line, int at, chtype look)
{
    static const char order[] = "*!";
    const char *there = strchr(order, (int)(mvinch(line, at) & A_CHARTEXT));
    const char *mine = strchr(order, (int)(look & A_CHARTEXT));
    return !there || !*there || (mine && mine <= there);
}

/* Each item has a column at least. */
static void put_track(const struct view *view, int line, const struct view_track *track)
{
    int drawn = 0; /* columns before this one have their items */
    mvhline(line, 0, ' ', COLS);
    char name[NAME_WIDTH];
    visible_copy(name, sizeof name, track->name);
    mvaddnstr(line, 0, name, NAME_WIDTH - 1);
    for (size_t i = 0; i < track->item_count; ++i) {
        const struct view_item *item = &track->items[i];
        if (item->begin_ns >= view->to_ns)
            break;
        if (item->end_ns < view->from_ns)
            continue;
        const uint64_t begin = item->begin_ns > view->from_ns ? item->begin_ns : view->from_ns;
        const uint64_t end = item->end_ns < view->to_ns ? item->end_ns : view->to_ns;
        const int first = column_of(view, begin);
        const int last = column_of(view, end) > first ? column_of(view, end) : first + 1;
        const chtype look = look_of(track, item);
        const bool is_special = item->has_failed || item->has_finding;
        for (int at = is_special || first > drawn ? first : drawn; at < last && at < COLS; ++at)
            if (is_drawn_over(line, at, look))
                mvaddch(line, at, look);
        drawn = last > drawn ? last : drawn;
    }
}

static void put_timeline(const struct view *view)
{
    put_marker(view);
    for (int i = 0; i < track_lines(view); ++i)
        put_track(view, 2 + i,
                  &view->run.tracks[(view->first_track + (size_t)i) % view->run.track_count]);
}

/* ---- lists ---- */

static void put_call(const struct view *view, int line, size_t index)
{
    const struct view_call *call = &view->run.calls[index];
    struct text text = TEXT_INIT;
    struct text begin = TEXT_INIT;
    struct text took = TEXT_INIT;
    struct error error;
    print_duration(call->begin_ns, &begin);
    print_duration(call->end_ns - call->begin_ns, &took);
    text_format(&text, "%7" PRIu64 " %3" PRIu32 " %8s %8s  ", call->id, call->thread, begin.bytes,
                took.bytes);
    if (view_run_print_call(&view->run, index, &text, &error))
        text_append(&text, error.text);
    view_screen_put_line(line,
                         (index == view->call ? A_REVERSE : 0) |
                             (call->has_failed ? (int)COLOR_PAIR(COLOUR_FAILED) : 0),
                         text.bytes);
    text_release(&took);
    text_release(&begin);
    text_release(&text);
}

static void put_calls(struct view *view, int top, size_t lines)
{
    const size_t chosen = view_list_position(&view->list, view->call);
    if (chosen < view->first_call)
        view->first_call = chosen;
    if (chosen >= view->first_call + lines)
        view->first_call = chosen - lines + 1;
    for (size_t i = 0; i < lines; ++i)
        if (view->first_call + i < view_list_count(&view->list, &view->run))
            put_call(view, top + (int)i, view_list_call(&view->list, view->first_call + i));
        else
            view_screen_put_line(top + (int)i, 0, "");
}

static void put_findings(const struct view *view, int top, size_t lines)
{
    const size_t first = view->finding < lines ? 0 : view->finding - lines + 1;
    if (!view->run.finding_count)
        view_screen_put_line(top, 0,
                             shortfall_has_no_checks(view->run.trace)
                                 ? "the run was recorded without checks"
                                 : "nothing was found");
    for (size_t i = 0; i < lines && first + i < view->run.finding_count; ++i)
        view_screen_put_line(top + (int)i, first + i == view->finding ? A_REVERSE : 0,
                             view->run.findings[first + i].title);
}

/* ---- the text below ---- */

/* How much of the text stands on its first line of the screen. */
static size_t line_size(const char *text)
{
    size_t size = strcspn(text, "\n");
    if (size <= (size_t)COLS)
        return size;
    for (size = (size_t)COLS; size > 1 && ((unsigned char)text[size] & 0xc0) == 0x80;)
        --size;
    return size;
}

static const char *next_line(const char *text)
{
    text += line_size(text);
    return text + (*text == '\n');
}

void view_screen_put_text(int top, int lines, const char *text, size_t *first)
{
    size_t count = 0;
    for (const char *at = text; *at; at = next_line(at))
        ++count;
    const size_t last = lines > 0 && count > (size_t)lines ? count - (size_t)lines : 0;
    *first = *first < last ? *first : last;
    for (size_t i = 0; i < *first; ++i)
        text = next_line(text);
    for (int i = 0; i < lines; ++i) {
        char line[LINE_MAX_SIZE];
        snprintf(line, sizeof line, "%.*s", (int)line_size(text), text);
        view_screen_put_line(top + i, 0, line);
        text = next_line(text);
    }
}

static void put_detail(struct view *view, int top, int lines)
{
    struct text text = TEXT_INIT;
    struct error error;
    size_t first = 0;
    enum status status = STATUS_OK;
    if (view->in_findings && view->run.finding_count) {
        const struct view_finding *chosen = &view->run.findings[view->finding];
        if (chosen->finding)
            finding_print_text(chosen->finding, false, (size_t)COLS, &text);
        view_screen_put_text(top, lines, text.bytes, &view->first_line);
    } else if (!view->in_findings && view->run.call_count) {
        status = view_run_print_call(&view->run, view->call, &text, &error);
        text_append_char(&text, '\n');
        if (!status)
            status = view_run_print_given(&view->run, view->call, &text, &error);
        struct text shown = TEXT_INIT;
        text_append_visible(&shown, status ? error.text : text.bytes, VISIBLE_LINES);
        view_screen_put_text(top, lines, shown.bytes, &first);
        text_release(&shown);
    }
    text_release(&text);
}

static void put_page(struct view *view, int top)
{
    char title[80];
    struct text shown = TEXT_INIT;
    snprintf(title, sizeof title, " %s - back: Tab ", view_page_title(view->page));
    view_screen_put_rule(top - 1, title);
    text_append_visible(&shown, view->page_text.bytes, VISIBLE_LINES);
    view_screen_put_text(top, LINES - 1 - top, shown.bytes, &view->first_line);
    text_release(&shown);
}

static void put_list(struct view *view, int top)
{
    const size_t page = view_screen_page(view);
    const int detail = top + (int)page + 1;
    char title[sizeof view->filter + 64];
    snprintf(title, sizeof title, " CALLS that say '%s' - all: f Enter ", view->filter);
    view_screen_put_rule(top - 1, view->in_findings  ? " FINDINGS - calls: Tab "
                                  : view->list.calls ? title
                                                     : " CALLS - findings: Tab ");
    if (view->in_findings)
        put_findings(view, top, page);
    else
        put_calls(view, top, page);
    view_screen_put_rule(detail - 1, "");
    put_detail(view, detail, LINES - 1 - detail);
}

void view_screen_draw(struct view *view)
{
    erase();
    put_title(view);
    put_timeline(view);
    if (view->page)
        put_page(view, list_top(view));
    else
        put_list(view, list_top(view));
    view_screen_put_line(LINES - 1, A_REVERSE, *view->message ? view->message : keys);
    refresh();
}
