/* All executions, each once: how many there are of programs that grow, and of random programs what
 * another search finds (memo_search.h), which comes to them in every order. */
#include "tests/unit/litmus/memo_search.h"
#include "tests/unit/litmus/random_litmus.h"

#include "trace/base/hash.h"
#include "trace/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { PROGRAMS = 1000, SECONDS = 10 };

static struct litmus_test *parse(const struct text *source)
{
    struct litmus_test *test = NULL;
    struct error error;
    if (litmus_parse(source->bytes, source->size, &test, &error) != STATUS_OK) {
        fail_msg("%s\n%s", error.text, source->bytes);
    }
    return test;
}

/* ---- programs that grow ---- */

#define RELAXED ", memory_order_relaxed, memory_scope_device)"

static void add_own(struct text *text, uint32_t thread, uint32_t threads)
{
    (void)threads;
    text_format(text, "  atomic_fetch_add_explicit(c%u, 1" RELAXED ";\n", thread);
}

static void increment_own(struct text *text, uint32_t thread, uint32_t threads)
{
    (void)threads;
    text_format(text, "  *p%u = *p%u + 1;\n", thread, thread);
}

static void add_to_one(struct text *text, uint32_t thread, uint32_t threads)
{
    (void)thread;
    (void)threads;
    text_append(text, "  atomic_fetch_add_explicit(c0, 1" RELAXED ";\n");
}

/* Here the order matters: each needs what it finds, */
static void take_from_one(struct text *text, uint32_t thread, uint32_t threads)
{
    (void)thread;
    (void)threads;
    text_format(text, "  int r%zu = atomic_fetch_add_explicit(c0, 1" RELAXED ";\n", text->size);
}

/* or the last one does, */
static void add_and_see(struct text *text, uint32_t thread, uint32_t threads)
{
    (void)thread;
    (void)threads;
    add_to_one(text, thread, threads);
    if (thread + 1 == threads) {
        text_append(text, "  int r = atomic_load_explicit(c0" RELAXED ";\n");
    }
}

/* or what is released before one is acquired after another. */
static void add_and_fence(struct text *text, uint32_t thread, uint32_t threads)
{
    text_append(text, "  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, "
                      "memory_scope_device);\n");
    add_to_one(text, thread, threads);
    text_append(text, "  atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acq_rel, "
                      "memory_scope_device);\n");
}

/* Store buffering, each with the next one. */
static void store_and_load(struct text *text, uint32_t thread, uint32_t threads)
{
    text_format(text,
                "  atomic_store_explicit(c%u, 1" RELAXED ";\n"
                "  int r = atomic_load_explicit(c%u" RELAXED ";\n",
                thread, (thread + 1) % threads);
}

static void spin(struct text *text, uint32_t thread, uint32_t threads)
{
    (void)thread;
    (void)threads;
    text_append(text, "  int free = 0;\n"
                      "  while (!atomic_compare_exchange_strong_explicit(c0, &free, 1, "
                      "memory_order_acquire, memory_order_relaxed)) { free = 0; }\n"
                      "  *p0 = *p0 + 1;\n"
                      "  atomic_store_explicit(c0, 0, memory_order_release);\n");
}

static void take_ticket(struct text *text, uint32_t thread, uint32_t threads)
{
    (void)thread;
    (void)threads;
    text_append(text, "  int t = atomic_fetch_add_explicit(c1, 1" RELAXED ";\n"
                      "  while (atomic_load_explicit(c0, memory_order_acquire) != t) { }\n"
                      "  *p0 = *p0 + 1;\n"
                      "  atomic_store_explicit(c0, t + 1, memory_order_release);\n");
}

/* Each waits for the one before it. */
static void pass_on(struct text *text, uint32_t thread, uint32_t threads)
{
    (void)threads;
    if (thread > 0) {
        text_format(text, "  while (atomic_load_explicit(c%u, memory_order_acquire) == 0) { }\n",
                    thread - 1);
    }
    text_format(text, "  atomic_store_explicit(c%u, 1, memory_order_release);\n", thread);
}

