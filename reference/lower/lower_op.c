/* Arithmetic, comparisons, selections and reductions: component by component. */
#include "reference/lower/lower_private.h"

/* ---- tables ---- */

/* A component of the result is the op, by the width of the first operand, on those of the operands,
 * of which the second may come first; or what compose_element makes of them. */
enum way { IN_ORDER, SWAPPED, COMPOSED };
struct element_op {
    uint16_t op;
    uint8_t operands;
    enum way way;
    enum vm_op ops[4];
};

/* clang-format off */
static const struct element_op element_ops[] = {
    {SpvOpIAdd, 2, IN_ORDER, IR_WIDTHS(iadd)},
    {SpvOpISub, 2, IN_ORDER, IR_WIDTHS(isub)},
    {SpvOpIMul, 2, IN_ORDER, IR_WIDTHS(imul)},
    {SpvOpUDiv, 2, IN_ORDER, IR_WIDTHS(udiv)},
    {SpvOpUMod, 2, IN_ORDER, IR_WIDTHS(umod)},
    {SpvOpSDiv, 2, IN_ORDER, IR_WIDTHS(sdiv)},
    {SpvOpSRem, 2, IN_ORDER, IR_WIDTHS(srem)},
    {SpvOpSMod, 2, IN_ORDER, IR_WIDTHS(smod)},
    {SpvOpShiftLeftLogical, 2, IN_ORDER, IR_WIDTHS(shl)},
    {SpvOpShiftRightLogical, 2, IN_ORDER, IR_WIDTHS(lshr)},
    {SpvOpShiftRightArithmetic, 2, IN_ORDER, IR_WIDTHS(ashr)},
    {SpvOpBitwiseAnd, 2, IN_ORDER, IR_WIDTHS(iand)},
    {SpvOpBitwiseOr, 2, IN_ORDER, IR_WIDTHS(ior)},
    {SpvOpBitwiseXor, 2, IN_ORDER, IR_WIDTHS(ixor)},
    {SpvOpIEqual, 2, IN_ORDER, IR_WIDTHS(ieq)},
    {SpvOpINotEqual, 2, IN_ORDER, IR_WIDTHS(ine)},
    {SpvOpPtrEqual, 2, IN_ORDER, IR_WIDTHS(ieq)},
    {SpvOpPtrNotEqual, 2, IN_ORDER, IR_WIDTHS(ine)},
    {SpvOpULessThan, 2, IN_ORDER, IR_WIDTHS(ult)},
    {SpvOpULessThanEqual, 2, IN_ORDER, IR_WIDTHS(ule)},
    {SpvOpUGreaterThan, 2, SWAPPED, IR_WIDTHS(ult)},
    {SpvOpUGreaterThanEqual, 2, SWAPPED, IR_WIDTHS(ule)},
    {SpvOpSLessThan, 2, IN_ORDER, IR_WIDTHS(slt)},
    {SpvOpSLessThanEqual, 2, IN_ORDER, IR_WIDTHS(sle)},
    {SpvOpSGreaterThan, 2, SWAPPED, IR_WIDTHS(slt)},
    {SpvOpSGreaterThanEqual, 2, SWAPPED, IR_WIDTHS(sle)},
    {SpvOpFAdd, 2, IN_ORDER, IR_FLOATS(fadd)},
    {SpvOpFSub, 2, IN_ORDER, IR_FLOATS(fsub)},
    {SpvOpFMul, 2, IN_ORDER, IR_FLOATS(fmul)},
    {SpvOpFDiv, 2, IN_ORDER, IR_FLOATS(fdiv)},
    {SpvOpFRem, 2, IN_ORDER, IR_FLOATS(fmod)},
    {SpvOpFOrdEqual, 2, IN_ORDER, IR_FLOATS(foeq)},
    {SpvOpFOrdNotEqual, 2, IN_ORDER, IR_FLOATS(fone)},
    {SpvOpFOrdLessThan, 2, IN_ORDER, IR_FLOATS(folt)},
    {SpvOpFOrdLessThanEqual, 2, IN_ORDER, IR_FLOATS(fole)},
    {SpvOpFOrdGreaterThan, 2, SWAPPED, IR_FLOATS(folt)},
    {SpvOpFOrdGreaterThanEqual, 2, SWAPPED, IR_FLOATS(fole)},
    {SpvOpFUnordEqual, 2, IN_ORDER, IR_FLOATS(fueq)},
    {SpvOpFUnordNotEqual, 2, IN_ORDER, IR_FLOATS(fune)},
    {SpvOpFUnordLessThan, 2, IN_ORDER, IR_FLOATS(fult)},
    {SpvOpFUnordLessThanEqual, 2, IN_ORDER, IR_FLOATS(fule)},
    {SpvOpFUnordGreaterThan, 2, SWAPPED, IR_FLOATS(fult)},
    {SpvOpFUnordGreaterThanEqual, 2, SWAPPED, IR_FLOATS(fule)},
    {SpvOpOrdered, 2, IN_ORDER, IR_FLOATS(ford)},
    {SpvOpUnordered, 2, IN_ORDER, IR_FLOATS(funo)},
    {SpvOpLessOrGreater, 2, IN_ORDER, IR_FLOATS(fone)},
    {SpvOpSNegate, 1, IN_ORDER, IR_WIDTHS(ineg)},
    {SpvOpNot, 1, IN_ORDER, IR_WIDTHS(inot)},
    {SpvOpBitCount, 1, IN_ORDER, IR_WIDTHS(popcount)},
    {SpvOpBitReverse, 1, IN_ORDER, IR_WIDTHS(reverse)},
    {SpvOpFNegate, 1, IN_ORDER, IR_FLOATS(fneg)},
    {SpvOpIsNan, 1, COMPOSED, {0}},
    {SpvOpIsInf, 1, COMPOSED, {0}},
    {SpvOpIsFinite, 1, COMPOSED, {0}},
    {SpvOpIsNormal, 1, COMPOSED, {0}},
    {SpvOpSignBitSet, 1, COMPOSED, {0}},
    {SpvOpLogicalNot, 1, COMPOSED, {0}},
    {SpvOpLogicalAnd, 2, COMPOSED, {0}},
    {SpvOpLogicalOr, 2, COMPOSED, {0}},
    {SpvOpLogicalEqual, 2, COMPOSED, {0}},
    {SpvOpLogicalNotEqual, 2, COMPOSED, {0}},
    {SpvOpFMod, 2, COMPOSED, {0}},
};
/* clang-format on */

