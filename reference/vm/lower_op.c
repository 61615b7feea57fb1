/* Arithmetic, comparisons, conversions and the taking apart and putting together of values:
 * component by component. */
#include "reference/spirv/grammar.h"
#include "reference/vm/lower_private.h"

#include <string.h>

struct operands {
    struct ir_ref a, b;
    const struct spv_type *type, *scalar;
    uint32_t count;
};

static const struct spv_type *scalar_of(const struct spv_type *type)
{
    return type->kind == SPV_TYPE_VECTOR ? type->element : type;
}

/* The components of `count` operands, all as many as the result's. */
static bool gather(struct lower *lower, uint32_t first, uint32_t count, struct ir_ref *refs,
                   uint32_t *components)
{
    const struct spv_type *type = lower_result_type(lower);
    for (uint32_t i = 0; i < count && !lower_failed(lower); i++) {
        refs[i] = lower_operand(lower, first + i);
        if (lower_failed(lower))
            return false;
        if (refs[i].count != type->components || refs[i].count == 0 || refs[i].count > 16) {
            lower_fail(lower, STATUS_MALFORMED, "operand %u of %s does not fit its type", first + i,
                       spv_op_name(lower->at->op));
            return false;
        }
    }
    if (lower_failed(lower))
        return false;
    *components = (uint32_t)type->components;
    return true;
}

/* ---- tables ---- */

struct integer_op {
    uint16_t op;
    bool swap;
    enum vm_op ops[4];
};

/* clang-format off */
static const struct integer_op integer_ops[] = {
    {SpvOpIAdd, false, IR_WIDTHS(iadd)},
    {SpvOpISub, false, IR_WIDTHS(isub)},
    {SpvOpIMul, false, IR_WIDTHS(imul)},
    {SpvOpUDiv, false, IR_WIDTHS(udiv)},
    {SpvOpUMod, false, IR_WIDTHS(umod)},
    {SpvOpSDiv, false, IR_WIDTHS(sdiv)},
    {SpvOpSRem, false, IR_WIDTHS(srem)},
    {SpvOpSMod, false, IR_WIDTHS(smod)},
    {SpvOpShiftLeftLogical, false, IR_WIDTHS(shl)},
    {SpvOpShiftRightLogical, false, IR_WIDTHS(lshr)},
    {SpvOpShiftRightArithmetic, false, IR_WIDTHS(ashr)},
    {SpvOpBitwiseAnd, false, IR_WIDTHS(iand)},
    {SpvOpBitwiseOr, false, IR_WIDTHS(ior)},
    {SpvOpBitwiseXor, false, IR_WIDTHS(ixor)},
    {SpvOpIEqual, false, IR_WIDTHS(ieq)},
    {SpvOpINotEqual, false, IR_WIDTHS(ine)},
    {SpvOpPtrEqual, false, IR_WIDTHS(ieq)},
    {SpvOpPtrNotEqual, false, IR_WIDTHS(ine)},
    {SpvOpULessThan, false, IR_WIDTHS(ult)},
    {SpvOpULessThanEqual, false, IR_WIDTHS(ule)},
    {SpvOpUGreaterThan, true, IR_WIDTHS(ult)},
    {SpvOpUGreaterThanEqual, true, IR_WIDTHS(ule)},
    {SpvOpSLessThan, false, IR_WIDTHS(slt)},
    {SpvOpSLessThanEqual, false, IR_WIDTHS(sle)},
    {SpvOpSGreaterThan, true, IR_WIDTHS(slt)},
    {SpvOpSGreaterThanEqual, true, IR_WIDTHS(sle)},
};

struct float_op {
    uint16_t op;
    bool swap;
    enum vm_op ops[3];
};
static const struct float_op float_ops[] = {
    {SpvOpFAdd, false, IR_FLOATS(fadd)},
    {SpvOpFSub, false, IR_FLOATS(fsub)},
    {SpvOpFMul, false, IR_FLOATS(fmul)},
    {SpvOpFDiv, false, IR_FLOATS(fdiv)},
    {SpvOpFRem, false, IR_FLOATS(fmod)},
    {SpvOpFOrdEqual, false, IR_FLOATS(foeq)},
    {SpvOpFOrdNotEqual, false, IR_FLOATS(fone)},
    {SpvOpFOrdLessThan, false, IR_FLOATS(folt)},
    {SpvOpFOrdLessThanEqual, false, IR_FLOATS(fole)},
    {SpvOpFOrdGreaterThan, true, IR_FLOATS(folt)},
    {SpvOpFOrdGreaterThanEqual, true, IR_FLOATS(fole)},
    {SpvOpFUnordEqual, false, IR_FLOATS(fueq)},
    {SpvOpFUnordNotEqual, false, IR_FLOATS(fune)},
    {SpvOpFUnordLessThan, false, IR_FLOATS(fult)},
    {SpvOpFUnordLessThanEqual, false, IR_FLOATS(fule)},
    {SpvOpFUnordGreaterThan, true, IR_FLOATS(fult)},
    {SpvOpFUnordGreaterThanEqual, true, IR_FLOATS(fule)},
    {SpvOpOrdered, false, IR_FLOATS(ford)},
    {SpvOpUnordered, false, IR_FLOATS(funo)},
    {SpvOpLessOrGreater, false, IR_FLOATS(fone)},
};
/* clang-format on */

