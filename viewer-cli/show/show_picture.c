#include "trace/claim.h"
#include "viewer-cli/picture.h"
#include "viewer-cli/reading.h"
#include "viewer-cli/show/show.h"

#include "trace/base/file.h"
#include "trace/base/size.h"
#include "trace/base/text.h"

static enum status describe(struct trace *trace, const struct api_call *call, uint64_t handle,
                            struct picture_texels *texels, struct error *error)
{
    struct trace_names names = {.trace = trace, .call_id = call->id};
    struct image_shape shape;
    if (!reading_image(&names, handle, &texels->format, &shape))
        return error_set(error, STATUS_UNSUPPORTED, "these are not the bytes of an image");
    texels->width = shape.width;
    if (!size_mul(shape.height, shape.depth, &texels->height) ||
        !size_mul(texels->height, shape.layers, &texels->height))
        texels->height = 0;
    return STATUS_OK;
}

enum status show_picture_write(struct trace *trace, const struct api_call *call, uint64_t handle,
                               const unsigned char *bytes, uint64_t size, const char *path,
                               struct error *error)
{
    struct picture_texels texels = {.bytes = bytes, .size = size};
    struct picture picture = {0};
    struct text text = TEXT_INIT;
    enum status status =
        bytes ? describe(trace, call, handle, &texels, error)
              : error_set(error, STATUS_UNSUPPORTED, "of the texels only a digest was kept");
    if (!status)
        status = picture_make(&texels, &picture, error);
    if (!status) {
        picture_print_ppm(&picture, &text);
        status = text.failed ? error_no_memory(error, text.size) : claim_spare_trace(path, error);
        if (!status)
            status = file_write(path, text.bytes, text.size, error);
    }
    text_release(&text);
    picture_release(&picture);
    return status;
}
