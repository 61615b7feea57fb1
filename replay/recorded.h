/* What the device was like that a run was recorded on, as it answered the program and the layer. */
#ifndef REPLAY_RECORDED_H
#define REPLAY_RECORDED_H

#include "trace/base/status.h"
#include "trace/base/text.h"

struct trace;

/* Appends the traits (trace/api/personality.h) that make the reference device one on which the run
 * can be performed, beside those asked for: "opencl-3.0,max-work-group=4096"; nothing where the
 * usual device will do, or the trace does not say. Of several recorded devices the newest version
 * and the largest sizes count. What was asked for stays as it is. */
enum status replay_recorded_traits(struct trace *trace, const char *asked, struct text *traits,
                                   struct error *error);

#endif
