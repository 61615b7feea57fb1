/* The screen of clerk view, by ncurses:
 *
 *     app.db  21 calls  1 finding  shown: 7.7 ms to 206 ms
 *                        v                              where the chosen call begins
 *     thread 1 ####  # ## !
 *     queue#1            ==
 *     -- calls -- findings (1) ---
 *      103  1  198 ms  37 us  clEnqueueNDRangeKernel(...)
 *     ---
 *     what the chosen call, or finding, says
 *     keys, or what is asked
 */
#ifndef VIEWER_CLI_VIEW_VIEW_SCREEN_H
#define VIEWER_CLI_VIEW_VIEW_SCREEN_H

#include "viewer-cli/view/view_run.h"

struct view {
    struct view_run run;
    const char *title;
    uint64_t from_ns, to_ns; /* the time shown */
    bool in_findings;        /* what the list is of */
    size_t call, finding;    /* chosen */
    size_t first_call;       /* on top of the list; drawing scrolls it to the chosen one */
    size_t first_track;
    size_t first_line; /* of a finding's text */
    char message[160]; /* in the last line; "" = the keys */
};

void view_screen_open(void);
void view_screen_close(void);
void view_screen_draw(struct view *view);
/* Lines of the list as drawn last: what a page is. */
size_t view_screen_page(const struct view *view);

#endif
