/* Two definitions of the memory model against each other, on random litmus tests: clocks over an
 * interleaving (checkers/oracle) and axioms over a graph (checkers/litmus/graph.h).
 *
 * - In each interleaving both must name the same racing pairs, and the axioms must allow it.
 * - Every interleaving must be found among the weak executions.
 * - Where all atomics are seq_cst, barriers order both memories and no interleaving races, weak
 * executions must end as interleavings do, and not race either: what the specification promises to
 * programs without races. */
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

enum { PROGRAMS = 4000, SECONDS = 20, STATES_MAX = 3000, PAIRS_MAX = 1024 };

struct random {
    uint64_t state;
};

static uint32_t draw(struct random *random, uint32_t below)
{
    random->state ^= random->state << 13;
    random->state ^= random->state >> 7;
    random->state ^= random->state << 17;
    return (uint32_t)((random->state >> 20) % below);
}

static const char *pick(struct random *random, const char *const *words, uint32_t count)
{
    return words[draw(random, count)];
}

/* ---- random tests ---- */

static const char *const scopes[] = {"device", "device", "work_group", "sub_group",
                                     "all_svm_devices"};
static const char *const flags[] = {"CLK_GLOBAL_MEM_FENCE", "CLK_LOCAL_MEM_FENCE",
                                    "CLK_GLOBAL_MEM_FENCE | CLK_LOCAL_MEM_FENCE"};
static const char *const locations[] = {"x", "y", "l"}; /* l is local memory */

/* Some statements of one thread. `strict`: atomics are seq_cst and wide. */
static void print_statement(struct random *random, bool strict, int number, struct text *text)
{
    static const char *const load_orders[] = {"relaxed", "acquire", "seq_cst"};
    static const char *const store_orders[] = {"relaxed", "release", "seq_cst"};
    static const char *const orders[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};
    const char *const location = pick(random, locations, 3);
    const char *const scope = strict ? "device" : pick(random, scopes, 5);
    switch (draw(random, 9)) {
    case 0:
        text_format(text, "  *%s = %d;\n", location, number);
        break;
    case 1:
        text_format(text, "  int r%d = *%s;\n", number, location);
        break;
    case 2:
    case 3:
        text_format(text,
                    "  int r%d = atomic_load_explicit(%s, memory_order_%s, memory_scope_%s);\n",
                    number, location, strict ? "seq_cst" : pick(random, load_orders, 3), scope);
        break;
    case 4:
    case 5:
        text_format(text, "  atomic_store_explicit(%s, %d, memory_order_%s, memory_scope_%s);\n",
                    location, number, strict ? "seq_cst" : pick(random, store_orders, 3), scope);
        break;
    case 6:
        text_format(text,
                    "  int r%d = atomic_fetch_add_explicit(%s, 1, memory_order_%s, "
                    "memory_scope_%s);\n",
                    number, location, strict ? "seq_cst" : pick(random, orders, 5), scope);
        break;
    case 7:
        text_format(text,
                    "  int e%d = 0; atomic_compare_exchange_strong_explicit(%s, &e%d, %d, "
                    "memory_order_%s, memory_order_%s, memory_scope_%s);\n",
                    number, location, number, number, strict ? "seq_cst" : pick(random, orders, 5),
                    strict ? "seq_cst" : "relaxed", scope);
        break;
    default:
        text_format(text, "  atomic_work_item_fence(%s, memory_order_%s, memory_scope_%s);\n",
                    pick(random, flags, 3), strict ? "seq_cst" : pick(random, orders, 5), scope);
        break;
    }
}

/* Half of the statements depend on what was read before, as flags do. */
static void print_guard(struct random *random, int number, struct text *text)
{
    if (draw(random, 3) == 0) {
        text_format(text,
                    "  int g%d = atomic_load_explicit(%s, memory_order_acquire, "
                    "memory_scope_device);\n  if (g%d != 0)\n",
                    number, pick(random, locations, 3), number);
    }
}

/* A barrier of the first two threads, the same for both; empty where there is none. */
static void print_barrier(struct random *random, bool strict, bool sub_group, struct text *text)
{
    text_clear(text);
    if (draw(random, 3) != 0) {
        return;
    }
    const bool both = strict || draw(random, 2) == 0;
    text_format(text, "  %s(%s, memory_scope_%s);\n",
                sub_group && draw(random, 2) == 0 ? "sub_group_barrier" : "work_group_barrier",
                both ? flags[2] : pick(random, flags, 2), pick(random, scopes, 3));
}

static void print_thread(struct random *random, bool strict, int thread, uint32_t sub_group,
                         const char *barrier, struct text *text)
{
    const uint32_t length = 1 + draw(random, 3);
    text_format(text, "P%d@sg %u, wg %u (global int *x, global int *y, local int *l) {\n", thread,
                sub_group, thread == 2 ? 1 : 0);
    for (uint32_t i = 0; i < length; i++) {
        const int number = thread * 10 + (int)i + 1;
        if (!strict) {
            print_guard(random, number, text);
        }
        /* A declaration cannot be guarded without braces. */
        text_append(text, "  {");
        print_statement(random, strict, number, text);
        text_append(text, "  }\n");
        if (i == 0 && thread < 2) {
            text_append(text, barrier);
        }
    }
    text_append(text, "}\n");
}

/* Three threads, two of one group. */
static void print_test(struct random *random, bool strict, struct text *text)
{
    struct text barrier = TEXT_INIT;
    const uint32_t sub_group = draw(random, 2);
    print_barrier(random, strict, sub_group == 0, &barrier);
    text_clear(text);
    text_append(text, "OPENCL random\n{}\n");
    for (int thread = 0; thread < 3; thread++) {
        print_thread(random, strict, thread, thread == 1 ? sub_group : 0, barrier.bytes, text);
    }
    text_append(text, "exists (x=0 /\\ y=0)\n");
    text_release(&barrier);
}

/* ---- what is compared ---- */

struct pairs {
    uint32_t list[PAIRS_MAX];
    size_t count;
};

static void take_pair(void *user, uint32_t a, uint32_t b)
{
    struct pairs *pairs = user;
    assert_true(pairs->count < PAIRS_MAX);
    pairs->list[pairs->count++] = a * GRAPH_EVENTS_MAX + b;
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
    if (by_axioms.count != by_clocks.count ||
        memcmp(by_axioms.list, by_clocks.list, by_axioms.count * sizeof(uint32_t)) != 0) {
        fail_msg("%zu racing pairs by axioms, %zu by clocks, in\n%s", by_axioms.count,
                 by_clocks.count, comparison->source);
    }
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

/* Returns whether the promise to programs without races could be looked at. */
static bool compare_passes(const struct litmus_test *test, enum oracle_scope_rule rule, bool strict,
                           const char *source)
{
    const struct litmus_options options = {
        .scope_rule = rule, .weak = true, .rounds = LITMUS_ROUNDS, .states_max = STATES_MAX};
    struct litmus_result *result = NULL;
    bool looked = false;
    assert_int_equal(litmus_search(test, &options, &result, NULL), STATUS_OK);
    if (!result->too_many) {
        bool races = false;
        if (result->executions < result->interleavings) {
            fail_msg("weak executions miss an interleaving of\n%s", source);
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
    struct random random = {UINT64_C(0x9e3779b97f4a7c15)};
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
        print_test(&random, strict, &source);
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
