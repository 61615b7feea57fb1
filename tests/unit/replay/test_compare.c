#include "replay/compare.h"

#include <float.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct replay_tolerance exact = {0};

static void equal_bytes_are_equal(void **state)
{
    (void)state;
    struct replay_bytes_difference difference;
    assert_false(replay_compare_bytes("abcd", "abcd", 4, 0, "uint*", &exact, &difference));
    assert_false(replay_compare_bytes("", "x", 0, 0, "", &exact, &difference));
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
    assert_true(replay_compare_bytes(recorded, replayed, 12, 0, "uint*", &exact, &difference));
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
    assert_true(replay_compare_bytes(recorded, replayed, 8, 2, "uint*", &exact, &difference));
    assert_int_equal(difference.offset, 2);
    replayed[3] = 0;
    replayed[0] = 1;
    assert_true(replay_compare_bytes(recorded, replayed, 8, 2, "uint*", &exact, &difference));
    assert_int_equal(difference.offset, 0);
}

static void the_last_element_may_be_cut(void **state)
{
    (void)state;
    const unsigned char recorded[6] = {0};
    const unsigned char replayed[6] = {0, 0, 0, 0, 0, 7};
    struct replay_bytes_difference difference;
    assert_true(replay_compare_bytes(recorded, replayed, 6, 0, "uint*", &exact, &difference));
    assert_int_equal(difference.offset, 4);
    assert_int_equal(difference.value_size, 2);
}

/* 1 and its upper neighbour, 2, and a pair that is as far apart as can be. */
static void floats_are_near_by_places_and_by_ratio(void **state)
{
    (void)state;
    const float recorded[] = {1, 2, 100, -1e30f};
    const float replayed[] = {1 + FLT_EPSILON, 2, 101, -1e30f};
    const struct replay_tolerance ulps = {.allowed = true, .ulp = 1};
    const struct replay_tolerance ratio = {.allowed = true, .relative = 0.02};
    struct replay_bytes_difference difference;
    assert_true(replay_compare_bytes(recorded, replayed, sizeof recorded, 0, "float*", &exact,
                                     &difference));
    assert_false(difference.is_close);
    assert_int_equal(difference.offset, 0);
    assert_int_equal(difference.element_count, 2);
    assert_int_equal(difference.ulp, 1 << 17); /* 1/100 of 2^6, whose last place is 2^-17 */
    assert_true(difference.relative > 0.009 && difference.relative < 0.011);
    assert_true(
        replay_compare_bytes(recorded, replayed, sizeof recorded, 0, "float*", &ulps, &difference));
    assert_false(difference.is_close);
    assert_int_equal(difference.offset, 8);
    assert_true(replay_compare_bytes(recorded, replayed, sizeof recorded, 0, "float*", &ratio,
                                     &difference));
    assert_true(difference.is_close);
    assert_true(replay_compare_bytes(recorded, replayed, 4, 0, "float4*", &ulps, &difference));
    assert_true(difference.is_close);
}

static bool close_halves(uint16_t recorded, uint16_t replayed, uint64_t ulp)
{
    const struct replay_tolerance tolerance = {.allowed = true, .ulp = ulp};
    struct replay_bytes_difference difference;
    return !replay_compare_bytes(&recorded, &replayed, 2, 0, "half*", &tolerance, &difference) ||
           difference.is_close;
}

static void normalized_channels_are_near_by_steps(void **state)
{
    (void)state;
    const unsigned char recorded[4] = {10, 200, 0, 0x81};
    const unsigned char replayed[4] = {11, 198, 0, 0x7f};
    const struct replay_tolerance two = {.allowed = true, .ulp = 2};
    struct replay_bytes_difference difference;
    assert_true(replay_compare_bytes(recorded, replayed, 3, 0, "unorm8*", &two, &difference));
    assert_true(difference.is_close);
    assert_int_equal(difference.element_count, 2);
    assert_int_equal(difference.ulp, 2);
    assert_true(fabs(difference.relative - 0.1) < 1e-9);
    assert_true(replay_compare_bytes(recorded, replayed, 4, 0, "unorm8*", &exact, &difference));
    assert_false(difference.is_close);
    /* -127 and 127 */
    assert_true(
        replay_compare_bytes(recorded + 3, replayed + 3, 1, 0, "snorm8*", &two, &difference));
    assert_false(difference.is_close);
    assert_int_equal(difference.ulp, 254);
    assert_true(difference.relative == 2);
    const cl_ushort first[2] = {0, 0x8001}, second[2] = {1, 0x8000};
    assert_true(replay_compare_bytes(first, second, 4, 0, "unorm16*", &two, &difference));
    assert_true(difference.is_close);
    assert_true(isinf(difference.relative));
    assert_string_equal(replay_channel_type(CL_UNORM_INT8), "unorm8*");
    assert_string_equal(replay_channel_type(CL_SIGNED_INT32), "int*");
    assert_string_equal(replay_channel_type(CL_UNORM_SHORT_565), "");
}

