#include "reference/debug/opaque.h"

#include "checkers/image_words.h"
#include "reference/vm/bits.h"
#include "reference/vm/image.h"
#include "reference/vm/pipe.h"
#include "trace/api/enumerant.h"

#include <CL/cl.h>
#include <spirv/unified1/spirv.h>
#include <string.h>

/* ---- loads ---- */

enum debug_opaque debug_opaque_of(const struct debug_type *type, const struct debug_spot *spot)
{
    const struct debug_type *plain = debug_type_plain(type);
    if (spot->variable && spot->variable->is_pipe)
        return DEBUG_PIPE;
    if (plain->kind != DEBUG_TYPE_OPAQUE)
        return DEBUG_NOT_OPAQUE;
    return strncmp(plain->name, "image", strlen("image")) == 0 ? DEBUG_IMAGE
           : strcmp(plain->name, "sampler_t") == 0             ? DEBUG_SAMPLER
                                                               : DEBUG_NOT_OPAQUE;
}

static void find_object(const struct debug_lane *lane, struct debug_value *value)
{
    uint64_t offset;
    uint32_t index;
    const char *why;
    if (!debug_find_object(lane, value->bits[0], &value->object, &offset, &index, &why))
        value->unknown = why;
    else if (value->opaque == DEBUG_IMAGE ? !value->object->image : !value->object->pipe)
        value->unknown = value->opaque == DEBUG_IMAGE ? "it is not an image" : "it is not a pipe";
}

void debug_load_opaque(const struct debug_lane *lane, enum debug_opaque opaque,
                       struct debug_spot spot, struct debug_value *value)
{
    uint8_t undefined[8];
    const char *why;
    *value = (struct debug_value){
        .type = value->type, .number = {.width = 8}, .count = 1, .opaque = opaque};
    value->number.is_pointer = opaque != DEBUG_SAMPLER;
    if (!debug_peek(lane, spot, sizeof undefined, (uint8_t *)value->bits, undefined, &why)) {
        value->unknown = why;
        return;
    }
    memcpy(value->undefined, undefined, sizeof undefined);
    if (value->undefined[0])
        value->unknown = "it is undefined";
    else if (opaque != DEBUG_SAMPLER)
        find_object(lane, value);
}

void debug_load_texel(const struct debug_lane *lane, struct debug_texel texel, uint64_t address,
                      struct debug_value *value)
{
    const enum vm_image_class class = vm_image_class(texel.channel);
    const struct vm_image image = {
        .order = texel.order, .channel = texel.channel, .texel_size = texel.size};
    uint8_t bytes[VM_IMAGE_TEXEL_MAX];
    uint8_t undefined[VM_IMAGE_TEXEL_MAX];
    uint32_t color[4];
    const char *why;
    *value = (struct debug_value){
        .number = {.width = 4,
                   .is_floating = class == VM_IMAGE_FLOAT,
                   .is_signed = class != VM_IMAGE_UINT},
        .count = texel.order == SpvImageChannelOrderDepth ? 1 : 4,
        .has_spot = true,
        .spot = {.offset = address},
        .texel = texel,
    };
    if (!debug_peek(lane, value->spot, texel.size, bytes, undefined, &why)) {
        value->unknown = why;
        return;
    }
    vm_image_unpack(&image, bytes, color);
    const uint32_t open = vm_image_undefined_channels(&image, bytes, undefined);
    for (uint32_t c = 0; c < value->count; c++) {
        value->bits[c] = color[c];
        value->undefined[c] = open >> c & 1 ? bits_low(32) : 0;
    }
}

/* ---- parts ---- */

struct described {
    const char *name;
    uint64_t number;
    const char *word; /* for people, instead of the number; NULL = none */
};
enum { DESCRIBED_MAX = 8 };

static const char *word_of(enum api_family family, uint64_t value)
{
    const struct api_enumerant *found = api_enumerant_find(family, value);
    return found ? found->name : NULL;
}

static struct described describe_word(const char *name, enum api_family family, uint64_t value)
{
    return (struct described){name, value, word_of(family, value)};
}

