/* Like threads: of the executions that differ in nothing but which of them did what, one is come
 * to, and what is told is what all of them come to. */
#include "tests/unit/litmus/memo_search.h"

#include "trace/base/hash.h"
#include "trace/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { PROGRAMS = 3000, SECONDS = 10, STATES_MAX = 3000 };

static struct litmus_test *parse(const struct text *source)
{
    struct litmus_test *test = NULL;
    struct error error;
    if (litmus_parse(source->bytes, source->size, &test, &error) != STATUS_OK) {
        fail_msg("%s\n%s", error.text, source->bytes);
    }
    return test;
}

/* ---- random programs of like threads ---- */

static uint64_t drawn;

static uint32_t draw(uint32_t below)
{
    drawn = drawn * UINT64_C(6364136223846793005) + 1442695040888963407U;
    return (uint32_t)(drawn >> 33) % below;
}

#define IN(order) "memory_order_" order ", memory_scope_device"

static void print_statements(struct text *text, const char *parting)
{
    static const char *const statements[] = {
        "int r# = atomic_load_explicit(@, " IN("relaxed") ");",
        "int r# = atomic_load_explicit(@, " IN("acquire") ");",
        "atomic_store_explicit(@, 1, " IN("relaxed") ");",
        "atomic_store_explicit(@, 2, " IN("release") ");",
        "int r# = atomic_fetch_add_explicit(@, 1, " IN("acq_rel") ");",
        "int r# = atomic_fetch_add_explicit(@, 1, " IN("relaxed") ");",
        "int e# = 1; atomic_compare_exchange_strong_explicit(@, &e#, 3, memory_order_acq_rel, " IN(
            "relaxed") ");",
        "if (atomic_load_explicit(@, " IN("acquire") ") == 1) { *d = 1; }",
        "if (atomic_load_explicit(@, " IN("relaxed") ") == 1) "
                                                     "{ atomic_store_explicit(y, 1, " IN(
                                                         "relaxed") "); }",
        "if (atomic_load_explicit(@, " IN("seq_cst") ") == 0) "
                                                     "{ atomic_store_explicit(x, 3, " IN(
                                                         "seq_cst") "); }",
        "*d = 1;",
        "int r# = *d;",
        "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, " IN("seq_cst") ");",
        "while (atomic_load_explicit(@, " IN("acquire") ") == 0) { }",
        "while (atomic_exchange_explicit(@, 1, " IN("acq_rel") ") != 0) { }",
    };
    static const char *const places[] = {"x", "y"};
    const uint32_t length = 1 + draw(3);
    for (uint32_t i = 0; i < length; i++) {
        const char *const place = places[draw(2)];
        const char *at = statements[draw(sizeof statements / sizeof *statements)];
        text_append(text, "  ");
        for (; *at != '\0'; at++) {
            if (*at == '@') {
                text_append(text, place);
            } else if (*at == '#') {
                text_format(text, "%u", i);
            } else {
                text_append_char(text, *at);
            }
        }
        text_append_char(text, '\n');
        if (i == 0) {
            text_append(text, parting);
        }
    }
}

/* Two or three like threads, and others. */
static void print_program(struct text *text)
{
    struct text bodies[2] = {TEXT_INIT, TEXT_INIT};
    const uint32_t others = draw(3);
    const uint32_t alike = others == 2 ? 2 : 2 + draw(2);
    const uint32_t groups = draw(4); /* 0: each is one; 1: all; else with others of another one */
    const bool meet = groups == 2 && draw(2) == 0;
    print_statements(&bodies[0], meet ? "  work_group_barrier(CLK_GLOBAL_MEM_FENCE);\n" : "");
    print_statements(&bodies[1], "");
    text_clear(text);
    text_append(text, "OPENCL alike\n{}\n");
    for (uint32_t t = 0; t < alike + others; t++) {
        /* The like ones are not the first, nor beside each other, in some. */
        const bool other = others == 1 ? t == 1 : t >= alike;
        if (other && others == 2 && t == alike + 1) {
            text_clear(&bodies[1]);
            print_statements(&bodies[1], "");
        }
        text_format(text, "P%u@wg %u (global int *x, global int *y, global int *d) {\n%s}\n", t,
                    groups == 0   ? t
                    : groups == 1 ? 0
                                  : other,
                    bodies[other].bytes);
    }
    text_append(text, "exists (x=1 /\\ y=0 /\\ d=1)\n");
    text_release(&bodies[0]);
    text_release(&bodies[1]);
}

