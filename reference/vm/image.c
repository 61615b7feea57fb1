/* Texels to colors and back. A channel order says which component of a texel each of r, g, b, a is;
 * a channel type says how wide a component is and what its bits mean. Each row of `orders` and of
 * `channels` states one, a row of COMPONENTS how it is read and stored; the conversions loop over
 * the texels inside a switch over the type. */
#include "reference/vm/image.h"

#include "reference/vm/convert.h"
#include "reference/vm/math.h"
#include "trace/base/assert.h"
#include "trace/base/half.h"

#include <math.h>
#include <spirv/unified1/spirv.h>
#include <stddef.h>
#include <string.h>
#include <threads.h>

const char *vm_image_type_name(enum vm_image_type type)
{
    static const char *const names[] = {
        [VM_IMAGE_1D] = "1D image",
        [VM_IMAGE_1D_BUFFER] = "1D image buffer",
        [VM_IMAGE_1D_ARRAY] = "1D image array",
        [VM_IMAGE_2D] = "2D image",
        [VM_IMAGE_2D_ARRAY] = "2D image array",
        [VM_IMAGE_3D] = "3D image",
    };
    return names[type];
}

/* ---- formats ---- */

/* What a channel reads as that the texel does not hold. */
enum { ZERO = -1, ONE = -2 };

/* The channel types that go with an order: OpenCL API 3.0, 5.3.1.1. */
enum order_types {
    TYPES_NONE,
    TYPES_ANY,        /* all that are not packed */
    TYPES_NORMALISED, /* of 8 and 16 bits, half and float */
    TYPES_BYTE,
    TYPES_PACKED,
    TYPES_UNORM_8,
    TYPES_DEPTH,
};

struct image_order {
    enum order_types types;
    uint8_t components; /* of a texel in memory */
    int8_t from[4];     /* component of r, g, b, a */
    bool border_alpha;  /* the border is transparent: OpenCL C 3.0, 6.15.15.1.1 */
};

/* clang-format off */
static const struct image_order orders[] = {
    [SpvImageChannelOrderR]            = {TYPES_ANY,        1, {0, ZERO, ZERO, ONE}, false},
    [SpvImageChannelOrderA]            = {TYPES_ANY,        1, {ZERO, ZERO, ZERO, 0}, true},
    [SpvImageChannelOrderRG]           = {TYPES_ANY,        2, {0, 1, ZERO, ONE},    false},
    [SpvImageChannelOrderRA]           = {TYPES_ANY,        2, {0, ZERO, ZERO, 1},   true},
    [SpvImageChannelOrderRGB]          = {TYPES_PACKED,     3, {0, 1, 2, ONE},       false},
    [SpvImageChannelOrderRGBA]         = {TYPES_ANY,        4, {0, 1, 2, 3},         true},
    [SpvImageChannelOrderBGRA]         = {TYPES_BYTE,       4, {2, 1, 0, 3},         true},
    [SpvImageChannelOrderARGB]         = {TYPES_BYTE,       4, {1, 2, 3, 0},         true},
    [SpvImageChannelOrderIntensity]    = {TYPES_NORMALISED, 1, {0, 0, 0, 0},         true},
    [SpvImageChannelOrderLuminance]    = {TYPES_NORMALISED, 1, {0, 0, 0, ONE},       false},
    [SpvImageChannelOrderRx]           = {TYPES_ANY,        2, {0, ZERO, ZERO, ONE}, true},
    [SpvImageChannelOrderRGx]          = {TYPES_ANY,        3, {0, 1, ZERO, ONE},    true},
    [SpvImageChannelOrderRGBx]         = {TYPES_PACKED,     3, {0, 1, 2, ONE},       true},
    [SpvImageChannelOrderDepth]        = {TYPES_DEPTH,      1, {0, ZERO, ZERO, ONE}, false},
    [SpvImageChannelOrderDepthStencil] = {TYPES_NONE,       1, {0, ZERO, ZERO, ONE}, false},
    [SpvImageChannelOrdersRGB]         = {TYPES_UNORM_8,    3, {0, 1, 2, ONE},       false},
    [SpvImageChannelOrdersRGBx]        = {TYPES_UNORM_8,    4, {0, 1, 2, ONE},       true},
    [SpvImageChannelOrdersRGBA]        = {TYPES_UNORM_8,    4, {0, 1, 2, 3},         true},
    [SpvImageChannelOrdersBGRA]        = {TYPES_UNORM_8,    4, {2, 1, 0, 3},         true},
    [SpvImageChannelOrderABGR]         = {TYPES_BYTE,       4, {3, 2, 1, 0},         true},
};

