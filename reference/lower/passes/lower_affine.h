/* Values as sums of terms, each a scale times up to two arguments and sizes of the launch times an
 * id, plus a constant; or as such a sum of bytes behind the start of an argument or variable. A
 * value is its sum modulo 2^bits: sums and products of integers are that modulo their width, and
 * where they are widened afterwards, whatever is added later. */
#ifndef REFERENCE_LOWER_PASSES_LOWER_AFFINE_H
#define REFERENCE_LOWER_PASSES_LOWER_AFFINE_H

#include "checkers/probe/apart.h"
#include "reference/lower/lower_private.h"

/* Instead of an id: the term is the same for all items. */
enum { AFFINE_ONE = APART_GLOBAL_PLACE + 1 };

struct affine {
    bool known;
    uint8_t bits;
    uint32_t root; /* what it is behind the start of: affine_root_...; 0 = it is a number */
    uint32_t term_count;
    const struct apart_term *terms; /* in an order of their own; no two with the same id and factors
                                     */
    int64_t offset;
};

static inline uint32_t affine_root_of_parameter(uint32_t parameter)
{
    return 1 + parameter;
}
static inline uint32_t affine_root_of_variable(const struct lower *lower, uint32_t variable)
{
    return 1 + lower->code->parameter_count + variable;
}
/* Of the program-scope variables together, the last of all. */
static inline uint32_t affine_root_of_program(const struct lower *lower)
{
    return affine_root_of_variable(lower, lower->variable_count);
}

/* By value, of results: for affine_of. NULL on failure. In the arena. */
struct affine *lower_affine_forms(struct lower *lower);
struct affine affine_of(struct lower *lower, const struct affine *forms, uint32_t value);
/* Are they the same but for their constants? */
bool affine_same_terms(const struct affine *a, const struct affine *b);
/* The root that a value is the address of, or 0. */
uint32_t affine_root(const struct lower *lower, const struct ir_value *value);

#endif
