#include "viewer-cli/picture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct picture make(cl_channel_order order, cl_channel_type channel, uint64_t width,
                           const void *bytes, uint64_t size, const unsigned char *undefined)
{
    const struct picture_texels texels = {.format = {order, channel},
                                          .width = width,
                                          .height = 1,
                                          .bytes = bytes,
                                          .undefined = undefined,
                                          .size = size};
    struct picture picture;
    struct error error;
    assert_int_equal(picture_make(&texels, &picture, &error), STATUS_OK);
    return picture;
}

static void test_channels_are_put_in_order(void **state)
{
    (void)state;
    const unsigned char bytes[] = {1, 2, 3, 4, 250, 251, 252, 253};
    const unsigned char expected[] = {3, 2, 1, 255, 252, 251, 250, 255};
    struct picture picture = make(CL_BGRA, CL_UNORM_INT8, 2, bytes, sizeof bytes, NULL);
    assert_memory_equal(picture.pixels, expected, sizeof expected);
    assert_false(picture.has_range || picture.has_undefined);
    picture_release(&picture);
}

/* What is undefined neither counts for the range. */
static void test_floats_are_scaled_to_their_range(void **state)
{
    (void)state;
    const float values[] = {3, 100, 5, 4};
    unsigned char undefined[sizeof values] = {0};
    const unsigned char expected[] = {0,   0,   0,   255, 0,   0,   0,   0,
                                      255, 255, 255, 255, 128, 128, 128, 255};
    undefined[6] = 1;
    struct picture picture = make(CL_R, CL_FLOAT, 4, values, sizeof values, undefined);
    assert_memory_equal(picture.pixels, expected, sizeof expected);
    assert_true(picture.has_range && picture.has_undefined);
    assert_true(picture.least == 3 && picture.greatest == 5);
    picture_release(&picture);
}

static void test_what_is_no_picture_is_refused(void **state)
{
    (void)state;
    const unsigned char bytes[4] = {0};
    struct picture_texels texels = {
        .format = {CL_RGB, CL_UNORM_SHORT_565}, .width = 2, .height = 1, .bytes = bytes, .size = 4};
    struct picture picture;
    struct error error;
    assert_int_equal(picture_make(&texels, &picture, &error), STATUS_UNSUPPORTED);
    assert_string_equal(error.text, "no picture is made of texels of CL_UNORM_SHORT_565");
    texels.format = (cl_image_format){CL_R, CL_FLOAT};
    assert_int_equal(picture_make(&texels, &picture, &error), STATUS_UNSUPPORTED);
    assert_string_equal(error.text, "these are not all texels of the image, row by row");
    picture_release(&picture);
}

/* As zlib and the PNG specification have it: made by another program. */
static void test_files(void **state)
{
    (void)state;
    const unsigned char bytes[] = {10, 20, 30, 255, 40, 50, 60, 255};
    const unsigned char undefined[sizeof bytes] = {0, 0, 0, 0, 1, 0, 0, 0};
    static const char ppm[] = "P6\n2 1\n255\n\x0a\x14\x1e\x28\x32\x3c";
    static const unsigned char png[] = {
        0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49,
        0x48, 0x44, 0x52, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x01, 0x08, 0x06,
        0x00, 0x00, 0x00, 0xf4, 0x22, 0x7f, 0x8a, 0x00, 0x00, 0x00, 0x14, 0x49, 0x44,
        0x41, 0x54, 0x78, 0x01, 0x01, 0x09, 0x00, 0xf6, 0xff, 0x00, 0x0a, 0x14, 0x1e,
        0xff, 0x00, 0x00, 0x00, 0x00, 0x06, 0x94, 0x01, 0x3c, 0x90, 0xba, 0x04, 0x5a,
        0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
    struct text text = TEXT_INIT;
    struct picture picture = make(CL_RGBA, CL_UNORM_INT8, 2, bytes, sizeof bytes, NULL);
    picture_print_ppm(&picture, &text);
    assert_int_equal(text.size, sizeof ppm - 1);
    assert_memory_equal(text.bytes, ppm, text.size);
    picture_release(&picture);
    text_clear(&text);
    picture = make(CL_RGBA, CL_UNORM_INT8, 2, bytes, sizeof bytes, undefined);
    picture_print_png(&picture, &text);
    assert_int_equal(text.size, sizeof png);
    assert_memory_equal(text.bytes, png, text.size);
    picture_release(&picture);
    text_release(&text);
}

/* More than one block of 65,535 bytes. */
static void test_a_large_file_has_its_size(void **state)
{
    (void)state;
    enum { WIDTH = 30000 };
    static unsigned char bytes[WIDTH * 4];
    struct text text = TEXT_INIT;
    struct picture picture = make(CL_RGBA, CL_UNORM_INT8, WIDTH, bytes, sizeof bytes, NULL);
    picture_print_png(&picture, &text);
    /* Signature, header, data with its two blocks, end. */
    assert_int_equal(text.size, 8 + 25 + 12 + 2 + 2 * 5 + 1 + 3 * WIDTH + 4 + 12);
    picture_release(&picture);
    text_release(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_channels_are_put_in_order),
        cmocka_unit_test(test_floats_are_scaled_to_their_range),
        cmocka_unit_test(test_what_is_no_picture_is_refused),
        cmocka_unit_test(test_files),
        cmocka_unit_test(test_a_large_file_has_its_size),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
