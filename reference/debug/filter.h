/* Conditions of breakpoints, for all lanes of a vector at once. In a loop a condition nearly never
 * holds, and its tree (evaluate.h) for each lane takes hundreds of times as long as the loop.
 *
 * A filter says of each lane what the evaluator would. It knows scalar numbers: of variables that
 * home rows hold, of memory, of the work-item; C's operators on them, casts between them, and a few
 * functions. Where it does not know a part, others can still exclude lanes; what they do not
 * exclude is to be evaluated. */
#ifndef REFERENCE_DEBUG_FILTER_H
#define REFERENCE_DEBUG_FILTER_H

#include "reference/debug/private.h"

struct debug_filter;

/* Of the condition as the lane's place reads it. Lies in the arena; never NULL. */
struct debug_filter *debug_filter_make(const struct debug_lane *lane,
                                       const struct expression *condition, struct arena *arena);
/* Of the lanes those for which the condition holds; where !*exact, may hold. */
uint64_t debug_filter_lanes(struct debug_filter *filter, struct vm_vector *vector, uint64_t lanes,
                            bool *exact);

#endif
