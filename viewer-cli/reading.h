/* Opening the traces that verbs show, judge and write in other forms: anybody may have made them.
 */
#ifndef VIEWER_CLI_READING_H
#define VIEWER_CLI_READING_H

#include "trace/reader.h"

/* As trace_open; from then on this process takes no more memory than such a trace has need of
 * (LIMIT_TRACE_MEMORY, of all that were opened). Not for a verb that also executes kernels. */
enum status reading_open(const char *path, struct trace **trace, struct error *error);
/* Adds to the sentence of a failure for want of memory who set the limit. */
void reading_explain(struct error *error);

#endif
