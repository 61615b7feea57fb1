/* Texels of every format of OpenCL against plain formulas: channel by channel, with the format
 * taken apart by string and not by table. */
#include "reference/vm/image.h"

#include "trace/base/half.h"

#include <math.h>
#include <setjmp.h>
#include <spirv/unified1/spirv.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

struct format {
    uint32_t order;
    const char *memory; /* the components of a texel in the order of memory; x: ignored */
    const char *color;  /* what r, g, b and a read */
};

static const struct format formats[] = {
    {SpvImageChannelOrderR, "r", "r001"},         {SpvImageChannelOrderA, "a", "000a"},
    {SpvImageChannelOrderRG, "rg", "rg01"},       {SpvImageChannelOrderRA, "ra", "r00a"},
    {SpvImageChannelOrderRGBA, "rgba", "rgba"},   {SpvImageChannelOrderBGRA, "bgra", "rgba"},
    {SpvImageChannelOrderARGB, "argb", "rgba"},   {SpvImageChannelOrderABGR, "abgr", "rgba"},
    {SpvImageChannelOrderIntensity, "r", "rrrr"}, {SpvImageChannelOrderLuminance, "r", "rrr1"},
    {SpvImageChannelOrderRx, "rx", "r001"},       {SpvImageChannelOrderRGx, "rgx", "rg01"},
    {SpvImageChannelOrderDepth, "r", "r001"},
};
enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

static struct vm_image image_make(uint32_t order, uint32_t channel)
{
    return (struct vm_image){.type = VM_IMAGE_1D,
                             .order = order,
                             .channel = channel,
                             .texel_size = vm_image_texel_size(order, channel),
                             .width = 1,
                             .height = 1,
                             .depth = 1,
                             .layers = 1};
}

/* Checks every order that the channel type goes with: component k of the texel has the bytes
 * raw[k], and reads as value[k]. */
static uint32_t check_orders(uint32_t channel, uint32_t width, const uint32_t raw[4],
                             const uint32_t value[4], bool packs)
{
    uint32_t count = 0;
    for (unsigned f = 0; f < FORMAT_COUNT; f++) {
        const struct vm_image image = image_make(formats[f].order, channel);
        if (image.texel_size == 0)
            continue;
        count++;
        assert_int_equal(image.texel_size, width * strlen(formats[f].memory));
        uint8_t texel[16], packed[16];
        for (uint32_t k = 0; formats[f].memory[k] != '\0'; k++) {
            const uint32_t bits = formats[f].memory[k] == 'x' ? 0 : raw[k];
            memcpy(texel + k * width, &bits, width);
        }
        uint32_t color[4];
        vm_image_unpack(&image, texel, color);
        const float one = 1.0f;
        uint32_t one_bits = 1;
        if (vm_image_class(channel) == VM_IMAGE_FLOAT)
            memcpy(&one_bits, &one, sizeof one);
        for (int c = 0; c < 4; c++) {
            const char *at = strchr(formats[f].memory, formats[f].color[c]);
            const uint32_t expected = formats[f].color[c] == '0'   ? 0
                                      : formats[f].color[c] == '1' ? one_bits
                                                                   : value[at - formats[f].memory];
            assert_int_equal(color[c], expected);
        }
        if (!packs)
            continue;
        vm_image_pack(&image, color, packed);
        assert_memory_equal(packed, texel, image.texel_size);
    }
    return count;
}

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static void every_normalised_integer_reads_as_its_fraction_and_is_written_back(void **state)
{
    (void)state;
    for (uint32_t base = 0; base < 65536; base += 97) {
        uint32_t raw[4], value[4];
        for (uint32_t k = 0; k < 4; k++) {
            raw[k] = (base + k * 61) & 0xff;
            value[k] = float_bits((float)(raw[k] / 255.0));
        }
        assert_true(check_orders(SpvImageChannelDataTypeUnormInt8, 1, raw, value, true) == 12);
        for (uint32_t k = 0; k < 4; k++)
            value[k] = float_bits((float)fmax(-1.0, (int8_t)raw[k] / 127.0));
        check_orders(
            SpvImageChannelDataTypeSnormInt8, 1, raw, value,
            memchr((uint8_t[]){(uint8_t)raw[0], (uint8_t)raw[1], (uint8_t)raw[2], (uint8_t)raw[3]},
                   0x80, 4) == NULL);
        for (uint32_t k = 0; k < 4; k++) {
            raw[k] = (base + k * 15013) & 0xffff;
            value[k] = float_bits((float)(raw[k] / 65535.0));
        }
        assert_true(check_orders(SpvImageChannelDataTypeUnormInt16, 2, raw, value, true) == 10);
        for (uint32_t k = 0; k < 4; k++) {
            raw[k] += raw[k] == 0x8000;
            value[k] = float_bits((float)fmax(-1.0, (int16_t)raw[k] / 32767.0));
        }
        check_orders(SpvImageChannelDataTypeSnormInt16, 2, raw, value, true);
    }
}

