/* What was typed into earlier sessions: lines of a file in the user's state directory, which only
 * the user may read. Losing them is no error. */
#ifndef VIEWER_CLI_DEBUG_LINE_HISTORY_H
#define VIEWER_CLI_DEBUG_LINE_HISTORY_H

#include "trace/base/text.h"

enum { LINE_HISTORY_MAX = 1000 }; /* lines */

/* Appends them, the oldest first, each with its end. */
void line_history_read(struct text *lines);
/* Appends the lines to those that are there now, which another session may have added to, and
 * forgets the oldest. */
void line_history_add(const struct text *lines);

#endif
