/* Half: the conversions and the unary built-ins over all 2^16 values, the rest over edge values and
 * a fixed pseudo-random sequence. The reference is long double or MPFR, rounded by arithmetic of
 * its own. */
#include "reference/vm/convert.h"
#include "reference/vm/math.h"
#include "trace/base/half.h"

#include <limits.h>
#include <math.h>
#include <mpfr.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { HALF_COUNT = 1 << 16, RANDOM_COUNT = 20000, INFINITE = 0x7c00, GREATEST = 0x7bff };

static float half(unsigned bits)
{
    const unsigned exponent = bits >> 10 & 31;
    const double fraction = bits & 1023;
    const double magnitude = exponent == 31  ? (fraction != 0 ? (double)NAN : (double)INFINITY)
                             : exponent == 0 ? ldexp(fraction, -24)
                                             : ldexp(1024 + fraction, (int)exponent - 25);
    return (float)(bits & 0x8000 ? -magnitude : magnitude);
}

/* A multiple of the quantum of its binade: rintl rounds to nearest even. */
static float nearest(long double exact)
{
    if (isnan(exact) || isinf(exact) || exact == 0)
        return (float)exact;
    int exponent;
    frexpl(exact, &exponent);
    const long double quantum = ldexpl(1, (exponent < -13 ? -13 : exponent) - 11);
    const long double rounded = rintl(exact / quantum) * quantum;
    return fabsl(rounded) >= 65536 ? copysignf(INFINITY, (float)exact) : (float)rounded;
}

static bool same(float a, float b)
{
    return a == b || (isnan(a) && isnan(b));
}

static void every_half_converts_to_itself(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < HALF_COUNT; bits++) {
        const uint16_t h = (uint16_t)bits;
        const uint16_t kept = isnan(half(bits)) ? 0x7e00 : h;
        assert_true(same(half_to_float(h), half(bits)));
        assert_int_equal(signbit(half_to_float(h)) != 0, h >> 15);
        assert_int_equal(half_from_float(half_to_float(h)), kept);
        for (int mode = 0; mode < 4; mode++)
            assert_int_equal(vm_convert_f16_f64((double)half_to_float(h), mode), kept);
    }
}

/* `place` of eight between two neighbours: 4 is the tie. */
static void check_between(unsigned low, unsigned place)
{
    const double step = low == GREATEST ? 32 : (double)half(low + 1) - (double)half(low);
    const double value = (double)half(low) + step * place / 8;
    const unsigned up = place > 4 || (place == 4 && low % 2 == 1);
    const unsigned to_nearest = low + (place != 0 && up);
    const unsigned above = low + (place != 0);
    assert_int_equal(half_from_float((float)value), to_nearest);
    assert_int_equal(half_from_float((float)-value), 0x8000 | to_nearest);
    assert_int_equal(vm_convert_f16_f64(value, 0), to_nearest);
    assert_int_equal(vm_convert_f16_f64(-value, 0), 0x8000 | to_nearest);
    assert_int_equal(vm_convert_f16_f64(value, 1), low);
    assert_int_equal(vm_convert_f16_f64(-value, 1), 0x8000 | low);
    assert_int_equal(vm_convert_f16_f64(value, 2), above);
    assert_int_equal(vm_convert_f16_f64(-value, 2), 0x8000 | low);
    assert_int_equal(vm_convert_f16_f64(value, 3), low);
    assert_int_equal(vm_convert_f16_f64(-value, 3), 0x8000 | above);
}

static void values_between_halves_round_by_the_mode(void **state)
{
    (void)state;
    for (unsigned low = 0; low <= GREATEST; low++) {
        for (unsigned place = 0; place < 8; place++)
            check_between(low, place);
    }
    assert_int_equal(vm_convert_f16_f64(1e300, 0), INFINITE);
    assert_int_equal(vm_convert_f16_f64(1e300, 1), GREATEST);
    assert_int_equal(vm_convert_f16_f64(-1e300, 2), 0x8000 | GREATEST);
    assert_int_equal(vm_convert_f16_f64(0x1p-1074, 2), 1);
    assert_int_equal(vm_convert_f16_f64(-0x1p-1074, 3), 0x8001);
    assert_int_equal(vm_convert_f16_f64(0x1.0000000000001p-25, 0), 1);
    assert_int_equal(half_from_float(0x1.000002p-25f), 1);
    assert_int_equal(half_from_float(1e30f), INFINITE);
}

/* ---- unary built-ins ---- */

#define PI 3.14159265358979323846264338327950288L

