#include "trace/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

/* The sanitizers end a program that asks for an impossible size; here NULL is the right answer. */
#define VISIBLE __attribute__((visibility("default")))
VISIBLE const char *__asan_default_options(void);
VISIBLE const char *__tsan_default_options(void);

const char *__asan_default_options(void)
{
    return "allocator_may_return_null=1";
}

const char *__tsan_default_options(void)
{
    return "allocator_may_return_null=1";
}

static void zero_bytes_are_a_block(void **state)
{
    (void)state;
    void *block = alloc(0);
    void *zero = alloc_zero(0, 8);
    assert_non_null(block);
    assert_non_null(zero);
    alloc_free(zero);
    alloc_free(block);
}

static void zeroed_memory_is_zero(void **state)
{
    (void)state;
    unsigned char *bytes = alloc_zero(100, 3);
    assert_non_null(bytes);
    for (size_t i = 0; i < 300; ++i)
        assert_int_equal(bytes[i], 0);
    alloc_free(bytes);
}

static void overflowing_count_fails(void **state)
{
    (void)state;
    volatile size_t count = SIZE_MAX / 2;
    assert_null(alloc_zero(count, 4));
}

static void aligned_memory_is_aligned(void **state)
{
    (void)state;
    for (size_t alignment = sizeof(void *); alignment <= 4096; alignment *= 2) {
        void *block = alloc_aligned(alignment, 24);
        assert_non_null(block);
        assert_int_equal((uintptr_t)block % alignment, 0);
        alloc_free(block);
    }
}

static void live_blocks_are_counted(void **state)
{
    (void)state;
    const uint64_t before = alloc_live_count();
    void *a = alloc(10);
    char *b = alloc_string("kernel");
    assert_int_equal(alloc_live_count(), before + 2);
    a = alloc_resize(a, 1000);
    assert_int_equal(alloc_live_count(), before + 2);
    void *c = alloc_resize(NULL, 10);
    assert_int_equal(alloc_live_count(), before + 3);
    alloc_free(a);
    alloc_free(b);
    alloc_free(c);
    alloc_free(NULL);
    assert_int_equal(alloc_live_count(), before);
}

static void the_nth_request_fails_and_only_it(void **state)
{
    (void)state;
    const uint64_t requests = alloc_request_count();
    alloc_fail_at(3);
    void *first = alloc(1);
    char *second = alloc_string("x");
    void *third = alloc_zero(1, 1);
    void *fourth = alloc(1);
    alloc_fail_at(0);
    assert_non_null(first);
    assert_non_null(second);
    assert_null(third);
    assert_non_null(fourth);
    assert_int_equal(alloc_request_count(), requests + 4);
    alloc_free(first);
    alloc_free(second);
    alloc_free(fourth);
}

static void failed_resize_keeps_the_block(void **state)
{
    (void)state;
    char *block = alloc_string("still here");
    alloc_fail_at(1);
    assert_null(alloc_resize(block, 1 << 20));
    alloc_fail_at(0);
    assert_string_equal(block, "still here");
    alloc_free(block);
}

static void failed_requests_leave_the_live_count(void **state)
{
    (void)state;
    const uint64_t before = alloc_live_count();
    alloc_fail_at(1);
    assert_null(alloc_aligned(64, 64));
    alloc_fail_at(1);
    assert_null(alloc_format("%d", 1));
    alloc_fail_at(0);
    assert_int_equal(alloc_live_count(), before);
}

static void formats(void **state)
{
    (void)state;
    char *text = alloc_format("%s %d", "work-item", 7);
    assert_string_equal(text, "work-item 7");
    alloc_free(text);
}

static void growing_keeps_items(void **state)
{
    (void)state;
    uint32_t *items = NULL;
    size_t capacity = 0;
    for (size_t count = 0; count < 1000; ++count) {
        uint32_t *grown = alloc_grow(items, count, &capacity, sizeof *items);
        assert_non_null(grown);
        items = grown;
        assert_true(capacity > count);
        items[count] = (uint32_t)(count * 3);
    }
    for (size_t i = 0; i < 1000; ++i)
        assert_int_equal(items[i], i * 3);
    alloc_free(items);
}

static void failed_growth_leaves_the_capacity(void **state)
{
    (void)state;
    size_t capacity = 8;
    void *items = alloc(8 * 16);
    alloc_fail_at(1);
    assert_null(alloc_grow(items, 8, &capacity, 16));
    alloc_fail_at(0);
    assert_int_equal(capacity, 8);
    assert_null(alloc_grow(items, 8, &capacity, SIZE_MAX / 4));
    assert_int_equal(capacity, 8);
    alloc_free(items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(zero_bytes_are_a_block),
        cmocka_unit_test(zeroed_memory_is_zero),
        cmocka_unit_test(overflowing_count_fails),
        cmocka_unit_test(aligned_memory_is_aligned),
        cmocka_unit_test(live_blocks_are_counted),
        cmocka_unit_test(the_nth_request_fails_and_only_it),
        cmocka_unit_test(failed_resize_keeps_the_block),
        cmocka_unit_test(failed_requests_leave_the_live_count),
        cmocka_unit_test(formats),
        cmocka_unit_test(growing_keeps_items),
        cmocka_unit_test(failed_growth_leaves_the_capacity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
