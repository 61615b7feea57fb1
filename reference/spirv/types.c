/* Types and their layout in memory.
 *
 * Kernel modules carry no offsets: OpenCL C 3.0, 6.3.5 (Alignment of Types): a type is aligned to
 * its size, a three-component vector takes the room of four, and structures are laid out as in C99,
 * without padding where CPacked says so. */
#include "reference/spirv/parse.h"
#include "trace/base/size.h"

static enum status layout_vector(struct spv_parser *parser, struct spv_type *type)
{
    if (type->element->kind != SPV_TYPE_BOOL && type->element->kind != SPV_TYPE_INT &&
        type->element->kind != SPV_TYPE_FLOAT && type->element->kind != SPV_TYPE_POINTER)
        return spv_parse_malformed(parser, "a vector whose components are not scalars");
    if (type->count != 2 && type->count != 3 && type->count != 4 && type->count != 8 &&
        type->count != 16)
        return spv_parse_malformed(parser, "a vector of %llu components",
                                   (unsigned long long)type->count);
    type->size = type->element->size * (type->count == 3 ? 4 : type->count);
    type->alignment = type->size;
    type->components = type->count;
    return STATUS_OK;
}

static enum status layout_array(struct spv_parser *parser, struct spv_type *type)
{
    type->alignment = type->element->alignment;
    if (!size_mul(type->element->size, type->count, &type->size) || type->size > INT64_MAX)
        return spv_parse_malformed(parser, "an array larger than the address space");
    if (!size_mul(type->element->components, type->count, &type->components))
        type->components = UINT64_MAX;
    return STATUS_OK;
}

static enum status layout_struct(struct spv_parser *parser, struct spv_type *type)
{
    const bool packed = spv_decoration_find(parser->module, type->id, SpvDecorationCPacked) != NULL;
    uint64_t offset = 0;
    uint64_t alignment = 1;
    bool storable = true;
    for (uint32_t i = 0; i < type->member_count; i++) {
        const struct spv_type *member = type->members[i];
        if (member->alignment == 0) {
            storable = false;
            continue;
        }
        const uint64_t step = packed ? 1 : member->alignment;
        offset = size_align(offset, step);
        type->offsets[i] = offset;
        if (!size_add(offset, member->size, &offset) || offset > INT64_MAX)
            return spv_parse_malformed(parser, "a structure larger than the address space");
        alignment = step > alignment ? step : alignment;
        if (!size_add(type->components, member->components, &type->components))
            type->components = UINT64_MAX;
    }
    if (storable) {
        type->size = size_align(offset, alignment);
        type->alignment = alignment;
    }
    return STATUS_OK;
}

static enum status operand_type(struct spv_parser *parser, uint32_t id, struct spv_type *user,
                                const struct spv_type **type)
{
    *type = spv_type_find(parser->module, id);
    if (*type == NULL)
        return spv_parse_malformed(parser, "id %u is not a type", id);
    if ((*type)->depth + 1 > user->depth)
        user->depth = (*type)->depth + 1;
    if (user->depth > SPV_DEPTH_MAX)
        return spv_parse_malformed(parser, "types nested deeper than %d", SPV_DEPTH_MAX);
    return STATUS_OK;
}

static enum status parse_members(struct spv_parser *parser, struct spv_type *type,
                                 const uint32_t *ids, uint32_t count)
{
    type->member_count = count;
    type->members = arena_alloc(&parser->module->arena, count, sizeof *type->members);
    type->offsets = arena_alloc(&parser->module->arena, count, sizeof *type->offsets);
    if (type->members == NULL || type->offsets == NULL)
        return spv_parse_no_memory(parser);
    for (uint32_t i = 0; i < count; i++) {
        const enum status status = operand_type(parser, ids[i], type, &type->members[i]);
        if (status != STATUS_OK)
            return status;
    }
    return STATUS_OK;
}