static void integers_keep_their_value(void **state)
{
    (void)state;
    static const uint32_t raw[4] = {0x7fu, 0x80u, 0x01u, 0xffu};
    static const uint32_t value[4] = {127, (uint32_t)-128, 1, (uint32_t)-1};
    assert_true(check_orders(SpvImageChannelDataTypeUnsignedInt8, 1, raw, raw, true) == 10);
    assert_true(check_orders(SpvImageChannelDataTypeSignedInt8, 1, raw, value, true) == 10);
    static const uint32_t raw_16[4] = {0x7fff, 0x8000, 1, 0xffff};
    static const uint32_t value_16[4] = {32767, (uint32_t)-32768, 1, (uint32_t)-1};
    assert_true(check_orders(SpvImageChannelDataTypeUnsignedInt16, 2, raw_16, raw_16, true) == 7);
    assert_true(check_orders(SpvImageChannelDataTypeSignedInt16, 2, raw_16, value_16, true) == 7);
    static const uint32_t raw_32[4] = {0x7fffffff, 0x80000000, 1, 0xffffffff};
    check_orders(SpvImageChannelDataTypeUnsignedInt32, 4, raw_32, raw_32, true);
    check_orders(SpvImageChannelDataTypeSignedInt32, 4, raw_32, raw_32, true);
}

static void floats_keep_their_bits_and_halves_widen(void **state)
{
    (void)state;
    static const uint32_t raw[4] = {0x7fc12345, 0x80000001, 0xff800000, 0x3f800000};
    assert_true(check_orders(SpvImageChannelDataTypeFloat, 4, raw, raw, true) == 10);
    static const uint32_t halves[4] = {0x3c00, 0x8001, 0x7bff, 0xfc00};
    uint32_t value[4];
    for (int k = 0; k < 4; k++)
        value[k] = float_bits(half_to_float((uint16_t)halves[k]));
    assert_true(check_orders(SpvImageChannelDataTypeHalfFloat, 2, halves, value, true) == 9);
}

static void pack(uint32_t order, uint32_t channel, const void *color, void *texel)
{
    const struct vm_image image = image_make(order, channel);
    assert_int_not_equal(image.texel_size, 0);
    vm_image_pack(&image, color, texel);
}

static void written_values_saturate_and_round_to_even(void **state)
{
    (void)state;
    uint8_t texel[16];
    pack(SpvImageChannelOrderRGBA, SpvImageChannelDataTypeUnormInt8,
         (const float[]){-1.0f, 2.0f, NAN, 0.5f}, texel);
    assert_memory_equal(texel, ((const uint8_t[]){0, 255, 0, 128}), 4);
    pack(SpvImageChannelOrderRGBA, SpvImageChannelDataTypeSnormInt8,
         (const float[]){-3.0f, 2.0f, -1.0f, 0.5f / 127.0f}, texel);
    assert_memory_equal(texel, ((const uint8_t[]){0x80, 127, 0x81, 0}), 4);
    pack(SpvImageChannelOrderRGBA, SpvImageChannelDataTypeUnormInt8,
         (const float[]){INFINITY, -INFINITY, 1e-30f, 1.0f}, texel);
    assert_memory_equal(texel, ((const uint8_t[]){255, 0, 0, 255}), 4);
    pack(SpvImageChannelOrderRGBA, SpvImageChannelDataTypeSignedInt8,
         (const int32_t[]){-129, 128, -128, 127}, texel);
    assert_memory_equal(texel, ((const uint8_t[]){0x80, 0x7f, 0x80, 0x7f}), 4);
    pack(SpvImageChannelOrderRGBA, SpvImageChannelDataTypeUnsignedInt8,
         (const uint32_t[]){0xffffffff, 256, 255, 0}, texel);
    assert_memory_equal(texel, ((const uint8_t[]){255, 255, 255, 0}), 4);
    pack(SpvImageChannelOrderR, SpvImageChannelDataTypeHalfFloat,
         (const float[]){1.0f + 0x1p-11f, 0, 0, 0}, texel);
    assert_memory_equal(texel, ((const uint8_t[]){0x00, 0x3c}), 2);
}

