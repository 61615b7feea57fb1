/* Integer instructions of more than one step: bit fields, sums and products with their high half,
 * and integer dot products (SPIR-V 1.6, 3.42.13 and 3.42.14; SPV_KHR_bit_instructions;
 * SPV_KHR_integer_dot_product). */
#include "reference/lower/lower_private.h"
#include "reference/spirv/grammar.h"

#include <string.h>

/* ---- bit fields ---- */

/* An integer operand that counts bits, as wide as `width`. */
static uint32_t count_operand(struct lower *lower, uint32_t index, uint32_t width)
{
    const uint32_t value = lower_scalar(lower, index);
    if (lower->values[value].width != 0)
        return ir_resize(lower, value, width, false);
    lower_fail(lower, STATUS_MALFORMED, "operand %u of %s is not an integer", index,
               spv_op_name(lower->at->op));
    return 0;
}

/* The lowest `count` bits: none for 0, which no shift of all of them gives. */
static uint32_t low_bits(struct lower *lower, uint32_t count, uint32_t width)
{
    const uint32_t zero = ir_constant(lower, width, 0);
    const uint32_t left =
        ir_op2(lower, IR_BY_WIDTH(isub, width), ir_constant(lower, width, 8 * width), count);
    const uint32_t bits =
        ir_op2(lower, IR_BY_WIDTH(lshr, width), ir_constant(lower, width, UINT64_MAX), left);
    return ir_select(lower, ir_op2(lower, IR_BY_WIDTH(ieq, width), count, zero), zero, bits);
}

struct field {
    uint32_t offset, count, mask; /* mask: `count` low bits */
    uint32_t width;
};

static uint32_t insert_field(struct lower *lower, const struct field *field, uint32_t base,
                             uint32_t part)
{
    const uint32_t width = field->width;
    const uint32_t place = ir_op2(lower, IR_BY_WIDTH(shl, width), field->mask, field->offset);
    const uint32_t kept = ir_op2(lower, IR_BY_WIDTH(iand, width), base,
                                 ir_op1(lower, IR_BY_WIDTH(inot, width), place));
    const uint32_t cut = ir_op2(lower, IR_BY_WIDTH(iand, width), part, field->mask);
    return ir_op2(lower, IR_BY_WIDTH(ior, width), kept,
                  ir_op2(lower, IR_BY_WIDTH(shl, width), cut, field->offset));
}

static uint32_t extract_field(struct lower *lower, const struct field *field, uint32_t base,
                              bool is_signed)
{
    const uint32_t width = field->width;
    const uint32_t cut =
        ir_op2(lower, IR_BY_WIDTH(iand, width),
               ir_op2(lower, IR_BY_WIDTH(lshr, width), base, field->offset), field->mask);
    if (!is_signed)
        return cut;
    /* Up to the top and down again, with the sign; 0 for no bits, where the shift wraps to none. */
    const uint32_t left =
        ir_op2(lower, IR_BY_WIDTH(isub, width), ir_constant(lower, width, 8 * width), field->count);
    return ir_op2(lower, IR_BY_WIDTH(ashr, width),
                  ir_op2(lower, IR_BY_WIDTH(shl, width), cut, left), left);
}

static void translate_field(struct lower *lower)
{
    const bool insert = lower->at->op == SpvOpBitFieldInsert;
    const struct ir_ref base = lower_operand(lower, 0);
    const struct ir_ref part = insert ? lower_operand(lower, 1) : base;
    uint32_t results[16];
    if (base.count == 0 || base.count > 16 || base.count != part.count ||
        lower->values[base.values[0]].width == 0) {
        lower_malformed(lower, "with an operand that is not an integer");
        return;
    }
    struct field field = {.width = lower->values[base.values[0]].width};
    field.offset = count_operand(lower, insert ? 2 : 1, field.width);
    field.count = count_operand(lower, insert ? 3 : 2, field.width);
    field.mask = lower_failed(lower) ? 0 : low_bits(lower, field.count, field.width);
    for (uint32_t i = 0; i < base.count && !lower_failed(lower); i++)
        results[i] = insert ? insert_field(lower, &field, base.values[i], part.values[i])
                            : extract_field(lower, &field, base.values[i],
                                            lower->at->op == SpvOpBitFieldSExtract);
    lower_set_result(lower, results, base.count);
}

