/* Launches whose bytes are told once they have ended (checkers/host/commands/awaited.h), with the
 * uses (checkers/order/uses.h) that ask for it. */
#include "checkers/host/commands/awaited.h"
#include "trace/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { BUFFER = 7, OTHER = 8, SIZE = 64 };

static struct commands *commands;
static struct commands_queue *queue; /* out of order */
static struct uses *uses;
static struct awaited *awaited;
static int certain_count, unclear_count;
static struct uses_conflict found;
static struct use_origin found_earlier, found_later;

static void report(void *user, const struct uses_conflict *conflict)
{
    const bool unclear = conflict->earlier.possible || conflict->later.possible;
    (void)user;
    unclear_count += unclear;
    certain_count += !unclear;
    found = *conflict;
    found_earlier = *conflict->earlier.origin;
    found_later = *conflict->later.origin;
}

static bool postpone(void *user, const struct uses_conflict *conflict, const struct use *earlier,
                     const struct use *later)
{
    (void)user;
    return awaited_postpone(awaited, conflict, earlier, later);
}

static int setup(void **state)
{
    (void)state;
    commands = commands_create();
    queue = commands_queue_create(commands, false);
    uses = uses_create(commands, report, NULL);
    awaited = awaited_create(report, NULL);
    uses_set_postpone(uses, postpone);
    certain_count = unclear_count = 0;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    uses_destroy(uses);
    awaited_destroy(awaited);
    commands_queue_destroy(commands, queue);
    commands_destroy(commands);
    return 0;
}

static struct ordered_command *command_after(struct ordered_command *event)
{
    return commands_enqueue(
        commands,
        &(struct commands_request){.queue = queue, .events = &event, .event_count = event != NULL});
}

/* A launch that may write all of the buffer, which is awaited. */
static struct ordered_command *launch(uint64_t call_id, struct ordered_command *after)
{
    static struct call_uses given, room;
    struct ordered_command *command = command_after(after);
    const struct use_origin origin = {.function = "clEnqueueNDRangeKernel", .call_id = call_id};
    const uint64_t object = BUFFER;
    given.count = 1;
    given.uses[0] = (struct use){
        .object = BUFFER, .kind = USE_WRITE, .bytes = {.size = SIZE}, .possible = true};
    assert_true(awaited_add(awaited, call_id, &object, 1));
    awaited_bind(awaited, call_id, command);
    const struct call_uses *marked = awaited_mark(awaited, call_id, &given, &room);
    assert_true(marked->uses[0].awaited);
    uses_add(uses, command, &origin, marked->uses, marked->count, true);
    return command;
}

static struct ordered_command *transfer(uint64_t call_id, enum use_kind kind, uint64_t first,
                                        uint64_t size)
{
    struct ordered_command *command = command_after(NULL);
    uses_add(uses, command,
             &(struct use_origin){.function = "clEnqueueReadBuffer", .call_id = call_id},
             &(struct use){.object = BUFFER, .kind = kind, .bytes = {.first = first, .size = size}},
             1, true);
    return command;
}

static void tell(uint64_t call_id, enum use_kind kind, uint64_t bits)
{
    const struct use use = {.object = BUFFER, .kind = kind, .bytes = {.size = SIZE, .bits = &bits}};
    awaited_tell(awaited, call_id, BUFFER, &use, 1);
}

static void launches_that_meet_race(void **state)
{
    (void)state;
    command_drop(launch(1, NULL));
    command_drop(launch(2, NULL));
    assert_true(awaited_wants(awaited, 1, BUFFER));
    assert_false(awaited_wants(awaited, 1, OTHER));
    tell(2, USE_READ, 0xf0);
    assert_int_equal(certain_count + unclear_count, 0);
    tell(1, USE_WRITE, 0x3c);
    assert_int_equal(certain_count, 1);
    assert_int_equal(found.first, 4);
    assert_int_equal(found.size, 2);
    assert_int_equal(found.earlier.kind, USE_WRITE);
    assert_int_equal(found.later.kind, USE_READ);
    assert_int_equal(found_earlier.call_id, 1);
    assert_int_equal(found_later.call_id, 2);
    awaited_end(awaited, 1);
    awaited_end(awaited, 2);
    assert_int_equal(certain_count, 1);
    assert_int_equal(unclear_count, 0);
}

static void launches_that_do_not_meet_are_silent(void **state)
{
    (void)state;
    command_drop(launch(1, NULL));
    command_drop(launch(2, NULL));
    command_drop(launch(3, NULL));
    tell(1, USE_WRITE, UINT64_C(0x5555555555555555));
    tell(2, USE_WRITE, UINT64_C(0xaaaaaaaaaaaaaaaa));
    awaited_tell(awaited, 3, BUFFER, NULL, 0); /* it touched nothing */
    for (uint64_t i = 1; i <= 3; i++)
        awaited_end(awaited, i);
    assert_int_equal(certain_count + unclear_count, 0);
}

