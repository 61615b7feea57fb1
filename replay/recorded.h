/* What the device was like that a run was recorded on, as it answered the program and the layer. */
#ifndef REPLAY_RECORDED_H
#define REPLAY_RECORDED_H

#include "trace/base/status.h"

#include <stdint.h>

struct trace;

/* Its version of OpenCL, 310 = 3.1; of several devices the newest; 0 = the trace does not say. */
enum status replay_recorded_version(struct trace *trace, uint32_t *version, struct error *error);

#endif
