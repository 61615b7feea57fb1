/* What belongs together of two lists: against a table of all longest common subsequences, and fast.
 */
#include "viewer-cli/diff/diff_align.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525 + 1013904223;
    return *state >> 8;
}

/* Pairs ascend, are of equal items, and are as many as told. */
static size_t count_pairs(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count,
                          const uint32_t *partners)
{
    size_t count = 0;
    size_t next = 0;
    for (size_t i = 0; i < a_count; ++i) {
        if (partners[i] == DIFF_ALONE)
            continue;
        assert_in_range(partners[i], next, b_count - 1);
        assert_true(a[i] == b[partners[i]]);
        next = (size_t)partners[i] + 1;
        ++count;
    }
    return count;
}

static size_t align(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count)
{
    struct error error;
    uint32_t *partners = calloc(a_count + 1, sizeof *partners);
    assert_non_null(partners);
    assert_int_equal(diff_align(a, a_count, b, b_count, partners, &error), STATUS_OK);
    const size_t count = count_pairs(a, a_count, b, b_count, partners);
    free(partners);
    return count;
}

enum { SHORT = 40 };

static size_t longest_common(const uint64_t *a, size_t a_count, const uint64_t *b, size_t b_count)
{
    size_t longest[SHORT + 1][SHORT + 1] = {{0}};
    for (size_t i = a_count; i-- > 0;)
        for (size_t j = b_count; j-- > 0;) {
            const size_t without =
                longest[i + 1][j] > longest[i][j + 1] ? longest[i + 1][j] : longest[i][j + 1];
            longest[i][j] = a[i] == b[j] ? longest[i + 1][j + 1] + 1 : without;
        }
    return longest[0][0];
}

static void short_lists_are_aligned_exactly(void **state)
{
    uint32_t random = 1;
    (void)state;
    for (int round = 0; round < 20000; ++round) {
        uint64_t lists[2][SHORT];
        size_t counts[2];
        const uint32_t kinds = 1 + next_random(&random) % 6;
        for (int side = 0; side < 2; ++side) {
            counts[side] = next_random(&random) % (SHORT + 1);
            for (size_t i = 0; i < counts[side]; ++i)
                lists[side][i] = next_random(&random) % kinds;
        }
        assert_int_equal(align(lists[0], counts[0], lists[1], counts[1]),
                         longest_common(lists[0], counts[0], lists[1], counts[1]));
    }
}

enum { LONG = 300000 };

/* A loop of `period` calls; every `gap`-th call is left out of the second list. */
static size_t align_loop(uint64_t period, size_t gap, size_t *second_count)
{
    uint64_t *a = calloc(LONG, sizeof *a);
    uint64_t *b = calloc(LONG, sizeof *b);
    size_t count = 0;
    assert_true(a && b);
    for (size_t i = 0; i < LONG; ++i) {
        a[i] = i % period;
        if (i % gap)
            b[count++] = a[i];
    }
    const size_t pairs = align(a, LONG, b, count);
    free(a);
    free(b);
    *second_count = count;
    return pairs;
}

static void a_few_calls_more_cost_no_pair(void **state)
{
    size_t count;
    (void)state;
    size_t pairs = align_loop(7, 1000, &count);
    assert_int_equal(pairs, count);
    pairs = align_loop(LONG, 3, &count);
    assert_int_equal(pairs, count);
}

static void long_lists_that_differ_much_are_aligned_soon(void **state)
{
    size_t count;
    (void)state;
    const clock_t begin = clock();
    /* Nearly all that can be. */
    const size_t pairs = align_loop(11, 5, &count);
    assert_in_range(pairs, count - count / 5, count);
    /* Nothing, and everything the other way round. */
    uint64_t *a = calloc(LONG, sizeof *a);
    uint64_t *b = calloc(LONG, sizeof *b);
    assert_true(a && b);
    uint32_t random = 1;
    for (size_t i = 0; i < LONG; ++i) {
        a[i] = i;
        b[i] = LONG + i;
    }
    assert_int_equal(align(a, LONG, b, LONG), 0);
    for (size_t i = 0; i < LONG; ++i)
        b[i] = LONG - 1 - i;
    assert_int_equal(align(a, LONG, b, LONG), 1);
    for (size_t i = 0; i < LONG; ++i) {
        a[i] = next_random(&random) % 50;
        b[i] = next_random(&random) % 50;
    }
    assert_in_range(align(a, LONG, b, LONG), LONG / 20, LONG);
    free(a);
    free(b);
    assert_in_range((clock() - begin) / CLOCKS_PER_SEC, 0, 60);
}

static void empty_lists_have_no_pairs(void **state)
{
    const uint64_t one[] = {1};
    (void)state;
    assert_int_equal(align(one, 0, one, 0), 0);
    assert_int_equal(align(one, 1, one, 0), 0);
    assert_int_equal(align(one, 0, one, 1), 0);
    assert_int_equal(align(one, 1, one, 1), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(short_lists_are_aligned_exactly),
        cmocka_unit_test(a_few_calls_more_cost_no_pair),
        cmocka_unit_test(long_lists_that_differ_much_are_aligned_soon),
        cmocka_unit_test(empty_lists_have_no_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
