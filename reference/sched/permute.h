/* Orders of things for a schedule: position -> index, a permutation of 0 .. count - 1 that needs no
 * table. */
#ifndef REFERENCE_SCHED_PERMUTE_H
#define REFERENCE_SCHED_PERMUTE_H

#include "reference/sched/ndrange.h"

/* `stream` tells apart the permutations of one seed (groups, vectors of group n, lanes). */
uint64_t permute(enum sched_order order, uint64_t seed, uint64_t stream, uint64_t position,
                 uint64_t count);

#endif
