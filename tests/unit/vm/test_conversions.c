/* Every explicit conversion of OpenCL C between scalars, in all rounding modes and saturated,
 * against long double, which holds every operand exactly. What OpenCL leaves open is as ops.def
 * says: an integer that does not fit wraps, a floating-point number that does not saturates. */
#include "reference/vm/convert.h"
#include "tests/unit/vm/kernel_run.h"
#include "trace/base/half.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fenv.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static const struct type {
    const char *name;
    uint32_t size;
    bool floating, is_signed;
    int precision, least_exponent, greatest_exponent; /* of 0.5 <= fraction < 1 */
} types[] = {
    {"char", 1, false, true, 0, 0, 0},          {"uchar", 1, false, false, 0, 0, 0},
    {"short", 2, false, true, 0, 0, 0},         {"ushort", 2, false, false, 0, 0, 0},
    {"int", 4, false, true, 0, 0, 0},           {"uint", 4, false, false, 0, 0, 0},
    {"long", 8, false, true, 0, 0, 0},          {"ulong", 8, false, false, 0, 0, 0},
    {"half", 2, true, true, 11, -13, 16},       {"float", 4, true, true, 24, -125, 128},
    {"double", 8, true, true, 53, -1021, 1024},
};
enum { TYPE_COUNT = sizeof types / sizeof types[0], INTEGER_COUNT = 8 };

/* The order of conversions.cl; NONE: "toward zero for integers, to nearest for the others". */
enum mode { NONE, TO_NEAREST, TO_ZERO, TO_POSITIVE, TO_NEGATIVE, MODE_COUNT };
enum { RESULT_COUNT = INTEGER_COUNT * 2 * MODE_COUNT + 3 * MODE_COUNT, VALUE_COUNT = 512 };

static uint64_t low_bits(uint64_t bits, uint32_t size)
{
    return size == 8 ? bits : bits & ((UINT64_C(1) << 8 * size) - 1);
}

static long double value_of(const struct type *type, uint64_t bits)
{
    float narrow;
    double wide;
    if (!type->floating) {
        const uint32_t unused = 64 - 8 * type->size;
        return type->is_signed ? (long double)((int64_t)(bits << unused) >> unused)
                               : (long double)bits;
    }
    switch (type->size) {
    case 2:
        return (long double)half_to_float((uint16_t)bits);
    case 4:
        memcpy(&narrow, &bits, sizeof narrow);
        return (long double)narrow;
    default:
        memcpy(&wide, &bits, sizeof wide);
        return (long double)wide;
    }
}

/* The bits of a value that the type holds. */
static uint64_t bits_of(const struct type *type, long double value)
{
    const float narrow = (float)value;
    const double wide = (double)value;
    uint64_t bits = 0;
    switch (type->size) {
    case 2:
        return half_from_float(narrow);
    case 4:
        memcpy(&bits, &narrow, sizeof narrow);
        return bits;
    default:
        memcpy(&bits, &wide, sizeof wide);
        return bits;
    }
}

static long double round_whole(long double x, enum mode mode)
{
    return mode == TO_NEAREST    ? rintl(x)
           : mode == TO_POSITIVE ? ceill(x)
           : mode == TO_NEGATIVE ? floorl(x)
                                 : truncl(x);
}

static uint64_t to_integer(const struct type *type, long double x, enum mode mode)
{
    const int width = (int)(8 * type->size);
    const long double least = type->is_signed ? -ldexpl(1, width - 1) : 0;
    const long double greatest = ldexpl(1, width - type->is_signed) - 1;
    const long double whole = round_whole(x, mode);
    if (isnan(x))
        return 0;
    if (whole <= least)
        return low_bits((uint64_t)(int64_t)least, type->size);
    if (whole >= greatest)
        return (uint64_t)greatest;
    return low_bits(whole < 0 ? (uint64_t)(int64_t)whole : (uint64_t)whole, type->size);
}

static uint64_t to_float(const struct type *type, long double x, enum mode mode)
{
    if (isnan(x) || isinf(x) || x == 0)
        return bits_of(type, x);
    int exponent;
    frexpl(x, &exponent);
    if (exponent < type->least_exponent)
        exponent = type->least_exponent;
    const int quantum = exponent - type->precision;
    const long double rounded =
        copysignl(ldexpl(round_whole(ldexpl(x, -quantum), mode), quantum), x);
    const long double limit = ldexpl(1, type->greatest_exponent);
    if (fabsl(rounded) < limit)
        return bits_of(type, rounded);
    const bool away =
        mode == TO_NEAREST || (mode == TO_POSITIVE && x > 0) || (mode == TO_NEGATIVE && x < 0);
    const long double greatest = limit - ldexpl(1, type->greatest_exponent - type->precision);
    return bits_of(type, copysignl(away ? (long double)INFINITY : greatest, x));
}

