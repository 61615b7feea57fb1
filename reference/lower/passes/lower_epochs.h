/* Which barrier a work-item may have come to last: what it does to local memory after different
 * ones is ordered. All items of a group come to the same barriers, one after the other, each of
 * which orders what was done before it and what is done after it. So what two of them do is
 * unordered only after the same number of barriers, and then after the same barrier.
 *
 * Barriers here are those of the work-group for its local memory. */
#ifndef REFERENCE_LOWER_PASSES_LOWER_EPOCHS_H
#define REFERENCE_LOWER_PASSES_LOWER_EPOCHS_H

#include "reference/lower/lower_private.h"

/* A set for each block, of bits: 0 = none has been come to, b + 1 = barrier b was the last. */
struct epochs {
    uint64_t *sets;
    size_t words; /* of each set */
};

/* Does the block end with such a barrier? */
bool epochs_orders(const struct lower *lower, uint32_t block);
/* lower_failed afterwards where memory is out. */
struct epochs lower_epochs(struct lower *lower);
/* May items be in the two blocks without a barrier between? */
bool epochs_meet(const struct epochs *epochs, uint32_t a, uint32_t b);

#endif
