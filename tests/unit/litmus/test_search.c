/* What stands around the verdicts (those are in tests/litmus): filters, choices, limits, failures.
 */
#include "checkers/litmus/search.h"
#include "trace/base/alloc.h"
#include "trace/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char store_buffering[] =
    "OPENCL sb\n{}\n"
    "P0@wg 0 (global atomic_int *x, global atomic_int *y) {\n"
    "  atomic_store_explicit(x, 1, memory_order_relaxed);\n"
    "  int r0 = atomic_load_explicit(y, memory_order_relaxed);\n}\n"
    "P1@wg 1 (global atomic_int *x, global atomic_int *y) {\n"
    "  atomic_store_explicit(y, 1, memory_order_relaxed);\n"
    "  int r0 = atomic_load_explicit(x, memory_order_relaxed);\n}\n";

static const struct litmus_options interleaved = {.rounds = LITMUS_ROUNDS};
static const struct litmus_options weak = {.weak = true, .rounds = LITMUS_ROUNDS};

static struct litmus_test *parse(const char *first, const char *rest)
{
    struct litmus_test *test = NULL;
    struct error error;
    char text[2000];
    snprintf(text, sizeof text, "%s%s", first, rest);
    if (litmus_parse(text, strlen(text), &test, &error) != STATUS_OK) {
        fail_msg("%s", error.text);
    }
    return test;
}

static struct litmus_result *search(const struct litmus_test *test,
                                    const struct litmus_options *options)
{
    struct litmus_result *result = NULL;
    assert_int_equal(litmus_search(test, options, &result, NULL), STATUS_OK);
    return result;
}

static enum litmus_verdict wrong(const struct litmus_test *test, const struct litmus_result *result)
{
    struct litmus_verdicts verdicts;
    litmus_judge(test, result, &verdicts);
    return litmus_wrong(test, &verdicts);
}

static void test_outcomes_are_listed_once(void **state)
{
    (void)state;
    struct litmus_test *test = parse(store_buffering, "exists (0:r0=0 /\\ 1:r0=0)");
    struct litmus_result *result = search(test, &weak);
    assert_int_equal(result->observed_count, 2);
    assert_int_equal(result->outcome_count, 4);
    assert_int_equal(result->interleavings, 3);
    assert_int_equal(result->executions, 4);
    for (size_t i = 0; i < 4; i++) {
        const struct litmus_outcome *outcome = &result->outcomes[i];
        const bool both_old = outcome->values[0] == 0 && outcome->values[1] == 0;
        assert_int_equal(outcome->holds, both_old);
        assert_int_equal(outcome->weak, both_old);
    }
    assert_int_equal(wrong(test, result), LITMUS_NONE);
    litmus_result_destroy(result);
    result = search(test, &interleaved);
    assert_int_equal(result->outcome_count, 3);
    assert_int_equal(wrong(test, result), LITMUS_NOT_DECIDED);
    litmus_result_destroy(result);
    litmus_destroy(test);
}

static void test_filter_restricts(void **state)
{
    (void)state;
    struct litmus_test *test =
        parse(store_buffering, "filter (0:r0=1) forall (1:r0=0 \\/ 1:r0=1 /\\ x=1)");
    struct litmus_result *result = search(test, &weak);
    assert_int_equal(result->outcome_count, 2);
    assert_int_equal(wrong(test, result), LITMUS_NONE);
    litmus_result_destroy(result);
    litmus_destroy(test);
}

static void test_choices_lead_to_their_outcome(void **state)
{
    (void)state;
    struct litmus_test *test = parse(store_buffering, "exists (0:r0=0 /\\ 1:r0=0)");
    struct litmus_result *result = search(test, &weak);
    for (size_t i = 0; i < result->outcome_count; i++) {
        const struct litmus_outcome *outcome = &result->outcomes[i];
        struct graph graph = {0};
        assert_int_equal(litmus_replay(test, &weak, &outcome->choices, &graph, NULL), STATUS_OK);
        assert_int_equal(graph.count, 4);
        for (uint32_t e = 0; e < graph.count; e++) {
            const struct graph_event *event = &graph.events[e];
            if (event->kind == ORACLE_ATOMIC_READ) {
                assert_int_equal(event->read_value, outcome->values[event->thread]);
            }
        }
        graph_release(&graph);
    }
    uint32_t nine = 9;
    struct litmus_choices wrong = {.weak = true, .choices = &nine, .count = 1};
    struct graph graph;
    struct error error;
    assert_int_equal(litmus_replay(test, &weak, &wrong, &graph, &error), STATUS_INVALID);
    assert_string_equal(error.text,
                        "choice 1, counted from 1, cannot be 9: there is no such way to go on");
    litmus_result_destroy(result);
    litmus_destroy(test);
}

