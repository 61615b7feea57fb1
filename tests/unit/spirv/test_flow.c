/* Order, dominators and loops of small graphs, and of many random ones against the definitions. */
#include "reference/spirv/flow.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

enum { BLOCK_MAX = 24, EDGE_MAX = 48 };

struct test_graph {
    struct arena arena;
    uint32_t first[BLOCK_MAX + 1], targets[EDGE_MAX];
    uint32_t edges[EDGE_MAX][2];
    uint32_t edge_count;
    struct flow_graph graph;
    struct flow flow;
};

/* Edges are pairs; successors keep their order. */
static void analyse(struct test_graph *test, uint32_t blocks)
{
    uint32_t count = 0;
    for (uint32_t b = 0; b < blocks; b++) {
        test->first[b] = count;
        for (uint32_t e = 0; e < test->edge_count; e++) {
            if (test->edges[e][0] == b)
                test->targets[count++] = test->edges[e][1];
        }
    }
    test->first[blocks] = count;
    test->graph = (struct flow_graph){blocks, test->first, test->targets};
    assert_true(flow_analyse(&test->arena, &test->graph, &test->flow));
}

static void edge(struct test_graph *test, uint32_t from, uint32_t to)
{
    test->edges[test->edge_count][0] = from;
    test->edges[test->edge_count++][1] = to;
}

static void a_loop_is_contiguous_and_comes_before_its_exits(void **state)
{
    (void)state;
    /* 1 is the header, 2 leaves to 5 before 3 and 4 have been seen. */
    struct test_graph test = {0};
    edge(&test, 0, 1);
    edge(&test, 1, 2);
    edge(&test, 1, 3);
    edge(&test, 2, 5);
    edge(&test, 2, 4);
    edge(&test, 3, 4);
    edge(&test, 4, 1);
    edge(&test, 5, 6);
    analyse(&test, 7);
    const struct flow *flow = &test.flow;
    assert_false(flow->irreducible);
    assert_int_equal(flow->loop_count, 1);
    assert_int_equal(flow->loops[1].header, 1);
    assert_int_equal(flow->loops[1].latch, 4);
    assert_int_equal(flow->loops[1].latch_count, 1);
    assert_int_equal(flow->loops[1].start, 1);
    assert_int_equal(flow->loops[1].end, 5);
    assert_int_equal(flow->order[5], 5);
    assert_int_equal(flow->dominator[4], 1);
    assert_int_equal(flow->dominator[5], 2);
    arena_release(&test.arena);
}

static void an_inner_loop_lies_within_the_outer(void **state)
{
    (void)state;
    struct test_graph test = {0};
    edge(&test, 0, 1);
    edge(&test, 1, 2);
    edge(&test, 1, 5);
    edge(&test, 2, 3);
    edge(&test, 2, 4);
    edge(&test, 3, 2);
    edge(&test, 3, 5); /* leaves both */
    edge(&test, 4, 1);
    analyse(&test, 6);
    const struct flow *flow = &test.flow;
    assert_int_equal(flow->loop_count, 2);
    const uint32_t inner = flow->loop[3];
    const uint32_t outer = flow->loop[4];
    assert_int_equal(flow->loops[inner].parent, outer);
    assert_int_equal(flow->loops[inner].depth, 2);
    assert_true(flow_loop_contains(flow, outer, inner));
    assert_false(flow_loop_contains(flow, inner, outer));
    assert_int_equal(flow_loop_common(flow, inner, outer), outer);
    assert_int_equal(flow->number[5], 5);
    arena_release(&test.arena);
}

static void a_cycle_with_two_entries_is_irreducible(void **state)
{
    (void)state;
    struct test_graph test = {0};
    edge(&test, 0, 1);
    edge(&test, 0, 2);
    edge(&test, 1, 2);
    edge(&test, 2, 1);
    edge(&test, 2, 3);
    analyse(&test, 4);
    assert_true(test.flow.irreducible);
    assert_int_equal(test.flow.order_count, 4);
    arena_release(&test.arena);
}

