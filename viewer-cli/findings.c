#include "viewer-cli/findings.h"

#include "checkers/finding.h"
#include "viewer-cli/rows.h"

/* Findings of rules that this clerk does not know have no key, and each is its own. */
static enum status put_finding(struct rows *put, struct rows *row, struct error *error)
{
    struct arena arena = {0};
    struct finding finding;
    rows_bind_number(put, 1, rows_number(row, 0));
    if (finding_parse_json(rows_text(row, 1), &arena, &finding, NULL) == STATUS_OK) {
        rows_bind_number(put, 2, (int64_t)finding_key(&finding));
        rows_bind_number(put, 3, (int64_t)finding.count);
    }
    arena_release(&arena);
    return rows_run(put, error);
}

enum status findings_make(struct trace *trace, const char *rows, struct error *error)
{
    struct rows *put = NULL;
    struct rows *found = NULL;
    bool more = true;
    enum status status = rows_execute(trace,
                                      "CREATE TEMP TABLE IF NOT EXISTS distinct_finding"
                                      " (id INTEGER PRIMARY KEY, key INTEGER UNIQUE,"
                                      " count INTEGER);"
                                      "DELETE FROM temp.distinct_finding",
                                      error);
    if (!status)
        status = rows_open(trace,
                           "INSERT INTO temp.distinct_finding VALUES (?1, ?2, ifnull(?3, 1))"
                           " ON CONFLICT (key) DO UPDATE SET count = count + excluded.count",
                           &put, error);
    if (!status)
        status = rows_open(trace, rows ? rows : "SELECT id, json FROM finding ORDER BY id", &found,
                           error);
    while (!status) {
        status = rows_next(found, &more, error);
        if (status || !more)
            break;
        status = put_finding(put, found, error);
    }
    rows_close(found);
    rows_close(put);
    return status;
}