static uint32_t describe_image(const struct vm_image *image, struct described *list)
{
    const enum vm_image_type type = image->type;
    const bool is_array = type == VM_IMAGE_1D_ARRAY || type == VM_IMAGE_2D_ARRAY;
    uint32_t count = 0;
    list[count++] = (struct described){"width", image->width, NULL};
    if (type == VM_IMAGE_2D || type == VM_IMAGE_2D_ARRAY || type == VM_IMAGE_3D)
        list[count++] = (struct described){"height", image->height, NULL};
    if (type == VM_IMAGE_3D)
        list[count++] = (struct described){"depth", image->depth, NULL};
    if (is_array)
        list[count++] = (struct described){"array_size", image->layers, NULL};
    if (image->levels > 1)
        list[count++] = (struct described){"num_mip_levels", image->levels, NULL};
    list[count++] = describe_word("channel_order", API_FAMILY_CHANNEL_ORDER, CL_R + image->order);
    list[count++] =
        describe_word("channel_data_type", API_FAMILY_CHANNEL_TYPE, CL_SNORM_INT8 + image->channel);
    return count;
}

static uint32_t describe_sampler(uint64_t bits, struct described *list)
{
    list[0] = (struct described){"normalized_coords", bits & 1, bits & 1 ? "true" : "false"};
    list[1] = describe_word("addressing_mode", API_FAMILY_ADDRESSING_MODE,
                            CL_ADDRESS_NONE + (bits >> 1 & 7));
    list[2] =
        describe_word("filter_mode", API_FAMILY_FILTER_MODE, CL_FILTER_NEAREST + (bits >> 4 & 1));
    return 3;
}

static uint32_t describe_pipe(const struct vm_pipe *pipe, struct described *list)
{
    list[0] = (struct described){"packet_size", vm_pipe_packet_size(pipe), NULL};
    list[1] = (struct described){"max_packets", vm_pipe_capacity(pipe), NULL};
    list[2] = (struct described){"num_packets", vm_pipe_available(pipe), NULL};
    return 3;
}

static uint32_t describe(const struct debug_value *value, struct described list[DESCRIBED_MAX])
{
    if (value->unknown)
        return 0;
    return value->opaque == DEBUG_IMAGE     ? describe_image(value->object->image, list)
           : value->opaque == DEBUG_SAMPLER ? describe_sampler(value->bits[0], list)
           : value->opaque == DEBUG_PIPE    ? describe_pipe(value->object->pipe, list)
                                            : 0;
}

uint32_t debug_opaque_part_count(const struct debug_value *value)
{
    struct described list[DESCRIBED_MAX];
    return describe(value, list);
}

/* OpenCL C's functions give an int, but for sizes of arrays; those of pipes an unsigned one. */
static void set_part(const struct debug_value *of, const struct described *described,
                     struct debug_value *value)
{
    const bool is_size = strcmp(described->name, "array_size") == 0;
    *value = (struct debug_value){
        .number = {.width = is_size ? 8 : 4, .is_signed = of->opaque == DEBUG_IMAGE && !is_size},
        .count = 1,
        .word = described->word};
    value->bits[0] = described->number;
}

void debug_opaque_part(const struct debug_value *value, uint32_t index, struct debug_value *part,
                       const char **name)
{
    struct described list[DESCRIBED_MAX];
    describe(value, list);
    set_part(value, &list[index], part);
    *name = list[index].name;
}

bool debug_opaque_find_part(const struct debug_value *value, const char *name,
                            struct debug_value *part)
{
    struct described list[DESCRIBED_MAX];
    const struct debug_value of = *value;
    const uint32_t count = describe(&of, list);
    uint32_t i = 0;
    while (i < count && strcmp(list[i].name, name) != 0)
        i++;
    if (i < count)
        set_part(&of, &list[i], part);
    return i < count;
}

/* ---- texts ---- */

const char *debug_opaque_type_prefix(const struct debug_value *value)
{
    return value->opaque == DEBUG_PIPE ? "pipe " : "";
}

void debug_append_image(const struct debug_lane *lane, const struct debug_value *value,
                        struct text *text)
{
    const struct vm_image *image = value->object->image;
    const uint64_t sizes[] = {image->width,
                              image->type == VM_IMAGE_1D_ARRAY ? image->layers : image->height,
                              image->type == VM_IMAGE_2D_ARRAY ? image->layers : image->depth};
    const struct image_place place = {.type = vm_image_type_name(image->type),
                                      .name = value->object->identity.name,
                                      .coordinate_count = vm_image_coordinates(image->type),
                                      .size = sizes};
    const char *order = word_of(API_FAMILY_CHANNEL_ORDER, CL_R + image->order);
    const char *channel = word_of(API_FAMILY_CHANNEL_TYPE, CL_SNORM_INT8 + image->channel);
    text_format(text, "%s, %s %s", image_words_which(&lane->session->scratch, &place),
                order ? order : "?", channel ? channel : "?");
    if (image->levels > 1)
        text_format(text, ", %u levels", image->levels);
}
