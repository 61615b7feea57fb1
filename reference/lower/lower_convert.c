/* Conversions between numbers, and OpBitcast. */
#include "reference/lower/lower_private.h"

static uint32_t rounding_mode(struct lower *lower, bool *given)
{
    const struct spv_decoration *mode =
        spv_decoration_find(lower->module, lower->at->result, SpvDecorationFPRoundingMode);
    *given = mode != NULL && mode->operand_count == 1 && mode->operands[0] < 4;
    return *given ? mode->operands[0] : 0;
}

/* To an integer: rounded to a whole number by the mode, then by a row that saturates. A conversion
 * without saturation that does not fit gives the same, which SPIR-V leaves undefined. */
static uint32_t float_to_integer(struct lower *lower, uint32_t a, uint32_t width, bool is_signed,
                                 bool saturated)
{
    static const enum vm_op casts[2][2][4] = {
        {{VM_OP_cast_u8_f32, VM_OP_cast_u16_f32, VM_OP_cast_u32_f32, VM_OP_cast_u64_f32},
         {VM_OP_cast_u8_f64, VM_OP_cast_u16_f64, VM_OP_cast_u32_f64, VM_OP_cast_u64_f64}},
        {{VM_OP_cast_s8_f32, VM_OP_cast_s16_f32, VM_OP_cast_s32_f32, VM_OP_cast_s64_f32},
         {VM_OP_cast_s8_f64, VM_OP_cast_s16_f64, VM_OP_cast_s32_f64, VM_OP_cast_s64_f64}},
    };
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
    const enum vm_op(*table)[2][4] = saturated ? ops : casts;
    return ir_op1(lower, table[is_signed][from == 8][ir_width_index(width)], a);
}