static void what_is_no_ordinary_number_has_its_place(void **state)
{
    (void)state;
    assert_true(close_halves(0x0000, 0x8000, 0)); /* zeros */
    assert_true(close_halves(0x7e00, 0xfe01, 0)); /* NaNs */
    assert_false(close_halves(0x7e00, 0x3c00, 1 << 20));
    assert_true(close_halves(0x0001, 0x8001, 2)); /* around zero */
    assert_false(close_halves(0x0001, 0x8002, 2));
    assert_true(close_halves(0x7bff, 0x7c00, 1)); /* infinity is next to the largest */
}

/* What is cut off at an end cannot be near, only equal. */
static void cut_elements_count_as_bytes(void **state)
{
    (void)state;
    const struct replay_tolerance any = {.allowed = true, .ulp = UINT64_MAX};
    const unsigned char recorded[10] = {0};
    unsigned char replayed[10] = {0};
    struct replay_bytes_difference difference;
    replayed[5] = 1;
    assert_true(replay_compare_bytes(recorded, replayed, 10, 2, "float*", &any, &difference));
    assert_true(difference.is_close);
    replayed[1] = 1;
    assert_true(replay_compare_bytes(recorded, replayed, 10, 2, "float*", &any, &difference));
    assert_false(difference.is_close);
    assert_int_equal(difference.offset, 0);
    replayed[1] = 0;
    replayed[9] = 1;
    assert_true(replay_compare_bytes(recorded, replayed, 10, 3, "float*", &any, &difference));
    assert_false(difference.is_close);
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

static void expect_element(const char *type, uint64_t offset, const char *expected)
{
    struct text text = TEXT_INIT;
    replay_print_element(type, offset, &text);
    assert_string_equal(text.bytes, expected);
    text_release(&text);
}

static void components_of_vectors_are_told(void **state)
{
    (void)state;
    expect_element("float*", 20, "element 5");
    expect_element("float4*", 20, "component 1 of element 1");
    expect_element("half16*", 62, "component 15 of element 1");
    expect_element("float3*", 24, "component 2 of element 1");
    expect_element("float3*", 12, "the padding of element 0");
}

static void padding_of_vectors_of_three_is_no_value(void **state)
{
    (void)state;
    const cl_float recorded[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    cl_float replayed[8] = {1, 2, 3, NAN, 5, 6, 7, 9};
    struct replay_bytes_difference difference;
    assert_false(replay_compare_bytes(recorded, replayed, 32, 0, "float3*", &exact, &difference));
    assert_true(replay_compare_bytes(recorded, replayed, 32, 0, "float4*", &exact, &difference));
    assert_int_equal(difference.element_count, 2);
    /* The read starts at component 1: the padding comes third. */
    assert_false(
        replay_compare_bytes(recorded + 1, replayed + 1, 12, 4, "float3*", &exact, &difference));
    assert_true(
        replay_compare_bytes(recorded + 1, replayed + 1, 12, 8, "float3*", &exact, &difference));
    assert_true(replay_compare_bytes(recorded, replayed, 16, REPLAY_PHASE_UNKNOWN, "float3*",
                                     &exact, &difference));

    replayed[6] = 8;
    assert_true(replay_compare_bytes(recorded, replayed, 32, 0, "float3*", &exact, &difference));
    assert_int_equal(difference.offset, 24);
    assert_int_equal(difference.byte_count, 2);
    assert_int_equal(difference.element_count, 1);
    const struct replay_tolerance wide = {.allowed = true, .ulp = 1 << 22};
    assert_true(replay_compare_bytes(recorded, replayed, 32, 0, "float3*", &wide, &difference));
    assert_true(difference.is_close);

    const unsigned char bytes[2][8] = {{1, 2, 3, 4, 5, 6, 7, 8}, {1, 2, 3, 0, 5, 6, 0, 8}};
    assert_true(replay_compare_bytes(bytes[0], bytes[1], 8, 0, "uchar3*", &exact, &difference));
    assert_int_equal(difference.first_byte, 6);
    assert_int_equal(difference.byte_count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_bytes_are_equal),
        cmocka_unit_test(the_first_difference_is_aligned_to_its_element),
        cmocka_unit_test(a_read_may_start_within_an_element),
        cmocka_unit_test(the_last_element_may_be_cut),
        cmocka_unit_test(floats_are_near_by_places_and_by_ratio),
        cmocka_unit_test(normalized_channels_are_near_by_steps),
        cmocka_unit_test(what_is_no_ordinary_number_has_its_place),
        cmocka_unit_test(cut_elements_count_as_bytes),
        cmocka_unit_test(types_have_scalars),
        cmocka_unit_test(values_print_as_their_type),
        cmocka_unit_test(unknown_and_cut_values_print_as_bytes),
        cmocka_unit_test(components_of_vectors_are_told),
        cmocka_unit_test(padding_of_vectors_of_three_is_no_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
