/* Images and samplers: OpenCL C 3.0, 6.15.15. An image is the pointer to its object, a sampler its
 * number, both together two components; what a built-in does with them is one op, on 32-bit
 * channels. */
#include "reference/lower/lower_private.h"
#include "reference/spirv/grammar.h"
#include "reference/vm/image.h"

bool lower_image_type(struct lower *lower, const struct spv_type *type, enum vm_image_type *found)
{
    static const struct {
        SpvDim dimensions;
        bool arrayed;
        enum vm_image_type type;
    } known[] = {
        {SpvDim1D, false, VM_IMAGE_1D},
        {SpvDim1D, true, VM_IMAGE_1D_ARRAY},
        {SpvDimBuffer, false, VM_IMAGE_1D_BUFFER},
        {SpvDim2D, false, VM_IMAGE_2D},
        {SpvDim2D, true, VM_IMAGE_2D_ARRAY},
        {SpvDim3D, false, VM_IMAGE_3D},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0] && !type->image.multisampled; i++) {
        if (known[i].dimensions == type->image.dimensions &&
            known[i].arrayed == type->image.arrayed) {
            *found = known[i].type;
            return true;
        }
    }
    if (type->image.multisampled)
        lower_fail(lower, STATUS_UNSUPPORTED,
                   "a multi-sampled image: only cl_khr_gl_msaa_sharing makes one, of a texture of "
                   "OpenGL's, and the device does not have it");
    else
        lower_refuse(lower, "an image of this dimension");
    return false;
}

/* The image in operand 0, of the given opcode's kind: an image, or with a sampler. */
static struct ir_ref image_operand(struct lower *lower, uint32_t op, enum vm_image_type *type)
{
    const struct ir_ref image = lower_operand(lower, 0);
    if (image.type->op != op)
        lower_malformed(lower, "with an operand that is not an image");
    else
        lower_image_type(lower, image.type, type);
    return image;
}

/* ---- coordinates and operands of an access ---- */

struct image_access {
    struct ir_ref image;
    enum vm_image_type type;
    uint32_t operands[12];
    uint32_t operand_count;
    uint32_t aux;
};

