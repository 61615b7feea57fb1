/* The spool's format: whole records only, whatever the bytes. */
#include "trace/base/alloc.h"
#include "trace/segment.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

enum { SIZE = 256, START = sizeof(struct segment_header) };

struct block {
    _Alignas(8) unsigned char bytes[SIZE];
};

static void put_word(struct block *block, uint64_t offset, uint64_t word)
{
    memcpy(block->bytes + offset, &word, sizeof word);
}

static enum segment_step step(const struct block *block, uint64_t *offset,
                              struct segment_record *record)
{
    return segment_next(block->bytes, SIZE, offset, record);
}

static void records_are_walked_up_to_the_first_uncommitted(void **state)
{
    (void)state;
    struct block block = {{0}};
    put_word(&block, START, segment_commit_word(SEGMENT_FACT, 5));
    memcpy(block.bytes + START + 8, "hello", 5);
    put_word(&block, START + 16, segment_commit_word(SEGMENT_CALL_END, 0));
    /* Payload without a commit word: the writer died. */
    memset(block.bytes + START + 32, 0xff, 8);
    uint64_t offset = START;
    struct segment_record record;
    assert_int_equal(step(&block, &offset, &record), SEGMENT_STEP_RECORD);
    assert_int_equal(record.kind, SEGMENT_FACT);
    assert_int_equal(record.size, 5);
    assert_memory_equal(record.payload, "hello", 5);
    assert_int_equal(step(&block, &offset, &record), SEGMENT_STEP_RECORD);
    assert_int_equal(record.kind, SEGMENT_CALL_END);
    assert_int_equal(step(&block, &offset, &record), SEGMENT_STEP_NOTHING);
    assert_int_equal(offset, START + 24);
}

static void the_end_of_a_segment_is_told(void **state)
{
    (void)state;
    struct block block = {{0}};
    put_word(&block, START, segment_commit_word(SEGMENT_END, 0));
    uint64_t offset = START;
    struct segment_record record;
    assert_int_equal(step(&block, &offset, &record), SEGMENT_STEP_END);
    assert_int_equal(offset, START);
}

static void a_record_that_reaches_beyond_the_segment_is_damage(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {SIZE - START - 8 + 1, SIZE, UINT32_MAX - 7, UINT32_MAX};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        struct block block = {{0}};
        put_word(&block, START, segment_commit_word(SEGMENT_FACT, sizes[i]));
        uint64_t offset = START;
        struct segment_record record;
        assert_int_equal(step(&block, &offset, &record), SEGMENT_STEP_DAMAGED);
    }
}

static void foreign_words_and_offsets_are_damage(void **state)
{
    (void)state;
    static const uint64_t words[] = {1, UINT64_MAX, SEGMENT_MARK << 48,
                                     SEGMENT_MARK << 48 | UINT64_C(99) << 32,
                                     UINT64_C(0xc1e5) << 48 | UINT64_C(1) << 32};
    static const uint64_t offsets[] = {START + 1, SIZE + 8, UINT64_MAX - 7, UINT64_MAX};
    struct segment_record record;
    uint64_t offset;
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
        struct block block = {{0}};
        put_word(&block, START, words[i]);
        offset = START;
        assert_int_equal(step(&block, &offset, &record), SEGMENT_STEP_DAMAGED);
    }
    const struct block empty = {{0}};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; ++i) {
        offset = offsets[i];
        assert_int_equal(step(&empty, &offset, &record), SEGMENT_STEP_DAMAGED);
    }
    offset = SIZE;
    assert_int_equal(step(&empty, &offset, &record), SEGMENT_STEP_NOTHING);
}

static void strings_come_back(void **state)
{
    (void)state;
    static const char *const strings[] = {"one", "", NULL, "four"};
    struct text text = TEXT_INIT;
    segment_print_strings(42, strings, 4, &text);
    struct segment_record record = {.payload = (const unsigned char *)text.bytes,
                                    .size = (uint32_t)text.size};
    struct segment_strings walk;
    uint64_t number;
    const char *string;
    size_t size;
    assert_true(segment_strings_begin(&record, &walk, &number));
    assert_int_equal(number, 42);
    for (size_t i = 0; i < 4; ++i) {
        const char *expected = strings[i] ? strings[i] : "";
        assert_true(segment_strings_next(&walk, &string, &size));
        assert_int_equal(size, strlen(expected));
        assert_memory_equal(string, expected, size);
    }
    assert_false(segment_strings_next(&walk, &string, &size));
    /* Cut at every length: never a read beyond the end. */
    for (uint32_t cut = 0; cut < text.size; ++cut) {
        unsigned char *copy = alloc(cut);
        memcpy(copy, text.bytes, cut);
        record = (struct segment_record){.payload = copy, .size = cut};
        if (segment_strings_begin(&record, &walk, &number))
            while (segment_strings_next(&walk, &string, &size))
                assert_true(string + size <= (const char *)copy + cut);
        alloc_free(copy);
    }
    text_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_are_walked_up_to_the_first_uncommitted),
        cmocka_unit_test(the_end_of_a_segment_is_told),
        cmocka_unit_test(a_record_that_reaches_beyond_the_segment_is_damage),
        cmocka_unit_test(foreign_words_and_offsets_are_damage),
        cmocka_unit_test(strings_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
