/* What repairs are looked for, and what is left of the test afterwards; that they are right is
 * tested by applying them (tests/kernels/repairs.py). */
#include "checkers/litmus/machine.h"
#include "checkers/litmus/repair.h"
#include "trace/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct litmus_options weak = {.weak = true, .rounds = LITMUS_ROUNDS};

static struct litmus_test *parse(const char *text)
{
    struct litmus_test *test = NULL;
    struct error error;
    if (litmus_parse(text, strlen(text), &test, &error) != STATUS_OK) {
        fail_msg("%s", error.text);
    }
    return test;
}

/* The flag is stored in line 5 and read in line 8. */
static struct litmus_test *passing(const char *store_order, const char *load_order)
{
    char text[1000];
    snprintf(text, sizeof text,
             "OPENCL mp\n{}\n"
             "P0@wg 0 (global int *x, global atomic_int *f) {\n"
             "  *x = 1;\n"
             "  atomic_store_explicit(f, 1, %s);\n}\n"
             "P1@wg 1 (global int *x, global atomic_int *f) {\n"
             "  int r0 = atomic_load_explicit(f, %s);\n"
             "  if (r0 == 1) {\n    int r1 = *x;\n  }\n}\n"
             "exists (1:r0=1)",
             store_order, load_order);
    return parse(text);
}

static struct litmus_repair repair_of(struct litmus_test *test,
                                      const struct litmus_options *options)
{
    struct litmus_result *result = NULL;
    struct litmus_repair repair;
    assert_int_equal(litmus_search(test, options, &result, NULL), STATUS_OK);
    assert_int_equal(litmus_repair(test, options, result, &repair, NULL), STATUS_OK);
    litmus_result_destroy(result);
    return repair;
}

static void test_few_and_weak_changes_come_first(void **state)
{
    (void)state;
    struct litmus_test *test = passing("memory_order_relaxed", "memory_order_relaxed");
    const struct litmus_repair repair = repair_of(test, &weak);
    assert_int_equal(repair.kind, LITMUS_REPAIR_VERIFIED);
    assert_int_equal(repair.edit_count, 2);
    assert_int_equal(repair.edits[0].line, 5);
    assert_int_equal(repair.edits[0].from, ORACLE_RELAXED);
    assert_int_equal(repair.edits[0].to, ORACLE_RELEASE);
    assert_true(repair.edits[0].is_alone);
    assert_int_equal(repair.edits[1].line, 8);
    assert_int_equal(repair.edits[1].to, ORACLE_ACQUIRE);
    litmus_destroy(test);
}

static void test_the_test_stays_as_it_was(void **state)
{
    (void)state;
    struct litmus_test *test = passing("memory_order_release", "memory_order_relaxed");
    const struct litmus_repair first = repair_of(test, &weak);
    const struct litmus_repair second = repair_of(test, &weak);
    assert_int_equal(test->edit_count, 0);
    assert_int_equal(first.kind, LITMUS_REPAIR_VERIFIED);
    assert_int_equal(first.edit_count, 1);
    assert_int_equal(second.kind, LITMUS_REPAIR_VERIFIED);
    assert_int_equal(second.edits[0].line, first.edits[0].line);
    assert_int_equal(second.edits[0].to, first.edits[0].to);
    litmus_destroy(test);
}

static void test_what_is_right_needs_none(void **state)
{
    (void)state;
    struct litmus_test *test = passing("memory_order_release", "memory_order_acquire");
    assert_int_equal(repair_of(test, &weak).kind, LITMUS_REPAIR_UNWANTED);
    litmus_destroy(test);
}

static void test_none_is_looked_for_in_a_part(void **state)
{
    (void)state;
    const struct litmus_options some = {.weak = true, .rounds = LITMUS_ROUNDS, .samples = 10};
    const struct litmus_options interleaved = {.rounds = LITMUS_ROUNDS};
    struct litmus_test *test = passing("memory_order_relaxed", "memory_order_relaxed");
    assert_int_equal(repair_of(test, &some).kind, LITMUS_REPAIR_UNWANTED);
    assert_int_equal(repair_of(test, &interleaved).kind, LITMUS_REPAIR_UNWANTED);
    litmus_destroy(test);
}

/* The flag, in local memory, is stored in line 5 and read in line 8, and the data are in global. */
static struct litmus_test *passing_across(const char *rest)
{
    char text[1000];
    snprintf(text, sizeof text,
             "OPENCL mp\n{}\n"
             "P0@sg 0, wg 0 (global int *x, local atomic_int *f) {\n"
             "  *x = 1;\n"
             "  atomic_store_explicit(f, 1, memory_order_release);\n}\n"
             "P1@sg 1, wg 0 (global int *x, local atomic_int *f) {\n"
             "  %s\n  int r1 = *x;\n}\n"
             "exists (1:r1=1)",
             rest);
    return parse(text);
}

