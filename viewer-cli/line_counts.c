#include "viewer-cli/line_counts.h"

#include "viewer-cli/rows.h"

#include <string.h>

/* source_line: the lines of programs whose kernels were counted. The device calls a program's own
 * source so, in which no other file begins. */
#define OWN_SOURCE "<source>"

static const char tables[] =
    "CREATE TEMP TABLE source_line (program INTEGER, line INTEGER, text TEXT,"
    " PRIMARY KEY (program, line)) WITHOUT ROWID";

static const char counts[] =
    "CREATE TEMP TABLE line_count AS SELECT *,"
    " iif(present, round(1.0 * (present - active) / present, 4), NULL) AS idle,"
    " trim(iif(2 * global_lines > 3 * global_least,"
    "  printf('uncoalesced %.1fx', 1.0 * global_lines / global_least), '') ||"
    "  iif(local_turns > local_least,"
    "  printf(' bank conflicts %.1fx', 1.0 * local_turns / local_least), '')) AS memory"
    " FROM (SELECT object.name AS program, kernel_name AS kernel, file,"
    " launch_line.line, source_line.text, sum(operations) AS operations, sum(active) AS active,"
    " sum(present) AS present, sum(global_lines) AS global_lines,"
    " sum(global_least) AS global_least, sum(local_turns) AS local_turns,"
    " sum(local_least) AS local_least"
    " FROM launch_line JOIN launch USING (call) LEFT JOIN kernel ON kernel.id = launch.kernel"
    " LEFT JOIN object ON object.id = kernel.program"
    " LEFT JOIN temp.source_line ON source_line.program = kernel.program"
    "  AND source_line.line = launch_line.line AND file = '" OWN_SOURCE "'"
    " GROUP BY kernel.program, kernel_name, file, launch_line.line)";

static enum status put_lines(struct rows *put, int64_t program, const char *text,
                             struct error *error)
{
    struct text line = TEXT_INIT;
    enum status status = STATUS_OK;
    for (int64_t number = 1; *text && !status; ++number) {
        const size_t size = strcspn(text, "\n");
        text_clear(&line);
        text_append_n(&line, text, size);
        text += size + (text[size] == '\n');
        rows_bind_number(put, 1, program);
        rows_bind_number(put, 2, number);
        rows_bind_text(put, 3, line.bytes);
        status = line.failed ? error_no_memory(error, size) : rows_run(put, error);
    }
    text_release(&line);
    return status;
}

enum status line_counts_make(struct trace *trace, struct error *error)
{
    struct rows *programs = NULL;
    struct rows *put = NULL;
    enum status status = rows_execute(trace, tables, error);
    if (!status)
        status = rows_open(trace, "INSERT INTO temp.source_line VALUES (?1, ?2, ?3)", &put, error);
    if (!status)
        status = rows_open(trace,
                           "SELECT id, source FROM program WHERE source NOT NULL AND id IN"
                           " (SELECT program FROM kernel WHERE id IN (SELECT kernel FROM launch"
                           "  WHERE call IN (SELECT call FROM launch_line)))",
                           &programs, error);
    while (rows_next(programs, &status, error))
        status = put_lines(put, rows_number(programs, 0), rows_text(programs, 1), error);
    rows_close(programs);
    rows_close(put);
    return status ? status : rows_execute(trace, counts, error);
}
