/* Clocks against plain arrays of bounds: whatever is added, joined and collected, each strand's
 * bound is the highest that was said of it, and clocks that say the same are the same. */
#include "checkers/order/clocks.h"
#include "checkers/order/order.h"
#include "trace/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { CLOCKS = 8, GROUPS = 40, VECTORS = 2, STEPS = 20000 };

struct plain {
    uint32_t bounds[GROUPS][VECTORS][ORDER_LANES];
};

static uint64_t state_of_random = 7;

static uint32_t draw(uint32_t below)
{
    state_of_random ^= state_of_random << 13;
    state_of_random ^= state_of_random >> 7;
    state_of_random ^= state_of_random << 17;
    return (uint32_t)((state_of_random >> 20) % below);
}

static void raise_to(uint32_t *bound, uint32_t to)
{
    *bound = *bound < to ? to : *bound;
}

static void join(struct plain *into, const struct plain *from)
{
    for (uint32_t group = 0; group < GROUPS; group++) {
        for (uint32_t vector = 0; vector < VECTORS; vector++) {
            for (uint32_t lane = 0; lane < ORDER_LANES; lane++) {
                raise_to(&into->bounds[group][vector][lane], from->bounds[group][vector][lane]);
            }
        }
    }
}

static void add(struct clocks *clocks, uint32_t *clock, struct plain *plain)
{
    const uint32_t group = draw(GROUPS);
    const uint32_t vector = draw(VECTORS);
    const uint32_t bound = 1 + draw(50);
    const uint64_t mask = (uint64_t)draw(UINT32_MAX) << 32 | draw(UINT32_MAX) | 1;
    *clock = clocks_add(clocks, *clock, group, vector, mask, bound);
    for (uint32_t lane = 0; lane < ORDER_LANES; lane++) {
        if ((mask >> lane & 1) != 0) {
            raise_to(&plain->bounds[group][vector][lane], bound);
        }
    }
}

static void clocks_say_what_was_said(void **state)
{
    (void)state;
    struct clocks clocks = {0};
    uint32_t made[CLOCKS] = {CLOCK_EMPTY};
    struct plain *plain = alloc_zero(CLOCKS, sizeof *plain);
    assert_non_null(plain);
    clocks_reset(&clocks);
    for (uint32_t step = 0; step < STEPS; step++) {
        const uint32_t a = draw(CLOCKS);
        const uint32_t b = draw(CLOCKS);
        if (draw(64) == 0) {
            made[a] = CLOCK_EMPTY;
            memset(&plain[a], 0, sizeof plain[a]);
        } else if (draw(3) == 0) {
            made[a] = clocks_join(&clocks, made[a], made[b]);
            join(&plain[a], &plain[b]);
        } else {
            add(&clocks, &made[a], &plain[a]);
        }
        if (draw(500) == 0) {
            assert_true(clocks_collect_begin(&clocks, NULL));
            for (uint32_t i = 0; i < CLOCKS; i++) {
                made[i] = clocks_keep(&clocks, made[i]);
            }
            clocks_collect_end(&clocks);
        }
        const uint32_t group = draw(GROUPS);
        const uint32_t vector = draw(VECTORS);
        const uint32_t lane = draw(ORDER_LANES);
        assert_int_equal(clocks_bound(&clocks, made[a], group, vector, lane),
                         plain[a].bounds[group][vector][lane]);
        assert_int_equal(made[a] == made[b], memcmp(&plain[a], &plain[b], sizeof *plain) == 0);
    }
    assert_false(clocks.failed);
    clocks_release(&clocks);
    alloc_free(plain);
}

static void bounds_follow_records_that_are_numbered_anew(void **state)
{
    (void)state;
    struct clocks clocks = {0};
    const uint32_t bounds[] = {0, 1, 1, 2, 2, 3};
    clocks_reset(&clocks);
    uint32_t clock = clocks_add(&clocks, CLOCK_EMPTY, 1, 0, 1, 5);
    clock = clocks_add(&clocks, clock, 1, 0, 6, 3);
    clock = clocks_add(&clocks, clock, 2, CLOCK_GROUP_VECTOR, ~UINT64_C(0), 4);
    assert_true(clocks_collect_begin(&clocks, bounds));
    clock = clocks_keep(&clocks, clock);
    clocks_collect_end(&clocks);
    assert_int_equal(clocks_bound(&clocks, clock, 1, 0, 0), 3);
    assert_int_equal(clocks_bound(&clocks, clock, 1, 0, 2), 2);
    assert_int_equal(clocks_bound(&clocks, clock, 1, 0, 3), 0);
    assert_int_equal(clocks_bound(&clocks, clock, 2, CLOCK_GROUP_VECTOR, 9), 2);
    clocks_release(&clocks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_say_what_was_said),
        cmocka_unit_test(bounds_follow_records_that_are_numbered_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
