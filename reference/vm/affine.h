/* Affine rows (code.h): their terms, and the elements that these stand for. */
#ifndef REFERENCE_VM_AFFINE_H
#define REFERENCE_VM_AFFINE_H

#include "reference/vm/machine.h"

#include <stdbool.h>

/* The terms of the affine row that starts at a unit. */
static inline struct vm_affine *vm_affine(const struct vm_vector *vector, vm_row row)
{
    return (struct vm_affine *)vm_unit(vector, row - 1);
}

static inline uint64_t affine_element(const struct vm_vector *vector,
                                      const struct vm_affine *affine, uint32_t lane)
{
    const uint32_t in_run = lane & ((1U << vector->run_shift) - 1);
    return affine->base + in_run * affine->step + (lane >> vector->run_shift) * affine->jump;
}

/* Is it the same number for all lanes? Its terms hold. */
static inline bool affine_uniform(const struct vm_affine *affine)
{
    return (affine->step | affine->jump) == 0;
}

/* Writes the elements, of `width` bytes, where they are not there yet. */
void MACHINE(affine_fill)(struct vm_vector *vector, vm_row row, uint32_t width);

/* The least and the greatest element as numbers of `width` bytes. False: elements wrap, or might.
 */
static inline bool affine_range(const struct vm_vector *vector, const struct vm_affine *affine,
                                uint32_t width, bool is_signed, s64 *least, s64 *greatest)
{
    const uint32_t unused = 64 - 8 * width;
    const s64 base =
        is_signed || width == 8 ? (s64)(affine->base << unused) >> unused : (s64)affine->base;
    const s64 step = (s64)(affine->step << unused) >> unused;
    const s64 jump = (s64)(affine->jump << unused) >> unused;
    /* Then sums of 64 of them and one of these have less than 63 bits. */
    const s64 small = INT64_C(1) << 54;
    if (width == 8 && (step < -small || step > small || jump < -small || jump > small ||
                       base < -(INT64_C(1) << 61) || base > INT64_C(1) << 61))
        return false;
    const s64 along = step * (s64)((UINT64_C(1) << vector->run_shift) - 1);
    const s64 across = jump * (s64)((VM_LANES >> vector->run_shift) - 1);
    *least = base + (along < 0 ? along : 0) + (across < 0 ? across : 0);
    *greatest = base + (along > 0 ? along : 0) + (across > 0 ? across : 0);
    if (width == 8)
        return is_signed || *least >= 0;
    const s64 lowest = is_signed ? -(INT64_C(1) << (8 * width - 1)) : 0;
    const s64 highest = (INT64_C(1) << (8 * width - is_signed)) - 1;
    return *least >= lowest && *greatest <= highest;
}

#endif
