/* The table of blocks, at addresses that are only numbers, and by threads with blocks of malloc's
 * own. */
#include "layer/heap_table.h"

#include <malloc.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static void give(uint64_t address, size_t size, size_t usable)
{
    heap_table_give((const void *)(uintptr_t)address, size, usable, false);
}

static void release(uint64_t address)
{
    heap_table_free((const void *)(uintptr_t)address);
}

static void expect_block(uint64_t address, uint64_t first, uint64_t size, bool freed)
{
    struct heap_block block = {0};
    assert_true(heap_table_find(address, &block));
    assert_int_equal(block.first, first);
    assert_int_equal(block.size, size);
    assert_int_equal(block.freed, freed);
}

static void expect_none(uint64_t address)
{
    struct heap_block block;
    assert_false(heap_table_find(address, &block));
    assert_true(address - block.first < block.size);
}

static void a_block_is_found_from_its_first_byte_to_what_was_added(void **state)
{
    (void)state;
    expect_none(0x100000);
    give(0x100000, 64, 72);
    expect_none(0xfffff);
    expect_block(0x100000, 0x100000, 64, false);
    expect_block(0x100040, 0x100000, 64, false);
    expect_block(0x10004f, 0x100000, 64, false);
    expect_none(0x100050);
    expect_none(0);
    expect_none(UINT64_MAX);
}

static void the_block_behind_begins_where_the_one_before_ends(void **state)
{
    (void)state;
    give(0x200000, 24, 24);
    give(0x200020, 0, 24);
    expect_block(0x20001f, 0x200000, 24, false);
    expect_block(0x200020, 0x200020, 0, false);
    expect_none(0x200040);
}

static void a_freed_block_is_known_until_it_is_given_again(void **state)
{
    (void)state;
    give(0x300000, 64, 72);
    release(0x300000);
    expect_block(0x300010, 0x300000, 64, true);
    release(0x300000);
    expect_block(0x300010, 0x300000, 64, true);
    give(0x300000, 48, 72);
    expect_block(0x300010, 0x300000, 48, false);
}

static void what_is_not_known_or_no_block_is_let_pass(void **state)
{
    (void)state;
    release(0);
    release(0x7fff12345670);
    release(UINT64_C(1) << 60);
    give(0, 64, 64);
    give(UINT64_C(1) << 60, 64, 64);
    expect_none(0);
    expect_none(0x7fff12345670);
}

static void a_new_block_takes_the_place_of_all_that_began_in_it(void **state)
{
    (void)state;
    const uint64_t last = 0x400000 + (1 << 20) - 32;
    for (uint64_t address = 0x400000; address <= last; address += 32) {
        give(address, 24, 24);
        release(address);
    }
    give(0x400010, last - 0x400010, last - 0x400010);
    expect_block(0x400008, 0x400000, 24, true);
    expect_block(last - 16, 0x400010, last - 0x400010, false);
    expect_block(last, last, 24, true);
    give(0x480000, 64, 72);
    expect_block(0x480040, 0x480000, 64, false);
}

static void a_large_block_is_found_from_its_middle_and_end(void **state)
{
    (void)state;
    const uint64_t first = 0x7f0000000010;
    const uint64_t size = UINT64_C(1) << 40;
    give(first, size, size);
    expect_block(first + size / 2 + 5, first, size, false);
    expect_block(first + size - 1, first, size, false);
    expect_none(first + size);
    give(first + size + 16, 16, 24);
    expect_block(first + size + 16, first + size + 16, 16, false);
    expect_block(first + size - 1, first, size, false);
}

static void expect_gap(uint64_t address, uint64_t first, uint64_t end)
{
    struct heap_block block;
    assert_false(heap_table_find(address, &block));
    assert_int_equal(block.first, first);
    assert_int_equal(block.first + block.size, end);
}

static void bytes_around_of_no_block_are_told(void **state)
{
    (void)state;
    give(0x10000100, 1 << 14, 1 << 14);
    expect_gap(0x10004500, 0x10004100, 0x10004800);
    expect_gap(0x10006000, 0x10006000, 0x10006800);
    expect_gap(0x10000080, 0x10000080, 0x10000081);
    expect_gap(0x14000080, 0x14000000, 0x18000000);
}

static void what_could_not_be_freed_stays(void **state)
{
    (void)state;
    give(0x500000, 100, 104);
    release(0x500000);
    heap_table_keep((const void *)0x500000);
    expect_block(0x500063, 0x500000, 100, false);
}

static void blocks_between_multiples_of_16_are_not_known(void **state)
{
    (void)state;
    give(0x600000, 8, 8);
    give(0x600018, 8, 8);
    expect_block(0x600007, 0x600000, 8, false);
    expect_none(0x600008);
    expect_none(0x600018);
}

static void whose_a_block_is_stays_known_when_it_is_freed(void **state)
{
    struct heap_block block;
    (void)state;
    heap_table_give((const void *)0x700000, 64, 72, true);
    assert_true(heap_table_find(0x700000, &block) && block.foreign && !block.freed);
    release(0x700000);
    assert_true(heap_table_find(0x700000, &block) && block.foreign && block.freed);
    give(0x700000, 64, 72);
    assert_true(heap_table_find(0x700000, &block) && !block.foreign && block.size == 64);
}

enum { THREADS = 8, ROUNDS = 20000, HELD = 64 };

/* A thread knows all its own blocks, whatever others do. */
static void *use_blocks(void *user)
{
    unsigned random = (unsigned)(uintptr_t)user;
    struct {
        char *bytes;
        size_t size;
    } held[HELD] = {{0}};
    uintptr_t wrong = 0;
    for (size_t round = 0; round < ROUNDS + HELD; round++) {
        random = random * 1664525 + 1013904223;
        const size_t at = round % HELD;
        struct heap_block block;
        if (held[at].bytes) {
            const uint64_t first = (uintptr_t)held[at].bytes;
            wrong += !heap_table_find(first + held[at].size / 2, &block) || block.first != first ||
                     block.size != held[at].size || block.freed;
            heap_table_free(held[at].bytes);
            free(held[at].bytes);
        }
        held[at].size = round < ROUNDS ? 1 + random % 5000 : 0;
        held[at].bytes = round < ROUNDS ? malloc(held[at].size) : NULL;
        if (held[at].bytes)
            heap_table_give(held[at].bytes, held[at].size, malloc_usable_size(held[at].bytes),
                            false);
    }
    return (void *)wrong;
}

static void threads_do_not_disturb_each_other(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    for (uintptr_t i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, use_blocks, (void *)(i + 1)), 0);
    for (size_t i = 0; i < THREADS; i++) {
        void *wrong;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_block_is_found_from_its_first_byte_to_what_was_added),
        cmocka_unit_test(the_block_behind_begins_where_the_one_before_ends),
        cmocka_unit_test(a_freed_block_is_known_until_it_is_given_again),
        cmocka_unit_test(what_is_not_known_or_no_block_is_let_pass),
        cmocka_unit_test(a_new_block_takes_the_place_of_all_that_began_in_it),
        cmocka_unit_test(a_large_block_is_found_from_its_middle_and_end),
        cmocka_unit_test(bytes_around_of_no_block_are_told),
        cmocka_unit_test(what_could_not_be_freed_stays),
        cmocka_unit_test(blocks_between_multiples_of_16_are_not_known),
        cmocka_unit_test(whose_a_block_is_stays_known_when_it_is_freed),
        cmocka_unit_test(threads_do_not_disturb_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
