#include "trace/base/json.h"
#include "trace/debug/json_object.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct cJSON *parse(const char *text)
{
    struct cJSON *object = NULL;
    struct error error = {.text = ""};
    assert_int_equal(json_object_parse(text, strlen(text), &object, &error), STATUS_OK);
    return object;
}

static void assert_refused(const char *bytes, size_t size, const char *sentence)
{
    struct cJSON *object = NULL;
    struct error error = {.text = ""};
    assert_int_equal(json_object_parse(bytes, size, &object, &error), STATUS_MALFORMED);
    assert_string_equal(error.text, sentence);
    assert_null(object);
}

static void reads_what_is_there(void **state)
{
    (void)state;
    struct cJSON *object = parse(" {\"a\":\"x\",\"n\":7,\"m\":-7,\"t\":true,\"f\":false} \r\n");
    uint64_t number = 0;
    int64_t integer = 0;
    assert_string_equal(json_object_text(object, "a"), "x");
    assert_true(json_object_number(object, "n", &number));
    assert_int_equal(number, 7);
    assert_true(json_object_integer(object, "m", &integer));
    assert_int_equal(integer, -7);
    assert_true(json_object_flag(object, "t"));
    assert_false(json_object_flag(object, "f"));
    json_object_release(object);
}

static void what_is_of_another_type_is_absent(void **state)
{
    (void)state;
    struct cJSON *object =
        parse("{\"a\":1,\"n\":\"7x\",\"half\":0.5,\"far\":1e300,\"minus\":-1,\"t\":1,\"o\":null}");
    uint64_t number = 99;
    int64_t integer = 99;
    assert_null(json_object_text(object, "a"));
    assert_null(json_object_text(object, "A"));
    assert_null(json_object_text(NULL, "a"));
    assert_false(json_object_number(object, "n", &number));
    assert_false(json_object_number(object, "half", &number));
    assert_false(json_object_number(object, "far", &number));
    assert_false(json_object_number(object, "minus", &number));
    assert_false(json_object_integer(object, "half", &integer));
    assert_false(json_object_flag(object, "t"));
    assert_null(json_object_item(json_object_item(object, "o"), "p"));
    assert_null(json_array_first(json_object_item(object, "o")));
    assert_int_equal(number, 99);
    assert_int_equal(integer, 99);
    json_object_release(object);
}

/* What json_number writes as digits, since not every reader keeps it. */
static void large_numbers_stay_exact(void **state)
{
    (void)state;
    const uint64_t large = UINT64_C(123456789012345678);
    struct text text = TEXT_INIT;
    text_append_char(&text, '{');
    json_number(&text, "n", large);
    text_append_char(&text, '}');
    struct cJSON *object = parse(text.bytes);
    uint64_t number = 0;
    assert_true(json_object_number(object, "n", &number));
    assert_int_equal(number, large);
    json_object_release(object);
    text_release(&text);
}

static void arrays_and_members_are_walked(void **state)
{
    (void)state;
    struct cJSON *object = parse("{\"list\":[3,\"five\"],\"members\":{\"k\":8}}");
    const struct cJSON *item = json_array_first(json_object_item(object, "list"));
    uint64_t number = 0;
    assert_true(json_item_number(item, &number));
    assert_int_equal(number, 3);
    item = json_array_next(item);
    assert_string_equal(json_item_text(item), "five");
    assert_null(json_array_next(item));
    item = json_array_first(json_object_item(object, "members"));
    assert_string_equal(json_item_key(item), "k");
    assert_true(json_item_number(item, &number));
    assert_int_equal(number, 8);
    json_object_release(object);
}

static void refuses_with_a_sentence(void **state)
{
    (void)state;
    assert_refused("", 0, "a message is no JSON from its byte 0 on");
    assert_refused("{\"a\":}", 6, "a message is no JSON from its byte 5 on");
    assert_refused("[1]", 3, "a message is not one JSON object");
    assert_refused("{} {}", 5, "a message is not one JSON object");
    assert_refused("{}\0{}", 5, "a message has a byte of value 0");
}

static void nesting_is_bounded(void **state)
{
    (void)state;
    struct text text = TEXT_INIT;
    struct cJSON *object = NULL;
    for (int i = 0; i < 100000; ++i)
        text_append(&text, "{\"a\":");
    assert_int_equal(json_object_parse(text.bytes, text.size, &object, NULL), STATUS_MALFORMED);
    text_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_what_is_there),
        cmocka_unit_test(what_is_of_another_type_is_absent),
        cmocka_unit_test(large_numbers_stay_exact),
        cmocka_unit_test(arrays_and_members_are_walked),
        cmocka_unit_test(refuses_with_a_sentence),
        cmocka_unit_test(nesting_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
