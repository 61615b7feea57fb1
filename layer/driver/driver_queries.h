/* Facts that the trace and the checkers need about an object are asked of the driver once, when the
 * object appears, and enter the stream as synthetic calls: device limits, build logs, what a
 * kernel's arguments are. What a driver does not tell of these comes from kernel_facts.h. */
#ifndef LAYER_DRIVER_DRIVER_QUERIES_H
#define LAYER_DRIVER_DRIVER_QUERIES_H

#include "layer/session.h"
#include "layer/thread.h"
#include "trace/api/entry.h"

/* Before a call that goes to the driver: what has to be asked while it builds. */
void driver_queries_before_call(const struct session *session, const struct api_call *call);

/* After a completed call, if it succeeded (or, of a build, also if it failed). Asks nothing in the
 * common case. `thread` is the calling thread's, marked as being inside the driver. */
void driver_queries_after_call(struct session *session, struct layer_thread *thread,
                               const struct api_call *call);

/* After a clGetProgramInfo of CL_PROGRAM_BINARIES that succeeded; `thread` as above. */
void driver_queries_gave_binaries(const struct session *session, struct layer_thread *thread,
                                  const struct api_call *call);

/* A host_answer_size (checkers/host/host.h): asks the driver, and enters nothing into the stream.
 */
uint64_t driver_queries_answer_size(void *user, const struct api_call *call);

/* A host_lists_format, likewise. */
bool driver_queries_lists_format(void *user, const struct host_image *image);

/* A build that went on after its call is complete. */
void driver_queries_program_built(struct session *session, struct layer_thread *thread,
                                  cl_program program);

#endif
