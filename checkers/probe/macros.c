#include "checkers/probe/macros.h"

#include <string.h>

struct scan {
    struct arena *arena;
    struct macro_use *uses;
    size_t use_count, use_room;
    const char **defined;
    size_t defined_count, defined_room;
    bool failed;
};

static bool is_letter(char c)
{
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static size_t name_length(const char *at)
{
    size_t length = 0;
    while (is_letter(at[length]) || (length > 0 && at[length] >= '0' && at[length] <= '9'))
        length++;
    return length;
}

static void *grow(struct scan *scan, void *list, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return list;
    const size_t wanted = *room ? *room * 2 : 16;
    void *grown = arena_alloc(scan->arena, wanted, size);
    if (!grown) {
        scan->failed = true;
        return NULL;
    }
    if (count > 0)
        memcpy(grown, list, count * size);
    *room = wanted;
    return grown;
}

static bool is_name(const char *known, const char *name, size_t length)
{
    return strncmp(known, name, length) == 0 && known[length] == '\0';
}

static void add_use(struct scan *scan, const char *name, size_t length, bool has_value)
{
    for (size_t i = 0; i < scan->use_count; i++)
        if (is_name(scan->uses[i].name, name, length)) {
            scan->uses[i].has_value |= has_value;
            return;
        }
    struct macro_use *uses =
        grow(scan, scan->uses, scan->use_count, &scan->use_room, sizeof *scan->uses);
    const char *copy = uses ? arena_string_n(scan->arena, name, length) : NULL;
    scan->failed |= !copy;
    if (!copy)
        return;
    scan->uses = uses;
    scan->uses[scan->use_count++] = (struct macro_use){copy, has_value};
}

static void add_defined(struct scan *scan, const char *name, size_t length)
{
    const char **defined =
        grow(scan, scan->defined, scan->defined_count, &scan->defined_room, sizeof *scan->defined);
    const char *copy = defined ? arena_string_n(scan->arena, name, length) : NULL;
    scan->failed |= !copy;
    if (!copy)
        return;
    scan->defined = defined;
    scan->defined[scan->defined_count++] = copy;
}

/* ---- text ---- */

/* The text as its directives are read: lines that go on in the next are joined, comments are
 * blanks. Strings are not looked for: no directive that counts has any. */
static char *plain_text(struct arena *arena, const char *text, size_t size)
{
    char *plain = arena_alloc(arena, size + 1, 1);
    size_t length = 0;
    for (size_t i = 0; plain && i < size; i++) {
        const char next = i + 1 < size ? text[i + 1] : '\0';
        if (text[i] == '\\' && (next == '\n' || (next == '\r' && i + 2 < size))) {
            i += next == '\n' ? 1 : 2;
        } else if (text[i] == '/' && next == '*') {
            const char *end = memmem(text + i + 2, size - i - 2, "*/", 2);
            i = end ? (size_t)(end - text) + 1 : size;
            plain[length++] = ' ';
        } else if (text[i] == '/' && next == '/') {
            while (i + 1 < size && text[i + 1] != '\n')
                i++;
        } else if (text[i] == '\0') {
            plain[length++] = ' ';
        } else {
            plain[length++] = text[i];
        }
    }
    return plain;
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t\r\f\v");
}

/* The expression of #if: a name after `defined` is only asked whether it is. */
static void scan_expression(struct scan *scan, const char *at)
{
    bool only_defined = false;
    while (*at != '\0' && *at != '\n') {
        const size_t length = name_length(at);
        if (length == 0) {
            only_defined &= strchr(" \t(", *at) != NULL;
            /* 0x10UL is one number */
            const bool is_number = *at >= '0' && *at <= '9';
            at++;
            while (is_number && (is_letter(*at) || (*at >= '0' && *at <= '9')))
                at++;
            continue;
        }
        if (is_name("defined", at, length)) {
            only_defined = true;
        } else {
            add_use(scan, at, length, !only_defined);
            only_defined = false;
        }
        at += length;
    }
}

static void scan_directive(struct scan *scan, const char *at)
{
    const size_t length = name_length(at);
    const char *rest = skip_blanks(at + length);
    const size_t name = name_length(rest);
    if (is_name("define", at, length) && name > 0)
        add_defined(scan, rest, name);
    else if ((is_name("ifdef", at, length) || is_name("ifndef", at, length)) && name > 0)
        add_use(scan, rest, name, false);
    else if (is_name("if", at, length) || is_name("elif", at, length))
        scan_expression(scan, rest);
}

static void scan_text(struct scan *scan, const char *text, size_t size)
{
    const char *line = plain_text(scan->arena, text, size);
    scan->failed |= !line;
    while (line) {
        const char *first = skip_blanks(line);
        if (*first == '#')
            scan_directive(scan, skip_blanks(first + 1));
        line = strchr(line, '\n');
        line = line ? line + 1 : NULL;
    }
}

/* -D name, -Dname=value; -U likewise. */
static void scan_options(struct scan *scan, const char *options)
{
    for (const char *at = options; (at = strchr(at, '-')) != NULL; at++) {
        const bool starts = at == options || strchr(" \t", at[-1]) != NULL;
        if (!starts || (at[1] != 'D' && at[1] != 'U'))
            continue;
        const char *name = skip_blanks(at + 2);
        name += *name == '"' || *name == '\'';
        if (name_length(name) > 0)
            add_defined(scan, name, name_length(name));
    }
}

/* ---- which are asked ---- */

/* Extensions have macros of their names; the versions follow from the device's and the options. */
static bool is_known(const char *name)
{
    return strncmp(name, "cl_", 3) == 0 || strncmp(name, "CL_VERSION_", 11) == 0 ||
           strcmp(name, "__OPENCL_VERSION__") == 0 || strcmp(name, "__OPENCL_C_VERSION__") == 0;
}

/* What a program defines may still be the driver's, if the name is of those that are reserved. */
static bool is_asked(const struct scan *scan, const char *name)
{
    bool is_defined = false;
    if (is_known(name))
        return false;
    for (size_t i = 0; i < scan->defined_count && name[0] != '_'; i++)
        is_defined |= strcmp(scan->defined[i], name) == 0;
    return !is_defined;
}

bool macros_of(const struct request *request, struct arena *arena, struct macro_use **uses,
               size_t *count)
{
    struct scan scan = {.arena = arena};
    for (size_t i = 0; i < request->part_count; i++) {
        const struct request_part *part = &request->parts[i];
        if (part->is_il)
            continue;
        scan_text(&scan, part->bytes, part->size);
        scan_options(&scan, part->options);
        for (size_t h = 0; h < part->header_count; h++)
            scan_text(&scan, part->headers[h].text, part->headers[h].size);
    }
    *count = 0;
    for (size_t i = 0; i < scan.use_count; i++)
        if (is_asked(&scan, scan.uses[i].name))
            scan.uses[(*count)++] = scan.uses[i];
    *uses = scan.uses;
    return !scan.failed;
}