static enum status parse_number(struct spv_parser *parser, struct spv_type *type,
                                enum spv_type_kind kind, uint32_t width)
{
    const bool known = kind == SPV_TYPE_INT
                           ? width == 8 || width == 16 || width == 32 || width == 64
                           : width == 16 || width == 32 || width == 64;
    if (!known)
        return spv_parse_unsupported(parser, "%u bits wide numbers are not supported", width);
    type->kind = kind;
    type->width = width;
    type->size = width / 8;
    type->alignment = width / 8;
    type->components = 1;
    return STATUS_OK;
}

static void set_pointer(const struct spv_parser *parser, struct spv_type *type, uint32_t storage)
{
    type->kind = SPV_TYPE_POINTER;
    type->storage = (SpvStorageClass)storage;
    type->size = type->alignment = parser->module->narrow ? 4 : 8;
    type->components = 1;
}

static enum status parse_image(struct spv_parser *parser, struct spv_type *type)
{
    const struct spv_instruction *at = parser->at;
    const uint32_t *operands = at->operands;
    type->kind = SPV_TYPE_IMAGE;
    type->components = at->op == SpvOpTypeSampledImage ? 2 : 1;
    type->size = type->components * 8;
    type->alignment = 8;
    if (at->op == SpvOpTypePipe)
        type->image.access = (SpvAccessQualifier)operands[0];
    if (at->op == SpvOpTypeImage) {
        type->image = (struct spv_image_type){
            .dimensions = (SpvDim)operands[1],
            .depth = operands[2] == 1,
            .arrayed = operands[3] != 0,
            .multisampled = operands[4] != 0,
            .access = at->operand_count > 7 ? (SpvAccessQualifier)operands[7]
                                            : SpvAccessQualifierReadOnly,
        };
    } else if (at->op == SpvOpTypeSampledImage) {
        const enum status status = operand_type(parser, operands[0], type, &type->element);
        if (status != STATUS_OK)
            return status;
        if (type->element->op != SpvOpTypeImage)
            return spv_parse_malformed(parser, "id %u is not an image type", operands[0]);
        type->image = type->element->image;
    }
    return STATUS_OK;
}

static enum status parse_type_kind(struct spv_parser *parser, struct spv_type *type)
{
    const struct spv_instruction *at = parser->at;
    const uint32_t *operands = at->operands;
    enum status status;
    switch (at->op) {
    case SpvOpTypeVoid:
        type->kind = SPV_TYPE_VOID;
        return STATUS_OK;
    case SpvOpTypeBool:
        type->kind = SPV_TYPE_BOOL;
        type->size = type->alignment = type->components = 1;
        return STATUS_OK;
    case SpvOpTypeInt:
        return parse_number(parser, type, SPV_TYPE_INT, operands[0]);
    case SpvOpTypeFloat:
        return parse_number(parser, type, SPV_TYPE_FLOAT, operands[0]);
    case SpvOpTypeVector:
        type->kind = SPV_TYPE_VECTOR;
        type->count = operands[1];
        status = operand_type(parser, operands[0], type, &type->element);
        return status != STATUS_OK ? status : layout_vector(parser, type);
    case SpvOpTypeArray:
        type->kind = SPV_TYPE_ARRAY;
        status = operand_type(parser, operands[0], type, &type->element);
        if (status == STATUS_OK && !spv_integer_find(parser->module, operands[1], &type->count))
            return spv_parse_malformed(parser, "the length, id %u, is not an integer constant",
                                       operands[1]);
        return status != STATUS_OK ? status : layout_array(parser, type);
    case SpvOpTypeStruct:
        type->kind = SPV_TYPE_STRUCT;
        status = parse_members(parser, type, operands, at->operand_count);
        return status != STATUS_OK ? status : layout_struct(parser, type);
    case SpvOpTypeEvent:     /* the number of a copy: reference/sched/copy.c */
    case SpvOpTypeReserveId: /* reference/vm/pipe.h */
    case SpvOpTypeQueue: /* what names one of the device: reference/icd/kernels/device_queue.h */
    case SpvOpTypeDeviceEvent:  /* reference/icd/kernels/device_event.c */
    case SpvOpTypeNamedBarrier: /* reference/lower/lower_group.c */
        return parse_number(parser, type, SPV_TYPE_INT, 64);
    case SpvOpTypePointer:
        set_pointer(parser, type, operands[0]);
        type->element_id = operands[1];
        type->element = spv_type_find(parser->module, operands[1]);
        return STATUS_OK;
    case SpvOpTypeImage:
    case SpvOpTypeSampler:
    case SpvOpTypeSampledImage:
    case SpvOpTypePipe:
    case SpvOpTypePipeStorage:
        return parse_image(parser, type);
    case SpvOpTypeFunction:
        type->kind = SPV_TYPE_FUNCTION;
        status = operand_type(parser, operands[0], type, &type->element);
        return status != STATUS_OK
                   ? status
                   : parse_members(parser, type, operands + 1, at->operand_count - 1u);
    default:
        type->kind = SPV_TYPE_OPAQUE;
        return STATUS_OK;
    }
}

