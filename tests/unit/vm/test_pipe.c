/* The order of packets and reservations, without any kernel. */
#include "reference/vm/pipe.h"
#include "trace/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { OBJECT = 5, SITE = 17 };

static struct vm_run run;

static struct vm_pipe *pipe_of(uint32_t capacity)
{
    struct vm_pipe *pipe = vm_pipe_create(OBJECT, 12, capacity);
    assert_non_null(pipe);
    run.pipes = NULL;
    vm_pipe_join(pipe, &run);
    return pipe;
}

static void never(void *user, uint32_t object, enum vm_pipe_end end,
                  const struct vm_reservation *reservation)
{
    (void)user;
    (void)object;
    (void)end;
    (void)reservation;
    fail();
}

static uint64_t pass(struct vm_pipe *pipe, enum vm_pipe_end end)
{
    uint64_t packet;
    assert_true(vm_pipe_pass(pipe, end, &packet));
    return packet;
}

static bool passes(struct vm_pipe *pipe, enum vm_pipe_end end)
{
    uint64_t packet;
    return vm_pipe_pass(pipe, end, &packet);
}

static void commit(struct vm_pipe *pipe, enum vm_pipe_end end, uint64_t id)
{
    struct vm_reservation *reservation;
    assert_int_equal(vm_pipe_find(pipe, &run, end, id, &reservation), OBSERVER_PIPE_RIGHT);
    vm_pipe_commit(pipe, end, reservation);
}

static void packets_come_out_as_they_went_in(void **state)
{
    (void)state;
    struct vm_pipe *pipe = pipe_of(3);
    for (uint64_t n = 0; n < 10; n++) {
        assert_int_equal(pass(pipe, VM_PIPE_WRITE), n);
        assert_int_equal(vm_pipe_available(pipe), 1);
        assert_int_equal(pass(pipe, VM_PIPE_READ), n);
        assert_int_equal(vm_pipe_offset(pipe, n), n % 3 * 12);
    }
    vm_pipe_destroy(pipe);
}

static void a_full_and_an_empty_pipe_say_so(void **state)
{
    (void)state;
    struct vm_pipe *pipe = pipe_of(2);
    assert_false(passes(pipe, VM_PIPE_READ));
    assert_int_equal(vm_pipe_reserve(pipe, &run, VM_PIPE_READ, 1, SITE), 0);
    pass(pipe, VM_PIPE_WRITE);
    assert_int_equal(vm_pipe_reserve(pipe, &run, VM_PIPE_WRITE, 2, SITE), 0);
    assert_int_equal(vm_pipe_reserve(pipe, &run, VM_PIPE_WRITE, UINT64_C(1) << 32, SITE), 0);
    pass(pipe, VM_PIPE_WRITE);
    assert_false(passes(pipe, VM_PIPE_WRITE));
    vm_pipe_destroy(pipe);
}

/* Readers see none of what was reserved later before the first is committed. */
static void writers_commit_in_any_order(void **state)
{
    (void)state;
    struct vm_pipe *pipe = pipe_of(8);
    const uint64_t first = vm_pipe_reserve(pipe, &run, VM_PIPE_WRITE, 2, SITE);
    const uint64_t second = vm_pipe_reserve(pipe, &run, VM_PIPE_WRITE, 3, SITE);
    assert_int_not_equal(first, 0);
    assert_int_not_equal(first, second);
    assert_int_equal(pass(pipe, VM_PIPE_WRITE), 5);
    commit(pipe, VM_PIPE_WRITE, second);
    assert_int_equal(vm_pipe_available(pipe), 0);
    commit(pipe, VM_PIPE_WRITE, first);
    assert_int_equal(vm_pipe_available(pipe), 6);
    vm_pipe_destroy(pipe);
}

static void readers_make_room_in_order(void **state)
{
    (void)state;
    struct vm_pipe *pipe = pipe_of(4);
    for (int i = 0; i < 4; i++)
        pass(pipe, VM_PIPE_WRITE);
    const uint64_t first = vm_pipe_reserve(pipe, &run, VM_PIPE_READ, 1, SITE);
    const uint64_t second = vm_pipe_reserve(pipe, &run, VM_PIPE_READ, 2, SITE);
    assert_int_equal(vm_pipe_available(pipe), 1);
    commit(pipe, VM_PIPE_READ, second);
    assert_false(passes(pipe, VM_PIPE_WRITE));
    commit(pipe, VM_PIPE_READ, first);
    for (int i = 0; i < 3; i++)
        pass(pipe, VM_PIPE_WRITE);
    assert_false(passes(pipe, VM_PIPE_WRITE));
    vm_pipe_destroy(pipe);
}

