/* The screen of clerk view, by ncurses:
 *
 *     app.db  21 calls  1 finding  shown: 7.7 ms to 206 ms
 *                        v                              where the chosen call begins
 *     thread 1 ####  # ## *
 *     queue#1            ==
 *     -- calls -- findings (1) ---
 *      103  1  198 ms  37 us  clEnqueueNDRangeKernel(...)
 *     ---
 *     what the chosen call, or finding, says
 *     keys, or what is asked
 */
#ifndef VIEWER_CLI_VIEW_VIEW_SCREEN_H
#define VIEWER_CLI_VIEW_VIEW_SCREEN_H

#include "checkers/finding.h"
#include "trace/base/arena.h"
#include "trace/base/options.h"
#include "trace/base/status.h"
#include "trace/base/text.h"
#include "trace/reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- view_run.c ---- */

/* What clerk view holds of a run: its calls as numbers, its findings as text, and both the threads
 * and the queues as tracks of a timeline. What a call says is read when it is looked at. */

struct view_call {
    uint64_t id;
    uint64_t begin_ns, end_ns; /* of one that never returned: when the run ended */
    uint32_t thread;
    bool has_failed;
};

struct view_item {
    uint64_t begin_ns, end_ns;
    bool has_failed, has_finding;
};

struct view_track {
    const char *name;
    bool is_queue;
    struct view_item *items; /* by begin */
    size_t item_count, item_capacity;
};

struct view_finding {
    uint64_t call;                 /* id; 0 = none */
    const char *title;             /* "error: [race-local] work-items ..." */
    const struct finding *finding; /* NULL of a rule that this clerk does not know */
};

struct view_run {
    const struct options *options; /* that may have --source-dir; NULL = none */
    struct trace *trace;
    struct view_call *calls; /* by id */
    size_t call_count, call_capacity;
    struct view_track *tracks;
    size_t track_count, track_capacity;
    struct view_finding *findings;
    size_t finding_count, finding_capacity;
    uint64_t begin_ns, end_ns; /* of everything; they differ */
    struct arena arena;        /* the strings */
};

/* Fills *run, zero-initialised but for the options; `trace` is borrowed. Release it also after a
 * failure. */
enum status view_run_load(struct trace *trace, struct view_run *run, struct error *error);
void view_run_release(struct view_run *run);

/* The index of the call with this id, or of the next one after it; call_count if there is none. */
size_t view_run_find(const struct view_run *run, uint64_t id);
/* Appends the call as a person reads it, after what was found at it. */
enum status view_run_print_call(const struct view_run *run, size_t call, struct text *text,
                                struct error *error);
/* Appends the arguments of the kernel that the call launched, if it did. */
enum status view_run_print_given(const struct view_run *run, size_t call, struct text *text,
                                 struct error *error);
/* The first call from `call` on, round the end, whose words hold these; call_count if none does. */
size_t view_run_search(const struct view_run *run, size_t call, const char *words);

/* ---- view_page.c ---- */

/* Pages of text in place of the list. */
enum view_page {
    VIEW_PAGE_NONE,
    VIEW_PAGE_HELP,
    VIEW_PAGE_LAUNCHES,
    VIEW_PAGE_OBJECTS,
    VIEW_PAGE_SOURCES,
    VIEW_PAGE_LINES,
    VIEW_PAGE_COUNT
};
const char *view_page_title(enum view_page page);
/* Appends its lines; only the first thousands of launches and objects. */
enum status view_page_print(const struct view_run *run, enum view_page page, struct text *text,
                            struct error *error);

/* ---- view_list.c: the calls of the list, all or those that a filter lets through ---- */

struct view_list {
    size_t *calls; /* indices, ascending; NULL: all */
    size_t count, capacity;
};
size_t view_list_count(const struct view_list *list, const struct view_run *run);
size_t view_list_call(const struct view_list *list, size_t position);
/* The position of the call, or of the next one after it. */
size_t view_list_position(const struct view_list *list, size_t call);
/* Lists the calls that say `words`; false, with all listed, if none does or memory is out. */
bool view_list_filter(struct view_list *list, const struct view_run *run, const char *words);
void view_list_release(struct view_list *list); /* all are listed then */

struct view {
    struct view_run run;
    struct view_list list;
    const char *title;
    uint64_t from_ns, to_ns; /* the time shown */
    bool in_findings;        /* what the list is of */
    size_t call, finding;    /* chosen */
    size_t first_call;       /* on top of the list; drawing scrolls it to the chosen one */
    size_t first_track;
    size_t first_line; /* of a finding's text, or a page */
    enum view_page page;
    struct text page_text;
    char words[64];    /* of the last search */
    char filter[64];   /* of the list */
    char message[160]; /* in the last line; "" = the keys */
};

void view_screen_open(void);
void view_screen_close(void);
void view_screen_draw(struct view *view);
/* The text on one line, made visible, the rest of the line empty. */
void view_screen_put_line(int line, int attributes, const char *text);
void view_screen_put_rule(int line, const char *words);
/* Visible text from its line *first on, which becomes one from which all lines have text, if there
 * are enough. */
void view_screen_put_text(int top, int lines, const char *text, size_t *first);
/* Lines of the list as drawn last: what a page is. */
size_t view_screen_page(const struct view *view);

#endif
