/* The sub-groups of a vector: consecutive runs of its lanes, of which none sees another's. */
#ifndef REFERENCE_VM_SUB_GROUPS_H
#define REFERENCE_VM_SUB_GROUPS_H

#include "reference/vm/bits.h"
#include "reference/vm/machine.h"

/* The active lanes of the sub-group that starts at lane `first`. */
static inline uint64_t sub_group_lanes(const struct vm_vector *vector, uint32_t first)
{
    return vector->active & bits_low(vector->run->sub_group_size) << first;
}

/* for each sub-group: its first lane, and its lanes, of which there are some. */
#define FOR_SUB_GROUPS(vector, first, lanes)                                                       \
    for (uint32_t first = 0; first < VM_LANES; first += (vector)->run->sub_group_size)             \
        for (uint64_t lanes = sub_group_lanes(vector, first); lanes; lanes = 0)

#endif
