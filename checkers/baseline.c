#include "checkers/baseline.h"

#include "trace/base/alloc.h"
#include "trace/base/arena.h"
#include "trace/base/file.h"

#include <string.h>

#include "trace/base/hash.h"

enum { BASELINE_SIZE_MAX = 1 << 30 };

struct known {
    uint64_t fingerprint;
    uint64_t count; /* that are not taken */
    UT_hash_handle hh;
};

struct baseline {
    struct known *known;
    struct arena arena; /* of `known` */
};

static struct known *find(const struct baseline *baseline, uint64_t fingerprint)
{
    struct known *known = NULL;
    HASH_FIND(hh, baseline->known, &fingerprint, sizeof fingerprint, known);
    return known;
}

static enum status add(struct baseline *baseline, uint64_t fingerprint, struct error *error)
{
    struct known *known = find(baseline, fingerprint);
    if (!known) {
        known = arena_alloc(&baseline->arena, 1, sizeof *known);
        if (!known)
            return error_no_memory(error, sizeof *known);
        known->fingerprint = fingerprint;
        HASH_ADD(hh, baseline->known, fingerprint, sizeof known->fingerprint, known);
        if (!known->hh.tbl)
            return error_no_memory(error, sizeof *known);
    }
    ++known->count;
    return STATUS_OK;
}

static enum status add_line(struct baseline *baseline, const char *line, struct error *error)
{
    struct arena arena = {0};
    struct finding finding;
    enum status status = STATUS_OK;
    if (!line[strspn(line, " \t\r")])
        return STATUS_OK;
    struct finding_unchecked unchecked;
    if (finding_parse_unchecked(line, &arena, &unchecked)) {
        arena_release(&arena);
        return STATUS_OK;
    }
    status = finding_parse_json(line, &arena, &finding, error);
    if (!status)
        status = add(baseline, finding_fingerprint(&finding), error);
    arena_release(&arena);
    return status == STATUS_UNSUPPORTED ? STATUS_OK : status;
}

static enum status add_lines(struct baseline *baseline, const char *path, char *text,
                             struct error *error)
{
    size_t number = 0;
    for (char *line = text; line && *line;) {
        char *end = strchr(line, '\n');
        if (end)
            *end++ = 0;
        ++number;
        const enum status status = add_line(baseline, line, error);
        if (status) {
            error_prefix(error, "line %zu of '%s'", number, path);
            return status;
        }
        line = end;
    }
    return STATUS_OK;
}

enum status baseline_load(const char *path, struct baseline **baseline, struct error *error)
{
    char *text = NULL;
    size_t size;
    struct baseline *made = alloc_zero(1, sizeof *made);
    enum status status = made ? file_read_text(path, BASELINE_SIZE_MAX, &text, &size, error)
                              : error_no_memory(error, sizeof *made);
    if (!status)
        status = add_lines(made, path, text, error);
    alloc_free(text);
    if (status)
        baseline_destroy(made);
    else
        *baseline = made;
    return status;
}

void baseline_destroy(struct baseline *baseline)
{
    if (!baseline)
        return;
    HASH_CLEAR(hh, baseline->known);
    arena_release(&baseline->arena);
    alloc_free(baseline);
}

bool baseline_take(struct baseline *baseline, const struct finding *finding)
{
    struct known *known = baseline ? find(baseline, finding_fingerprint(finding)) : NULL;
    if (!known || !known->count)
        return false;
    --known->count;
    return true;
}
