/* Reader states: what is put into the pool comes out again, and what is alike is there once. */
#include "checkers/order/readers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { GROUP_UPDATE = READERS_ATOMIC_WRITE + OBSERVER_SCOPE_WORK_GROUP };

static struct readers device_readers(void)
{
    struct readers readers = {.widest = OBSERVER_SCOPE_DEVICE};
    readers_reset(&readers);
    return readers;
}

static struct reader_set group_updates(uint32_t older, uint32_t newer)
{
    struct reader_set set = {.present = 1U << GROUP_UPDATE, .level = OBSERVER_SCOPE_WORK_ITEM};
    set.pairs[GROUP_UPDATE] = (struct reader_pair){.older = older, .newer = newer};
    return set;
}

static uint32_t pack(struct readers *readers, struct reader_set set)
{
    uint32_t r;
    uint32_t n;
    assert_true(readers_pack(readers, &set, &r, &n));
    assert_int_equal(n, ENTRY_STATE);
    struct reader_set back;
    readers_unpack(readers, r, n, &back);
    assert_int_equal(back.present, set.present);
    assert_int_equal(back.saturated, set.saturated);
    assert_int_equal(back.level, set.level);
    assert_memory_equal(&back.pairs[GROUP_UPDATE], &set.pairs[GROUP_UPDATE],
                        sizeof set.pairs[GROUP_UPDATE]);
    return r;
}

/* Lanes take turns on many cells, as in a loop over a buffer: a state for each lane will do. */
static void a_strand_has_one_state_of_its_own(void **state)
{
    (void)state;
    struct readers readers = device_readers();
    uint32_t states[ORDER_LANES];
    for (uint32_t lane = 0; lane < ORDER_LANES; lane++) {
        states[lane] = pack(&readers, group_updates(entry_make(1, lane), 0));
    }
    const size_t size = readers.size;
    for (uint32_t lane = 0; lane < ORDER_LANES; lane++) {
        assert_int_equal(pack(&readers, group_updates(entry_make(1, lane), 0)), states[lane]);
    }
    assert_int_equal(readers.size, size);
    readers_release(&readers);
}

static void a_later_record_has_another_state(void **state)
{
    (void)state;
    struct readers readers = device_readers();
    const uint32_t first = pack(&readers, group_updates(entry_make(1, 5), 0));
    assert_int_not_equal(pack(&readers, group_updates(entry_make(2, 5), 0)), first);
    readers_release(&readers);
}

static void states_of_two_members_are_shared(void **state)
{
    (void)state;
    struct readers readers = device_readers();
    const uint32_t a = entry_make(1, 0);
    const uint32_t b = entry_make(2, 0);
    const uint32_t first = pack(&readers, group_updates(a, b));
    assert_int_not_equal(pack(&readers, group_updates(b, a)), first);
    assert_int_equal(pack(&readers, group_updates(a, b)), first);
    readers_release(&readers);
}

static void a_reset_forgets_the_last_states(void **state)
{
    (void)state;
    struct readers readers = device_readers();
    pack(&readers, group_updates(entry_make(1, 0), 0));
    pack(&readers, group_updates(entry_make(1, 1), 0));
    readers_reset(&readers);
    const uint32_t lane_1 = pack(&readers, group_updates(entry_make(1, 1), 0));
    const uint32_t lane_0 = pack(&readers, group_updates(entry_make(1, 0), 0));
    assert_int_not_equal(lane_0, lane_1);
    readers_release(&readers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_strand_has_one_state_of_its_own),
        cmocka_unit_test(a_later_record_has_another_state),
        cmocka_unit_test(states_of_two_members_are_shared),
        cmocka_unit_test(a_reset_forgets_the_last_states),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