/* OpenCL C 3.0, 8.3.1.2 and 8.3.1.4: convert_ushort_sat_rte(f * 65535.0f) and its like. */
static void every_tie_rounds_as_the_formulas_say(void **state)
{
    (void)state;
    for (int i = -70000; i < 70000; i++) {
        const float unorm = ((float)i + 0.5f) / 65535.0f;
        const float snorm = ((float)i / 2 + 0.5f) / 32767.0f;
        const float color[4] = {unorm, snorm, 0, 0};
        uint16_t texel[2];
        pack(SpvImageChannelOrderRG, SpvImageChannelDataTypeUnormInt16, color, texel);
        assert_int_equal(texel[0], (uint16_t)fmax(0, fmin(65535, rintf(unorm * 65535.0f))));
        pack(SpvImageChannelOrderRG, SpvImageChannelDataTypeSnormInt16, color, texel);
        assert_int_equal((int16_t)texel[1],
                         (int)fmax(-32768, fmin(32767, rintf(snorm * 32767.0f))));
    }
}

static void many_texels_are_packed_as_one_is(void **state)
{
    (void)state;
    uint32_t colors[4][VM_LANES];
    uint32_t bits = 1;
    for (int c = 0; c < 4; c++) {
        for (int i = 0; i < VM_LANES; i++)
            colors[c][i] = i % 2 ? (bits = bits * 1664525 + 1013904223) : float_bits((float)i / 60);
    }
    for (uint32_t order = 0; order < 20; order++) {
        for (uint32_t channel = 0; channel < 17; channel++) {
            const struct vm_image image = image_make(order, channel);
            uint8_t texels[VM_LANES * 16];
            if (image.texel_size == 0)
                continue;
            vm_image_pack_lanes(&image, (const uint32_t(*)[VM_LANES])colors, VM_LANES, texels);
            for (uint32_t i = 0; i < VM_LANES; i++) {
                const uint32_t color[4] = {colors[0][i], colors[1][i], colors[2][i], colors[3][i]};
                uint8_t texel[16];
                vm_image_pack(&image, color, texel);
                assert_memory_equal(texel, texels + i * image.texel_size, image.texel_size);
            }
        }
    }
}

static void packed_formats_have_red_in_the_high_bits(void **state)
{
    (void)state;
    uint16_t short_texel;
    uint32_t texel;
    const float color[4] = {1.0f, 0.0f, 1.0f, 1.0f};
    pack(SpvImageChannelOrderRGB, SpvImageChannelDataTypeUnormShort565, color, &short_texel);
    assert_int_equal(short_texel, 0xf81f);
    pack(SpvImageChannelOrderRGBx, SpvImageChannelDataTypeUnormShort555, color, &short_texel);
    assert_int_equal(short_texel, 0x7c1f);
    pack(SpvImageChannelOrderRGB, SpvImageChannelDataTypeUnormInt101010, color, &texel);
    assert_int_equal(texel, 0x3ff003ff);
    pack(SpvImageChannelOrderRGBA, SpvImageChannelDataTypeUnormInt101010_2, color, &texel);
    assert_int_equal(texel, 0xffc00fff);
    const struct vm_image image =
        image_make(SpvImageChannelOrderRGBA, SpvImageChannelDataTypeUnormInt101010_2);
    for (uint32_t i = 0; i < 1024; i++) {
        texel = i << 22 | (1023 - i) << 12 | (i ^ 341) << 2 | (i & 3);
        float read[4];
        uint32_t back;
        vm_image_unpack(&image, &texel, read);
        assert_true(read[0] == (float)(i / 1023.0) && read[1] == (float)((1023 - i) / 1023.0));
        assert_true(read[2] == (float)((i ^ 341) / 1023.0) && read[3] == (float)((i & 3) / 3.0));
        vm_image_pack(&image, read, &back);
        assert_int_equal(back, texel);
    }
}

static void srgb_is_linear_to_kernels_but_for_alpha(void **state)
{
    (void)state;
    const struct vm_image image =
        image_make(SpvImageChannelOrdersBGRA, SpvImageChannelDataTypeUnormInt8);
    for (int i = 0; i < 256; i++) {
        const uint8_t texel[4] = {0, (uint8_t)i, 255, (uint8_t)i};
        float color[4];
        uint8_t back[4];
        vm_image_unpack(&image, texel, color);
        const double c = i / 255.0;
        const double linear = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
        assert_true(color[0] == 1.0f && color[2] == 0.0f && color[3] == (float)c);
        assert_true(fabs(color[1] - linear) < 1e-7);
        vm_image_pack(&image, color, back);
        assert_memory_equal(back, texel, 4);
    }
    assert_int_equal(
        vm_image_texel_size(SpvImageChannelOrdersRGBx, SpvImageChannelDataTypeUnormInt8), 4);
}