static bool is_shift(uint32_t op)
{
    return op == SpvOpShiftLeftLogical || op == SpvOpShiftRightLogical ||
           op == SpvOpShiftRightArithmetic;
}

/* ---- selections that compilers write with masks ---- */

/* The operands of the op that made the value; NULL if it was another one. */
static const uint32_t *made_by(const struct lower *lower, uint32_t value, enum vm_op op)
{
    const struct ir_value *made = &lower->values[value];
    if (made->kind != IR_RESULT || lower->instructions[made->index].op != op)
        return NULL;
    return &lower->operands[lower->instructions[made->index].operand];
}

static bool is_constant(const struct lower *lower, uint32_t value, uint64_t bits)
{
    const struct ir_value *constant = &lower->values[value];
    const uint32_t spare = 64 - 8 * (uint32_t)constant->width;
    return constant->kind == IR_CONSTANT && constant->width != 0 &&
           constant->bits << spare == bits << spare;
}

/* The condition that makes all bits of the mask 1, or else 0; 0: it is no such mask. */
static uint32_t mask_condition(const struct lower *lower, uint32_t mask)
{
    const uint32_t width = lower->values[mask].width;
    const uint32_t *operands = width == 0 ? NULL : made_by(lower, mask, IR_BY_WIDTH(select, width));
    return operands != NULL && is_constant(lower, operands[0], UINT64_MAX) &&
                   is_constant(lower, operands[1], 0)
               ? operands[2]
               : 0;
}

static bool is_inverse(const struct lower *lower, uint32_t value, uint32_t mask)
{
    const uint32_t width = lower->values[value].width;
    const uint32_t *exclusive = made_by(lower, value, IR_BY_WIDTH(ixor, width));
    const uint32_t *inverted = made_by(lower, value, IR_BY_WIDTH(inot, width));
    return (inverted != NULL && inverted[0] == mask) ||
           (exclusive != NULL && exclusive[0] == mask &&
            is_constant(lower, exclusive[1], UINT64_MAX));
}

/* a | b as (x & mask) | (y & ~mask), which is how clang writes the ternary operator on vectors: a
 * selection, of which is known what an undefined condition makes of it. 0: it is none. */
static uint32_t masked_selection(struct lower *lower, uint32_t a, uint32_t b)
{
    const enum vm_op op = IR_BY_WIDTH(iand, lower->values[a].width);
    const uint32_t *const parts[2] = {made_by(lower, a, op), made_by(lower, b, op)};
    if (parts[0] == NULL || parts[1] == NULL)
        return 0;
    for (uint32_t i = 0; i < 8; i++) {
        const uint32_t *x = parts[i & 1], *y = parts[!(i & 1)];
        const uint32_t mask = x[i >> 1 & 1], inverse = y[i >> 2];
        if (mask_condition(lower, mask) != 0 && is_inverse(lower, inverse, mask))
            return ir_select(lower, mask_condition(lower, mask), x[!(i >> 1 & 1)], y[!(i >> 2)]);
    }
    return 0;
}

