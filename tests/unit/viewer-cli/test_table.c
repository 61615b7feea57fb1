/* Aligned columns and human units. */
#include "viewer-cli/verb.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static void columns_are_aligned_and_lines_end_clean(void **state)
{
    (void)state;
    static const struct table_column columns[] = {
        {"name", TABLE_LEFT}, {"n", TABLE_RIGHT}, {"what", TABLE_LEFT}};
    struct table *table = table_create(columns, 3);
    struct text text = TEXT_INIT;
    assert_non_null(table);
    table_cell(table, "a");
    table_cell_format(table, "%d", 1000);
    table_cell(table, "x");
    table_cell(table, "grün");
    table_cell(table, "7");
    table_cell(table, NULL);
    assert_int_equal(table_row_count(table), 2);
    assert_true(table_print(table, true, &text));
    assert_string_equal(text.bytes, "name     n  what\n"
                                    "a     1000  x\n"
                                    "grün     7\n");
    /* The next page is as wide, without titles. */
    table_clear(table);
    text_clear(&text);
    table_cell(table, "b");
    table_cell(table, "1");
    table_cell(table, "y");
    assert_true(table_print(table, false, &text));
    assert_string_equal(text.bytes, "b        1  y\n");
    table_destroy(table);
    text_release(&text);
}

static void columns_of_words_share_what_room_there_is(void **state)
{
    (void)state;
    static const struct table_column columns[] = {
        {"name", TABLE_LEFT}, {"number", TABLE_RIGHT}, {"what", TABLE_LEFT}};
    static const struct {
        size_t limit;
        const char *line;
    } cases[] = {{0, "a name of words  123456  what it is for, at length\n"},
                 {50, "a name of words  123456  what it is for, at length\n"},
                 {44, "a name of words  123456  what it is for, ...\n"},
                 {41, "a name of words  123456  what it is fo...\n"},
                 {40, "a name of words  123456\n"},
                 {20, "a name of words\n"}};
    struct table *table = table_create(columns, 3);
    assert_non_null(table);
    table_cell(table, "a name of words");
    table_cell(table, "123456");
    table_cell(table, "what it is for, at length");
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        struct text text = TEXT_INIT;
        table_limit(table, cases[i].limit);
        assert_true(table_print(table, false, &text));
        assert_string_equal(text.bytes, cases[i].line);
        text_release(&text);
    }
    table_destroy(table);
}

typedef void printer(uint64_t value, struct text *text);

static void check(printer *print, uint64_t value, const char *expected)
{
    struct text text = TEXT_INIT;
    print(value, &text);
    assert_string_equal(text.bytes, expected);
    text_release(&text);
}

static void numbers_have_human_units(void **state)
{
    (void)state;
    check(print_size, 0, "0 B");
    check(print_size, 1023, "1023 B");
    check(print_size, 1024, "1.0 KiB");
    check(print_size, 150 * 1024, "150 KiB");
    check(print_size, 1024 * 1024 - 1, "1.0 MiB");
    check(print_size, UINT64_MAX, "16.0 EiB");
    check(print_duration, 0, "0 ns");
    check(print_duration, 999, "999 ns");
    check(print_duration, 1000, "1.0 us");
    check(print_duration, 999499, "999 us");
    check(print_duration, 999500, "1.0 ms");
    check(print_duration, 12345678, "12.3 ms");
    check(print_duration, UINT64_C(3600000000000), "3600 s");
    check(print_count, 0, "0");
    check(print_count, 999, "999");
    check(print_count, 1000, "1,000");
    check(print_count, 1234567, "1,234,567");
    check(print_count, UINT64_MAX, "18,446,744,073,709,551,615");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_aligned_and_lines_end_clean),
        cmocka_unit_test(columns_of_words_share_what_room_there_is),
        cmocka_unit_test(numbers_have_human_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
