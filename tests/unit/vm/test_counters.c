/* Lines of global memory and banks of local memory that an access of 64 work-items needs. */
#include "reference/vm/access.h"
#include "reference/vm/counters.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* What is counted of lanes of `mask` that access `size` bytes each, `stride` bytes apart. */
static struct vm_access_counts count(enum observer_region region, uint32_t size, uint64_t place,
                                     int64_t stride, uint64_t mask)
{
    struct vm_access_counts counts = {0};
    struct vm_counters counters = {.accesses = &counts};
    struct vm_run run = {.counters = &counters};
    struct vm_vector vector = {.run = &run};
    struct vm_object object = {.identity = {.region = region}, .root = &object};
    const struct access access = {.vector = &vector, .kind = OBSERVER_READ, .size = size};
    const struct access_span span = {.object = &object,
                                     .mask = mask,
                                     .last = VM_LANES - 1,
                                     .strided = true,
                                     .place = place,
                                     .stride = stride,
                                     .run_shift = ACCESS_NO_RUNS};
    vm_counters_access(&access, &span);
    return counts;
}

static const uint64_t all = ~UINT64_C(0);

static void check_lines(uint32_t size, uint64_t place, int64_t stride, uint64_t mask,
                        uint64_t lines, uint64_t least)
{
    const struct vm_access_counts counts = count(OBSERVER_GLOBAL, size, place, stride, mask);
    assert_int_equal(counts.global_lines, lines);
    assert_int_equal(counts.global_least, least);
    assert_int_equal(counts.local_turns, 0);
    assert_int_equal(counts.local_least, 0);
}

static void global_memory_is_counted_by_lines(void **state)
{
    (void)state;
    check_lines(4, 0, 4, all, 2, 2);
    check_lines(4, 64, 4, all, 4, 2); /* both halves begin within a line */
    check_lines(4, 0, 8, all, 4, 2);
    check_lines(4, 0, 128, all, 64, 2);
    check_lines(4, 0, 0, all, 2, 2); /* all lanes read one number */
    check_lines(16, 0, 16, all, 8, 8);
    check_lines(4, 126, 4, 1, 2, 1); /* across an edge */
    check_lines(1, 0, 1, all, 2, 2);
}

static void check_turns(uint32_t size, int64_t stride, uint64_t mask, uint64_t turns,
                        uint64_t least)
{
    const struct vm_access_counts counts = count(OBSERVER_LOCAL, size, 0, stride, mask);
    assert_int_equal(counts.local_turns, turns);
    assert_int_equal(counts.local_least, least);
    assert_int_equal(counts.global_lines, 0);
    assert_int_equal(counts.global_least, 0);
}

static void local_memory_is_counted_by_banks(void **state)
{
    (void)state;
    check_turns(4, 4, all, 2, 2);
    check_turns(4, 8, all, 4, 2);
    check_turns(4, 12, all, 2, 2); /* an odd number of banks apart */
    check_turns(4, 128, all, 64, 2);
    check_turns(4, 0, all, 2, 2);
    check_turns(1, 1, all, 2, 2);   /* four lanes in one word */
    check_turns(8, 8, all, 4, 4);   /* sixteen lanes want all banks */
    check_turns(16, 16, all, 8, 8); /* eight do */
    check_turns(4, 128, 7, 3, 1);
}

static void private_memory_is_not_counted(void **state)
{
    (void)state;
    const struct vm_access_counts counts = count(OBSERVER_PRIVATE, 4, 0, 4, all);
    assert_int_equal(counts.global_lines + counts.local_turns, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(global_memory_is_counted_by_lines),
        cmocka_unit_test(local_memory_is_counted_by_banks),
        cmocka_unit_test(private_memory_is_not_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