static bool is_shift(uint32_t op)
{
    return op == SpvOpShiftLeftLogical || op == SpvOpShiftRightLogical ||
           op == SpvOpShiftRightArithmetic;
}

static bool translate_integer(struct lower *lower)
{
    const struct integer_op *row = NULL;
    for (size_t i = 0; i < sizeof integer_ops / sizeof integer_ops[0]; i++) {
        if (integer_ops[i].op == lower->at->op)
            row = &integer_ops[i];
    }
    if (row == NULL)
        return false;
    struct ir_ref refs[2];
    uint32_t count;
    uint32_t results[16];
    if (!gather(lower, 0, 2, refs, &count))
        return true;
    for (uint32_t i = 0; i < count && !lower_failed(lower); i++) {
        uint32_t a = refs[row->swap].values[i];
        uint32_t b = refs[!row->swap].values[i];
        const uint32_t width = lower->values[a].width;
        if (width == 0) {
            lower_fail(lower, STATUS_MALFORMED, "%s of booleans", spv_op_name(lower->at->op));
            return true;
        }
        if (is_shift(row->op) && lower->values[b].width != 0)
            b = ir_resize(lower, b, width, false);
        results[i] = ir_op2(lower, row->ops[ir_width_index(width)], a, b);
    }
    lower_set_result(lower, results, count);
    return true;
}

static bool translate_float(struct lower *lower)
{
    const struct float_op *row = NULL;
    for (size_t i = 0; i < sizeof float_ops / sizeof float_ops[0]; i++) {
        if (float_ops[i].op == lower->at->op)
            row = &float_ops[i];
    }
    if (row == NULL)
        return false;
    struct ir_ref refs[2];
    uint32_t count;
    uint32_t results[16];
    if (!gather(lower, 0, 2, refs, &count))
        return true;
    for (uint32_t i = 0; i < count && !lower_failed(lower); i++) {
        const uint32_t a = refs[row->swap].values[i];
        const uint32_t b = refs[!row->swap].values[i];
        results[i] = ir_op2(lower, row->ops[ir_float_index(lower->values[a].width)], a, b);
    }
    lower_set_result(lower, results, count);
    return true;
}

/* ---- other element-wise operations, on one component ---- */

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

static uint32_t translate_unary(struct lower *lower, uint32_t a, bool *known)
{
    const uint32_t width = lower->values[a].width;
    switch (lower->at->op) {
    case SpvOpSNegate:
        return width == 0 ? 0 : ir_op1(lower, IR_BY_WIDTH(ineg, width), a);
    case SpvOpNot:
        return width == 0 ? 0 : ir_op1(lower, IR_BY_WIDTH(inot, width), a);
    case SpvOpFNegate:
        return ir_op1(lower, IR_BY_FLOAT(fneg, width), a);
    case SpvOpLogicalNot:
        return ir_mask1(lower, VM_OP_mask_not, a);
    case SpvOpBitCount:
        return width == 0 ? 0 : ir_op1(lower, IR_BY_WIDTH(popcount, width), a);
    case SpvOpBitReverse:
        return width == 0 ? 0 : ir_op1(lower, IR_BY_WIDTH(reverse, width), a);
    case SpvOpIsNan:
    case SpvOpIsInf:
    case SpvOpIsFinite:
    case SpvOpIsNormal:
    case SpvOpSignBitSet:
        return classify(lower, lower->at->op, a);
    default:
        *known = false;
        return 0;
    }
}

