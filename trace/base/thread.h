/* Threads of ours in a program that is not. */
#ifndef TRACE_BASE_THREAD_H
#define TRACE_BASE_THREAD_H

#include <stdbool.h>
#include <stddef.h>

/* Starts a thread that nobody joins. It gets no signals: they are for the program's own threads.
 * `stack` is the size of its stack in bytes; 0 = as is usual. */
bool thread_start_detached(void *(*function)(void *), void *user, size_t stack);

#endif
