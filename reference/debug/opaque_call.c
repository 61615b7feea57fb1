/* Calls of the built-in functions of images and pipes in expressions. */
#include "reference/debug/evaluate.h"
#include "reference/debug/opaque.h"
#include "reference/vm/image.h"

#include <string.h>

static bool refuse(struct error *error, const char *name, const char *why)
{
    error_set(error, STATUS_INVALID, "%s: %s", name, why);
    return false;
}

/* Integers; false with a sentence, or the value is not known. */
static bool read_coordinates(const struct vm_image *image, const struct debug_value *given,
                             uint64_t at[3], const char **unknown, const char **why)
{
    static const char *const wanted[] = {"", "the coordinate of this image is an int",
                                         "coordinates of this image are an int2",
                                         "coordinates of this image are an int4"};
    const uint32_t count = vm_image_coordinates(image->type);
    *why = wanted[count];
    *unknown = NULL;
    if (given->number.is_floating || given->number.is_pointer || given->slice ||
        (given->count != count && !(count == 3 && given->count == 4)))
        return false;
    *why = NULL;
    memset(at, 0, 3 * sizeof *at);
    for (uint32_t c = 0; c < count; c++) {
        at[c] = debug_extend(&given->number, given->bits[c]);
        if (given->undefined[c])
            *unknown = "the coordinates are undefined";
    }
    return true;
}

static const char *read_class(char letter, enum vm_image_class class)
{
    static const char *const reads[] = {[VM_IMAGE_FLOAT] = "read_imagef reads its texels",
                                        [VM_IMAGE_INT] = "read_imagei reads its texels",
                                        [VM_IMAGE_UINT] = "read_imageui reads its texels"};
    const bool fits = letter == 'f' || letter == 'h' ? class == VM_IMAGE_FLOAT
                      : letter == 'i'                ? class == VM_IMAGE_INT
                                                     : class == VM_IMAGE_UINT;
    return fits ? NULL : reads[class];
}

/* read_imagef(image, (int2)(x, y)) */
static bool call_read(const struct debug_lane *lane, const char *name,
                      const struct debug_value *list, uint32_t count, struct debug_value *value,
                      struct error *error)
{
    static const struct debug_number half = {.width = 2, .is_floating = true};
    const struct vm_image *image = list[0].object->image;
    const struct debug_texel texel = {image->order, image->channel, image->texel_size};
    const char letter = name[strlen("read_image")];
    const char *unknown;
    uint64_t at[3];
    const char *why = count != 2 ? "an image and the coordinates of a texel are wanted"
                                 : read_class(letter, vm_image_class(image->channel));
    if (why || !read_coordinates(image, &list[1], at, &unknown, &why))
        return refuse(error, name, why);
    const bool is_1d_array = image->type == VM_IMAGE_1D_ARRAY;
    const uint64_t y = is_1d_array ? 0 : at[1];
    const uint64_t z = is_1d_array ? at[1] : at[2];
    const uint64_t slices = image->type == VM_IMAGE_3D ? image->depth : image->layers;
    if (!unknown && (at[0] >= image->width || y >= image->height || z >= slices))
        unknown = "outside the image";
    if (unknown) {
        *value = (struct debug_value){.number = {.width = 4}, .count = 4, .unknown = unknown};
        return true;
    }
    debug_load_texel(lane, texel,
                     list[0].bits[0] + at[0] * image->texel_size + y * image->row_pitch +
                         z * image->slice_pitch,
                     value);
    if (letter == 'h' && !value->unknown)
        debug_cast(value, &half, value->count);
    return true;
}

static bool call_dim(const struct vm_image *image, struct debug_value *value)
{
    *value = (struct debug_value){.number = {.width = 4, .is_signed = true},
                                  .count = image->type == VM_IMAGE_3D ? 4 : 2};
    value->bits[0] = image->width;
    value->bits[1] = image->height;
    value->bits[2] = image->depth;
    return true;
}

bool debug_opaque_call(const struct debug_lane *lane, const char *name,
                       const struct debug_value *list, uint32_t count, struct debug_value *value,
                       struct error *error)
{
    static const char *const reads[] = {"read_imagef", "read_imagei", "read_imageui",
                                        "read_imageh"};
    static const char *const asks[] = {[DEBUG_IMAGE] = "get_image_", [DEBUG_PIPE] = "get_pipe_"};
    const enum debug_opaque opaque = list[0].opaque;
    for (size_t i = 0; opaque == DEBUG_IMAGE && i < sizeof reads / sizeof *reads; i++) {
        if (strcmp(name, reads[i]) == 0)
            return call_read(lane, name, list, count, value, error);
    }
    if (opaque == DEBUG_IMAGE && count == 1 && strcmp(name, "get_image_dim") == 0)
        return call_dim(list[0].object->image, value);
    const char *ask = opaque == DEBUG_SAMPLER ? NULL : asks[opaque];
    if (ask && count == 1 && strncmp(name, ask, strlen(ask)) == 0 &&
        debug_opaque_find_part(&list[0], name + strlen(ask), value))
        return true;
    return refuse(error, name,
                  "of images read_imagef, read_imagei, read_imageui and read_imageh without a "
                  "sampler, and get_image_... can be called, of pipes get_pipe_...");
}
