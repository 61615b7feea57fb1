/* Ids that work-items have to have where they come to a block: behind `if (get_local_id(0) == 0)`
 * all items of a group are one in dimension 0. */
#ifndef REFERENCE_LOWER_PASSES_LOWER_LONE_H
#define REFERENCE_LOWER_PASSES_LOWER_LONE_H

#include "reference/lower/passes/lower_affine.h"

/* By dimension; global, then local ids. They are known modulo 2^32. */
struct lone {
    bool known[2][3];
    int64_t ids[2][3];
};

struct lone lower_lone(struct lower *lower, const struct affine *forms, uint32_t block);

#endif