struct image_channel {
    uint8_t width;  /* bytes of a component, or of the texel when packed */
    bool packed;
    enum vm_image_class class;
    uint8_t shift[4], bits[4]; /* packed: where r, g, b, a are */
};

static const struct image_channel channels[] = {
    [SpvImageChannelDataTypeSnormInt8]         = {1, false, VM_IMAGE_FLOAT, {0}, {0}},
    [SpvImageChannelDataTypeSnormInt16]        = {2, false, VM_IMAGE_FLOAT, {0}, {0}},
    [SpvImageChannelDataTypeUnormInt8]         = {1, false, VM_IMAGE_FLOAT, {0}, {0}},
    [SpvImageChannelDataTypeUnormInt16]        = {2, false, VM_IMAGE_FLOAT, {0}, {0}},
    [SpvImageChannelDataTypeUnormShort565]     = {2, true, VM_IMAGE_FLOAT, {11, 5, 0}, {5, 6, 5}},
    [SpvImageChannelDataTypeUnormShort555]     = {2, true, VM_IMAGE_FLOAT, {10, 5, 0}, {5, 5, 5}},
    [SpvImageChannelDataTypeUnormInt101010]    = {4, true, VM_IMAGE_FLOAT, {20, 10, 0}, {10, 10, 10}},
    [SpvImageChannelDataTypeSignedInt8]        = {1, false, VM_IMAGE_INT, {0}, {0}},
    [SpvImageChannelDataTypeSignedInt16]       = {2, false, VM_IMAGE_INT, {0}, {0}},
    [SpvImageChannelDataTypeSignedInt32]       = {4, false, VM_IMAGE_INT, {0}, {0}},
    [SpvImageChannelDataTypeUnsignedInt8]      = {1, false, VM_IMAGE_UINT, {0}, {0}},
    [SpvImageChannelDataTypeUnsignedInt16]     = {2, false, VM_IMAGE_UINT, {0}, {0}},
    [SpvImageChannelDataTypeUnsignedInt32]     = {4, false, VM_IMAGE_UINT, {0}, {0}},
    [SpvImageChannelDataTypeHalfFloat]         = {2, false, VM_IMAGE_FLOAT, {0}, {0}},
    [SpvImageChannelDataTypeFloat]             = {4, false, VM_IMAGE_FLOAT, {0}, {0}},
    [SpvImageChannelDataTypeUnormInt24]        = {0, false, VM_IMAGE_FLOAT, {0}, {0}},
    [SpvImageChannelDataTypeUnormInt101010_2]  = {4, true, VM_IMAGE_FLOAT, {22, 12, 2, 0}, {10, 10, 10, 2}},
};

/* COMPONENT(channel type, T, value, stored): a component of a texel, not a packed one, is a `raw` of type T, which
 * reads as `value`, 32 bits; and what is stored of 32 `bits`. Of 32-bit integers and floats these are the same. */
#define COMPONENTS                                                                                           \
    COMPONENT(SnormInt8, int8_t, float_bits(raw < -127 ? -1.0f : (float)raw / 127.0f),                      \
              normalise(bits_float(bits), 127.0f, -128.0f))                                                 \
    COMPONENT(SnormInt16, int16_t, float_bits(raw < -32767 ? -1.0f : (float)raw / 32767.0f),                \
              normalise(bits_float(bits), 32767.0f, -32768.0f))                                             \
    COMPONENT(UnormInt8, uint8_t, float_bits((float)raw / 255.0f), normalise(bits_float(bits), 255.0f, 0.0f)) \
    COMPONENT(UnormInt16, uint16_t, float_bits((float)raw / 65535.0f), normalise(bits_float(bits), 65535.0f, 0.0f)) \
    COMPONENT(SignedInt8, int8_t, (uint32_t)raw, saturate(bits, INT8_MIN, INT8_MAX))                        \
    COMPONENT(SignedInt16, int16_t, (uint32_t)raw, saturate(bits, INT16_MIN, INT16_MAX))                    \
    COMPONENT(UnsignedInt8, uint8_t, raw, saturate_unsigned(bits, UINT8_MAX))                               \
    COMPONENT(UnsignedInt16, uint16_t, raw, saturate_unsigned(bits, UINT16_MAX))                            \
    COMPONENT(HalfFloat, uint16_t, float_bits(half_to_float(raw)), half_from_float(bits_float(bits)))