/* ---- results of two members: low half and high half, sum and carry ---- */

static uint32_t second_member(struct lower *lower, uint32_t a, uint32_t b, uint32_t first,
                              uint32_t width)
{
    const uint32_t one = ir_constant(lower, width, 1);
    const uint32_t zero = ir_constant(lower, width, 0);
    switch (lower->at->op) {
    case SpvOpIAddCarry:
        return ir_select(lower, ir_op2(lower, IR_BY_WIDTH(ult, width), first, a), one, zero);
    case SpvOpISubBorrow:
        return ir_select(lower, ir_op2(lower, IR_BY_WIDTH(ult, width), a, b), one, zero);
    case SpvOpUMulExtended:
        return ir_op2(lower, IR_BY_WIDTH(umul_hi, width), a, b);
    default: /* SpvOpSMulExtended */
        return ir_op2(lower, IR_BY_WIDTH(smul_hi, width), a, b);
    }
}

static void translate_extended(struct lower *lower)
{
    const uint32_t op = lower->at->op;
    const struct ir_ref a = lower_operand(lower, 0);
    const struct ir_ref b = lower_operand(lower, 1);
    uint32_t results[32];
    if (a.count == 0 || a.count > 16 || a.count != b.count ||
        lower->values[a.values[0]].width == 0) {
        lower_malformed(lower, "with an operand that is not an integer");
        return;
    }
    const uint32_t width = lower->values[a.values[0]].width;
    for (uint32_t i = 0; i < a.count && !lower_failed(lower); i++) {
        const enum vm_op first = op == SpvOpIAddCarry    ? IR_BY_WIDTH(iadd, width)
                                 : op == SpvOpISubBorrow ? IR_BY_WIDTH(isub, width)
                                                         : IR_BY_WIDTH(imul, width);
        results[i] = ir_op2(lower, first, a.values[i], b.values[i]);
        results[a.count + i] = second_member(lower, a.values[i], b.values[i], results[i], width);
    }
    lower_set_result(lower, results, 2 * a.count);
}

/* ---- dot products ---- */

struct dot {
    bool a_signed, b_signed, accumulates;
};

static const struct dot_row {
    uint16_t op;
    struct dot dot;
} dot_rows[] = {
    {SpvOpSDot, {true, true, false}},   {SpvOpSDotAccSat, {true, true, true}},
    {SpvOpUDot, {false, false, false}}, {SpvOpUDotAccSat, {false, false, true}},
    {SpvOpSUDot, {true, false, false}}, {SpvOpSUDotAccSat, {true, false, true}},
};

/* The components of a vector, or the four bytes of a 32-bit integer ("PackedVectorFormat4x8Bit"),
 * component 0 lowest. 0 when it is neither. */
static uint32_t dot_components(struct lower *lower, const struct ir_ref *ref, uint32_t *components)
{
    const uint32_t width = ref->count > 0 ? lower->values[ref->values[0]].width : 0;
    if (ref->count > 1 && ref->count <= 16 && width != 0) {
        memcpy(components, ref->values, ref->count * sizeof *components);
        return ref->count;
    }
    if (ref->count != 1 || width != 4)
        return 0;
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t moved =
            ir_op2(lower, VM_OP_lshr_32, ref->values[0], ir_constant(lower, 4, 8 * i));
        components[i] = ir_resize(lower, moved, 1, false);
    }
    return 4;
}

/* Components extended to the result's width, products and sums in it; the accumulator is added last
 * and saturates. What overflows before that is undefined by the specification: it wraps. */
