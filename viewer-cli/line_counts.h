/* What the lines of kernels executed (clerk run --profile-lines), of all launches together, as a
 * temporary table beside those of the trace, for queries (rows.h).
 *
 * line_count: a row for each line of a kernel.
 *
 *     program, kernel      "program#1", and the kernel's name
 *     file, line           "" and 0: not known
 *     text                 of the line, if it is of the program's own source; else NULL
 *     operations           and so on, as in launch_line (docs/TRACE_FORMAT.md), summed up
 *     idle                 0.5, of the work-items that could have taken part
 *     memory               "uncoalesced 2.0x bank conflicts 4.0x"; "" = neither is worth a word */
#ifndef VIEWER_CLI_LINE_COUNTS_H
#define VIEWER_CLI_LINE_COUNTS_H

#include "trace/base/status.h"
#include "trace/reader.h"

enum status line_counts_make(struct trace *trace, struct error *error);

#endif
