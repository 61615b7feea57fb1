/* Do two calls of two runs say the same? Handles, mapped pointers and addresses of shared virtual
 * memory differ from run to run: what one call creates in both runs belongs together from then on.
 * Other addresses, and times, are not compared. */
#ifndef VIEWER_CLI_DIFF_DIFF_CALL_H
#define VIEWER_CLI_DIFF_DIFF_CALL_H

#include "trace/api/call.h"

#include <stdbool.h>

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

#endif
