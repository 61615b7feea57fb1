#include "layer/probes/byte_ranges.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>

enum { BYTES = 40 };

/* Ascending, none empty, and none touches the next. */
static void assert_is_sound(const struct byte_ranges *ranges)
{
    for (size_t i = 0; i < ranges->count; i++) {
        assert_true(ranges->items[i].begin < ranges->items[i].end);
        if (i > 0)
            assert_true(ranges->items[i - 1].end < ranges->items[i].begin);
    }
}

static void assert_is(const struct byte_ranges *ranges, const unsigned char *bytes)
{
    assert_is_sound(ranges);
    for (uint64_t begin = 0; begin < BYTES; begin++) {
        unsigned char all = 1;
        for (uint64_t end = begin + 1; end <= BYTES; end++) {
            all &= bytes[end - 1];
            assert_int_equal(byte_ranges_hold(ranges, begin, end), all);
        }
    }
}

static void ranges_are_what_a_row_of_bytes_is(void **state)
{
    (void)state;
    srand(1);
    for (int round = 0; round < 200; round++) {
        unsigned char bytes[BYTES] = {0};
        struct byte_ranges ranges = {0};
        for (int step = 0; step < 20; step++) {
            const uint64_t begin = (uint64_t)rand() % BYTES;
            const uint64_t end = begin + (uint64_t)rand() % (BYTES - begin + 1) / 3;
            const unsigned char adds = rand() % 3 != 0;
            assert_true(adds ? byte_ranges_add(&ranges, begin, end)
                             : byte_ranges_remove(&ranges, begin, end));
            for (uint64_t i = begin; i < end; i++)
                bytes[i] = adds;
            assert_is(&ranges, bytes);
        }
        byte_ranges_release(&ranges);
    }
}

static void too_many_ranges_are_refused(void **state)
{
    struct byte_ranges ranges = {0};
    uint64_t count = 0;
    (void)state;
    while (byte_ranges_add(&ranges, 2 * count, 2 * count + 1))
        count++;
    assert_int_equal(count, ranges.count);
    assert_true(count >= 1000 && count < 100000);
    assert_false(byte_ranges_hold(&ranges, 2 * count, 2 * count + 1));
    assert_true(byte_ranges_hold(&ranges, 0, 1));
    byte_ranges_release(&ranges);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ranges_are_what_a_row_of_bytes_is),
        cmocka_unit_test(too_many_ranges_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
