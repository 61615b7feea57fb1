/* Facts that the trace and the checkers need about an object are asked of the driver once, when the
 * object appears, and enter the stream as synthetic calls: device limits, build logs, what a
 * kernel's arguments are. */
#ifndef LAYER_FACTS_H
#define LAYER_FACTS_H

#include "layer/session.h"
#include "layer/thread.h"
#include "trace/api/entry.h"

/* After a completed call, if it succeeded (or, of a build, also if it failed). Asks nothing in the
 * common case. `thread` is the calling thread's, marked as being inside the driver. */
void facts_after_call(struct session *session, struct layer_thread *thread,
                      const struct api_call *call);

/* A host_answer_size (checkers/host/host.h): asks the driver, and enters nothing into the stream.
 */
uint64_t facts_answer_size(void *user, const struct api_call *call);

/* A host_lists_format, likewise. */
bool facts_lists_format(void *user, const struct host_image *image);

/* A build that went on behind its call is complete. */
void facts_program_built(struct session *session, struct layer_thread *thread, cl_program program);

#endif
