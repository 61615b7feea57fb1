#include "viewer-cli/rows.h"
#include "viewer-cli/show/show.h"

#include "trace/api/enumerant.h"
#include "trace/api/image.h"
#include "trace/base/file.h"
#include "trace/base/half.h"
#include "trace/base/size.h"
#include "trace/base/text.h"

#include <math.h>
#include <string.h>

struct image {
    cl_image_format format;
    uint64_t width, height; /* of the picture */
    uint32_t channels;
    uint32_t channel_size;  /* bytes */
    uint32_t colours[3];    /* which channels are red, green and blue */
    double least, greatest; /* what is black, and what is full */
};

/* ---- what the image is ---- */

static enum status find_creation(struct trace *trace, uint64_t handle, uint64_t at, uint64_t *id,
                                 struct error *error)
{
    struct rows *rows = NULL;
    bool more = false;
    char *sql = rows_query("SELECT created_call FROM object WHERE handle = %lld"
                           " AND ifnull(created_call, 0) <= %lld ORDER BY id DESC LIMIT 1",
                           (long long)handle, (long long)at);
    enum status status = sql ? rows_open(trace, sql, &rows, error) : error_no_memory(error, 1);
    if (!status)
        status = rows_next(rows, &more, error);
    *id = !status && more ? (uint64_t)rows_number(rows, 0) : 0;
    rows_close(rows);
    rows_query_free(sql);
    return status;
}

/* Channels by their order; false for those whose texels are packed, or that are not known. */
static bool describe_format(struct image *image)
{
    const cl_channel_order order = image->format.image_channel_order;
    const uint64_t pixel = image_pixel_size(&image->format);
    switch (image->format.image_channel_data_type) {
    case CL_SNORM_INT8:
    case CL_UNORM_INT8:
    case CL_SIGNED_INT8:
    case CL_UNSIGNED_INT8:
        image->channel_size = 1;
        break;
    case CL_SNORM_INT16:
    case CL_UNORM_INT16:
    case CL_SIGNED_INT16:
    case CL_UNSIGNED_INT16:
    case CL_HALF_FLOAT:
        image->channel_size = 2;
        break;
    case CL_SIGNED_INT32:
    case CL_UNSIGNED_INT32:
    case CL_FLOAT:
        image->channel_size = 4;
        break;
    default:
        return false;
    }
    image->channels = (uint32_t)(pixel / image->channel_size);
    for (uint32_t i = 0; i < 3; ++i)
        image->colours[i] = image->channels < 3                     ? 0
                            : order == CL_BGRA || order == CL_sBGRA ? 2 - i
                            : order == CL_ABGR                      ? 3 - i
                            : order == CL_ARGB                      ? 1 + i
                                                                    : i;
    return image->channels > 0;
}

static enum status describe(struct trace *trace, const struct api_call *call, uint64_t handle,
                            struct image *image, struct error *error)
{
    struct arena arena = {0};
    struct api_call creation;
    struct image_create create;
    uint64_t id = 0;
    enum status status = find_creation(trace, handle, call->id, &id, error);
    if (!status && id)
        status = trace_call(trace, id, &arena, &creation, error);
    if (!status && (!id || !image_create_parse(&creation, &create)))
        status = error_set(error, STATUS_UNSUPPORTED, "these are not the bytes of an image");
    if (!status) {
        const cl_image_desc *desc = &create.desc;
        const uint64_t layers = desc->image_array_size ? desc->image_array_size : 1;
        image->format = *create.format;
        image->width = desc->image_width;
        if (!size_mul(desc->image_height ? desc->image_height : 1,
                      desc->image_depth ? desc->image_depth : layers, &image->height))
            image->height = 0;
    }
    if (!status && !describe_format(image)) {
        struct text name = TEXT_INIT;
        api_enumerant_print(API_FAMILY_CHANNEL_TYPE, image->format.image_channel_data_type, &name);
        status =
            error_set(error, STATUS_UNSUPPORTED, "no picture is made of texels of %s", name.bytes);
        text_release(&name);
    }
    arena_release(&arena);
    return status;
}

/* ---- channels ---- */

