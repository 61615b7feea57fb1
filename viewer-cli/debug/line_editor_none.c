/* Without libedit lines are plain ones. */
#include "viewer-cli/debug/line_editor.h"

struct line_editor *line_editor_create(int input, const struct line_user *user)
{
    (void)input;
    (void)user;
    return NULL;
}

enum line_read line_editor_read(struct line_editor *editor, const char *prompt, struct text *line)
{
    (void)editor;
    (void)prompt;
    (void)line;
    return LINE_ENDED;
}

void line_editor_destroy(struct line_editor *editor)
{
    (void)editor;
}
