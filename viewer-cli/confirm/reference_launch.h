/* A captured launch (checkers/probe/captured.h) on the reference device of this process, once per
 * process. */
#ifndef VIEWER_CLI_CONFIRM_REFERENCE_LAUNCH_H
#define VIEWER_CLI_CONFIRM_REFERENCE_LAUNCH_H

#include "checkers/probe/captured.h"
#include "checkers/sink.h"
#include "trace/base/status.h"

/* Builds its program as it was built, gives the kernel its arguments, and runs it to its end.
 * Findings go to `sink`; what the kernel prints, nowhere. The error says why it could not be run,
 * or did not come to its end. */
enum status reference_launch_run(const struct captured *captured, sink_function *sink, void *user,
                                 struct error *error);

#endif
