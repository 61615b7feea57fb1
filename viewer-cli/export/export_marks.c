#include "viewer-cli/export/export_marks.h"

#include "trace/base/alloc.h"
#include "viewer-cli/findings.h"

#include <stdlib.h>

/* ---- loading ---- */

static int compare_commands(const void *key, const void *element)
{
    const uint64_t *call = key;
    const struct export_command *const *command = element;
    return (*call > (*command)->call) - (*call < (*command)->call);
}

const struct export_command *export_marks_command(const struct export_marks *marks, uint64_t call)
{
    const struct export_command **found = bsearch(&call, marks->commands, marks->command_count,
                                                  sizeof *marks->commands, compare_commands);
    return found ? *found : NULL;
}

static bool add_mark(struct export_marks *marks, uint64_t call, const struct export_mark *what)
{
    struct export_mark *list =
        alloc_grow(marks->list, marks->count, &marks->capacity, sizeof *list);
    if (!list)
        return false;
    marks->list = list;
    list[marks->count] = *what;
    list[marks->count].call = call;
    list[marks->count].finding = marks->finding_count;
    list[marks->count++].is_of_command =
        what->is_of_command && export_marks_command(marks, call) != NULL;
    return true;
}

/* At each call where an equal one was found: a defect of a kernel in each of its launches. */
static enum status add_equal(struct export_marks *marks, struct trace *trace, int64_t id,
                             const struct export_mark *what, struct error *error)
{
    struct rows *rows = NULL;
    enum status status = rows_open_format(trace, &rows, error,
                                          "SELECT call FROM temp.equal_finding"
                                          " JOIN finding ON finding.id = equal"
                                          " WHERE equal_finding.id = %lld AND call IS NOT NULL",
                                          (long long)id);
    while (rows_next(rows, &status, error))
        if (!add_mark(marks, (uint64_t)rows_number(rows, 0), what))
            status = error_no_memory(error, sizeof *what);
    rows_close(rows);
    return status;
}

static enum status add_finding(struct export_marks *marks, struct trace *trace, struct rows *rows,
                               struct error *error)
{
    struct arena arena = {0};
    struct finding finding;
    const bool is_known = findings_read(rows, &arena, &finding);
    const struct export_mark what = {
        .severity = arena_string(&marks->arena, rows_text(rows, FINDINGS_SEVERITY)),
        .rule = arena_string(&marks->arena, rows_text(rows, FINDINGS_RULE)),
        .message = arena_string(&marks->arena, rows_text(rows, FINDINGS_MESSAGE)),
        .is_of_command = is_known && rule_get(finding.rule)->where == RULE_WHERE_KERNEL,
    };
    bool is_added = what.severity && what.rule && what.message;
    for (size_t i = 0; is_added && is_known && i < finding.place_count; ++i)
        if (finding.places[i].call_id && finding.places[i].kind != FINDING_PLACE_OBJECT)
            is_added = add_mark(marks, finding.places[i].call_id, &what);
    const enum status status =
        is_added ? add_equal(marks, trace, rows_number(rows, FINDINGS_ID), &what, error)
                 : error_no_memory(error, sizeof what);
    ++marks->finding_count;
    arena_release(&arena);
    return status;
}

static int compare_marks(const void *left, const void *right)
{
    const struct export_mark *a = left;
    const struct export_mark *b = right;
    if (a->call != b->call)
        return a->call < b->call ? -1 : 1;
    if (a->is_of_command != b->is_of_command)
        return a->is_of_command ? 1 : -1;
    return (a->finding > b->finding) - (a->finding < b->finding);
}

/* In their order, each once: several places may be of one call. */
static void sort_marks(struct export_marks *marks)
{
    size_t kept = 0;
    if (marks->count)
        qsort(marks->list, marks->count, sizeof *marks->list, compare_marks);
    for (size_t i = 0; i < marks->count; ++i)
        if (!kept || compare_marks(&marks->list[kept - 1], &marks->list[i]) != 0)
            marks->list[kept++] = marks->list[i];
    marks->count = kept;
}

enum status export_marks_load(const struct export_run *run, struct export_marks *marks,
                              struct error *error)
{
    struct rows *rows = NULL;
    marks->commands = export_commands_by_call(run);
    if (!marks->commands)
        return error_no_memory(error, run->command_count);
    marks->command_count = run->command_count;
    enum status status = findings_make(run->trace, NULL, error);
    if (!status)
        status = findings_open(run->trace, &rows, error);
    while (rows_next(rows, &status, error))
        status = add_finding(marks, run->trace, rows, error);
    rows_close(rows);
    sort_marks(marks);
    return status;
}

void export_marks_release(struct export_marks *marks)
{
    alloc_free(marks->commands);
    alloc_free(marks->list);
    arena_release(&marks->arena);
}

/* ---- asking ---- */

const struct export_mark *export_marks_at(const struct export_marks *marks, uint64_t call,
                                          bool is_of_command, size_t *count)
{
    const struct export_mark wanted = {.call = call, .is_of_command = is_of_command};
    size_t low = 0;
    size_t high = marks->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (compare_marks(&marks->list[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    for (*count = 0; low + *count < marks->count && marks->list[low + *count].call == call &&
                     marks->list[low + *count].is_of_command == is_of_command;)
        ++*count;
    return *count ? &marks->list[low] : NULL;
}
