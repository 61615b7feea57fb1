/* reference/vm/near.h against the C library's functions of long double, whose errors are some ULP
 * of 2^-63: where a result is a normal float its relative error stays below 2^-42, and what a
 * function does not know is a NaN, or nearer to zero than any normal float, so that the exact
 * function is asked. */
#include "reference/vm/near.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

enum { RANDOM_COUNT = 200000 };

static uint32_t random_state;

static uint32_t random_next(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return random_state;
}

/* Any float, and every second time one between 2^-12 and 2^7, where most functions have their
 * numbers. */
static float operand(unsigned index)
{
    uint32_t bits = random_next();
    if (index % 2)
        bits = (bits & 0x807fffff) | (127 - 12 + (bits >> 23 & 0xff) % 20) << 23;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Would the exact function be asked? */
static bool says_nothing(double near)
{
    return isnan(near) || fabs(near) < FLT_MIN;
}

static void expect_near(const char *name, float x, float y, double near, long double exact)
{
    const long double size = fabsl(exact);
    if (says_nothing(near))
        return;
    if (isfinite(exact) && size >= FLT_MIN && size <= FLT_MAX) {
        if (fabsl(near - exact) > 0x1p-42L * size)
            fail_msg("near_%s(%a, %a) is %a, not %La", name, x, y, near, exact);
    } else if (!(size < FLT_MIN) && !(fabs(near) > FLT_MAX)) {
        fail_msg("near_%s(%a, %a) is %a, a number, not %La", name, x, y, near, exact);
    }
}

static long double rsqrt_l(long double x)
{
    return 1 / sqrtl(x);
}

/* sin((x + quarters / 2) pi), of an exact rest between -1/4 and 1/4. */
static long double sinpi_quarter_l(long double x, int quarters)
{
    const long double n = rintl(2 * x);
    const long double r = (x - n / 2) * 0xc.90fdaa22168c235p-2L;
    const int quadrant = ((int)fmodl(n, 4) + 4 + quarters) % 4;
    const long double size = quadrant % 2 ? cosl(r) : sinl(r);
    return quadrant < 2 ? size : -size;
}

static long double sinpi_l(long double x)
{
    return sinpi_quarter_l(x, 0);
}

static long double cospi_l(long double x)
{
    return sinpi_quarter_l(x, 1);
}

static long double tanpi_l(long double x)
{
    return sinpi_l(x) / cospi_l(x);
}

static long double asinpi_l(long double x)
{
    return asinl(x) / 0xc.90fdaa22168c235p-2L;
}

static long double acospi_l(long double x)
{
    return acosl(x) / 0xc.90fdaa22168c235p-2L;
}

static long double atanpi_l(long double x)
{
    return atanl(x) / 0xc.90fdaa22168c235p-2L;
}

static void approximations_of_one_operand_are_near(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        double (*near)(double x);
        long double (*exact)(long double x);
    } functions[] = {{"acos", near_acos, acosl},        {"acosh", near_acosh, acoshl},
                     {"acospi", near_acospi, acospi_l}, {"asin", near_asin, asinl},
                     {"asinh", near_asinh, asinhl},     {"asinpi", near_asinpi, asinpi_l},
                     {"atan", near_atan, atanl},        {"atanh", near_atanh, atanhl},
                     {"atanpi", near_atanpi, atanpi_l}, {"cbrt", near_cbrt, cbrtl},
                     {"cos", near_cos, cosl},           {"cosh", near_cosh, coshl},
                     {"cospi", near_cospi, cospi_l},    {"erf", near_erf, erfl},
                     {"erfc", near_erfc, erfcl},        {"exp", near_exp, expl},
                     {"exp10", near_exp10, exp10l},     {"exp2", near_exp2, exp2l},
                     {"expm1", near_expm1, expm1l},     {"log", near_log, logl},
                     {"log10", near_log10, log10l},     {"log1p", near_log1p, log1pl},
                     {"log2", near_log2, log2l},        {"rsqrt", near_rsqrt, rsqrt_l},
                     {"sin", near_sin, sinl},           {"sinh", near_sinh, sinhl},
                     {"sinpi", near_sinpi, sinpi_l},    {"tan", near_tan, tanl},
                     {"tanh", near_tanh, tanhl},        {"tanpi", near_tanpi, tanpi_l}};
    static const float edges[] = {0,      -0.0F,   1,       -1,     0x1.fffffep-1F,
                                  10.25F, -10.25F, FLT_MIN, FLT_MAX};
    for (size_t f = 0; f < sizeof functions / sizeof *functions; ++f) {
        random_state = 2463534242;
        unsigned known = 0;
        for (unsigned i = 0; i < RANDOM_COUNT; ++i) {
            const float x = i < sizeof edges / sizeof *edges ? edges[i] : operand(i);
            const double near = functions[f].near(x);
            expect_near(functions[f].name, x, 0, near, functions[f].exact(x));
            known += !says_nothing(near);
        }
        assert_true(known > RANDOM_COUNT / 8); /* or it would not be worth having */
        assert_true(says_nothing(functions[f].near(NAN)));
    }
}

static void powers_are_near(void **state)
{
    (void)state;
    random_state = 2463534242;
    for (unsigned i = 0; i < RANDOM_COUNT; ++i) {
        const float x = fabsf(operand(i)), y = operand(i + 1);
        expect_near("pow", x, y, near_pow(x, y), powl(x, y));
    }
    assert_true(says_nothing(near_pow(-2, 2)));
}

static void functions_of_two_operands_are_near(void **state)
{
    (void)state;
    random_state = 2463534242;
    for (unsigned i = 0; i < RANDOM_COUNT; ++i) {
        const float x = operand(i), y = operand(i + 1);
        const int32_t n = (int32_t)(random_next() % 41) - 20;
        const long double size = powl(fabsl(x), 1.0L / n);
        expect_near("atan2", x, y, near_atan2(x, y), atan2l(x, y));
        expect_near("atan2pi", x, y, near_atan2pi(x, y), atan2l(x, y) / 0xc.90fdaa22168c235p-2L);
        expect_near("hypot", x, y, near_hypot(x, y), hypotl(x, y));
        expect_near("pown", x, (float)n, near_pown(x, n), powl(x, n));
        if (n != 0)
            expect_near("rootn", x, (float)n, near_rootn(x, n),
                        x >= 0       ? size
                        : n % 2 != 0 ? -size
                                     : NAN);
    }
    assert_true(says_nothing(near_rootn(-2, 2)) && says_nothing(near_rootn(2, 0)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(approximations_of_one_operand_are_near),
        cmocka_unit_test(powers_are_near),
        cmocka_unit_test(functions_of_two_operands_are_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
