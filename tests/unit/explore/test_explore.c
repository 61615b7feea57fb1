/* Kernels as the search sees them; what whole kernels come to is tested in tests/kernels/explore.
 */
#include "reference/explore/explore.h"
#include "tests/unit/vm/bench.h"
#include "trace/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

static struct bench bench;
static const struct litmus_options options = {.weak = true, .rounds = LITMUS_ROUNDS};

/* Each of two work-items writes one element of x, reads the other, and stores what it read. */
static int setup(void **state)
{
    (void)state;
    bench_create(&bench);
    struct assembler *as = &bench.as;
    const vm_row x = as_buffer(as, "x");
    const vm_row out = as_buffer(as, "out");
    const vm_row id = as_query(as, VM_QUERY_GLOBAL_ID, 0);
    const vm_row one = as_constant(as, 4, false, 1);
    const vm_row other = as_row(as, 8, 1);
    const vm_row read = as_row(as, 4, 1);
    as_block(as);
    as_atomic(as, VM_OP_atomic_store, 4, 0, as_address(as, x, id, 4), one, 0);
    as_op(as, VM_OP_isub_64, other, as_constant(as, 8, false, 1), id, 0);
    as_atomic(as, VM_OP_atomic_load, 4, read, as_address(as, x, other, 4), 0, 0);
    as_store(as, as_address(as, out, id, 4), read, 4, 1);
    as_return(as);
    bench.arguments[0].object = bench_buffer(&bench, "x", 8, true);
    bench.arguments[1].object = bench_buffer(&bench, "out", 8, true);
    bench.launch.code = assembler_finish(as);
    bench.launch.global_size[0] = 2;
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    bench_destroy(&bench);
    return 0;
}

/* "0 1 weak\n": of each outcome the elements of out. */
static void print_outcomes(void *user, const struct explored *explored)
{
    struct text *text = user;
    const struct litmus_result *result = explored->result;
    assert_int_equal(result->observed_count, 4);
    assert_string_equal(explored->test->locations[result->observed[0].index].name, "x[0]");
    assert_string_equal(explored->test->locations[result->observed[3].index].name, "out[1]");
    for (size_t i = 0; i < result->outcome_count; i++)
        text_format(text, "%d %d%s\n", (int)result->outcomes[i].values[2],
                    (int)result->outcomes[i].values[3], result->outcomes[i].weak ? " weak" : "");
}

static void outcomes_are_found_and_memory_is_left(void **state)
{
    (void)state;
    struct error error;
    struct text text = TEXT_INIT;
    uint32_t memory[2] = {7, 7};
    assert_int_equal(explore_run(&bench.launch, &options, NULL, print_outcomes, &text, &error),
                     STATUS_OK);
    assert_string_equal(text.bytes, "0 1\n1 1\n1 0\n0 0 weak\n");
    vm_memory_read(bench.memory, bench.arguments[0].object, 0, memory, sizeof memory);
    assert_int_equal(memory[0], 0);
    assert_int_equal(memory[1], 0);
    text_release(&text);
}

static void take_graph(void *user, const struct explored *explored)
{
    *(uint32_t *)user = explored->graph->count;
    assert_null(explored->result);
}

static void one_execution_is_built(void **state)
{
    (void)state;
    struct error error;
    uint32_t count = 0;
    uint32_t first[6] = {0};
    const struct litmus_choices choices = {.weak = true, .choices = first, .count = 6};
    assert_int_equal(explore_run(&bench.launch, &options, &choices, take_graph, &count, &error),
                     STATUS_OK);
    assert_int_equal(count, 6);
}

static void refuse_all(void *user, const struct explored *explored)
{
    (void)user;
    (void)explored;
    fail_msg("nothing was to be explored");
}

static void many_work_items_are_refused(void **state)
{
    (void)state;
    struct error error;
    bench.launch.global_size[0] = LITMUS_THREADS_MAX + 1;
    assert_int_equal(explore_run(&bench.launch, &options, NULL, refuse_all, NULL, &error),
                     STATUS_UNSUPPORTED);
    assert_non_null(strstr(error.text, "cannot be explored: it has more than 64 work-items"));
}

static void drop(void *user, const struct explored *explored)
{
    (void)user;
    (void)explored;
}

static void failing_allocations_leave_nothing(void **state)
{
    (void)state;
    const uint64_t live = alloc_live_count();
    enum status status = STATUS_NO_MEMORY;
    for (uint64_t n = 1; status != STATUS_OK; n++) {
        alloc_fail_at(n);
        status = explore_run(&bench.launch, &options, NULL, drop, NULL, NULL);
        alloc_fail_at(0);
        assert_true(status == STATUS_OK || status == STATUS_NO_MEMORY);
        assert_int_equal(alloc_live_count(), live);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(outcomes_are_found_and_memory_is_left, setup, teardown),
        cmocka_unit_test_setup_teardown(one_execution_is_built, setup, teardown),
        cmocka_unit_test_setup_teardown(many_work_items_are_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(failing_allocations_leave_nothing, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