struct growing {
    void (*print)(struct text *text, uint32_t thread, uint32_t threads);
    uint32_t threads, times;
    /* Executions that end, and in which some thread waits: with like threads apart, where these are
     * not too many, and up to exchanging them. */
    uint64_t apart[2], alike[2];
};

static const struct growing growing[] = {
    {add_own, 8, 4, {1, 0}, {1, 0}},
    {increment_own, 8, 3, {1, 0}, {1, 0}},
    {take_from_one, 6, 1, {720, 0}, {1, 0}},
    {take_from_one, 32, 1, {0}, {1, 0}},
    {take_from_one, 3, 3, {1680, 0}, {280, 0}},
    {store_and_load, 5, 1, {32, 0}, {32, 0}},
    {spin, 4, 1, {24, 124}, {1, 7}},
    {spin, 8, 1, {0}, {1, 127}},
    {take_ticket, 4, 1, {24, 312}, {1, 13}},
    {take_ticket, 8, 1, {0}, {1, 2047}},
    {add_to_one, 8, 1, {1, 0}, {1, 0}},
    {add_to_one, 3, 3, {1, 0}, {1, 0}},
    {add_to_one, 32, 1, {1, 0}, {1, 0}},
    {add_and_see, 4, 1, {60, 0}, {10, 0}},
    {add_and_fence, 3, 1, {6, 0}, {1, 0}},
    {add_own, 16, 4, {1, 0}, {1, 0}},
    {add_own, 32, 2, {1, 0}, {1, 0}},
    {pass_on, 32, 1, {1, 31}, {1, 31}},
};

static void print_growing(const struct growing *program, struct text *text)
{
    text_clear(text);
    text_append(text, "OPENCL growing\n{}\n");
    for (uint32_t t = 0; t < program->threads; t++) {
        text_format(text, "P%u@wg %u (", t, t);
        for (uint32_t i = 0; i < 32; i++) {
            text_format(text, "%sglobal atomic_int *c%u, global int *p%u", i > 0 ? ", " : "", i, i);
        }
        text_append(text, ") {\n");
        for (uint32_t i = 0; i < program->times; i++) {
            program->print(text, t, program->threads);
        }
        text_append(text, "}\n");
    }
    text_append(text, "exists (c0=77)\n");
}

struct counting {
    const struct search *search;
    uint32_t restarts;
    uint64_t counts[2];
};

static enum status count(void *user, const struct state *state, enum end end,
                         const struct litmus_choices *choices, struct error *error)
{
    struct counting *const counting = user;
    (void)state;
    (void)choices;
    (void)error;
    if (counting->restarts != counting->search->restarts) {
        memset(counting->counts, 0, sizeof counting->counts);
    }
    counting->restarts = counting->search->restarts;
    counting->counts[end == END_ALL ? 0 : 1]++;
    return STATUS_OK;
}

static void count_executions(const struct growing *program, const uint64_t wanted[2], bool apart)
{
    const struct litmus_options options = {.weak = true, .rounds = LITMUS_ROUNDS, .apart = apart};
    struct text source = TEXT_INIT;
    struct counting counting = {0};
    struct search *search = NULL;
    print_growing(program, &source);
    struct litmus_test *test = parse(&source);
    assert_int_equal(search_create(test, &options, &search, NULL), STATUS_OK);
    search->visit = count;
    counting.search = search;
    search->user = &counting;
    const uint64_t *const counts = counting.counts;
    assert_int_equal(search_all(search, true, NULL), STATUS_OK);
    if (counts[0] != wanted[0] || counts[1] != wanted[1]) {
        fail_msg("%llu executions, and %llu in which threads wait, of\n%s",
                 (unsigned long long)counts[0], (unsigned long long)counts[1], source.bytes);
    }
    search_destroy(search);
    litmus_destroy(test);
    text_release(&source);
}

static void test_executions_are_not_orders(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof growing / sizeof *growing; i++) {
        if (growing[i].apart[0] > 0) {
            count_executions(&growing[i], growing[i].apart, true);
        }
        count_executions(&growing[i], growing[i].alike, false);
    }
}

/* ---- two searches ---- */

struct execution {
    UT_hash_handle hh;
    uint32_t times[2]; /* that each of the searches came to it */
    uint16_t key[];
};

