/* What ops make of undefined bits: a rule says it of one lane. */
#ifndef REFERENCE_VM_UNDEFINED_RULES_H
#define REFERENCE_VM_UNDEFINED_RULES_H

#include "reference/vm/undefined_rows.h"

/* WHOLE: any undefined bit makes all undefined. INDEX: a + b * c, c an immediate. SWAP: the order
 * of bytes. Of an operand that is undefined wholly SPOILS makes, whatever it is, something
 * undefined wholly; BITS looks at no value. */
#define UNDEFINED_RULES                                                                            \
    RULE(WHOLE, SPOILS)                                                                            \
    RULE(MOVE, BITS)                                                                               \
    RULE(ZERO_EXTEND, BITS)                                                                        \
    RULE(SIGN_EXTEND, BITS)                                                                        \
    RULE(TRUNCATE, BITS)                                                                           \
    RULE(AND, VALUES)                                                                              \
    RULE(OR, VALUES)                                                                               \
    RULE(XOR, SPOILS)                                                                              \
    RULE(ADD, SPOILS)                                                                              \
    RULE(SUBTRACT, SPOILS)                                                                         \
    RULE(MULTIPLY, VALUES)                                                                         \
    RULE(INDEX, VALUES)                                                                            \
    RULE(NEGATE, BITS)                                                                             \
    RULE(SWAP, BITS)                                                                               \
    RULE(SHIFT_LEFT, VALUES)                                                                       \
    RULE(SHIFT_RIGHT, VALUES)                                                                      \
    RULE(SHIFT_SIGNED, VALUES)                                                                     \
    RULE(EQUAL, SPOILS)                                                                            \
    RULE(LESS, VALUES)                                                                             \
    RULE(LESS_OR_EQUAL, VALUES)                                                                    \
    RULE(LESS_SIGNED, VALUES)                                                                      \
    RULE(LESS_OR_EQUAL_SIGNED, VALUES)                                                             \
    RULE(SELECT, VALUES)

enum undefined_rule {
#define RULE(name, kind) RULE_##name,
    UNDEFINED_RULES
#undef RULE
};

enum undefined_kind { UNDEFINED_BITS, UNDEFINED_SPOILS, UNDEFINED_VALUES };
/* Of rules, and the rules of ops; undefined_ops.c. */
extern const uint8_t undefined_kinds[];
extern const uint8_t undefined_rules[VM_OP_COUNT];

/* From the lowest set bit up. */
static inline uint64_t undefined_upward(uint64_t bits)
{
    return bits | (0 - bits);
}

/* Sums of the least and of the greatest values differ where a carry may. */
static inline uint64_t undefined_add_bits(struct vm_partial a, struct vm_partial b)
{
    const uint64_t least = (a.value & ~a.undefined) + (b.value & ~b.undefined);
    const uint64_t greatest = (a.value | a.undefined) + (b.value | b.undefined);
    return a.undefined | b.undefined | (least ^ greatest);
}

static inline uint64_t undefined_subtract_bits(struct vm_partial a, struct vm_partial b)
{
    const uint64_t least = (a.value & ~a.undefined) - (b.value | b.undefined);
    const uint64_t greatest = (a.value | a.undefined) - (b.value & ~b.undefined);
    return a.undefined | b.undefined | (least ^ greatest);
}

static inline uint64_t undefined_shifted(uint64_t bits, uint32_t count)
{
    return count < 64 ? bits << count : 0;
}

static inline uint32_t undefined_low_zeros(uint64_t value)
{
    return value ? (uint32_t)__builtin_ctzll(value) : 64;
}

/* An undefined part of a is a multiple of its lowest bit, and so is its product with b of both
 * lowest bits; below that nothing is undefined. */
static inline uint64_t undefined_multiply_bits(struct vm_partial a, struct vm_partial b)
{
    const uint32_t from_a =
        undefined_low_zeros(a.undefined) + undefined_low_zeros(b.value | b.undefined);
    const uint32_t from_b =
        undefined_low_zeros(b.undefined) + undefined_low_zeros(a.value | a.undefined);
    const uint32_t lowest = from_a < from_b ? from_a : from_b;
    return undefined_shifted(~UINT64_C(0), lowest);
}