/* ---- executions, up to exchanging ---- */

struct execution {
    UT_hash_handle hh;
    uint32_t times[2]; /* with like threads apart, and not */
    uint16_t key[];
};

struct executions {
    const struct search *search;
    const struct alike *alike; /* which threads are */
    struct execution *table;
    struct arena arena;
    const char *source;
    bool is_reduced; /* the search under way */
    uint32_t restarts;
    uint64_t counts[2];
};

/* The least key of those of the graph with like threads exchanged, from that thread on. */
static void find_least(struct executions *executions, struct graph *graph, uint32_t from,
                       uint16_t least[MEMO_KEY_MAX], size_t *size)
{
    const struct litmus_test *test = executions->search->test;
    if (from == test->thread_count) {
        uint16_t key[MEMO_KEY_MAX];
        const size_t of_key = memo_key(test, graph, key);
        if (*size == 0 || memcmp(key, least, of_key) < 0) {
            memcpy(least, key, of_key);
        }
        *size = of_key;
        return;
    }
    for (uint32_t with = from; with < test->thread_count; with++) {
        if (executions->alike->first[with] != executions->alike->first[from]) {
            continue;
        }
        for (int back = 0; back < 2; back++) {
            for (uint32_t i = 0; i < graph->count; i++) {
                struct graph_event *event = &graph->events[i];
                event->thread = (uint16_t)(event->thread == with   ? from
                                           : event->thread == from ? with
                                                                   : event->thread);
            }
            if (back == 0) {
                find_least(executions, graph, from + 1, least, size);
            }
        }
    }
}

static enum status note_execution(void *user, const struct state *state, enum end end,
                                  const struct litmus_choices *choices, struct error *error)
{
    struct executions *executions = user;
    struct execution *execution;
    uint16_t key[MEMO_KEY_MAX];
    struct graph graph = {0};
    size_t size = 0;
    (void)end;
    (void)choices;
    (void)error;
    if (executions->restarts != executions->search->restarts) {
        executions->restarts = executions->search->restarts;
        executions->counts[executions->is_reduced] = 0;
        for (struct execution *at = executions->table; at != NULL; at = at->hh.next) {
            at->times[executions->is_reduced] = 0;
        }
    }
    assert_true(graph_create(&graph, state->graph.event_capacity, state->graph.location_capacity));
    graph_copy(&state->graph, &graph);
    find_least(executions, &graph, 0, key, &size);
    graph_release(&graph);
    HASH_FIND(hh, executions->table, key, size, execution);
    if (execution == NULL) {
        execution = arena_alloc(&executions->arena, 1, sizeof *execution + size);
        assert_non_null(execution);
        memcpy(execution->key, key, size);
        HASH_ADD(hh, executions->table, key, size, execution);
    }
    execution->times[executions->is_reduced]++;
    executions->counts[executions->is_reduced]++;
    return STATUS_OK;
}

/* How many there are of a search of all executions; false: there are too many. */
static bool run(struct executions *executions, const struct litmus_test *test, struct alike *alike,
                bool weak, bool in_order)
{
    const struct litmus_options options = {
        .weak = weak,
        .rounds = 2,
        .states_max = STATES_MAX,
        .race_values = true,
        .in_order = in_order,
        .apart = !executions->is_reduced,
    };
    struct search *search = NULL;
    assert_int_equal(search_create(test, &options, &search, NULL), STATUS_OK);
    if (!executions->is_reduced) { /* it knows nothing of it */
        alike_begin(search);
        *alike = *search->alike;
    }
    executions->alike = alike;
    executions->search = search;
    executions->restarts = 0;
    search->visit = note_execution;
    search->user = executions;
    assert_int_equal(search_all(search, weak, NULL), STATUS_OK);
    const bool all = search->left_out == 0;
    search_destroy(search);
    return all;
}

struct totals {
    uint64_t programs, left, all, reduced, classes;
};

static void compare_executions(const struct litmus_test *test, bool weak, bool in_order,
                               const char *source, struct totals *totals)
{
    struct executions executions = {.source = source};
    struct alike alike = {0};
    bool all = run(&executions, test, &alike, weak, in_order);
    executions.is_reduced = true;
    all = all && run(&executions, test, &alike, weak, in_order);
    totals->programs++;
    totals->left += !all;
    for (struct execution *at = executions.table; all && at != NULL; at = at->hh.next) {
        totals->classes++;
        if (at->times[0] == 0 || at->times[1] == 0 || at->times[1] > at->times[0]) {
            fail_msg("%u executions are found of %u that differ in like threads alone, of\n%s",
                     at->times[1], at->times[0], source);
        }
    }
    totals->all += all ? executions.counts[0] : 0;
    totals->reduced += all ? executions.counts[1] : 0;
    HASH_CLEAR(hh, executions.table);
    arena_release(&executions.arena);
}