static uint32_t translate_binary(struct lower *lower, uint32_t a, uint32_t b, bool *known)
{
    switch (lower->at->op) {
    case SpvOpLogicalAnd:
        return ir_mask2(lower, VM_OP_mask_and, a, b);
    case SpvOpLogicalOr:
        return ir_mask2(lower, VM_OP_mask_or, a, b);
    case SpvOpLogicalNotEqual:
        return ir_mask2(lower, VM_OP_mask_xor, a, b);
    case SpvOpLogicalEqual:
        return ir_mask1(lower, VM_OP_mask_not, ir_mask2(lower, VM_OP_mask_xor, a, b));
    case SpvOpFMod: {
        /* SPIR-V 1.6, OpFMod: the sign of the result is that of operand 2. */
        const uint32_t width = lower->values[a].width;
        const uint32_t zero = ir_constant(lower, width, 0);
        const uint32_t rest = ir_op2(lower, IR_BY_FLOAT(fmod, width), a, b);
        const uint32_t nonzero = ir_op2(lower, IR_BY_FLOAT(fone, width), rest, zero);
        const uint32_t differ =
            ir_mask2(lower, VM_OP_mask_xor, ir_op2(lower, IR_BY_FLOAT(folt, width), rest, zero),
                     ir_op2(lower, IR_BY_FLOAT(folt, width), b, zero));
        return ir_select(lower, ir_mask2(lower, VM_OP_mask_and, nonzero, differ),
                         ir_op2(lower, IR_BY_FLOAT(fadd, width), rest, b), rest);
    }
    default:
        *known = false;
        return 0;
    }
}

static bool translate_elements(struct lower *lower)
{
    const struct spv_instruction *at = lower->at;
    struct ir_ref refs[2];
    uint32_t count;
    uint32_t results[16];
    bool known = true;
    switch (at->op) {
    case SpvOpSNegate:
    case SpvOpNot:
    case SpvOpFNegate:
    case SpvOpLogicalNot:
    case SpvOpBitCount:
    case SpvOpBitReverse:
    case SpvOpIsNan:
    case SpvOpIsInf:
    case SpvOpIsFinite:
    case SpvOpIsNormal:
    case SpvOpSignBitSet:
        if (!gather(lower, 0, 1, refs, &count))
            return true;
        for (uint32_t i = 0; i < count && !lower_failed(lower); i++)
            results[i] = translate_unary(lower, refs[0].values[i], &known);
        break;
    case SpvOpLogicalAnd:
    case SpvOpLogicalOr:
    case SpvOpLogicalEqual:
    case SpvOpLogicalNotEqual:
    case SpvOpFMod:
        if (!gather(lower, 0, 2, refs, &count))
            return true;
        for (uint32_t i = 0; i < count && !lower_failed(lower); i++)
            results[i] = translate_binary(lower, refs[0].values[i], refs[1].values[i], &known);
        break;
    default:
        return false;
    }
    if (known)
        lower_set_result(lower, results, count);
    return known;
}