/* clang-format on */
enum {
    ORDER_COUNT = sizeof orders / sizeof *orders,
    CHANNEL_COUNT = sizeof channels / sizeof *channels
};

static bool types_hold(enum order_types types, uint32_t order, uint32_t channel)
{
    const struct image_channel *row = &channels[channel];
    switch (types) {
    case TYPES_ANY:
        return !row->packed || (order == SpvImageChannelOrderRGBA && row->bits[3] != 0);
    case TYPES_NORMALISED:
        return !row->packed && row->class == VM_IMAGE_FLOAT;
    case TYPES_BYTE:
        return row->width == 1;
    case TYPES_PACKED:
        return row->packed && row->bits[3] == 0;
    case TYPES_UNORM_8:
        return channel == SpvImageChannelDataTypeUnormInt8;
    case TYPES_DEPTH:
        return channel == SpvImageChannelDataTypeUnormInt16 ||
               channel == SpvImageChannelDataTypeFloat;
    case TYPES_NONE:
        break;
    }
    return false;
}

static uint64_t halved(uint64_t size)
{
    return size > 1 ? size / 2 : 1;
}

static uint64_t level_size(const struct vm_image *image)
{
    return image->slice_pitch * image->depth * image->layers;
}

uint64_t vm_image_level(const struct vm_image *image, uint32_t level, struct vm_image *found)
{
    uint64_t offset = 0;
    *found = *image;
    for (uint32_t i = 0; i < level; i++) {
        offset += level_size(found);
        found->width = halved(found->width);
        found->height = halved(found->height);
        found->depth = halved(found->depth);
        found->row_pitch = found->width * found->texel_size;
        found->slice_pitch = found->row_pitch * found->height;
    }
    return offset;
}

uint64_t vm_image_size(const struct vm_image *image)
{
    struct vm_image last;
    const uint64_t before = vm_image_level(image, image->levels > 1 ? image->levels - 1 : 0, &last);
    return before + level_size(&last);
}

/* Negative ones and NaN are 0. */
static uint64_t lod_units(float lod)
{
    const float units = lod * VM_SAMPLER_LOD_UNIT;
    return units >= VM_SAMPLER_LOD_MAX ? VM_SAMPLER_LOD_MAX
           : units > 0                 ? (uint64_t)rintf(units)
                                       : 0;
}

uint64_t vm_sampler_levels(bool linear, float lod_min, float lod_max)
{
    return (linear ? UINT64_C(1) << 5 : 0) | lod_units(lod_min) << 32 |
           (VM_SAMPLER_LOD_MAX - lod_units(lod_max)) << 48;
}

uint32_t vm_image_texel_size(uint32_t order, uint32_t channel)
{
    if (order >= ORDER_COUNT || channel >= CHANNEL_COUNT || channels[channel].width == 0 ||
        !types_hold(orders[order].types, order, channel))
        return 0;
    return channels[channel].packed ? channels[channel].width
                                    : (uint32_t)channels[channel].width * orders[order].components;
}

enum vm_image_class vm_image_class(uint32_t channel)
{
    ASSERT(channel < CHANNEL_COUNT);
    return channels[channel].class;
}

static bool is_srgb(uint32_t order)
{
    return order >= SpvImageChannelOrdersRGB && order <= SpvImageChannelOrdersBGRA;
}

void vm_image_border(const struct vm_image *image, uint32_t color[4])
{
    const float one = 1.0f;
    color[0] = color[1] = color[2] = color[3] = 0;
    if (orders[image->order].border_alpha || image->order == SpvImageChannelOrderDepth)
        return;
    if (vm_image_class(image->channel) == VM_IMAGE_FLOAT)
        memcpy(&color[3], &one, sizeof one);
    else
        color[3] = 1;
}

