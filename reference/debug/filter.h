/* A quick look whether the condition of a breakpoint can hold for any lane of a vector. In a loop
 * it nearly never does, and its tree (evaluate.h) for each lane takes a hundred times as long as
 * the loop.
 *
 * It knows comparisons of a number that one home row holds with a literal, and `&&` and `||`.
 * Anything else can hold; and so can what holds for lanes that are not active, or undefined: what
 * passes is evaluated. */
#ifndef REFERENCE_DEBUG_FILTER_H
#define REFERENCE_DEBUG_FILTER_H

#include "reference/debug/private.h"

struct debug_filter;

/* Of the condition as the lane's place reads it. Lies in the arena; never NULL. */
const struct debug_filter *debug_filter_make(const struct debug_lane *lane,
                                             const struct expression *condition,
                                             struct arena *arena);
/* False: the condition holds for no lane of the vector. */
bool debug_filter_passes(const struct debug_filter *filter, const struct vm_vector *vector);

#endif
