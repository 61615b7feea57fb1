#include "viewer-cli/diff/diff_lines.h"

#include "trace/api/entry.h"
#include "trace/base/alloc.h"
#include "viewer-cli/rows.h"
#include "viewer-cli/tolerance.h"

static const char *words_of(struct diff_lines *lines, const struct diff_row *row)
{
    struct text text = TEXT_INIT;
    if (!row->steps[0] || !row->steps[1])
        diff_how_print(row->steps[0] ? DIFF_HOW_FIRST_ONLY : DIFF_HOW_SECOND_ONLY, NULL, &text);
    else
        diff_how_print(row->how, row->what, &text);
    if (row->differs && row->what && row->what == row->values.whose) {
        text_append(&text, "; ");
        diff_values_print(&row->values, &text);
    }
    const char *words = text.failed ? NULL : arena_string(&lines->arena, text.bytes);
    text_release(&text);
    return words;
}

enum status diff_lines_add(struct diff_lines *lines, const struct diff_row *row,
                           struct error *error)
{
    struct diff_line *grown =
        alloc_grow(lines->lines, lines->count, &lines->capacity, sizeof *grown);
    if (!grown)
        return error_no_memory(error, sizeof *grown);
    lines->lines = grown;
    struct diff_line *line = &grown[lines->count];
    *line = (struct diff_line){.words = NULL};
    for (int side = 0; side < 2; ++side)
        line->ids[side] = row->steps[side] ? row->steps[side]->id : 0;
    ++lines->count;
    if (line->ids[0] && line->ids[1] && !row->differs)
        return STATUS_OK;
    ++lines->different;
    line->words = words_of(lines, row);
    return line->words ? STATUS_OK : error_no_memory(error, sizeof *line);
}

static enum status take_row(void *user, const struct diff_row *row, struct error *error)
{
    return diff_lines_add(user, row, error);
}

enum status diff_lines_load(struct diff_lines *lines, const struct options *options,
                            struct error *error)
{
    struct diff_comparison *comparison = NULL;
    struct replay_tolerance tolerance;
    enum status status = tolerance_parse(options, &tolerance, error);
    if (!status)
        status = diff_comparison_create(lines->traces, &tolerance,
                                        options_has(options, "no-queries"), &comparison, error);
    if (!status)
        status = diff_comparison_each(comparison, take_row, lines, error);
    diff_comparison_destroy(comparison);
    return status;
}

void diff_lines_release(struct diff_lines *lines)
{
    alloc_free(lines->lines);
    arena_release(&lines->arena);
}

static enum status print_kernel(struct trace *trace, uint64_t call_id, struct text *text,
                                struct error *error)
{
    struct rows *rows = NULL;
    enum status status =
        rows_open_format(trace, &rows, error, "SELECT kernel_name FROM launch WHERE call = %lld",
                         (long long)call_id);
    if (rows_next(rows, &status, error))
        text_format(text, "'%s' ", rows_text(rows, 0));
    rows_close(rows);
    return status;
}

enum status diff_lines_print(const struct diff_lines *lines, size_t line, int side,
                             struct text *text, struct error *error)
{
    const uint64_t id = lines->lines[line].ids[side];
    struct trace_names names = {.trace = lines->traces[side], .call_id = id};
    struct arena arena = {0};
    struct api_call call;
    if (!id)
        return STATUS_OK;
    enum status status = trace_call(lines->traces[side], id, &arena, &call, error);
    if (!status && api_entry_launches(call.entry))
        status = print_kernel(lines->traces[side], id, text, error);
    if (!status)
        api_call_print(&call, trace_handle_name, &names, text);
    arena_release(&arena);
    return status;
}