static long double acos_pi(long double x)
{
    return acosl(x) / PI;
}
static long double asin_pi(long double x)
{
    return asinl(x) / PI;
}
static long double atan_pi(long double x)
{
    return atanl(x) / PI;
}
static long double sin_pi(long double x)
{
    return sinl(remainderl(x, 2) * PI);
}
static long double cos_pi(long double x)
{
    return cosl(remainderl(x, 2) * PI);
}
static long double tan_pi(long double x)
{
    const long double m = remainderl(x, 2);
    return fabsl(m) == 0.5L ? copysignl(INFINITY, m) : tanl(m * PI);
}
static long double degrees(long double x)
{
    return x * (180 / PI);
}
static long double radians(long double x)
{
    return x * (PI / 180);
}
static long double rsqrt(long double x)
{
    return 1 / sqrtl(x);
}

static const struct unary {
    const char *name;
    float (*function)(float);
    long double (*exact)(long double);
} unaries[] = {
/* clang-format off */
#define UNARY(name, exact) {#name, math_##name##_f16, exact},
    UNARY(acos, acosl) UNARY(acosh, acoshl) UNARY(acospi, acos_pi)
    UNARY(asin, asinl) UNARY(asinh, asinhl) UNARY(asinpi, asin_pi)
    UNARY(atan, atanl) UNARY(atanh, atanhl) UNARY(atanpi, atan_pi)
    UNARY(cbrt, cbrtl)
    UNARY(cos, cosl) UNARY(cosh, coshl) UNARY(cospi, cos_pi)
    UNARY(degrees, degrees)
    UNARY(erf, erfl) UNARY(erfc, erfcl)
    UNARY(exp, expl) UNARY(exp2, exp2l) UNARY(exp10, exp10l) UNARY(expm1, expm1l)
    UNARY(lgamma, lgammal)
    UNARY(log, logl) UNARY(log2, log2l) UNARY(log10, log10l) UNARY(log1p, log1pl)
    UNARY(radians, radians)
    UNARY(rsqrt, rsqrt)
    UNARY(sin, sinl) UNARY(sinh, sinhl) UNARY(sinpi, sin_pi)
    UNARY(tan, tanl) UNARY(tanh, tanhl) UNARY(tanpi, tan_pi)
    UNARY(tgamma, tgammal)
/* clang-format on */
#undef UNARY
};
enum { UNARY_COUNT = sizeof unaries / sizeof unaries[0] };

#define ONE(name, d, l, m) +1
_Static_assert(UNARY_COUNT == 0 MATH_UNARY_TABLE(ONE), "a function is missing");
#undef ONE

static void unary_functions_of_every_half_are_correctly_rounded(void **state)
{
    (void)state;
    for (size_t i = 0; i < UNARY_COUNT; i++) {
        for (unsigned bits = 0; bits < HALF_COUNT; bits++) {
            const float x = half(bits);
            const float result = unaries[i].function(x);
            const float expected = nearest(unaries[i].exact((long double)x));
            if (!same(result, expected))
                fail_msg("%s(%a) = %a, correctly rounded: %a", unaries[i].name, (double)x,
                         (double)result, (double)expected);
        }
    }
}

static void exact_functions_of_every_half_are_halves(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < HALF_COUNT; bits++) {
        const float x = half(bits);
        if (!isfinite(x))
            continue;
        assert_true(math_frexp_mantissa_f16(x) == frexpf(x, &(int){0}));
        assert_true(math_logb_f16(x) == logbf(x));
        const float fraction = nearest((long double)x - floorl((long double)x));
        assert_true(math_fract_f16(x) == (fraction < 1 ? fraction : half(0x3bff)));
        for (int n = -60; n <= 60; n += 3)
            assert_true(math_ldexp_f16(x, n) == nearest(ldexpl((long double)x, n)));
        const bool negative = bits & 0x8000;
        const float above = x == 0 ? half(1) : half(negative ? bits - 1 : bits + 1);
        const float below = x == 0 ? half(0x8001) : half(negative ? bits + 1 : bits - 1);
        assert_true(same(math_nextafter_f16(x, INFINITY), above));
        assert_true(same(math_nextafter_f16(x, -INFINITY), below));
        assert_true(math_nextafter_f16(x, x) == x);
    }
    assert_int_equal(math_ilogb_f16(0), INT_MIN);
    assert_int_equal(math_ilogb_f16(half(1)), -24);
    assert_int_equal(math_ilogb_f16(INFINITY), INT_MAX);
    assert_true(isnan(math_nextafter_f16(1, NAN)));
}

/* ---- operations of several operands ---- */

static uint64_t random_state;

static float random_half(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    const unsigned bits = (unsigned)random_state & 0xffff;
    /* Half of them near 1, where results neither overflow nor vanish. */
    return half(random_state >> 32 & 1 ? bits : (bits & 0x83ff) | (12 + (bits >> 10 & 7)) << 10);
}

typedef int mpfr_two(mpfr_t result, const mpfr_t x, const mpfr_t y, mpfr_rnd_t round);

