/* clang leaves macros in pragmas as they are ("#pragma unroll WIDTH"), so the definitions of those
 * that a pragma names stay where they are; all others have been expanded. */
#include "reference/probe/preprocess.h"

#include "reference/compiler/sources.h"
#include "trace/base/alloc.h"
#include "trace/base/hash.h"

#include <stdlib.h>
#include <string.h>

/* A name that a pragma has, or the definition of one. */
struct name {
    UT_hash_handle hh;
    const char *text;
};

/* A line that defines a macro. */
struct definition {
    const char *line, *name;
    size_t size, name_size;
    bool is_before; /* the text itself: by an option */
};

struct tidying {
    struct preprocessed *made;
    struct arena arena;
    const char *directory;
    struct name *names;
    struct definition *definitions;
    size_t definition_count, definition_room;
    size_t marker_room;
    bool failed;
};

static bool starts(const char *line, size_t size, const char *start)
{
    return size >= strlen(start) && memcmp(line, start, strlen(start)) == 0;
}

static bool is_letter(char c)
{
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_of_name(char c)
{
    return is_letter(c) || (c >= '0' && c <= '9');
}

/* ---- macros in pragmas ---- */

static struct name *find_name(const struct tidying *tidying, const char *text, size_t size)
{
    struct name *found;
    HASH_FIND(hh, tidying->names, text, size, found);
    return found;
}

/* True when it is new. */
static bool add_name(struct tidying *tidying, const char *text, size_t size)
{
    if (find_name(tidying, text, size))
        return false;
    struct name *name = arena_alloc(&tidying->arena, 1, sizeof *name);
    tidying->failed |= !name;
    if (!name)
        return false;
    name->text = text;
    HASH_ADD_KEYPTR(hh, tidying->names, text, size, name);
    tidying->failed |= !name->hh.tbl;
    return true;
}

static bool add_names(struct tidying *tidying, const char *line, size_t size)
{
    bool is_new = false;
    for (size_t i = 0; i < size;) {
        const size_t start = i;
        while (i < size && is_of_name(line[i]))
            i++;
        if (i > start && is_letter(line[start]))
            is_new |= add_name(tidying, line + start, i - start);
        i += i == start;
    }
    return is_new;
}

static void add_definition(struct tidying *tidying, const char *line, size_t size, bool is_before)
{
    struct definition *grown = alloc_grow(tidying->definitions, tidying->definition_count,
                                          &tidying->definition_room, sizeof *tidying->definitions);
    tidying->failed |= !grown;
    if (!grown)
        return;
    const char *name = line + strcspn(line, " ") + 1;
    size_t name_size = 0;
    while (is_of_name(name[name_size]))
        name_size++;
    tidying->definitions = grown;
    tidying->definitions[tidying->definition_count++] = (struct definition){
        .line = line, .size = size, .name = name, .name_size = name_size, .is_before = is_before};
}

static bool is_definition(const char *line, size_t size)
{
    return starts(line, size, "#define ") || starts(line, size, "#undef ");
}

/* What a macro that a pragma names is made of, that pragma needs as well. */
static void close_names(struct tidying *tidying)
{
    bool is_new = tidying->names != NULL;
    while (is_new && !tidying->failed) {
        is_new = false;
        for (size_t i = 0; i < tidying->definition_count; i++) {
            const struct definition *definition = &tidying->definitions[i];
            if (find_name(tidying, definition->name, definition->name_size))
                is_new |=
                    add_names(tidying, definition->name,
                              definition->size - (size_t)(definition->name - definition->line));
        }
    }
}

static void look(struct tidying *tidying, const char *from, const char *text)
{
    for (const char *line = from; *line != '\0';) {
        const size_t size = strcspn(line, "\n");
        if (is_definition(line, size))
            add_definition(tidying, line, size, line < text);
        else if (line >= text && starts(line, size, "#pragma ") &&
                 !starts(line, size, "#pragma OPENCL "))
            add_names(tidying, line + strlen("#pragma "), size - strlen("#pragma "));
        line += size + (line[size] == '\n');
    }
    close_names(tidying);
}

static bool is_needed(const struct tidying *tidying, const char *line, size_t size)
{
    const char *name = line + strcspn(line, " ") + 1;
    size_t length = 0;
    while (name + length < line + size && is_of_name(name[length]))
        length++;
    return find_name(tidying, name, length) != NULL;
}

/* ---- lines ---- */

/* One string for each file, so that these can be told apart by it. */
static const char *keep_file(struct tidying *tidying, const char *name, size_t size)
{
    struct preprocessed *made = tidying->made;
    for (size_t i = made->marker_count; i > 0; i--) {
        const char *known = made->markers[i - 1].file;
        if (strlen(known) == size && memcmp(known, name, size) == 0)
            return known;
    }
    return arena_string_n(&made->arena, name, size);
}

/* "# 12 "file" 1" */
static bool take_marker(struct tidying *tidying, const char *line, size_t size)
{
    struct preprocessed *made = tidying->made;
    char *rest;
    if (size < 3 || line[2] < '0' || line[2] > '9')
        return false;
    const unsigned long number = strtoul(line + 2, &rest, 10);
    if (rest[0] != ' ' || rest[1] != '"')
        return false;
    const char *file = rest + 2;
    const char *last = line + size;
    while (last > file && last[-1] != '"')
        last--;
    if (last <= file)
        return false;
    const size_t prefix = strlen(tidying->directory);
    size_t file_size = (size_t)(last - 1 - file);
    if (prefix > 0 && file_size > prefix && memcmp(file, tidying->directory, prefix) == 0) {
        file += prefix;
        file_size -= prefix;
    }
    struct line_marker *grown =
        alloc_grow(made->markers, made->marker_count, &tidying->marker_room, sizeof *made->markers);
    if (grown)
        made->markers = grown;
    const char *kept = grown ? keep_file(tidying, file, file_size) : NULL;
    tidying->failed |= !kept;
    if (!kept)
        return true;
    text_format(&made->text, "# %lu \"%s\"\n", number, kept);
    made->markers[made->marker_count++] =
        (struct line_marker){.offset = made->text.size, .line = (uint32_t)number, .file = kept};
    return true;
}

static void take_lines(struct tidying *tidying, const char *line)
{
    struct text *text = &tidying->made->text;
    while (*line != '\0' && !tidying->failed) {
        const size_t size = strcspn(line, "\n");
        const bool is_dropped = is_definition(line, size) && !is_needed(tidying, line, size);
        if (!starts(line, size, "# ") || !take_marker(tidying, line, size)) {
            text_append_n(text, line, is_dropped ? 0 : size);
            text_append_char(text, '\n');
        }
        line += size + (line[size] == '\n');
    }
}

bool preprocess_tidy(const struct text *written, const char *directory,
                     struct preprocessed *preprocessed)
{
    static const char mark[] = "\n# 1 \"" SOURCES_PROGRAM "\"";
    struct tidying tidying = {.made = preprocessed, .directory = directory};
    const char *text = strstr(written->bytes, mark);
    text = text ? text + 1 : written->bytes;
    look(&tidying, written->bytes, text);
    for (size_t i = 0; i < tidying.definition_count && !tidying.failed; i++) {
        const struct definition *definition = &tidying.definitions[i];
        if (definition->is_before && find_name(&tidying, definition->name, definition->name_size))
            text_format(&preprocessed->text, "%.*s\n", (int)definition->size, definition->line);
    }
    take_lines(&tidying, text);
    HASH_CLEAR(hh, tidying.names);
    alloc_free(tidying.definitions);
    arena_release(&tidying.arena);
    return !tidying.failed && !preprocessed->text.failed;
}