struct executions {
    const struct litmus_test *test;
    const char *source;
    struct execution *table;
    struct arena arena;
    int search; /* the one under way */
    bool weak;  /* executions, or interleavings alone */
    uint64_t count;
};

static enum status note_execution(void *user, const struct state *state, enum end end,
                                  const struct litmus_choices *choices, struct error *error)
{
    struct executions *executions = user;
    struct execution *execution;
    uint16_t key[MEMO_KEY_MAX];
    (void)error;
    if (end != END_ALL || (executions->search == 1 && choices->weak != executions->weak)) {
        return STATUS_OK; /* the other search comes to interleavings twice */
    }
    const size_t size = memo_key(executions->test, &state->graph, key);
    HASH_FIND(hh, executions->table, key, size, execution);
    if (execution == NULL) {
        execution = arena_alloc(&executions->arena, 1, sizeof *execution + size);
        assert_non_null(execution);
        memcpy(execution->key, key, size);
        HASH_ADD(hh, executions->table, key, size, execution);
    }
    if (execution->times[executions->search]++ > 0) {
        fail_msg("search %d comes to an execution twice, of\n%s", executions->search,
                 executions->source);
    }
    executions->count++;
    return STATUS_OK;
}

/* Both come to the same executions, each once. False: the program has too many. */
static bool compare_executions(const struct litmus_test *test, bool weak, const char *source,
                               uint64_t *execution_count)
{
    const struct litmus_options options = {.weak = weak,
                                           .rounds = LITMUS_ROUNDS,
                                           .states_max = MEMO_STATES_MAX,
                                           .race_values = true,
                                           .in_order = true};
    struct executions executions = {.test = test, .source = source, .search = 1, .weak = weak};
    struct search *search = NULL;
    assert_int_equal(search_create(test, &options, &search, NULL), STATUS_OK);
    search->visit = note_execution;
    search->user = &executions;
    assert_int_equal(memo_search(search, NULL), STATUS_OK);
    const bool all = search->left_out == 0;
    *execution_count += executions.count;
    executions.search = 0;
    executions.count = 0;
    assert_int_equal(search_all(search, weak, NULL), STATUS_OK);
    for (struct execution *at = executions.table; all && at != NULL; at = at->hh.next) {
        if (at->times[0] != at->times[1]) {
            fail_msg("an execution is found by search %d alone, of\n%s", at->times[0] > 0 ? 0 : 1,
                     source);
        }
    }
    HASH_CLEAR(hh, executions.table);
    arena_release(&executions.arena);
    search_destroy(search);
    return all;
}

static bool same_race(const struct litmus_race *a, const struct litmus_race *b)
{
    return a->weak == b->weak && ((a->first == b->first && a->second == b->second) ||
                                  (a->first == b->second && a->second == b->first));
}

static size_t count_races(const struct litmus_result *of, const struct litmus_result *in)
{
    size_t found = 0;
    for (size_t i = 0; i < of->race_count; i++) {
        for (size_t j = 0; j < in->race_count; j++) {
            found += same_race(&of->races[i], &in->races[j]);
        }
    }
    return found;
}

static bool same_outcomes(const struct litmus_result *a, const struct litmus_result *b)
{
    bool same = a->outcome_count == b->outcome_count;
    for (size_t i = 0; same && i < a->outcome_count; i++) {
        const struct litmus_outcome *x = &a->outcomes[i];
        const struct litmus_outcome *y = &b->outcomes[i];
        same = x->weak == y->weak && x->choices.count == y->choices.count &&
               memcmp(x->choices.choices, y->choices.choices,
                      x->choices.count * sizeof *x->choices.choices) == 0 &&
               memcmp(x->values, y->values, x->value_count * sizeof *x->values) == 0;
    }
    return same;
}