static void check_binary(const char *name, float function(float, float), mpfr_two *exact)
{
    mpfr_t x, y, result;
    mpfr_inits2(200, x, y, result, (mpfr_ptr)0);
    random_state = 0x9e3779b97f4a7c15u;
    for (unsigned i = 0; i < RANDOM_COUNT; i++) {
        const float a = random_half();
        const float b = random_half();
        mpfr_set_d(x, (double)a, MPFR_RNDN);
        mpfr_set_d(y, (double)b, MPFR_RNDN);
        exact(result, x, y, MPFR_RNDN);
        const float expected = nearest(mpfr_get_ld(result, MPFR_RNDN));
        const float got = function(a, b);
        if (!same(got, expected))
            fail_msg("%s(%a, %a) = %a, correctly rounded: %a", name, (double)a, (double)b,
                     (double)got, (double)expected);
    }
    mpfr_clears(x, y, result, (mpfr_ptr)0);
}

static float rounded(float value)
{
    return half_to_float(half_from_float(value));
}
static float add(float x, float y)
{
    return rounded(x + y);
}
static float subtract(float x, float y)
{
    return rounded(x - y);
}
static float multiply(float x, float y)
{
    return rounded(x * y);
}
static float divide(float x, float y)
{
    return rounded(x / y);
}
static int square_root_m(mpfr_t result, const mpfr_t x, const mpfr_t y, mpfr_rnd_t round)
{
    (void)y;
    return mpfr_sqrt(result, x, round);
}
static float square_root(float x, float y)
{
    (void)y;
    return rounded(sqrtf(x));
}

/* The claim of lane.h. */
static void arithmetic_by_way_of_float_is_correctly_rounded(void **state)
{
    (void)state;
    check_binary("add", add, mpfr_add);
    check_binary("subtract", subtract, mpfr_sub);
    check_binary("multiply", multiply, mpfr_mul);
    check_binary("divide", divide, mpfr_div);
    check_binary("sqrt", square_root, square_root_m);
}

static void binary_functions_are_correctly_rounded(void **state)
{
    (void)state;
    check_binary("atan2", math_atan2_f16, mpfr_atan2);
    check_binary("atan2pi", math_atan2pi_f16, mpfr_atan2pi);
    check_binary("hypot", math_hypot_f16, mpfr_hypot);
    check_binary("pow", math_pow_f16, mpfr_pow);
    check_binary("fmod", math_fmod_f16, mpfr_fmod);
    check_binary("remainder", math_remainder_f16, mpfr_remainder);
}

/* The claim of ops.def: an fma in double is one of half. */
static void fma_by_way_of_double_is_correctly_rounded(void **state)
{
    (void)state;
    mpfr_t x, y, z;
    mpfr_inits2(200, x, y, z, (mpfr_ptr)0);
    random_state = 0x9e3779b97f4a7c15u;
    for (unsigned i = 0; i < 4 * RANDOM_COUNT; i++) {
        const float a = random_half();
        const float b = random_half();
        const float c = i % 2 ? random_half() : rounded(-a * b);
        mpfr_set_d(x, (double)a, MPFR_RNDN);
        mpfr_set_d(y, (double)b, MPFR_RNDN);
        mpfr_set_d(z, (double)c, MPFR_RNDN);
        mpfr_fma(x, x, y, z, MPFR_RNDN);
        const float expected = nearest(mpfr_get_ld(x, MPFR_RNDN));
        const double sum = (double)a * (double)b + (double)c;
        const float got = half_to_float(vm_convert_f16_f64(sum, 0));
        if (!same(got, expected))
            fail_msg("fma(%a, %a, %a) = %a, correctly rounded: %a", (double)a, (double)b, (double)c,
                     (double)got, (double)expected);
    }
    mpfr_clears(x, y, z, (mpfr_ptr)0);
}

static void powers_have_openCL_special_cases(void **state)
{
    (void)state;
    assert_true(isnan(math_powr_f16(-1, 2)));
    assert_true(isnan(math_powr_f16(0, 0)));
    assert_true(math_powr_f16(4, 0.5f) == 2);
    assert_true(math_pown_f16(NAN, 0) == 1);
    assert_true(math_pown_f16(-2, 15) == -32768);
    assert_true(math_pown_f16(2, 16) == INFINITY);
    assert_true(math_pown_f16(2, INT_MIN) == 0);
    assert_true(math_rootn_f16(-27, 3) == -3);
    assert_true(isnan(math_rootn_f16(-4, 2)));
    assert_true(math_rootn_f16(half(1), -2) == 4096);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_half_converts_to_itself),
        cmocka_unit_test(values_between_halves_round_by_the_mode),
        cmocka_unit_test(unary_functions_of_every_half_are_correctly_rounded),
        cmocka_unit_test(exact_functions_of_every_half_are_halves),
        cmocka_unit_test(arithmetic_by_way_of_float_is_correctly_rounded),
        cmocka_unit_test(binary_functions_are_correctly_rounded),
        cmocka_unit_test(fma_by_way_of_double_is_correctly_rounded),
        cmocka_unit_test(powers_have_openCL_special_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
