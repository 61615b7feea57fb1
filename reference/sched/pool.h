/* Threads that work for launches, beside the one that launches. They are made when they are first
 * needed and sleep between launches, as long as the process lives. */
#ifndef REFERENCE_SCHED_POOL_H
#define REFERENCE_SCHED_POOL_H

#include <stdbool.h>
#include <stdint.h>

enum { POOL_THREADS_MAX = 64 }; /* the launching one included */

/* Processors that this process may use: those it is bound to, and no more than the quota of its
 * control group is worth. From 1 to POOL_THREADS_MAX. */
uint32_t pool_processors(void);

/* Bytes that workers may use beside what the launch needs: an eighth of what the machine, or the
 * control group, has. */
uint64_t pool_memory(void);

/* Calls work(user, 0) on this thread and, at the same time, work(user, i) on others, each i from 1
 * to count - 1 once, and returns when all have returned. False, nothing having been called: another
 * thread is at it, or no thread can be made. */
bool pool_run(uint32_t count, void (*work)(void *user, uint32_t index), void *user);

#endif
