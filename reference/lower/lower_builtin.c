/* The extended instruction set OpenCL.std. Element-wise floating-point functions are rows of
 * builtins.def; the rest is composed here as OpenCL C 3.0, 6.15, defines it. */
#include "reference/lower/lower_private.h"
#include "reference/spirv/grammar.h"
#include "reference/vm/convert.h"

#include <string.h>

enum { FIRST = 2 }; /* operands of the instruction after set and number */

static void malformed(struct lower *lower)
{
    lower_malformed(lower, "%s with operands of other types",
                    spv_opencl_name(lower->at->operands[1]));
}

/* ---- component by component ---- */

/* A component of the result is the op, by the width of the first operand, on those of the operands;
 * or what `compose` makes of them. */
struct builtin {
    uint16_t number;
    uint8_t operands;
    bool floats; /* they must be floats */
    bool composed;
    bool out; /* the last operand is where the result of another op goes */
    enum vm_op ops[4], out_ops[4];
};

/* clang-format off */
#define MUL24(op) {VM_OP_imul_8, VM_OP_imul_16, VM_OP_##op, VM_OP_imul_64}
#define COMPOSED(symbol, count, of_floats)                                                         \
    {.number = OpenCLstd_##symbol, .operands = count, .floats = of_floats, .composed = true}
#define INTEGERS(symbol, count, op) {.number = OpenCLstd_##symbol, .operands = count, .ops = op}
static const struct builtin builtins[] = {
#define BUILTIN(symbol, op, result, letters)                                                       \
    {.number = OpenCLstd_##symbol, .operands = sizeof letters - 1, .ops = IR_FLOATS(op)},
#define BUILTIN_OUT(symbol, op, result, out_op, out_result, letters)                               \
    {.number = OpenCLstd_##symbol,                                                                 \
     .operands = sizeof letters - 1,                                                               \
     .ops = IR_FLOATS(op),                                                                         \
     .out = true,                                                                                  \
     .out_ops = IR_FLOATS(out_op)},
#include "reference/vm/builtins.def"
#undef BUILTIN
#undef BUILTIN_OUT
    {.number = OpenCLstd_FClamp, .operands = 3, .floats = true, .ops = IR_FLOATS(fclamp)},
    INTEGERS(SAbs, 1, IR_WIDTHS(iabs)),
    INTEGERS(SAbs_diff, 2, IR_WIDTHS(sabs_diff)),
    INTEGERS(UAbs_diff, 2, IR_WIDTHS(uabs_diff)),
    INTEGERS(SAdd_sat, 2, IR_WIDTHS(sadd_sat)),
    INTEGERS(UAdd_sat, 2, IR_WIDTHS(uadd_sat)),
    INTEGERS(SSub_sat, 2, IR_WIDTHS(ssub_sat)),
    INTEGERS(USub_sat, 2, IR_WIDTHS(usub_sat)),
    INTEGERS(SHadd, 2, IR_WIDTHS(shadd)),
    INTEGERS(UHadd, 2, IR_WIDTHS(uhadd)),
    INTEGERS(SRhadd, 2, IR_WIDTHS(srhadd)),
    INTEGERS(URhadd, 2, IR_WIDTHS(urhadd)),
    INTEGERS(SMax, 2, IR_WIDTHS(smax)),
    INTEGERS(UMax, 2, IR_WIDTHS(umax)),
    INTEGERS(SMin, 2, IR_WIDTHS(smin)),
    INTEGERS(UMin, 2, IR_WIDTHS(umin)),
    INTEGERS(SClamp, 3, IR_WIDTHS(sclamp)),
    INTEGERS(UClamp, 3, IR_WIDTHS(uclamp)),
    INTEGERS(SMul_hi, 2, IR_WIDTHS(smul_hi)),
    INTEGERS(UMul_hi, 2, IR_WIDTHS(umul_hi)),
    INTEGERS(SMul24, 2, MUL24(smul24)),
    INTEGERS(UMul24, 2, MUL24(umul24)),
    INTEGERS(Rotate, 2, IR_WIDTHS(rotate)),
    INTEGERS(Clz, 1, IR_WIDTHS(clz)),
    INTEGERS(Ctz, 1, IR_WIDTHS(ctz)),
    INTEGERS(Popcount, 1, IR_WIDTHS(popcount)),
    COMPOSED(UAbs, 1, false),
    COMPOSED(Sign, 1, true),
    COMPOSED(FMax_common, 2, true),
    COMPOSED(FMin_common, 2, true),
    COMPOSED(Step, 2, true),
    COMPOSED(Mix, 3, true),
    COMPOSED(Smoothstep, 3, true),
    COMPOSED(Mad, 3, true),
    COMPOSED(Bitselect, 3, false),
    COMPOSED(Select, 3, false),
    COMPOSED(U_Upsample, 2, false),
    COMPOSED(S_Upsample, 2, false),
    COMPOSED(SMad_hi, 3, false),
    COMPOSED(UMad_hi, 3, false),
    COMPOSED(SMad_sat, 3, false),
    COMPOSED(UMad_sat, 3, false),
    COMPOSED(SMad24, 3, false),
    COMPOSED(UMad24, 3, false),
};
/* clang-format on */

/* The operands, each scalar or with as many components as the result; all of numbers. */
static bool gather(struct lower *lower, const struct builtin *row, struct ir_ref *refs,
                   uint32_t *components)
{
    const struct spv_type *type = lower_result_type(lower);
    if (type->components == 0 || type->components > 16)
        malformed(lower);
    for (uint32_t i = 0; i < row->operands; i++) {
        refs[i] = lower_operand(lower, FIRST + i);
        const struct spv_type *scalar = lower_scalar_type(refs[i].type);
        if ((refs[i].count != 1 && refs[i].count != type->components) ||
            (scalar->kind != SPV_TYPE_FLOAT && (row->floats || scalar->kind != SPV_TYPE_INT)))
            malformed(lower);
    }
    *components = (uint32_t)type->components;
    return !lower_failed(lower);
}

static uint32_t number_constant(struct lower *lower, uint32_t width, double value)
{
    uint64_t bits = 0;
    const float narrow = (float)value;
    const uint16_t half = vm_convert_f16_f64(value, 0);
    memcpy(&bits,
           width == 8   ? (const void *)&value
           : width == 4 ? (const void *)&narrow
                        : &half,
           width);
    return ir_constant(lower, width, bits);
}

static uint32_t is_less(struct lower *lower, uint32_t a, uint32_t b)
{
    return ir_op2(lower, IR_BY_FLOAT(folt, lower->values[a].width), a, b);
}

/* OpenCL C 3.0, 6.15.4: 3t^2 - 2t^3 of the clamped fraction. */
static uint32_t smoothstep(struct lower *lower, uint32_t edge0, uint32_t edge1, uint32_t x)
{
    const uint32_t width = lower->values[x].width;
    const uint32_t offset = ir_op3(lower, IR_BY_FLOAT(smooth_offset, width), x, edge0, edge1);
    const uint32_t part =
        ir_op2(lower, IR_BY_FLOAT(fdiv, width), offset, ir_fsub(lower, edge1, edge0));
    const uint32_t least =
        ir_op2(lower, IR_BY_FLOAT(fmax, width), part, number_constant(lower, width, 0.0));
    const uint32_t t =
        ir_op2(lower, IR_BY_FLOAT(fmin, width), least, number_constant(lower, width, 1.0));
    const uint32_t twice = ir_fmul(lower, number_constant(lower, width, 2.0), t);
    const uint32_t rest = ir_fsub(lower, number_constant(lower, width, 3.0), twice);
    return ir_fmul(lower, ir_fmul(lower, t, t), rest);
}

/* OpenCL C 3.0, 6.15.4: 1, the zero itself, -1; 0 for NaN. */
static uint32_t sign(struct lower *lower, uint32_t a)
{
    const uint32_t width = lower->values[a].width;
    const uint32_t zero = number_constant(lower, width, 0.0);
    const uint32_t positive = is_less(lower, zero, a);
    const uint32_t negative = is_less(lower, a, zero);
    const uint32_t is_zero = ir_op2(lower, IR_BY_FLOAT(foeq, width), a, zero);
    uint32_t result = ir_select(lower, is_zero, a, zero);
    result = ir_select(lower, negative, number_constant(lower, width, -1.0), result);
    return ir_select(lower, positive, number_constant(lower, width, 1.0), result);
}

/* (c & b) | (~c & a): bits, whatever the type. */
static uint32_t bit_select(struct lower *lower, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t width = lower->values[a].width;
    const uint32_t inverse = ir_op1(lower, IR_BY_WIDTH(inot, width), c);
    return ir_op2(lower, IR_BY_WIDTH(ior, width), ir_op2(lower, IR_BY_WIDTH(iand, width), c, b),
                  ir_op2(lower, IR_BY_WIDTH(iand, width), inverse, a));
}

/* OpenCL C 3.0, 6.15.6: vectors look at the most significant bit of c, scalars at c != 0. */
static uint32_t select_by(struct lower *lower, uint32_t a, uint32_t b, uint32_t c, bool scalar)
{
    const uint32_t width = lower->values[c].width;
    const uint32_t zero = ir_constant(lower, width, 0);
    const uint32_t condition =
        ir_op2(lower, scalar ? IR_BY_WIDTH(ine, width) : IR_BY_WIDTH(slt, width), c, zero);
    return ir_select(lower, condition, b, a);
}

static uint32_t mad_hi(struct lower *lower, uint32_t a, uint32_t b, uint32_t c, bool is_signed)
{
    const uint32_t width = lower->values[a].width;
    const uint32_t high =
        ir_op2(lower, is_signed ? IR_BY_WIDTH(smul_hi, width) : IR_BY_WIDTH(umul_hi, width), a, b);
    return ir_op2(lower, IR_BY_WIDTH(iadd, width), high, c);
}

/* a * b + c clamped. Up to 32 bits the 64-bit result is exact. For 64 bits the 128-bit product is
 * high:low; adding c carries into high; the result fits when high is the sign (or zero) extension
 * of low. */
static uint32_t mad_sat(struct lower *lower, uint32_t a, uint32_t b, uint32_t c, bool is_signed)
{
    const uint32_t width = lower->values[a].width;
    if (width < 8) {
        const uint64_t max = UINT64_MAX >> (64 - 8 * width + is_signed);
        const uint32_t product = ir_op2(lower, VM_OP_imul_64, ir_resize(lower, a, 8, is_signed),
                                        ir_resize(lower, b, 8, is_signed));
        uint32_t sum = ir_op2(lower, VM_OP_iadd_64, product, ir_resize(lower, c, 8, is_signed));
        if (is_signed)
            sum = ir_op2(lower, VM_OP_smax_64, sum, ir_constant(lower, 8, ~max));
        sum = ir_op2(lower, is_signed ? VM_OP_smin_64 : VM_OP_umin_64, sum,
                     ir_constant(lower, 8, max));
        return ir_resize(lower, sum, width, false);
    }
    const uint32_t zero = ir_constant(lower, 8, 0);
    const uint32_t ones = ir_constant(lower, 8, UINT64_MAX);
    const uint32_t low = ir_op2(lower, VM_OP_imul_64, a, b);
    uint32_t high = ir_op2(lower, is_signed ? VM_OP_smul_hi_64 : VM_OP_umul_hi_64, a, b);
    const uint32_t sum = ir_op2(lower, VM_OP_iadd_64, low, c);
    const uint32_t carry =
        ir_select(lower, ir_op2(lower, VM_OP_ult_64, sum, low), ir_constant(lower, 8, 1), zero);
    high = ir_op2(lower, VM_OP_iadd_64, high, carry);
    if (!is_signed)
        return ir_select(lower, ir_op2(lower, VM_OP_ieq_64, high, zero), sum, ones);
    const uint32_t shift = ir_constant(lower, 8, 63);
    high = ir_op2(lower, VM_OP_iadd_64, high, ir_op2(lower, VM_OP_ashr_64, c, shift));
    const uint32_t fits =
        ir_op2(lower, VM_OP_ieq_64, high, ir_op2(lower, VM_OP_ashr_64, sum, shift));
    const uint32_t limit =
        ir_select(lower, ir_op2(lower, VM_OP_slt_64, high, zero),
                  ir_constant(lower, 8, UINT64_C(1) << 63), ir_constant(lower, 8, UINT64_MAX >> 1));
    return ir_select(lower, fits, sum, limit);
}

static uint32_t mad24(struct lower *lower, uint32_t a, uint32_t b, uint32_t c, bool is_signed)
{
    static const enum vm_op products[2][4] = {MUL24(umul24), MUL24(smul24)};
    const uint32_t width = lower->values[a].width;
    const uint32_t product = ir_op2(lower, products[is_signed][ir_width_index(width)], a, b);
    return ir_op2(lower, IR_BY_WIDTH(iadd, width), product, c);
}

static uint32_t upsample(struct lower *lower, uint32_t high, uint32_t low)
{
    const uint32_t width = 2 * lower->values[high].width;
    if (width > 8) {
        malformed(lower);
        return 0;
    }
    const uint32_t moved =
        ir_op2(lower, IR_BY_WIDTH(shl, width), ir_resize(lower, high, width, false),
               ir_constant(lower, width, 4 * width));
    return ir_op2(lower, IR_BY_WIDTH(ior, width), moved, ir_resize(lower, low, width, false));
}

static uint32_t compose(struct lower *lower, uint32_t number, const uint32_t operands[3],
                        bool scalar)
{
    const uint32_t a = operands[0];
    const uint32_t b = operands[1];
    const uint32_t c = operands[2];
    const uint32_t width = lower->values[a].width;
    switch (number) {
    case OpenCLstd_UAbs:
        return a;
    case OpenCLstd_Sign:
        return sign(lower, a);
    case OpenCLstd_FMax_common:
        return ir_select(lower, is_less(lower, a, b), b, a);
    case OpenCLstd_FMin_common:
        return ir_select(lower, is_less(lower, b, a), b, a);
    case OpenCLstd_Step:
        return ir_select(lower, is_less(lower, b, a), number_constant(lower, width, 0.0),
                         number_constant(lower, width, 1.0));
    case OpenCLstd_U_Upsample:
    case OpenCLstd_S_Upsample:
        return upsample(lower, a, b);
    case OpenCLstd_Mix:
        return ir_fadd(lower, a, ir_fmul(lower, ir_fsub(lower, b, a), c));
    case OpenCLstd_Smoothstep:
        return smoothstep(lower, a, b, c);
    case OpenCLstd_Mad:
        return lower->options.fused ? ir_op3(lower, IR_BY_FLOAT(fma, width), a, b, c)
                                    : ir_fadd(lower, ir_fmul(lower, a, b), c);
    case OpenCLstd_Bitselect:
        return bit_select(lower, a, b, c);
    case OpenCLstd_Select:
        return select_by(lower, a, b, c, scalar);
    case OpenCLstd_SMad_hi:
    case OpenCLstd_UMad_hi:
        return mad_hi(lower, a, b, c, number == OpenCLstd_SMad_hi);
    case OpenCLstd_SMad_sat:
    case OpenCLstd_UMad_sat:
        return mad_sat(lower, a, b, c, number == OpenCLstd_SMad_sat);
    default: /* SMad24, UMad24 */
        return mad24(lower, a, b, c, number == OpenCLstd_SMad24);
    }
}

static uint32_t apply(struct lower *lower, enum vm_op op, uint32_t count,
                      const uint32_t operands[3])
{
    return count == 1   ? ir_op1(lower, op, operands[0])
           : count == 2 ? ir_op2(lower, op, operands[0], operands[1])
                        : ir_op3(lower, op, operands[0], operands[1], operands[2]);
}

static void store_out(struct lower *lower, uint32_t operand, const uint32_t *values, uint32_t count)
{
    const struct ir_ref pointer = lower_operand(lower, operand);
    if (pointer.type->kind != SPV_TYPE_POINTER || pointer.type->element == NULL ||
        pointer.type->element->components != count)
        malformed(lower);
    else
        lower_store(lower, pointer.values[0], pointer.type, pointer.type->element, values);
}

static const struct builtin *find_builtin(uint32_t number)
{
    for (size_t i = 0; i < sizeof builtins / sizeof builtins[0]; i++) {
        if (builtins[i].number == number)
            return &builtins[i];
    }
    return NULL;
}

static bool translate_row(struct lower *lower, uint32_t number)
{
    const struct builtin *row = find_builtin(number);
    struct ir_ref refs[3];
    uint32_t count;
    uint32_t results[16];
    uint32_t outs[16];
    if (row == NULL)
        return false;
    if (!gather(lower, row, refs, &count))
        return true;
    const uint32_t type = ir_width_index(lower->values[refs[0].values[0]].width);
    for (uint32_t i = 0; i < count && !lower_failed(lower); i++) {
        uint32_t operands[3] = {0};
        for (uint32_t o = 0; o < row->operands; o++)
            operands[o] = refs[o].values[refs[o].count == 1 ? 0 : i];
        results[i] = row->composed ? compose(lower, number, operands, count == 1)
                                   : apply(lower, row->ops[type], row->operands, operands);
        if (row->out)
            outs[i] = apply(lower, row->out_ops[type], row->operands, operands);
    }
    if (row->out)
        store_out(lower, FIRST + row->operands, outs, count);
    lower_set_result(lower, results, count);
    return true;
}

/* ---- vloadn, vstoren and half in memory ---- */

struct vector_access {
    uint32_t address;
    const struct spv_type *pointer;
    struct ir_leaf leaf;
    uint64_t alignment;
};

/* OpenCL C 3.0, 6.15.7: vectors lie densely and are aligned to the element only, but for the vloada
 * and vstorea forms: there they lie as arrays of vectors do. */
enum vector_layout { LAYOUT_DENSE, LAYOUT_ALIGNED };

/* The address of vector `offset` of `count` elements. */
static bool vector_access(struct lower *lower, uint32_t offset_operand, uint32_t pointer_operand,
                          uint32_t count, enum vector_layout layout, struct vector_access *access)
{
    const uint32_t offset = lower_scalar(lower, offset_operand);
    const struct ir_ref pointer = lower_operand(lower, pointer_operand);
    if (pointer.type->kind != SPV_TYPE_POINTER || pointer.type->element == NULL ||
        (pointer.type->element->kind != SPV_TYPE_INT &&
         pointer.type->element->kind != SPV_TYPE_FLOAT) ||
        count == 0 || count > 16 || lower->values[offset].width == 0) {
        malformed(lower);
        return false;
    }
    const uint64_t size = pointer.type->element->size;
    access->pointer = pointer.type;
    access->leaf = (struct ir_leaf){.width = (uint8_t)size, .count = (uint8_t)count};
    const uint64_t stride = layout == LAYOUT_ALIGNED && count == 3 ? 4 : count;
    access->alignment = layout == LAYOUT_ALIGNED ? size * stride : size;
    access->address =
        ir_index(lower, pointer.values[0], ir_resize(lower, offset, 8, false), size * stride);
    return !lower_failed(lower);
}

static void vector_load(struct lower *lower, uint32_t count, enum vector_layout layout, bool half)
{
    struct vector_access access;
    uint32_t results[16];
    const struct spv_type *type = lower_result_type(lower);
    if (lower_failed(lower) || !vector_access(lower, FIRST, FIRST + 1, count, layout, &access))
        return;
    lower_load_leaf(lower, access.address, access.pointer, &access.leaf, access.alignment, results);
    const uint32_t wanted = lower_type_width(lower_scalar_type(type));
    if (half ? access.leaf.width != 2 || (wanted != 4 && wanted != 8)
             : access.leaf.width != wanted || lower_scalar_type(type)->kind == SPV_TYPE_BOOL) {
        malformed(lower);
        return;
    }
    for (uint32_t i = 0; i < count && half && !lower_failed(lower); i++)
        results[i] =
            ir_op1(lower, wanted == 8 ? VM_OP_conv_f64_f16 : VM_OP_conv_f32_f16, results[i]);
    lower_set_result(lower, results, count);
}

static void vector_store(struct lower *lower, enum vector_layout layout, bool half, uint32_t mode)
{
    struct vector_access access;
    uint32_t values[16];
    const struct ir_ref data = lower_operand(lower, FIRST);
    if (lower_failed(lower) ||
        !vector_access(lower, FIRST + 1, FIRST + 2, data.count, layout, &access))
        return;
    if (mode > 3) {
        malformed(lower);
        return;
    }
    for (uint32_t i = 0; i < data.count && !lower_failed(lower); i++) {
        const uint32_t width = lower->values[data.values[i]].width;
        if (half ? access.leaf.width != 2 || (width != 4 && width != 8)
                 : access.leaf.width != width) {
            malformed(lower);
            return;
        }
        values[i] = half ? lower_to_half(lower, data.values[i], mode) : data.values[i];
    }
    lower_store_leaf(lower, access.address, access.pointer, &access.leaf, access.alignment, values);
}

static bool translate_vector_memory(struct lower *lower, uint32_t number)
{
    const struct spv_type *type = lower_result_type(lower);
    const uint32_t count = type->components > 16 ? 17 : (uint32_t)type->components;
    /* A store with a mode has four operands. */
    const uint32_t mode =
        lower->at->operand_count == FIRST + 4 ? lower->at->operands[FIRST + 3] : 0;
    switch (number) {
    case OpenCLstd_Vloadn:
        vector_load(lower, count, LAYOUT_DENSE, false);
        return true;
    case OpenCLstd_Vload_half:
    case OpenCLstd_Vload_halfn:
        vector_load(lower, count, LAYOUT_DENSE, true);
        return true;
    case OpenCLstd_Vloada_halfn:
        vector_load(lower, count, LAYOUT_ALIGNED, true);
        return true;
    case OpenCLstd_Vstoren:
        vector_store(lower, LAYOUT_DENSE, false, 0);
        return true;
    case OpenCLstd_Vstore_half:
    case OpenCLstd_Vstore_half_r:
    case OpenCLstd_Vstore_halfn:
    case OpenCLstd_Vstore_halfn_r:
        vector_store(lower, LAYOUT_DENSE, true, mode);
        return true;
    case OpenCLstd_Vstorea_halfn:
    case OpenCLstd_Vstorea_halfn_r:
        vector_store(lower, LAYOUT_ALIGNED, true, mode);
        return true;
    default:
        return false;
    }
}

/* ---- shuffle, shuffle2 ---- */

/* OpenCL C 3.0, 6.15.8: the low bits of each mask component choose. */
static bool translate_shuffle(struct lower *lower, uint32_t number)
{
    const bool two = number == OpenCLstd_Shuffle2;
    if (!two && number != OpenCLstd_Shuffle)
        return false;
    const struct spv_type *type = lower_result_type(lower);
    const struct ir_ref a = lower_operand(lower, FIRST);
    const struct ir_ref b = two ? lower_operand(lower, FIRST + 1) : (struct ir_ref){0};
    const struct ir_ref mask = lower_operand(lower, FIRST + 1 + two);
    const uint32_t total = a.count + b.count;
    if (a.count == 0 || total > 32 || (total & (total - 1)) != 0 ||
        mask.count != type->components || mask.count > 16 ||
        lower->values[mask.values[0]].width == 0 || lower->values[a.values[0]].width == 0) {
        malformed(lower);
        return true;
    }
    const uint32_t width = lower->values[a.values[0]].width;
    uint32_t operands[33];
    uint32_t results[16];
    memcpy(operands, a.values, a.count * sizeof operands[0]);
    if (two)
        memcpy(operands + a.count, b.values, b.count * sizeof operands[0]);
    for (uint32_t i = 0; i < mask.count && !lower_failed(lower); i++) {
        const struct ir_value choice = lower->values[mask.values[i]];
        if (choice.kind == IR_CONSTANT) {
            results[i] = operands[choice.bits & (total - 1)];
            continue;
        }
        const uint32_t index = ir_resize(lower, mask.values[i], 4, false);
        operands[total] = ir_op2(lower, VM_OP_iand_32, index, ir_constant(lower, 4, total - 1));
        results[i] = ir_emit(lower, VM_OP_extract, width, 1, operands, total + 1);
        ir_last(lower)->count = (uint8_t)total;
    }
    lower_set_result(lower, results, mask.count);
    return true;
}

/* ---- printf ---- */

/* OpenCL C 3.0, 6.15.14: the format is a string literal, so its bytes are known here. Copied, for
 * the code outlives the module. */
static const char *find_format(struct lower *lower)
{
    const struct ir_ref pointer = lower_operand(lower, FIRST);
    const struct ir_value value = lower->values[pointer.count == 1 ? pointer.values[0] : 0];
    const struct spv_variable *variable =
        value.kind == IR_GLOBAL ? &lower->module->program_variables[value.index] : NULL;
    if (variable == NULL || !variable->constant || variable->initialiser == NULL ||
        value.bits >= variable->size ||
        memchr(variable->initialiser + value.bits, '\0', variable->size - value.bits) == NULL) {
        lower_refuse(lower, "printf with a format that is not a string literal");
        return NULL;
    }
    const char *format = (const char *)variable->initialiser + value.bits;
    return lower_code_string(lower, format, strlen(format));
}

/* Appends the components of an argument to values[*count]. */
static bool add_argument(struct lower *lower, uint32_t operand, struct vm_print_argument *argument,
                         uint32_t *values, uint32_t *count)
{
    const struct ir_ref ref = lower_operand(lower, operand);
    const struct spv_type *scalar = lower_scalar_type(ref.type);
    if (ref.count == 0 || ref.count > 16 || !spv_type_is_scalar(scalar) ||
        scalar->kind == SPV_TYPE_BOOL) {
        malformed(lower);
        return false;
    }
    *argument = (struct vm_print_argument){.width = (uint8_t)lower_type_width(scalar),
                                           .count = (uint8_t)ref.count};
    memcpy(values + *count, ref.values, ref.count * sizeof *values);
    *count += ref.count;
    return true;
}

static bool translate_printf(struct lower *lower, uint32_t number)
{
    if (number != OpenCLstd_Printf)
        return false;
    const struct spv_type *type = lower_result_type(lower);
    const char *format = find_format(lower);
    const uint32_t count = lower->at->operand_count - (FIRST + 1u);
    if (type->kind != SPV_TYPE_INT || type->width != 32) {
        malformed(lower);
        return true;
    }
    if (count > VM_PRINT_ARGUMENTS_MAX) {
        lower_refuse(lower, "printf of so many arguments");
        return true;
    }
    struct vm_print_argument *arguments = lower_code_alloc(lower, count, sizeof *arguments);
    uint32_t values[VM_PRINT_ARGUMENTS_MAX * 16];
    uint32_t value_count = 0;
    for (uint32_t i = 0; i < count && arguments != NULL; i++) {
        if (!add_argument(lower, FIRST + 1 + i, &arguments[i], values, &value_count))
            return true;
    }
    const struct vm_print print = {
        .format = format, .arguments = arguments, .argument_count = count};
    ir_emit(lower, VM_OP_printf, 0, 0, values, value_count);
    ir_last(lower)->aux = lower_append(lower, &lower->prints, &lower->print_count,
                                       &lower->print_capacity, &print, sizeof print);
    const uint32_t zero = ir_constant(lower, 4, 0);
    lower_set_result(lower, &zero, 1);
    return true;
}

void lower_translate_builtin(struct lower *lower)
{
    const struct spv_instruction *at = lower->at;
    const struct spv_id *set = &lower->module->ids[at->operands[0]];
    if (set->kind != SPV_ID_EXTENSION || set->index != SPV_EXTENSION_OPENCL) {
        lower_malformed(lower, "of id %u, which is not an instruction set", at->operands[0]);
        return;
    }
    const uint32_t number = at->operands[1];
    const char *name = spv_opencl_name(number);
    if (name == NULL) {
        lower_fail(lower, STATUS_UNSUPPORTED, "OpenCL.std instruction %u is not known", number);
        return;
    }
    if (number == OpenCLstd_Prefetch)
        return; /* a hint */
    if (translate_row(lower, number) || lower_translate_geometry(lower, number) ||
        translate_vector_memory(lower, number) || translate_shuffle(lower, number) ||
        translate_printf(lower, number))
        return;
    lower_refuse(lower, "the built-in function '%s'", name);
}
