#include "viewer-cli/kernel/kernel_argument.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* What 1 GiB of the smallest texels has; sizes that the device refuses are its business. */
#define SIDE_MAX (UINT64_C(1) << 30)

static const struct {
    const char *name;
    cl_mem_object_type type;
    uint32_t sizes;
} types[] = {
    {"image1d_array", CL_MEM_OBJECT_IMAGE1D_ARRAY, 2},
    {"image2d_array", CL_MEM_OBJECT_IMAGE2D_ARRAY, 3},
    {"image1d", CL_MEM_OBJECT_IMAGE1D, 1},
    {"image2d", CL_MEM_OBJECT_IMAGE2D, 2},
    {"image3d", CL_MEM_OBJECT_IMAGE3D, 3},
};

static const struct {
    const char *name;
    cl_channel_order order;
    uint32_t components;
} orders[] = {
    {"r", CL_R, 1},         {"a", CL_A, 1},
    {"rg", CL_RG, 2},       {"ra", CL_RA, 2},
    {"rgba", CL_RGBA, 4},   {"bgra", CL_BGRA, 4},
    {"argb", CL_ARGB, 4},   {"abgr", CL_ABGR, 4},
    {"srgba", CL_sRGBA, 4}, {"intensity", CL_INTENSITY, 1},
    {"depth", CL_DEPTH, 1}, {"luminance", CL_LUMINANCE, 1},
};