/* ---- what is told ---- */

static bool has_race(const struct litmus_result *result, const struct litmus_race *wanted)
{
    bool has = false;
    for (size_t i = 0; i < result->race_count; i++) {
        const struct litmus_race *race = &result->races[i];
        has = has || (race->weak == wanted->weak && race->by_scope == wanted->by_scope &&
                      ((race->first == wanted->first && race->second == wanted->second) ||
                       (race->first == wanted->second && race->second == wanted->first)));
    }
    return has;
}

static bool has_outcome(const struct litmus_result *result, const struct litmus_outcome *wanted)
{
    bool has = false;
    for (size_t i = 0; i < result->outcome_count; i++) {
        const struct litmus_outcome *outcome = &result->outcomes[i];
        has = has || (outcome->weak == wanted->weak && outcome->by_scope == wanted->by_scope &&
                      outcome->holds == wanted->holds &&
                      memcmp(outcome->values, wanted->values,
                             wanted->value_count * sizeof *wanted->values) == 0);
    }
    return has;
}

struct racing {
    const struct graph *graph;
    const struct litmus_race *race;
    bool found;
};

static void look_for_race(void *user, uint32_t a, uint32_t b)
{
    struct racing *racing = user;
    const struct litmus_instruction *x = racing->graph->events[a].instruction;
    const struct litmus_instruction *y = racing->graph->events[b].instruction;
    racing->found = racing->found || (x == racing->race->first && y == racing->race->second) ||
                    (y == racing->race->first && x == racing->race->second);
}

/* The choices that are told with the race lead to it. */
static void check_choices(const struct litmus_test *test, const struct litmus_options *options,
                          const struct litmus_race *race, const char *source)
{
    struct graph graph = {0};
    struct graph_relations relations;
    struct oracle_machine machine = litmus_machine(test, options->scope_rule, false);
    struct error error;
    machine.seq_cst_scoped = true;
    if (litmus_replay(test, options, &race->choices, &graph, &error) != STATUS_OK) {
        fail_msg("%s, of\n%s", error.text, source);
    }
    graph.machine = &machine;
    assert_true(graph_relations_create(&relations, graph.event_capacity));
    graph_relate(&graph, &relations);
    struct racing racing = {&graph, race, false};
    graph_each_race(&graph, &relations, look_for_race, &racing);
    if (!racing.found) {
        fail_msg("a race is not where its choices lead, of\n%s", source);
    }
    graph_relations_release(&relations);
    graph_release(&graph);
}

static void compare_results(const struct litmus_test *test, bool weak, const char *source)
{
    const struct litmus_options options = {
        .weak = weak, .rounds = 2, .states_max = STATES_MAX, .race_values = true};
    struct litmus_options apart = options;
    struct litmus_result *first = NULL;
    struct litmus_result *second = NULL;
    apart.apart = true;
    assert_int_equal(litmus_search(test, &options, &first, NULL), STATUS_OK);
    assert_int_equal(litmus_search(test, &apart, &second, NULL), STATUS_OK);
    bool same = first->outcome_count == second->outcome_count &&
                first->race_count == second->race_count && first->left_out == second->left_out &&
                first->hangs == second->hangs && first->hangs_weakly == second->hangs_weakly &&
                (first->stuck > 0) == (second->stuck > 0) && (first->cut > 0) == (second->cut > 0);
    for (size_t i = 0; same && i < second->outcome_count; i++) {
        same = has_outcome(first, &second->outcomes[i]);
    }
    for (size_t i = 0; same && i < second->race_count; i++) {
        same = has_race(first, &second->races[i]);
        check_choices(test, &options, &first->races[i], source);
    }
    same = same && (first->executions == second->executions || first->stand_for_others);
    if (!same && ((first->left_out | second->left_out) & LITMUS_LEFT_STATES) == 0) {
        fail_msg("something else is told with like threads apart, of\n%s", source);
    }
    litmus_result_destroy(first);
    litmus_result_destroy(second);
}

