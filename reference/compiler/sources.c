/* Source text by line: one copy of each file with its line ends overwritten by NULs, and where
 * lines start. */
#include "reference/compiler/sources.h"

#include "trace/api/program_texts.h"
#include "trace/base/alloc.h"
#include "trace/base/arena.h"
#include "trace/base/pack.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Lines that go by a name and a number of their own, from a #line directive on (C11, 6.10.4), or
 * from the file's start. */
struct source_region {
    const char *name;
    size_t first, end; /* among the file's lines */
    uint32_t number;   /* of the first */
};

struct source_file {
    struct source_file *next;
    const char *name;
    const char **lines;
    size_t line_count; /* 0 = its text is not known */
    struct source_region *regions;
    size_t region_count;
};

struct sources {
    atomic_uint holders;
    struct arena arena;
    struct source_file *files; /* the one added last is the first */
    size_t file_count;
};

struct sources *sources_create(void)
{
    struct sources *sources = alloc_zero(1, sizeof(*sources));
    if (sources)
        atomic_init(&sources->holders, 1);
    return sources;
}

struct sources *sources_retain(struct sources *sources)
{
    if (sources)
        atomic_fetch_add(&sources->holders, 1);
    return sources;
}

void sources_drop(struct sources *sources)
{
    if (!sources || atomic_fetch_sub(&sources->holders, 1) != 1)
        return;
    arena_release(&sources->arena);
    alloc_free(sources);
}

static const char *skip_blanks(const char *at)
{
    return at + strspn(at, " \t");
}

/* `#line 5 "name"`, `# 5 "name"`, or without a name: *name NULL. */
static bool is_directive(const char *line, uint32_t *number, const char **name, size_t *name_size)
{
    const char *at = skip_blanks(line);
    if (*at != '#')
        return false;
    at = skip_blanks(at + 1);
    if (strncmp(at, "line", 4) == 0)
        at = skip_blanks(at + 4);
    char *end;
    const unsigned long long found = strtoull(at, &end, 10);
    if (*at < '0' || *at > '9' || found > UINT32_MAX)
        return false;
    *number = (uint32_t)found;
    at = skip_blanks(end);
    const char *close = *at == '"' ? strchr(at + 1, '"') : NULL;
    *name = close ? at + 1 : NULL;
    *name_size = close ? (size_t)(close - at - 1) : 0;
    return true;
}

/* False when memory is out. */
static bool find_regions(struct arena *arena, struct source_file *file)
{
    size_t count = 1;
    uint32_t number;
    const char *name;
    size_t name_size;
    for (size_t i = 0; i < file->line_count; i++)
        count += is_directive(file->lines[i], &number, &name, &name_size);
    struct source_region *region = file->regions = arena_alloc(arena, count, sizeof *region);
    if (!region)
        return false;
    *region = (struct source_region){.name = file->name, .end = file->line_count, .number = 1};
    for (size_t i = 0; i < file->line_count; i++) {
        if (!is_directive(file->lines[i], &number, &name, &name_size))
            continue;
        const char *given = name ? arena_string_n(arena, name, name_size) : region->name;
        if (!given)
            return false;
        region->end = i;
        *++region = (struct source_region){
            .name = given, .first = i + 1, .end = file->line_count, .number = number};
    }
    file->region_count = count;
    return true;
}

bool sources_add(struct sources *sources, const char *name, const char *text, size_t size)
{
    if (strcmp(name, SOURCES_PROGRAM) == 0)
        program_text_keep(text, size);
    struct source_file *file = arena_alloc(&sources->arena, 1, sizeof(*file));
    char *copy = arena_string_n(&sources->arena, text, size);
    char *name_copy = arena_string(&sources->arena, name);
    size_t count = 1;
    for (size_t i = 0; i < size; i++)
        count += text[i] == '\n';
    const char **lines = arena_alloc(&sources->arena, count, sizeof(*lines));
    if (!file || !copy || !name_copy || !lines)
        return false;
    size_t line = 0;
    lines[line++] = copy;
    for (size_t i = 0; i < size; i++) {
        if (copy[i] != '\n')
            continue;
        copy[i] = '\0';
        if (i > 0 && copy[i - 1] == '\r')
            copy[i - 1] = '\0';
        lines[line++] = copy + i + 1;
    }
    *file = (struct source_file){
        .next = sources->files, .name = name_copy, .lines = lines, .line_count = count};
    if (!find_regions(&sources->arena, file))
        return false;
    sources->files = file;
    sources->file_count++;
    return true;
}

