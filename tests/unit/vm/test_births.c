/* What is remembered of undefined values in memory. */
#include "reference/vm/undefined_origins.h"
#include "trace/base/alloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

static struct origins births;
static uint8_t bytes[1 << 16] __attribute__((aligned(4)));

static int teardown(void **state)
{
    (void)state;
    origins_clear(&births);
    return 0;
}

static void put(uint32_t byte, uint32_t site)
{
    origins_put(&births, bytes + byte, 4, UINT32_MAX, (struct vm_origin){.site = site});
}

static void the_latest_birth_of_each_word_is_found(void **state)
{
    (void)state;
    assert_null(origins_find(&births, bytes, 8));
    for (uint32_t word = 0; word < sizeof bytes / 4; word += 2)
        put(4 * word, word);
    put(8, 1000000);
    assert_int_equal(origins_find(&births, bytes + 8, 4)->site, 1000000);
    for (uint32_t word = 4; word < sizeof bytes / 4; word += 2) {
        assert_int_equal(origins_find(&births, bytes + 4 * word + 3, 1)->site, word);
        assert_null(origins_find(&births, bytes + 4 * word + 4, 4));
    }
}

static void a_value_of_two_words_is_found_by_either(void **state)
{
    (void)state;
    put(12, 7);
    assert_int_equal(origins_find(&births, bytes + 8, 8)->site, 7);
    assert_null(origins_find(&births, bytes + 16, 8));
    origins_clear(&births);
    assert_null(origins_find(&births, bytes + 8, 8));
}

static void bits_are_kept_by_the_byte(void **state)
{
    (void)state;
    const struct vm_origin birth = {.site = 5};
    assert_int_equal(origins_bits(&births, bytes + 6, 4, 0x6), 0xFFFF00);
    assert_true(origins_put(&births, bytes + 6, 4, 0x0F0000FF, birth));
    assert_int_equal(origins_bits(&births, bytes + 6, 4, 0xF), 0x0FFFFFFF);
    assert_int_equal(origins_bits(&births, bytes + 6, 4, 0x9), 0x0F0000FF);
    assert_true(origins_put(&births, bytes + 9, 1, 1, birth));
    assert_int_equal(origins_bits(&births, bytes + 8, 2, 0x2), 0x0100);
}

/* The births of words that are put together, and of some among them afterwards, are found one by
 * one and together. */
static void words_are_found_as_they_were_put(void **state)
{
    (void)state;
    const struct vm_origins words = {
        .first = {.address = 1000, .site = 1}, .stride = 4, .run_shift = VM_ORIGINS_NO_RUNS};
    struct vm_origins found;
    const uint8_t *place = bytes + 240; /* pages meet in it */
    assert_int_equal(origins_find_words(&births, place, 100, &found), ORIGINS_NONE);
    assert_true(origins_put_words(&births, place, 100, &words));
    assert_int_equal(births.count, 100);
    assert_int_equal(origins_find_words(&births, place + 40, 90, &found), ORIGINS_ALIKE);
    assert_int_equal(found.first.address, 1040);
    assert_int_equal(origins_find_words(&births, place + 40, 91, &found), ORIGINS_OTHER);
    put(240 + 80, 9);
    assert_int_equal(births.count, 100);
    assert_int_equal(origins_find_words(&births, place, 100, &found), ORIGINS_OTHER);
    assert_int_equal(origins_find_words(&births, place, 20, &found), ORIGINS_ALIKE);
    assert_int_equal(origins_find(&births, place + 80, 4)->site, 9);
    assert_int_equal(origins_find(&births, place + 84, 4)->address, 1084);
    assert_int_equal(origins_bits(&births, place + 84, 4, 0xF), UINT32_MAX);
    const struct vm_origins others = {
        .first = {.address = 5000, .site = 2}, .stride = 0, .jump = 8, .run_shift = 1};
    assert_true(origins_put_words(&births, place + 80, 4, &others));
    assert_int_equal(births.count, 100);
    assert_int_equal(origins_find(&births, place + 76, 4)->address, 1076);
    assert_int_equal(origins_find(&births, place + 84, 4)->address, 5000);
    assert_int_equal(origins_find(&births, place + 92, 4)->address, 5008);
    assert_int_equal(origins_find(&births, place + 96, 4)->address, 1096);
}

/* Two rows of an array meet in a page: neither takes entries; a third one takes those of one. */
static void two_patterns_share_a_page(void **state)
{
    (void)state;
    static uint8_t page[256] __attribute__((aligned(256)));
    struct vm_origins words = {.first = {.site = 1}, .run_shift = VM_ORIGINS_NO_RUNS};
    struct vm_origins found;
    for (uint32_t word = 0; word < 64; word += 8) {
        words.first.site = word < 40 ? 1 : 2;
        assert_true(origins_put_words(&births, page + 4 * word, 8, &words));
        words.first.site = 3 - words.first.site;
        assert_true(word % 16 || origins_put_words(&births, page + 160, 8, &words));
    }
    words.first.site = 2;
    assert_true(origins_put_words(&births, page + 160, 8, &words));
    assert_int_equal(births.count, 64);
    assert_int_equal(births.entry_count, 0);
    assert_int_equal(origins_find_words(&births, page, 40, &found), ORIGINS_ALIKE);
    assert_int_equal(found.first.site, 1);
    assert_int_equal(origins_find_words(&births, page + 160, 24, &found), ORIGINS_ALIKE);
    assert_int_equal(found.first.site, 2);
    assert_int_equal(origins_find_words(&births, page + 156, 2, &found), ORIGINS_OTHER);
    words.first.site = 3;
    assert_true(origins_put_words(&births, page + 4, 1, &words));
    assert_int_equal(births.count, 64);
    for (uint32_t word = 0; word < 64; word++)
        assert_int_equal(origins_find(&births, page + 4 * word, 4)->site, word == 1   ? 3
                                                                          : word < 40 ? 1
                                                                                      : 2);
}