/* ---- on integers and floating-point numbers ---- */

/* The number of bits to shift by. SPIR-V leaves open what a shift by the width or more gives;
 * OpenCL C does not, so clang clears the upper bits of the number. */
static uint32_t shift_count(struct lower *lower, uint32_t count, uint32_t width)
{
    const uint32_t count_width = lower->values[count].width;
    if (count_width == 0)
        return count;
    const uint32_t *masked = made_by(lower, count, IR_BY_WIDTH(iand, count_width));
    const uint32_t known[3] = {count, masked ? masked[0] : count, masked ? masked[1] : count};
    bool small = false;
    for (uint32_t i = 0; i < 3; i++) {
        const struct ir_value *value = &lower->values[known[i]];
        small |= value->kind == IR_CONSTANT && value->bits < 8 * width;
    }
    if (!small)
        count = ir_op2(lower, IR_BY_WIDTH(shift_count, count_width), count,
                       ir_constant(lower, count_width, 8 * width));
    return ir_resize(lower, count, width, false);
}

/* ---- on one component ---- */

static uint32_t float_constant(struct lower *lower, uint32_t width, uint64_t f16, uint64_t f32,
                               uint64_t f64)
{
    return ir_constant(lower, width, width == 8 ? f64 : width == 4 ? f32 : f16);
}

/* The bits of |a|, compared as integers with those of infinity: exact for every class of number. */
static uint32_t classify(struct lower *lower, uint32_t op, uint32_t a)
{
    const uint32_t width = lower->values[a].width;
    const uint32_t magnitude =
        ir_op2(lower, IR_BY_WIDTH(iand, width), a,
               float_constant(lower, width, 0x7fff, 0x7fffffff, UINT64_MAX >> 1));
    const uint32_t infinity =
        float_constant(lower, width, 0x7c00, 0x7f800000, UINT64_C(0x7ff0000000000000));
    const uint32_t least =
        float_constant(lower, width, 0x0400, 0x00800000, UINT64_C(0x0010000000000000));
    switch (op) {
    case SpvOpIsNan:
        return ir_op2(lower, IR_BY_WIDTH(ult, width), infinity, magnitude);
    case SpvOpIsInf:
        return ir_op2(lower, IR_BY_WIDTH(ieq, width), infinity, magnitude);
    case SpvOpIsFinite:
        return ir_op2(lower, IR_BY_WIDTH(ult, width), magnitude, infinity);
    case SpvOpIsNormal:
        return ir_mask2(lower, VM_OP_mask_and,
                        ir_op2(lower, IR_BY_WIDTH(ult, width), magnitude, infinity),
                        ir_op2(lower, IR_BY_WIDTH(ule, width), least, magnitude));
    default: /* SpvOpSignBitSet */
        return ir_op2(lower, IR_BY_WIDTH(slt, width), a, ir_constant(lower, width, 0));
    }
}

/* SPIR-V 1.6, OpFMod: the sign of the result is that of operand 2. */
static uint32_t floating_modulo(struct lower *lower, uint32_t a, uint32_t b)
{
    const uint32_t width = lower->values[a].width;
    const uint32_t zero = ir_constant(lower, width, 0);
    const uint32_t rest = ir_op2(lower, IR_BY_FLOAT(fmod, width), a, b);
    const uint32_t nonzero = ir_op2(lower, IR_BY_FLOAT(fone, width), rest, zero);
    const uint32_t differ =
        ir_mask2(lower, VM_OP_mask_xor, ir_op2(lower, IR_BY_FLOAT(folt, width), rest, zero),
                 ir_op2(lower, IR_BY_FLOAT(folt, width), b, zero));
    return ir_select(lower, ir_mask2(lower, VM_OP_mask_and, nonzero, differ),
                     ir_fadd(lower, rest, b), rest);
}

static uint32_t compose_element(struct lower *lower, uint32_t a, uint32_t b)
{
    switch (lower->at->op) {
    case SpvOpLogicalNot:
        return ir_mask1(lower, VM_OP_mask_not, a);
    case SpvOpLogicalAnd:
        return ir_mask2(lower, VM_OP_mask_and, a, b);
    case SpvOpLogicalOr:
        return ir_mask2(lower, VM_OP_mask_or, a, b);
    case SpvOpLogicalNotEqual:
        return ir_mask2(lower, VM_OP_mask_xor, a, b);
    case SpvOpLogicalEqual:
        return ir_mask1(lower, VM_OP_mask_not, ir_mask2(lower, VM_OP_mask_xor, a, b));
    case SpvOpFMod:
        return floating_modulo(lower, a, b);
    default:
        return classify(lower, lower->at->op, a);
    }
}

