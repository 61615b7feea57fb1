#include "replay/compare.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static void equal_bytes_are_equal(void **state)
{
    (void)state;
    struct replay_bytes_difference difference;
    assert_false(replay_compare_bytes("abcd", "abcd", 4, 0, 4, &difference));
    assert_false(replay_compare_bytes("", "x", 0, 0, 1, &difference));
}

static void the_first_difference_is_aligned_to_its_element(void **state)
{
    (void)state;
    const unsigned char recorded[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    unsigned char replayed[12];
    memcpy(replayed, recorded, sizeof recorded);
    replayed[6] = 0xff;
    replayed[11] = 0xee;
    struct replay_bytes_difference difference;
    assert_true(replay_compare_bytes(recorded, replayed, 12, 0, 4, &difference));
    assert_int_equal(difference.offset, 4);
    assert_int_equal(difference.first_byte, 6);
    assert_int_equal(difference.byte_count, 2);
    assert_int_equal(difference.value_size, 4);
    assert_memory_equal(difference.recorded, recorded + 4, 4);
    assert_memory_equal(difference.replayed, replayed + 4, 4);
}

static void a_read_may_start_within_an_element(void **state)
{
    (void)state;
    const unsigned char recorded[8] = {0};
    unsigned char replayed[8] = {0, 0, 0, 1, 0, 0, 0, 0};
    struct replay_bytes_difference difference;
    /* The read starts at byte 2 of the object: bytes 2 to 5 are an element. */
    assert_true(replay_compare_bytes(recorded, replayed, 8, 2, 4, &difference));
    assert_int_equal(difference.offset, 2);
    replayed[3] = 0;
    replayed[0] = 1;
    assert_true(replay_compare_bytes(recorded, replayed, 8, 2, 4, &difference));
    assert_int_equal(difference.offset, 0);
}

static void the_last_element_may_be_cut(void **state)
{
    (void)state;
    const unsigned char recorded[6] = {0};
    const unsigned char replayed[6] = {0, 0, 0, 0, 0, 7};
    struct replay_bytes_difference difference;
    assert_true(replay_compare_bytes(recorded, replayed, 6, 0, 4, &difference));
    assert_int_equal(difference.offset, 4);
    assert_int_equal(difference.value_size, 2);
}

static void types_have_scalars(void **state)
{
    (void)state;
    assert_int_equal(replay_type_scalar_size("uint*"), 4);
    assert_int_equal(replay_type_scalar_size("float4*"), 4);
    assert_int_equal(replay_type_scalar_size("double16*"), 8);
    assert_int_equal(replay_type_scalar_size("uchar*"), 1);
    assert_int_equal(replay_type_scalar_size("unsigned short*"), 2);
    assert_int_equal(replay_type_scalar_size("struct node*"), 1);
    assert_int_equal(replay_type_scalar_size("internal_t*"), 1);
    assert_int_equal(replay_type_scalar_size("float"), 1);
    assert_int_equal(replay_type_scalar_size(""), 1);
}

static void expect_printed(const char *type, const void *bytes, uint32_t size, const char *expected)
{
    struct text text = TEXT_INIT;
    replay_print_value(type, bytes, size, &text);
    assert_string_equal(text.bytes, expected);
    text_release(&text);
}

static void values_print_as_their_type(void **state)
{
    (void)state;
    const int32_t minus = -7;
    const uint64_t big = UINT64_MAX;
    const int8_t small = -128;
    const float third = 1.0f / 3;
    const float tenth = 0.1f;
    const double tenth_double = 0.1;
    const float greatest = FLT_MAX;
    const float infinite = INFINITY;
    expect_printed("int*", &minus, 4, "-7");
    expect_printed("uint*", &minus, 4, "4294967289");
    expect_printed("ulong*", &big, 8, "18446744073709551615");
    expect_printed("long*", &big, 8, "-1");
    expect_printed("char*", &small, 1, "-128");
    expect_printed("uchar*", &small, 1, "128");
    expect_printed("float2*", &third, 4, "0.33333334");
    expect_printed("float*", &tenth, 4, "0.1");
    expect_printed("double*", &tenth_double, 8, "0.1");
    expect_printed("float*", &greatest, 4, "3.4028235e+38");
    expect_printed("float*", &infinite, 4, "inf");
}

static void unknown_and_cut_values_print_as_bytes(void **state)
{
    (void)state;
    const unsigned char bytes[4] = {0x01, 0x80, 0xff, 0x00};
    expect_printed("", bytes, 4, "01 80 ff 00");
    expect_printed("float*", bytes, 2, "01 80");
    expect_printed("", bytes, 0, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_bytes_are_equal),
        cmocka_unit_test(the_first_difference_is_aligned_to_its_element),
        cmocka_unit_test(a_read_may_start_within_an_element),
        cmocka_unit_test(the_last_element_may_be_cut),
        cmocka_unit_test(types_have_scalars),
        cmocka_unit_test(values_print_as_their_type),
        cmocka_unit_test(unknown_and_cut_values_print_as_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
