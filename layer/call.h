/* The life of one call under the layer. */
#ifndef LAYER_CALL_H
#define LAYER_CALL_H

#include "trace/api/entry.h"

/* Performs a call of the application's: records it, judges it, forwards it to `target` (NULL: the
 * platform has no such entry point, the call fails) and returns the result as a word. `words` has
 * one word a parameter and may be changed. Any thread may call; while the session is passive, or
 * inside the driver, the call is forwarded and nothing else. */
uint64_t layer_call(uint32_t entry, api_function *target, uint64_t *words);

#endif