static uint32_t make_element(struct lower *lower, const struct element_op *row, uint32_t a,
                             uint32_t b)
{
    const uint32_t width = lower->values[a].width;
    if (row->way == COMPOSED)
        return compose_element(lower, a, b);
    if (width == 0)
        lower_malformed(lower, "of booleans");
    if (row->operands == 1)
        return ir_op1(lower, row->ops[ir_width_index(width)], a);
    if (is_shift(row->op))
        b = shift_count(lower, b, width);
    const uint32_t selected = row->op == SpvOpBitwiseOr ? masked_selection(lower, a, b) : 0;
    return selected != 0 ? selected : ir_op2(lower, row->ops[ir_width_index(width)], a, b);
}

static bool translate_elements(struct lower *lower)
{
    const struct element_op *row = NULL;
    for (size_t i = 0; i < sizeof element_ops / sizeof element_ops[0] && row == NULL; i++) {
        if (element_ops[i].op == lower->at->op)
            row = &element_ops[i];
    }
    if (row == NULL)
        return false;
    struct ir_ref refs[2];
    uint32_t count;
    uint32_t results[16];
    if (!lower_gather(lower, 0, row->operands, refs, &count))
        return true;
    const bool swap = row->way == SWAPPED;
    const struct ir_ref *first = &refs[swap];
    const struct ir_ref *second = row->operands == 2 ? &refs[!swap] : first;
    for (uint32_t i = 0; i < count && !lower_failed(lower); i++)
        results[i] = make_element(lower, row, first->values[i], second->values[i]);
    lower_set_result(lower, results, count);
    return true;
}

static bool translate_select(struct lower *lower)
{
    if (lower->at->op != SpvOpSelect)
        return false;
    const struct ir_ref condition = lower_operand(lower, 0);
    const struct ir_ref a = lower_operand(lower, 1);
    const struct ir_ref b = lower_operand(lower, 2);
    if (a.count != b.count || a.count == 0 ||
        (condition.count != 1 && condition.count != a.count)) {
        lower_malformed(lower, "of values of different sizes");
        return true;
    }
    uint32_t *results = lower_alloc(lower, a.count, sizeof *results);
    for (uint32_t i = 0; i < a.count && !lower_failed(lower); i++)
        results[i] = ir_select(lower, condition.values[condition.count == 1 ? 0 : i], a.values[i],
                               b.values[i]);
    lower_set_result(lower, results, a.count);
    return true;
}

/* OpAny, OpAll, OpDot, OpVectorTimesScalar: over the components of a vector. */
static bool translate_reduction(struct lower *lower)
{
    const uint32_t op = lower->at->op;
    if (op != SpvOpAny && op != SpvOpAll && op != SpvOpDot && op != SpvOpVectorTimesScalar)
        return false;
    const struct ir_ref a = lower_operand(lower, 0);
    uint32_t results[16];
    if (op == SpvOpAny || op == SpvOpAll) {
        uint32_t result = a.count > 0 ? a.values[0] : 0;
        for (uint32_t i = 1; i < a.count; i++)
            result = ir_mask2(lower, op == SpvOpAny ? VM_OP_mask_or : VM_OP_mask_and, result,
                              a.values[i]);
        lower_set_result(lower, &result, 1);
        return true;
    }
    const struct ir_ref b = lower_operand(lower, 1);
    if (a.count == 0 || a.count > 16 || b.count != (op == SpvOpDot ? a.count : 1)) {
        lower_malformed(lower, "of values of other sizes");
        return true;
    }
    for (uint32_t i = 0; i < a.count; i++)
        results[i] = ir_fmul(lower, a.values[i], b.values[op == SpvOpDot ? i : 0]);
    if (op == SpvOpVectorTimesScalar) {
        lower_set_result(lower, results, a.count);
        return true;
    }
    /* Products rounded, then added from the first to the last: one of the orders that OpenCL
     * allows. */
    uint32_t sum = results[0];
    for (uint32_t i = 1; i < a.count; i++)
        sum = ir_fadd(lower, sum, results[i]);
    lower_set_result(lower, &sum, 1);
    return true;
}

bool lower_translate_op(struct lower *lower)
{
    return translate_elements(lower) || translate_select(lower) || translate_reduction(lower);
}