static uint64_t expected(const struct type *to, const struct type *from, uint64_t bits,
                         enum mode mode, bool saturated)
{
    const long double x = value_of(from, bits);
    if (to->floating)
        return to_float(to, x, mode == NONE ? TO_NEAREST : mode);
    if (!from->floating && !saturated) {
        const uint32_t unused = 64 - 8 * from->size;
        return low_bits(from->is_signed ? (uint64_t)((int64_t)(bits << unused) >> unused) : bits,
                        to->size);
    }
    return to_integer(to, x, mode);
}

/* ---- operands ---- */

static uint64_t random_state;

static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

/* Around the powers of two, where types end and floating-point numbers lose places; ties; and any
 * bits. */
static uint64_t operand(const struct type *type, unsigned index)
{
    static const double offsets[] = {0, 1, -1, 0.5, -0.5, 1.5, 0.25, -0.75};
    const uint64_t random = random_bits();
    if (index % 4 == 0)
        return low_bits(random, type->size);
    if (!type->floating) {
        const uint64_t power = UINT64_C(1) << random % 64;
        const uint64_t bits = power + (uint64_t)(int64_t)offsets[index / 4 % 3];
        return low_bits(index % 4 == 1   ? bits
                        : index % 4 == 2 ? 0 - bits
                                         : random >> random % 60,
                        type->size);
    }
    const int exponent = index % 4 == 3 ? (int)(random % 200) - 150 : (int)(random % 66);
    const long double sign = random >> 32 & 1 ? -1 : 1;
    const long double value = (ldexpl(1, exponent) + (long double)offsets[index / 4 % 8]) * sign;
    return bits_of(type, value);
}

/* While the kernel runs, the host rounds as host_mode says. */
static void check_from(const char *module, const struct type *from, int host_mode)
{
    static uint64_t found[VALUE_COUNT][RESULT_COUNT];
    static uint8_t in[VALUE_COUNT * 8];
    char kernel[32];
    struct kernel_run run;
    for (unsigned i = 0; i < VALUE_COUNT; i++) {
        const uint64_t bits = operand(from, i);
        memcpy(in + i * from->size, &bits, from->size);
    }
    snprintf(kernel, sizeof kernel, "from_%s", from->name);
    kernel_run_create(&run, module, kernel);
    kernel_run_set_buffer(&run, 0, NULL, sizeof found);
    kernel_run_set_buffer(&run, 1, in, VALUE_COUNT * from->size);
    fesetround(host_mode);
    kernel_run_execute(&run, VALUE_COUNT, VALUE_COUNT);
    assert_int_equal(fegetround(), host_mode);
    fesetround(FE_TONEAREST);
    kernel_run_get_buffer(&run, 0, found, sizeof found);
    for (unsigned i = 0; i < VALUE_COUNT; i++) {
        uint64_t bits = 0;
        memcpy(&bits, in + i * from->size, from->size);
        const uint64_t *result = found[i];
        for (unsigned t = 0; t < TYPE_COUNT; t++) {
            for (unsigned form = 0; form < (types[t].floating ? 1U : 2U) * MODE_COUNT; form++) {
                const enum mode mode = form % MODE_COUNT;
                const uint64_t want = expected(&types[t], from, bits, mode, form >= MODE_COUNT);
                const uint64_t got = *result++;
                const bool nans = types[t].floating && isnan(value_of(&types[t], want)) &&
                                  isnan(value_of(&types[t], got));
                if (got != want && !nans)
                    fail_msg("%s: %s %#llx (%Lg) to %s, mode %d%s: %#llx, not %#llx", module,
                             from->name, (unsigned long long)bits, value_of(from, bits),
                             types[t].name, (int)mode, form >= MODE_COUNT ? ", saturated" : "",
                             (unsigned long long)got, (unsigned long long)want);
            }
        }
    }
    kernel_run_destroy(&run);
}

static void check_all(const char *module)
{
    random_state = 0x9e3779b97f4a7c15u;
    for (unsigned t = 0; t < TYPE_COUNT; t++)
        check_from(module, &types[t], FE_TONEAREST);
}

static void conversions_of_unoptimised_code_are_exact(void **state)
{
    (void)state;
    check_all("conversions-O0");
}

static void conversions_of_optimised_code_are_exact(void **state)
{
    (void)state;
    check_all("conversions-O2");
}

static void the_hosts_rounding_mode_does_not_matter(void **state)
{
    (void)state;
    random_state = 0x9e3779b97f4a7c15u;
    check_from("conversions-O0", &types[TYPE_COUNT - 1], FE_UPWARD);
    check_from("conversions-O0", &types[6], FE_DOWNWARD);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conversions_of_unoptimised_code_are_exact),
        cmocka_unit_test(conversions_of_optimised_code_are_exact),
        cmocka_unit_test(the_hosts_rounding_mode_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
