/* The geometric built-ins: OpenCL C 3.0, 6.15.5. (dot is OpDot.)
 *
 * Sums of squares must neither overflow nor vanish while the length itself is a number of its type.
 * Halves and floats are summed as doubles, in which their squares are exact. Doubles are scaled by
 * the power of two that brings the greatest component below 1. */
#include "reference/lower/lower_private.h"
#include "reference/spirv/grammar.h"

#include <string.h>

enum { FIRST = 2, COMPONENT_MAX = 16 }; /* FIRST: of the operands, after set and number */

/* By width; a double stays as it is. */
static uint32_t narrow(struct lower *lower, uint32_t width, uint32_t a)
{
    return width == 8 ? a : ir_op1(lower, width == 4 ? VM_OP_conv_f32_f64 : VM_OP_conv_f16_f64, a);
}

static uint32_t double_constant(struct lower *lower, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return ir_constant(lower, 8, bits);
}

/* Component 3 of a four-component product is 0. */
static void cross(struct lower *lower, struct ir_ref a, struct ir_ref b)
{
    uint32_t results[4];
    for (uint32_t i = 0; i < 3; i++) {
        const uint32_t j = (i + 1) % 3;
        const uint32_t k = (i + 2) % 3;
        results[i] = ir_fsub(lower, ir_fmul(lower, a.values[j], b.values[k]),
                             ir_fmul(lower, a.values[k], b.values[j]));
    }
    results[3] = ir_constant(lower, lower->values[a.values[0]].width, 0);
    lower_set_result(lower, results, a.count);
}

/* A vector as doubles, and the exponent by which they were scaled down; 0 = not scaled. */
struct wide {
    uint32_t values[COMPONENT_MAX], count;
    uint32_t exponent;
};

static struct wide widen(struct lower *lower, const uint32_t *values, uint32_t count)
{
    struct wide wide = {.count = count};
    const uint32_t width = lower->values[values[0]].width;
    if (width != 8) {
        const enum vm_op op = width == 4 ? VM_OP_conv_f64_f32 : VM_OP_conv_f64_f16;
        for (uint32_t i = 0; i < count && !lower_failed(lower); i++)
            wide.values[i] = ir_op1(lower, op, values[i]);
        return wide;
    }
    uint32_t greatest = ir_op1(lower, VM_OP_fabs_f64, values[0]);
    for (uint32_t i = 1; i < count && !lower_failed(lower); i++)
        greatest =
            ir_op2(lower, VM_OP_fmax_f64, greatest, ir_op1(lower, VM_OP_fabs_f64, values[i]));
    wide.exponent = ir_op1(lower, VM_OP_frexp_exponent_f64, greatest);
    const uint32_t down = ir_op1(lower, VM_OP_ineg_32, wide.exponent);
    for (uint32_t i = 0; i < count && !lower_failed(lower); i++)
        wide.values[i] = ir_op2(lower, VM_OP_ldexp_f64, values[i], down);
    return wide;
}

static uint32_t sum_of_squares(struct lower *lower, const struct wide *wide)
{
    uint32_t sum = ir_fmul(lower, wide->values[0], wide->values[0]);
    for (uint32_t i = 1; i < wide->count && !lower_failed(lower); i++)
        sum = ir_op2(lower, VM_OP_fadd_f64, sum, ir_fmul(lower, wide->values[i], wide->values[i]));
    return sum;
}

static void length(struct lower *lower, const uint32_t *values, uint32_t count)
{
    const struct wide wide = widen(lower, values, count);
    const uint32_t root = ir_op1(lower, VM_OP_sqrt_f64, sum_of_squares(lower, &wide));
    const uint32_t result = wide.exponent != 0
                                ? ir_op2(lower, VM_OP_ldexp_f64, root, wide.exponent)
                                : narrow(lower, lower->values[values[0]].width, root);
    lower_set_result(lower, &result, 1);
}

/* The direction of a vector with infinite components and no NaN is that of the infinite ones, each
 * counted as 1. */
static void count_infinities(struct lower *lower, struct wide *wide)
{
    const uint32_t infinity = double_constant(lower, (double)__builtin_inff());
    const uint32_t zero = double_constant(lower, 0.0);
    const uint32_t one = double_constant(lower, 1.0);
    const uint32_t infinite = ir_op2(lower, VM_OP_foeq_f64, sum_of_squares(lower, wide), infinity);
    for (uint32_t i = 0; i < wide->count && !lower_failed(lower); i++) {
        const uint32_t size = ir_op1(lower, VM_OP_fabs_f64, wide->values[i]);
        const uint32_t counted =
            ir_select(lower, ir_op2(lower, VM_OP_foeq_f64, size, infinity), one, zero);
        const uint32_t one_each = ir_op2(lower, VM_OP_copysign_f64, counted, wide->values[i]);
        wide->values[i] = ir_select(lower, infinite, one_each, wide->values[i]);
    }
}

static void normalize(struct lower *lower, const uint32_t *values, uint32_t count)
{
    uint32_t results[COMPONENT_MAX];
    struct wide wide = widen(lower, values, count);
    count_infinities(lower, &wide);
    const uint32_t root = ir_op1(lower, VM_OP_sqrt_f64, sum_of_squares(lower, &wide));
    /* The zero vector is its own direction. */
    const uint32_t is_zero = ir_op2(lower, VM_OP_foeq_f64, root, double_constant(lower, 0.0));
    for (uint32_t i = 0; i < count && !lower_failed(lower); i++) {
        const uint32_t part = ir_op2(lower, VM_OP_fdiv_f64, wide.values[i], root);
        results[i] = ir_select(lower, is_zero, values[i],
                               narrow(lower, lower->values[values[0]].width, part));
    }
    lower_set_result(lower, results, count);
}

bool lower_translate_geometry(struct lower *lower, uint32_t number)
{
    const bool two = number == OpenCLstd_Cross || number == OpenCLstd_Distance ||
                     number == OpenCLstd_Fast_distance;
    const bool one = number == OpenCLstd_Length || number == OpenCLstd_Fast_length ||
                     number == OpenCLstd_Normalize || number == OpenCLstd_Fast_normalize;
    if (!one && !two)
        return false;
    const struct ir_ref a = lower_operand(lower, FIRST);
    const struct ir_ref b = two ? lower_operand(lower, FIRST + 1) : a;
    const struct spv_type *scalar = lower_scalar_type(a.type);
    if (a.count != b.count || a.count == 0 || a.count > COMPONENT_MAX ||
        scalar->kind != SPV_TYPE_FLOAT ||
        (number == OpenCLstd_Cross && a.count != 3 && a.count != 4)) {
        lower_malformed(lower, "%s with operands of other types", spv_opencl_name(number));
        return true;
    }
    uint32_t values[COMPONENT_MAX];
    switch (number) {
    case OpenCLstd_Cross:
        cross(lower, a, b);
        break;
    case OpenCLstd_Normalize:
    case OpenCLstd_Fast_normalize:
        normalize(lower, a.values, a.count);
        break;
    case OpenCLstd_Length:
    case OpenCLstd_Fast_length:
        length(lower, a.values, a.count);
        break;
    default: /* "This is calculated as length(p0 - p1)." */
        for (uint32_t i = 0; i < a.count && !lower_failed(lower); i++)
            values[i] = ir_fsub(lower, a.values[i], b.values[i]);
        length(lower, values, a.count);
        break;
    }
    return true;
}