static void test_fences_are_put_in(void **state)
{
    (void)state;
    struct litmus_test *test =
        passing_across("while (atomic_load_explicit(f, memory_order_acquire) == 0) {}");
    const struct litmus_repair repair = repair_of(test, &weak);
    const uint32_t both = ORACLE_FLAG_GLOBAL | ORACLE_FLAG_LOCAL;
    assert_int_equal(repair.kind, LITMUS_REPAIR_VERIFIED);
    assert_int_equal(repair.edit_count, 2);
    assert_int_equal(repair.edits[0].kind, LITMUS_EDIT_FENCE_BEFORE);
    assert_int_equal(repair.edits[0].line, 5);
    assert_int_equal(repair.edits[0].fence.order, ORACLE_RELEASE);
    assert_int_equal(repair.edits[0].fence.scope, ORACLE_DEVICE); /* equal to any that is widened */
    assert_int_equal(repair.edits[0].fence.flags, both);
    assert_int_equal(repair.edits[1].kind, LITMUS_EDIT_FENCE_BEHIND);
    assert_int_equal(repair.edits[1].line, 8);
    assert_int_equal(repair.edits[1].fence.order, ORACLE_ACQUIRE);
    assert_int_equal(repair.edits[1].fence.flags, both);
    assert_ptr_equal(test->machine, &litmus_text_machine);
    litmus_destroy(test);
}

/* With a release and an acquire the updates do not commute any more, and one may come before the
 * initialisation. */
static void test_changed_updates_do_not_commute(void **state)
{
    (void)state;
    struct litmus_test *test = parse("OPENCL init\n{}\n"
                                     "P0 (global atomic_int *x) {\n"
                                     "  atomic_init(x, 5);\n"
                                     "  atomic_fetch_add_explicit(x, 1, memory_order_relaxed);\n}\n"
                                     "P1 (global atomic_int *x) {\n"
                                     "  atomic_fetch_add_explicit(x, 1, memory_order_relaxed);\n}\n"
                                     "exists (x=6)");
    assert_int_equal(repair_of(test, &weak).kind, LITMUS_REPAIR_NONE);
    litmus_destroy(test);
}

/* What is asked of all executions is mended; what is asked for is not. */
static void test_conditions_are_mended(void **state)
{
    (void)state;
    static const char *const conditions[] = {"~exists (1:r0=1 /\\ 1:r1=0)",
                                             "forall (1:r0=0 \\/ 1:r1=1)",
                                             "exists (1:r0=1 /\\ 1:r1=0)", "~exists (1:r1=1)"};
    static const enum litmus_repaired kinds[] = {LITMUS_REPAIR_VERIFIED, LITMUS_REPAIR_VERIFIED,
                                                 LITMUS_REPAIR_UNWANTED, LITMUS_REPAIR_UNWANTED};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "OPENCL mp\n{}\n"
                 "P0@wg 0 (global atomic_int *x, global atomic_int *f) {\n"
                 "  atomic_store_explicit(x, 1, memory_order_relaxed);\n"
                 "  atomic_store_explicit(f, 1, memory_order_relaxed);\n}\n"
                 "P1@wg 1 (global atomic_int *x, global atomic_int *f) {\n"
                 "  int r0 = atomic_load_explicit(f, memory_order_relaxed);\n"
                 "  int r1 = atomic_load_explicit(x, memory_order_relaxed);\n}\n"
                 "%s",
                 conditions[i]);
        struct litmus_test *test = parse(text);
        const struct litmus_repair repair = repair_of(test, &weak);
        assert_int_equal(repair.kind, kinds[i]);
        assert_int_equal(repair.edit_count, kinds[i] == LITMUS_REPAIR_VERIFIED ? 2 : 0);
        litmus_destroy(test);
    }
}

static void test_failures_leave_the_test_alone(void **state)
{
    (void)state;
    struct litmus_test *test = passing_across("while (atomic_load(f) == 0) {}");
    struct litmus_result *result = NULL;
    struct litmus_repair repair;
    assert_int_equal(litmus_search(test, &weak, &result, NULL), STATUS_OK);
    enum status status = STATUS_NO_MEMORY;
    uint64_t nth = 0;
    while (status == STATUS_NO_MEMORY) {
        alloc_fail_at(++nth);
        status = litmus_repair(test, &weak, result, &repair, NULL);
        alloc_fail_at(0);
        assert_int_equal(test->edit_count, 0);
    }
    assert_int_equal(status, STATUS_OK);
    assert_true(nth > 5);
    assert_int_equal(repair.kind, LITMUS_REPAIR_VERIFIED);
    litmus_result_destroy(result);
    litmus_destroy(test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_few_and_weak_changes_come_first),
        cmocka_unit_test(test_the_test_stays_as_it_was),
        cmocka_unit_test(test_what_is_right_needs_none),
        cmocka_unit_test(test_none_is_looked_for_in_a_part),
        cmocka_unit_test(test_fences_are_put_in),
        cmocka_unit_test(test_changed_updates_do_not_commute),
        cmocka_unit_test(test_conditions_are_mended),
        cmocka_unit_test(test_failures_leave_the_test_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
