/* Load buffering, held to the axioms alone: of random straight-line tests every execution that
 * keeps them is listed, those in which a read depends on itself among them. If the search has found
 * fewer outcomes, or no race where there is one, it must have said that it left some out.
 *
 * What the threads write does not depend on what they read, but by atomic updates, so no value can
 * come out of thin air. */
#include "checkers/litmus/machine.h"
#include "checkers/litmus/search.h"
#include "trace/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum {
    PROGRAMS = 10000,
    SECONDS = 20,
    EVENTS_MAX = 8,
    LOCATIONS = 2,
    VALUES_MAX = EVENTS_MAX + LOCATIONS,
    SETS_MAX = 4000
};

/* ---- random tests ---- */

static uint64_t state = UINT64_C(0x9e3779b97f4a7c15);

static uint32_t draw(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 20) % below);
}

#define PICK(words) ((words)[draw(sizeof(words) / sizeof *(words))])

/* A statement with one access or fence; true: it sets the register. */
static bool print_statement(struct text *text, uint32_t number)
{
    static const char *const loads[] = {"relaxed", "relaxed", "acquire", "seq_cst"};
    static const char *const stores[] = {"relaxed", "relaxed", "release", "seq_cst"};
    static const char *const all[] = {"relaxed", "relaxed", "acq_rel", "seq_cst"};
    static const char *const locations[] = {"x", "y"};
    static const char *const scopes[] = {"device", "device", "device", "work_group"};
    const char *const location = PICK(locations);
    const uint32_t form = draw(10);
    text_append(text, "  ");
    if (form < 3) {
        text_format(text, "int r%u = atomic_load_explicit(%s, memory_order_%s", number, location,
                    PICK(loads));
    } else if (form < 6) {
        text_format(text, "atomic_store_explicit(%s, %u, memory_order_%s", location, draw(3),
                    PICK(stores));
    } else if (form == 6) {
        text_format(text, "int r%u = atomic_fetch_add_explicit(%s, 1, memory_order_%s", number,
                    location, PICK(all));
    } else if (form == 7) {
        text_format(text,
                    "int r%u = 0; atomic_compare_exchange_strong_explicit(%s, &r%u, 2, "
                    "memory_order_%s, memory_order_relaxed",
                    number, location, number, PICK(all));
    } else if (form == 8) {
        text_format(text, "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_%s",
                    PICK(all));
    } else if (draw(2) == 0) {
        text_format(text, "int r%u = *%s;\n", number, location);
        return true;
    } else {
        text_format(text, "*%s = %u;\n", location, draw(3));
        return false;
    }
    text_format(text, ", memory_scope_%s);\n", PICK(scopes));
    return form < 3 || form == 6 || form == 7;
}

/* Its condition speaks of all registers, by thread, then of x and y. */
static void print_test(struct text *text)
{
    const uint32_t threads = 2 + draw(2);
    struct text condition = TEXT_INIT;
    uint32_t number = 0;
    text_clear(text);
    text_append(text, "OPENCL random\n{}\n");
    for (uint32_t t = 0; t < threads; t++) {
        text_format(text, "P%u@wg %u (global int *x, global int *y) {\n", t, draw(2));
        for (uint32_t i = 0; i < (threads == 2 ? 2 + draw(2) : 1 + draw(2)); i++, number++) {
            if (print_statement(text, number)) {
                text_format(&condition, "%u:r%u=0 /\\ ", t, number);
            }
        }
        text_append(text, "}\n");
    }
    text_format(text, "exists (%sx=0 /\\ y=0)\n", condition.bytes != NULL ? condition.bytes : "");
    text_release(&condition);
}

/* ---- all executions ---- */

struct listed {
    const struct litmus_test *test;
    struct machine_thread at[EVENTS_MAX]; /* of each event's thread, before it */
    int64_t outcomes[SETS_MAX][VALUES_MAX];
    size_t outcome_count;
    bool races;
    struct graph_relations relations;
};

static void note_race(void *user, uint32_t a, uint32_t b)
{
    (void)a;
    (void)b;
    *(bool *)user = true;
}

static void take_outcome(struct listed *listed, const struct graph *graph)
{
    int64_t values[VALUES_MAX] = {0};
    size_t count = 0;
    for (uint32_t i = 0; i < graph->count; i++) {
        if (oracle_reads(graph->events[i].kind)) {
            values[count++] = graph->events[i].read_value;
        }
    }
    for (uint32_t location = 0; location < 2; location++) {
        values[count++] = graph_last_value(graph, location);
    }
    for (size_t i = 0; i < listed->outcome_count; i++) {
        if (memcmp(listed->outcomes[i], values, sizeof values) == 0) {
            return;
        }
    }
    assert_true(listed->outcome_count < SETS_MAX);
    memcpy(listed->outcomes[listed->outcome_count++], values, sizeof values);
}

/* The values that updates write, in the order of their locations; false if a compare-exchange that
 * was to exchange does not, or the other way round. */
static bool set_values(const struct listed *listed, struct graph *graph)
{
    for (uint32_t location = 0; location < 2; location++) {
        int last = GRAPH_INITIAL;
        for (uint32_t i = 0; i < graph_write_count(graph, location); i++) {
            struct graph_event *event = &graph->events[graph_writes(graph, location)[i]];
            const int64_t old = graph_value(graph, location, last);
            if (event->kind == ORACLE_ATOMIC_UPDATE) {
                event->reads_from = (int)last;
            }
            last = graph_writes(graph, location)[i];
            event->written_value =
                litmus_text_machine.written(&listed->at[last], event->instruction, old);
        }
    }
    for (uint32_t i = 0; i < graph->count; i++) {
        struct graph_event *event = &graph->events[i];
        if (!oracle_reads(event->kind)) {
            continue;
        }
        event->read_value = graph_value(graph, event->instruction->location, event->reads_from);
        if (event->instruction->op == LITMUS_COMPARE_EXCHANGE &&
            litmus_text_machine.exchanges(&listed->at[i], event->instruction, event->read_value) !=
                (event->kind == ORACLE_ATOMIC_UPDATE)) {
            return false;
        }
    }
    return true;
}

