/* What a run found, equal findings once: a defect of a kernel is found in each of its launches, and
 * people read of it once, as clerk run tells it. */
#ifndef VIEWER_CLI_FINDINGS_H
#define VIEWER_CLI_FINDINGS_H

#include "checkers/finding.h"
#include "viewer-cli/rows.h"

/* Makes temporary tables, in place of those before, beside those of the trace, for queries
 * (rows.h), of what `rows` selects: id and json of findings, in the order of their ids. NULL: all.
 *
 * distinct_finding: a row for each finding (checkers/report.h says which are equal).
 *
 *     id       the first of those that are equal
 *     count    how often all of them were seen
 *     merged   its json with the places that launched its kernel in all of them; NULL if they are
 *              those of the first
 *
 * equal_finding: (id, equal): each of those that are equal to it, itself among them. */
enum status findings_make(struct trace *trace, const char *rows, struct error *error);

/* Its rows, in the order of their ids, with these columns; the program is that of the kernel, which
 * is NULL where a finding is of none, as the call is 0 then. */
enum {
    FINDINGS_JSON,
    FINDINGS_SEVERITY,
    FINDINGS_RULE,
    FINDINGS_MESSAGE,
    FINDINGS_COUNT,
    FINDINGS_CALL,
    FINDINGS_PROGRAM,
    FINDINGS_ID,
};
enum status findings_open(struct trace *trace, struct rows **rows, struct error *error);
/* The finding of the row; false when this clerk does not know its rule, which then has its words
 * alone. */
bool findings_read(struct rows *rows, struct arena *arena, struct finding *finding);
/* These, {"severity":...,"rule":...,"message":...} */
void findings_print_unknown_json(struct rows *rows, struct text *text);

#endif
