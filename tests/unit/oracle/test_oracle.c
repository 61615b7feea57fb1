/* The definition by example: one interleaving each, and how many pairs race under either scope
 * rule. */
#include "checkers/oracle/oracle.h"

#include "trace/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Units: A and B share a sub-group, C is in another one of their group, D in another group, E in
 * another kernel-instance, F on another device; COPY belongs to the group of A. */
enum { A, B, C, D, E, F, COPY, UNITS };
enum { DATA, FLAG, L_DATA, L_FLAG, IMAGE, COARSE, SVM, OBJECTS };

static const struct oracle_unit units[UNITS] = {
    [A] = {0, 0, 0, 0, true},     [B] = {0, 0, 0, 0, true}, [C] = {0, 0, 0, 1, true},
    [D] = {0, 0, 1, 0, true},     [E] = {0, 1, 0, 0, true}, [F] = {1, 2, 0, 0, true},
    [COPY] = {0, 0, 0, 0, false},
};
static const struct oracle_object objects[OBJECTS] = {
    [DATA] = {ORACLE_GLOBAL, ORACLE_BUFFER, 8},
    [FLAG] = {ORACLE_GLOBAL, ORACLE_BUFFER, 8},
    [L_DATA] = {ORACLE_LOCAL, ORACLE_BUFFER, 8},
    [L_FLAG] = {ORACLE_LOCAL, ORACLE_BUFFER, 8},
    [IMAGE] = {ORACLE_IMAGE, ORACLE_BUFFER, 8},
    [COARSE] = {ORACLE_GLOBAL, ORACLE_COARSE_SVM, 8},
    [SVM] = {ORACLE_GLOBAL, ORACLE_SVM_ATOMICS, 8},
};

enum { EVENTS_MAX = 10 };

struct example {
    const char *name;
    int races_equal, races_wide; /* pairs, by scope rule */
    bool no_crossing;
    struct oracle_event events[EVENTS_MAX];
};

enum { G = ORACLE_FLAG_GLOBAL, L = ORACLE_FLAG_LOCAL, I = ORACLE_FLAG_IMAGE };

/* clang-format off */
#define ACCESS(what, who, where, ord, sc)                                                          \
    {.kind = what, .unit = who, .object = where, .size = 4, .order = ord, .scope = sc}
#define W(who, where) ACCESS(ORACLE_WRITE, who, where, ORACLE_RELAXED, ORACLE_WORK_ITEM)
#define R(who, where) ACCESS(ORACLE_READ, who, where, ORACLE_RELAXED, ORACLE_WORK_ITEM)
#define ST(who, where, ord, sc) ACCESS(ORACLE_ATOMIC_WRITE, who, where, ORACLE_##ord, ORACLE_##sc)
#define LD(who, where, ord, sc) ACCESS(ORACLE_ATOMIC_READ, who, where, ORACLE_##ord, ORACLE_##sc)
#define RMW(who, where, ord, sc) ACCESS(ORACLE_ATOMIC_UPDATE, who, where, ORACLE_##ord, ORACLE_##sc)
#define PART(what, who, where, at, bytes)                                                          \
    {.kind = what, .unit = who, .object = where, .offset = at, .size = bytes}
