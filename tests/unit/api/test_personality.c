/* Lists of traits: which there are, and what is not a list of them. */
#include "trace/api/personality.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void traits_combine(void **state)
{
    (void)state;
    struct personality is;
    assert_int_equal(personality_parse("big-endian,sub-group=8,max-alloc=4096", &is, NULL),
                     STATUS_OK);
    assert_true(is.big_endian);
    assert_int_equal(is.sub_group_size, 8);
    assert_int_equal(is.allocation, 4096);
    assert_false(is.minimum);
    assert_int_equal(personality_parse("ftz,separate-memory", &is, NULL), STATUS_OK);
    assert_true(is.separate);
    assert_int_equal(personality_parse("", &is, NULL), STATUS_OK);
    assert_false(is.big_endian);
}

static void what_a_trait_implies_is_set(void **state)
{
    (void)state;
    struct personality is;
    assert_int_equal(personality_parse("no-compiler", &is, NULL), STATUS_OK);
    assert_true(is.embedded);
    assert_false(is.no_linker);
    assert_int_equal(personality_parse("custom", &is, NULL), STATUS_OK);
    assert_true(is.embedded && is.no_linker && is.no_compiler);
}

static void other_words_are_refused_by_name(void **state)
{
    (void)state;
    static const char *const wrong[] = {"big",
                                        "big-endian=1",
                                        "sub-group",
                                        "sub-group=",
                                        "sub-group=65",
                                        "sub-group=0",
                                        "sub-group=6",
                                        "ftz,,minimum",
                                        "max-work-group=65537",
                                        "local-memory=0",
                                        "max-alloc=1x",
                                        "max-alloc=68719476737",
                                        "32-bit,max-alloc=1073741825",
                                        "custom,minimum"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct personality is = {.ftz = 1};
        struct error error;
        assert_int_equal(personality_parse(wrong[i], &is, &error), STATUS_INVALID);
        assert_non_null(strstr(error.text, "personality '"));
        assert_true(is.ftz);
    }
}

static void a_list_is_printed_as_it_is_read(void **state)
{
    (void)state;
    struct text text = TEXT_INIT;
    struct personality is;
    personality_print(&(struct personality){0}, &text);
    assert_string_equal(text.bytes, "");
    assert_int_equal(personality_parse("ftz,local-memory=524288,max-work-group=4096", &is, NULL),
                     STATUS_OK);
    is.allocation = UINT64_MAX;
    personality_print(&is, &text);
    assert_string_equal(text.bytes,
                        "ftz,max-work-group=4096,local-memory=524288,max-alloc=68719476736");
    text_release(&text);
}

static void each_of_all_is_one(void **state)
{
    (void)state;
    for (size_t i = 0; personality_get(i) != NULL; i++) {
        struct personality is;
        assert_int_equal(personality_parse(personality_get(i), &is, NULL), STATUS_OK);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traits_combine),
        cmocka_unit_test(what_a_trait_implies_is_set),
        cmocka_unit_test(other_words_are_refused_by_name),
        cmocka_unit_test(a_list_is_printed_as_it_is_read),
        cmocka_unit_test(each_of_all_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
