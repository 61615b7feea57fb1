/* Which threads of two runs belong together: threads are numbered in the order in which they first
 * call, which may be another one in each run. */
#ifndef VIEWER_CLI_DIFF_DIFF_THREADS_H
#define VIEWER_CLI_DIFF_DIFF_THREADS_H

#include "trace/reader.h"

struct diff_threads;

/* Pairs threads that begin alike, in the order of their numbers, then the others. */
enum status diff_threads_create(struct trace *a, struct trace *b, struct diff_threads **threads,
                                struct error *error);
void diff_threads_destroy(struct diff_threads *threads); /* NULL is fine */
/* The thread of the second run that belongs to this one of the first; UINT32_MAX, which no thread
 * has, where there is none. */
uint32_t diff_threads_find(const struct diff_threads *threads, uint32_t thread);

#endif
