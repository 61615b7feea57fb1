#include "trace/base/half.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* The value by the definition of the format. */
static double meaning(unsigned bits)
{
    const int exponent = bits >> 10 & 31;
    const int fraction = bits & 1023;
    return exponent == 0 ? ldexp(fraction, -24) : ldexp(fraction + 1024, exponent - 25);
}

static void every_half_has_its_value(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 0x7c00; bits++) {
        assert_true(half_to_float((uint16_t)bits) == (float)meaning(bits));
        assert_true(half_to_float((uint16_t)(bits | 0x8000)) == (float)-meaning(bits));
        assert_int_equal(half_from_double(meaning(bits)), bits);
        assert_int_equal(half_from_double(-meaning(bits)), bits | 0x8000);
    }
    assert_true(half_to_float(0x7c00) == INFINITY && half_to_float(0xfc00) == -INFINITY);
    assert_true(isnan(half_to_float(0x7c01)) && isnan(half_to_float(0xffff)));
    assert_int_equal(half_from_double(NAN), 0x7e00);
    assert_int_equal(half_from_double(-INFINITY), 0xfc00);
}

/* The middle between neighbours goes to the even one, what is a little beside it does not. */
static void doubles_are_rounded_once(void **state)
{
    (void)state;
    for (unsigned bits = 0; bits < 0x7c00; bits++) {
        const double next = bits == 0x7bff ? 65536 : meaning(bits + 1);
        const double middle = (meaning(bits) + next) / 2;
        const double little = middle * 0x1p-50;
        assert_int_equal(half_from_double(middle), bits + (bits & 1));
        assert_int_equal(half_from_double(middle - little), bits);
        assert_int_equal(half_from_double(middle + little), bits + 1);
        assert_int_equal(half_from_double(-middle - little), (bits + 1) | 0x8000);
    }
    assert_int_equal(half_from_double(1e300), 0x7c00);
    assert_int_equal(half_from_double(-1e-300), 0x8000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_half_has_its_value),
        cmocka_unit_test(doubles_are_rounded_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
