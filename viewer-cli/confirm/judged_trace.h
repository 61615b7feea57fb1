/* A recorded run whose findings were confirmed after it: its trace is told what has become of them,
 * so that its pages and `clerk show` say what the report says. */
#ifndef VIEWER_CLI_CONFIRM_JUDGED_TRACE_H
#define VIEWER_CLI_CONFIRM_JUDGED_TRACE_H

#include "checkers/finding.h"
#include "trace/base/status.h"

struct judged_trace;

/* Takes out the findings of the trace. *judged is NULL if a process is still writing it. */
enum status judged_trace_open(const char *path, struct judged_trace **judged, struct error *error);
/* One that is told, in the order of the report. NULL is fine. */
void judged_trace_add(struct judged_trace *judged, const struct finding *finding);
/* All of it, or nothing if anything failed. NULL is fine. */
enum status judged_trace_close(struct judged_trace *judged, struct error *error);

#endif
