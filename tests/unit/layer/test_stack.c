/* Stacks that come again: how a stack is recognised must not matter for what it is. */
#include "layer/stack.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/* Each function keeps a frame of its own: what it returns depends on what the call returned. */
#define FRAME __attribute__((noinline))

static FRAME uint64_t inner(struct stack_table *table)
{
    const uint64_t number = stack_capture(table);
    __asm__ volatile("" ::: "memory");
    return number;
}

static FRAME uint64_t left(struct stack_table *table)
{
    const uint64_t number = inner(table);
    __asm__ volatile("" ::: "memory");
    return number;
}

static FRAME uint64_t right(struct stack_table *table)
{
    const uint64_t number = inner(table);
    __asm__ volatile("# another function" ::: "memory");
    return number;
}

static FRAME uint64_t deep(struct stack_table *table, unsigned depth)
{
    const uint64_t number = depth == 0 ? inner(table) : deep(table, depth - 1);
    __asm__ volatile("" ::: "memory");
    return number;
}

static void the_same_stack_has_one_number(void **state)
{
    struct stack_table *table = stack_table_create();
    (void)state;
    uint64_t first = 0;
    for (unsigned i = 0; i < 100; i++) {
        const uint64_t number = left(table);
        assert_int_not_equal(number, 0);
        assert_int_equal(number, first == 0 ? number : first);
        first = number;
    }
    stack_table_destroy(table);
}

static void callers_of_one_function_are_told_apart(void **state)
{
    struct stack_table *table = stack_table_create();
    (void)state;
    /* So often, and each time the same, that a compiler neither unrolls the loop nor treats its
     * first round apart: each would be a caller of its own. */
    uint64_t numbers[100][2];
    for (unsigned i = 0; i < 100; i++) {
        numbers[i][0] = left(table);
        numbers[i][1] = right(table);
    }
    assert_int_not_equal(numbers[0][0], numbers[0][1]);
    for (unsigned i = 1; i < 100; i++)
        assert_memory_equal(numbers[i], numbers[0], sizeof numbers[0]);
    stack_table_destroy(table);
}

static void every_depth_has_its_number(void **state)
{
    enum { DEPTHS = 20 };
    struct stack_table *table = stack_table_create();
    uint64_t numbers[DEPTHS];
    (void)state;
    for (unsigned i = 0; i < 4 * DEPTHS; i++) {
        const unsigned depth = i % DEPTHS;
        const uint64_t number = deep(table, depth);
        if (i < DEPTHS)
            numbers[depth] = number;
        assert_int_equal(number, numbers[depth]);
        for (unsigned other = 0; other < depth; other++)
            assert_int_not_equal(number, numbers[other]);
    }
    stack_table_destroy(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_same_stack_has_one_number),
        cmocka_unit_test(callers_of_one_function_are_told_apart),
        cmocka_unit_test(every_depth_has_its_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