static void test_samples_show_the_same(void **state)
{
    (void)state;
    struct litmus_test *test = parse(store_buffering, "exists (0:r0=0 /\\ 1:r0=0)");
    struct litmus_options options = weak;
    options.samples = 200;
    options.seed = 5;
    struct litmus_result *result = search(test, &options);
    assert_int_equal(result->executions, 200);
    assert_in_range(result->interleavings, 1, 199);
    assert_int_equal(result->outcome_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(result->outcomes[i].weak, result->outcomes[i].holds);
        assert_true(result->outcomes[i].choices.weak);
    }
    struct litmus_result *again = search(test, &options);
    assert_int_equal(again->interleavings, result->interleavings);
    litmus_result_destroy(again);
    litmus_result_destroy(result);
    litmus_destroy(test);
}

/* A loop that waits is not sampled round by round. */
static void test_samples_wait(void **state)
{
    (void)state;
    struct litmus_test *test =
        parse("OPENCL a\n{}\nP0@wg 0 (global atomic_int *x) { while (atomic_load(x) == 0) ; }\n"
              "P1@wg 1 (global atomic_int *x) { atomic_store(x, 1); }\n",
              "forall (x=1)");
    struct litmus_options options = weak;
    options.samples = 50;
    struct litmus_result *result = search(test, &options);
    assert_int_equal(result->executions, 50);
    assert_int_equal(wrong(test, result), LITMUS_NOT_DECIDED);
    litmus_result_destroy(result);
    litmus_destroy(test);
}

static void test_counted_loops_end(void **state)
{
    (void)state;
    struct litmus_test *test =
        parse("OPENCL a\n{}\nP0 (global int *x) { int r; while (r < 6) { *x = r; r++; } }\n",
              "forall (0:r=6)");
    struct litmus_result *result = search(test, &weak);
    assert_int_equal(result->cut, 0);
    assert_int_equal(wrong(test, result), LITMUS_NONE);
    litmus_result_destroy(result);
    litmus_destroy(test);
    test = parse("OPENCL a\n{}\nP0 (global int *x) { int r; while (r < 105) { r++; } *x = r; }\n",
                 "forall (0:r=105)");
    result = search(test, &weak);
    assert_int_equal(result->cut, 1);
    assert_int_equal(wrong(test, result), LITMUS_NOT_DECIDED);
    litmus_result_destroy(result);
    litmus_destroy(test);
}

static void test_long_loops_are_cut(void **state)
{
    (void)state;
    struct litmus_test *test =
        parse("OPENCL a\n{}\nP0 (global int *x) { int r; while (r < 6) { *x = r + 1; r = *x; } }\n",
              "forall (0:r=6)");
    struct litmus_options options = interleaved;
    struct litmus_result *result = search(test, &options);
    assert_int_equal(result->cut, 1);
    assert_int_equal(result->executions, 0);
    litmus_result_destroy(result);
    options.rounds = 6;
    result = search(test, &options);
    assert_int_equal(result->cut, 0);
    assert_int_equal(wrong(test, result), LITMUS_NONE);
    litmus_result_destroy(result);
    litmus_destroy(test);
}

static const char *const long_program =
    "OPENCL a\n{}\nP0 (global int *x) { int r; while (r < 300) { *x = r + 1; r = *x; } }\n";

static void test_executions_are_as_long_as_they_are(void **state)
{
    (void)state;
    struct litmus_test *test = parse(long_program, "forall (0:r=300)");
    struct litmus_options options = weak;
    options.rounds = 1000;
    struct litmus_result *result = search(test, &options);
    assert_int_equal(result->left_out, 0);
    assert_int_equal(result->executions, 1);
    assert_int_equal(wrong(test, result), LITMUS_NONE);
    struct graph graph;
    assert_int_equal(litmus_replay(test, &options, &result->outcomes[0].choices, &graph, NULL),
                     STATUS_OK);
    assert_int_equal(graph.count, 600);
    graph_release(&graph);
    litmus_result_destroy(result);
    litmus_destroy(test);
}

#define FENCE                                                                                      \
    "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, memory_scope_device); "

static void test_samples_are_as_long_as_they_are(void **state)
{
    (void)state;
    struct litmus_test *test =
        parse("OPENCL a\n{}\nP0 (global int *x) { int r; while (r < 90) { " FENCE FENCE FENCE FENCE
                  FENCE FENCE "r = r + 1; } *x = 1; }\n",
              "forall (x=1)");
    struct litmus_options options = weak;
    options.samples = 2;
    struct litmus_result *result = search(test, &options);
    assert_int_equal(result->executions, 2);
    assert_int_equal(result->left_out, LITMUS_LEFT_SAMPLES);
    litmus_result_destroy(result);
    litmus_destroy(test);
}

