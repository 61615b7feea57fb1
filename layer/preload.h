/* How the preloaded library finds the functions that it stands before. */
#ifndef LAYER_PRELOAD_H
#define LAYER_PRELOAD_H

#include "layer/targets.h"

/* The entry point in the real OpenCL library, which is opened at the first question. NULL when
 * there is no such library (that is said once on standard error), or it has no such function. */
api_function *preload_target(uint32_t entry);

/* The function of that name after this library; NULL = there is none. */
void *preload_next(const char *name);

#endif
