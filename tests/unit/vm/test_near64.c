/* reference/vm/near64.h against MPFR: what its functions are off stays below half of the margin
 * that they round with, and the ops of the lane machine give the correctly rounded result in every
 * machine, of operands that lie anywhere, where functions have their numbers, beside what is
 * special to them, and of those whose results are hardest to round.
 *
 *   test_vm_near64 COUNT [FUNCTION [SEED]]   tries so many operands of each function, or of one */
#include "tests/unit/vm/single.h"

#include <mpfr.h>

/* The last that was rounded. */
static struct {
    double high, low, margin;
} seen;
#define NEAR64_SEE(value, bound)                                                                   \
    (seen.high = (value).high, seen.low = (value).low, seen.margin = (bound))
#include "reference/vm/near64_atan.h"
#include "reference/vm/near64_erf.h"
#include "reference/vm/near64_exp.h"
#include "reference/vm/near64_log.h"
#include "reference/vm/near64_root.h"
#include "reference/vm/near64_sin.h"
#include "reference/vm/near64_sinh.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TEST_COUNT = 1 << 12, MARGIN_COUNT = 10000 };

/* ---- functions ---- */

typedef int exact_unary(mpfr_t result, const mpfr_t x, mpfr_rnd_t round);
typedef int exact_binary(mpfr_t result, const mpfr_t x, const mpfr_t y, mpfr_rnd_t round);
typedef int exact_integer(mpfr_t result, const mpfr_t x, long n, mpfr_rnd_t round);

/* Of -0 it is the negative infinity in OpenCL C. */
static int rsqrt_m(mpfr_t result, const mpfr_t x, mpfr_rnd_t round)
{
    const int ternary = mpfr_rec_sqrt(result, x, round);
    if (mpfr_zero_p(x) && mpfr_signbit(x))
        mpfr_set_inf(result, -1);
    return ternary;
}

/* OpenCL C 3.0, 7.5.1. */
static int powr_m(mpfr_t result, const mpfr_t x, const mpfr_t y, mpfr_rnd_t round)
{
    if (mpfr_nan_p(x) || mpfr_nan_p(y) || mpfr_cmp_ui(x, 0) < 0 ||
        (mpfr_zero_p(y) && (mpfr_zero_p(x) || mpfr_inf_p(x))) ||
        (mpfr_inf_p(y) && mpfr_cmp_ui(x, 1) == 0)) {
        mpfr_set_nan(result);
        return 0;
    }
    mpfr_t size;
    mpfr_init2(size, mpfr_get_prec(x));
    mpfr_abs(size, x, MPFR_RNDN); /* of -0 */
    const int ternary = mpfr_pow(result, size, y, round);
    mpfr_clear(size);
    return ternary;
}

/* There is no root of degree 0. */
static int rootn_m(mpfr_t result, const mpfr_t x, long n, mpfr_rnd_t round)
{
    if (n != 0)
        return mpfr_rootn_si(result, x, n, round);
    mpfr_set_nan(result);
    return 0;
}