static void join_lines(const struct source_file *file, struct text *text)
{
    for (size_t i = 0; i < file->line_count; i++) {
        if (i > 0)
            text_append_char(text, '\n');
        text_append(text, file->lines[i]);
    }
}

/* ---- several programs in one ---- */

static const struct source_file *find_file(const struct sources *sources, const char *name)
{
    const struct source_file *file = sources ? sources->files : NULL;
    while (file && strcmp(file->name, name) != 0)
        file = file->next;
    return file;
}

/* Two unknown texts count as the same: no line of either is ever shown. */
static bool same_text(const struct source_file *a, const struct source_file *b)
{
    const size_t count = b ? b->line_count : 0;
    if (a->line_count != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(a->lines[i], b->lines[i]) != 0)
            return false;
    }
    return true;
}

static bool take_file(struct sources *into, const struct source_file *file, const char *name)
{
    struct text joined = TEXT_INIT;
    if (file)
        join_lines(file, &joined);
    const bool taken = !joined.failed && sources_add(into, name, joined.bytes, joined.size);
    text_release(&joined);
    if (taken && !file)
        into->files->line_count = 0;
    return taken;
}

const char *sources_merge(struct sources *into, const struct sources *from, const char *name,
                          struct arena *arena)
{
    const struct source_file *file = find_file(from, name);
    const struct source_file *taken;
    const char *given = name;
    for (unsigned number = 2; given && (taken = find_file(into, given)) != NULL; number++) {
        if (same_text(taken, file))
            return given;
        given = strcmp(name, SOURCES_PROGRAM) == 0 ? arena_format(arena, "<source %u>", number)
                                                   : arena_format(arena, "%s (%u)", name, number);
    }
    return given && take_file(into, file, given) ? given : NULL;
}

/* ---- bytes: the number of files, then the name and the text of each ---- */

static void write_file(const struct source_file *file, struct text *text)
{
    struct text joined = TEXT_INIT;
    join_lines(file, &joined);
    pack_string(text, file->name);
    pack_bytes(text, joined.bytes, joined.size);
    text->failed |= joined.failed;
    text_release(&joined);
}

/* In the order in which they were added, so that reading and writing again gives the same bytes. */
void sources_write(const struct sources *sources, struct text *text)
{
    const size_t count = sources ? sources->file_count : 0;
    size_t known = 0;
    for (const struct source_file *file = sources ? sources->files : NULL; file; file = file->next)
        known += file->line_count > 0;
    pack_number(text, known);
    for (size_t written = 0; written < count; written++) {
        const struct source_file *file = sources->files;
        for (size_t skipped = written + 1; skipped < count; skipped++)
            file = file->next;
        if (file->line_count > 0)
            write_file(file, text);
    }
}

bool sources_text(const struct sources *sources, struct text *text)
{
    for (const struct source_file *file = sources ? sources->files : NULL; file;
         file = file->next) {
        struct text joined = TEXT_INIT;
        join_lines(file, &joined);
        text_append_n(text, joined.bytes, joined.size);
        text_append_char(text, '\n');
        text->failed |= joined.failed;
        text_release(&joined);
    }
    return !text->failed;
}

static bool read_file(struct sources *sources, struct unpacker *reader)
{
    size_t name_size;
    size_t size;
    struct text name = TEXT_INIT;
    const char *name_bytes = unpack_bytes(reader, &name_size);
    const char *bytes = unpack_bytes(reader, &size);
    text_append_n(&name, name_bytes, name_size);
    const bool added =
        !reader->failed && !name.failed && sources_add(sources, name.bytes, bytes, size);
    text_release(&name);
    return added;
}

bool sources_read(const void *bytes, size_t size, struct sources **result)
{
    struct unpacker reader = {.at = bytes, .left = size};
    const uint64_t count = unpack_number(&reader);
    struct sources *sources = count > 0 ? sources_create() : NULL;
    bool complete = !reader.failed && (count == 0 || sources);
    for (uint64_t i = 0; i < count && complete; i++)
        complete = read_file(sources, &reader);
    if (!complete || reader.left > 0) {
        sources_drop(sources);
        return false;
    }
    *result = sources;
    return true;
}

const char *sources_line(const void *sources, const char *name, uint32_t line)
{
    const struct sources *all = sources;
    for (const struct source_file *file = all && name ? all->files : NULL; file;
         file = file->next) {
        for (size_t i = 0; i < file->region_count && file->line_count > 0; i++) {
            const struct source_region *region = &file->regions[i];
            if (line >= region->number && line - region->number < region->end - region->first &&
                strcmp(region->name, name) == 0)
                return file->lines[region->first + (line - region->number)];
        }
    }
    return NULL;
}
