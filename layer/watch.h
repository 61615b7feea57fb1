/* Which of the program's memory is watched, and how the checker sees it. Any thread. */
#ifndef LAYER_WATCH_H
#define LAYER_WATCH_H

#include <stdbool.h>
#include <stdint.h>

/* HOST_WATCH_... as the settings say. */
unsigned watch_parts(void);

/* The shape of host_digest; `user` is not used. What was readable a moment ago need not be now:
 * each page is asked for. */
bool watch_digest(void *user, uint64_t address, uint64_t size, uint64_t *digest);

#endif
