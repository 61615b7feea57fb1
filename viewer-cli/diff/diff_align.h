/* Which items of two lists belong together, so that both lists keep their order: a longest common
 * subsequence, or nearly one where the lists are long and differ much. */
#ifndef VIEWER_CLI_DIFF_DIFF_ALIGN_H
#define VIEWER_CLI_DIFF_DIFF_ALIGN_H

#include "trace/base/status.h"

#include <stddef.h>
#include <stdint.h>

enum { DIFF_ALONE = UINT32_MAX };

/* Items are equal where their numbers are. partners[i] becomes the index in `b` of what belongs to
 * a[i], or DIFF_ALONE. The time is some n log n for any lists; fewer than DIFF_ALONE items each. */
enum status diff_align(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count,
                       uint32_t *partners, struct error *error);

/* Keeps the longest row of partners that ascends; the others become DIFF_ALONE. */
enum status diff_keep_longest_row(uint32_t *partners, size_t count, struct error *error);

#endif