static uint32_t dot_product(struct lower *lower, const struct dot *dot, const struct ir_ref *a,
                            const struct ir_ref *b, uint32_t accumulator, uint32_t width)
{
    uint32_t as[16];
    uint32_t bs[16];
    const uint32_t count = dot_components(lower, a, as);
    uint32_t sum = 0;
    if (count == 0 || dot_components(lower, b, bs) != count || lower->values[as[0]].width > width ||
        lower->values[bs[0]].width > width) {
        lower_fail(lower, STATUS_MALFORMED, "an integer dot product of other types");
        return 0;
    }
    for (uint32_t i = 0; i < count && !lower_failed(lower); i++) {
        const uint32_t product =
            ir_op2(lower, IR_BY_WIDTH(imul, width), ir_resize(lower, as[i], width, dot->a_signed),
                   ir_resize(lower, bs[i], width, dot->b_signed));
        sum = i == 0 ? product : ir_op2(lower, IR_BY_WIDTH(iadd, width), sum, product);
    }
    if (lower_failed(lower) || !dot->accumulates)
        return sum;
    return ir_op2(lower,
                  dot->a_signed ? IR_BY_WIDTH(sadd_sat, width) : IR_BY_WIDTH(uadd_sat, width), sum,
                  accumulator);
}

static void translate_dot(struct lower *lower, const struct dot *dot)
{
    const struct ir_ref a = lower_operand(lower, 0);
    const struct ir_ref b = lower_operand(lower, 1);
    const uint32_t accumulator = dot->accumulates ? lower_scalar(lower, 2) : 0;
    const struct spv_type *type = lower_result_type(lower);
    if (type->kind != SPV_TYPE_INT) {
        lower_malformed(lower, "gives no integer");
        return;
    }
    const uint32_t result = dot_product(lower, dot, &a, &b, accumulator, type->width / 8);
    lower_set_result(lower, &result, 1);
}

/* The translator leaves the packed forms of cl_khr_integer_dot_product as calls of functions
 * without a body, by their mangled names: dot_4x8packed_AB_T(a, b), dot_acc_sat_4x8packed_AB_T(a,
 * b, accumulator), where A and B are u or s. The signed operand goes first, as in OpSUDot. */
bool lower_translate_import(struct lower *lower, const char *name)
{
    const char *packed = strstr(name, "dot_4x8packed_");
    const bool accumulates = packed == NULL;
    if (accumulates)
        packed = strstr(name, "dot_acc_sat_4x8packed_");
    if (packed == NULL || strncmp(name, "_Z", 2) != 0)
        return false;
    const char *letters =
        packed + strlen(accumulates ? "dot_acc_sat_4x8packed_" : "dot_4x8packed_");
    const struct dot given = {letters[0] == 's', letters[0] != '\0' && letters[1] == 's',
                              accumulates};
    const bool swap = given.b_signed && !given.a_signed;
    const struct dot dot = {given.a_signed || given.b_signed, given.a_signed && given.b_signed,
                            accumulates};
    const struct ir_ref a = lower_operand(lower, swap ? 2 : 1);
    const struct ir_ref b = lower_operand(lower, swap ? 1 : 2);
    const uint32_t accumulator = accumulates ? lower_scalar(lower, 3) : 0;
    const uint32_t result =
        lower_failed(lower) ? 0 : dot_product(lower, &dot, &a, &b, accumulator, 4);
    lower_set_result(lower, &result, 1);
    return true;
}

static bool translate_dots(struct lower *lower)
{
    for (size_t i = 0; i < sizeof dot_rows / sizeof dot_rows[0]; i++) {
        if (dot_rows[i].op == lower->at->op) {
            translate_dot(lower, &dot_rows[i].dot);
            return true;
        }
    }
    return false;
}

bool lower_translate_bits(struct lower *lower)
{
    static const struct lower_row rows[] = {
        {SpvOpBitFieldInsert, translate_field},   {SpvOpBitFieldSExtract, translate_field},
        {SpvOpBitFieldUExtract, translate_field}, {SpvOpIAddCarry, translate_extended},
        {SpvOpISubBorrow, translate_extended},    {SpvOpUMulExtended, translate_extended},
        {SpvOpSMulExtended, translate_extended},
    };
    return lower_translate_row(lower, rows, sizeof rows / sizeof rows[0]) || translate_dots(lower);
}
