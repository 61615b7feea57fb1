/* Callbacks of the application's go through trampolines, so that the layer knows when a call is
 * made from within one, and when an event completed. */
#ifndef LAYER_CALLBACKS_H
#define LAYER_CALLBACKS_H

#include "trace/api/call.h"

#include <stdint.h>

struct callback;

/* If the call passes a callback, replaces it and its user data in `words` by a trampoline and its
 * record, and returns the record; else NULL. Native kernels are left alone: their arguments are the
 * application's bytes. */
struct callback *callbacks_wrap(const struct api_call *call, uint64_t *words);

/* The call failed: the driver never calls the trampoline. NULL is allowed. */
void callbacks_drop(struct callback *callback);

#endif
