#include "trace/base/status.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void a_failure_has_a_status_and_a_sentence(void **state)
{
    (void)state;
    struct error error;
    assert_int_equal(error_set(&error, STATUS_INVALID, "'%s' is not a number", "x"),
                     STATUS_INVALID);
    assert_int_equal(error.status, STATUS_INVALID);
    assert_string_equal(error.text, "'x' is not a number");
}

static void nobody_need_listen(void **state)
{
    (void)state;
    errno = ENOENT;
    assert_int_equal(error_set(NULL, STATUS_MALFORMED, "x"), STATUS_MALFORMED);
    assert_int_equal(error_set_errno(NULL, "x"), STATUS_IO);
    assert_int_equal(error_no_memory(NULL, 1), STATUS_NO_MEMORY);
    error_prefix(NULL, "x");
}

static void the_system_says_why(void **state)
{
    (void)state;
    struct error error;
    errno = ENOENT;
    assert_int_equal(error_set_errno(&error, "cannot open '%s'", "a.db"), STATUS_IO);
    assert_string_equal(error.text, "cannot open 'a.db': No such file or directory");
}

static void a_prefix_goes_before_and_keeps_the_status(void **state)
{
    (void)state;
    struct error error;
    error_set(&error, STATUS_NOT_FOUND, "no kernel 'a'");
    error_prefix(&error, "program#%d", 2);
    assert_int_equal(error.status, STATUS_NOT_FOUND);
    assert_string_equal(error.text, "program#2: no kernel 'a'");
}

static void a_long_sentence_is_cut_visibly(void **state)
{
    (void)state;
    struct error error;
    char word[2 * ERROR_TEXT_SIZE];
    memset(word, 'w', sizeof word - 1);
    word[sizeof word - 1] = 0;
    error_set(&error, STATUS_IO, "%s", word);
    assert_int_equal(strlen(error.text), ERROR_TEXT_SIZE - 1);
    assert_string_equal(error.text + ERROR_TEXT_SIZE - 4, "...");
    errno = EIO;
    error_set_errno(&error, "%s", word);
    assert_true(strlen(error.text) < ERROR_TEXT_SIZE);
    error_prefix(&error, "%s", word);
    assert_true(strlen(error.text) < ERROR_TEXT_SIZE);
}

static void memory_names_the_size(void **state)
{
    (void)state;
    struct error error;
    assert_int_equal(error_no_memory(&error, 4096), STATUS_NO_MEMORY);
    assert_string_equal(error.text, "out of memory (asked for 4096 bytes)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_failure_has_a_status_and_a_sentence),
        cmocka_unit_test(nobody_need_listen),
        cmocka_unit_test(the_system_says_why),
        cmocka_unit_test(a_prefix_goes_before_and_keeps_the_status),
        cmocka_unit_test(a_long_sentence_is_cut_visibly),
        cmocka_unit_test(memory_names_the_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
