/* Which of the program's memory is watched, and how the checker sees it. Any thread. */
#ifndef LAYER_WATCH_H
#define LAYER_WATCH_H

#include <stdbool.h>
#include <stdint.h>

struct host_checker;

/* HOST_WATCH_...: those of which the settings say that every byte counts. */
unsigned watch_whole_parts(void);

/* Who is told of what the program frees (frees.h); NULL = nobody. */
extern struct host_checker *_Atomic watch_checker;

/* The shape of host_digest; `user` is not used. What was readable a moment ago need not be now:
 * each page is asked for. */
bool watch_digest(void *user, uint64_t address, uint64_t size, uint64_t *digest);

#endif
