/* What ops make of undefined bits, and of where they were born. A rule says it of one lane. Where
 * it can, an op asks it once for all lanes: where the operands' lanes are alike (undefined_rows.c),
 * and no value matters. */
#include "reference/vm/bits.h"
#include "reference/vm/machine.h"
#include "reference/vm/shape.h"
#include "reference/vm/undefined_rules.h"

#include <string.h>

/* ---- rules ---- */

const uint8_t undefined_kinds[] = {
#define RULE(name, kind) [RULE_##name] = UNDEFINED_##kind,
    UNDEFINED_RULES
#undef RULE
};

const uint8_t undefined_rules[VM_OP_COUNT] = {
#define BOTH(name, rule)       [VM_OP_##name] = rule, [VM_OP_##name##_u] = rule
#define THREE(name, rule)      BOTH(name, rule), [VM_OP_##name##_a] = rule
#define AND_AFFINE(name, rule) [VM_OP_##name] = rule, [VM_OP_##name##_a] = rule
#define INT(W)                                                                                     \
    THREE(iadd_##W, RULE_ADD), THREE(isub_##W, RULE_SUBTRACT), THREE(imul_##W, RULE_MULTIPLY),     \
        THREE(ineg_##W, RULE_NEGATE), BOTH(iand_##W, RULE_AND), THREE(ior_##W, RULE_OR),           \
        BOTH(ixor_##W, RULE_XOR), BOTH(inot_##W, RULE_MOVE), THREE(shl_##W, RULE_SHIFT_LEFT),      \
        BOTH(lshr_##W, RULE_SHIFT_RIGHT), BOTH(ashr_##W, RULE_SHIFT_SIGNED),                       \
        THREE(ieq_##W, RULE_EQUAL), THREE(ine_##W, RULE_EQUAL), THREE(ult_##W, RULE_LESS),         \
        THREE(ule_##W, RULE_LESS_OR_EQUAL), THREE(slt_##W, RULE_LESS_SIGNED),                      \
        THREE(sle_##W, RULE_LESS_OR_EQUAL_SIGNED), AND_AFFINE(splat_##W, RULE_MOVE),               \
        AND_AFFINE(mov_##W, RULE_MOVE), AND_AFFINE(set_##W, RULE_MOVE),                            \
        [VM_OP_select_##W] = RULE_SELECT
    INT(8),
    INT(16),
    INT(32),
    INT(64),
#undef INT
#define EXTEND(from, to)                                                                           \
    THREE(zext_##from##_##to, RULE_ZERO_EXTEND), THREE(sext_##from##_##to, RULE_SIGN_EXTEND),      \
        THREE(trunc_##to##_##from, RULE_TRUNCATE)
    EXTEND(8, 16),
    EXTEND(8, 32),
    EXTEND(8, 64),
    EXTEND(16, 32),
    EXTEND(16, 64),
    EXTEND(32, 64),
#undef EXTEND
    BOTH(smul24, RULE_MULTIPLY),
    BOTH(umul24, RULE_MULTIPLY),
    THREE(index_64, RULE_INDEX),
    BOTH(swap_16, RULE_SWAP),
    BOTH(swap_32, RULE_SWAP),
    BOTH(swap_64, RULE_SWAP),
    [VM_OP_mov_u] = RULE_MOVE,
    [VM_OP_select_u] = RULE_SELECT,
    [VM_OP_mov_mask] = RULE_MOVE,
    [VM_OP_set_mask] = RULE_MOVE,
    [VM_OP_mask_and] = RULE_AND,
    [VM_OP_mask_or] = RULE_OR,
    [VM_OP_mask_xor] = RULE_XOR,
    [VM_OP_mask_not] = RULE_MOVE,
    [VM_OP_mask_select] = RULE_SELECT,
};

/* The rule by lane, each in a loop of its own. */
struct lanes {
    uint64_t value[VM_LANES], undefined[VM_LANES];
};
static void apply_lanes(enum undefined_rule rule, uint32_t width, uint32_t immediate,
                        const struct lanes lanes[3], uint64_t bits[VM_LANES])
{
    switch (rule) {
#define PARTIAL(i) ((struct vm_partial){lanes[i].value[lane], lanes[i].undefined[lane]})
#define RULE(name, kind)                                                                           \
    case RULE_##name:                                                                              \
        for (uint32_t lane = 0; lane < VM_LANES; lane++)                                           \
            bits[lane] = undefined_apply(RULE_##name, width, immediate, PARTIAL(0), PARTIAL(1),    \
                                         PARTIAL(2));                                              \
        break;
        UNDEFINED_RULES
#undef RULE
#undef PARTIAL
    }
}

static uint64_t apply_one(enum undefined_rule rule, uint32_t width, uint32_t immediate,
                          const struct vm_partial p[3])
{
    return undefined_apply(rule, width, immediate, p[0], p[1], p[2]);
}

uint64_t vm_undefined_binary(enum vm_op op, struct vm_partial a, struct vm_partial b)
{
    const uint32_t width = vm_op_form(op)->operands[VM_OPERAND_A].width;
    return apply_one((enum undefined_rule)undefined_rules[op], width, 0,
                     (const struct vm_partial[3]){a, b});
}

/* ---- an op on rows ---- */

static struct vm_partial operand_get(const struct vm_vector *vector, vm_row row, uint32_t width,
                                     bool uniform, uint32_t lane)
{
    const uint8_t *unit = vm_unit(vector, row);
    const uint32_t element = uniform ? 0 : lane;
    if (width == 0)
        return (struct vm_partial){.value = lane_get(unit, 8) >> lane & 1,
                                   .undefined = vector->undefined[row] >> lane & 1};
    return (struct vm_partial){.value = lane_get(unit + (size_t)element * width, width),
                               .undefined = vm_undefined_bits(vector, row, lane, width)};
}

static bool is_uniform(const struct vm_op_form *form, enum vm_operand_index operand)
{
    return form->uniform || form->operands[operand].uniform;
}

/* Of a, b and c, those that are rows come first. */
static uint32_t row_count(const struct vm_op_form *form)
{
    uint32_t count = 0;
    while (count < 3 && form->operands[VM_OPERAND_A + count].kind == VM_OPERAND_ROW)
        count++;
    return count;
}

/* What is known of an operand before the op, which may give its result in the same row. */
struct operand {
    vm_row row;
    uint32_t width;
    bool uniform;
    uint64_t undefined; /* lanes; if there are none the rest is 0 */
    uint64_t alike;     /* of them, those that have `bits` */
    uint64_t bits;
    uint64_t born_alike;
    const struct vm_origins *births; /* of those; until the op puts its own */
};

static uint32_t operands_get(const struct vm_vector *vector, const struct vm_instruction *in,
                             const struct vm_op_form *form, struct operand operands[3])
{
    const vm_row rows[3] = {in->a, in->b, in->c};
    const uint32_t count = row_count(form);
    for (uint32_t i = 0; i < count; i++) {
        struct operand *operand = &operands[i];
        operand->row = rows[i];
        operand->width = form->operands[VM_OPERAND_A + i].width;
        operand->uniform = is_uniform(form, VM_OPERAND_A + i);
        operand->undefined = vector->undefined[rows[i]];
        operand->alike = operand->bits = operand->born_alike = 0;
        if (!operand->undefined)
            continue;
        operand->alike = vm_undefined_alike(vector, rows[i], operand->width, &operand->bits);
        operand->born_alike = vm_undefined_births(vector, rows[i], &operand->births);
    }
    return count;
}

/* One lane stands for all of a row that is uniform. */
static uint64_t uniform_left(struct vm_vector *vector, const struct vm_instruction *in,
                             const struct vm_op_form *form)
{
    struct operand operands[3];
    struct vm_partial p[3] = {{0}};
    struct vm_origin birth = {.site = UINT32_MAX};
    for (uint32_t i = operands_get(vector, in, form, operands); i-- > 0;) {
        p[i] = operand_get(vector, operands[i].row, operands[i].width, operands[i].uniform, 0);
        if (p[i].undefined)
            birth = vm_undefined_birth(vector, operands[i].row, 0);
    }
    const uint32_t width = form->operands[VM_OPERAND_DST].width;
    const uint64_t bits = apply_one((enum undefined_rule)undefined_rules[in->op],
                                    form->operands[VM_OPERAND_A].width, in->c, p) &
                          bits_low(width ? width * 8 : 1);
    if (bits)
        vm_undefined_put(vector, in->dst, true, 0, bits, birth);
    return bits ? ~UINT64_C(0) : 0;
}

static void values_get(const struct vm_vector *vector, const struct operand *operand,
                       uint64_t values[VM_LANES])
{
    const uint8_t *unit = vm_unit(vector, operand->row);
    const uint64_t word = lane_get(unit, operand->width ? operand->width : 8);
    switch (operand->uniform ? -1 : (int)operand->width) {
#define VALUES(W)                                                                                  \
    case W / 8:                                                                                    \
        for (uint32_t lane = 0; lane < VM_LANES; lane++)                                           \
            values[lane] = ROW(u##W, operand->row)[lane];                                          \
        break;
        VALUES(8)
        VALUES(16)
        VALUES(32)
        VALUES(64)
#undef VALUES
    case 0:
        for (uint32_t lane = 0; lane < VM_LANES; lane++)
            values[lane] = word >> lane & 1;
        break;
    default:
        for (uint32_t lane = 0; lane < VM_LANES; lane++)
            values[lane] = word;
        break;
    }
}

/* Are the bits of `counted` the same in these lanes? *value is what they are. */
static bool values_alike(const struct vm_vector *vector, const struct operand *operand,
                         uint64_t lanes, uint64_t counted, uint64_t *value)
{
    const uint8_t *unit = vm_unit(vector, operand->row);
    const uint32_t width = operand->width;
    uint64_t values[VM_LANES];
    uint64_t others = 0;
    *value = 0;
    if (counted == 0)
        return true;
    if (lanes == ~UINT64_C(0) && width != 0 && !operand->uniform) {
        *value = lane_get(unit, width) & counted;
        switch (width) {
#define ALIKE(W)                                                                                   \
    case W / 8: {                                                                                  \
        const u##W first = (u##W) * value;                                                         \
        u##W different = 0;                                                                        \
        for (uint32_t lane = 0; lane < VM_LANES; lane++)                                           \
            different |= (u##W)((ROW(u##W, operand->row)[lane] ^ first) & (u##W)counted);          \
        others = different;                                                                        \
        break;                                                                                     \
    }
            ALIKE(8)
            ALIKE(16)
            ALIKE(32)
            ALIKE(64)
#undef ALIKE
        }
        return others == 0;
    }
    values_get(vector, operand, values);
    *value = values[__builtin_ctzll(lanes)] & counted;
    for (uint32_t lane = 0; lane < VM_LANES; lane++)
        others |= lanes & lane_bits_64[lane] ? (values[lane] & counted) ^ *value : 0;
    return others == 0;
}

/* Is the operand the same in all lanes, but for its undefined bits, which are the same, too? Then
 * *p is what it is. */
static bool operand_alike(const struct vm_vector *vector, const struct operand *operand,
                          uint64_t lanes, struct vm_partial *p)
{
    const uint64_t undefined = lanes & operand->undefined;
    const bool any = undefined != 0;
    if (any && (undefined != lanes || (lanes & ~operand->alike) != 0))
        return false;
    p->undefined = any ? operand->bits : 0;
    const uint64_t counted = ~p->undefined & bits_low(operand->width ? 8 * operand->width : 1);
    return values_alike(vector, operand, lanes, counted, &p->value);
}

static bool operands_alike(const struct vm_vector *vector, const struct operand operands[3],
                           uint32_t count, uint64_t lanes, struct vm_partial p[3])
{
    for (uint32_t i = 0; i < count; i++) {
        if (!operand_alike(vector, &operands[i], lanes, &p[i]))
            return false;
    }
    return true;
}

/* Do all lanes get the same undefined bits, and which, as far as that can be said of their operands
 * without looking at each? No value counts where it is undefined. */
static bool result_alike(const struct vm_vector *vector, const struct vm_instruction *in,
                         uint32_t first_width, const struct operand operands[3], uint32_t count,
                         uint64_t lanes, uint64_t *bits)
{
    const enum undefined_rule rule = (enum undefined_rule)undefined_rules[in->op];
    uint64_t whole = rule == RULE_WHOLE ? lanes : 0;
    uint64_t all_whole = ~UINT64_C(0);
    for (uint32_t i = 0; i < count; i++) {
        const struct operand *operand = &operands[i];
        const bool is_whole = operand->bits == bits_low(operand->width ? operand->width * 8 : 1);
        const uint64_t these = is_whole ? operand->undefined & operand->alike : 0;
        whole |= these;
        all_whole &= these;
    }
    /* Of two odd numbers any product may be made. */
    *bits = ~UINT64_C(0);
    if ((undefined_kinds[rule] == UNDEFINED_SPOILS && (lanes & ~whole) == 0) ||
        (rule == RULE_MULTIPLY && (lanes & ~all_whole) == 0))
        return true;
    struct vm_partial p[3] = {{0}};
    const bool alike = undefined_kinds[rule] == UNDEFINED_BITS
                           ? (lanes & ~operands[0].alike) == 0
                           : operands_alike(vector, operands, count, lanes, p);
    if (undefined_kinds[rule] == UNDEFINED_BITS)
        p[0].undefined = operands[0].bits;
    *bits = alike ? apply_one(rule, first_width, in->c, p) : 0;
    return alike;
}

static void lanes_get(const struct vm_vector *vector, const struct operand *operand, uint64_t mask,
                      struct lanes *lanes)
{
    const uint64_t alike = mask & operand->undefined & operand->alike;
    values_get(vector, operand, lanes->value);
    for (uint32_t lane = 0; lane < VM_LANES; lane++)
        lanes->undefined[lane] = alike & lane_bits_64[lane] ? operand->bits : 0;
    FOR_EACH_LANE(lane, mask & operand->undefined & ~operand->alike)
        lanes->undefined[lane] =
            vm_undefined_bits(vector, operand->row, (uint32_t)lane, operand->width);
}

/* The undefined bits of each lane; returns the lanes that have any. */
static uint64_t result_each(const struct vm_vector *vector, const struct vm_instruction *in,
                            const struct vm_op_form *form, const struct operand operands[3],
                            uint32_t count, uint64_t lanes, uint64_t bits[VM_LANES])
{
    struct lanes each[3];
    const uint32_t width = form->operands[VM_OPERAND_DST].width;
    const uint64_t low = bits_low(width ? width * 8 : 1);
    uint64_t undefined = 0;
    memset(each + count, 0, (3 - count) * sizeof *each);
    for (uint32_t i = 0; i < count; i++)
        lanes_get(vector, &operands[i], lanes, &each[i]);
    apply_lanes((enum undefined_rule)undefined_rules[in->op], form->operands[VM_OPERAND_A].width,
                in->c, each, bits);
    for (uint32_t lane = 0; lane < VM_LANES; lane++) {
        bits[lane] &= low;
        undefined |= bits[lane] ? lane_bits_64[lane] : 0;
    }
    return undefined & lanes;
}

/* Lanes of the mask are born where their first undefined operand was: how, if that can be said of
 * all at once, else NULL. */
static const struct vm_origins *births_alike(const struct operand operands[3], uint32_t count,
                                             uint64_t mask)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct operand *operand = &operands[i];
        if (mask & operand->undefined)
            return (mask & ~(operand->undefined & operand->born_alike)) == 0 ? operand->births
                                                                             : NULL;
    }
    return NULL;
}

static void put_births_each(struct vm_vector *vector, vm_row row, const struct operand operands[3],
                            uint32_t count, uint64_t mask)
{
    struct vm_origin each[VM_LANES];
    uint64_t left = mask;
    for (uint32_t i = 0; i < count; i++) {
        vm_undefined_births_each(vector, operands[i].row, left & operands[i].undefined, each);
        left &= ~operands[i].undefined;
    }
    vm_undefined_put_each(vector, row, mask, NULL, each);
}

/* Most ops on rows whose lanes are alike give such a row. */
static void put_each_bits(struct vm_vector *vector, vm_row row, uint64_t keep, uint64_t mask,
                          const uint64_t bits[VM_LANES])
{
    const uint64_t first = mask ? bits[__builtin_ctzll(mask)] : 0;
    uint64_t others = 0;
    for (uint32_t lane = 0; lane < VM_LANES; lane++)
        others |= mask & lane_bits_64[lane] ? bits[lane] ^ first : 0;
    if (others)
        vm_undefined_put_each(vector, row, mask, bits, NULL);
    else
        vm_undefined_put_bits(vector, row, keep, mask, first);
}

/* The lanes that the op leaves undefined; they are put down in the row that it gives. */
static uint64_t lanes_left(struct vm_vector *vector, const struct vm_instruction *in,
                           const struct vm_op_form *form, uint64_t some)
{
    struct operand operands[3];
    uint64_t each[VM_LANES];
    uint64_t bits;
    const uint32_t count = operands_get(vector, in, form, operands);
    const uint32_t width = form->operands[VM_OPERAND_DST].width;
    const uint64_t keep =
        form->traits & VM_PARTLY ? vector->undefined[in->dst] & ~vector->active : 0;
    uint64_t lanes = some & vector->active;
    if (!lanes)
        return keep;
    const bool alike =
        result_alike(vector, in, form->operands[VM_OPERAND_A].width, operands, count, lanes, &bits);
    bits &= bits_low(width ? width * 8 : 1);
    lanes =
        alike ? (bits ? lanes : 0) : result_each(vector, in, form, operands, count, lanes, each);
    if (!lanes)
        return keep;
    const struct vm_origins *births = births_alike(operands, count, lanes);
    if (alike && births) {
        vm_undefined_put_alike(vector, in->dst, keep, lanes, bits, births);
        return lanes | keep;
    }
    if (births)
        vm_undefined_put_births(vector, in->dst, keep, lanes, births);
    else
        put_births_each(vector, in->dst, operands, count, lanes);
    if (alike)
        vm_undefined_put_bits(vector, in->dst, keep, lanes, bits);
    else
        put_each_bits(vector, in->dst, keep, lanes, each);
    return lanes | keep;
}

void vm_undefined_op(struct vm_vector *vector, const struct vm_instruction *in,
                     void (*function)(struct vm_vector *vector, const struct vm_instruction *in))
{
    const struct vm_op_form *form = vm_op_form((enum vm_op)in->op);
    const uint32_t count = row_count(form);
    const vm_row rows[3] = {in->a, in->b, in->c};
    uint64_t kept[3];
    uint64_t some = 0;
    for (uint32_t i = 0; i < count; i++) {
        kept[i] = vector->undefined[rows[i]];
        some |= kept[i];
    }
    const uint64_t left = is_uniform(form, VM_OPERAND_DST)
                              ? (some & 1 ? uniform_left(vector, in, form) : 0)
                              : lanes_left(vector, in, form, some);
    for (uint32_t i = 0; i < count; i++)
        vector->undefined[rows[i]] = 0;
    vector->undefined[in->dst] = 0;
    function(vector, in);
    for (uint32_t i = 0; i < count; i++)
        vector->undefined[rows[i]] = kept[i];
    vector->undefined[in->dst] = left;
}

void vm_undefined_open(struct vm_vector *vector, const struct vm_instruction *in, uint64_t mask)
{
    const struct vm_op_form *form = vm_op_form((enum vm_op)in->op);
    const bool uniform = is_uniform(form, VM_OPERAND_DST);
    vm_undefined_begin(vector, in->dst, uniform, mask, form->operands[VM_OPERAND_DST].width, in);
    vector->undefined[in->dst] |= uniform ? ~UINT64_C(0) : mask;
}