/* A function of one operand, of two, or of a number and an integer. */
static const struct function {
    const char *name;
    enum vm_op op;
    exact_unary *exact;
    double (*near)(double x);
    exact_binary *exact_binary;
    double (*near_binary)(double x, double y);
    exact_integer *exact_integer;
    double (*near_integer)(double x, int32_t n);
    double low, high; /* where most operands lie */
    double step;      /* some lie next to multiples of this, up to a million of them */
    bool power;       /* of the first by the second */
} functions[] = {
/* clang-format off */
#define UNARY(id, mpfr, ...)                                                                       \
    {.name = #id, .op = VM_OP_##id##_f64, .exact = mpfr, .near = near64_##id, __VA_ARGS__}
#define BINARY(id, mpfr, approximation, ...)                                                       \
    {.name = #id, .op = VM_OP_##id##_f64, .exact_binary = mpfr, .near_binary = approximation,      \
     __VA_ARGS__}
#define INTEGER(id, mpfr, ...)                                                                     \
    {.name = #id, .op = VM_OP_##id##_f64, .exact_integer = mpfr, .near_integer = near64_##id,      \
     __VA_ARGS__}
#define PLACE(from, to, by) .low = (from), .high = (to), .step = (by)
    UNARY(acos, mpfr_acos, PLACE(-1, 1, 0x1p-8)),
    UNARY(acosh, mpfr_acosh, PLACE(1, 9, 0x1p-8)),
    UNARY(acospi, mpfr_acospi, PLACE(-1, 1, 0x1p-8)),
    UNARY(asin, mpfr_asin, PLACE(-1, 1, 0x1p-8)),
    UNARY(asinh, mpfr_asinh, PLACE(-8, 8, 0x1p-8)),
    UNARY(asinpi, mpfr_asinpi, PLACE(-1, 1, 0x1p-8)),
    UNARY(atan, mpfr_atan, PLACE(-4, 4, 0x1p-8)),
    UNARY(atanh, mpfr_atanh, PLACE(-1, 1, 0x1p-8)),
    UNARY(atanpi, mpfr_atanpi, PLACE(-4, 4, 0x1p-8)),
    UNARY(cbrt, mpfr_cbrt, PLACE(-100, 100, 0x1p-3)),
    UNARY(cos, mpfr_cos, PLACE(-100, 100, 0x1.921fb54442d18p-8)),
    UNARY(cosh, mpfr_cosh, PLACE(-20, 20, 0x1.62e42fefa39efp-9)),
    UNARY(cospi, mpfr_cospi, PLACE(-30, 30, 0x1p-10)),
    UNARY(erf, mpfr_erf, PLACE(-6, 6, 0x1p-7)),
    UNARY(erfc, mpfr_erfc, PLACE(-6, 27, 0x1p-6)),
    UNARY(exp, mpfr_exp, PLACE(-709, 710, 0x1.62e42fefa39efp-9)),
    UNARY(exp10, mpfr_exp10, PLACE(-308, 309, 0x1.62e42fefa39efp-9 * 0x1.bcb7b1526e50ep-2)),
    UNARY(exp2, mpfr_exp2, PLACE(-1024, 1024, 0x1p-8)),
    UNARY(expm1, mpfr_expm1, PLACE(-2, 2, 0x1.62e42fefa39efp-9)),
    UNARY(log, mpfr_log, PLACE(0, 4, 0x1p-8)),
    UNARY(log10, mpfr_log10, PLACE(0, 4, 0x1p-8)),
    UNARY(log1p, mpfr_log1p, PLACE(-1, 3, 0x1p-8)),
    UNARY(log2, mpfr_log2, PLACE(0, 4, 0x1p-8)),
    UNARY(rsqrt, rsqrt_m, PLACE(0, 4, 0x1p-2)),
    UNARY(sin, mpfr_sin, PLACE(-100, 100, 0x1.921fb54442d18p-8)),
    UNARY(sinh, mpfr_sinh, PLACE(-20, 20, 0x1.62e42fefa39efp-9)),
    UNARY(sinpi, mpfr_sinpi, PLACE(-30, 30, 0x1p-10)),
    UNARY(tan, mpfr_tan, PLACE(-100, 100, 0x1.921fb54442d18p-8)),
    UNARY(tanh, mpfr_tanh, PLACE(-3, 3, 0x1.62e42fefa39efp-9)),
    UNARY(tanpi, mpfr_tanpi, PLACE(-30, 30, 0x1p-10)),
    BINARY(atan2, mpfr_atan2, near64_atan2, PLACE(-4, 4, 0x1p-8)),
    BINARY(atan2pi, mpfr_atan2pi, near64_atan2pi, PLACE(-4, 4, 0x1p-8)),
    BINARY(hypot, mpfr_hypot, near64_hypot, PLACE(-4, 4, 0x1p-8)),
    BINARY(pow, mpfr_pow, near64_pow, PLACE(0, 8, 0x1p-8), .power = true),
    BINARY(powr, powr_m, near64_pow, PLACE(0, 8, 0x1p-8), .power = true),
    INTEGER(pown, mpfr_pow_si, PLACE(-8, 8, 0x1p-8)),
    INTEGER(rootn, rootn_m, PLACE(-8, 8, 0x1p-8)),
    /* clang-format on */
};
enum { FUNCTION_COUNT = sizeof functions / sizeof *functions };

/* Operands whose results lie within 2^-21, in part 2^-60, of the distance of two doubles from the
 * middle between them, or from a double. */
static const struct hard {
    enum vm_op op;
    double x, y;
} hard_operands[] = {
    {VM_OP_cos_f64, 0x1.34ec2f9fc9c00p+1, 0},
    {VM_OP_cos_f64, 0x1.06b505550e6b2p-9, 0},
    {VM_OP_cos_f64, 0x1.8000000000009p-23, 0},
    {VM_OP_cos_f64, 0x1.c581604c18bb5p+2, 0},
    {VM_OP_cos_f64, 0x1.aa22f47f7e7d7p+4, 0},
    {VM_OP_cos_f64, 0x1.69fc8357f2ccap+3, 0},
    {VM_OP_cos_f64, 0x1.827d1bc4ae347p+4, 0},
    {VM_OP_cos_f64, 0x1.158b00b4031fp+4, 0},
    {VM_OP_erf_f64, 0x1.43de681edd821p+0, 0},
    {VM_OP_erf_f64, 0x1.46a273a1ee55fp-3, 0},
    {VM_OP_erf_f64, 0x1.f838f62376bb3p+0, 0},
    {VM_OP_erf_f64, 0x1.32c56c3407b2dp-1, 0},
    {VM_OP_erf_f64, 0x1.8f5e897185accp+0, 0},
    {VM_OP_erfc_f64, 0x1.ae05d6df333cep+2, 0},
    {VM_OP_erfc_f64, 0x1.4e37e0ddd81e1p+1, 0},
    {VM_OP_erfc_f64, 0x1.f1294198816bp+2, 0},
    {VM_OP_erfc_f64, 0x1.d87d9dcc2fa3ap+1, 0},
    {VM_OP_erfc_f64, 0x1.c2b7a91348bf1p+1, 0},
    {VM_OP_exp_f64, 0x1.accfbe46b4ef0p-1, 0},
    {VM_OP_exp_f64, 0x1.83d4bcdebb3f4p+2, 0},
    {VM_OP_exp_f64, -0x1.ed318efb627eap-27, 0},
    {VM_OP_exp_f64, -0x1.087d26337556p+4, 0},
    {VM_OP_exp_f64, 0x1.1f0240a1ff6e4p+3, 0},
    {VM_OP_exp_f64, -0x1.e207cc953fa8p+1, 0},
    {VM_OP_exp_f64, 0x1.c273c71493a6p+1, 0},
    {VM_OP_exp_f64, -0x1.2a520f0110bd2p+3, 0},
    {VM_OP_exp2_f64, 0x1.e4596526bf94dp-10, 0},
    {VM_OP_exp2_f64, 0x1.18f656d747b9ap+4, 0},
    {VM_OP_exp2_f64, 0x1.031feaaad2074p+2, 0},
    {VM_OP_exp2_f64, -0x1.56d364383714p-2, 0},
    {VM_OP_exp2_f64, 0x1.d3cf5757814bp+3, 0},
    {VM_OP_exp2_f64, 0x1.15a4028391a2ep+3, 0},
    {VM_OP_log_f64, 0x1.62a88613629b6p+678, 0},
    {VM_OP_log_f64, 0x1.d0d44697d71fap+5, 0},
    {VM_OP_log_f64, 0x1.824d2aa8fd4d4p+6, 0},
    {VM_OP_log_f64, 0x1.26d913644bf9p+6, 0},
    {VM_OP_log_f64, 0x1.68f34c8b0b0d1p+6, 0},
    {VM_OP_log_f64, 0x1.42a50588becdfp+6, 0},
    {VM_OP_rsqrt_f64, 0x1.a6f5bd946a27p+0, 0},
    {VM_OP_rsqrt_f64, 0x1.e8c5b89a78201p+1, 0},
    {VM_OP_sin_f64, 0x1.598bae9e632f6p-7, 0},
    {VM_OP_sin_f64, 0x1.e0000000001c2p-20, 0},
    {VM_OP_sin_f64, 0x1.fe767739d0f6dp-2, 0},
    {VM_OP_sin_f64, 0x1.da5370d18e1b5p-1, 0},
    {VM_OP_sin_f64, 0x1.7113dce353e22p+4, 0},
    {VM_OP_sin_f64, 0x1.145a411c835fdp+4, 0},
    {VM_OP_sin_f64, 0x1.9533083ea0f2fp+2, 0},
    {VM_OP_sin_f64, 0x1.212df828f7ae7p+4, 0},
    {VM_OP_tan_f64, 0x1.dffffffffff1fp-22, 0},
    {VM_OP_tan_f64, 0x1.50486b2f87014p-5, 0},
    {VM_OP_tan_f64, 0x1.317f56ddda457p+0, 0},
    {VM_OP_tan_f64, 0x1.82a6e5173490ap-1, 0},
    {VM_OP_tan_f64, 0x1.4f0cd26a29c9dp+4, 0},
    {VM_OP_tan_f64, 0x1.70933df520c8cp+4, 0},
    {VM_OP_tan_f64, 0x1.bc37f3918e29dp+0, 0},
    {VM_OP_pow_f64, 0x1.131f99b7a0086p+1, 0x1.23353218c953ap+3},
    {VM_OP_pow_f64, 0x1.df2a71fd892acp+3, 0x1.2c38bc063f8fp+4},
    {VM_OP_pow_f64, 0x1.dc0052293f23ep+2, 0x1.1d2baa00ef21p+3},
    {VM_OP_pow_f64, 0x1.4a78942bb7e88p+2, -0x1.573c6b72eb592p+2},
    {VM_OP_pow_f64, 0x1.1a0a72aa4bc98p+4, 0x1.30dadf117a158p+4},
    {VM_OP_powr_f64, 0x1.131f99b7a0086p+1, 0x1.23353218c953ap+3},
    {VM_OP_powr_f64, 0x1.df2a71fd892acp+3, 0x1.2c38bc063f8fp+4},
    {VM_OP_powr_f64, 0x1.dc0052293f23ep+2, 0x1.1d2baa00ef21p+3},
    {VM_OP_powr_f64, 0x1.4a78942bb7e88p+2, -0x1.573c6b72eb592p+2},
    {VM_OP_powr_f64, 0x1.1a0a72aa4bc98p+4, 0x1.30dadf117a158p+4},
};
enum { HARD_COUNT = sizeof hard_operands / sizeof *hard_operands };

/* ---- operands ---- */

static uint64_t random_seed = 0x9e3779b97f4a7c15;
static uint64_t random_state;

static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static double random_between(double low, double high)
{
    return low + (high - low) * (double)(random_bits() >> 11) * 0x1p-53;
}

static const double edges[] = {
    0.0,      -0.0,      1.0,        -1.0,      2.0,       0.5,
    INFINITY, -INFINITY, NAN,        0x1p-1022, 0x1p-1074, 0x1.fffffffffffffp1023,
    708,      -708,      709.78,     -745.1,    1021,      -1022,
    1024,     -1075,     1e5,        26.5,      27.23,     6,
    0x1p990,  0x1p-900,  -0x1p-1060, 0x1p22,    0x1p-27,   3};
enum { EDGE_COUNT = sizeof edges / sizeof *edges };

static double operand(const struct function *function)
{
    const uint64_t kind = random_bits() % 16;
    const double near = near_double(
        near_bits(function->step * (double)(random_bits() % 1000000 >> random_bits() % 20)) +
        (random_bits() >> 1 >> random_bits() % 60) % 4096 - 2048);
    switch (kind) {
    case 0:
        return near_double(random_bits()); /* anything */
    case 1:
        return near_double(near_bits(edges[random_bits() % EDGE_COUNT]) + random_bits() % 9 - 4);
    case 2:
        return near;
    case 3:
        return -near;
    case 4: /* few bits */
        return (double)(random_bits() % 4096) * near_double((1023 - 16 + random_bits() % 20) << 52);
    case 5: /* near to zero */
        return near_double((random_bits() & UINT64_C(0x800fffffffffffff)) |
                           (1023 - 60 + random_bits() % 64) << 52);
    case 6: /* near to one */
        return 1 + random_between(-1, 1) * near_double((1023 - 50 + random_bits() % 50) << 52);
    default:
        return random_between(function->low, function->high);
    }
}

/* The second one: half of them such that the power is a number that is not near to 1. */
static double exponent_of(const struct function *function, double x)
{
    switch (random_bits() % 4) {
    case 0:
        return operand(function);
    case 1:
        return random_between(-30, 30);
    case 2:
        return (double)(random_bits() % 64) * 0.5 - 16;
    default:
        return random_between(-709, 709) / log(fabs(x));
    }
}

/* Half of them such that the power or the root is one that could occur. */
static int32_t integer_of(double x)
{
    const double most = 709 / fabs(log(fabs(x)));
    switch (random_bits() % 4) {
    case 0:
        return (int32_t)random_bits();
    case 1:
        return (int32_t)(random_bits() % 9) - 4;
    case 2:
        return (int32_t)(random_bits() % 128) - 64;
    default:
        return most < 0x1p31 ? (int32_t)random_between(-most, most) : 3;
    }
}

/* The other leg of a triangle: half of them as long as the first one, but for some factor. */
static double leg_of(const struct function *function, double x)
{
    switch (random_bits() % 4) {
    case 0:
        return operand(function);
    case 1:
        return x * (double)(random_bits() % 64) / (double)(1 + random_bits() % 64);
    case 2:
        return x * random_between(-1, 1) * near_double((1023 - 60 + random_bits() % 64) << 52);
    default:
        return random_between(function->low, function->high);
    }
}

static double second_operand(const struct function *function, double x)
{
    if (function->near_integer)
        return integer_of(x);
    return function->power ? exponent_of(function, x) : leg_of(function, x);
}

/* ---- exactly ---- */

struct numbers {
    mpfr_t x, y, rounded, wide, off;
};

static void numbers_init(struct numbers *n)
{
    mpfr_inits2(53, n->x, n->y, n->rounded, (mpfr_ptr)0);
    mpfr_init2(n->wide, 200);
    mpfr_init2(n->off, 200);
    random_state = random_seed;
}

static void numbers_release(struct numbers *n)
{
    mpfr_clears(n->x, n->y, n->rounded, n->wide, n->off, (mpfr_ptr)0);
}

static int evaluate(const struct function *function, mpfr_t result, struct numbers *n, double x,
                    double y)
{
    mpfr_set_d(n->x, x, MPFR_RNDN);
    mpfr_set_d(n->y, y, MPFR_RNDN);
    if (function->exact_integer)
        return function->exact_integer(result, n->x, (long)y, MPFR_RNDN);
    return function->exact ? function->exact(result, n->x, MPFR_RNDN)
                           : function->exact_binary(result, n->x, n->y, MPFR_RNDN);
}

static double expected(const struct function *function, struct numbers *n, double x, double y)
{
    const mpfr_exp_t emin = mpfr_get_emin();
    const mpfr_exp_t emax = mpfr_get_emax();
    mpfr_set_emin(-1073);
    mpfr_set_emax(1024);
    int ternary = evaluate(function, n->rounded, n, x, y);
    ternary = mpfr_check_range(n->rounded, ternary, MPFR_RNDN);
    mpfr_subnormalize(n->rounded, ternary, MPFR_RNDN);
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
    return mpfr_get_d(n->rounded, MPFR_RNDN);
}

/* ---- results ---- */

struct operands {
    double x[VM_LANES], y[VM_LANES], expected[VM_LANES];
};

static void execute(const struct function *function, const struct operands *operands,
                    double *results)
{
    static struct single single;
    single_init(&single);
    const vm_row dst = as_row(&single.as, 8, 1);
    const vm_row a = as_row(&single.as, 8, 1);
    const vm_row b = as_row(&single.as, function->near_integer ? 4 : 8, 1);
    memcpy(single_row(&single, a), operands->x, sizeof operands->x);
    if (function->near_integer) {
        int32_t integers[VM_LANES];
        for (unsigned lane = 0; lane < VM_LANES; ++lane)
            integers[lane] = (int32_t)operands->y[lane];
        memcpy(single_row(&single, b), integers, sizeof integers);
    } else {
        memcpy(single_row(&single, b), operands->y, sizeof operands->y);
    }
    single_execute(
        &single, (struct vm_instruction){.op = (uint16_t)function->op, .dst = dst, .a = a, .b = b},
        ~UINT64_C(0));
    memcpy(results, single_row(&single, dst), sizeof operands->x);
}

static void expect_results(const struct function *function, const struct operands *operands)
{
    for (size_t machine = 0; vm_machine_name(machine); ++machine) {
        double results[VM_LANES];
        if (!vm_machine_select(vm_machine_name(machine)))
            continue;
        execute(function, operands, results);
        for (unsigned lane = 0; lane < VM_LANES; ++lane) {
            const double want = operands->expected[lane] == operands->expected[lane]
                                    ? operands->expected[lane]
                                    : __builtin_nan("");
            if (near_bits(results[lane]) != near_bits(want))
                fail_msg("%s(%a, %a) is %a, not %a, in %s", function->name, operands->x[lane],
                         operands->y[lane], want, results[lane], vm_machine_name(machine));
        }
    }
}

static void try_operands(const struct function *function, uint64_t count)
{
    struct numbers n;
    numbers_init(&n);
    for (uint64_t i = 0; i < count; i += VM_LANES) {
        struct operands operands;
        for (unsigned lane = 0; lane < VM_LANES; ++lane) {
            const double x = operand(function);
            const double y = second_operand(function, x);
            operands.x[lane] = x;
            operands.y[lane] = y;
            operands.expected[lane] = expected(function, &n, x, y);
        }
        expect_results(function, &operands);
    }
    numbers_release(&n);
}

static unsigned next_hard(const struct function *function, unsigned i)
{
    while (i < HARD_COUNT && hard_operands[i].op != function->op)
        ++i;
    return i;
}

static void try_hard_operands(const struct function *function)
{
    const unsigned first = next_hard(function, 0);
    if (first == HARD_COUNT)
        return;
    struct numbers n;
    numbers_init(&n);
    struct operands operands;
    unsigned index = first;
    for (unsigned lane = 0; lane < VM_LANES; ++lane) {
        const struct hard *const hard = &hard_operands[index];
        operands.x[lane] = hard->x;
        operands.y[lane] = hard->y;
        operands.expected[lane] = expected(function, &n, hard->x, hard->y);
        index = next_hard(function, index + 1);
        index = index < HARD_COUNT ? index : first;
    }
    expect_results(function, &operands);
    numbers_release(&n);
}

static void every_machine_rounds_correctly(void **state)
{
    (void)state;
    for (size_t i = 0; i < FUNCTION_COUNT; ++i) {
        try_hard_operands(&functions[i]);
        try_operands(&functions[i], TEST_COUNT);
    }
}

/* ---- margins ---- */

static double near_of(const struct function *function, double x, double y)
{
    if (function->near_integer)
        return function->near_integer(x, (int32_t)y);
    return function->near ? function->near(x) : function->near_binary(x, y);
}

/* What the sum that was rounded is off, in margins. The sum may be scaled by a power of two, and of
 * the other sign. */
static double off_in_margins(const struct function *function, struct numbers *n, double x, double y)
{
    (void)evaluate(function, n->wide, n, x, y);
    mpfr_set_d(n->off, seen.high, MPFR_RNDN);
    mpfr_add_d(n->off, n->off, seen.low, MPFR_RNDN);
    mpfr_div(n->wide, n->wide, n->off, MPFR_RNDN);
    mpfr_abs(n->wide, n->wide, MPFR_RNDN);
    mpfr_mul_d(n->off, n->wide, 1.5, MPFR_RNDN);
    mpfr_mul_2si(n->wide, n->wide, 1 - mpfr_get_exp(n->off), MPFR_RNDN); /* around 1 */
    mpfr_sub_ui(n->wide, n->wide, 1, MPFR_RNDN);
    return fabs(mpfr_get_d(n->wide, MPFR_RNDN) * seen.high) / seen.margin;
}

static double worst_off(const struct function *function, uint64_t count, uint64_t *doubts)
{
    struct numbers n;
    numbers_init(&n);
    double worst = 0;
    for (uint64_t i = 0; i < count; ++i) {
        const double x = operand(function);
        const double y = second_operand(function, x);
        seen.margin = 0;
        const double value = near_of(function, x, y);
        *doubts += value != value;
        if (value != value || value == 0 ||
            fabs(value) == 1) /* erf(6) stands for that of what is greater */
            continue;
        const double off = off_in_margins(function, &n, x, y);
        worst = off > worst ? off : worst;
    }
    numbers_release(&n);
    return worst;
}

static void sums_are_off_by_less_than_half_of_the_margin(void **state)
{
    (void)state;
    for (size_t i = 0; i < FUNCTION_COUNT; ++i) {
        uint64_t doubts = 0;
        const double worst = worst_off(&functions[i], MARGIN_COUNT, &doubts);
        if (worst > 0.5)
            fail_msg("%s: %g", functions[i].name, worst);
        assert_true(doubts < MARGIN_COUNT / 2); /* or it would not be worth having */
    }
}

/* ---- exact results ---- */

/* They are frequent, and doubt costs a thousand times as much as an answer. */
static void exact_results_are_not_in_doubt(void **state)
{
    (void)state;
    double ten = 1, cube = 1;
    for (int n = 0; n <= 22; ++n, ten *= 10) {
        assert_true(near64_exp10(n) == ten);
        assert_true(n == 0 || near64_log10(ten) == n); /* of 1 it is left to the exact function */
    }
    for (int n = 1; n < 1000; ++n) {
        cube = (double)n * n * n;
        assert_true(near64_log2(near_double((uint64_t)(1023 + n) << 52)) == n);
        assert_true(near64_cbrt(cube) == n && near64_cbrt(-cube) == -n);
        assert_true(near64_rootn(cube, 3) == n && near64_rootn(-cube, 3) == -n);
        assert_true(near64_pown(n, 3) == cube && near64_pown(-n, 2) == (double)n * n);
        assert_true(near64_pown(n, 0) == 1 && near64_pown(n, 1) == n);
        assert_true(near64_hypot(3.0 * n, -4.0 * n) == 5.0 * n && near64_hypot(n, 0) == n);
        assert_true(near64_sinpi(n) == 0 && near64_cospi(n + 0.5) == 0 && near64_tanpi(n) == 0);
        assert_true(near64_sinpi(n + 0.5) == (n % 2 ? -1 : 1));
        assert_true(near64_cospi(n) == (n % 2 ? -1 : 1) && near64_tanpi(n + 0.25) == 1);
        assert_true(near64_atan2pi(n, n) == 0.25 && near64_atan2pi(n, 0) == 0.5);
        assert_true(near64_atan2pi(0, -n) == 1 && near64_atan2(-0.0, n) == 0);
    }
    double (*const odd[])(double x) = {near64_asin, near64_asinh, near64_atan,  near64_atanh,
                                       near64_cbrt, near64_expm1, near64_log1p, near64_sin,
                                       near64_sinh, near64_sinpi, near64_tan,   near64_tanh};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; ++i) {
        assert_true(near_bits(odd[i](0.0)) == near_bits(0.0));
        assert_true(near_bits(odd[i](-0.0)) == near_bits(-0.0));
    }
    assert_true(near64_acos(1) == 0 && near64_acosh(1) == 0 && near64_hypot(0, 0) == 0);
    assert_true(near64_asinpi(1) == 0.5 && near64_acospi(-1) == 1 && near64_tanh(INFINITY) == 1);
}

int main(int argument_count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_are_off_by_less_than_half_of_the_margin),
        cmocka_unit_test(every_machine_rounds_correctly),
        cmocka_unit_test(exact_results_are_not_in_doubt),
    };
    if (argument_count > 3)
        random_seed ^= strtoull(arguments[3], NULL, 10) << 1;
    if (argument_count > 1) {
        for (size_t i = 0; i < FUNCTION_COUNT; ++i) {
            if (argument_count > 2 && strcmp(functions[i].name, arguments[2]) != 0)
                continue;
            try_operands(&functions[i], strtoull(arguments[1], NULL, 10));
            printf("%s: %s operands\n", functions[i].name, arguments[1]);
        }
        return 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