static uint32_t float_bits(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float bits_float(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- sRGB: OpenCL C 3.0, 8.3.5 ---- */

/* What each value of a component is to kernels, and the least of what they write that becomes it:
 * to the nearest. */
static float srgb_linear[256], srgb_least[256];
static once_flag srgb_once = ONCE_FLAG_INIT;

static double srgb_decode(double c)
{
    return c <= 0.04045 ? c / 12.92 : math_pow_f64((c + 0.055) / 1.055, 2.4);
}

static double srgb_scaled(double c)
{
    return 255.0 * (c < 0.0031308 ? 12.92 * c : 1.055 * math_pow_f64(c, 1.0 / 2.4) - 0.055);
}

static void srgb_fill(void)
{
    for (int i = 0; i < 256; i++)
        srgb_linear[i] = (float)srgb_decode(i / 255.0);
    for (int i = 1; i < 256; i++) {
        const double between = i - 0.5;
        uint32_t least = float_bits((float)srgb_decode(between / 255.0));
        while (srgb_scaled(bits_float(least)) >= between)
            least--;
        while (srgb_scaled(bits_float(least)) < between)
            least++;
        srgb_least[i] = bits_float(least);
    }
}

/* What is below 0, and NaN, becomes 0. */
static uint8_t srgb_encode(float value)
{
    uint32_t code = 0;
    for (uint32_t step = 128; step > 0; step /= 2)
        code += value >= srgb_least[code + step] ? step : 0;
    return (uint8_t)code;
}

/* ---- reading ---- */

static void unpack_component(uint32_t channel, const uint8_t *texels, uint32_t stride,
                             uint32_t count, uint32_t *out)
{
    switch ((SpvImageChannelDataType)channel) {
/* clang-format off */
#define UNPACK(T, value)                                                                                    \
    for (uint32_t i = 0; i < count; i++) {                                                                  \
        T raw;                                                                                              \
        memcpy(&raw, texels + (size_t)i * stride, sizeof raw);                                              \
        out[i] = (value);                                                                                   \
    }                                                                                                       \
    break;
#define COMPONENT(type, T, value, stored) case SpvImageChannelDataType##type: UNPACK(T, value)
    COMPONENTS
    default: UNPACK(uint32_t, raw)
#undef COMPONENT
#undef UNPACK
        /* clang-format on */
    }
}

static void unpack_packed(const struct image_channel *row, const uint8_t *texels,
                          uint32_t component, uint32_t count, uint32_t *out)
{
    const uint32_t maximum = (1u << row->bits[component]) - 1;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t raw = 0;
        if (row->width == 2) {
            uint16_t half_word;
            memcpy(&half_word, texels + (size_t)i * 2, sizeof half_word);
            raw = half_word;
        } else {
            memcpy(&raw, texels + (size_t)i * 4, sizeof raw);
        }
        out[i] = float_bits((float)(raw >> row->shift[component] & maximum) / (float)maximum);
    }
}

static void unpack_srgb(const uint8_t *texels, uint32_t stride, uint32_t count, uint32_t *out)
{
    call_once(&srgb_once, srgb_fill);
    for (uint32_t i = 0; i < count; i++)
        out[i] = float_bits(srgb_linear[texels[(size_t)i * stride]]);
}

void vm_image_unpack_lanes(const struct vm_image *image, const uint8_t *texels, uint32_t count,
                           uint32_t (*colors)[VM_LANES])
{
    const struct image_order *order = &orders[image->order];
    const struct image_channel *channel = &channels[image->channel];
    const uint32_t one = channel->class == VM_IMAGE_FLOAT ? float_bits(1.0f) : 1;
    for (int c = 0; c < 4; c++) {
        const int from = order->from[c];
        uint32_t *out = colors[c];
        if (from < 0) {
            for (uint32_t i = 0; i < count; i++)
                out[i] = from == ONE ? one : 0;
        } else if (channel->packed) {
            unpack_packed(channel, texels, (uint32_t)from, count, out);
        } else if (is_srgb(image->order) && c < 3) {
            unpack_srgb(texels + from, image->texel_size, count, out);
        } else {
            unpack_component(image->channel, texels + (uint32_t)from * channel->width,
                             image->texel_size, count, out);
        }
    }
}

void vm_image_unpack(const struct vm_image *image, const void *texel, void *color)
{
    uint32_t colors[4][VM_LANES];
    vm_image_unpack_lanes(image, texel, 1, colors);
    for (int c = 0; c < 4; c++)
        memcpy((uint8_t *)color + c * 4, &colors[c][0], 4);
}

/* ---- writing ---- */

/* To the nearest integer, ties to even, of what is below 2^22: the sum has no place for a fraction.
 */
static float round_even(float value)
{
    const float shift = 0x1.8p23f;
    return value + shift - shift;
}

/* OpenCL C 3.0, 8.3.1.2: convert_uchar_sat_rte(f * 255.0f) and its like: NaN becomes 0. */
static int32_t normalise(float value, float scale, float lowest)
{
    const float scaled = value * scale;
    const float above = scaled > lowest ? scaled : lowest;
    const float within = above < scale ? above : scale;
    return scaled == scaled ? (int32_t)round_even(within) : 0;
}

static int32_t saturate(uint32_t bits, int32_t lowest, int32_t highest)
{
    const int32_t value = (int32_t)bits;
    return value < lowest ? lowest : value > highest ? highest : value;
}

static uint32_t saturate_unsigned(uint32_t bits, uint32_t highest)
{
    return bits < highest ? bits : highest;
}

static void pack_component(uint32_t channel, const uint32_t *in, uint32_t count, uint32_t stride,
                           uint8_t *texels)
{
    switch ((SpvImageChannelDataType)channel) {
/* clang-format off */
#define PACK(T, stored)                                                                                     \
    for (uint32_t i = 0; i < count; i++) {                                                                  \
        const uint32_t bits = in[i];                                                                        \
        const T raw = (T)(stored);                                                                          \
        memcpy(texels + (size_t)i * stride, &raw, sizeof raw);                                              \
    }                                                                                                       \
    break;
#define COMPONENT(type, T, value, stored) case SpvImageChannelDataType##type: PACK(T, stored)
    COMPONENTS
    default: PACK(uint32_t, bits)
#undef COMPONENT
#undef PACK
        /* clang-format on */
    }
}

static void pack_srgb(const uint32_t *in, uint32_t count, uint32_t stride, uint8_t *texels)
{
    call_once(&srgb_once, srgb_fill);
    for (uint32_t i = 0; i < count; i++)
        texels[(size_t)i * stride] = srgb_encode(bits_float(in[i]));
}

static void pack_packed(const struct image_channel *row, const uint32_t (*colors)[VM_LANES],
                        uint32_t count, uint8_t *texels)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t raw = 0;
        for (int c = 0; c < 4 && row->bits[c] != 0; c++) {
            const float maximum = (float)((1u << row->bits[c]) - 1);
            raw |= (uint32_t)normalise(bits_float(colors[c][i]), maximum, 0.0f) << row->shift[c];
        }
        memcpy(texels + (size_t)i * row->width, &raw,
               row->width); /* little-endian, as the device */
    }
}

