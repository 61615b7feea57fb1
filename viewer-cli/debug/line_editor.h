/* Lines typed on a terminal: edited, with a history that the next session has too, and completion
 * by the tab key. By libedit, where clerk was built with it. One per process. */
#ifndef VIEWER_CLI_DEBUG_LINE_EDITOR_H
#define VIEWER_CLI_DEBUG_LINE_EDITOR_H

#include "trace/base/text.h"

#include <stdbool.h>
#include <stddef.h>

struct line_editor;

/* Whose lines they are. */
struct line_user {
    /* Waits until `input` may be read, or a signal came; false where that was Ctrl-C. */
    bool (*wait)(int input);
    /* Appends the words, a line each, that may stand at the end of `before`, the line up to the
     * cursor. Returns how many bytes at its end are the beginning of all of them. */
    size_t (*complete)(void *user, const char *before, struct text *words);
    void *user;
};

enum line_read { LINE_READ, LINE_ENDED, LINE_INTERRUPTED };

/* NULL where lines are plain ones: without libedit, where input or output is no terminal, or only a
 * dumb one. The history is read. */
struct line_editor *line_editor_create(int input, const struct line_user *user);
/* The next line, without its end, into `line`. */
enum line_read line_editor_read(struct line_editor *editor, const char *prompt, struct text *line);
/* Keeps the history. NULL is fine. */
void line_editor_destroy(struct line_editor *editor);

#endif
