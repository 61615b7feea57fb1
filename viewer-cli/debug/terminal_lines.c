/* Where commands come from: a file or a terminal, and lines that commands have put in before. */
#include "viewer-cli/debug/terminal.h"

#include "trace/base/alloc.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { INSERTED_MAX = 64 }; /* texts within texts: a file that reads itself ends there */

/* Lines that are done before any other is read. */
struct terminal_text {
    struct terminal_text *next;
    bool of_stop; /* what is to be done at a stop: it ends where the process goes on */
    const char *at;
    char bytes[];
};

/* ---- lines that were put in ---- */

static void drop_first(struct terminal_lines *lines)
{
    struct terminal_text *first = lines->inserted;
    lines->inserted = first->next;
    alloc_free(first);
    --lines->inserted_count;
}

bool terminal_insert_lines(struct terminal *terminal, const char *text, bool of_stop)
{
    struct terminal_lines *lines = &terminal->lines;
    const size_t size = strlen(text) + 1;
    if (lines->inserted_count == INSERTED_MAX)
        return terminal_refuse(terminal, "More than %d files of commands within one another.",
                               INSERTED_MAX);
    struct terminal_text *made = alloc(sizeof *made + size);
    if (!made)
        return terminal_refuse(terminal, "Out of memory.");
    *made = (struct terminal_text){.next = lines->inserted, .of_stop = of_stop};
    made->at = memcpy(made->bytes, text, size);
    lines->inserted = made;
    ++lines->inserted_count;
    return true;
}

void terminal_drop_stop_lines(struct terminal *terminal)
{
    while (terminal->lines.inserted && terminal->lines.inserted->of_stop)
        drop_first(&terminal->lines);
}

static bool take_inserted(struct terminal_lines *lines, struct text *line)
{
    while (lines->inserted && !*lines->inserted->at)
        drop_first(lines);
    if (!lines->inserted)
        return false;
    struct terminal_text *from = lines->inserted;
    const size_t length = strcspn(from->at, "\n");
    text_clear(line);
    text_append_n(line, from->at, length);
    from->at += length + (from->at[length] ? 1 : 0);
    return true;
}

/* ---- lines of the input ---- */

static enum line_read read_plain(struct terminal_lines *lines, struct text *line)
{
    text_clear(line);
    for (;;) {
        const char *from = lines->read.bytes + lines->at;
        const char *end = memchr(from, '\n', lines->read.size - lines->at);
        if (end || (lines->ended && lines->at < lines->read.size)) {
            const size_t length = end ? (size_t)(end - from) : lines->read.size - lines->at;
            text_append_n(line, from, length);
            lines->at += length + (end ? 1 : 0);
            return LINE_READ;
        }
        if (lines->ended || lines->read.failed)
            return LINE_ENDED;
        if (!terminal_wait_for_input(lines->input))
            return LINE_INTERRUPTED;
        char bytes[4096];
        const ssize_t count = read(lines->input, bytes, sizeof bytes);
        if (count > 0)
            text_append_n(&lines->read, bytes, (size_t)count);
        else if (count == 0 || errno != EINTR)
            lines->ended = true;
    }
}

static enum line_read read_input(struct terminal *terminal, const char *prompt, struct text *line)
{
    struct terminal_lines *lines = &terminal->lines;
    if (!terminal->batch && !lines->editor)
        text_append(&terminal->text, prompt);
    terminal_flush(terminal);
    const enum line_read read =
        lines->editor ? line_editor_read(lines->editor, prompt, line) : read_plain(lines, line);
    if (read == LINE_INTERRUPTED && !lines->editor)
        text_append(&terminal->text, "\n");
    return read;
}

/* Without spaces at its ends. */
static void trim(struct text *line)
{
    while (line->size && strchr(" \t\r", line->bytes[line->size - 1]))
        line->bytes[--line->size] = 0;
    const size_t skipped = strspn(line->bytes, " \t");
    memmove(line->bytes, line->bytes + skipped, line->size - skipped + 1);
    line->size -= skipped;
}

enum line_read terminal_read_line(struct terminal *terminal, const char *prompt, struct text *line)
{
    for (;;) {
        const bool is_inserted = take_inserted(&terminal->lines, line);
        const enum line_read read = is_inserted ? LINE_READ : read_input(terminal, prompt, line);
        if (read != LINE_READ)
            return read;
        trim(line);
        const bool is_typed = !is_inserted && !terminal->batch;
        terminal->lines.is_inserted = is_inserted;
        if (*line->bytes == '#' || (!line->size && !is_typed))
            continue;
        /* A file's line as it would stand behind the prompt. */
        if (terminal->batch && !is_inserted)
            text_format(&terminal->text, "%s%s\n", prompt, line->bytes);
        return LINE_READ;
    }
}

void terminal_lines_begin(struct terminal *terminal, int input, const struct line_user *user)
{
    terminal->lines = (struct terminal_lines){
        .input = input,
        .read = TEXT_INIT,
        .editor = terminal->batch ? NULL : line_editor_create(input, user),
    };
}

void terminal_lines_end(struct terminal *terminal)
{
    while (terminal->lines.inserted)
        drop_first(&terminal->lines);
    line_editor_destroy(terminal->lines.editor);
    text_release(&terminal->lines.read);
}
