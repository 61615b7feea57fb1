#include "viewer-cli/debug/memory.h"

#include "trace/base/alloc.h"
#include "trace/base/json.h"
#include "trace/base/size.h"
#include "viewer-cli/debug/examine.h"
#include "viewer-cli/debug/session.h"

#include <string.h>

static bool refuse(const struct debug_asker *asker, const char *sentence)
{
    asker->refuse(asker->user, sentence);
    return false;
}

/* ---- bytes ---- */

/* At most EXAMINE_SIZE_MAX. */
static bool read_some(const struct debug_asker *asker, const char *address, uint64_t offset,
                      uint64_t size, uint8_t *bytes, uint8_t *undefined)
{
    struct text request = TEXT_INIT;
    debug_request_begin(&request, DEBUG_REQUEST_MEMORY);
    json_string(&request, "address", address);
    json_number(&request, "offset", offset);
    json_number(&request, "count", size);
    struct cJSON *answer = asker->ask(asker->user, &request);
    text_release(&request);
    if (!answer)
        return false;
    const bool whole =
        examine_bytes(json_object_text(answer, "bytes"), bytes, size) == size &&
        examine_bytes(json_object_text(answer, "undefined"), undefined, size) == size;
    json_object_release(answer);
    return whole || refuse(asker, "Not all of its bytes can be read.");
}

static bool read_bytes(const struct debug_asker *asker, const char *address, uint64_t offset,
                       uint64_t size, uint8_t *bytes, uint8_t *undefined)
{
    bool done = true;
    for (uint64_t at = 0; at < size && done; at += EXAMINE_SIZE_MAX) {
        const uint64_t some = size - at < EXAMINE_SIZE_MAX ? size - at : EXAMINE_SIZE_MAX;
        done = read_some(asker, address, offset + at, some, bytes + at, undefined + at);
    }
    return done;
}

uint8_t *debug_memory_read(const struct debug_asker *asker, const char *address, uint64_t offset,
                           uint64_t size)
{
    uint8_t *bytes = size ? alloc_zero(2, size) : NULL;
    if (!bytes) {
        refuse(asker, size ? "There is not enough memory for its bytes." : "It has no bytes.");
        return NULL;
    }
    if (read_bytes(asker, address, offset, size, bytes, bytes + size))
        return bytes;
    alloc_free(bytes);
    return NULL;
}

/* ---- images ---- */

static uint64_t number_of(const struct cJSON *object, const char *key)
{
    uint64_t number = 0;
    json_object_number(object, key, &number);
    return number;
}

static char *copy_text(const struct cJSON *object, const char *key)
{
    const char *text = json_object_text(object, key);
    return alloc_string(text ? text : "?");
}

static void learn(const struct cJSON *described, struct debug_image *image)
{
    const char *type = json_object_text(described, "type");
    const bool rows_are_layers = type && strcmp(type, "1D image array") == 0;
    const uint64_t layers = number_of(described, "layers");
    *image = (struct debug_image){
        .text = copy_text(described, "text"),
        .address = copy_text(described, "address"),
        .format = {(cl_channel_order)number_of(described, "order"),
                   (cl_channel_type)number_of(described, "channel")},
        .width = number_of(described, "width"),
        .height = rows_are_layers ? layers : number_of(described, "height"),
        .slices = rows_are_layers ? 1 : layers * number_of(described, "depth"),
        .levels = number_of(described, "levels"),
        .texel_size = number_of(described, "texel_size"),
        .row_pitch = number_of(described, rows_are_layers ? "slice_pitch" : "row_pitch"),
        .slice_pitch = number_of(described, "slice_pitch"),
    };
}

bool debug_image_find(const struct debug_asker *asker, const char *expression, uint64_t level,
                      struct debug_image *image)
{
    struct text request = TEXT_INIT;
    *image = (struct debug_image){0};
    debug_request_begin(&request, DEBUG_REQUEST_IMAGE);
    json_string(&request, "expression", expression);
    json_number(&request, "level", level);
    struct cJSON *answer = asker->ask(asker->user, &request);
    text_release(&request);
    if (!answer)
        return false;
    learn(json_object_item(answer, "image"), image);
    json_object_release(answer);
    return (image->text && image->address) || refuse(asker, "Memory ran out.");
}