static void add_coordinates(struct lower *lower, struct image_access *access)
{
    const struct ir_ref coordinates = lower_operand(lower, 1);
    const uint32_t count = vm_image_coordinates(access->type);
    const struct spv_type *scalar = lower_scalar_type(coordinates.type);
    const bool floating = scalar->kind == SPV_TYPE_FLOAT;
    if (coordinates.count < count || scalar->width != 32 ||
        (!floating && scalar->kind != SPV_TYPE_INT) ||
        (floating && lower->at->op != SpvOpImageSampleExplicitLod)) {
        lower_fail(lower, STATUS_MALFORMED, "the coordinates of %s do not fit the image",
                   spv_op_name(lower->at->op));
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        access->operands[access->operand_count++] = coordinates.values[i];
    access->aux |= count | (floating ? (uint32_t)VM_IMAGE_FLOATING : 0);
}

/* A level of detail of 0 is none: OpenCL C's built-ins without one are written so, and read the
 * first level. */
static void add_level(struct lower *lower, uint32_t index, struct image_access *access)
{
    const bool sampled = lower->at->op == SpvOpImageSampleExplicitLod;
    const struct ir_ref lod = lower_operand(lower, index);
    if (lod.count != 1 || lod.type->width != 32 ||
        lod.type->kind != (sampled ? SPV_TYPE_FLOAT : SPV_TYPE_INT)) {
        lower_fail(lower, STATUS_MALFORMED, "the level of detail of %s is of another type",
                   spv_op_name(lower->at->op));
        return;
    }
    const struct ir_value *value = &lower->values[lod.values[0]];
    if (value->kind == IR_CONSTANT && (value->bits << 33) >> 33 == 0)
        return;
    access->operands[access->operand_count++] = lod.values[0];
    access->aux |= VM_IMAGE_LEVEL;
}

/* In x and then in y, of as many components as the image has coordinates without layers; OpenCL C
 * has four for three. */
static void add_gradients(struct lower *lower, uint32_t index, struct image_access *access)
{
    const uint32_t count =
        vm_image_coordinates(access->type) - (access->image.type->image.arrayed ? 1 : 0);
    for (uint32_t i = 0; i < 2 && !lower_failed(lower); i++) {
        const struct ir_ref gradient = lower_operand(lower, index + i);
        const struct spv_type *scalar = lower_scalar_type(gradient.type);
        if (gradient.count < count || scalar->kind != SPV_TYPE_FLOAT || scalar->width != 32) {
            lower_fail(lower, STATUS_MALFORMED, "the gradients of %s do not fit the image",
                       spv_op_name(lower->at->op));
            return;
        }
        for (uint32_t c = 0; c < count; c++)
            access->operands[access->operand_count++] = gradient.values[c];
    }
    access->aux |= count << VM_IMAGE_GRADIENT_SHIFT;
}

/* The optional operands that begin with the mask in operand `index`: a level of detail or
 * gradients, how integers are meant, and that the texels are not soon wanted again, which means
 * nothing here. Sets the classes of images that the access is for. */
static void add_options(struct lower *lower, uint32_t index, const struct spv_type *color,
                        struct image_access *access)
{
    const bool sampled = lower->at->op == SpvOpImageSampleExplicitLod;
    const uint32_t known = SpvImageOperandsLodMask | SpvImageOperandsSignExtendMask |
                           SpvImageOperandsZeroExtendMask | SpvImageOperandsNontemporalMask |
                           (sampled ? SpvImageOperandsGradMask : 0);
    const uint32_t options = index < lower->at->operand_count ? lower->at->operands[index] : 0;
    uint32_t classes = color->kind == SPV_TYPE_FLOAT              ? 1u << VM_IMAGE_FLOAT
                       : options & SpvImageOperandsSignExtendMask ? 1u << VM_IMAGE_INT
                       : options & SpvImageOperandsZeroExtendMask
                           ? 1u << VM_IMAGE_UINT
                           : 1u << VM_IMAGE_INT | 1u << VM_IMAGE_UINT;
    access->aux |= classes << VM_IMAGE_CLASS_SHIFT;
    if (access->image.type->image.access == SpvAccessQualifierReadWrite)
        access->aux |= VM_IMAGE_READ_WRITE;
    if ((options & ~known) ||
        (options & SpvImageOperandsLodMask && options & SpvImageOperandsGradMask)) {
        lower_refuse(lower, "%s with image operands 0x%x", spv_op_name(lower->at->op), options);
        return;
    }
    if (options & SpvImageOperandsLodMask)
        add_level(lower, index + 1, access);
    else if (options & SpvImageOperandsGradMask)
        add_gradients(lower, index + 1, access);
}

/* The type of the channels of a color: 32 bits, or half. NULL on failure. */
static const struct spv_type *color_type(struct lower *lower, const struct spv_type *type)
{
    const struct spv_type *scalar = lower_scalar_type(type);
    const bool number = scalar->kind == SPV_TYPE_FLOAT || scalar->kind == SPV_TYPE_INT;
    if (number &&
        (scalar->width == 32 || (scalar->width == 16 && scalar->kind == SPV_TYPE_FLOAT)) &&
        (type == scalar || type->count == 4))
        return scalar;
    lower_fail(lower, STATUS_MALFORMED, "the color of %s is of another type",
               spv_op_name(lower->at->op));
    return NULL;
}

/* ---- the instructions ---- */

static void translate_read(struct lower *lower)
{
    const bool sampled = lower->at->op == SpvOpImageSampleExplicitLod;
    const struct spv_type *type = lower_result_type(lower);
    struct image_access access = {.operand_count = 1};
    access.image =
        image_operand(lower, sampled ? SpvOpTypeSampledImage : SpvOpTypeImage, &access.type);
    add_coordinates(lower, &access);
    const struct spv_type *color = lower_failed(lower) ? NULL : color_type(lower, type);
    if (color == NULL)
        return;
    if (access.image.type->image.access == SpvAccessQualifierWriteOnly) {
        lower_malformed(lower, "of an image that is write_only");
        return;
    }
    add_options(lower, 2, color, &access);
    access.operands[0] = access.image.values[0];
    if (sampled)
        access.operands[access.operand_count++] = access.image.values[1];
    const uint32_t count = (uint32_t)type->components;
    const uint32_t first = ir_emit(lower, sampled ? VM_OP_image_sample : VM_OP_image_read, 4, count,
                                   access.operands, access.operand_count);
    ir_last(lower)->aux = access.aux;
    uint32_t values[4];
    for (uint32_t i = 0; i < count; i++)
        values[i] = color->width == 16 ? ir_op1(lower, VM_OP_conv_f16_f32, first + i) : first + i;
    lower_set_result(lower, values, count);
}

static void translate_write(struct lower *lower)
{
    struct image_access access = {.operand_count = 1};
    access.image = image_operand(lower, SpvOpTypeImage, &access.type);
    add_coordinates(lower, &access);
    const struct ir_ref texel = lower_operand(lower, 2);
    const struct spv_type *color = lower_failed(lower) ? NULL : color_type(lower, texel.type);
    if (color == NULL)
        return;
    if (access.image.type->image.access == SpvAccessQualifierReadOnly) {
        lower_malformed(lower, "to an image that is read_only");
        return;
    }
    add_options(lower, 3, color, &access);
    access.operands[0] = access.image.values[0];
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t value = i < texel.count ? texel.values[i] : ir_constant(lower, 4, 0);
        access.operands[access.operand_count++] = color->width == 16 && i < texel.count
                                                      ? ir_op1(lower, VM_OP_conv_f32_f16, value)
                                                      : value;
    }
    ir_emit(lower, VM_OP_image_write, 4, 0, access.operands, access.operand_count);
    ir_last(lower)->count = 4;
    ir_last(lower)->aux = access.aux;
}