#define FENCE(who, f, ord, sc)                                                                     \
    {.kind = ORACLE_FENCE, .unit = who, .flags = f, .order = ORACLE_##ord, .scope = ORACLE_##sc}
#define BARRIER(who, f, sc)                                                                        \
    {.kind = ORACLE_BARRIER, .unit = who, .flags = f, .scope = ORACLE_##sc}
#define SUB_GROUP_BARRIER(who, f)                                                                  \
    {.kind = ORACLE_SUB_GROUP_BARRIER, .unit = who, .flags = f, .scope = ORACLE_SUB_GROUP}
#define EDGE(who, to, f) {.kind = ORACLE_EDGE, .unit = who, .target = to, .flags = f}

static const struct example examples[] = {
    {"two reads", 0, 0, 0, {R(A, DATA), R(D, DATA)}},
    {"one unit", 0, 0, 0, {W(A, DATA), R(A, DATA), W(A, DATA)}},
    {"write and read", 1, 1, 0, {W(A, DATA), R(B, DATA)}},
    {"read and write", 1, 1, 0, {R(A, DATA), W(B, DATA)}},
    {"each pair counts", 3, 3, 0, {W(A, DATA), W(B, DATA), W(C, DATA)}},
    {"neighbouring bytes", 0, 0, 0,
     {PART(ORACLE_WRITE, A, DATA, 0, 4), PART(ORACLE_WRITE, B, DATA, 4, 4)}},
    {"overlapping bytes", 1, 1, 0,
     {PART(ORACLE_WRITE, A, DATA, 0, 4), PART(ORACLE_WRITE, B, DATA, 3, 2)}},
    {"barrier", 0, 0, 0, {W(A, L_DATA), BARRIER(A, L, WORK_GROUP), R(C, L_DATA)}},
    {"barrier without flags", 1, 1, 0, {W(A, L_DATA), BARRIER(A, 0, WORK_GROUP), R(C, L_DATA)}},
    {"barrier with the wrong flags", 1, 1, 0, {W(A, DATA), BARRIER(A, L, WORK_GROUP), R(C, DATA)}},
    {"barrier of another group", 1, 1, 0, {W(A, DATA), BARRIER(D, G, WORK_GROUP), R(C, DATA)}},
    {"barrier for both memories", 0, 0, 0,
     {W(A, DATA), W(A, L_DATA), BARRIER(A, G | L, WORK_GROUP), R(C, DATA), R(C, L_DATA)}},
    {"barrier for images", 0, 0, 0, {W(A, IMAGE), BARRIER(A, I, WORK_GROUP), R(C, IMAGE)}},
    {"images are not global memory", 1, 1, 0, {W(A, IMAGE), BARRIER(A, G, WORK_GROUP), R(C, IMAGE)}},
    {"sub-group barrier", 0, 0, 0, {W(A, DATA), SUB_GROUP_BARRIER(A, G), R(B, DATA)}},
    {"sub-group barrier, other sub-group", 1, 1, 0, {W(A, DATA), SUB_GROUP_BARRIER(A, G), R(C, DATA)}},
    {"atomics", 0, 0, 0, {RMW(A, DATA, RELAXED, DEVICE), RMW(D, DATA, RELAXED, DEVICE)}},
    {"atomics of too narrow scope", 1, 1, 0,
     {RMW(A, DATA, RELAXED, WORK_GROUP), RMW(D, DATA, RELAXED, WORK_GROUP)}},
    {"atomics of unequal scope", 1, 0, 0,
     {RMW(A, DATA, RELAXED, WORK_GROUP), RMW(C, DATA, RELAXED, DEVICE)}},
    {"scopes on local memory", 0, 0, 0,
     {RMW(A, L_DATA, RELAXED, WORK_GROUP), RMW(C, L_DATA, RELAXED, ALL_DEVICES)}},
    {"sub-group scope on local memory", 1, 1, 0,
     {RMW(A, L_DATA, RELAXED, SUB_GROUP), RMW(C, L_DATA, RELAXED, SUB_GROUP)}},
    {"all devices is device on a buffer", 0, 0, 0,
     {RMW(A, DATA, RELAXED, ALL_DEVICES), RMW(D, DATA, RELAXED, DEVICE)}},
    {"all devices is more on fine-grained SVM", 1, 0, 0,
     {RMW(A, SVM, RELAXED, ALL_DEVICES), RMW(D, SVM, RELAXED, DEVICE)}},
    {"two kernel-instances on a buffer", 1, 1, 0,
     {RMW(A, DATA, RELAXED, DEVICE), RMW(E, DATA, RELAXED, DEVICE)}},
    {"two kernel-instances on SVM", 0, 0, 0,
     {RMW(A, COARSE, RELAXED, DEVICE), RMW(E, COARSE, RELAXED, DEVICE)}},
    {"two devices on fine-grained SVM", 0, 0, 0,
     {RMW(A, SVM, RELAXED, ALL_DEVICES), RMW(F, SVM, RELAXED, ALL_DEVICES)}},
    {"two devices on coarse SVM", 1, 1, 0,
     {RMW(A, COARSE, RELAXED, ALL_DEVICES), RMW(F, COARSE, RELAXED, ALL_DEVICES)}},
    {"atomic and plain", 1, 1, 0, {RMW(A, DATA, RELAXED, DEVICE), R(D, DATA)}},
    {"release and acquire", 0, 0, 0,
     {W(A, DATA), ST(A, FLAG, RELEASE, DEVICE), LD(D, FLAG, ACQUIRE, DEVICE), R(D, DATA)}},
    {"nothing after the release", 1, 1, 0,
     {ST(A, FLAG, RELEASE, DEVICE), W(A, DATA), LD(D, FLAG, ACQUIRE, DEVICE), R(D, DATA)}},
    {"relaxed store", 1, 1, 0,
     {W(A, DATA), ST(A, FLAG, RELAXED, DEVICE), LD(D, FLAG, ACQUIRE, DEVICE), R(D, DATA)}},
    {"relaxed load", 1, 1, 0,
     {W(A, DATA), ST(A, FLAG, RELEASE, DEVICE), LD(D, FLAG, RELAXED, DEVICE), R(D, DATA)}},
    {"release and acquire of unequal scope", 2, 0, 0,
     {W(A, DATA), ST(A, FLAG, RELEASE, DEVICE), LD(C, FLAG, ACQUIRE, WORK_GROUP), R(C, DATA)}},
    {"an acquire orders what comes before its release", 0, 0, 0,
     {ST(A, FLAG, RELAXED, WORK_GROUP), ST(A, FLAG, RELEASE, DEVICE), LD(D, FLAG, ACQUIRE, DEVICE)}},
    {"local flag, global data", 1, 1, 0,
     {W(A, DATA), ST(A, L_FLAG, RELEASE, WORK_GROUP), LD(C, L_FLAG, ACQUIRE, WORK_GROUP), R(C, DATA)}},
    {"seq_cst local flag, global data", 0, 0, 0,
     {W(A, DATA), ST(A, L_FLAG, SEQ_CST, WORK_GROUP), LD(C, L_FLAG, SEQ_CST, WORK_GROUP), R(C, DATA)}},
    {"seq_cst does not cross", 1, 1, true,
     {W(A, DATA), ST(A, L_FLAG, SEQ_CST, WORK_GROUP), LD(C, L_FLAG, SEQ_CST, WORK_GROUP), R(C, DATA)}},
    {"fences", 0, 0, 0,
     {W(A, DATA), FENCE(A, G, RELEASE, DEVICE), ST(A, FLAG, RELAXED, DEVICE),
      LD(D, FLAG, RELAXED, DEVICE), FENCE(D, G, ACQUIRE, DEVICE), R(D, DATA)}},
    {"fence and acquire", 0, 0, 0,
     {W(A, DATA), FENCE(A, G, ACQ_REL, DEVICE), ST(A, FLAG, RELAXED, DEVICE),
      LD(D, FLAG, ACQUIRE, DEVICE), R(D, DATA)}},
    {"release and fence", 0, 0, 0,
     {W(A, DATA), ST(A, FLAG, RELEASE, DEVICE), LD(D, FLAG, RELAXED, DEVICE),
      FENCE(D, G, SEQ_CST, DEVICE), R(D, DATA)}},
    {"relaxed fences", 1, 1, 0,
     {W(A, DATA), FENCE(A, G, RELAXED, DEVICE), ST(A, FLAG, RELAXED, DEVICE),
      LD(D, FLAG, RELAXED, DEVICE), FENCE(D, G, RELAXED, DEVICE), R(D, DATA)}},
    {"fence after the store", 1, 1, 0,
     {W(A, DATA), ST(A, FLAG, RELAXED, DEVICE), FENCE(A, G, RELEASE, DEVICE),
      LD(D, FLAG, RELAXED, DEVICE), FENCE(D, G, ACQUIRE, DEVICE), R(D, DATA)}},
    {"fence before the load", 1, 1, 0,
     {W(A, DATA), FENCE(A, G, RELEASE, DEVICE), ST(A, FLAG, RELAXED, DEVICE),
      FENCE(D, G, ACQUIRE, DEVICE), LD(D, FLAG, RELAXED, DEVICE), R(D, DATA)}},
    {"fences that miss the flag", 1, 1, 0,
     {W(A, DATA), FENCE(A, G, RELEASE, WORK_GROUP), ST(A, L_FLAG, RELAXED, WORK_GROUP),
      LD(C, L_FLAG, RELAXED, WORK_GROUP), FENCE(C, G, ACQUIRE, WORK_GROUP), R(C, DATA)}},
    {"fences that miss the data", 1, 1, 0,
     {W(A, DATA), FENCE(A, L, RELEASE, WORK_GROUP), ST(A, L_FLAG, RELAXED, WORK_GROUP),
      LD(C, L_FLAG, RELAXED, WORK_GROUP), FENCE(C, L, ACQUIRE, WORK_GROUP), R(C, DATA)}},
    {"fences for both memories", 0, 0, 0,
     {W(A, DATA), FENCE(A, G | L, RELEASE, WORK_GROUP), ST(A, L_FLAG, RELAXED, WORK_GROUP),
      LD(C, L_FLAG, RELAXED, WORK_GROUP), FENCE(C, G | L, ACQUIRE, WORK_GROUP), R(C, DATA)}},
    {"one fence for both memories", 1, 1, 0,
     {W(A, DATA), FENCE(A, G | L, RELEASE, WORK_GROUP), ST(A, L_FLAG, RELAXED, WORK_GROUP),
      LD(C, L_FLAG, ACQUIRE, WORK_GROUP), R(C, DATA)}},
    {"image fences with a global flag", 0, 0, 0,
     {W(A, IMAGE), FENCE(A, I, RELEASE, DEVICE), ST(A, FLAG, RELAXED, DEVICE),
      LD(D, FLAG, RELAXED, DEVICE), FENCE(D, I, ACQUIRE, DEVICE), R(D, IMAGE)}},
    {"global fences do not cover images", 1, 1, 0,
     {W(A, IMAGE), FENCE(A, G, RELEASE, DEVICE), ST(A, FLAG, RELAXED, DEVICE),
      LD(D, FLAG, RELAXED, DEVICE), FENCE(D, G, ACQUIRE, DEVICE), R(D, IMAGE)}},
    {"release sequence by read-modify-write", 0, 0, 0,
     {W(A, DATA), ST(A, FLAG, RELEASE, DEVICE), RMW(C, FLAG, RELAXED, DEVICE),
      LD(D, FLAG, ACQUIRE, DEVICE), R(D, DATA)}},
    {"release sequence by the same unit", 0, 0, 0,
     {W(A, DATA), ST(A, FLAG, RELEASE, DEVICE), ST(A, FLAG, RELAXED, DEVICE),
      LD(D, FLAG, ACQUIRE, DEVICE), R(D, DATA)}},
    {"release sequence broken", 1, 1, 0,
     {W(A, DATA), ST(A, FLAG, RELEASE, DEVICE), ST(C, FLAG, RELAXED, DEVICE),
      LD(D, FLAG, ACQUIRE, DEVICE), R(D, DATA)}},
    {"read-modify-write hands on", 0, 0, 0,
     {W(A, DATA), ST(A, FLAG, RELEASE, WORK_GROUP), RMW(C, FLAG, ACQ_REL, WORK_GROUP),
      ST(C, SVM, RELEASE, DEVICE), LD(D, SVM, ACQUIRE, DEVICE), R(D, DATA)}},
    {"global data does not pass through a local flag", 1, 1, 0,
     {W(A, DATA), ST(A, L_FLAG, RELEASE, WORK_GROUP), LD(C, L_FLAG, ACQUIRE, WORK_GROUP),
      ST(C, FLAG, RELEASE, DEVICE), LD(D, FLAG, ACQUIRE, DEVICE), R(D, DATA)}},
    {"a barrier hands on", 0, 0, 0,
     {W(A, DATA), BARRIER(A, G, WORK_GROUP), ST(C, FLAG, RELEASE, DEVICE),
      LD(D, FLAG, ACQUIRE, DEVICE), R(D, DATA)}},
    {"a barrier is a release fence", 0, 0, 0,
     {W(A, DATA), BARRIER(A, G, DEVICE), ST(A, FLAG, RELAXED, DEVICE),
      LD(D, FLAG, ACQUIRE, DEVICE), R(D, DATA)}},
    {"the fence comes before the others arrive", 1, 1, 0,
     {W(C, DATA), BARRIER(A, G, DEVICE), ST(A, FLAG, RELAXED, DEVICE),
      LD(D, FLAG, ACQUIRE, DEVICE), R(D, DATA)}},
    {"a barrier is an acquire fence", 0, 0, 0,
     {W(D, DATA), ST(D, FLAG, RELEASE, DEVICE), LD(A, FLAG, RELAXED, DEVICE),
      BARRIER(A, G, DEVICE), R(A, DATA)}},
    {"a copy reads what was written before it", 0, 0, 0,
     {W(A, DATA), EDGE(A, COPY, G | L), R(COPY, DATA), EDGE(COPY, A, G | L), W(A, DATA)}},
    {"a copy and a write during it", 1, 1, 0,
     {EDGE(A, COPY, G | L), W(A, DATA), R(COPY, DATA), EDGE(COPY, A, G | L)}},
};
/* clang-format on */

static bool is_nothing(const struct oracle_event *event)
{
    static const struct oracle_event nothing = {.kind = ORACLE_READ};
    return memcmp(event, &nothing, sizeof nothing) == 0;
}

/* Runs an example; the status of the first step that failed. */
static enum status run(const struct example *example, enum oracle_scope_rule rule, size_t *races)
{
    const struct oracle_machine machine = {
        units, UNITS, objects, OBJECTS, rule, !example->no_crossing, false};
    struct error error;
    struct oracle *oracle = oracle_create(&machine);
    if (oracle == NULL) {
        return STATUS_NO_MEMORY;
    }
    enum status status = STATUS_OK;
    for (int i = 0; i < EVENTS_MAX && !is_nothing(&example->events[i]) && status == STATUS_OK;
         i++) {
        status = oracle_step(oracle, &example->events[i], &error);
    }
    oracle_races(oracle, races);
    oracle_destroy(oracle);
    return status;
}

static void test_examples(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const struct example *example = &examples[i];
        size_t equal = 0;
        size_t wide = 0;
        assert_int_equal(run(example, ORACLE_SCOPES_EQUAL, &equal), STATUS_OK);
        assert_int_equal(run(example, ORACLE_SCOPES_WIDE_ENOUGH, &wide), STATUS_OK);
        if ((int)equal != example->races_equal || (int)wide != example->races_wide) {
            print_error("%s: %zu and %zu races\n", example->name, equal, wide);
            wrong++;
        }
    }
    assert_int_equal(wrong, 0);
}

static void test_race_names_events_and_bytes(void **state)
{
    (void)state;
    static const struct oracle_event events[] = {
        PART(ORACLE_WRITE, A, DATA, 0, 1),
        R(B, FLAG),
        PART(ORACLE_WRITE, B, DATA, 2, 4),
        PART(ORACLE_READ, D, DATA, 1, 3),
    };
    const struct oracle_machine machine = {units, UNITS, objects, OBJECTS, 0, true, false};
    struct oracle *oracle = oracle_create(&machine);
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        assert_int_equal(oracle_step(oracle, &events[i], NULL), STATUS_OK);
    }
    size_t count = 0;
    const struct oracle_race *races = oracle_races(oracle, &count);
    assert_int_equal(count, 1);
    assert_int_equal(races[0].earlier, 2);
    assert_int_equal(races[0].later, 3);
    assert_int_equal(races[0].offset, 2);
    assert_int_equal(races[0].size, 2);
    assert_true(oracle_is_ordered(oracle, 2, B, ORACLE_GLOBAL));
    assert_false(oracle_is_ordered(oracle, 2, D, ORACLE_GLOBAL));
    oracle_destroy(oracle);
}

static void test_failing_allocations(void **state)
{
    (void)state;
    const uint64_t live = alloc_live_count();
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        size_t races;
        enum status status = STATUS_NO_MEMORY;
        for (uint64_t n = 1; status != STATUS_OK; n++) {
            alloc_fail_at(n);
            status = run(&examples[i], ORACLE_SCOPES_EQUAL, &races);
            assert_true(status == STATUS_OK || status == STATUS_NO_MEMORY);
            assert_int_equal(alloc_live_count(), live);
        }
        alloc_fail_at(0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_race_names_events_and_bytes),
        cmocka_unit_test(test_failing_allocations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
