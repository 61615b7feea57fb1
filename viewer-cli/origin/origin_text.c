#include "viewer-cli/origin/origin_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

size_t origin_text_plain(char *bytes, size_t size)
{
    size_t kept = 0;
    for (size_t i = 0; i < size; ++i)
        if (bytes[i] != '\r' || i + 1 == size || bytes[i + 1] != '\n')
            bytes[kept++] = bytes[i];
    return kept;
}

uint64_t origin_text_hash(const char *bytes, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < size; ++i)
        hash = (hash ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

bool origin_text_is_nameless(const char *file)
{
    static const char begin[] = "<source";
    return file && strncmp(file, begin, sizeof begin - 1) == 0;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

bool origin_text_has_word(const char *text, size_t size, const char *word)
{
    const size_t length = strlen(word);
    const char *const end = text + size;
    const char *at = text;
    for (; (at = memmem(at, (size_t)(end - at), word, length)) != NULL; ++at)
        if ((at == text || !is_word(at[-1])) && (at + length == end || !is_word(at[length])))
            return true;
    return false;
}

/* ---- lines ---- */

/* What the lines of a text are called from some line on. */
struct lines_name {
    const char *file; /* between quotes; NULL: the text has no name */
    size_t length;
    uint64_t number; /* of the next line */
};

static const char *skip_blank(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        ++at;
    return at;
}

/* `#line 12 "file"`, or `# 12 "file"` as preprocessors write it. */
static void read_directive(const char *line, const char *end, struct lines_name *name)
{
    const char *at = skip_blank(line, end);
    if (at == end || *at++ != '#')
        return;
    at = skip_blank(at, end);
    if (end - at > 4 && memcmp(at, "line", 4) == 0)
        at = skip_blank(at + 4, end);
    if (at == end || !isdigit((unsigned char)*at))
        return;
    name->number = 0;
    for (; at < end && isdigit((unsigned char)*at) && name->number < UINT32_MAX; ++at)
        name->number = name->number * 10 + (uint64_t)(*at - '0');
    at = skip_blank(at, end);
    const char *close = at < end && *at == '"' ? memchr(at + 1, '"', (size_t)(end - at - 1)) : NULL;
    if (close) {
        name->file = at + 1;
        name->length = (size_t)(close - name->file);
    }
}

static bool is_named(const struct lines_name *name, const struct finding_place *place)
{
    if (name->number != place->line)
        return false;
    return name->file ? strlen(place->file) == name->length &&
                            memcmp(place->file, name->file, name->length) == 0
                      : origin_text_is_nameless(place->file);
}

/* Where that line begins; NULL where none is, or several are, called so. `is_renamed`: it is not
 * called as it is counted, and so not quoted by the device. */
static const char *find_line(const char *text, const char *end, const struct finding_place *place,
                             bool *is_renamed)
{
    uint64_t number = 0;
    struct lines_name name = {.number = 1};
    const char *found = NULL;
    for (const char *line = text; line < end;) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const char *line_end = newline ? newline : end;
        ++number;
        if (is_named(&name, place)) {
            if (found)
                return NULL;
            found = line;
            *is_renamed = name.file || name.number != number;
        }
        ++name.number;
        read_directive(line, line_end, &name);
        line = line_end + 1;
    }
    return found;
}

/* ---- what is quoted ---- */

/* Does it read so from here on, whatever the blanks are? What ends in "..." was cut. */
static bool reads(const char *at, const char *end, const char *quoted)
{
    for (;; ++at, ++quoted) {
        while (isspace((unsigned char)*quoted))
            ++quoted;
        while (at < end && isspace((unsigned char)*at))
            ++at;
        if (!*quoted || strcmp(quoted, "...") == 0)
            return true;
        if (at == end || *at != *quoted)
            return false;
    }
}

bool origin_text_find(const char *text, size_t size, const struct finding_place *place,
                      size_t *offset)
{
    const char *const end = text + size;
    bool is_renamed = false;
    const char *line = place->line && place->file ? find_line(text, end, place, &is_renamed) : NULL;
    const char *newline = line ? memchr(line, '\n', (size_t)(end - line)) : NULL;
    const char *line_end = newline ? newline : end;
    if (!line)
        return false;
    const char *at = line;
    while (at < line_end && isspace((unsigned char)*at))
        ++at;
    const bool is_quoted = place->source && place->source[strspn(place->source, " \t")];
    if (is_quoted && !(is_renamed && place->column)) {
        /* The device quotes a line, a checked copy an expression that begins there. */
        const char *const last = place->column ? at : line_end;
        while (!reads(at, end, place->source))
            if (at++ >= last)
                return false;
    }
    if (place->column)
        at = line + place->column - 1;
    *offset = (size_t)(at - text);
    return at < line_end || (at == line_end && at < end);
}
