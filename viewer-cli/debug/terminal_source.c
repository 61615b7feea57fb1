#include "viewer-cli/debug/terminal.h"

#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/json.h"
#include "trace/base/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LIST_LINES = 10 };

const char terminal_compiled_string[] = "<source>";

const char *terminal_file_name(const struct terminal *terminal, const char *file)
{
    const bool is_string = !file || strcmp(file, terminal_compiled_string) == 0;
    return is_string && terminal->path ? path_base(terminal->path)
           : file                      ? file
                                       : terminal_compiled_string;
}

void terminal_print_place(const struct terminal *terminal, const struct cJSON *place,
                          struct text *text)
{
    const char *function = json_object_text(place, "function");
    uint64_t line;
    text_append(text, function ? function : "?");
    if (json_object_number(place, "line", &line) && line)
        text_format(text, " at %s:%" PRIu64,
                    terminal_file_name(terminal, json_object_text(place, "file")), line);
}

/* ---- texts ---- */

static const char *keep_source(struct terminal *terminal, const char *file, const char *content)
{
    struct terminal_source *source = arena_alloc(&terminal->arena, 1, sizeof *source);
    if (!source)
        return NULL;
    *source = (struct terminal_source){
        .next = terminal->sources,
        .file = arena_string(&terminal->arena, file),
        .text = content ? arena_string(&terminal->arena, content) : NULL,
    };
    if (!source->file)
        return NULL;
    terminal->sources = source;
    return source->text;
}

/* NULL where it is not known, which is asked once. */
static const char *source_text(struct terminal *terminal, const char *file)
{
    for (const struct terminal_source *at = terminal->sources; at; at = at->next)
        if (strcmp(at->file, file) == 0)
            return at->text;
    if (!terminal->session)
        return NULL;
    struct text request = TEXT_INIT;
    struct cJSON *answer = NULL;
    debug_request_begin(&request, DEBUG_REQUEST_SOURCE);
    json_string(&request, "file", file);
    debug_request_end(&request);
    /* Where there is none, places do without. */
    (void)debug_session_ask(terminal->session, &request, &answer, NULL);
    const char *text = keep_source(terminal, file, json_object_text(answer, "text"));
    json_object_release(answer);
    text_release(&request);
    return text;
}

/* Without the ends of its last lines. */
static size_t length_of(const char *text, size_t size)
{
    while (size && strchr("\r\n", text[size - 1]))
        --size;
    return size;
}

/* Is the string that the compiler was given the text of this file? */
static bool is_text_of(struct terminal *terminal, const char *path)
{
    const char *const text = source_text(terminal, terminal_compiled_string);
    enum { SIZE_LIMIT = 64 << 20 };
    char *bytes = NULL;
    size_t size = 0;
    const bool is = text && file_read_text(path, SIZE_LIMIT, &bytes, &size, NULL) == STATUS_OK &&
                    (size = length_of(bytes, size)) == length_of(text, strlen(text)) &&
                    memcmp(bytes, text, size) == 0;
    alloc_free(bytes);
    return is;
}

static void take_path(struct terminal *terminal, const char *path)
{
    alloc_free(terminal->found_path);
    terminal->found_path = alloc_string(path);
    terminal->path = terminal->found_path;
}

const char *terminal_compiled_name(struct terminal *terminal, const char *name)
{
    const char *const path = terminal->path;
    if (path && (strcmp(name, path) == 0 || strcmp(name, path_base(path)) == 0))
        return terminal_compiled_string;
    if (!terminal->finds_path || !is_text_of(terminal, name))
        return name;
    take_path(terminal, name);
    return terminal_compiled_string;
}

void terminal_forget_sources(struct terminal *terminal)
{
    if (!terminal->finds_path)
        return;
    arena_release(&terminal->arena);
    terminal->sources = NULL;
    if (terminal->path && !is_text_of(terminal, terminal->path))
        terminal->path = NULL;
}

/* The line from 1 on, without its end; NULL behind the last. */
static const char *find_line(const char *text, uint64_t line, size_t *length)
{
    for (uint64_t at = 1; at < line && text; ++at) {
        text = strchr(text, '\n');
        text = text ? text + 1 : NULL;
    }
    if (!text || !*text)
        return NULL;
    *length = strcspn(text, "\r\n");
    return text;
}

bool terminal_show_line(struct terminal *terminal, const char *file, uint64_t line)
{
    const char *const text = source_text(terminal, file);
    size_t length = 0;
    const char *found = text ? find_line(text, line, &length) : NULL;
    if (found)
        text_format(&terminal->text, "%" PRIu64 "\t%.*s\n", line, (int)length, found);
    return found != NULL;
}

/* ---- list ---- */

static bool list_lines(struct terminal *terminal, const char *file, uint64_t first, uint64_t last)
{
    const char *text = source_text(terminal, file);
    size_t length = 0;
    if (!text)
        return terminal_refuse(terminal, "The text of %s is not known.",
                               terminal_file_name(terminal, file));
    if (!find_line(text, first, &length))
        return terminal_refuse(terminal, "%s has no line %" PRIu64 ".",
                               terminal_file_name(terminal, file), first);
    for (uint64_t line = first; line <= last && find_line(text, line, &length); ++line)
        terminal_show_line(terminal, file, line);
    terminal->listed_line = last + 1;
    return true;
}

static uint64_t begin_around(uint64_t line)
{
    return line > LIST_LINES / 2 ? line - LIST_LINES / 2 : 1;
}

bool terminal_list(struct terminal *terminal, const char *rest)
{
    char file[256];
    const char *colon = strrchr(rest, ':');
    snprintf(file, sizeof file, "%s", terminal->shown_file.bytes);
    if (colon) {
        char name[256];
        snprintf(name, sizeof name, "%.*s", (int)(colon - rest), rest);
        snprintf(file, sizeof file, "%s", terminal_compiled_name(terminal, name));
        rest = colon + 1;
    }
    if (!*file)
        snprintf(file, sizeof file, "%s", terminal_compiled_string);
    uint64_t first = terminal->listed_line;
    if (!first)
        first = begin_around(terminal->shown_line);
    uint64_t last = first + LIST_LINES - 1;
    if (*rest) {
        uint64_t line;
        if (!number_take(&rest, &line))
            return terminal_refuse(terminal, "A line, or two, are wanted: list 9, list 3,20.");
        first = begin_around(line);
        last = first + LIST_LINES - 1;
        if (*rest == ',') {
            ++rest;
            first = line ? line : 1;
            if (!number_take(&rest, &last) || last < first)
                return terminal_refuse(terminal, "A later line is wanted behind the comma.");
        }
        if (*rest)
            return terminal_refuse(terminal, "A line, or two, are wanted: list 9, list 3,20.");
    }
    return list_lines(terminal, file, first, last);
}
