#include "viewer-cli/view/view_pair.h"

#include "trace/base/visible.h"
#include "viewer-cli/verb.h"
#include "viewer-cli/view/view_screen.h"

#include <inttypes.h>
#include <ncurses.h>
#include <stdio.h>

enum { DETAIL_LINES = 8, HALF_MAX = 256 };

static const char keys[] =
    "arrows move  n next difference  p the one before  d only differences  q quit";

struct pair_view {
    const struct diff_lines *lines;
    const char *const *titles;
    size_t chosen, top; /* lines */
    bool only_different;
};

static bool is_shown(const struct pair_view *view, size_t line)
{
    return !view->only_different || view->lines->lines[line].words;
}

/* So many lines that are shown on from the chosen one, or back; to the last of them at most. */
static void move_by(struct pair_view *view, size_t count, bool forward)
{
    size_t at = view->chosen;
    while (count && (forward ? at + 1 < view->lines->count : at > 0)) {
        at = forward ? at + 1 : at - 1;
        if (is_shown(view, at)) {
            view->chosen = at;
            --count;
        }
    }
}

static void find_different(struct pair_view *view, bool forward)
{
    const bool only_different = view->only_different;
    view->only_different = true;
    move_by(view, 1, forward);
    view->only_different = only_different;
}

static void toggle_different(struct pair_view *view)
{
    if (!view->lines->different)
        return;
    view->only_different = !view->only_different;
    if (is_shown(view, view->chosen))
        return;
    const size_t before = view->chosen;
    move_by(view, 1, true);
    if (view->chosen == before)
        move_by(view, 1, false);
}

/* ---- drawing ---- */

static int list_lines(void)
{
    const int lines = LINES - 3 - DETAIL_LINES;
    return lines > 0 ? lines : 1;
}

static void put_half(const struct pair_view *view, int line, size_t index, int side, int width)
{
    struct text text = TEXT_INIT;
    struct error error;
    char half[HALF_MAX];
    const uint64_t id = view->lines->lines[index].ids[side];
    if (id)
        text_format(&text, "%7" PRIu64 " ", id);
    if (diff_lines_print(view->lines, index, side, &text, &error))
        text_append(&text, error.text);
    visible_copy(half, sizeof half, text.bytes);
    mvaddnstr(line, side ? COLS - width : 0, half, width);
    text_release(&text);
}

static void put_pair(const struct pair_view *view, int line, size_t index)
{
    const bool differs = view->lines->lines[index].words != NULL;
    const int width = (COLS - 3) / 2;
    const int attributes = (index == view->chosen ? (int)A_REVERSE : 0);
    view_screen_put_line(line, attributes, "");
    attron(attributes);
    put_half(view, line, index, 0, width);
    put_half(view, line, index, 1, width);
    mvaddch(line, width + 1, differs ? '!' | A_BOLD : '|');
    attroff(attributes);
}

/* Scrolls to the chosen line. */
static void put_pairs(struct pair_view *view)
{
    const int room = list_lines();
    size_t before = 0;
    size_t first = view->chosen;
    for (size_t at = view->chosen; at > view->top && before + 1 < (size_t)room;) {
        --at;
        if (is_shown(view, at)) {
            first = at;
            ++before;
        }
    }
    view->top = first;
    int line = 0;
    for (size_t at = first; at < view->lines->count && line < room; ++at)
        if (is_shown(view, at))
            put_pair(view, 1 + line++, at);
}

static void put_detail(const struct pair_view *view)
{
    const struct diff_line *line = &view->lines->lines[view->chosen];
    struct text text = TEXT_INIT;
    struct text shown = TEXT_INIT;
    struct error error;
    size_t first = 0;
    text_append(&text, line->words ? line->words : "equal except for times and addresses");
    for (int side = 0; side < 2; ++side) {
        if (!line->ids[side])
            continue;
        text_format(&text, "\n%s: ", view->titles[side]);
        if (diff_lines_print(view->lines, view->chosen, side, &text, &error))
            text_append(&text, error.text);
    }
    text_append_visible(&shown, text.bytes, VISIBLE_LINES);
    view_screen_put_text(2 + list_lines(), DETAIL_LINES, shown.bytes, &first);
    text_release(&shown);
    text_release(&text);
}

static void draw(struct pair_view *view)
{
    struct text title = TEXT_INIT;
    erase();
    text_format(&title, "%s and %s  ", view->titles[0], view->titles[1]);
    print_count(view->lines->count, &title);
    text_append(&title, view->lines->count == 1 ? " pair of calls  " : " pairs of calls  ");
    print_count(view->lines->different, &title);
    text_append(&title, view->lines->different == 1 ? " differs" : " differ");
    view_screen_put_line(0, A_REVERSE, title.bytes);
    text_release(&title);
    view_screen_put_rule(1 + list_lines(), "");
    if (view->lines->count) {
        put_pairs(view);
        put_detail(view);
    }
    view_screen_put_line(LINES - 1, A_REVERSE, keys);
    refresh();
}

/* ---- keys ---- */

static void act(struct pair_view *view, int key)
{
    const size_t page = (size_t)list_lines();
    switch (key) {
    case KEY_UP:
    case KEY_DOWN:
        move_by(view, 1, key == KEY_DOWN);
        break;
    case KEY_PPAGE:
    case KEY_NPAGE:
        move_by(view, page, key == KEY_NPAGE);
        break;
    case KEY_HOME:
    case KEY_END:
        move_by(view, SIZE_MAX, key == KEY_END);
        break;
    case 'n':
    case 'p':
        find_different(view, key == 'n');
        break;
    case 'd':
        toggle_different(view);
        break;
    default:
        break;
    }
}

void view_pair_show(const struct diff_lines *lines, const char *const titles[2])
{
    struct pair_view view = {.lines = lines, .titles = titles};
    int key;
    view_screen_open();
    draw(&view);
    while ((key = getch()) != 'q' && key != ERR) {
        act(&view, key);
        draw(&view);
    }
    view_screen_close();
}
