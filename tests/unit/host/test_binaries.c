#include "checkers/host/objects/binaries.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void whitespace_is_ignored(void **state)
{
    (void)state;
    assert_true(binary_options_agree("", " \t "));
    assert_true(binary_options_agree("-D A=1 -w", "  -D A=1\t-w "));
    assert_true(binary_options_agree("-DA=1", "-D A=1"));
    assert_false(binary_options_agree("-D A=1", "-D A=2"));
    assert_false(binary_options_agree("-w", "-w -D A"));
    assert_false(binary_options_agree("-w -D A", "-D A -w")); /* "in the same order" */
    assert_false(binary_options_agree("-w", ""));
}

static void equal_strings_are_kept_once(void **state)
{
    (void)state;
    struct binary_table *table = binary_table_create();
    const char *first = binary_keep_options(table, "-w -g", 2);
    assert_string_equal(first, "-w");
    assert_ptr_equal(binary_keep_options(table, "-w", 2), first);
    assert_ptr_not_equal(binary_keep_options(table, "-w ", 3), first);
    assert_string_equal(binary_keep_options(table, "", 0), "");
    binary_table_destroy(table);
}

static void bytes_of_several_options_have_none(void **state)
{
    (void)state;
    struct binary_table *table = binary_table_create();
    const char *w = binary_keep_options(table, "-w", 2);
    assert_false(binary_any(table));
    assert_null(binary_find(table, 1));
    binary_note(table, 1, w);
    binary_note(table, 1, binary_keep_options(table, " -w", 3));
    binary_note(table, 2, w);
    assert_true(binary_any(table));
    assert_ptr_equal(binary_find(table, 1), w);
    binary_note(table, 1, binary_keep_options(table, "-g", 2));
    assert_null(binary_find(table, 1));
    binary_note(table, 1, w);
    assert_null(binary_find(table, 1));
    assert_ptr_equal(binary_find(table, 2), w);
    binary_table_destroy(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(whitespace_is_ignored),
        cmocka_unit_test(equal_strings_are_kept_once),
        cmocka_unit_test(bytes_of_several_options_have_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