/* What OpenCL C 3.0, 8.3.5 calls the scaled reference result. */
static double srgb_scaled(float linear)
{
    const double c = linear;
    return 255.0 * (c < 0.0031308 ? 12.92 * c : 1.055 * pow(c, 1.0 / 2.4) - 0.055);
}

static uint8_t srgb_written(float linear)
{
    const struct vm_image image =
        image_make(SpvImageChannelOrdersRGBA, SpvImageChannelDataTypeUnormInt8);
    const float color[4] = {linear, 0.0f, 0.0f, 0.0f};
    uint8_t texel[4];
    vm_image_pack(&image, color, texel);
    return texel[0];
}

/* The precision that OpenCL C asks for is 0.6. */
static void writes_to_srgb_are_rounded_to_the_nearest(void **state)
{
    (void)state;
    for (int code = 0; code < 255; code++) {
        const double c = (code + 0.5) / 255.0;
        const double between = c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
        float linear = (float)between;
        for (int i = 0; i < 64; i++)
            linear = nextafterf(linear, 0.0f);
        for (int i = 0; i < 128; i++) {
            assert_int_equal(srgb_written(linear), (int)floor(srgb_scaled(linear) + 0.5));
            linear = nextafterf(linear, 1.0f);
        }
        assert_int_equal(srgb_written(linear), code + 1);
    }
}

static void srgb_holds_from_0_to_1(void **state)
{
    (void)state;
    assert_int_equal(srgb_written(NAN), 0);
    assert_int_equal(srgb_written(-INFINITY), 0);
    assert_int_equal(srgb_written(-0.0f), 0);
    assert_int_equal(srgb_written(1.0f), 255);
    assert_int_equal(srgb_written(1.5f), 255);
    assert_int_equal(srgb_written(INFINITY), 255);
}

static void pairs_that_opencl_does_not_have_have_no_size(void **state)
{
    (void)state;
    assert_int_equal(vm_image_texel_size(SpvImageChannelOrderRGB, SpvImageChannelDataTypeUnormInt8),
                     0);
    assert_int_equal(vm_image_texel_size(SpvImageChannelOrderBGRA, SpvImageChannelDataTypeFloat),
                     0);
    assert_int_equal(
        vm_image_texel_size(SpvImageChannelOrderIntensity, SpvImageChannelDataTypeSignedInt8), 0);
    assert_int_equal(
        vm_image_texel_size(SpvImageChannelOrderDepth, SpvImageChannelDataTypeUnormInt8), 0);
    assert_int_equal(
        vm_image_texel_size(SpvImageChannelOrderR, SpvImageChannelDataTypeUnormInt101010_2), 0);
    assert_int_equal(vm_image_texel_size(20, SpvImageChannelDataTypeFloat), 0);
    assert_int_equal(vm_image_texel_size(SpvImageChannelOrderR, 17), 0);
    assert_int_equal(
        vm_image_texel_size(SpvImageChannelOrderDepthStencil, SpvImageChannelDataTypeFloat), 0);
}

static void the_border_is_opaque_where_texels_have_no_alpha(void **state)
{
    (void)state;
    uint32_t color[4];
    struct vm_image image = image_make(SpvImageChannelOrderRG, SpvImageChannelDataTypeFloat);
    vm_image_border(&image, color);
    assert_true(color[0] == 0 && color[3] == float_bits(1.0f));
    image = image_make(SpvImageChannelOrderR, SpvImageChannelDataTypeSignedInt8);
    vm_image_border(&image, color);
    assert_int_equal(color[3], 1);
    image = image_make(SpvImageChannelOrderRGBA, SpvImageChannelDataTypeFloat);
    vm_image_border(&image, color);
    assert_int_equal(color[3], 0);
    image = image_make(SpvImageChannelOrderRx, SpvImageChannelDataTypeFloat);
    vm_image_border(&image, color);
    assert_int_equal(color[3], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_normalised_integer_reads_as_its_fraction_and_is_written_back),
        cmocka_unit_test(integers_keep_their_value),
        cmocka_unit_test(floats_keep_their_bits_and_halves_widen),
        cmocka_unit_test(written_values_saturate_and_round_to_even),
        cmocka_unit_test(every_tie_rounds_as_the_formulas_say),
        cmocka_unit_test(many_texels_are_packed_as_one_is),
        cmocka_unit_test(packed_formats_have_red_in_the_high_bits),
        cmocka_unit_test(srgb_is_linear_to_kernels_but_for_alpha),
        cmocka_unit_test(writes_to_srgb_are_rounded_to_the_nearest),
        cmocka_unit_test(srgb_holds_from_0_to_1),
        cmocka_unit_test(pairs_that_opencl_does_not_have_have_no_size),
        cmocka_unit_test(the_border_is_opaque_where_texels_have_no_alpha),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
