#include "viewer-cli/kernel/kernel_argument.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* What 1 GiB of the smallest texels has; sizes that the device refuses are its business. */
#define SIDE_MAX (UINT64_C(1) << 30)

/* A word of an argument, and what it stands for. */
struct word {
    const char *name;
    uint32_t value;
    uint32_t count;     /* of a type: its sizes; of an order: its channels; of a sampler: where the
                           member lies that becomes this */
    const char *scalar; /* of a channel: what it is in memory */
};

static const struct word types[] = {
    {"image1d_array", CL_MEM_OBJECT_IMAGE1D_ARRAY, 2, NULL},
    {"image2d_array", CL_MEM_OBJECT_IMAGE2D_ARRAY, 3, NULL},
    {"image1d", CL_MEM_OBJECT_IMAGE1D, 1, NULL},
    {"image2d", CL_MEM_OBJECT_IMAGE2D, 2, NULL},
    {"image3d", CL_MEM_OBJECT_IMAGE3D, 3, NULL},
};

static const struct word orders[] = {
    {"r", CL_R, 1, NULL},         {"a", CL_A, 1, NULL},
    {"rg", CL_RG, 2, NULL},       {"ra", CL_RA, 2, NULL},
    {"rgba", CL_RGBA, 4, NULL},   {"bgra", CL_BGRA, 4, NULL},
    {"argb", CL_ARGB, 4, NULL},   {"abgr", CL_ABGR, 4, NULL},
    {"srgba", CL_sRGBA, 4, NULL}, {"intensity", CL_INTENSITY, 1, NULL},
    {"depth", CL_DEPTH, 1, NULL}, {"luminance", CL_LUMINANCE, 1, NULL},
};

static const struct word channels[] = {
    {"snorm_int8", CL_SNORM_INT8, 1, "char"},
    {"snorm_int16", CL_SNORM_INT16, 1, "short"},
    {"unorm_int8", CL_UNORM_INT8, 1, "uchar"},
    {"unorm_int16", CL_UNORM_INT16, 1, "ushort"},
    {"signed_int8", CL_SIGNED_INT8, 1, "char"},
    {"signed_int16", CL_SIGNED_INT16, 1, "short"},
    {"signed_int32", CL_SIGNED_INT32, 1, "int"},
    {"unsigned_int8", CL_UNSIGNED_INT8, 1, "uchar"},
    {"unsigned_int16", CL_UNSIGNED_INT16, 1, "ushort"},
    {"unsigned_int32", CL_UNSIGNED_INT32, 1, "uint"},
    {"float", CL_FLOAT, 1, "float"},
    {"half_float", CL_HALF_FLOAT, 1, "half"},
};

#define COUNT(table) (sizeof(table) / sizeof *(table))

/* NULL: the table does not have it. */
static const struct word *find_word(const struct word *words, size_t count, const char *text,
                                    size_t length)
{
    for (size_t i = 0; i < count; i++) {
        if (strlen(words[i].name) == length && memcmp(text, words[i].name, length) == 0) {
            return &words[i];
        }
    }
    return NULL;
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
static enum status parse_sizes(const char *text, const char *at, struct kernel_image *image,
                               const char **rest, struct error *error)
{
    const uint32_t count = image->coordinates;
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
    static const char ends[] = ":[=";
    const char *at = text;
    const size_t type_length = strcspn(at, ends);
    const struct word *const type = find_word(types, COUNT(types), at, type_length);
    if (type == NULL) {
        return error_set(
            error, STATUS_INVALID,
            "-a %s: '%.*s' is not an image; it may be image1d, image1d_array, image2d, "
            "image2d_array or image3d",
            text, (int)type_length, at);
    }
    at += type_length + (at[type_length] == ':');
    const char *const order_name = at;
    const size_t order_length = strcspn(at, ends);
    const struct word *const order = find_word(orders, COUNT(orders), at, order_length);
    at += order_length + (at[order_length] == ':');
    const size_t length = strcspn(at, ends);
    const struct word *const channel = find_word(channels, COUNT(channels), at, length);
    if (order == NULL || channel == NULL) {
        return error_set(
            error, STATUS_INVALID,
            "-a %s: '%.*s:%.*s' is not a format; wanted is a channel order and type, as "
            "in rgba:unorm_int8 or r:float",
            text, (int)order_length, order_name, (int)length, at);
    }
    struct kernel_image made = {.type = type->value,
                                .format = {order->value, channel->value},
                                .coordinates = type->count,
                                .scalar = channel->scalar,
                                .components = order->count};
    const enum status status = parse_sizes(text, at + length, &made, rest, error);
    if (status == STATUS_OK) {
        *image = made;
    }
    return status;
}

/* ---- samplers ---- */

#define MEMBER(name) offsetof(struct kernel_sampler, name)

static const struct word sampler_words[] = {
    {"normalized", CL_TRUE, MEMBER(normalised), NULL},
    {"none", CL_ADDRESS_NONE, MEMBER(addressing), NULL},
    {"clamp_to_edge", CL_ADDRESS_CLAMP_TO_EDGE, MEMBER(addressing), NULL},
    {"clamp", CL_ADDRESS_CLAMP, MEMBER(addressing), NULL},
    {"repeat", CL_ADDRESS_REPEAT, MEMBER(addressing), NULL},
    {"mirrored_repeat", CL_ADDRESS_MIRRORED_REPEAT, MEMBER(addressing), NULL},
    {"nearest", CL_FILTER_NEAREST, MEMBER(filter), NULL},
    {"linear", CL_FILTER_LINEAR, MEMBER(filter), NULL},
    {"linear_levels", CL_FILTER_LINEAR, MEMBER(level_filter), NULL},
};

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
        const struct word *const word = find_word(sampler_words, COUNT(sampler_words), at, length);
        if (word == NULL) {
            return error_set(error, STATUS_INVALID,
                             "-a %s: '%.*s' says nothing of a sampler; the words are normalized, "
                             "none, clamp_to_edge, clamp, repeat, mirrored_repeat, nearest, linear "
                             "and linear_levels",
                             text, (int)length, at);
        }
        memcpy((char *)&made + word->count, &word->value, sizeof word->value);
        if (at[length] == '\0') {
            break;
        }
        at += length + 1;
    }
    *sampler = made;
    return STATUS_OK;
}
