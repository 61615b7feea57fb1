/* Callbacks of the application's go through trampolines, so that the layer knows when a call is
 * made from within one, and when an event completed. */
#ifndef LAYER_CALLBACKS_H
#define LAYER_CALLBACKS_H

#include "layer/readable.h"
#include "trace/api/call.h"
#include "trace/base/arena.h"

#include <stdbool.h>
#include <stdint.h>

struct callback;

/* If the call passes a callback, replaces it and its user data in `words` by a trampoline and its
 * record, and returns the record; else NULL. Of a native kernel the function and its arguments are
 * replaced by blocks in `arena`, which lives as long as the call, and nothing is returned. */
struct callback *callbacks_wrap(const struct api_call *call, uint64_t *words, struct arena *arena,
                                struct readable *readable);

struct layer_thread;
/* The callback of an event that the thread is in, at this moment, for a call. */
const struct api_event_callback *callbacks_now(struct layer_thread *thread);

/* The call came back: one that failed has no trampoline that the driver would call, but for builds.
 */
void callbacks_returned(struct callback *callback, const struct api_call *call, bool succeeded);

#endif
