#include "viewer-cli/debug/terminal.h"

#include "trace/base/alloc.h"
#include "trace/base/file.h"
#include "trace/base/json.h"
#include "trace/base/options.h"
#include "viewer-cli/debug/recorded.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { LIST_LINES = 10 };

const char terminal_compiled_string[] = "<source>";

const char *terminal_file_name(const struct terminal *terminal, const char *file)
{
    const bool is_string = !file || strcmp(file, terminal_compiled_string) == 0;
    return is_string && terminal->path           ? path_base(terminal->path)
           : is_string && terminal->program.size ? terminal->program.bytes
           : file                                ? file
                                                 : terminal_compiled_string;
}

void terminal_name_program(struct terminal *terminal, uint64_t launch)
{
    text_clear(&terminal->program);
    if (terminal->trace.path && launch)
        recorded_print_program(terminal->trace.path, launch, &terminal->program);
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
    if (terminal->program.size && strcmp(name, terminal->program.bytes) == 0)
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
    terminal->listed_from = first;
    return true;
}

static uint64_t begin_around(uint64_t line)
{
    return line > LIST_LINES / 2 ? line - LIST_LINES / 2 : 1;
}

/* ---- where a function is ---- */

static bool is_of_name(char character)
{
    return isalnum((unsigned char)character) || character == '_';
}

/* What closes the bracket at `at`; NULL where nothing does. */
static const char *closing(const char *at)
{
    int depth = 0;
    for (; *at; ++at) {
        depth += *at == '(' ? 1 : *at == ')' ? -1 : 0;
        if (!depth)
            return at;
    }
    return NULL;
}

/* Is the name that ends before `at` defined there: "(...) {"? */
static bool is_defined_at(const char *at)
{
    at += strspn(at, " \t\r\n");
    const char *const close = *at == '(' ? closing(at) : NULL;
    return close && close[1 + strspn(close + 1, " \t\r\n")] == '{';
}

/* The line of a function's definition; 0 = the text has none. */
static uint64_t line_of_function(const char *text, const char *name)
{
    const size_t length = strlen(name);
    uint64_t line = 1;
    for (const char *at = text; *at; ++at) {
        line += *at == '\n';
        const bool is_name = strncmp(at, name, length) == 0 && !is_of_name(at[length]) &&
                             (at == text || !is_of_name(at[-1]));
        if (is_name && is_defined_at(at + length))
            return line;
    }
    return 0;
}

/* ---- what is to be listed ---- */

struct listing {
    char file[256];
    uint64_t first, last;
};

static bool refuse_list(struct terminal *terminal)
{
    return terminal_refuse(terminal, "List what? list 9, list 3,20, list FUNCTION, list FILE:9, "
                                     "list - for the lines before.");
}

/* "9" or "3,20". */
static bool read_lines(struct terminal *terminal, const char *rest, struct listing *listing)
{
    uint64_t line;
    if (!number_take(&rest, &line))
        return refuse_list(terminal);
    listing->first = begin_around(line);
    listing->last = listing->first + LIST_LINES - 1;
    if (*rest == ',') {
        rest += 1 + strspn(rest + 1, " \t");
        listing->first = line ? line : 1;
        if (!*rest)
            listing->last = listing->first + LIST_LINES - 1;
        else if (!number_take(&rest, &listing->last) || listing->last < listing->first)
            return terminal_refuse(terminal, "A later line is wanted behind the comma.");
    }
    return !*rest || refuse_list(terminal);
}

static bool read_function(struct terminal *terminal, const char *name, struct listing *listing)
{
    const char *const text = source_text(terminal, listing->file);
    const uint64_t line = text ? line_of_function(text, name) : 0;
    if (!line)
        return terminal_refuse(terminal, "There is no function '%s' in %s.", name,
                               terminal_file_name(terminal, listing->file));
    listing->first = begin_around(line);
    listing->last = listing->first + LIST_LINES - 1;
    return true;
}

