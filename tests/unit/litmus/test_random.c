/* Two definitions of the memory model against each other, on random litmus tests: clocks over an
 * interleaving (checkers/oracle) and axioms over a graph (checkers/litmus/graph.h).
 *
 * - In each interleaving both must name the same racing pairs, and the axioms must allow it.
 * - Every interleaving must be found among the weak executions, and whatever was begun can be
 * ended.
 * - Where all atomics are seq_cst, barriers order both memories and no interleaving races, weak
 * executions must end as interleavings do, and not race either: what the specification promises to
 * programs without races. */
#include "tests/unit/litmus/random_litmus.h"

#include "checkers/litmus/search.h"
#include "trace/base/alloc.h"
#include "trace/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { PROGRAMS = 4000, SECONDS = 20, STATES_MAX = 3000, PAIRS_MAX = 1024, EVENTS_MAX = 512 };

/* ---- what is compared ---- */

struct pairs {
    uint32_t list[PAIRS_MAX];
    size_t count;
};

static void take_pair(void *user, uint32_t a, uint32_t b)
{
    struct pairs *pairs = user;
    assert_true(pairs->count < PAIRS_MAX);
    pairs->list[pairs->count++] = a * EVENTS_MAX + b;
}

static int compare_pairs(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a;
    const uint32_t y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

struct comparison {
    const char *source;
    struct oracle_machine machine;
    uint64_t executions, racy;
};

static enum status compare(void *user, const struct graph *graph, struct error *error)
{
    struct comparison *comparison = user;
    static struct pairs by_clocks;
    static struct pairs by_axioms;
    struct graph_relations relations;
    assert_true(graph_relations_create(&relations, graph->event_capacity));
    by_clocks.count = 0;
    by_axioms.count = 0;
    graph_relate(graph, &relations);
    graph_each_race(graph, &relations, take_pair, &by_axioms);
    const enum status status = graph_each_oracle_race(graph, take_pair, &by_clocks, error);
    qsort(by_axioms.list, by_axioms.count, sizeof(uint32_t), compare_pairs);
    qsort(by_clocks.list, by_clocks.count, sizeof(uint32_t), compare_pairs);
    if (!graph_is_consistent(graph, &relations)) {
        fail_msg("the axioms forbid an interleaving of\n%s", comparison->source);
    }
    if (!graph_is_interleaving(graph, &relations, NULL)) {
        fail_msg("an interleaving is not taken for one, of\n%s", comparison->source);
    }
    if (by_axioms.count != by_clocks.count ||
        memcmp(by_axioms.list, by_clocks.list, by_axioms.count * sizeof(uint32_t)) != 0) {
        fail_msg("%zu racing pairs by axioms, %zu by clocks, in\n%s", by_axioms.count,
                 by_clocks.count, comparison->source);
    }
    graph_relations_release(&relations);
    comparison->executions++;
    comparison->racy += by_axioms.count > 0;
    return status;
}

static void compare_judges(const struct litmus_test *test, enum oracle_scope_rule rule,
                           struct comparison *comparison)
{
    const struct litmus_options options = {
        .scope_rule = rule, .rounds = LITMUS_ROUNDS, .states_max = STATES_MAX};
    assert_int_equal(litmus_each_execution(test, &options, compare, comparison, NULL), STATUS_OK);
}

static enum status count_interleavings(void *user, const struct graph *graph, struct error *error)
{
    struct graph_relations relations;
    (void)error;
    assert_true(graph_relations_create(&relations, graph->event_capacity));
    graph_relate(graph, &relations);
    *(uint64_t *)user += graph_is_interleaving(graph, &relations, NULL);
    graph_relations_release(&relations);
    return STATUS_OK;
}

/* Returns whether the promise to programs without races could be looked at. */
static bool compare_passes(const struct litmus_test *test, enum oracle_scope_rule rule, bool strict,
                           const char *source)
{
    const struct litmus_options options = {
        .scope_rule = rule, .weak = true, .rounds = LITMUS_ROUNDS, .states_max = STATES_MAX};
    struct litmus_result *result = NULL;
    bool looked = false;
    assert_int_equal(litmus_search(test, &options, &result, NULL), STATUS_OK);
    if ((result->left_out & LITMUS_LEFT_STATES) == 0) {
        bool races = false;
        uint64_t interleavings = 0;
        litmus_each_execution(test, &options, count_interleavings, &interleavings, NULL);
        if (interleavings != result->interleavings) {
            fail_msg("weak executions have %llu interleavings, not %llu, of\n%s",
                     (unsigned long long)interleavings, (unsigned long long)result->interleavings,
                     source);
        }
        if (result->hangs) { /* there is no loop */
            fail_msg("a state from which no execution ends, of\n%s", source);
        }
        for (size_t i = 0; i < result->race_count; i++) {
            races = races || !result->races[i].weak;
        }
        looked = strict && !races;
        if (looked && (result->executions != result->interleavings || result->race_count > 0)) {
            fail_msg("no race, all seq_cst, and yet weak executions of\n%s", source);
        }
    }
    litmus_result_destroy(result);
    return looked;
}

static void test_clocks_and_axioms_agree(void **state)
{
    (void)state;
    struct random_litmus random = {UINT64_C(0x9e3779b97f4a7c15)};
    struct text source = TEXT_INIT;
    struct comparison comparison = {0};
    const time_t end = time(NULL) + SECONDS;
    int strict_count = 0;
    int programs = 0;
    for (; programs < PROGRAMS && time(NULL) < end; programs++) {
        const bool strict = programs % 2 == 0;
        const enum oracle_scope_rule rule = (enum oracle_scope_rule)(programs / 2 % 2);
        struct litmus_test *test = NULL;
        struct error error;
        random_litmus_print(&random, strict ? RANDOM_LITMUS_SEQ_CST : RANDOM_LITMUS_ALL, &source);
        comparison.source = source.bytes;
        if (litmus_parse(source.bytes, source.size, &test, &error) != STATUS_OK) {
            fail_msg("%s\n%s", error.text, source.bytes);
        }
        compare_judges(test, rule, &comparison);
        strict_count += compare_passes(test, rule, strict, source.bytes);
        litmus_destroy(test);
    }
    print_message("%d programs, %llu interleavings, %llu of them racy, %d without races\n",
                  programs, (unsigned long long)comparison.executions,
                  (unsigned long long)comparison.racy, strict_count);
    assert_true(comparison.racy > 0 && comparison.racy < comparison.executions);
    text_release(&source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clocks_and_axioms_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
