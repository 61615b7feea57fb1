#include "trace/base/alloc.h"
#include "trace/base/text.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void starts_empty_and_valid(void **state)
{
    (void)state;
    struct text text = TEXT_INIT;
    assert_string_equal(text.bytes, "");
    assert_int_equal(text.size, 0);
    text_release(&text);
    assert_string_equal(text.bytes, "");
}

static void appends_in_order(void **state)
{
    (void)state;
    struct text text = TEXT_INIT;
    text_append(&text, "lane");
    text_append_char(&text, ' ');
    text_append_n(&text, "mask and more", 4);
    text_format(&text, " %d%s", 64, "");
    assert_string_equal(text.bytes, "lane mask 64");
    assert_int_equal(text.size, 12);
    text_release(&text);
}

static void grows_across_many_appends(void **state)
{
    (void)state;
    struct text text = TEXT_INIT;
    for (int i = 0; i < 10000; ++i)
        text_format(&text, "%04d", i);
    assert_int_equal(text.size, 40000);
    assert_memory_equal(text.bytes, "0000000100020003", 16);
    assert_string_equal(text.bytes + 39996, "9999");
    text_release(&text);
}

static void bytes_may_hold_nul(void **state)
{
    (void)state;
    struct text text = TEXT_INIT;
    text_append_n(&text, "a\0b", 3);
    assert_int_equal(text.size, 3);
    assert_memory_equal(text.bytes, "a\0b", 4);
    text_release(&text);
}

static void clearing_keeps_it_usable(void **state)
{
    (void)state;
    struct text text = TEXT_INIT;
    text_clear(&text);
    text_append(&text, "before");
    text_clear(&text);
    assert_string_equal(text.bytes, "");
    text_append(&text, "after");
    assert_string_equal(text.bytes, "after");
    text_release(&text);
}

static void detached_string_belongs_to_the_caller(void **state)
{
    (void)state;
    struct text text = TEXT_INIT;
    text_append(&text, "mine");
    char *mine = text_detach(&text);
    text_append(&text, "yours");
    assert_string_equal(mine, "mine");
    assert_string_equal(text.bytes, "yours");
    alloc_free(mine);
    text_release(&text);

    char *empty = text_detach(&text);
    assert_string_equal(empty, "");
    alloc_free(empty);
}

static void failure_is_remembered_until_cleared(void **state)
{
    (void)state;
    struct text text = TEXT_INIT;
    text_append(&text, "kept");
    alloc_fail_at(1);
    text_format(&text, "%200d", 1);
    alloc_fail_at(0);
    assert_true(text.failed);
    assert_string_equal(text.bytes, "kept");
    text_append(&text, " lost");
    assert_string_equal(text.bytes, "kept");
    assert_null(text_detach(&text));
    assert_false(text.failed);
    text_append(&text, "again");
    assert_string_equal(text.bytes, "again");
    text_release(&text);
}

static void expect_json(const char *bytes, size_t size, const char *expected)
{
    struct text text = TEXT_INIT;
    text_append_json_n(&text, bytes, size);
    assert_string_equal(text.bytes, expected);
    text_release(&text);
}

static void json_escapes_what_it_must(void **state)
{
    (void)state;
    expect_json("", 0, "\"\"");
    expect_json("a\"b\\c", 5, "\"a\\\"b\\\\c\"");
    expect_json("\n\t\r\x01\x1f\x7f", 6, "\"\\n\\t\\u000d\\u0001\\u001f\\u007f\"");
    expect_json("a\0b", 3, "\"a\\u0000b\"");
    struct text text = TEXT_INIT;
    text_append_json(&text, "__kernel void sum(__global int *a)");
    assert_string_equal(text.bytes, "\"__kernel void sum(__global int *a)\"");
    text_release(&text);
}

static void json_passes_utf8(void **state)
{
    (void)state;
    expect_json("\xc3\xa9", 2, "\"\xc3\xa9\"");
    expect_json("\xe2\x82\xac", 3, "\"\xe2\x82\xac\"");
    expect_json("\xf0\x9f\x98\x80", 4, "\"\xf0\x9f\x98\x80\"");
    expect_json("\xf4\x8f\xbf\xbf", 4, "\"\xf4\x8f\xbf\xbf\"");
}

static void json_escapes_what_is_not_seen(void **state)
{
    (void)state;
    expect_json("\xc2\x9b\xe2\x80\xae", 5, "\"\\u009b\\u202e\"");
    expect_json("\xf3\xa0\x81\x81", 4, "\"\\udb40\\udc41\"");
}

static void json_replaces_what_is_not_utf8(void **state)
{
    (void)state;
    expect_json("\xff", 1, "\"\\ufffd\"");
    expect_json("\xc3", 1, "\"\\ufffd\"");                                  /* cut short */
    expect_json("\xc0\x80", 2, "\"\\ufffd\\ufffd\"");                       /* overlong NUL */
    expect_json("\xe0\x80\xaf", 3, "\"\\ufffd\\ufffd\\ufffd\"");            /* overlong slash */
    expect_json("\xed\xa0\x80", 3, "\"\\ufffd\\ufffd\\ufffd\"");            /* a surrogate */
    expect_json("\xf4\x90\x80\x80", 4, "\"\\ufffd\\ufffd\\ufffd\\ufffd\""); /* above U+10FFFF */
    expect_json("\x80", 1, "\"\\ufffd\""); /* a lone continuation */
    expect_json("a\xe2\x82"
                "b",
                4, "\"a\\ufffd\\ufffdb\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_empty_and_valid),
        cmocka_unit_test(appends_in_order),
        cmocka_unit_test(grows_across_many_appends),
        cmocka_unit_test(bytes_may_hold_nul),
        cmocka_unit_test(clearing_keeps_it_usable),
        cmocka_unit_test(detached_string_belongs_to_the_caller),
        cmocka_unit_test(failure_is_remembered_until_cleared),
        cmocka_unit_test(json_escapes_what_it_must),
        cmocka_unit_test(json_passes_utf8),
        cmocka_unit_test(json_escapes_what_is_not_seen),
        cmocka_unit_test(json_replaces_what_is_not_utf8),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