/* Is a < b, or <=, the same whatever the undefined bits are? */
static inline bool undefined_less_decided(struct vm_partial a, struct vm_partial b, bool or_equal)
{
    const uint64_t a_least = a.value & ~a.undefined;
    const uint64_t a_greatest = a.value | a.undefined;
    const uint64_t b_least = b.value & ~b.undefined;
    const uint64_t b_greatest = b.value | b.undefined;
    if (or_equal)
        return a_greatest <= b_least || a_least > b_greatest;
    return a_greatest < b_least || a_least >= b_greatest;
}

static inline struct vm_partial undefined_flip_sign(struct vm_partial a, uint32_t width)
{
    const uint64_t sign = UINT64_C(1) << (width * 8 - 1);
    return (struct vm_partial){.value = a.value ^ sign, .undefined = a.undefined};
}

static inline uint64_t undefined_sign_extended(uint64_t bits, uint32_t width)
{
    const uint32_t spare = 64 - 8 * width;
    return (uint64_t)((int64_t)(bits << spare) >> spare);
}

static inline uint64_t undefined_select_bits(struct vm_partial a, struct vm_partial b,
                                             struct vm_partial c)
{
    if (c.undefined)
        return a.undefined | b.undefined | (a.value ^ b.value);
    return c.value ? a.undefined : b.undefined;
}

/* The undefined bits of the result, of whose first operand elements are `width` bytes; those above
 * its width do not count. */
static inline __attribute__((always_inline)) uint64_t
undefined_apply(enum undefined_rule rule, uint32_t width, uint32_t immediate, struct vm_partial a,
                struct vm_partial b, struct vm_partial c)
{
    const uint64_t any = a.undefined | b.undefined | c.undefined;
    const uint32_t count = (uint32_t)b.value & (8 * width - 1);
    switch (rule) {
    case RULE_MOVE:
    case RULE_TRUNCATE:
    case RULE_ZERO_EXTEND:
        return a.undefined;
    case RULE_SIGN_EXTEND:
        return undefined_sign_extended(a.undefined, width);
    case RULE_AND:
        return any & (a.value | a.undefined) & (b.value | b.undefined);
    case RULE_OR:
        return any & (~a.value | a.undefined) & (~b.value | b.undefined);
    case RULE_XOR:
        return any;
    case RULE_ADD:
        return undefined_add_bits(a, b);
    case RULE_SUBTRACT:
        return undefined_subtract_bits(a, b);
    case RULE_MULTIPLY:
        return undefined_multiply_bits(a, b);
    case RULE_INDEX: {
        const struct vm_partial scale = {.value = (uint64_t)(int64_t)(int32_t)immediate};
        return undefined_add_bits(
            a, (struct vm_partial){.value = b.value * scale.value,
                                   .undefined = undefined_multiply_bits(b, scale)});
    }
    case RULE_NEGATE:
        return undefined_upward(a.undefined);
    case RULE_SWAP:
        return __builtin_bswap64(a.undefined) >> (64 - 8 * width);
    case RULE_SHIFT_LEFT:
        return b.undefined ? ~UINT64_C(0) : a.undefined << count;
    case RULE_SHIFT_RIGHT:
        return b.undefined ? ~UINT64_C(0) : a.undefined >> count;
    case RULE_SHIFT_SIGNED:
        return b.undefined
                   ? ~UINT64_C(0)
                   : (uint64_t)((int64_t)undefined_sign_extended(a.undefined, width) >> count);
    case RULE_EQUAL:
        return ((a.value ^ b.value) & ~any) == 0;
    case RULE_LESS:
        return !undefined_less_decided(a, b, false);
    case RULE_LESS_OR_EQUAL:
        return !undefined_less_decided(a, b, true);
    case RULE_LESS_SIGNED:
        return !undefined_less_decided(undefined_flip_sign(a, width), undefined_flip_sign(b, width),
                                       false);
    case RULE_LESS_OR_EQUAL_SIGNED:
        return !undefined_less_decided(undefined_flip_sign(a, width), undefined_flip_sign(b, width),
                                       true);
    case RULE_SELECT:
        return undefined_select_bits(a, b, c);
    case RULE_WHOLE:
        break;
    }
    return any ? ~UINT64_C(0) : 0;
}

#endif