void debug_image_release(struct debug_image *image)
{
    alloc_free(image->text);
    alloc_free(image->address);
    *image = (struct debug_image){0};
}

uint64_t debug_image_step(const struct debug_image *image, uint64_t most)
{
    const uint64_t larger = image->width > image->height ? image->width : image->height;
    return most > 0 && larger > most ? (larger + most - 1) / most : 1;
}

/* Takes every `step`-th texel of a row, with what is undefined. */
static void take_row(const struct debug_image *image, uint64_t step, const uint8_t *row,
                     const uint8_t *row_undefined, uint8_t *bytes, uint8_t *undefined)
{
    const size_t size = image->texel_size;
    for (uint64_t x = 0; x < image->width; x += step, bytes += size, undefined += size) {
        memcpy(bytes, row + x * size, size);
        memcpy(undefined, row_undefined + x * size, size);
    }
}

/* As many rows at once as one answer has room for, where all are wanted. */
static uint64_t rows_at_once(const struct debug_image *image, uint64_t step, uint64_t left)
{
    const uint64_t most = image->row_pitch ? EXAMINE_SIZE_MAX / image->row_pitch : 0;
    return step > 1 || most < 2 ? 1 : most < left ? most : left;
}

static bool read_rows(const struct debug_asker *asker, const struct debug_image *image,
                      uint64_t first, uint64_t step, const struct picture_texels *texels,
                      uint8_t *bytes)
{
    const uint64_t row_size = image->width * image->texel_size;
    const uint64_t taken_size = texels->width * image->texel_size;
    bool done = true;
    for (uint64_t row = 0; row < texels->height && done;) {
        const uint64_t rows = rows_at_once(image, step, texels->height - row);
        const uint64_t size = (rows - 1) * image->row_pitch + row_size;
        uint8_t *read =
            debug_memory_read(asker, image->address, first + row * step * image->row_pitch, size);
        for (uint64_t i = 0; i < rows && read; ++i) {
            const uint8_t *from = read + i * image->row_pitch;
            uint8_t *to = bytes + (row + i) * taken_size;
            take_row(image, step, from, from + size, to, to + texels->size);
        }
        done = read != NULL;
        alloc_free(read);
        row += rows;
    }
    return done;
}

/* The block has the bytes, and the same again of what is undefined; alloc_free ends it. */
static uint8_t *read_texels(const struct debug_asker *asker, const struct debug_image *image,
                            uint64_t slice, uint64_t step, struct picture_texels *texels)
{
    uint64_t count;
    if (slice >= image->slices) {
        refuse(asker, "The image has no such slice.");
        return NULL;
    }
    *texels = (struct picture_texels){.format = image->format,
                                      .width = (image->width + step - 1) / step,
                                      .height = (image->height + step - 1) / step};
    const bool fits = size_mul(texels->width, texels->height, &count) &&
                      size_mul(count, image->texel_size, &texels->size);
    uint8_t *block = fits ? alloc_zero(2, texels->size) : NULL;
    if (!block) {
        refuse(asker, "There is not enough memory for its texels.");
        return NULL;
    }
    texels->bytes = block;
    texels->undefined = block + texels->size;
    if (read_rows(asker, image, slice * image->slice_pitch, step, texels, block))
        return block;
    alloc_free(block);
    return NULL;
}

bool debug_image_picture(const struct debug_asker *asker, const struct debug_image *image,
                         uint64_t slice, uint64_t step, struct picture *picture)
{
    struct picture_texels texels;
    struct error error;
    uint8_t *block = read_texels(asker, image, slice, step, &texels);
    if (!block)
        return false;
    const enum status status = picture_make(&texels, picture, &error);
    alloc_free(block);
    if (!status)
        return true;
    picture_release(picture);
    return refuse(asker, error.text);
}