static void test_one_execution_stands_for_all(void **state)
{
    (void)state;
    struct text source = TEXT_INIT;
    struct totals totals = {0};
    const char *const seed = getenv("ALIKE_SEED");
    const time_t end = time(NULL) + (seed != NULL ? 300 : SECONDS);
    drawn = seed != NULL ? strtoull(seed, NULL, 10) : 1;
    for (int i = 0; (seed != NULL || i < PROGRAMS) && time(NULL) < end; i++) {
        print_program(&source);
        struct litmus_test *test = parse(&source);
        compare_executions(test, true, true, source.bytes, &totals);
        compare_executions(test, true, false, source.bytes, &totals);
        compare_executions(test, false, true, source.bytes, &totals);
        compare_results(test, true, source.bytes);
        compare_results(test, false, source.bytes);
        litmus_destroy(test);
    }
    print_message("%llu explorations, %llu too large; %llu executions, %llu up to exchanging, %llu "
                  "gone through\n",
                  (unsigned long long)totals.programs, (unsigned long long)totals.left,
                  (unsigned long long)totals.all, (unsigned long long)totals.classes,
                  (unsigned long long)totals.reduced);
    assert_true(totals.programs > 15 && totals.left * 5 < totals.programs);
    assert_true(totals.reduced < totals.all);
    text_release(&source);
}

/* What is earlier in the modification order is written after what is later. */
static const char *const crossed[] = {
    /* One of the like threads reads what the other one was needed for, */
    "OPENCL told\n{}\n"
    "P0@wg 0 (global int *x, global int *y) { FOLLOW }\n"
    "P1@wg 1 (global int *x, global int *y) { FOLLOW }\n"
    "P2@wg 2 (global int *x, global int *y) { if (LOAD(y) == 1) { STORE(x, 2); } }\n"
    "P3@wg 3 (global int *x, global int *y) { STORE(x, 1); }\n"
    "exists (x=1 /\\ y=1)\n",
    /* or what one of another pair was needed for, of which one reads the same of the first. */
    "OPENCL crossed\n{}\n"
    "P0@wg 0 (global int *x, global int *y) { if (LOAD(x) == 2) { STORE(y, 1); } }\n"
    "P1@wg 1 (global int *x, global int *y) { if (LOAD(x) == 2) { STORE(y, 1); } }\n"
    "P2@wg 2 (global int *x, global int *y) { if (LOAD(y) == 2) { STORE(x, 1); } }\n"
    "P3@wg 3 (global int *x, global int *y) { if (LOAD(y) == 2) { STORE(x, 1); } }\n"
    "P4@wg 4 (global int *x, global int *y) { STORE(x, 2); }\n"
    "P5@wg 5 (global int *x, global int *y) { STORE(y, 2); }\n"
    "exists (x=1 /\\ y=1)\n",
};

static void replace(struct text *text, const char *from, const char *to)
{
    struct text with = TEXT_INIT;
    const char *at = text->bytes;
    for (const char *found; (found = strstr(at, from)) != NULL; at = found + strlen(from)) {
        text_format(&with, "%.*s%s", (int)(found - at), at, to);
    }
    text_append(&with, at);
    text_clear(text);
    text_append(text, with.bytes);
    text_release(&with);
}

static void test_what_is_told_later_may_stand_earlier(void **state)
{
    (void)state;
    struct text source = TEXT_INIT;
    struct totals totals = {0};
    for (size_t i = 0; i < sizeof crossed / sizeof *crossed; i++) {
        text_clear(&source);
        text_append(&source, crossed[i]);
        replace(&source, "FOLLOW", "if (LOAD(x) == 1) { STORE(y, 1); }");
        replace(&source, "LOAD(", "atomic_load_explicit(");
        replace(&source, "STORE(", "atomic_store_explicit(");
        replace(&source, "(x) ", "(x, " IN("relaxed") ") ");
        replace(&source, "(y) ", "(y, " IN("relaxed") ") ");
        replace(&source, "1);", "1, " IN("relaxed") ");");
        replace(&source, "2);", "2, " IN("relaxed") ");");
        struct litmus_test *test = parse(&source);
        compare_executions(test, true, true, source.bytes, &totals);
        compare_executions(test, true, false, source.bytes, &totals);
        litmus_destroy(test);
    }
    assert_int_equal(totals.left, 0);
    assert_true(totals.reduced < totals.all);
    text_release(&source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_execution_stands_for_all),
        cmocka_unit_test(test_what_is_told_later_may_stand_earlier),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
