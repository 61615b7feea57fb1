#include "reference/sched/permute.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

static void every_index_comes_once_in_each_order(void **state)
{
    (void)state;
    static const enum sched_order orders[] = {SCHED_ASCENDING, SCHED_DESCENDING, SCHED_SEEDED};
    static uint8_t seen[1000];
    for (uint32_t order = 0; order < 3; order++) {
        for (uint64_t count = 1; count <= sizeof seen;
             count = count < 20 ? count + 1 : count * 2 - 7) {
            memset(seen, 0, sizeof seen);
            for (uint64_t i = 0; i < count; i++)
                seen[permute(orders[order], 99, 5, i, count)]++;
            for (uint64_t i = 0; i < count; i++)
                assert_int_equal(seen[i], 1);
        }
    }
}

static void a_large_count_stays_in_range(void **state)
{
    (void)state;
    const uint64_t count = UINT64_C(0x8000000000000001);
    for (uint64_t i = 0; i < 1000; i++)
        assert_true(permute(SCHED_SEEDED, i, 0, count - 1 - i, count) < count);
}

static void seeds_and_streams_differ(void **state)
{
    (void)state;
    uint32_t same = 0;
    for (uint64_t i = 0; i < 64; i++)
        same += permute(SCHED_SEEDED, 1, 0, i, 64) == permute(SCHED_SEEDED, 1, 1, i, 64);
    assert_true(same < 16);
    same = 0;
    for (uint64_t i = 0; i < 64; i++)
        same += permute(SCHED_SEEDED, 1, 0, i, 64) == permute(SCHED_SEEDED, 2, 0, i, 64);
    assert_true(same < 16);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_index_comes_once_in_each_order),
        cmocka_unit_test(a_large_count_stays_in_range),
        cmocka_unit_test(seeds_and_streams_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