static void what_the_entry_does_not_reach_is_left_out(void **state)
{
    (void)state;
    struct test_graph test = {0};
    edge(&test, 0, 2);
    edge(&test, 1, 2);
    analyse(&test, 3);
    assert_int_equal(test.flow.order_count, 2);
    assert_int_equal(test.flow.number[1], FLOW_NONE);
    assert_int_equal(test.flow.pred_first[3] - test.flow.pred_first[2], 1);
    arena_release(&test.arena);
}

/* ---- random graphs ---- */

static uint32_t random_state;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % limit;
}

/* Is `block` reached from the entry when `without` is taken away? The definition of dominance. */
static void reach(const struct test_graph *test, uint32_t without, bool *reached)
{
    uint32_t stack[BLOCK_MAX];
    uint32_t depth = 0;
    memset(reached, 0, BLOCK_MAX);
    if (without == 0)
        return;
    reached[0] = true;
    stack[depth++] = 0;
    while (depth > 0) {
        const uint32_t block = stack[--depth];
        for (uint32_t e = test->first[block]; e < test->first[block + 1]; e++) {
            const uint32_t target = test->targets[e];
            if (target != without && !reached[target]) {
                reached[target] = true;
                stack[depth++] = target;
            }
        }
    }
}

static bool tree_dominates(const struct flow *flow, uint32_t a, uint32_t b)
{
    while (b != a && b != 0)
        b = flow->dominator[b];
    return a == b;
}

static void check_dominators(const struct test_graph *test)
{
    bool reached[BLOCK_MAX];
    for (uint32_t a = 0; a < test->graph.count; a++) {
        if (test->flow.number[a] == FLOW_NONE)
            continue;
        reach(test, a, reached);
        for (uint32_t b = 0; b < test->graph.count; b++) {
            if (test->flow.number[b] != FLOW_NONE && b != a)
                assert_int_equal(tree_dominates(&test->flow, a, b), !reached[b]);
        }
    }
}

/* Without back edges the order is topological; each loop is one run of it, header first. */
static void check_order(const struct test_graph *test)
{
    const struct flow *flow = &test->flow;
    bool proper = true;
    for (uint32_t l = 1; l <= flow->loop_count; l++)
        proper = proper && flow->loops[l].proper;
    for (uint32_t b = 0; b < test->graph.count; b++) {
        for (uint32_t e = test->first[b]; flow->number[b] != FLOW_NONE && e < test->first[b + 1];
             e++) {
            const uint32_t target = test->targets[e];
            if (flow->number[target] <= flow->number[b])
                assert_true(tree_dominates(flow, target, b));
        }
    }
    for (uint32_t l = 1; l <= flow->loop_count && proper; l++) {
        assert_int_equal(flow->number[flow->loops[l].header], flow->loops[l].start);
        assert_int_equal(flow->number[flow->loops[l].latch], flow->loops[l].end - 1);
        for (uint32_t i = 0; i < flow->order_count; i++) {
            const bool within = i >= flow->loops[l].start && i < flow->loops[l].end;
            assert_int_equal(flow_loop_contains(flow, l, flow->loop[flow->order[i]]), within);
        }
    }
}

static void random_graphs_agree_with_the_definitions(void **state)
{
    (void)state;
    uint32_t reducible = 0;
    for (uint32_t seed = 0; seed < 20000; seed++) {
        struct test_graph test = {0};
        random_state = seed;
        const uint32_t blocks = 2 + random_below(BLOCK_MAX - 2);
        for (uint32_t b = 0; b + 1 < blocks; b++) {
            edge(&test, b, b + 1);
            /* Mostly forward, so that many graphs are reducible. */
            if (random_below(3) != 0)
                edge(&test, b,
                     random_below(4) == 0 ? random_below(blocks)
                                          : b + 1 + random_below(blocks - b - 1));
        }
        analyse(&test, blocks);
        check_dominators(&test);
        if (!test.flow.irreducible) {
            check_order(&test);
            reducible += test.flow.loop_count > 0;
        }
        arena_release(&test.arena);
    }
    assert_true(reducible > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_loop_is_contiguous_and_comes_before_its_exits),
        cmocka_unit_test(an_inner_loop_lies_within_the_outer),
        cmocka_unit_test(a_cycle_with_two_entries_is_irreducible),
        cmocka_unit_test(what_the_entry_does_not_reach_is_left_out),
        cmocka_unit_test(random_graphs_agree_with_the_definitions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