static void reads_and_atomics_do_not_race(void **state)
{
    (void)state;
    command_drop(launch(1, NULL));
    command_drop(launch(2, NULL));
    command_drop(launch(3, NULL));
    tell(1, USE_READ, 0x0f);
    tell(2, USE_READ, 0xff);
    tell(3, USE_ATOMIC_WRITE, 0xf00);
    command_drop(launch(4, NULL));
    tell(4, USE_ATOMIC_WRITE, 0xf000);
    assert_int_equal(unclear_count, 0);
    assert_int_equal(certain_count, 1); /* of which something else is said, whichever bytes */
    assert_int_equal(found.clash, USES_ATOMICS);
}

static void what_is_ordered_is_not_wanted(void **state)
{
    (void)state;
    struct ordered_command *first = launch(1, NULL);
    command_drop(launch(2, first));
    assert_false(awaited_wants(awaited, 1, BUFFER));
    assert_false(awaited_wants(awaited, 2, BUFFER));
    command_drop(first);
}

/* A later launch that follows it does not take its place: it may touch other bytes. */
static void launches_are_kept_beside_later_ones(void **state)
{
    (void)state;
    struct ordered_command *first = launch(1, NULL);
    command_drop(launch(2, first));
    command_drop(transfer(3, USE_READ, 0, 8));
    tell(1, USE_WRITE, 0xff);
    tell(2, USE_WRITE, 0xff00);
    awaited_end(awaited, 1);
    awaited_end(awaited, 2);
    assert_int_equal(certain_count, 1);
    assert_int_equal(found_earlier.call_id, 1);
    assert_int_equal(unclear_count, 0);
    command_drop(first);
}

static void transfers_before_and_after_race(void **state)
{
    (void)state;
    command_drop(transfer(1, USE_WRITE, 8, 8));
    command_drop(launch(2, NULL));
    command_drop(transfer(3, USE_READ, 16, 8));
    tell(2, USE_WRITE, UINT64_C(0x18000));
    assert_int_equal(certain_count, 2);
    assert_int_equal(unclear_count, 0);
}

static void of_what_is_never_told_it_stays_unclear(void **state)
{
    (void)state;
    command_drop(launch(1, NULL));
    command_drop(transfer(2, USE_WRITE, 0, 8));
    awaited_end(awaited, 1);
    assert_int_equal(certain_count, 0);
    assert_int_equal(unclear_count, 1);
}

static void what_the_host_waited_for_is_over(void **state)
{
    (void)state;
    struct ordered_command *command = launch(1, NULL);
    assert_false(awaited_is_over(awaited, commands, 1));
    commands_queue_lock(queue);
    commands_host_waited(commands, command);
    commands_queue_unlock(queue);
    assert_true(awaited_is_over(awaited, commands, 1));
    command_drop(transfer(2, USE_WRITE, 0, SIZE));
    assert_false(awaited_wants(awaited, 1, BUFFER));
    command_drop(command);
}

static void failures_are_no_findings(void **state)
{
    (void)state;
    for (uint64_t n = 1; n < 20; n++) {
        const uint64_t object = BUFFER, bits = 1;
        const struct use use = {
            .object = BUFFER, .kind = USE_READ, .bytes = {.size = SIZE, .bits = &bits}};
        command_drop(launch(1, NULL));
        command_drop(launch(2, NULL));
        alloc_fail_at(n);
        const bool added = awaited_add(awaited, 3, &object, 1);
        awaited_tell(awaited, 1, BUFFER, &use, 1);
        awaited_tell(awaited, 2, BUFFER, &use, 1);
        alloc_fail_at(0);
        awaited_end(awaited, 1);
        awaited_end(awaited, 2);
        if (added)
            awaited_end(awaited, 3);
        uses_forget(uses, BUFFER);
    }
    assert_int_equal(certain_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(launches_that_meet_race, setup, teardown),
        cmocka_unit_test_setup_teardown(launches_that_do_not_meet_are_silent, setup, teardown),
        cmocka_unit_test_setup_teardown(reads_and_atomics_do_not_race, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_ordered_is_not_wanted, setup, teardown),
        cmocka_unit_test_setup_teardown(launches_are_kept_beside_later_ones, setup, teardown),
        cmocka_unit_test_setup_teardown(transfers_before_and_after_race, setup, teardown),
        cmocka_unit_test_setup_teardown(of_what_is_never_told_it_stays_unclear, setup, teardown),
        cmocka_unit_test_setup_teardown(what_the_host_waited_for_is_over, setup, teardown),
        cmocka_unit_test_setup_teardown(failures_are_no_findings, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
