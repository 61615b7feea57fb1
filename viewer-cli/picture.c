#include "viewer-cli/picture.h"

#include "replay/compare.h"
#include "trace/api/enumerant.h"
#include "trace/api/image.h"
#include "trace/base/alloc.h"
#include "trace/base/size.h"

#include <math.h>
#include <string.h>

/* ---- what texels are ---- */

struct texel {
    uint64_t size; /* bytes */
    uint32_t channels;
    const struct replay_scalar *scalar; /* of a channel */
    uint32_t colours[3];                /* which channels are red, green and blue */
    double least, greatest;             /* what is black, and what is full */
};

/* Channels by their order; false for those whose texels are packed, or that are not known. */
static bool describe_format(const cl_image_format *format, struct texel *texel)
{
    const cl_channel_order order = format->image_channel_order;
    texel->scalar = replay_scalar_of(replay_channel_type(format->image_channel_data_type));
    if (texel->scalar->kind == REPLAY_SCALAR_UNKNOWN)
        return false;
    texel->channels = (uint32_t)(image_pixel_size(format) / texel->scalar->size);
    texel->size = (uint64_t)texel->channels * texel->scalar->size;
    for (uint32_t i = 0; i < 3; ++i)
        texel->colours[i] = texel->channels < 3                     ? 0
                            : order == CL_BGRA || order == CL_sBGRA ? 2 - i
                            : order == CL_ABGR                      ? 3 - i
                            : order == CL_ARGB                      ? 1 + i
                                                                    : i;
    return texel->channels > 0;
}

static enum status describe(const cl_image_format *format, struct texel *texel, struct error *error)
{
    if (describe_format(format, texel))
        return STATUS_OK;
    struct text name = TEXT_INIT;
    api_enumerant_print(API_FAMILY_CHANNEL_TYPE, format->image_channel_data_type, &name);
    error_set(error, STATUS_UNSUPPORTED, "no picture is made of texels of %s", name.bytes);
    text_release(&name);
    return STATUS_UNSUPPORTED;
}

static bool is_undefined(const struct picture_texels *texels, uint64_t first, uint64_t size)
{
    bool any = false;
    for (uint64_t i = 0; texels->undefined && i < size; ++i)
        any = any || texels->undefined[first + i];
    return any;
}

/* ---- channels ---- */

/* The range that becomes black to full: that of the type; false: that of the values themselves. */
static bool find_range_of_type(struct texel *texel)
{
    const struct replay_scalar *scalar = texel->scalar;
    const bool is_normalized =
        scalar->kind == REPLAY_SCALAR_SNORM || scalar->kind == REPLAY_SCALAR_UNORM;
    const bool is_signed =
        scalar->kind == REPLAY_SCALAR_SNORM || scalar->kind == REPLAY_SCALAR_SIGNED;
    if (scalar->size != 1 && !is_normalized)
        return false;
    const double values = (double)(UINT64_C(1) << 8 * scalar->size);
    texel->least = is_signed ? -values / 2 : 0;
    texel->greatest = texel->least + values - 1;
    return true;
}

static void find_range_of_values(struct texel *texel, const struct picture_texels *texels)
{
    const uint32_t size = texel->scalar->size;
    texel->least = INFINITY;
    texel->greatest = -INFINITY;
    for (uint64_t at = 0; at + size <= texels->size; at += size) {
        const double value = replay_scalar_read(texel->scalar, texels->bytes + at);
        if (!isfinite(value) || is_undefined(texels, at, size))
            continue;
        texel->least = value < texel->least ? value : texel->least;
        texel->greatest = value > texel->greatest ? value : texel->greatest;
    }
}

static unsigned char shade(const struct texel *texel, double value)
{
    const double span = texel->greatest - texel->least;
    const double part = span > 0 ? (value - texel->least) / span : 0;
    return (unsigned char)(isnan(part) || part <= 0 ? 0 : part >= 1 ? 255 : part * 255 + 0.5);
}

static void put_pixels(const struct texel *texel, const struct picture_texels *texels,
                       struct picture *picture)
{
    unsigned char *pixel = picture->pixels;
    for (uint64_t at = 0; at < texels->size; at += texel->size, pixel += PICTURE_PIXEL_SIZE) {
        if (is_undefined(texels, at, texel->size)) {
            memset(pixel, 0, PICTURE_PIXEL_SIZE);
            picture->has_undefined = true;
            continue;
        }
        for (unsigned colour = 0; colour < 3; ++colour)
            pixel[colour] =
                shade(texel, replay_scalar_read(texel->scalar,
                                                texels->bytes + at +
                                                    texel->colours[colour] * texel->scalar->size));
        pixel[3] = 255;
    }
}