/* What the reads from that event on may read. */
static void list_sources(struct listed *listed, struct graph *graph, uint32_t event)
{
    struct graph_relations *const relations = &listed->relations;
    while (event < graph->count && (!oracle_reads(graph->events[event].kind) ||
                                    graph->events[event].kind == ORACLE_ATOMIC_UPDATE)) {
        event++;
    }
    if (event < graph->count) {
        const uint32_t location = graph->events[event].instruction->location;
        for (uint32_t i = 0; i <= graph_write_count(graph, location); i++) {
            graph->events[event].reads_from =
                i == 0 ? GRAPH_INITIAL : (int)graph_writes(graph, location)[i - 1];
            list_sources(listed, graph, event + 1);
        }
    } else if (set_values(listed, graph)) {
        graph_relate(graph, relations);
        if (graph_is_consistent(graph, relations)) {
            take_outcome(listed, graph);
            graph_each_race(graph, relations, note_race, &listed->races);
        }
    }
}

/* What the writes from that event on may come after; a compare-exchange may be one or not. */
static void list_orders(struct listed *listed, const struct graph *graph, uint32_t event)
{
    struct graph next;
    assert_true(graph_create(&next, EVENTS_MAX, LOCATIONS));
    graph_copy(graph, &next);
    if (event == graph->count) {
        list_sources(listed, &next, 0);
        graph_release(&next);
        return;
    }
    const struct litmus_instruction *instruction = graph->events[event].instruction;
    for (uint32_t i = 0;
         oracle_writes(instruction->kind) && i <= graph_write_count(graph, instruction->location);
         i++) {
        graph_copy(graph, &next);
        graph_place_write(&next, event, i);
        list_orders(listed, &next, event + 1);
    }
    if (!oracle_writes(instruction->kind) || instruction->op == LITMUS_COMPARE_EXCHANGE) {
        graph_copy(graph, &next);
        if (instruction->op == LITMUS_COMPARE_EXCHANGE) {
            next.events[event].kind = ORACLE_ATOMIC_READ;
            next.events[event].order = instruction->failure_order;
        }
        list_orders(listed, &next, event + 1);
    }
    graph_release(&next);
}

static void list_executions(struct listed *listed, const struct litmus_test *test)
{
    const struct oracle_machine machine = litmus_machine(test, ORACLE_SCOPES_EQUAL, false);
    struct graph graph;
    assert_true(graph_create(&graph, EVENTS_MAX, LOCATIONS));
    listed->test = test;
    listed->outcome_count = 0;
    listed->races = false;
    graph_start(&graph, test, &machine);
    for (uint32_t t = 0; t < test->thread_count; t++) {
        struct machine_thread at;
        const struct litmus_instruction *next;
        litmus_text_machine.start(test, t, &at);
        while ((next = litmus_text_machine.run(test, t, &at, 1)) != NULL) {
            listed->at[graph.count] = at;
            graph_add(&graph, t, next);
            litmus_text_machine.performed(test, t, &at, 0, true);
        }
    }
    list_orders(listed, &graph, 0);
    graph_release(&graph);
}

/* ---- the comparison ---- */

static bool is_listed(const struct listed *listed, const struct litmus_outcome *outcome)
{
    for (size_t i = 0; i < listed->outcome_count; i++) {
        if (memcmp(listed->outcomes[i], outcome->values,
                   outcome->value_count * sizeof *outcome->values) == 0) {
            return true;
        }
    }
    return false;
}

static void test_what_is_left_out_is_told(void **unused)
{
    (void)unused;
    static struct listed listed;
    const struct litmus_options options = {.weak = true, .rounds = LITMUS_ROUNDS};
    struct text source = TEXT_INIT;
    const time_t end = time(NULL) + SECONDS;
    assert_true(graph_relations_create(&listed.relations, EVENTS_MAX));
    int programs = 0;
    int more = 0;
    int told = 0;
    for (; programs < PROGRAMS && time(NULL) < end; programs++) {
        struct litmus_test *test = NULL;
        struct litmus_result *result = NULL;
        struct error error;
        print_test(&source);
        if (litmus_parse(source.bytes, source.size, &test, &error) != STATUS_OK) {
            fail_msg("%s\n%s", error.text, source.bytes);
        }
        assert_int_equal(litmus_search(test, &options, &result, &error), STATUS_OK);
        list_executions(&listed, test);
        for (size_t i = 0; i < result->outcome_count; i++) {
            if (!is_listed(&listed, &result->outcomes[i])) {
                fail_msg("an outcome against the axioms, of\n%s", source.bytes);
            }
        }
        const bool fewer = result->outcome_count < listed.outcome_count ||
                           (listed.races && result->race_count == 0);
        if (fewer && result->left_out != LITMUS_LEFT_BUFFERING) {
            fail_msg("%zu of %zu outcomes, and all is said to be looked at, of\n%s",
                     result->outcome_count, listed.outcome_count, source.bytes);
        }
        more += fewer;
        told += result->left_out != 0;
        litmus_result_destroy(result);
        litmus_destroy(test);
    }
    print_message("%d programs, %d with more outcomes by load buffering, %d said to\n", programs,
                  more, told);
    assert_true(more > 0 && told < 2 * more);
    graph_relations_release(&listed.relations);
    text_release(&source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_what_is_left_out_is_told)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
