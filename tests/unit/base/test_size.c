#include "trace/base/size.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void sums_and_products_are_checked(void **state)
{
    (void)state;
    uint64_t result = 42;
    assert_true(size_add(UINT64_MAX - 1, 1, &result));
    assert_true(result == UINT64_MAX);
    result = 42;
    assert_false(size_add(UINT64_MAX, 1, &result));
    assert_false(size_mul(UINT64_MAX / 2, 3, &result));
    assert_int_equal(result, 42);
    assert_true(size_mul(UINT64_C(1) << 32, (UINT64_C(1) << 32) - 1, &result));
    assert_true(result == UINT64_MAX - ((UINT64_C(1) << 32) - 1));
    assert_true(size_mul(UINT64_MAX, 0, &result));
    assert_int_equal(result, 0);
}

static void ranges_end_at_the_limit(void **state)
{
    (void)state;
    assert_true(range_within(0, 16, 16));
    assert_true(range_within(16, 0, 16));
    assert_true(range_within(0, 0, 0));
    assert_false(range_within(0, 17, 16));
    assert_false(range_within(1, 16, 16));
    assert_false(range_within(17, 0, 16));
}

static void ranges_do_not_wrap(void **state)
{
    (void)state;
    assert_false(range_within(UINT64_MAX, 1, 16));
    assert_false(range_within(8, UINT64_MAX, 16));
    assert_false(range_within(UINT64_MAX - 3, 8, 16));
    assert_true(range_within(UINT64_MAX, 0, UINT64_MAX));
}

static void alignment_rounds_up(void **state)
{
    (void)state;
    assert_int_equal(size_align(0, 64), 0);
    assert_int_equal(size_align(1, 64), 64);
    assert_int_equal(size_align(64, 64), 64);
    assert_int_equal(size_align(65, 64), 128);
    assert_int_equal(size_align(7, 1), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_and_products_are_checked),
        cmocka_unit_test(ranges_end_at_the_limit),
        cmocka_unit_test(ranges_do_not_wrap),
        cmocka_unit_test(alignment_rounds_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