/* A structure may hold pointers to its own type: they are named before it, and made after it. */
static enum status parse_forward_pointer(struct spv_parser *parser)
{
    const uint32_t id = parser->at->operands[0];
    struct spv_type *type = arena_alloc(&parser->module->arena, 1, sizeof *type);
    if (type == NULL)
        return spv_parse_no_memory(parser);
    type->id = id;
    type->op = SpvOpTypeForwardPointer;
    set_pointer(parser, type, parser->at->operands[1]);
    return spv_parse_define(parser, id, (struct spv_id){.kind = SPV_ID_TYPE, .type = type});
}

/* The pointer that was named before; NULL if it was not. */
static struct spv_type *forward_pointer(const struct spv_parser *parser)
{
    const struct spv_type *type = spv_type_find(parser->module, parser->at->result);
    const bool named =
        type != NULL && type->op == SpvOpTypeForwardPointer && parser->at->op == SpvOpTypePointer;
    return named ? (struct spv_type *)(uintptr_t)type : NULL;
}

enum status spv_parse_type(struct spv_parser *parser)
{
    if (parser->at->op == SpvOpTypeForwardPointer)
        return parse_forward_pointer(parser);
    struct spv_type *forward = forward_pointer(parser);
    if (forward != NULL) {
        forward->op = SpvOpTypePointer;
        return parse_type_kind(parser, forward);
    }
    struct spv_type *type = arena_alloc(&parser->module->arena, 1, sizeof *type);
    if (type == NULL)
        return spv_parse_no_memory(parser);
    type->id = parser->at->result;
    type->op = parser->at->op;
    const enum status status = parse_type_kind(parser, type);
    const struct spv_id what = {.kind = SPV_ID_TYPE, .type = type};
    return status != STATUS_OK ? status : spv_parse_define(parser, type->id, what);
}

enum status spv_parse_finish_types(struct spv_parser *parser)
{
    for (uint32_t i = 0; i < parser->module->instruction_count; i++) {
        parser->at = &parser->module->instructions[i];
        if (parser->at->op == SpvOpTypeForwardPointer &&
            spv_type_find(parser->module, parser->at->operands[0])->op == SpvOpTypeForwardPointer)
            return spv_parse_malformed(parser, "id %u is not a type", parser->at->operands[0]);
        if (parser->at->op != SpvOpTypePointer)
            continue;
        const struct spv_id *entry = &parser->module->ids[parser->at->result];
        const struct spv_type *element = spv_type_find(parser->module, entry->type->element_id);
        if (element == NULL)
            return spv_parse_malformed(parser, "id %u is not a type", entry->type->element_id);
        /* Written after it was made, as forward pointers are: this file owns types. */
        ((struct spv_type *)(uintptr_t)entry->type)->element = element;
    }
    return STATUS_OK;
}
