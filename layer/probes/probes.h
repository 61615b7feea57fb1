/* Kernels that are checked where they run: with the setting PROBES a launch runs the checked copy
 * of the kernel (checkers/probe/checked.h) in its place, on the program's own queue, with its wait
 * list and its event; the program's own objects stay the driver's. A launch whose copy is not there
 * or cannot take it runs as it is, and is counted. */
#ifndef LAYER_PROBES_PROBES_H
#define LAYER_PROBES_PROBES_H

#include "checkers/sink.h"
#include "layer/session.h"
#include "trace/api/call.h"
#include "trace/api/entry.h"
#include "trace/base/text.h"

#include <stdbool.h>

struct probes;

/* `live` is borrowed. Findings go to `report`. NULL when memory is out. */
struct probes *probes_create(struct live *live, sink_function *report, void *user);
void probes_destroy(struct probes *probes); /* NULL is fine */

/* Around performing a call that is captured, with the words that go to the driver. In these and in
 * what follows the calling thread is marked as being inside the driver. */

/* True: it is a launch, and the checked copy was enqueued. Else `reason` says why not, if it is
 * one, for probes_performed, and the call is to be performed as it is. */
bool probes_launch(const struct session *session, const struct api_call *call,
                   const uint64_t *words, const char **reason, uint64_t *result);
void probes_before(struct probes *probes, const struct api_call *call, const uint64_t *words);
/* It succeeded. */
void probes_performed(struct probes *probes, const struct api_call *call, const uint64_t *words,
                      const char *reason);
/* After a call that succeeded: kernels that it made. */
void probes_after(const struct session *session, const struct api_call *call);
/* The program begins to end: what its last launches reported. False: some have not ended. */
bool probes_finish(struct probes *probes);

/* What was checked and what not, one sentence; false: no kernel ran that could have been. */
bool probes_summary(struct probes *probes, struct text *text);

#endif