static void test_memory_is_limited(void **state)
{
    (void)state;
    struct litmus_test *test = parse(long_program, "forall (0:r=300)");
    struct litmus_options options = weak;
    options.rounds = 1000;
    options.memory = 1 << 19;
    struct litmus_result *result = search(test, &options);
    assert_int_equal(result->left_out, LITMUS_LEFT_MEMORY);
    assert_int_equal(result->executions, 0);
    assert_int_equal(wrong(test, result), LITMUS_NOT_DECIDED);
    litmus_result_destroy(result);
    litmus_destroy(test);
}

static void count_calls(void *user, uint64_t graphs, uint64_t executions)
{
    assert_true(graphs > 0 && executions <= graphs);
    ++*(int *)user;
}

static void test_executions_are_limited(void **state)
{
    (void)state;
    struct litmus_test *test = parse(store_buffering, "exists (0:r0=0 /\\ 1:r0=0)");
    struct litmus_options options = weak;
    int calls = 0;
    options.executions = 3;
    options.progress = count_calls;
    options.progress_user = &calls;
    struct litmus_result *result = search(test, &options);
    assert_int_equal(result->left_out, LITMUS_LEFT_EXECUTIONS);
    assert_int_equal(result->executions, 3);
    assert_int_equal(result->visited, 3);
    assert_in_range(calls, 0, 1); /* it takes no second */
    litmus_result_destroy(result);
    options.executions = 4;
    result = search(test, &options);
    assert_int_equal(result->left_out, 0);
    litmus_result_destroy(result);
    litmus_destroy(test);
}

static void test_states_are_limited(void **state)
{
    (void)state;
    struct litmus_test *test = parse(store_buffering, "exists (0:r0=0 /\\ 1:r0=0)");
    struct litmus_options options = weak;
    options.states_max = 3;
    struct litmus_result *result = search(test, &options);
    assert_int_equal(result->left_out, LITMUS_LEFT_STATES);
    litmus_result_destroy(result);
    litmus_destroy(test);
}

/* Five threads of three updates each have 168168000 executions. */
static void test_time_is_limited(void **state)
{
    (void)state;
    struct text text = TEXT_INIT;
    text_append(&text, "OPENCL a\n{}\n");
    for (int i = 0; i < 5; i++) {
        text_format(&text,
                    "P%d@wg %d (global atomic_int *x) { atomic_fetch_add(x, 1);"
                    " atomic_fetch_add(x, 1); atomic_fetch_add(x, 1); }\n",
                    i, i);
    }
    struct litmus_test *test = parse(text.bytes, "exists (x=16)");
    struct litmus_options options = weak;
    options.seconds = 1;
    struct litmus_result *result = search(test, &options);
    assert_int_equal(result->left_out, LITMUS_LEFT_TIME);
    assert_int_equal(wrong(test, result), LITMUS_NOT_DECIDED);
    litmus_result_destroy(result);
    litmus_destroy(test);
    text_release(&text);
}

static void test_failing_allocations(void **state)
{
    (void)state;
    struct litmus_test *test = parse(store_buffering, "exists (0:r0=0 /\\ 1:r0=0)");
    const uint64_t live = alloc_live_count();
    enum status status = STATUS_NO_MEMORY;
    for (uint64_t n = 1; status != STATUS_OK; n++) {
        struct litmus_result *result = NULL;
        alloc_fail_at(n);
        status = litmus_search(test, &weak, &result, NULL);
        alloc_fail_at(0);
        assert_true(status == STATUS_OK || status == STATUS_NO_MEMORY);
        litmus_result_destroy(result);
        assert_int_equal(alloc_live_count(), live);
    }
    litmus_destroy(test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_outcomes_are_listed_once),
        cmocka_unit_test(test_filter_restricts),
        cmocka_unit_test(test_choices_lead_to_their_outcome),
        cmocka_unit_test(test_samples_show_the_same),
        cmocka_unit_test(test_samples_wait),
        cmocka_unit_test(test_counted_loops_end),
        cmocka_unit_test(test_long_loops_are_cut),
        cmocka_unit_test(test_executions_are_as_long_as_they_are),
        cmocka_unit_test(test_samples_are_as_long_as_they_are),
        cmocka_unit_test(test_memory_is_limited),
        cmocka_unit_test(test_executions_are_limited),
        cmocka_unit_test(test_states_are_limited),
        cmocka_unit_test(test_time_is_limited),
        cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