uint32_t lower_to_half(struct lower *lower, uint32_t value, uint32_t mode)
{
    static const enum vm_op ops[4][2] = {
        {VM_OP_conv_f16_f32, VM_OP_conv_f16_f64},
        {VM_OP_conv_f16_f32_rtz, VM_OP_conv_f16_f64_rtz},
        {VM_OP_conv_f16_f32_rtp, VM_OP_conv_f16_f64_rtp},
        {VM_OP_conv_f16_f32_rtn, VM_OP_conv_f16_f64_rtn},
    };
    return ir_op1(lower, ops[mode][lower->values[value].width == 8], value);
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
    return width == 2 ? lower_to_half(lower, floating, mode) : floating;
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
        return lower_to_half(lower, a, mode);
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
        return float_to_integer(lower, a, width, false, saturated);
    case SpvOpConvertFToS:
        return float_to_integer(lower, a, width, true, saturated);
    case SpvOpConvertUToF:
        return integer_to_float(lower, a, width, false);
    case SpvOpConvertSToF:
        return integer_to_float(lower, a, width, true);
    case SpvOpFConvert:
        return float_to_float(lower, a, width);
    case SpvOpConvertPtrToU:
        return ir_resize(lower, lower->module->narrow ? lower_pack(lower, a) : a, width, false);
    default: /* OpConvertUToPtr */
        return lower->module->narrow ? lower_unpack(lower, ir_resize(lower, a, 4, false))
                                     : ir_resize(lower, a, width, false);
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

static void translate_conversion(struct lower *lower)
{
    struct ir_ref a;
    uint32_t count;
    uint32_t results[16];
    if (!lower_gather(lower, 0, 1, &a, &count))
        return;
    const struct spv_type *to = lower_scalar_type(lower_result_type(lower));
    const struct spv_type *from = lower_scalar_type(a.type);
    if (from->kind == SPV_TYPE_BOOL || to->kind == SPV_TYPE_BOOL ||
        (from->kind == SPV_TYPE_FLOAT) != takes_float(lower->at->op) ||
        (to->kind == SPV_TYPE_FLOAT) != gives_float(lower->at->op)) {
        lower_malformed(lower, "between types that it does not convert");
        return;
    }
    for (uint32_t i = 0; i < count && !lower_failed(lower); i++)
        results[i] = convert(lower, a.values[i], lower_type_width(to));
    lower_set_result(lower, results, count);
}

/* SPIR-V 1.6, OpBitcast: the bits in the order of memory: of the parts of a wide component the one
 * of the lowest number has the lowest bits, on a big-endian device the highest ones. Components
 * become narrower or wider by integer operations. */
static uint32_t part_shift(struct lower *lower, uint32_t part, uint32_t parts, uint32_t width)
{
    return 8 * width * (lower->options.big_endian ? parts - 1 - part : part);
}

static void bitcast_components(struct lower *lower, struct ir_ref a, uint32_t width, uint32_t count,
                               uint32_t *results)
{
    const uint32_t from = lower->values[a.values[0]].width;
    if (from > width) {
        const uint32_t parts = from / width;
        for (uint32_t i = 0; i < count && !lower_failed(lower); i++) {
            const uint32_t shift = part_shift(lower, i % parts, parts, width);
            const uint32_t whole = a.values[i / parts];
            results[i] = ir_resize(lower,
                                   shift == 0 ? whole
                                              : ir_op2(lower, IR_BY_WIDTH(lshr, from), whole,
                                                       ir_constant(lower, from, shift)),
                                   width, false);
        }
        return;
    }
    const uint32_t parts = width / from;
    for (uint32_t i = 0; i < count && !lower_failed(lower); i++) {
        uint32_t whole = 0;
        for (uint32_t p = 0; p < parts; p++) {
            const uint32_t shift = part_shift(lower, p, parts, from);
            uint32_t part = ir_resize(lower, a.values[i * parts + p], width, false);
            if (shift != 0)
                part =
                    ir_op2(lower, IR_BY_WIDTH(shl, width), part, ir_constant(lower, width, shift));
            whole = p == 0 ? part : ir_op2(lower, IR_BY_WIDTH(ior, width), whole, part);
        }
        results[i] = whole;
    }
}

static void translate_bitcast(struct lower *lower)
{
    const struct ir_ref a = lower_operand(lower, 0);
    const struct spv_type *type = lower_result_type(lower);
    const struct spv_type *to = lower_scalar_type(type);
    const struct spv_type *from = lower_scalar_type(a.type);
    if (!spv_type_is_scalar(to) || !spv_type_is_scalar(from) || to->kind == SPV_TYPE_BOOL ||
        from->kind == SPV_TYPE_BOOL || to->kind == SPV_TYPE_IMAGE || from->kind == SPV_TYPE_IMAGE ||
        type->components * lower_type_width(to) != a.count * lower_type_width(from)) {
        lower_malformed(lower, "between types of different sizes");
        return;
    }
    lower_remark_cast(lower, a.type, type);
    if (type->components == a.count) {
        lower_set_result(lower, a.values, a.count);
        lower_set_step(lower, lower_step_cast(lower, &a));
        return;
    }
    uint32_t results[16];
    bitcast_components(lower, a, lower_type_width(to), (uint32_t)type->components, results);
    lower_set_result(lower, results, (uint32_t)type->components);
}

bool lower_translate_conversion(struct lower *lower)
{
    static const struct lower_row rows[] = {
        {SpvOpUConvert, translate_conversion},       {SpvOpSConvert, translate_conversion},
        {SpvOpSatConvertSToU, translate_conversion}, {SpvOpSatConvertUToS, translate_conversion},
        {SpvOpConvertFToU, translate_conversion},    {SpvOpConvertFToS, translate_conversion},
        {SpvOpConvertUToF, translate_conversion},    {SpvOpConvertSToF, translate_conversion},
        {SpvOpFConvert, translate_conversion},       {SpvOpConvertPtrToU, translate_conversion},
        {SpvOpConvertUToPtr, translate_conversion},  {SpvOpBitcast, translate_bitcast},
    };
    return lower_translate_row(lower, rows, sizeof rows / sizeof rows[0]);
}