/* Words with births of their own, those of a pattern and single ones take each other's places. */
static void births_of_each_word_are_found(void **state)
{
    (void)state;
    struct vm_origin each[64];
    const struct vm_origins words = {.first = {.site = 1}, .run_shift = VM_ORIGINS_NO_RUNS};
    struct vm_origins found;
    const uint8_t *place = bytes + 240; /* pages meet in it */
    for (uint32_t i = 0; i < 64; i++)
        each[i] = (struct vm_origin){.address = 100 * i, .site = 7};
    assert_false(origins_put_each(&births, place, 15, each));
    assert_true(origins_put_words(&births, place, 32, &words));
    put(240 + 4 * 20, 9);
    assert_true(origins_put_each(&births, place + 64, 64, each));
    assert_int_equal(births.count, 80);
    assert_int_equal(origins_find_words(&births, place, 16, &found), ORIGINS_ALIKE);
    assert_int_equal(origins_find_words(&births, place + 64, 1, &found), ORIGINS_OTHER);
    for (uint32_t i = 0; i < 64; i++)
        assert_int_equal(origins_find(&births, place + 64 + 4 * i, 4)->address, 100 * i);
    assert_int_equal(origins_bits(&births, place + 64, 4, 0xF), UINT32_MAX);
    put(240 + 64 + 4 * 5, 9);
    assert_true(origins_put_words(&births, place + 64 + 4 * 6, 2, &words));
    assert_int_equal(births.count, 80);
    for (uint32_t i = 4; i < 9; i++)
        assert_int_equal(origins_find(&births, place + 64 + 4 * i, 4)->site, i == 5 ? 9
                                                                             : i == 6 || i == 7
                                                                                 ? 1
                                                                                 : 7);
    assert_int_equal(origins_find_words(&births, place + 64 + 4 * 6, 2, &found), ORIGINS_ALIKE);
}

/* What is forgotten does not come back with the words that are put after it. */
static void what_is_forgotten_is_gone(void **state)
{
    (void)state;
    struct vm_origin each[16] = {{.site = 7}};
    const struct vm_origins words = {.first = {.site = 1}, .run_shift = VM_ORIGINS_NO_RUNS};
    for (uint32_t round = 0; round < 2; round++) {
        assert_null(origins_find(&births, bytes, 4));
        assert_true(origins_put_words(&births, bytes + 8, 2, &words));
        assert_null(origins_find(&births, bytes + 4, 4));
        assert_null(origins_find(&births, bytes + 64, 4));
        assert_true(origins_put_each(&births, bytes + 64, 16, each));
        put(0, 2);
        put(4, 2);
        assert_int_equal(births.count, 20);
        origins_forget(&births);
        assert_true(origins_outside(&births, bytes, bytes + sizeof bytes - 1));
        assert_int_equal(births.count, 0);
    }
}

/* The first words are remembered, in whichever way they were put, and no others. */
static void so_many_words_are_remembered(void **state)
{
    (void)state;
    enum { MANY = 1 << 18 };
    static uint8_t many[4 * (MANY + 256)] __attribute__((aligned(256)));
    const struct vm_origins words = {.first = {.site = 1}, .run_shift = VM_ORIGINS_NO_RUNS};
    const struct vm_origin birth = {.site = 3};
    for (uint32_t word = 0; word < MANY - 64; word += 64)
        assert_true(origins_put_words(&births, many + 4 * word, 64, &words));
    for (uint32_t word = MANY - 64; word < MANY - 10; word++)
        assert_true(origins_put(&births, many + 4 * word, 4, UINT32_MAX, birth));
    assert_false(origins_put_words(&births, many + 4 * (MANY - 10), 11, &words));
    assert_true(origins_put_words(&births, many + 4 * (MANY - 10), 10, &words));
    assert_true(origins_put_words(&births, many + 4 * MANY, 64, &words));
    assert_false(origins_put(&births, many + 4 * MANY, 4, UINT32_MAX, birth));
    assert_null(origins_find(&births, many + 4 * MANY, 4));
    assert_true(origins_put(&births, many, 4, UINT32_MAX, birth));
    assert_int_equal(origins_find(&births, many, 4)->site, 3);
    assert_int_equal(births.count, MANY);
}

static void without_memory_nothing_is_remembered(void **state)
{
    (void)state;
    alloc_fail_at(1);
    assert_false(origins_put(&births, bytes, 1, 1, (struct vm_origin){.site = 1}));
    assert_null(origins_find(&births, bytes, 4));
    put(0, 2);
    assert_int_equal(origins_find(&births, bytes, 4)->site, 2);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, teardown)
    const struct CMUnitTest tests[] = {
        TEST(the_latest_birth_of_each_word_is_found),
        TEST(a_value_of_two_words_is_found_by_either),
        TEST(bits_are_kept_by_the_byte),
        TEST(words_are_found_as_they_were_put),
        TEST(two_patterns_share_a_page),
        TEST(births_of_each_word_are_found),
        TEST(what_is_forgotten_is_gone),
        TEST(so_many_words_are_remembered),
        TEST(without_memory_nothing_is_remembered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
