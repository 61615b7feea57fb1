/* What cmd_diff.c leaves to others. */
#ifndef VIEWER_CLI_DIFF_CMD_DIFF_H
#define VIEWER_CLI_DIFF_CMD_DIFF_H

#include "trace/reader.h"

/* ---- diff_call.c ---- */

/* Do two calls of two runs say the same? Handles, mapped pointers and addresses of shared virtual
 * memory differ from run to run: what one call creates in both runs belongs together from then on.
 * Other addresses, and times, are not compared. */

struct diff_pairs;

/* NULL when memory is out. */
struct diff_pairs *diff_pairs_create(void);
void diff_pairs_destroy(struct diff_pairs *pairs); /* NULL is fine */

/* What belongs to a handle of the first run in the second; 0 = nothing. */
uint64_t diff_pairs_find(const struct diff_pairs *pairs, uint64_t a);
/* Do both lead to the same place of an allocation of shared virtual memory? */
bool diff_addresses_agree(const struct diff_pairs *pairs, uint64_t a, uint64_t b);

/* True when they say the same; otherwise *what names the first parameter that differs, "result" or
 * "flags" (lives for ever). The calls are of the same entry point. Remembers what they created. */
bool diff_calls_agree(struct diff_pairs *pairs, const struct api_call *a, const struct api_call *b,
                      const char **what);

/* ---- diff_bytes.c ---- */

/* Do the bytes that belong to two calls of two runs say the same? They do where they are equal,
 * where words of them are pointers to the same place of shared virtual memory, and where they are
 * no doing of the program's: what a map that is not read showed, or was left as it showed it, and
 * what a launch left as it found it, such as memory that nobody ever wrote. What launches find is
 * not compared, as others left it; nor is shared memory that the host uses without a call. */

struct diff_bytes;

/* The traces and pairs are borrowed. */
enum status diff_bytes_create(struct trace *a, struct trace *b, const struct diff_pairs *pairs,
                              struct diff_bytes **bytes, struct error *error);
void diff_bytes_destroy(struct diff_bytes *bytes); /* NULL is fine */

/* *whose is NULL when they agree; otherwise it says whose bytes differ ("ptr", "what it left in
 * memory"), and lives for ever. */
enum status diff_bytes_compare(struct diff_bytes *bytes, const struct api_call *a,
                               const struct api_call *b, const char **whose, struct error *error);

/* ---- diff_threads.c ---- */

/* Which threads of two runs belong together: threads are numbered in the order in which they first
 * call, which may be another one in each run. */

struct diff_threads;

/* Pairs threads that begin alike, in the order of their numbers, then the others. */
enum status diff_threads_create(struct trace *a, struct trace *b, struct diff_threads **threads,
                                struct error *error);
void diff_threads_destroy(struct diff_threads *threads); /* NULL is fine */
/* The thread of the second run that belongs to this one of the first; UINT32_MAX, which no thread
 * has, where there is none. */
uint32_t diff_threads_find(const struct diff_threads *threads, uint32_t thread);

#endif
