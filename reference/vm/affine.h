/* Affine rows (code.h): their terms, and the elements that these stand for. */
#ifndef REFERENCE_VM_AFFINE_H
#define REFERENCE_VM_AFFINE_H

#include "reference/vm/machine.h"
#include "reference/vm/terms.h"

#include <stdbool.h>

/* The terms of the affine row that starts at a unit. */
static inline struct vm_affine *vm_affine(const struct vm_vector *vector, vm_row row)
{
    return (struct vm_affine *)vm_unit(vector, row - 1);
}

static inline uint64_t affine_element(const struct vm_vector *vector,
                                      const struct vm_affine *affine, uint32_t lane)
{
    return terms_element(affine->base, affine->step, affine->jump, vector->run_shift, lane);
}

/* Is it the same number for all lanes? Its terms hold. */
static inline bool affine_uniform(const struct vm_affine *affine)
{
    return (affine->step | affine->jump) == 0;
}

/* Writes the elements, of `width` bytes, where they are not there yet. */
void MACHINE(affine_fill)(struct vm_vector *vector, vm_row row, uint32_t width);

/* As terms_range has it, of the active lanes. */
static inline bool affine_range(const struct vm_vector *vector, const struct vm_affine *affine,
                                uint32_t width, bool is_signed, s64 *least, s64 *greatest)
{
    return terms_range(affine->base, affine->step, affine->jump, vector->run_shift,
                       (uint32_t)__builtin_ctzll(vector->active),
                       63 - (uint32_t)__builtin_clzll(vector->active), width, is_signed, least,
                       greatest);
}

#endif