static uint32_t emit_query(struct lower *lower, uint32_t image, enum vm_image_query query)
{
    const uint32_t value = ir_emit(lower, VM_OP_image_query, 4, 1, &image, 1);
    ir_last(lower)->aux = query;
    return value;
}

/* Width, height and depth of a level, as far as the image has them, then its number of layers. */
static void translate_size(struct lower *lower)
{
    uint64_t lod = 0;
    if (lower->at->op == SpvOpImageQuerySizeLod)
        lower_constant_operand(lower, 1, &lod);
    lod = lod < 31 ? lod : 31;
    const struct spv_type *type = lower_result_type(lower);
    enum vm_image_type found = VM_IMAGE_1D;
    const struct ir_ref image = image_operand(lower, SpvOpTypeImage, &found);
    const struct spv_type *scalar = lower_scalar_type(type);
    const bool arrayed = image.type->image.arrayed;
    const uint32_t count = vm_image_coordinates(found);
    if (scalar->kind != SPV_TYPE_INT || type->components != count) {
        lower_fail(lower, STATUS_MALFORMED, "the type of %s does not fit the image",
                   spv_op_name(lower->at->op));
        return;
    }
    uint32_t values[3];
    for (uint32_t i = 0; i < count; i++) {
        const bool is_layers = arrayed && i == count - 1;
        const enum vm_image_query query =
            is_layers ? VM_IMAGE_QUERY_LAYERS : (enum vm_image_query)(VM_IMAGE_QUERY_WIDTH + i);
        uint32_t size = emit_query(lower, image.values[0], query);
        if (lod > 0 && !is_layers)
            size = ir_op2(lower, VM_OP_umax_32, ir_constant(lower, 4, 1),
                          ir_op2(lower, VM_OP_lshr_32, size, ir_constant(lower, 4, lod)));
        values[i] = ir_resize(lower, size, scalar->width / 8, false);
    }
    lower_set_result(lower, values, count);
}

static void translate_query(struct lower *lower)
{
    enum vm_image_type found;
    const struct ir_ref image = image_operand(lower, SpvOpTypeImage, &found);
    const enum vm_image_query query =
        lower->at->op == SpvOpImageQueryFormat  ? VM_IMAGE_QUERY_CHANNEL
        : lower->at->op == SpvOpImageQueryOrder ? VM_IMAGE_QUERY_ORDER
                                                : VM_IMAGE_QUERY_LEVELS;
    const uint32_t value = emit_query(lower, image.values[0], query);
    lower_set_result(lower, &value, 1);
}

static void translate_sampled_image(struct lower *lower)
{
    const struct ir_ref image = lower_operand(lower, 0);
    const struct ir_ref sampler = lower_operand(lower, 1);
    if (image.type->op != SpvOpTypeImage || sampler.type->op != SpvOpTypeSampler) {
        lower_malformed(lower, "of other than an image and a sampler");
        return;
    }
    const uint32_t values[2] = {image.values[0], sampler.values[0]};
    lower_set_result(lower, values, 2);
}

static void translate_image(struct lower *lower)
{
    const struct ir_ref both = lower_operand(lower, 0);
    if (both.type->op != SpvOpTypeSampledImage)
        lower_malformed(lower, "with an operand that is not an image with a sampler");
    lower_set_result(lower, both.values, 1);
}

bool lower_translate_image(struct lower *lower)
{
    static const struct lower_row rows[] = {
        {SpvOpSampledImage, translate_sampled_image},
        {SpvOpImage, translate_image},
        {SpvOpImageSampleExplicitLod, translate_read},
        {SpvOpImageRead, translate_read},
        {SpvOpImageWrite, translate_write},
        {SpvOpImageQuerySizeLod, translate_size},
        {SpvOpImageQuerySize, translate_size},
        {SpvOpImageQueryFormat, translate_query},
        {SpvOpImageQueryLevels, translate_query},
        {SpvOpImageQueryOrder, translate_query},
    };
    return lower_translate_row(lower, rows, sizeof rows / sizeof rows[0]);
}
