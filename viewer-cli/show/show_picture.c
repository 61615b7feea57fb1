#include "viewer-cli/reading.h"
#include "viewer-cli/show/show.h"

#include "replay/compare.h"
#include "trace/api/enumerant.h"
#include "trace/base/file.h"
#include "trace/base/size.h"
#include "trace/base/text.h"

#include <math.h>

struct image {
    cl_image_format format;
    uint64_t width, height; /* of the picture */
    uint32_t channels;
    const struct replay_scalar *scalar; /* of a channel */
    uint32_t colours[3];                /* which channels are red, green and blue */
    double least, greatest;             /* what is black, and what is full */
};

/* ---- what the image is ---- */

/* Channels by their order; false for those whose texels are packed, or that are not known. */
static bool describe_format(struct image *image)
{
    const cl_channel_order order = image->format.image_channel_order;
    const uint64_t pixel = image_pixel_size(&image->format);
    image->scalar = replay_scalar_of(replay_channel_type(image->format.image_channel_data_type));
    if (image->scalar->kind == REPLAY_SCALAR_UNKNOWN)
        return false;
    image->channels = (uint32_t)(pixel / image->scalar->size);
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
    struct trace_names names = {.trace = trace, .call_id = call->id};
    struct image_shape shape;
    if (!reading_image(&names, handle, &image->format, &shape))
        return error_set(error, STATUS_UNSUPPORTED, "these are not the bytes of an image");
    image->width = shape.width;
    if (!size_mul(shape.height, shape.depth, &image->height) ||
        !size_mul(image->height, shape.layers, &image->height))
        image->height = 0;
    if (describe_format(image))
        return STATUS_OK;
    struct text name = TEXT_INIT;
    api_enumerant_print(API_FAMILY_CHANNEL_TYPE, image->format.image_channel_data_type, &name);
    error_set(error, STATUS_UNSUPPORTED, "no picture is made of texels of %s", name.bytes);
    text_release(&name);
    return STATUS_UNSUPPORTED;
}

/* ---- channels ---- */

/* The range that becomes black to full: that of the type, or of the values themselves. */
static void find_range(struct image *image, const unsigned char *bytes, uint64_t texels)
{
    const struct replay_scalar *scalar = image->scalar;
    const bool is_normalized =
        scalar->kind == REPLAY_SCALAR_SNORM || scalar->kind == REPLAY_SCALAR_UNORM;
    const bool is_signed =
        scalar->kind == REPLAY_SCALAR_SNORM || scalar->kind == REPLAY_SCALAR_SIGNED;
    if (scalar->size == 1 || is_normalized) {
        const double values = (double)(UINT64_C(1) << 8 * scalar->size);
        image->least = is_signed ? -values / 2 : 0;
        image->greatest = image->least + values - 1;
        return;
    }
    image->least = INFINITY;
    image->greatest = -INFINITY;
    for (uint64_t i = 0; i < texels * image->channels; ++i) {
        const double value = replay_scalar_read(scalar, bytes + i * image->scalar->size);
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
    const uint64_t pixel = (uint64_t)image.channels * image.scalar->size;
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
                (char)shade(&image, replay_scalar_read(image.scalar, bytes + i * pixel +
                                                                         image.colours[colour] *
                                                                             image.scalar->size)));
    status = text.failed ? error_no_memory(error, text.size)
                         : file_write(path, text.bytes, text.size, error);
    text_release(&text);
    return status;
}