static const struct {
    const char *name;
    cl_channel_type type;
    const char *scalar;
} channels[] = {
    {"snorm_int8", CL_SNORM_INT8, "char"},
    {"snorm_int16", CL_SNORM_INT16, "short"},
    {"unorm_int8", CL_UNORM_INT8, "uchar"},
    {"unorm_int16", CL_UNORM_INT16, "ushort"},
    {"signed_int8", CL_SIGNED_INT8, "char"},
    {"signed_int16", CL_SIGNED_INT16, "short"},
    {"signed_int32", CL_SIGNED_INT32, "int"},
    {"unsigned_int8", CL_UNSIGNED_INT8, "uchar"},
    {"unsigned_int16", CL_UNSIGNED_INT16, "ushort"},
    {"unsigned_int32", CL_UNSIGNED_INT32, "uint"},
    {"float", CL_FLOAT, "float"},
    {"half_float", CL_HALF_FLOAT, "half"},
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

static bool is_word(const char *text, size_t length, const char *word)
{
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

bool kernel_image_is(const char *text)
{
    return strncmp(text, "image", strlen("image")) == 0;
}

bool kernel_sampler_is(const char *text)
{
    return strncmp(text, "sampler:", strlen("sampler:")) == 0;
}

/* ---- images ---- */

enum { LEVELS_MAX = 16 };

void kernel_image_level(const struct kernel_image *image, uint32_t level, size_t region[3])
{
    const bool array =
        image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY || image->type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    for (uint32_t i = 0; i < 3; i++) {
        const bool layers = array && i + 1 == image->coordinates;
        const uint64_t halved = layers ? image->size[i] : image->size[i] >> level;
        region[i] = halved > 0 ? halved : 1;
    }
}

/* "/LEVELS" may be there: as many as the device takes. */
static bool parse_levels(const char *at, struct kernel_image *image, const char **rest)
{
    char *end = NULL;
    if (*at != '/') {
        *rest = at;
        return true;
    }
    const unsigned long long levels = at[1] >= '0' && at[1] <= '9' ? strtoull(at + 1, &end, 10) : 0;
    if (levels == 0 || levels > LEVELS_MAX) {
        return false;
    }
    image->levels = (uint32_t)levels;
    *rest = end;
    return true;
}

/* "[WxHxD]" with as many numbers as the type has. */
static enum status parse_sizes(const char *text, const char *at, uint32_t count,
                               struct kernel_image *image, const char **rest, struct error *error)
{
    for (uint32_t i = 0; i < 3; i++) {
        image->size[i] = 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        char *end = NULL;
        const char wanted = i == 0 ? '[' : 'x';
        errno = 0;
        if (*at == wanted && at[1] >= '0' && at[1] <= '9') {
            image->size[i] = strtoull(at + 1, &end, 10);
        }
        if (end == NULL || errno != 0 || image->size[i] == 0 || image->size[i] > SIDE_MAX) {
            break;
        }
        at = end;
        if (i + 1 == count && parse_levels(at, image, &at) && *at == ']') {
            *rest = at + 1;
            return STATUS_OK;
        }
    }
    return error_set(error, STATUS_INVALID, "-a %s: the size is wanted as %s", text,
                     count == 1   ? "[W]"
                     : count == 2 ? "[WxH]"
                                  : "[WxHxD]");
}

enum status kernel_image_parse(const char *text, struct kernel_image *image, const char **rest,
                               struct error *error)
{
    struct kernel_image made = {.scalar = NULL};
    const char *at = text;
    size_t length = strcspn(at, ":[=");
    uint32_t sizes = 0;
    for (size_t i = 0; i < COUNT(types); i++) {
        if (is_word(at, length, types[i].name)) {
            made.type = types[i].type;
            sizes = types[i].sizes;
        }
    }
    if (sizes == 0) {
        return error_set(error, STATUS_INVALID,
                         "-a %s: '%.*s' is no image; it may be image1d, image1d_array, image2d, "
                         "image2d_array or image3d",
                         text, (int)length, at);
    }
    at += length + (at[length] == ':');
    length = strcspn(at, ":[=");
    for (size_t i = 0; i < COUNT(orders); i++) {
        if (is_word(at, length, orders[i].name)) {
            made.format.image_channel_order = orders[i].order;
            made.components = orders[i].components;
        }
    }
    const char *const order = at;
    const size_t order_length = length;
    at += length + (at[length] == ':');
    length = strcspn(at, ":[=");
    for (size_t i = 0; i < COUNT(channels); i++) {
        if (is_word(at, length, channels[i].name)) {
            made.format.image_channel_data_type = channels[i].type;
            made.scalar = channels[i].scalar;
        }
    }
    if (made.components == 0 || made.scalar == NULL) {
        return error_set(error, STATUS_INVALID,
                         "-a %s: '%.*s:%.*s' is no format; wanted is a channel order and type, as "
                         "in rgba:unorm_int8 or r:float",
                         text, (int)order_length, order, (int)length, at);
    }
    made.coordinates = sizes;
    const enum status status = parse_sizes(text, at + length, sizes, &made, rest, error);
    if (status == STATUS_OK) {
        *image = made;
    }
    return status;
}

/* ---- samplers ---- */

static bool sampler_word(const char *word, size_t length, struct kernel_sampler *sampler)
{
    static const struct {
        const char *name;
        cl_addressing_mode addressing;
    } modes[] = {
        {"none", CL_ADDRESS_NONE},
        {"clamp_to_edge", CL_ADDRESS_CLAMP_TO_EDGE},
        {"clamp", CL_ADDRESS_CLAMP},
        {"repeat", CL_ADDRESS_REPEAT},
        {"mirrored_repeat", CL_ADDRESS_MIRRORED_REPEAT},
    };
    for (size_t i = 0; i < COUNT(modes); i++) {
        if (is_word(word, length, modes[i].name)) {
            sampler->addressing = modes[i].addressing;
            return true;
        }
    }
    if (is_word(word, length, "normalized")) {
        sampler->normalised = CL_TRUE;
    } else if (is_word(word, length, "nearest")) {
        sampler->filter = CL_FILTER_NEAREST;
    } else if (is_word(word, length, "linear")) {
        sampler->filter = CL_FILTER_LINEAR;
    } else if (is_word(word, length, "linear_levels")) {
        sampler->level_filter = CL_FILTER_LINEAR;
    } else {
        return false;
    }
    return true;
}

enum status kernel_sampler_parse(const char *text, struct kernel_sampler *sampler,
                                 struct error *error)
{
    struct kernel_sampler made = {.normalised = CL_FALSE,
                                  .addressing = CL_ADDRESS_CLAMP_TO_EDGE,
                                  .filter = CL_FILTER_NEAREST,
                                  .level_filter = CL_FILTER_NEAREST};
    const char *at = text + strlen("sampler:");
    for (;;) {
        const size_t length = strcspn(at, ",");
        if (!sampler_word(at, length, &made)) {
            return error_set(error, STATUS_INVALID,
                             "-a %s: '%.*s' says nothing of a sampler; the words are normalized, "
                             "none, clamp_to_edge, clamp, repeat, mirrored_repeat, nearest, linear "
                             "and linear_levels",
                             text, (int)length, at);
        }
        if (at[length] == '\0') {
            break;
        }
        at += length + 1;
    }
    *sampler = made;
    return STATUS_OK;
}
