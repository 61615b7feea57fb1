#include "viewer-cli/finding_lines.h"

#include "trace/base/alloc.h"
#include "trace/base/file.h"

#include <string.h>

enum { FINDINGS_SIZE_MAX = 1 << 30 };

/* Ends each line with a NUL. */
enum status finding_lines_read(const char *path, struct finding_lines *lines, struct error *error)
{
    void *bytes = NULL;
    const enum status status = file_read(path, FINDINGS_SIZE_MAX, &bytes, &lines->size, error);
    if (status)
        return status;
    lines->bytes = bytes;
    for (size_t i = 0; i < lines->size; ++i)
        if (lines->bytes[i] == '\n')
            lines->bytes[i] = 0;
    return STATUS_OK;
}

void finding_lines_release(struct finding_lines *lines)
{
    alloc_free(lines->bytes);
}

static void parse(const char *json, struct arena *arena, struct finding_line *line,
                  struct error *error)
{
    if (finding_parse_unchecked(json, arena, &line->unchecked))
        line->kind = FINDING_LINE_UNCHECKED;
    else if (finding_parse_not_shown(json, &line->rule, &line->not_shown))
        line->kind = FINDING_LINE_NOT_SHOWN;
    else if (finding_parse_shard(json, &line->shard.index, &line->shard.count))
        line->kind = FINDING_LINE_SHARD;
    else if (finding_parse_json(json, arena, &line->finding, error) == STATUS_OK)
        line->kind = FINDING_LINE_FINDING;
    else
        line->why = error->text;
}

void finding_lines_each(const struct finding_lines *lines, finding_line_visit *visit, void *user)
{
    size_t number = 0;
    for (size_t at = 0; at < lines->size; ++number) {
        const char *json = lines->bytes + at;
        const size_t length = strnlen(json, lines->size - at);
        struct arena arena = {0};
        struct error error;
        struct finding_line line = {.number = number + 1};
        if (length > 0) {
            parse(json, &arena, &line, &error);
            visit(user, &line, &arena);
        }
        arena_release(&arena);
        at += length + 1;
    }
}
