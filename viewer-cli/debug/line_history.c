#include "viewer-cli/debug/line_history.h"

#include "trace/base/alloc.h"
#include "trace/base/file.h"

#include <stdlib.h>
#include <string.h>

enum { SIZE_MAX_READ = 1 << 20 };

/* XDG Base Directory Specification 0.8: "All paths set in these environment variables must be
 * absolute. If an implementation encounters a relative path in any of these variables it should
 * consider the path invalid and ignore it." NULL = there is none, or memory is out. */
static char *state_directory(void)
{
    const char *state = getenv("XDG_STATE_HOME");
    if (state && state[0] == '/')
        return path_join(state, "clerk");
    const char *home = getenv("HOME");
    return home && home[0] == '/' ? path_join(home, ".local/state/clerk") : NULL;
}

static char *history_path(void)
{
    char *directory = state_directory();
    char *path = directory ? path_join(directory, "debug_history") : NULL;
    alloc_free(directory);
    return path;
}

void line_history_read(struct text *lines)
{
    char *path = history_path();
    void *bytes = NULL;
    size_t size = 0;
    if (path && file_read_private(path, SIZE_MAX_READ, &bytes, &size, NULL) == STATUS_OK)
        text_append_n(lines, bytes, size);
    alloc_free(bytes);
    alloc_free(path);
}

/* Where the last LINE_HISTORY_MAX lines begin. */
static size_t begin_of_last(const struct text *lines)
{
    size_t at = lines->size;
    for (size_t count = 0; at > 0; --at) {
        if (lines->bytes[at - 1] == '\n' && count++ == LINE_HISTORY_MAX)
            break;
    }
    return at;
}

void line_history_add(const struct text *lines)
{
    struct text all = TEXT_INIT;
    char *directory = state_directory();
    char *path = history_path();
    if (!lines->size || !directory || !path)
        goto out;
    line_history_read(&all);
    text_append_n(&all, lines->bytes, lines->size);
    const size_t at = begin_of_last(&all);
    if (!all.failed && directory_create_private(directory, NULL) == STATUS_OK)
        (void)file_write_private(path, all.bytes + at, all.size - at, NULL);
out:
    alloc_free(path);
    alloc_free(directory);
    text_release(&all);
}