enum status picture_make(const struct picture_texels *texels, struct picture *picture,
                         struct error *error)
{
    struct texel texel = {0};
    uint64_t count;
    uint64_t wanted;
    *picture = (struct picture){.width = texels->width, .height = texels->height};
    const enum status status = describe(&texels->format, &texel, error);
    if (status)
        return status;
    if (!size_mul(texels->width, texels->height, &count) || !size_mul(count, texel.size, &wanted) ||
        wanted != texels->size)
        return error_set(error, STATUS_UNSUPPORTED,
                         "these are not all texels of the image, row by row");
    picture->has_range = !find_range_of_type(&texel);
    if (picture->has_range)
        find_range_of_values(&texel, texels);
    picture->least = texel.least;
    picture->greatest = texel.greatest;
    picture->pixels = alloc_zero(count, PICTURE_PIXEL_SIZE);
    if (!picture->pixels)
        return error_no_memory(error, count * PICTURE_PIXEL_SIZE);
    put_pixels(&texel, texels, picture);
    return STATUS_OK;
}

void picture_release(struct picture *picture)
{
    alloc_free(picture->pixels);
    picture->pixels = NULL;
}

/* ---- files ---- */

/* Of each pixel the first bytes, which are its colours. */
static void put_colours(const unsigned char *pixels, uint64_t count, uint32_t bytes,
                        struct text *text)
{
    for (uint64_t i = 0; i < count; ++i)
        text_append_n(text, pixels + i * PICTURE_PIXEL_SIZE, bytes);
}

void picture_print_ppm(const struct picture *picture, struct text *text)
{
    text_format(text, "P6\n%llu %llu\n255\n", (unsigned long long)picture->width,
                (unsigned long long)picture->height);
    put_colours(picture->pixels, picture->width * picture->height, 3, text);
}

/* PNG, 5.3: a length, a type, data, and the CRC of the latter two; numbers begin with their highest
 * byte. */
static void put_number(struct text *text, uint32_t number)
{
    const unsigned char bytes[] = {(unsigned char)(number >> 24), (unsigned char)(number >> 16),
                                   (unsigned char)(number >> 8), (unsigned char)number};
    text_append_n(text, bytes, sizeof bytes);
}

/* PNG, annex D, by half bytes. */
static uint32_t crc_of(const char *bytes, size_t size)
{
    static const uint32_t halves[] = {0x00000000, 0x1db71064, 0x3b6e20c8, 0x26d930ac,
                                      0x76dc4190, 0x6b6b51f4, 0x4db26158, 0x5005713c,
                                      0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
                                      0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < size; ++i) {
        crc ^= (unsigned char)bytes[i];
        crc = crc >> 4 ^ halves[crc & 15];
        crc = crc >> 4 ^ halves[crc & 15];
    }
    return ~crc;
}

static void put_chunk(struct text *text, const char type[5], const struct text *data)
{
    put_number(text, (uint32_t)data->size);
    const size_t start = text->size;
    text_append_n(text, type, 4);
    text_append_n(text, data->bytes, data->size);
    if (!text->failed)
        put_number(text, crc_of(text->bytes + start, text->size - start));
}

static void put_header(const struct picture *picture, struct text *text)
{
    const unsigned char ends[] = {8, picture->has_undefined ? 6 : 2, 0, 0, 0};
    struct text data = TEXT_INIT;
    put_number(&data, (uint32_t)picture->width);
    put_number(&data, (uint32_t)picture->height);
    text_append_n(&data, ends, sizeof ends);
    put_chunk(text, "IHDR", &data);
    text_release(&data);
}

/* RFC 1950 and 1951: stored blocks, and the checksum of what is in them. */
static void put_stored(const struct text *rows, struct text *data)
{
    enum { BLOCK_MAX = 65535, ADLER = 65521 };
    uint32_t a = 1;
    uint32_t b = 0;
    text_append_n(data, "\x78\x01", 2);
    for (size_t at = 0; at < rows->size; at += BLOCK_MAX) {
        const uint32_t size = (uint32_t)(rows->size - at < BLOCK_MAX ? rows->size - at : BLOCK_MAX);
        const unsigned char head[] = {at + size == rows->size, (unsigned char)size,
                                      (unsigned char)(size >> 8), (unsigned char)~size,
                                      (unsigned char)(~size >> 8)};
        text_append_n(data, head, sizeof head);
        text_append_n(data, rows->bytes + at, size);
    }
    for (size_t i = 0; i < rows->size; ++i) {
        a = (a + (unsigned char)rows->bytes[i]) % ADLER;
        b = (b + a) % ADLER;
    }
    put_number(data, b << 16 | a);
}

void picture_print_png(const struct picture *picture, struct text *text)
{
    const struct text none = TEXT_INIT;
    struct text rows = TEXT_INIT;
    struct text data = TEXT_INIT;
    for (uint64_t y = 0; y < picture->height; ++y) {
        text_append_char(&rows, 0); /* no filter */
        put_colours(picture->pixels + y * picture->width * PICTURE_PIXEL_SIZE, picture->width,
                    picture->has_undefined ? 4 : 3, &rows);
    }
    put_stored(&rows, &data);
    text_append_n(text, "\x89PNG\r\n\x1a\n", 8);
    put_header(picture, text);
    put_chunk(text, "IDAT", &data);
    put_chunk(text, "IEND", &none);
    text->failed = text->failed || rows.failed || data.failed;
    text_release(&data);
    text_release(&rows);
}