static enum observer_pipe_misuse misuse(struct vm_pipe *pipe, enum vm_pipe_end end, uint64_t id)
{
    struct vm_reservation *reservation;
    const enum observer_pipe_misuse found = vm_pipe_find(pipe, &run, end, id, &reservation);
    assert_int_equal(reservation != NULL, found == OBSERVER_PIPE_RIGHT);
    return found;
}

static void ids_are_told_apart(void **state)
{
    (void)state;
    struct vm_pipe *pipe = pipe_of(8);
    const uint64_t first = vm_pipe_reserve(pipe, &run, VM_PIPE_WRITE, 1, SITE);
    const uint64_t second = vm_pipe_reserve(pipe, &run, VM_PIPE_WRITE, 1, SITE);
    struct vm_pipe *other = vm_pipe_create(OBJECT + 1, 12, 8);
    const uint64_t third = vm_pipe_reserve(other, &run, VM_PIPE_WRITE, 1, SITE);
    assert_int_equal(misuse(pipe, VM_PIPE_WRITE, 0), OBSERVER_PIPE_NO_RESERVATION);
    assert_int_equal(misuse(pipe, VM_PIPE_WRITE, 1), OBSERVER_PIPE_OTHER_RESERVATION);
    assert_int_equal(misuse(pipe, VM_PIPE_WRITE, UINT64_MAX), OBSERVER_PIPE_OTHER_RESERVATION);
    assert_int_equal(misuse(pipe, VM_PIPE_WRITE, second + 2), OBSERVER_PIPE_OTHER_RESERVATION);
    assert_int_equal(misuse(pipe, VM_PIPE_WRITE, third), OBSERVER_PIPE_OTHER_RESERVATION);
    assert_int_equal(misuse(pipe, VM_PIPE_READ, first), OBSERVER_PIPE_OTHER_RESERVATION);
    assert_int_equal(misuse(pipe, VM_PIPE_WRITE, second), OBSERVER_PIPE_RIGHT);
    commit(pipe, VM_PIPE_WRITE, second);
    assert_int_equal(misuse(pipe, VM_PIPE_WRITE, second), OBSERVER_PIPE_COMMITTED);
    commit(pipe, VM_PIPE_WRITE, first);
    assert_int_equal(misuse(pipe, VM_PIPE_WRITE, first), OBSERVER_PIPE_COMMITTED);
    vm_pipes_end(&run, never, NULL);
    assert_null(run.pipes);
    vm_pipe_join(pipe, &run);
    vm_pipe_join(other, &run);
    vm_pipe_join(pipe, &run);
    assert_int_equal(misuse(pipe, VM_PIPE_WRITE, second), OBSERVER_PIPE_OTHER_LAUNCH);
    vm_pipe_destroy(pipe);
    vm_pipe_destroy(other);
}

static void count_lost(void *user, uint32_t object, enum vm_pipe_end end,
                       const struct vm_reservation *reservation)
{
    assert_int_equal(object, OBJECT);
    uint32_t *counts = user;
    counts[end] += reservation->count;
    assert_int_equal(reservation->site, SITE);
}

/* What a launch leaves open is told, and does not close the pipe to others. */
static void what_is_left_open_counts_as_committed(void **state)
{
    (void)state;
    uint32_t counts[2] = {0};
    struct vm_pipe *pipe = pipe_of(8);
    pass(pipe, VM_PIPE_WRITE);
    assert_int_not_equal(vm_pipe_reserve(pipe, &run, VM_PIPE_READ, 1, SITE), 0);
    assert_int_not_equal(vm_pipe_reserve(pipe, &run, VM_PIPE_WRITE, 3, SITE), 0);
    pass(pipe, VM_PIPE_WRITE);
    assert_int_not_equal(vm_pipe_reserve(pipe, &run, VM_PIPE_WRITE, 2, SITE), 0);
    vm_pipes_end(&run, count_lost, counts);
    assert_int_equal(counts[VM_PIPE_READ], 1);
    assert_int_equal(counts[VM_PIPE_WRITE], 5);
    assert_int_equal(vm_pipe_available(pipe), 6);
    assert_int_equal(pass(pipe, VM_PIPE_READ), 1);
    vm_pipe_destroy(pipe);
}