static bool read_listing(struct terminal *terminal, const char *rest, struct listing *listing)
{
    listing->first = terminal->listed_line;
    if (!listing->first)
        listing->first = begin_around(terminal->shown_line);
    listing->last = listing->first + LIST_LINES - 1;
    if (strcmp(rest, "-") == 0) {
        const uint64_t before = terminal->listed_from ? terminal->listed_from : listing->first;
        if (before <= 1)
            return terminal_refuse(terminal, "These were the first lines.");
        listing->last = before - 1;
        listing->first = listing->last > LIST_LINES ? listing->last - LIST_LINES + 1 : 1;
        return true;
    }
    if (!*rest || strcmp(rest, "+") == 0)
        return true;
    return is_of_name(*rest) && !isdigit((unsigned char)*rest)
               ? read_function(terminal, rest, listing)
               : read_lines(terminal, rest, listing);
}

bool terminal_list(struct terminal *terminal, const char *rest)
{
    struct listing listing;
    const char *colon = strrchr(rest, ':');
    snprintf(listing.file, sizeof listing.file, "%s", terminal->shown_file.bytes);
    if (colon) {
        char name[256];
        snprintf(name, sizeof name, "%.*s", (int)(colon - rest), rest);
        snprintf(listing.file, sizeof listing.file, "%s", terminal_compiled_name(terminal, name));
        rest = colon + 1;
    }
    if (!*listing.file)
        snprintf(listing.file, sizeof listing.file, "%s", terminal_compiled_string);
    return read_listing(terminal, rest, &listing) &&
           list_lines(terminal, listing.file, listing.first, listing.last);
}

/* ---- info ---- */

bool terminal_info_source(struct terminal *terminal, const char *rest)
{
    const char *const file = terminal->shown_file.bytes;
    (void)rest;
    if (!*file)
        return terminal_refuse(terminal, "No line is shown yet.");
    const char *const text = source_text(terminal, file);
    uint64_t count = 0;
    for (const char *at = text; at && *at; ++at)
        count += *at == '\n';
    text_format(&terminal->text, "The focus is in %s, line %" PRIu64,
                terminal_file_name(terminal, file), terminal->shown_line);
    if (terminal->path && strcmp(file, terminal_compiled_string) == 0)
        text_format(&terminal->text, "; its text is that of %s", terminal->path);
    if (text)
        text_format(&terminal->text, ", %" PRIu64 " lines.\n", count);
    else
        text_append(&terminal->text, "; its text is not known.\n");
    return true;
}

/* Which instructions a line has. */
bool terminal_info_line(struct terminal *terminal, const char *rest)
{
    uint64_t line = terminal->shown_line;
    uint64_t first = 0;
    uint64_t site = 0;
    uint64_t count = 0;
    struct text request = TEXT_INIT;
    if (*rest && !terminal_number(rest, &line))
        return terminal_refuse(terminal, "Which line? '%s' is no number.", rest);
    debug_request_begin(&request, DEBUG_REQUEST_DISASSEMBLE);
    json_number(&request, "line", line);
    json_number(&request, "count", 500);
    struct cJSON *answer = terminal_ask(terminal, &request);
    const struct cJSON *at = json_array_first(json_object_item(answer, "instructions"));
    for (; at; at = json_array_next(at)) {
        json_object_number(at, "site", &site);
        first = count++ ? first : site;
    }
    const bool done = answer != NULL;
    if (done && count)
        text_format(&terminal->text,
                    "Line %" PRIu64 " has %" PRIu64 " instruction%s, %" PRIu64 " to %" PRIu64
                    ": `disassemble %" PRIu64 "` shows what.\n",
                    line, count, count == 1 ? "" : "s", first, site, line);
    else if (done)
        text_format(&terminal->text, "Line %" PRIu64 " has no code in this kernel.\n", line);
    json_object_release(answer);
    text_release(&request);
    return done;
}