uint32_t vm_image_undefined_channels(const struct vm_image *image, const void *texel,
                                     const uint8_t *undefined)
{
    uint8_t turned[VM_IMAGE_TEXEL_MAX];
    uint32_t given[4];
    uint32_t other[4];
    uint32_t found = 0;
    for (uint32_t i = 0; i < image->texel_size; i++)
        turned[i] = ((const uint8_t *)texel)[i] ^ undefined[i];
    vm_image_unpack(image, texel, given);
    vm_image_unpack(image, turned, other);
    for (uint32_t c = 0; c < 4; c++)
        found |= (given[c] != other[c] ? 1U : 0U) << c;
    return found;
}

uint32_t vm_image_channels(const struct vm_image *image)
{
    const struct image_order *order = &orders[image->order];
    const struct image_channel *channel = &channels[image->channel];
    uint32_t kept = 0;
    uint32_t used = 0; /* components of the texel: intensity and luminance keep r */
    for (int c = 0; c < 4; c++) {
        if (channel->packed ? channel->bits[c] == 0
                            : order->from[c] < 0 || used >> order->from[c] & 1)
            continue;
        kept |= 1U << c;
        used |= channel->packed ? 0 : 1U << order->from[c];
    }
    return kept;
}

void vm_image_pack_lanes(const struct vm_image *image, const uint32_t (*colors)[VM_LANES],
                         uint32_t count, uint8_t *texels)
{
    const struct image_order *order = &orders[image->order];
    const struct image_channel *channel = &channels[image->channel];
    if (channel->packed) {
        pack_packed(channel, colors, count, texels);
        return;
    }
    memset(texels, 0, (size_t)image->texel_size * count); /* components that are not used */
    /* From a to r, so that intensity and luminance keep r. */
    for (int c = 3; c >= 0; c--) {
        if (order->from[c] < 0)
            continue;
        uint8_t *first = texels + (uint32_t)order->from[c] * channel->width;
        if (is_srgb(image->order) && c < 3)
            pack_srgb(colors[c], count, image->texel_size, first);
        else
            pack_component(image->channel, colors[c], count, image->texel_size, first);
    }
}

void vm_image_pack(const struct vm_image *image, const void *color, void *texel)
{
    uint32_t colors[4][VM_LANES];
    for (int c = 0; c < 4; c++)
        memcpy(&colors[c][0], (const uint8_t *)color + c * 4, 4);
    vm_image_pack_lanes(image, (const uint32_t(*)[VM_LANES])colors, 1, texel);
}