static void both_ends_are_noticed_within_one_launch(void **state)
{
    (void)state;
    struct vm_pipe *pipe = pipe_of(8);
    assert_false(vm_pipe_use(pipe, &run, VM_PIPE_WRITE));
    assert_false(vm_pipe_is_used(pipe, &run, VM_PIPE_READ));
    vm_pipes_end(&run, never, NULL);
    vm_pipe_join(pipe, &run);
    assert_false(vm_pipe_is_used(pipe, &run, VM_PIPE_WRITE));
    assert_false(vm_pipe_use(pipe, &run, VM_PIPE_READ));
    assert_false(vm_pipe_use(pipe, &run, VM_PIPE_READ));
    assert_true(vm_pipe_use(pipe, &run, VM_PIPE_WRITE));
    vm_pipe_destroy(pipe);
}

/* Two launches are under way: each has an end of its own, and what one leaves open is told of it.
 */
static void launches_beside_each_other_are_told_apart(void **state)
{
    (void)state;
    struct vm_run second = {.pipes = NULL};
    struct vm_reservation *reservation;
    uint32_t counts[2] = {0};
    struct vm_pipe *pipe = pipe_of(8);
    vm_pipe_join(pipe, &second);
    assert_false(vm_pipe_use(pipe, &run, VM_PIPE_WRITE));
    assert_false(vm_pipe_use(pipe, &second, VM_PIPE_READ));
    const uint64_t first = vm_pipe_reserve(pipe, &run, VM_PIPE_WRITE, 2, SITE);
    assert_int_equal(vm_pipe_find(pipe, &second, VM_PIPE_WRITE, first, &reservation),
                     OBSERVER_PIPE_OTHER_LAUNCH);
    vm_pipes_end(&second, never, NULL);
    assert_int_equal(vm_pipe_find(pipe, &run, VM_PIPE_WRITE, first, &reservation),
                     OBSERVER_PIPE_RIGHT);
    vm_pipes_end(&run, count_lost, counts);
    assert_int_equal(counts[VM_PIPE_WRITE], 2);
    vm_pipe_destroy(pipe);
}

/* Many open reservations, committed as in a queue: their list neither grows without end nor mixes
 * them up. */
static void reservations_go_on_for_long(void **state)
{
    (void)state;
    enum { OPEN = 37, ROUNDS = 5000 };
    uint64_t ids[OPEN] = {0};
    struct vm_pipe *pipe = pipe_of(OPEN);
    for (int i = 0; i < ROUNDS; i++) {
        if (i >= OPEN) {
            commit(pipe, VM_PIPE_WRITE, ids[i % OPEN]);
            assert_int_equal(pass(pipe, VM_PIPE_READ), i - OPEN);
        }
        ids[i % OPEN] = vm_pipe_reserve(pipe, &run, VM_PIPE_WRITE, 1, SITE);
        assert_int_not_equal(ids[i % OPEN], 0);
    }
    vm_pipe_destroy(pipe);
}

static void without_memory_nothing_is_reserved(void **state)
{
    (void)state;
    struct vm_pipe *pipe = pipe_of(4);
    alloc_fail_at(1);
    assert_int_equal(vm_pipe_reserve(pipe, &run, VM_PIPE_WRITE, 1, SITE), 0);
    alloc_fail_at(0);
    assert_int_equal(vm_pipe_available(pipe), 0);
    assert_int_equal(pass(pipe, VM_PIPE_WRITE), 0);
    alloc_fail_at(1);
    assert_null(vm_pipe_create(OBJECT, 4, 4));
    alloc_fail_at(0);
    vm_pipe_destroy(pipe);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packets_come_out_as_they_went_in),
        cmocka_unit_test(a_full_and_an_empty_pipe_say_so),
        cmocka_unit_test(writers_commit_in_any_order),
        cmocka_unit_test(readers_make_room_in_order),
        cmocka_unit_test(ids_are_told_apart),
        cmocka_unit_test(what_is_left_open_counts_as_committed),
        cmocka_unit_test(both_ends_are_noticed_within_one_launch),
        cmocka_unit_test(launches_beside_each_other_are_told_apart),
        cmocka_unit_test(reservations_go_on_for_long),
        cmocka_unit_test(without_memory_nothing_is_reserved),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
