/* Values as numbers scale * id + offset, where id is get_global_id(0), or as an argument plus such
 * a number. Sums and products are that modulo their width; where a value is widened, it is that for
 * ids below 2^bits. */
#ifndef REFERENCE_LOWER_PASSES_LOWER_FORM_H
#define REFERENCE_LOWER_PASSES_LOWER_FORM_H

#include "reference/lower/lower_private.h"

/* The op of a family for any width: case IR_CASES(iadd): */
#define IR_CASES(name)                                                                             \
    VM_OP_##name##_8 : case VM_OP_##name##_16 : case VM_OP_##name##_32 : case VM_OP_##name##_64
/* Likewise those between widths: case IR_WIDENINGS(zext): */
#define IR_WIDENINGS(name)                                                                         \
    VM_OP_##name##_8_16 : case VM_OP_##name##_8_32 : case VM_OP_##name##_8_64                      \
        : case VM_OP_##name##_16_32 : case VM_OP_##name##_16_64 : case VM_OP_##name##_32_64
#define IR_NARROWINGS                                                                              \
    VM_OP_trunc_16_8:                                                                              \
    case VM_OP_trunc_32_8:                                                                         \
    case VM_OP_trunc_32_16:                                                                        \
    case VM_OP_trunc_64_8:                                                                         \
    case VM_OP_trunc_64_16:                                                                        \
    case VM_OP_trunc_64_32

struct form {
    bool known;
    uint8_t bits;
    uint32_t argument; /* its index + 1; 0 = a number */
    int64_t scale, offset;
};

/* By value, of results: for form_of. NULL on failure. In the arena. */
struct form *lower_forms(struct lower *lower);
struct form form_of(const struct lower *lower, const struct form *forms, uint32_t value);
/* What the form means as a number of `width` bytes: for fewer ids, all of whose values fit. */
struct form form_as_number(struct form form, uint32_t width, bool is_signed);
/* Of a constant. */
int64_t ir_signed_bits(const struct ir_value *value);
/* NULL: no instruction. */
const struct ir_instruction *ir_maker(const struct lower *lower, uint32_t value);
/* What makes the condition of a branch, behind negations, each of which exchanges the targets: 0
 * and 1. NULL as above. */
const struct ir_instruction *ir_compare(const struct lower *lower, uint32_t condition,
                                        uint8_t *target);

#endif
