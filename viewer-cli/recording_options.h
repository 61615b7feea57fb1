/* Options of clerk run that say what of a run is recorded. */
#ifndef VIEWER_CLI_RECORDING_OPTIONS_H
#define VIEWER_CLI_RECORDING_OPTIONS_H

#include "trace/base/options.h"

/* What contradicts itself among them, or says nothing: a sentence; NULL = nothing does. */
const char *recording_options_fault(const struct options *options);

#endif
