/* What a run found, equal findings once: a defect of a kernel is found in each of its launches, and
 * people read of it once, as clerk run tells it. */
#ifndef VIEWER_CLI_FINDINGS_H
#define VIEWER_CLI_FINDINGS_H

#include "trace/base/status.h"
#include "trace/reader.h"

/* Makes a temporary table, in place of the one before, beside those of the trace, for queries
 * (rows.h), of what `rows` selects: id and json of findings, in the order of their ids. NULL: all.
 *
 * distinct_finding: a row for each finding (checkers/report.h says which are equal).
 *
 *     id       the first of those that are equal
 *     count    how often all of them were seen
 *     merged   its json with the places that launched its kernel in all of them; NULL if they are
 *              those of the first */
enum status findings_make(struct trace *trace, const char *rows, struct error *error);

#endif