/* Both say the same, and tell outcomes by the same choices. */
static void compare_results(const struct litmus_test *test, bool weak, const char *source)
{
    const struct litmus_options options = {
        .weak = weak, .rounds = 2, .race_values = true, .in_order = true};
    struct litmus_result *first = NULL;
    struct litmus_result *second = NULL;
    assert_int_equal(litmus_search(test, &options, &first, NULL), STATUS_OK);
    assert_int_equal(search_collect(test, &options, memo_search, &second, NULL), STATUS_OK);
    if (!same_outcomes(first, second)) {
        fail_msg("not the same outcomes, of\n%s", source);
    }
    if (first->race_count != second->race_count ||
        count_races(first, second) != first->race_count) {
        fail_msg("not the same races, of\n%s", source);
    }
    if (first->left_out != second->left_out || (first->stuck > 0) != (second->stuck > 0)) {
        fail_msg("not the same is left out, or stuck, of\n%s", source);
    }
    /* The other search takes what a thread has read in a round for not read, so that it may still
     * read what is older, and go on. */
    const bool same = second->hangs ? first->hangs && first->hangs_weakly == second->hangs_weakly
                                    : !first->hangs || first->hangs_weakly;
    if (!same) {
        fail_msg("not the same hangs, of\n%s", source);
    }
    litmus_result_destroy(first);
    litmus_result_destroy(second);
}

/* Some threads begin with a wait, so that there are loops. */
static void add_waits(struct text *source, struct random_litmus *random)
{
    static const char *const waits[] = {
        "  while (atomic_load_explicit(x, memory_order_acquire) == 0) { }\n",
        "  while (atomic_exchange_explicit(y, 1, memory_order_acq_rel) != 0) { }\n",
        "  do { } while (atomic_load_explicit(y, memory_order_relaxed) > 2);\n",
    };
    struct text with = TEXT_INIT;
    const char *at = source->bytes;
    for (const char *brace; (brace = strstr(at, ") {\n")) != NULL; at = brace + 4) {
        text_format(&with, "%.*s", (int)(brace + 4 - at), at);
        random->state = random->state * UINT64_C(6364136223846793005) + 1;
        const uint32_t drawn = (uint32_t)(random->state >> 40) % 8;
        if (at != source->bytes && strncmp(brace - 8, "int *l", 6) != 0 && drawn < 3) {
            text_append(&with, waits[drawn]);
        }
    }
    text_append(&with, at);
    text_clear(source);
    text_append(source, with.bytes);
    text_release(&with);
}

static void test_two_searches_agree(void **state)
{
    (void)state;
    struct random_litmus random = {UINT64_C(0x9e3779b97f4a7c15)};
    struct text source = TEXT_INIT;
    const time_t end = time(NULL) + SECONDS;
    uint64_t executions = 0;
    int programs = 0;
    int left = 0;
    for (; programs < PROGRAMS && time(NULL) < end; programs++) {
        random_litmus_print(&random, RANDOM_LITMUS_ALL, &source);
        if (programs % 3 == 0) {
            add_waits(&source, &random);
        }
        struct litmus_test *test = parse(&source);
        if (compare_executions(test, true, source.bytes, &executions) &&
            compare_executions(test, false, source.bytes, &executions)) {
            compare_results(test, true, source.bytes);
            compare_results(test, false, source.bytes);
        } else {
            left++;
        }
        litmus_destroy(test);
    }
    print_message("%d programs, %llu executions, %d programs with too many\n", programs,
                  (unsigned long long)executions, left);
    assert_true(executions > 1000 && left * 10 < programs);
    text_release(&source);
}

/* ---- updates that commute ---- */

static uint32_t draw(struct random_litmus *random, uint32_t below)
{
    random->state = random->state * UINT64_C(6364136223846793005) + 1442695040888963407U;
    return (uint32_t)(random->state >> 33) % below;
}

