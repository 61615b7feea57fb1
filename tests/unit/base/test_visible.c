/* What a terminal obeys, or does not show, becomes visible. */
#include "trace/base/status.h"
#include "trace/base/visible.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void expect(const char *string, unsigned keep, const char *expected)
{
    struct text text = TEXT_INIT;
    struct text again = TEXT_INIT;
    text_append_visible(&text, string, keep);
    assert_string_equal(text.bytes, expected);
    text_append_visible(&again, text.bytes, keep);
    assert_string_equal(again.bytes, expected);
    text_release(&again);
    text_release(&text);
}

static void controls_are_shown(void **state)
{
    (void)state;
    expect("a\x1b]0;x\a\x7f", VISIBLE_ONE_LINE, "a\\x1b]0;x\\x07\\x7f");
    expect("\xc2\x9b"
           "31m\xc2\x85",
           VISIBLE_LINES, "\\u009b31m\\u0085");
    expect("\x9b\xff\xc0\xaf", VISIBLE_ONE_LINE, "\\x9b\\xff\\xc0\\xaf");
}

static void what_is_turned_round_or_not_seen_is_shown(void **state)
{
    (void)state;
    expect("/*\xe2\x80\xae\xe2\x81\xa6*/", VISIBLE_LINES, "/*\\u202e\\u2066*/");
    expect("a\xe2\x80\x8b\xef\xbb\xbf"
           "b\xe2\x80\xa8",
           VISIBLE_LINES, "a\\u200b\\ufeffb\\u2028");
    expect("\xf3\xa0\x81\x81", VISIBLE_LINES, "\\U000e0041");
    expect("a\xc2\xad\xe1\xa0\x8e\xe3\x85\xa4\xef\xb8\x8f", VISIBLE_LINES,
           "a\\u00ad\\u180e\\u3164\\ufe0f");
}

static void letters_stay(void **state)
{
    (void)state;
    expect("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \\x1b", VISIBLE_ONE_LINE,
           "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80 \\x1b");
}

static void lines_and_styles_stay_where_they_may(void **state)
{
    (void)state;
    expect("a\tb\r\nc\rd", VISIBLE_LINES, "a\tb\r\nc\\rd");
    expect("a\tb\r\nc", VISIBLE_ONE_LINE, "a b  c");
    expect("\x1b[1;31mred\x1b[0m\x1b[5m", VISIBLE_STYLES, "\x1b[1;31mred\x1b[0m\\x1b[5m");
    expect("\x1b[1;31mred", VISIBLE_LINES, "\\x1b[1;31mred");
}

/* GitHub Actions and Azure Pipelines obey what stands in a log. */
static void no_text_is_a_log_command(void **state)
{
    (void)state;
    expect("##vso[x] a##b ##[error]", VISIBLE_ONE_LINE, "\\x23#vso[x] a##b \\x23#[error]");
    expect("##[x", VISIBLE_LINES | VISIBLE_STYLES, "\\x23#[x");
    expect("::error::x ::y", VISIBLE_ONE_LINE, "\\x3a:error::x ::y");
    expect("\n\t ::error::x", VISIBLE_ONE_LINE, "   \\x3a:error::x");
    expect("std::x\n\t ::error::x\n:", VISIBLE_LINES, "std::x\n\t \\x3a:error::x\n:");
    expect("::error::x", VISIBLE_LINES | VISIBLE_STYLES, "::error::x");
}

static void sentences_are_visible(void **state)
{
    (void)state;
    struct error error;
    error_set(&error, STATUS_IO, "cannot open '%s'", "a\x1b[2J\nb\xe2\x80\xae");
    assert_string_equal(error.text, "cannot open 'a\\x1b[2J b\\u202e'");
    /* What grows while it is made visible is cut after a whole character. */
    char word[ERROR_TEXT_SIZE];
    memset(word, '\a', sizeof word - 1);
    word[sizeof word - 1] = 0;
    error_set(&error, STATUS_IO, "%s", word);
    assert_true(strlen(error.text) < ERROR_TEXT_SIZE);
    assert_string_equal(error.text + strlen(error.text) - 7, "\\x07...");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(controls_are_shown),
        cmocka_unit_test(what_is_turned_round_or_not_seen_is_shown),
        cmocka_unit_test(letters_stay),
        cmocka_unit_test(lines_and_styles_stay_where_they_may),
        cmocka_unit_test(no_text_is_a_log_command),
        cmocka_unit_test(sentences_are_visible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
