/* The built-ins of reference/vm/math.h against MPFR: every function is evaluated there with 300
 * bits and rounded once, which is another road than the one in math.c. Operands are edge values and
 * a fixed pseudo-random sequence of bit patterns, so every exponent, subnormals included, has its
 * turn. */
#include "reference/vm/math.h"

#include <limits.h>
#include <math.h>
#include <mpfr.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { RANDOM_COUNT = 4000, RANDOM_COUNT_F64 = 600 };

static uint64_t random_state;

static uint64_t random_next(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static float float_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static double double_of(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static const double edges[] = {
    0.0,      -0.0,      1.0,       -1.0,          0.5,
    -0.5,     2.0,       -2.0,      1.5,           -1.5,
    0.25,     3.0,       -3.0,      10.0,          -10.0,
    1e-3,     100.0,     -100.5,    88.5,          -103.5,
    0x1p-126, 0x1p-149,  -0x1p-149, 0x1p127,       0x1.fffffep127,
    INFINITY, -INFINITY, NAN,       0x1.fffffep-1, 0x1.000002p0,
    171.5,    -0.75,     7.0,       64.0,          0x1p31,
    -0x1p63,  0x1p63,    0x1p-1074, -0x1p-1022,    0x1.fffffffffffffp1023};
enum { EDGE_COUNT = sizeof edges / sizeof *edges };

/* Half of the operands have small exponents: there most functions have their numbers. */
static float operand_f32(unsigned index)
{
    if (index < EDGE_COUNT)
        return (float)edges[index];
    const uint32_t bits = (uint32_t)random_next();
    if (index % 2)
        return float_of(bits);
    return float_of((bits & 0x807fffff) | (127 - 12 + (bits >> 23 & 0xff) % 20) << 23);
}

static double operand_f64(unsigned index)
{
    if (index < EDGE_COUNT)
        return edges[index];
    const uint64_t bits = random_next();
    if (index % 2)
        return double_of(bits);
    return double_of((bits & 0x800fffffffffffffu) |
                     (uint64_t)(1023 - 16 + (bits >> 52 & 0x7ff) % 26) << 52);
}

/* ---- the reference: 300 bits, then one rounding to `precision` bits with the type's range ---- */

static double round_once(mpfr_t exact, mpfr_prec_t precision, mpfr_exp_t emin, mpfr_exp_t emax)
{
    const mpfr_exp_t old_min = mpfr_get_emin();
    const mpfr_exp_t old_max = mpfr_get_emax();
    mpfr_t rounded;
    mpfr_init2(rounded, precision);
    int ternary = mpfr_set(rounded, exact, MPFR_RNDN);
    mpfr_set_emin(emin);
    mpfr_set_emax(emax);
    ternary = mpfr_check_range(rounded, ternary, MPFR_RNDN);
    mpfr_subnormalize(rounded, ternary, MPFR_RNDN);
    const double value = mpfr_get_d(rounded, MPFR_RNDN);
    mpfr_set_emin(old_min);
    mpfr_set_emax(old_max);
    mpfr_clear(rounded);
    return value;
}

static float round_f32(mpfr_t exact)
{
    return (float)round_once(exact, 24, -148, 128);
}

static double round_f64(mpfr_t exact)
{
    return round_once(exact, 53, -1073, 1024);
}

typedef int unary_function(mpfr_t result, const mpfr_t x, mpfr_rnd_t round);
typedef int binary_function(mpfr_t result, const mpfr_t x, const mpfr_t y, mpfr_rnd_t round);
typedef int integer_function(mpfr_t result, const mpfr_t x, long n, mpfr_rnd_t round);

static int lgamma_m(mpfr_t result, const mpfr_t x, mpfr_rnd_t round)
{
    int sign;
    return mpfr_lgamma(result, &sign, x, round);
}

static int degrees_m(mpfr_t result, const mpfr_t x, mpfr_rnd_t round)
{
    mpfr_t pi;
    mpfr_init2(pi, 400);
    mpfr_const_pi(pi, round);
    mpfr_mul_ui(result, x, 180, round);
    const int ternary = mpfr_div(result, result, pi, round);
    mpfr_clear(pi);
    return ternary;
}

static int radians_m(mpfr_t result, const mpfr_t x, mpfr_rnd_t round)
{
    mpfr_t pi;
    mpfr_init2(pi, 400);
    mpfr_const_pi(pi, round);
    mpfr_mul(result, x, pi, round);
    const int ternary = mpfr_div_ui(result, result, 180, round);
    mpfr_clear(pi);
    return ternary;
}

/* 1 / sqrt(-0) is -infinity in C99 and OpenCL C; MPFR says +infinity. */
static int rsqrt_m(mpfr_t result, const mpfr_t x, mpfr_rnd_t round)
{
    const int ternary = mpfr_rec_sqrt(result, x, round);
    if (mpfr_zero_p(x) && mpfr_signbit(x))
        mpfr_set_inf(result, -1);
    return ternary;
}

/* A subnormal intermediate in long double must not be rounded twice: equal bits, or both NaN. */
static bool same_f32(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static bool same_f64(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

static void expect_f32(const char *name, float x, float y, float result, float expected)
{
    if (!same_f32(result, expected))
        fail_msg("%s(%a, %a) = %a, correctly rounded: %a", name, (double)x, (double)y,
                 (double)result, (double)expected);
}

static void expect_f64(const char *name, double x, double y, double result, double expected)
{
    if (!same_f64(result, expected))
        fail_msg("%s(%a, %a) = %a, correctly rounded: %a", name, x, y, result, expected);
}

struct numbers {
    mpfr_t x, y, result;
};

static void numbers_init(struct numbers *n)
{
    mpfr_inits2(300, n->x, n->y, n->result, (mpfr_ptr)0);
    random_state = 0x9e3779b97f4a7c15u;
}

static void numbers_release(struct numbers *n)
{
    mpfr_clears(n->x, n->y, n->result, (mpfr_ptr)0);
}

static void check_unary(const char *name, unary_function *exact, float f32(float),
                        double f64(double))
{
    struct numbers n;
    numbers_init(&n);
    for (unsigned i = 0; i < RANDOM_COUNT; ++i) {
        const float x = operand_f32(i);
        mpfr_set_d(n.x, (double)x, MPFR_RNDN);
        exact(n.result, n.x, MPFR_RNDN);
        expect_f32(name, x, 0, f32(x), round_f32(n.result));
    }
    for (unsigned i = 0; i < RANDOM_COUNT_F64; ++i) {
        const double x = operand_f64(i);
        /* MPFR itself takes minutes to reduce or to sum for these; the float pass covers the code.
         */
        if ((exact == lgamma_m || exact == mpfr_gamma) && fabs(x) > 1e6)
            continue;
        mpfr_set_d(n.x, x, MPFR_RNDN);
        exact(n.result, n.x, MPFR_RNDN);
        expect_f64(name, x, 0, f64(x), round_f64(n.result));
    }
    numbers_release(&n);
}

static void check_binary(const char *name, binary_function *exact, float f32(float, float),
                         double f64(double, double))
{
    struct numbers n;
    numbers_init(&n);
    for (unsigned i = 0; i < EDGE_COUNT * EDGE_COUNT + RANDOM_COUNT; ++i) {
        const bool edge = i < EDGE_COUNT * EDGE_COUNT;
        const float x = edge ? (float)edges[i / EDGE_COUNT] : operand_f32(EDGE_COUNT + i);
        const float y = edge ? (float)edges[i % EDGE_COUNT] : operand_f32(EDGE_COUNT + i / 2);
        mpfr_set_d(n.x, (double)x, MPFR_RNDN);
        mpfr_set_d(n.y, (double)y, MPFR_RNDN);
        exact(n.result, n.x, n.y, MPFR_RNDN);
        expect_f32(name, x, y, f32(x, y), round_f32(n.result));
    }
    for (unsigned i = 0; i < EDGE_COUNT * EDGE_COUNT + RANDOM_COUNT_F64; ++i) {
        const bool edge = i < EDGE_COUNT * EDGE_COUNT;
        const double x = edge ? edges[i / EDGE_COUNT] : operand_f64(EDGE_COUNT + i);
        const double y = edge ? edges[i % EDGE_COUNT] : operand_f64(EDGE_COUNT + i / 2);
        mpfr_set_d(n.x, x, MPFR_RNDN);
        mpfr_set_d(n.y, y, MPFR_RNDN);
        exact(n.result, n.x, n.y, MPFR_RNDN);
        expect_f64(name, x, y, f64(x, y), round_f64(n.result));
    }
    numbers_release(&n);
}

static void check_integer(const char *name, integer_function *exact, float f32(float, int32_t),
                          double f64(double, int32_t))
{
    static const int32_t exponents[] = {1,  -1, 2,  -2,  3,   -3,  5,       7,
                                        -7, 10, 31, -31, 100, 127, INT_MAX, INT_MIN};
    struct numbers n;
    numbers_init(&n);
    for (unsigned i = 0; i < RANDOM_COUNT; ++i) {
        const int32_t exponent = exponents[i / 3 % (sizeof exponents / sizeof *exponents)];
        const float x = operand_f32(i % 3 ? i : i / 48 % EDGE_COUNT);
        mpfr_set_d(n.x, (double)x, MPFR_RNDN);
        exact(n.result, n.x, exponent, MPFR_RNDN);
        expect_f32(name, x, (float)exponent, f32(x, exponent), round_f32(n.result));
        if (i < RANDOM_COUNT_F64) {
            const double wide = operand_f64(i);
            mpfr_set_d(n.x, wide, MPFR_RNDN);
            exact(n.result, n.x, exponent, MPFR_RNDN);
            expect_f64(name, wide, exponent, f64(wide, exponent), round_f64(n.result));
        }
    }
    numbers_release(&n);
}

#define UNARY_TEST(name, d, l, m)                                                                  \
    static void test_##name##_is_correctly_rounded(void **state)                                   \
    {                                                                                              \
        (void)state;                                                                               \
        check_unary(#name, strcmp(#name, "rsqrt") == 0 ? rsqrt_m : m, math_##name##_f32,           \
                    math_##name##_f64);                                                            \
    }
MATH_UNARY_TABLE(UNARY_TEST)

#define BINARY_TEST(name, d, l, m)                                                                 \
    static void test_##name##_is_correctly_rounded(void **state)                                   \
    {                                                                                              \
        (void)state;                                                                               \
        check_binary(#name, m, math_##name##_f32, math_##name##_f64);                              \
    }
MATH_BINARY_TABLE(BINARY_TEST)

static void test_pown_is_correctly_rounded(void **state)
{
    (void)state;
    check_integer("pown", mpfr_pow_si, math_pown_f32, math_pown_f64);
}

static void test_rootn_is_correctly_rounded(void **state)
{
    (void)state;
    check_integer("rootn", mpfr_rootn_si, math_rootn_f32, math_rootn_f64);
}

/* OpenCL C 3.0, 7.5.1. */
static void test_powr_and_rootn_have_openCL_special_cases(void **state)
{
    (void)state;
    assert_true(isnan(math_powr_f32(-1, 2)));
    assert_true(isnan(math_powr_f32(0, 0)));
    assert_true(isnan(math_powr_f64(INFINITY, 0)));
    assert_true(isnan(math_powr_f64(1, INFINITY)));
    assert_true(isnan(math_powr_f64(1, NAN)));
    assert_true(math_powr_f64(0, -2) == INFINITY);
    assert_true(math_powr_f64(-0.0, -3) == INFINITY);
    assert_true(isnan(math_rootn_f32(4, 0)));
    assert_true(isnan(math_rootn_f32(-4, 2)));
    assert_true(math_rootn_f32(-0.0f, -3) == -INFINITY);
    assert_true(math_pown_f32(NAN, 0) == 1);
}

static void test_remquo_gives_seven_bits(void **state)
{
    (void)state;
    assert_int_equal(math_remquo_quotient_f32(1000, 3), 333 & 127);
    assert_int_equal(math_remquo_quotient_f32(-1000, 3), -(333 & 127));
    assert_int_equal(math_remquo_quotient_f64(0x1p1000, 3),
                     85); /* 2^1000 = 1 mod 3, (2^1000 - 1) / 3 */
    assert_int_equal(math_remquo_quotient_f64(5, 0), 0);
    assert_int_equal(math_remquo_quotient_f64(5, INFINITY), 0);
    assert_int_equal(math_remquo_quotient_f32(5, 2), 2); /* a tie goes to even */
}

static void test_exact_functions_have_their_special_cases(void **state)
{
    (void)state;
    assert_int_equal(math_ilogb_f32(0), INT_MIN);
    assert_int_equal(math_ilogb_f32(NAN), INT_MAX);
    assert_int_equal(math_ilogb_f64(INFINITY), INT_MAX);
    assert_int_equal(math_ilogb_f64(0x1p-1074), -1074);
    assert_true(math_fract_f32(-0x1p-30f) == 0x1.fffffep-1f);
    assert_true(signbit(math_fract_f32(-0.0f)));
    assert_true(math_fract_f64(2.75) == 0.75);
    assert_int_equal(math_frexp_exponent_f32(INFINITY), 0);
    assert_int_equal(math_frexp_exponent_f64(8), 4);
    assert_true(math_ldexp_f32(0x1.8p0f, -149) == 0x1p-148f); /* a tie, to even */
}

static void test_nan_results_are_canonical(void **state)
{
    (void)state;
    const float results[] = {math_sin_f32(-INFINITY), math_log_f32(-1),      math_fmod_f32(1, 0),
                             math_pow_f32(-2, 0.5f),  math_lgamma_f32(-NAN), math_powr_f32(-1, 1)};
    for (size_t i = 0; i < sizeof results / sizeof *results; ++i) {
        uint32_t bits;
        memcpy(&bits, &results[i], sizeof bits);
        assert_int_equal(bits, 0x7fc00000);
    }
}

int main(void)
{
#define ENTRY(name, d, l, m) cmocka_unit_test(test_##name##_is_correctly_rounded),
    const struct CMUnitTest tests[] = {
        MATH_UNARY_TABLE(ENTRY) MATH_BINARY_TABLE(ENTRY)
            cmocka_unit_test(test_pown_is_correctly_rounded),
        cmocka_unit_test(test_rootn_is_correctly_rounded),
        cmocka_unit_test(test_powr_and_rootn_have_openCL_special_cases),
        cmocka_unit_test(test_remquo_gives_seven_bits),
        cmocka_unit_test(test_exact_functions_have_their_special_cases),
        cmocka_unit_test(test_nan_results_are_canonical),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
