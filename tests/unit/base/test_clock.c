#include "trace/base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { TOLERANCE_NS = 20000 };

/* For a tenth of a second: many periods, whatever interrupts them. */
static void it_goes_as_the_kernels_clock_does(void **state)
{
    (void)state;
    struct clock clock = {0};
    const uint64_t end = clock_monotonic_ns() + 100000000;
    uint64_t before = clock_monotonic_ns();
    while (before < end) {
        const uint64_t now = clock_now_ns(&clock);
        const uint64_t after = clock_monotonic_ns();
        assert_true(now + TOLERANCE_NS >= before);
        assert_true(now <= after + TOLERANCE_NS);
        before = after;
    }
}

static void it_never_goes_back(void **state)
{
    (void)state;
    struct clock clock = {0};
    uint64_t last = 0;
    for (unsigned i = 0; i < 1000000; i++) {
        const uint64_t now = clock_now_ns(&clock);
        assert_true(now >= last);
        last = now;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_goes_as_the_kernels_clock_does),
        cmocka_unit_test(it_never_goes_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
