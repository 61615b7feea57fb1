/* The functions of malloc that are preloaded, by what they tell of blocks. */
#include "trace/base/heap.h"

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { SIZE = 100 };

static bool is_block(uint64_t address, uint64_t first, uint64_t size, bool freed)
{
    struct heap_block block;
    return clerk_heap_find(address, &block) && block.first == first && block.size == size &&
           block.freed == freed;
}

static void expect_known(void *block, size_t size)
{
    assert_non_null(block);
    const uint64_t first = (uintptr_t)block;
    assert_true(is_block(first, first, size, false));
    assert_true(is_block(first + size - 1, first, size, false));
    free(block);
    assert_true(is_block(first, first, size, true));
}

static void all_ways_to_get_a_block_are_known(void **state)
{
    (void)state;
    void *block = NULL;
    expect_known(malloc(SIZE), SIZE);
    expect_known(calloc(SIZE, 3), 3 * SIZE);
    expect_known(realloc(NULL, SIZE), SIZE);
    expect_known(reallocarray(NULL, 2, SIZE), 2 * SIZE);
    expect_known(aligned_alloc(64, SIZE), SIZE);
    expect_known(memalign(64, SIZE), SIZE);
    expect_known(valloc(SIZE), SIZE);
    expect_known(pvalloc(SIZE), (size_t)sysconf(_SC_PAGESIZE));
    assert_int_equal(posix_memalign(&block, 64, SIZE), 0);
    expect_known(block, SIZE);
    expect_known(strdup("four"), 5);
}

static void a_block_that_grows_or_shrinks_is_known_where_it_is(void **state)
{
    (void)state;
    char *block = malloc(SIZE);
    for (size_t size = SIZE; size < SIZE << 12; size *= 2) {
        const uint64_t before = (uintptr_t)block;
        block = realloc(block, size);
        assert_non_null(block);
        assert_true(is_block((uintptr_t)block, (uintptr_t)block, size, false));
        assert_true((uintptr_t)block == before || !is_block(before, before, size / 2, false));
    }
    block = realloc(block, SIZE);
    expect_known(block, SIZE);
}

static void what_fails_changes_nothing(void **state)
{
    (void)state;
    volatile size_t most = SIZE_MAX / 2;
    char *block = malloc(SIZE);
    assert_null(malloc(most));
    assert_null(calloc(most, 4));
    assert_null(realloc(block, most));
    assert_int_equal(errno, ENOMEM);
    free(NULL);
    expect_known(block, SIZE);
}

static void who_asks_for_all_of_a_block_may_use_it(void **state)
{
    (void)state;
    char *block = malloc(SIZE);
    const size_t usable = malloc_usable_size(block);
    assert_true(usable > SIZE);
    assert_int_equal(malloc_usable_size(NULL), 0);
    expect_known(block, usable);
}

static void *make_block(void *user)
{
    (void)user;
    return malloc(SIZE);
}

static void threads_and_forks_have_the_same_table(void **state)
{
    (void)state;
    pthread_t thread;
    void *block;
    int status = 0;
    assert_int_equal(pthread_create(&thread, NULL, make_block, NULL), 0);
    assert_int_equal(pthread_join(thread, &block), 0);
    const uint64_t first = (uintptr_t)block;
    const pid_t child = fork();
    if (child == 0) {
        const bool was = is_block(first, first, SIZE, false);
        char *other = malloc(SIZE);
        _exit(was && is_block((uintptr_t)other, (uintptr_t)other, SIZE, false) ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    expect_known(block, SIZE);
}

int main(void);

static void other_memory_is_not_known(void **state)
{
    (void)state;
    struct heap_block block;
    assert_false(clerk_heap_find((uintptr_t)&block, &block));
    assert_false(clerk_heap_find((uintptr_t)main, &block));
    assert_false(clerk_heap_find(0, &block));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_ways_to_get_a_block_are_known),
        cmocka_unit_test(a_block_that_grows_or_shrinks_is_known_where_it_is),
        cmocka_unit_test(what_fails_changes_nothing),
        cmocka_unit_test(who_asks_for_all_of_a_block_may_use_it),
        cmocka_unit_test(threads_and_forks_have_the_same_table),
        cmocka_unit_test(other_memory_is_not_known),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