/* Three threads that add, and sometimes do what tells the order of it. */
static void print_adding(struct random_litmus *random, struct text *text)
{
    static const char *const statements[] = {
        "atomic_fetch_add_explicit(x, 1" RELAXED ";",
        "atomic_fetch_add_explicit(x, 2" RELAXED ";",
        "atomic_fetch_add_explicit(x, 1" RELAXED ";",
        "atomic_fetch_add_explicit(y, 1" RELAXED ";",
        "atomic_fetch_or_explicit(y, 2" RELAXED ";",
        "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_release, memory_scope_device);",
        "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_acquire, memory_scope_device);",
        "atomic_work_item_fence(CLK_GLOBAL_MEM_FENCE, memory_order_seq_cst, memory_scope_device);",
        "*d = 1;",
        "if (atomic_load_explicit(y" RELAXED " == 1) { *d = 2; }",
        "if (atomic_load_explicit(x, memory_order_acquire) > 1) { *d = 3; }",
        "atomic_fetch_max_explicit(x, 1" RELAXED ";",
        "*d = *x;",
        "*y = 4;",
        "while (atomic_load_explicit(f, memory_order_acquire) == 0) { }",
        "do { atomic_fetch_xor_explicit(x, 1" RELAXED "; } while "
        "(atomic_load_explicit(f" RELAXED " == 0);",
        "atomic_store_explicit(f, 1, memory_order_release);",
    };
    const uint32_t count = sizeof statements / sizeof *statements;
    const uint32_t barriers = draw(random, 4) % 3; /* of the first two threads */
    text_clear(text);
    text_append(text, "OPENCL adding\n{}\n");
    for (uint32_t t = 0; t < 3; t++) {
        text_format(text,
                    "P%u@wg %u (global int *x, global int *y, global int *d, global int *f) {\n", t,
                    t / 2);
        for (uint32_t i = 0; i < 2 + draw(random, 2); i++) {
            text_format(text, "  %s\n", statements[draw(random, draw(random, 2) == 0 ? 5 : count)]);
            if (i < barriers && t < 2) {
                text_append(text, "  work_group_barrier(CLK_GLOBAL_MEM_FENCE);\n");
            }
        }
        text_append(text, "}\n");
    }
    text_append(text, "exists (x=0 /\\ y=0 /\\ d=0)\n");
}

static bool has_outcome(const struct litmus_result *result, const struct litmus_outcome *wanted)
{
    bool has = false;
    for (size_t i = 0; i < result->outcome_count; i++) {
        const struct litmus_outcome *outcome = &result->outcomes[i];
        has = has ||
              (outcome->weak == wanted->weak && outcome->choices.count == wanted->choices.count &&
               memcmp(outcome->choices.choices, wanted->choices.choices,
                      wanted->choices.count * sizeof *wanted->choices.choices) == 0 &&
               memcmp(outcome->values, wanted->values,
                      wanted->value_count * sizeof *wanted->values) == 0);
    }
    return has;
}

static void test_one_order_is_enough(void **state)
{
    (void)state;
    struct random_litmus random = {1};
    struct text source = TEXT_INIT;
    uint64_t fewer = 0;
    const time_t end = time(NULL) + SECONDS;
    int programs = 0;
    for (; programs < PROGRAMS / 4 && time(NULL) < end; programs++) {
        const struct litmus_options options = {
            .weak = true, .rounds = 2, .states_max = 2000, .race_values = true, .in_order = true};
        struct litmus_result *first = NULL;
        struct litmus_result *second = NULL;
        print_adding(&random, &source);
        struct litmus_test *test = parse(&source);
        assert_int_equal(litmus_search(test, &options, &first, NULL), STATUS_OK);
        assert_int_equal(search_collect(test, &options, memo_search, &second, NULL), STATUS_OK);
        bool same = first->outcome_count == second->outcome_count &&
                    (first->left_out & ~LITMUS_LEFT_BUFFERING) ==
                        (second->left_out & ~LITMUS_LEFT_BUFFERING) &&
                    first->race_count == second->race_count &&
                    count_races(first, second) == first->race_count;
        for (size_t j = 0; same && j < first->outcome_count; j++) {
            same = has_outcome(second, &first->outcomes[j]);
        }
        if (!same && ((first->left_out | second->left_out) & LITMUS_LEFT_STATES) == 0) {
            fail_msg("not the same outcomes or races, of\n%s", source.bytes);
        }
        fewer += first->interleavings < second->interleavings;
        litmus_result_destroy(first);
        litmus_result_destroy(second);
        litmus_destroy(test);
    }
    print_message("%d programs, %llu with fewer executions\n", programs, (unsigned long long)fewer);
    assert_true(fewer > 10);
    text_release(&source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_executions_are_not_orders),
        cmocka_unit_test(test_two_searches_agree),
        cmocka_unit_test(test_one_order_is_enough),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