static bool translate_select(struct lower *lower)
{
    if (lower->at->op != SpvOpSelect)
        return false;
    const struct ir_ref condition = lower_operand(lower, 0);
    const struct ir_ref a = lower_operand(lower, 1);
    const struct ir_ref b = lower_operand(lower, 2);
    if (lower_failed(lower))
        return true;
    if (a.count != b.count || a.count == 0 ||
        (condition.count != 1 && condition.count != a.count)) {
        lower_fail(lower, STATUS_MALFORMED, "OpSelect of values of different sizes");
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
    if (lower_failed(lower))
        return true;
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
    if (lower_failed(lower))
        return true;
    if (a.count == 0 || a.count > 16 || b.count != (op == SpvOpDot ? a.count : 1)) {
        lower_fail(lower, STATUS_MALFORMED, "%s of values of other sizes", spv_op_name(op));
        return true;
    }
    const uint32_t width = lower->values[a.values[0]].width;
    for (uint32_t i = 0; i < a.count; i++)
        results[i] =
            ir_op2(lower, IR_BY_FLOAT(fmul, width), a.values[i], b.values[op == SpvOpDot ? i : 0]);
    if (op == SpvOpVectorTimesScalar) {
        lower_set_result(lower, results, a.count);
        return true;
    }
    /* Products rounded, then added from the first to the last: one of the orders that OpenCL
     * allows. */
    uint32_t sum = results[0];
    for (uint32_t i = 1; i < a.count; i++)
        sum = ir_op2(lower, IR_BY_FLOAT(fadd, width), sum, results[i]);
    lower_set_result(lower, &sum, 1);
    return true;
}

/* ---- conversions ---- */

static uint32_t rounding_mode(struct lower *lower, bool *given)
{
    const struct spv_decoration *mode =
        spv_decoration_find(lower->module, lower->at->result, SpvDecorationFPRoundingMode);
    *given = mode != NULL && mode->operand_count == 1 && mode->operands[0] < 4;
    return *given ? mode->operands[0] : 0;
}

/* To an integer: rounded to a whole number by the mode, then by a row that saturates. A conversion
 * without saturation that does not fit gives the same: SPIR-V leaves it undefined. */
static uint32_t float_to_integer(struct lower *lower, uint32_t a, uint32_t width, bool is_signed)
{
    static const enum vm_op ops[2][2][4] = {
        {{VM_OP_conv_u8_f32, VM_OP_conv_u16_f32, VM_OP_conv_u32_f32, VM_OP_conv_u64_f32},
         {VM_OP_conv_u8_f64, VM_OP_conv_u16_f64, VM_OP_conv_u32_f64, VM_OP_conv_u64_f64}},
        {{VM_OP_conv_s8_f32, VM_OP_conv_s16_f32, VM_OP_conv_s32_f32, VM_OP_conv_s64_f32},
         {VM_OP_conv_s8_f64, VM_OP_conv_s16_f64, VM_OP_conv_s32_f64, VM_OP_conv_s64_f64}},
    };
    static const enum vm_op rounds[4][2] = {
        {VM_OP_rint_f32, VM_OP_rint_f64},
        {0, 0},
        {VM_OP_ceil_f32, VM_OP_ceil_f64},
        {VM_OP_floor_f32, VM_OP_floor_f64},
    };
    bool given;
    const uint32_t mode = rounding_mode(lower, &given);
    uint32_t from = lower->values[a].width;
    if (from == 2) {
        a = ir_op1(lower, VM_OP_conv_f32_f16, a);
        from = 4;
    }
    if (given && mode != SpvFPRoundingModeRTZ)
        a = ir_op1(lower, rounds[mode][from == 8], a);
    return ir_op1(lower, ops[is_signed][from == 8][ir_width_index(width)], a);
}

static uint32_t float_to_half(struct lower *lower, uint32_t a, uint32_t mode)
{
    static const enum vm_op ops[4][2] = {
        {VM_OP_conv_f16_f32, VM_OP_conv_f16_f64},
        {VM_OP_conv_f16_f32_rtz, VM_OP_conv_f16_f64_rtz},
        {VM_OP_conv_f16_f32_rtp, VM_OP_conv_f16_f64_rtp},
        {VM_OP_conv_f16_f32_rtn, VM_OP_conv_f16_f64_rtn},
    };
    return ir_op1(lower, ops[mode][lower->values[a].width == 8], a);
}

static uint32_t integer_to_float(struct lower *lower, uint32_t a, uint32_t width, bool is_signed)
{
    static const enum vm_op ops[4][2][2] = {
        {{VM_OP_conv_f32_u64, VM_OP_conv_f64_u64}, {VM_OP_conv_f32_s64, VM_OP_conv_f64_s64}},
        {{VM_OP_conv_f32_u64_rtz, VM_OP_conv_f64_u64_rtz},
         {VM_OP_conv_f32_s64_rtz, VM_OP_conv_f64_s64_rtz}},
        {{VM_OP_conv_f32_u64_rtp, VM_OP_conv_f64_u64_rtp},
         {VM_OP_conv_f32_s64_rtp, VM_OP_conv_f64_s64_rtp}},
        {{VM_OP_conv_f32_u64_rtn, VM_OP_conv_f64_u64_rtn},
         {VM_OP_conv_f32_s64_rtn, VM_OP_conv_f64_s64_rtn}},
    };
    static const enum vm_op short_ops[2][2] = {{VM_OP_conv_f32_u32, VM_OP_conv_f64_u32},
                                               {VM_OP_conv_f32_s32, VM_OP_conv_f64_s32}};
    bool given;
    const uint32_t mode = rounding_mode(lower, &given);
    /* To half through double: what a double has no room for is beyond half's range. */
    const bool wide = width != 4;
    const uint32_t floating =
        width != 2 && mode != SpvFPRoundingModeRTE
            ? ir_op1(lower, ops[mode][is_signed][wide], ir_resize(lower, a, 8, is_signed))
        : lower->values[a].width <= 4
            ? ir_op1(lower, short_ops[is_signed][wide], ir_resize(lower, a, 4, is_signed))
            : ir_op1(lower, ops[SpvFPRoundingModeRTE][is_signed][wide], a);
    return width == 2 ? float_to_half(lower, floating, mode) : floating;
}

static uint32_t float_to_float(struct lower *lower, uint32_t a, uint32_t width)
{
    static const enum vm_op narrow[4] = {VM_OP_conv_f32_f64, VM_OP_conv_f32_f64_rtz,
                                         VM_OP_conv_f32_f64_rtp, VM_OP_conv_f32_f64_rtn};
    bool given;
    const uint32_t mode = rounding_mode(lower, &given);
    const uint32_t from = lower->values[a].width;
    if (from == width)
        return a;
    if (width == 2)
        return float_to_half(lower, a, mode);
    if (from == 2)
        return ir_op1(lower, width == 8 ? VM_OP_conv_f64_f16 : VM_OP_conv_f32_f16, a);
    return ir_op1(lower, width == 8 ? VM_OP_conv_f64_f32 : narrow[mode], a);
}

/* Clamps an integer to what `width` bytes hold, and narrows. */
static uint32_t saturate(struct lower *lower, uint32_t a, uint32_t width, bool from_signed,
                         bool to_signed)
{
    const uint32_t from = lower->values[a].width;
    const uint64_t max = UINT64_MAX >> (64 - 8 * width + to_signed);
    if (from_signed && !to_signed)
        a = ir_op2(lower, IR_BY_WIDTH(smax, from), a, ir_constant(lower, from, 0));
    if (from_signed && to_signed && from > width)
        a = ir_op2(lower, IR_BY_WIDTH(smax, from), a, ir_constant(lower, from, ~max));
    if (from > width || (from == width && !from_signed && to_signed))
        a = ir_op2(lower, from_signed ? IR_BY_WIDTH(smin, from) : IR_BY_WIDTH(umin, from), a,
                   ir_constant(lower, from, max));
    return ir_resize(lower, a, width, from_signed && to_signed);
}

static uint32_t convert(struct lower *lower, uint32_t a, uint32_t width)
{
    const bool saturated = spv_decoration_find(lower->module, lower->at->result,
                                               SpvDecorationSaturatedConversion) != NULL;
    switch (lower->at->op) {
    case SpvOpUConvert:
        return saturated ? saturate(lower, a, width, false, false)
                         : ir_resize(lower, a, width, false);
    case SpvOpSConvert:
        return saturated ? saturate(lower, a, width, true, true) : ir_resize(lower, a, width, true);
    case SpvOpSatConvertSToU:
        return saturate(lower, a, width, true, false);
    case SpvOpSatConvertUToS:
        return saturate(lower, a, width, false, true);
    case SpvOpConvertFToU:
        return float_to_integer(lower, a, width, false);
    case SpvOpConvertFToS:
        return float_to_integer(lower, a, width, true);
    case SpvOpConvertUToF:
        return integer_to_float(lower, a, width, false);
    case SpvOpConvertSToF:
        return integer_to_float(lower, a, width, true);
    case SpvOpFConvert:
        return float_to_float(lower, a, width);
    default: /* OpConvertPtrToU, OpConvertUToPtr */
        return ir_resize(lower, a, width, false);
    }
}

static bool takes_float(uint32_t op)
{
    return op == SpvOpConvertFToU || op == SpvOpConvertFToS || op == SpvOpFConvert;
}

static bool gives_float(uint32_t op)
{
    return op == SpvOpConvertUToF || op == SpvOpConvertSToF || op == SpvOpFConvert;
}

static bool translate_conversion(struct lower *lower)
{
    switch (lower->at->op) {
    case SpvOpUConvert:
    case SpvOpSConvert:
    case SpvOpSatConvertSToU:
    case SpvOpSatConvertUToS:
    case SpvOpConvertFToU:
    case SpvOpConvertFToS:
    case SpvOpConvertUToF:
    case SpvOpConvertSToF:
    case SpvOpFConvert:
    case SpvOpConvertPtrToU:
    case SpvOpConvertUToPtr:
        break;
    default:
        return false;
    }
    struct ir_ref a;
    uint32_t count;
    uint32_t results[16];
    if (!gather(lower, 0, 1, &a, &count))
        return true;
    const struct spv_type *to = scalar_of(lower_result_type(lower));
    const struct spv_type *from = scalar_of(a.type);
    if (from->kind == SPV_TYPE_BOOL || to->kind == SPV_TYPE_BOOL ||
        (from->kind == SPV_TYPE_FLOAT) != takes_float(lower->at->op) ||
        (to->kind == SPV_TYPE_FLOAT) != gives_float(lower->at->op)) {
        lower_fail(lower, STATUS_MALFORMED, "%s between types that it does not convert",
                   spv_op_name(lower->at->op));
        return true;
    }
    for (uint32_t i = 0; i < count && !lower_failed(lower); i++)
        results[i] = convert(lower, a.values[i], lower_type_width(to));
    lower_set_result(lower, results, count);
    return true;
}

/* SPIR-V 1.6, OpBitcast: the bits in the order of memory, which is little-endian here: component 0
 * has the lowest. Components become narrower or wider by integer operations. */
static void bitcast_components(struct lower *lower, struct ir_ref a, uint32_t width, uint32_t count,
                               uint32_t *results)
{
    const uint32_t from = lower->values[a.values[0]].width;
    if (from > width) {
        const uint32_t parts = from / width;
        for (uint32_t i = 0; i < count && !lower_failed(lower); i++) {
            const uint32_t shift = ir_constant(lower, from, 8 * width * (i % parts));
            const uint32_t whole = a.values[i / parts];
            results[i] = ir_resize(
                lower,
                i % parts == 0 ? whole : ir_op2(lower, IR_BY_WIDTH(lshr, from), whole, shift),
                width, false);
        }
        return;
    }
    const uint32_t parts = width / from;
    for (uint32_t i = 0; i < count && !lower_failed(lower); i++) {
        uint32_t whole = ir_resize(lower, a.values[i * parts], width, false);
        for (uint32_t p = 1; p < parts; p++) {
            const uint32_t part = ir_resize(lower, a.values[i * parts + p], width, false);
            const uint32_t moved = ir_op2(lower, IR_BY_WIDTH(shl, width), part,
                                          ir_constant(lower, width, 8 * from * p));
            whole = ir_op2(lower, IR_BY_WIDTH(ior, width), whole, moved);
        }
        results[i] = whole;
    }
}

static bool translate_bitcast(struct lower *lower)
{
    if (lower->at->op != SpvOpBitcast)
        return false;
    const struct ir_ref a = lower_operand(lower, 0);
    const struct spv_type *type = lower_result_type(lower);
    if (lower_failed(lower))
        return true;
    const struct spv_type *to = scalar_of(type);
    const struct spv_type *from = scalar_of(a.type);
    if (!spv_type_is_scalar(to) || !spv_type_is_scalar(from) || to->kind == SPV_TYPE_BOOL ||
        from->kind == SPV_TYPE_BOOL || to->kind == SPV_TYPE_IMAGE || from->kind == SPV_TYPE_IMAGE ||
        type->components * lower_type_width(to) != a.count * lower_type_width(from)) {
        lower_fail(lower, STATUS_MALFORMED, "OpBitcast between types of different sizes");
        return true;
    }
    if (type->components == a.count) {
        lower_set_result(lower, a.values, a.count);
        return true;
    }
    uint32_t results[16];
    bitcast_components(lower, a, lower_type_width(to), (uint32_t)type->components, results);
    lower_set_result(lower, results, (uint32_t)type->components);
    return true;
}

/* ---- composites ---- */

/* Follows literal indices from operand `first` on; the part's first component and type. */
static const struct spv_type *find_part(struct lower *lower, const struct spv_type *type,
                                        uint32_t first, uint32_t *component)
{
    *component = 0;
    for (uint32_t i = first; i < lower->at->operand_count; i++) {
        const uint32_t index = lower->at->operands[i];
        if (type->kind == SPV_TYPE_STRUCT && index < type->member_count) {
            for (uint32_t m = 0; m < index; m++)
                *component += (uint32_t)type->members[m]->components;
            type = type->members[index];
        } else if ((type->kind == SPV_TYPE_ARRAY || type->kind == SPV_TYPE_VECTOR) &&
                   index < type->count) {
            *component += index * (uint32_t)type->element->components;
            type = type->element;
        } else {
            lower_fail(lower, STATUS_MALFORMED, "%s with index %u out of range",
                       spv_op_name(lower->at->op), index);
            return NULL;
        }
    }
    return type;
}

static void translate_extract(struct lower *lower)
{
    const struct ir_ref whole = lower_operand(lower, 0);
    uint32_t component;
    if (lower_failed(lower))
        return;
    const struct spv_type *part = find_part(lower, whole.type, 1, &component);
    if (part != NULL)
        lower_set_result(lower, whole.values + component, (uint32_t)part->components);
}

static void translate_insert(struct lower *lower)
{
    const struct ir_ref part = lower_operand(lower, 0);
    const struct ir_ref whole = lower_operand(lower, 1);
    uint32_t component;
    if (lower_failed(lower))
        return;
    const struct spv_type *type = find_part(lower, whole.type, 2, &component);
    uint32_t *results = lower_alloc(lower, whole.count, sizeof *results);
    if (type == NULL || results == NULL)
        return;
    if (type->components != part.count) {
        lower_fail(lower, STATUS_MALFORMED, "OpCompositeInsert of a part of another type");
        return;
    }
    memcpy(results, whole.values, whole.count * sizeof *results);
    memcpy(results + component, part.values, part.count * sizeof *results);
    lower_set_result(lower, results, whole.count);
}

static void translate_construct(struct lower *lower)
{
    const struct spv_type *type = lower_result_type(lower);
    uint32_t count = 0;
    if (lower_failed(lower))
        return;
    if (type->components > 65536) {
        lower_refuse(lower, "a value of so many components");
        return;
    }
    uint32_t *results = lower_alloc(lower, type->components, sizeof *results);
    for (uint32_t i = 0; i < lower->at->operand_count && !lower_failed(lower); i++) {
        const struct ir_ref part = lower_operand(lower, i);
        if (part.count > type->components - count) {
            lower_fail(lower, STATUS_MALFORMED, "OpCompositeConstruct of too many parts");
            return;
        }
        if (part.count > 0)
            memcpy(results + count, part.values, part.count * sizeof *results);
        count += part.count;
    }
    if (!lower_failed(lower))
        lower_set_result(lower, results, count);
}

static void translate_shuffle(struct lower *lower)
{
    const struct ir_ref a = lower_operand(lower, 0);
    const struct ir_ref b = lower_operand(lower, 1);
    const uint32_t count = lower->at->operand_count - 2u;
    uint32_t results[16];
    if (lower_failed(lower))
        return;
    if (count > 16 || a.count == 0) {
        lower_fail(lower, STATUS_MALFORMED, "OpVectorShuffle of %u components", count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t index = lower->at->operands[2 + i];
        if (index == UINT32_MAX) {
            results[i] = ir_undefined(lower, lower->values[a.values[0]].width, NULL);
        } else if (index < a.count + b.count) {
            results[i] = index < a.count ? a.values[index] : b.values[index - a.count];
        } else {
            lower_fail(lower, STATUS_MALFORMED, "OpVectorShuffle with component %u of %u", index,
                       a.count + b.count);
            return;
        }
    }
    lower_set_result(lower, results, count);
}

/* OpenCL C 3.0, 6.15.1: "For other values of dimindx" than 0 to get_work_dim() - 1, ids and offsets
 * are 0, sizes and the number of work-groups 1. Below that an index picks one of three queries. */
static uint32_t query_beyond(struct lower *lower, const struct ir_ref *whole, uint32_t index,
                             uint32_t within)
{
    const uint32_t width = lower->values[whole->values[0]].width;
    uint64_t beyond = 0;
    switch (lower->values[whole->values[0]].index) {
    case VM_QUERY_GLOBAL_SIZE:
    case VM_QUERY_LOCAL_SIZE:
    case VM_QUERY_ENQUEUED_LOCAL_SIZE:
    case VM_QUERY_GROUP_COUNT:
        beyond = 1;
        break;
    default:
        break;
    }
    const uint32_t in_range =
        ir_op2(lower, VM_OP_ult_32, index, ir_constant(lower, 4, whole->count));
    return ir_select(lower, in_range, within, ir_constant(lower, width, beyond));
}

/* Booleans as bytes of 0 and 1, which have rows that an index can pick, and back. */
static void to_bytes(struct lower *lower, uint32_t *values, uint32_t count)
{
    for (uint32_t i = 0; i < count && !lower_failed(lower); i++)
        values[i] = ir_select(lower, values[i], ir_constant(lower, 1, 1), ir_constant(lower, 1, 0));
}

static void to_booleans(struct lower *lower, uint32_t *values, uint32_t count)
{
    for (uint32_t i = 0; i < count && !lower_failed(lower); i++)
        values[i] = ir_op2(lower, VM_OP_ine_8, values[i], ir_constant(lower, 1, 0));
}

/* The index of operand `operand` as 32 bits. One that they cannot hold is out of range for any
 * vector: all bits set keep it so. */
static uint32_t dynamic_index(struct lower *lower, uint32_t operand)
{
    uint32_t index = lower_scalar(lower, operand);
    if (lower_failed(lower))
        return 0;
    if (lower->values[index].width == 8)
        index = ir_op2(lower, VM_OP_umin_64, index, ir_constant(lower, 8, UINT32_MAX));
    return ir_resize(lower, index, 4, true);
}

static void extract_dynamic(struct lower *lower, const struct ir_ref *whole, uint32_t index)
{
    const bool boolean = lower->values[whole->values[0]].width == 0;
    uint32_t operands[17];
    memcpy(operands, whole->values, whole->count * sizeof operands[0]);
    if (boolean)
        to_bytes(lower, operands, whole->count);
    operands[whole->count] = index;
    const uint32_t width = lower->values[operands[0]].width;
    uint32_t result = ir_emit(lower, VM_OP_extract, width, 1, operands, whole->count + 1);
    if (lower_failed(lower))
        return;
    ir_last(lower)->count = (uint8_t)whole->count;
    if (lower->values[whole->values[0]].kind == IR_QUERY)
        result = query_beyond(lower, whole, index, result);
    if (boolean)
        to_booleans(lower, &result, 1);
    if (!lower_failed(lower))
        lower_set_result(lower, &result, 1);
}

static void insert_dynamic(struct lower *lower, const struct ir_ref *whole, uint32_t part,
                           uint32_t index)
{
    const bool boolean = lower->values[whole->values[0]].width == 0;
    uint32_t operands[18];
    uint32_t results[16];
    memcpy(operands, whole->values, whole->count * sizeof operands[0]);
    operands[whole->count] = part;
    if (boolean)
        to_bytes(lower, operands, whole->count + 1);
    operands[whole->count + 1] = index;
    if (lower_failed(lower))
        return;
    const uint32_t width = lower->values[operands[0]].width;
    const uint32_t result =
        ir_emit(lower, VM_OP_insert, width, whole->count, operands, whole->count + 2);
    for (uint32_t i = 0; i < whole->count; i++)
        results[i] = result + i;
    if (boolean)
        to_booleans(lower, results, whole->count);
    if (!lower_failed(lower))
        lower_set_result(lower, results, whole->count);
}

/* OpVectorExtractDynamic and OpVectorInsertDynamic. */
static void translate_dynamic(struct lower *lower)
{
    const bool insert = lower->at->op == SpvOpVectorInsertDynamic;
    const struct ir_ref whole = lower_operand(lower, 0);
    const uint32_t part = insert ? lower_scalar(lower, 1) : 0;
    const uint32_t index = dynamic_index(lower, insert ? 2 : 1);
    if (lower_failed(lower))
        return;
    if (whole.type->kind != SPV_TYPE_VECTOR ||
        (insert && lower->values[part].width != lower->values[whole.values[0]].width)) {
        lower_fail(lower, STATUS_MALFORMED, "%s of another type", spv_op_name(lower->at->op));
        return;
    }
    const struct ir_value known = lower->values[index];
    if (known.kind == IR_CONSTANT && known.bits < whole.count) {
        uint32_t values[16];
        memcpy(values, whole.values, whole.count * sizeof values[0]);
        if (insert)
            values[known.bits] = part;
        lower_set_result(lower, insert ? values : values + known.bits, insert ? whole.count : 1);
    } else if (insert) {
        insert_dynamic(lower, &whole, part, index);
    } else {
        extract_dynamic(lower, &whole, index);
    }
}

static void translate_undefined(struct lower *lower)
{
    const struct spv_type *type = lower_result_type(lower);
    struct ir_leaves leaves;
    if (lower_failed(lower) || !lower_leaves(lower, type, &leaves))
        return;
    uint32_t *results = lower_alloc(lower, leaves.components, sizeof *results);
    uint32_t made = 0;
    for (uint32_t i = 0; i < leaves.count && !lower_failed(lower); i++) {
        for (uint32_t c = 0; c < leaves.leaves[i].count; c++)
            results[made++] = ir_undefined(lower, leaves.leaves[i].width, NULL);
    }
    if (!lower_failed(lower))
        lower_set_result(lower, results, made);
}

static bool translate_composite(struct lower *lower)
{
    struct ir_ref ref;
    switch (lower->at->op) {
    case SpvOpCompositeExtract:
        translate_extract(lower);
        return true;
    case SpvOpCompositeInsert:
        translate_insert(lower);
        return true;
    case SpvOpCompositeConstruct:
        translate_construct(lower);
        return true;
    case SpvOpVectorShuffle:
        translate_shuffle(lower);
        return true;
    case SpvOpVectorExtractDynamic:
    case SpvOpVectorInsertDynamic:
        translate_dynamic(lower);
        return true;
    case SpvOpUndef:
        translate_undefined(lower);
        return true;
    case SpvOpCopyObject:
    case SpvOpCopyLogical:
    case SpvOpExpectKHR:
        ref = lower_operand(lower, 0);
        if (!lower_failed(lower))
            lower_set_result(lower, ref.values, ref.count);
        return true;
    case SpvOpNop:
    case SpvOpNoLine:
    case SpvOpAssumeTrueKHR:
        return true;
    default:
        return false;
    }
}

bool lower_translate_op(struct lower *lower)
{
    return translate_integer(lower) || translate_float(lower) || translate_elements(lower) ||
           translate_select(lower) || translate_reduction(lower) || translate_conversion(lower) ||
           translate_bitcast(lower) || translate_composite(lower);
}
