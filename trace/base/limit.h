/* Limits of what a file may cost that clerk is given to read: it may come from anybody, and be an
 * endless pipe, or small and take for ever. */
#ifndef TRACE_BASE_LIMIT_H
#define TRACE_BASE_LIMIT_H

#include <stdint.h>

enum limit {
#define LIMIT(symbol, ...) LIMIT_##symbol,
#include "trace/base/limit.def"
    LIMIT_COUNT
};

/* The limit in force, in its own unit; UINT64_MAX = none. A value of the environment that is no
 * number counts as not set. Any thread. */
uint64_t limit_get(enum limit limit);
/* The variable that sets it. */
const char *limit_variable(enum limit limit);

#endif