static double read_channel(cl_channel_type type, const unsigned char *bytes)
{
    int8_t signed8;
    int16_t signed16;
    int32_t signed32;
    uint16_t unsigned16;
    uint32_t unsigned32;
    float single;
    memcpy(&signed8, bytes, 1);
    switch (type) {
    case CL_UNORM_INT8:
    case CL_UNSIGNED_INT8:
        return bytes[0];
    case CL_SNORM_INT8:
    case CL_SIGNED_INT8:
        return signed8;
    case CL_SNORM_INT16:
    case CL_SIGNED_INT16:
        memcpy(&signed16, bytes, sizeof signed16);
        return signed16;
    case CL_UNORM_INT16:
    case CL_UNSIGNED_INT16:
        memcpy(&unsigned16, bytes, sizeof unsigned16);
        return unsigned16;
    case CL_HALF_FLOAT:
        memcpy(&unsigned16, bytes, sizeof unsigned16);
        return (double)half_to_float(unsigned16);
    case CL_SIGNED_INT32:
        memcpy(&signed32, bytes, sizeof signed32);
        return signed32;
    case CL_UNSIGNED_INT32:
        memcpy(&unsigned32, bytes, sizeof unsigned32);
        return unsigned32;
    default:
        memcpy(&single, bytes, sizeof single);
        return (double)single;
    }
}

/* The range that becomes black to full: that of the type, or of the values themselves. */
static void find_range(struct image *image, const unsigned char *bytes, uint64_t texels)
{
    const cl_channel_type type = image->format.image_channel_data_type;
    switch (type) {
    case CL_UNORM_INT8:
    case CL_UNSIGNED_INT8:
        image->greatest = UINT8_MAX;
        return;
    case CL_SNORM_INT8:
    case CL_SIGNED_INT8:
        image->least = INT8_MIN;
        image->greatest = INT8_MAX;
        return;
    case CL_UNORM_INT16:
        image->greatest = UINT16_MAX;
        return;
    case CL_SNORM_INT16:
        image->least = INT16_MIN;
        image->greatest = INT16_MAX;
        return;
    default:
        break;
    }
    image->least = INFINITY;
    image->greatest = -INFINITY;
    for (uint64_t i = 0; i < texels * image->channels; ++i) {
        const double value = read_channel(type, bytes + i * image->channel_size);
        if (!isfinite(value))
            continue;
        image->least = value < image->least ? value : image->least;
        image->greatest = value > image->greatest ? value : image->greatest;
    }
}

static unsigned char shade(const struct image *image, double value)
{
    const double span = image->greatest - image->least;
    const double part = span > 0 ? (value - image->least) / span : 0;
    return (unsigned char)(isnan(part) || part <= 0 ? 0 : part >= 1 ? 255 : part * 255 + 0.5);
}

enum status show_picture_write(struct trace *trace, const struct api_call *call, uint64_t handle,
                               const unsigned char *bytes, uint64_t size, const char *path,
                               struct error *error)
{
    struct image image = {0};
    struct text text = TEXT_INIT;
    enum status status =
        bytes ? describe(trace, call, handle, &image, error)
              : error_set(error, STATUS_UNSUPPORTED, "of the texels only a digest was kept");
    if (status)
        return status;
    const uint64_t pixel = (uint64_t)image.channels * image.channel_size;
    const uint64_t texels = size / pixel;
    uint64_t wanted;
    if (!size_mul(image.width, image.height, &wanted) || !size_mul(wanted, pixel, &wanted) ||
        wanted != size)
        return error_set(error, STATUS_UNSUPPORTED,
                         "these are not all texels of the image, row by row");
    find_range(&image, bytes, texels);
    text_format(&text, "P6\n%llu %llu\n255\n", (unsigned long long)image.width,
                (unsigned long long)image.height);
    for (uint64_t i = 0; i < texels; ++i)
        for (unsigned colour = 0; colour < 3; ++colour)
            text_append_char(
                &text,
                (char)shade(&image, read_channel(image.format.image_channel_data_type,
                                                 bytes + i * pixel +
                                                     image.colours[colour] * image.channel_size)));
    status = text.failed ? error_no_memory(error, text.size)
                         : file_write(path, text.bytes, text.size, error);
    text_release(&text);
    return status;
}
