#include "viewer-cli/debug/examine.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void assert_prints(const char *format_text, const char *memory, const char *expected)
{
    struct examine_format format;
    struct cJSON *object = NULL;
    struct text text = TEXT_INIT;
    assert_true(examine_parse(&format_text, &format));
    assert_int_equal(json_object_parse(memory, strlen(memory), &object, NULL), STATUS_OK);
    examine_print(&format, object, &text);
    assert_string_equal(text.bytes, expected);
    json_object_release(object);
    text_release(&text);
}

static void takes_a_format(void **state)
{
    (void)state;
    const char *text = "/3dh in";
    struct examine_format format;
    assert_true(examine_parse(&text, &format));
    assert_string_equal(text, "in");
    assert_int_equal(format.count, 3);
    assert_int_equal(format.size, 2);
    assert_int_equal(format.letter, 'd');
    text = "in";
    assert_true(examine_parse(&text, &format));
    assert_int_equal(examine_size(&format), 4);
    static const char *const wrong[] = {"/q", "/0x", "/16385w", "/fb", "/9999999999999999999x"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; ++i) {
        text = wrong[i];
        assert_false(examine_parse(&text, &format));
        assert_ptr_equal(text, wrong[i]);
    }
}

static void prints_units(void **state)
{
    (void)state;
    static const char memory[] =
        "{\"address\":\"buffer#2\",\"bytes\":\"00008040ffffffff41000000000000000a000000\","
        "\"undefined\":\"0000000000000000000000000000000001000000\"}";
    assert_prints("/5xw", memory,
                  "buffer#2+0: 0x40800000 0xffffffff 0x00000041 0x00000000\n"
                  "buffer#2+16: undef\n");
    assert_prints("/fw", memory, "buffer#2+0: 4\n");
    assert_prints("/2dw", memory, "buffer#2+0: 1082130432 -1\n");
    assert_prints("/dg", memory, "buffer#2+0: -3212836864\n");
    assert_prints("/2uh", memory, "buffer#2+0: 0 16512\n");
    assert_prints("/9cb", memory,
                  "buffer#2+0: '\\x00' '\\x00' '\\x80' '@' '\\xff' '\\xff' '\\xff' '\\xff' 'A'\n");
}

static void what_is_not_there_is_said(void **state)
{
    (void)state;
    assert_prints("/3xw", "{\"address\":\"out\",\"bytes\":\"01000000\"}",
                  "out+0: 0x00000001 out of bounds\n");
    /* Digits that are none end the bytes. */
    assert_prints("/2xb", "{\"bytes\":\"01zz\"}", "+0: 0x01 out of bounds\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_a_format),
        cmocka_unit_test(prints_units),
        cmocka_unit_test(what_is_not_there_is_said),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
