/* Lists of properties, with lists in them. */
#include "trace/api/property.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define LIST(...)                                                                                  \
    {                                                                                              \
        .kind = API_VALUE_PROPERTIES, .present = true,                                             \
        .count = sizeof((uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t),                             \
        .size = sizeof((uint64_t[]){__VA_ARGS__}), .data = (uint64_t[])                            \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

static void pairs_come_one_by_one(void **state)
{
    (void)state;
    const struct api_value list = LIST(CL_QUEUE_PROPERTIES, 3, CL_QUEUE_SIZE, 64, 0);
    struct api_property property;
    uint32_t at = 0;
    assert_true(api_property_next(&list, API_FAMILY_QUEUE_PROPERTIES, &at, &property));
    assert_int_equal(property.name, CL_QUEUE_PROPERTIES);
    assert_int_equal(property.count, 1);
    assert_int_equal(api_property_word(&property, 0), 3);
    assert_true(api_property_next(&list, API_FAMILY_QUEUE_PROPERTIES, &at, &property));
    assert_int_equal(api_property_word(&property, 0), 64);
    assert_false(api_property_next(&list, API_FAMILY_QUEUE_PROPERTIES, &at, &property));
}

static void a_list_is_one_value(void **state)
{
    (void)state;
    const struct api_value list = LIST(CL_MEM_DEVICE_HANDLE_LIST_KHR, 11, 12, 0,
                                       CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, 7, 0);
    struct api_property property;
    uint32_t at = 0;
    assert_true(api_property_next(&list, API_FAMILY_MEM_PROPERTIES, &at, &property));
    assert_int_equal(property.count, 2);
    assert_int_equal(api_property_word(&property, 1), 12);
    assert_true(api_property_find(&list, API_FAMILY_MEM_PROPERTIES,
                                  CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR, &property));
    assert_int_equal(api_property_word(&property, 0), 7);
    assert_false(api_property_find(&list, API_FAMILY_MEM_PROPERTIES, 12, &property));
}

/* As from a trace that somebody changed. */
static void what_does_not_end_is_not_read_beyond(void **state)
{
    (void)state;
    const struct api_value open_list = LIST(CL_MEM_DEVICE_HANDLE_LIST_KHR, 11, 12);
    const struct api_value half = LIST(CL_QUEUE_PROPERTIES);
    const struct api_value none = {.kind = API_VALUE_POINTER, .present = true};
    struct api_property property;
    uint32_t at = 0;
    assert_true(api_property_next(&open_list, API_FAMILY_MEM_PROPERTIES, &at, &property));
    assert_int_equal(property.count, 2);
    assert_false(api_property_next(&open_list, API_FAMILY_MEM_PROPERTIES, &at, &property));
    at = 0;
    assert_false(api_property_next(&half, API_FAMILY_QUEUE_PROPERTIES, &at, &property));
    assert_false(api_property_next(&none, API_FAMILY_QUEUE_PROPERTIES, &at, &property));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_come_one_by_one),
        cmocka_unit_test(a_list_is_one_value),
        cmocka_unit_test(what_does_not_end_is_not_read_beyond),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
