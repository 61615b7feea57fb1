#include "trace/base/alloc.h"
#include "trace/base/arena.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void memory_is_zero_and_aligned(void **state)
{
    (void)state;
    struct arena arena = {0};
    for (size_t size = 1; size < 3000; size += 7) {
        unsigned char *bytes = arena_alloc(&arena, size, 1);
        assert_non_null(bytes);
        assert_int_equal((uintptr_t)bytes % _Alignof(max_align_t), 0);
        for (size_t i = 0; i < size; ++i)
            assert_int_equal(bytes[i], 0);
        memset(bytes, 0xff, size);
    }
    arena_release(&arena);
}

static void allocations_do_not_overlap(void **state)
{
    (void)state;
    struct arena arena = {0};
    enum { COUNT = 200 };
    unsigned char *blocks[COUNT];
    /* Sizes on both sides of a block of the arena, so that large ones come between small ones. */
    for (size_t i = 0; i < COUNT; ++i) {
        const size_t size = i % 10 == 9 ? 40000 : 100;
        blocks[i] = arena_alloc(&arena, size, 1);
        assert_non_null(blocks[i]);
        memset(blocks[i], (int)i, size);
    }
    for (size_t i = 0; i < COUNT; ++i) {
        const size_t size = i % 10 == 9 ? 40000 : 100;
        for (size_t k = 0; k < size; ++k)
            assert_int_equal(blocks[i][k], (unsigned char)i);
    }
    arena_release(&arena);
}

static void copies_own_their_bytes(void **state)
{
    (void)state;
    struct arena arena = {0};
    char source[] = "sub-group";
    char *whole = arena_string(&arena, source);
    char *part = arena_string_n(&arena, source, 3);
    char *empty = arena_string_n(&arena, NULL, 0);
    unsigned char *bytes = arena_copy(&arena, source, sizeof source);
    char *formatted = arena_format(&arena, "%s %u", source, 5u);
    memset(source, 'x', sizeof source);
    assert_string_equal(whole, "sub-group");
    assert_string_equal(part, "sub");
    assert_string_equal(empty, "");
    assert_memory_equal(bytes, "sub-group", 10);
    assert_string_equal(formatted, "sub-group 5");
    arena_release(&arena);
}

static void impossible_sizes_fail(void **state)
{
    (void)state;
    struct arena arena = {0};
    assert_null(arena_alloc(&arena, SIZE_MAX / 2, 3));
    assert_null(arena_alloc(&arena, SIZE_MAX, 1));
    assert_null(arena_alloc(&arena, SIZE_MAX - 17, 1));
    assert_non_null(arena_alloc(&arena, 1, 1));
    arena_release(&arena);
}

static void failed_allocation_leaves_the_arena_usable(void **state)
{
    (void)state;
    struct arena arena = {0};
    char *first = arena_string(&arena, "first");
    alloc_fail_at(1);
    assert_null(arena_alloc(&arena, 1 << 20, 1));
    alloc_fail_at(0);
    char *second = arena_string(&arena, "second");
    assert_string_equal(first, "first");
    assert_string_equal(second, "second");
    arena_release(&arena);
}

static void release_frees_all_and_allows_reuse(void **state)
{
    (void)state;
    const uint64_t before = alloc_live_count();
    struct arena arena = {0};
    for (int round = 0; round < 3; ++round) {
        for (size_t i = 0; i < 100; ++i)
            assert_non_null(arena_alloc(&arena, i * 100, 1));
        arena_release(&arena);
        assert_int_equal(alloc_live_count(), before);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_is_zero_and_aligned),
        cmocka_unit_test(allocations_do_not_overlap),
        cmocka_unit_test(copies_own_their_bytes),
        cmocka_unit_test(impossible_sizes_fail),
        cmocka_unit_test(failed_allocation_leaves_the_arena_usable),
        cmocka_unit_test(release_frees_all_and_allows_reuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
