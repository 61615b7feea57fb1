/* clerk show TRACE programs: as a list, or with --full their sources, findings below the lines that
 * they talk about. */
#include "trace/base/alloc.h"
#include "trace/base/visible.h"
#include "viewer-cli/findings.h"
#include "viewer-cli/show/show.h"
#include "viewer-cli/verb.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A place of a finding in the source. */
struct mark {
    size_t number;
    uint32_t line, column;
    const char *rule, *label;
};

struct marks {
    struct mark *marks; /* by line, then as they were found */
    size_t count, capacity;
    struct arena arena; /* the strings */
};

static enum status add_finding(struct marks *marks, struct rows *rows, struct error *error)
{
    struct finding finding;
    if (!findings_read(rows, &marks->arena, &finding))
        return STATUS_OK; /* of a rule that this clerk does not know */
    for (size_t i = 0; i < finding.place_count; ++i) {
        const struct finding_place *place = &finding.places[i];
        if (place->kind != FINDING_PLACE_KERNEL || !place->line)
            continue;
        struct mark *grown =
            alloc_grow(marks->marks, marks->count, &marks->capacity, sizeof *grown);
        if (!grown)
            return error_no_memory(error, sizeof *grown);
        marks->marks = grown;
        marks->marks[marks->count] = (struct mark){marks->count, place->line, place->column,
                                                   rule_get(finding.rule)->id, place->label};
        ++marks->count;
    }
    return STATUS_OK;
}

static int compare_marks(const void *left, const void *right)
{
    const struct mark *a = left;
    const struct mark *b = right;
    return a->line != b->line ? (a->line > b->line) - (a->line < b->line)
                              : (a->number > b->number) - (a->number < b->number);
}

/* Those of the launches of the program's kernels. */
static enum status load_marks(struct trace *trace, int64_t program, struct marks *marks,
                              struct error *error)
{
    struct rows *rows = NULL;
    char *sql = alloc_format("SELECT finding.id, json FROM finding"
                             " JOIN launch ON launch.call = finding.call"
                             " JOIN kernel ON kernel.id = kernel WHERE program = %" PRId64
                             " ORDER BY finding.id",
                             program);
    enum status status = sql ? findings_make(trace, sql, error) : error_no_memory(error, 1);
    if (!status)
        status = findings_open(trace, &rows, error);
    while (rows_next(rows, &status, error))
        status = add_finding(marks, rows, error);
    rows_close(rows);
    alloc_free(sql);
    if (marks->count)
        qsort(marks->marks, marks->count, sizeof *marks->marks, compare_marks);
    return status;
}

/* The caret stands below the column, tabs as in the line. */
static void print_mark(const struct mark *mark, const char *line, size_t size, struct text *text)
{
    text_append(text, "     | ");
    for (size_t i = 0; i + 1 < mark->column && i < size; ++i)
        text_append_char(text, line[i] == '\t' ? '\t' : ' ');
    text_format(text, "^ [%s] ", mark->rule);
    text_append_visible(text, mark->label ? mark->label : "", VISIBLE_ONE_LINE);
    text_append_char(text, '\n');
}

static void print_source(const char *source, const struct marks *marks, struct text *text)
{
    size_t next = 0;
    for (uint32_t number = 1; *source; ++number) {
        const size_t size = strcspn(source, "\n");
        text_format(text, "%4" PRIu32 " | %.*s\n", number, (int)size, source);
        for (; next < marks->count && marks->marks[next].line == number; ++next)
            print_mark(&marks->marks[next], source, size, text);
        source += size + (source[size] == '\n');
    }
}

static void print_title(struct rows *rows, struct text *text)
{
    static const char *const before[] = {"==== ", " (", ")  options: "};
    for (int i = 0; i < 3; ++i) {
        text_append(text, before[i]);
        text_append_visible(text, rows_text(rows, i), VISIBLE_ONE_LINE);
    }
    text_append(text, " ====\n");
}

static enum status show_sources(struct trace *trace, struct error *error)
{
    struct rows *rows = NULL;
    struct text text = TEXT_INIT;
    enum status status = rows_open(
        trace,
        "SELECT object.name, origin, ifnull(options, ''), ifnull(source, ''), ifnull(log, ''),"
        " object.id FROM program JOIN object USING (id) ORDER BY id",
        &rows, error);
    while (rows_next(rows, &status, error)) {
        struct marks marks = {0};
        status = load_marks(trace, rows_number(rows, 5), &marks, error);
        print_title(rows, &text);
        print_source(rows_text(rows, 3), &marks, &text);
        if (*rows_text(rows, 4)) {
            text_append(&text, "---- build log ----\n");
            text_append_visible(&text, rows_text(rows, 4), VISIBLE_LINES);
            text_append_char(&text, '\n');
        }
        alloc_free(marks.marks);
        arena_release(&marks.arena);
        if (!verb_print(&text))
            break;
        text_clear(&text);
    }
    rows_close(rows);
    text_release(&text);
    return status;
}

enum status show_programs(struct trace *trace, const struct options *options, struct error *error)
{
    if (options_has(options, "full") && !options_has(options, "json"))
        return show_sources(trace, error);
    return show_list(trace, "programs", options, error);
}
