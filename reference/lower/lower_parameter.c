/* The parameters of a kernel: what the host gives for each, and what its function sees. */
#include "reference/lower/lower_private.h"

#include <string.h>

/* Item `index` of "float*,int," or NULL. */
static const char *list_item(struct lower *lower, const char *list, uint32_t index)
{
    if (list == NULL)
        return NULL;
    for (; index > 0; index--) {
        list = strchr(list, ',');
        if (list == NULL)
            return NULL;
        list++;
    }
    return lower_code_string(lower, list, strcspn(list, ","));
}

static bool has_word(const char *list, const char *word)
{
    return list != NULL && strstr(list, word) != NULL;
}

bool lower_has_attribute(const struct lower *lower, uint32_t id, uint32_t attribute)
{
    for (const struct spv_decoration *d = lower->module->ids[id].decorations; d != NULL;
         d = d->next) {
        if (d->group == 0 && d->decoration == SpvDecorationFuncParamAttr && d->operand_count == 1 &&
            d->operands[0] == attribute)
            return true;
    }
    return false;
}

/* What a child finds in what its first parameter points to. */
static bool is_literal(const struct lower *lower, uint32_t index)
{
    return lower->kernel->phase == SPV_PHASE_CHILD && index == 0;
}

/* What a pointer parameter is. */
static bool pointer_kind(struct lower *lower, uint32_t id, const struct spv_type *type,
                         struct vm_parameter *parameter)
{
    switch (type->storage) {
    case SpvStorageClassCrossWorkgroup:
        parameter->kind = VM_PARAMETER_GLOBAL;
        return true;
    case SpvStorageClassUniformConstant:
        parameter->kind = VM_PARAMETER_CONSTANT;
        return true;
    case SpvStorageClassWorkgroup:
        parameter->kind = VM_PARAMETER_LOCAL;
        parameter->size = 0;
        return true;
    case SpvStorageClassFunction:
        if (!lower_has_attribute(lower, id, SpvFunctionParameterAttributeByVal) ||
            type->element == NULL || type->element->alignment == 0)
            break;
        parameter->kind = VM_PARAMETER_STRUCT;
        parameter->size = type->element->size;
        return true;
    default:
        break;
    }
    lower_fail(lower, STATUS_UNSUPPORTED,
               "parameter '%s' of kernel '%s': pointers of this address space are not supported",
               parameter->name, lower->kernel->name);
    return false;
}

static bool parameter_kind(struct lower *lower, uint32_t id, const struct spv_type *type,
                           struct vm_parameter *parameter)
{
    const struct spv_type *scalar = lower_scalar_type(type);
    parameter->size = 8; /* of a pointer, cl_mem, cl_sampler or cl_command_queue */
    parameter->width = 8;
    parameter->count = 1;
    if (type->kind == SPV_TYPE_POINTER)
        return pointer_kind(lower, id, type, parameter);
    if (type->op == SpvOpTypeQueue) {
        parameter->kind = VM_PARAMETER_QUEUE;
    } else if (scalar->kind == SPV_TYPE_INT || scalar->kind == SPV_TYPE_FLOAT) {
        parameter->kind = VM_PARAMETER_VALUE;
        parameter->size = type->size;
        parameter->width = (uint8_t)(scalar->width / 8);
        parameter->count = (uint8_t)type->components;
    } else if ((type->kind == SPV_TYPE_STRUCT || type->kind == SPV_TYPE_ARRAY) &&
               type->alignment > 0) {
        parameter->kind = VM_PARAMETER_STRUCT;
        parameter->size = type->size;
    } else if (type->op == SpvOpTypeSampler) {
        parameter->kind = VM_PARAMETER_SAMPLER;
    } else if (type->op == SpvOpTypeImage || type->op == SpvOpTypePipe) {
        const bool image = type->op == SpvOpTypeImage;
        parameter->kind = image ? VM_PARAMETER_IMAGE : VM_PARAMETER_PIPE;
        parameter->read_only = type->image.access == SpvAccessQualifierReadOnly;
        parameter->write_only = type->image.access == SpvAccessQualifierWriteOnly;
        parameter->depth = type->image.depth;
        return !image || lower_image_type(lower, type, &parameter->image);
    } else {
        lower_fail(lower, STATUS_UNSUPPORTED,
                   "parameter '%s' of kernel '%s' is of an opaque type, which is not supported",
                   parameter->name, lower->kernel->name);
    }
    return !lower_failed(lower);
}

/* The scalar that a type consists of alone, as complex numbers do of float; NULL where there are
 * several. Depth is bounded by SPV_DEPTH_MAX. */
static const struct spv_type *only_scalar(const struct spv_type *type)
{
    const struct spv_type *only = NULL;
    switch (type->kind) {
    case SPV_TYPE_INT:
    case SPV_TYPE_FLOAT:
        return type;
    case SPV_TYPE_VECTOR:
    case SPV_TYPE_ARRAY:
        return only_scalar(type->element);
    case SPV_TYPE_STRUCT:
        for (uint32_t m = 0; m < type->member_count; m++) {
            const struct spv_type *scalar = only_scalar(type->members[m]);
            if (scalar == NULL || (only != NULL && only != scalar))
                return NULL;
            only = scalar;
        }
        return only;
    default:
        return NULL;
    }
}

/* "float4*" for a pointer to such values, "float*" for one to structures of nothing else; the name
 * for all else. Newer compilers know all pointers as such to bytes, which says nothing then. */
static const char *plain_type_name(struct lower *lower, const struct spv_type *type,
                                   const char *name)
{
    static const char *const floats[] = {"half", "float", "double"};
    static const char *const integers[] = {"ushort", "uint", "ulong"};
    const struct spv_type *pointee = type->kind == SPV_TYPE_POINTER ? type->element : NULL;
    const struct spv_type *scalar = pointee != NULL ? only_scalar(pointee) : NULL;
    if (scalar == NULL || scalar->width == 8)
        return name;
    const int width = __builtin_ctz(scalar->width) - 4; /* 0 for 16 bits, 1 for 32, 2 for 64 */
    const char *plain = scalar->kind == SPV_TYPE_FLOAT ? floats[width] : integers[width];
    const char *whole =
        pointee->kind == SPV_TYPE_VECTOR
            ? arena_format(&lower->code->arena, "%s%u*", plain, (unsigned)pointee->components)
            : arena_format(&lower->code->arena, "%s*", plain);
    if (whole == NULL)
        lower_no_memory(lower);
    return whole;
}

static void parameter_facts(struct lower *lower, uint32_t index, uint32_t id,
                            const struct spv_type *type, struct vm_parameter *parameter)
{
    const char *qualifiers = list_item(lower, lower->kernel->argument_qualifiers, index);
    const char *type_name = list_item(lower, lower->kernel->argument_types, index);
    parameter->name = lower->module->ids[id].name;
    parameter->type_name = type_name != NULL ? type_name : "";
    parameter->type = type->kind == SPV_TYPE_POINTER ? type->element : type;
    parameter->plain_type_name = plain_type_name(lower, type, parameter->type_name);
    parameter->is_const =
        qualifiers != NULL ? has_word(qualifiers, "const")
                           : lower_has_attribute(lower, id, SpvFunctionParameterAttributeNoWrite);
    parameter->is_restrict = has_word(qualifiers, "restrict") ||
                             lower_has_attribute(lower, id, SpvFunctionParameterAttributeNoAlias) ||
                             spv_decoration_find(lower->module, id, SpvDecorationRestrict) != NULL;
    parameter->is_volatile = has_word(qualifiers, "volatile") ||
                             spv_decoration_find(lower->module, id, SpvDecorationVolatile) != NULL;
    const struct spv_decoration *max =
        spv_decoration_find(lower->module, id, SpvDecorationMaxByteOffset);
    parameter->size_max = max != NULL && max->operand_count == 1 ? max->operands[0] : 0;
}

/* The value that the kernel's function sees. */
static void parameter_ref(struct lower *lower, uint32_t index, const struct spv_type *type,
                          const struct vm_parameter *parameter, struct ir_ref *ref)
{
    struct ir_leaves leaves;
    if (lower_failed(lower) || !lower_leaves(lower, type, &leaves))
        return;
    uint32_t *values = lower_alloc(lower, leaves.components, sizeof *values);
    if (values == NULL)
        return;
    *ref = (struct ir_ref){.values = values, .count = leaves.components, .type = type};
    if (parameter->kind != VM_PARAMETER_STRUCT) {
        for (uint32_t i = 0; i < leaves.components; i++)
            values[i] = ir_leaf(lower, IR_PARAMETER, parameter->width, index, i);
        return;
    }
    const bool pointer = type->kind == SPV_TYPE_POINTER;
    const struct spv_type *held = pointer ? type->element : type;
    const bool literal = is_literal(lower, index);
    const uint32_t variable = lower_new_variable(
        lower, VM_VARIABLE_PRIVATE, parameter->name,
        literal ? lower->kernel->literal_size : held->size,
        literal ? lower->kernel->literal_alignment : held->alignment, (int32_t)index);
    const uint32_t address = ir_address(lower, IR_VARIABLE, variable, 0);
    if (pointer) {
        values[0] = address;
        return;
    }
    const struct spv_type place = {.kind = SPV_TYPE_POINTER, .storage = SpvStorageClassFunction};
    lower_load(lower, address, &place, type, values);
}

void lower_kernel_parameters(struct lower *lower, struct ir_ref *refs)
{
    const struct spv_function *function = lower->kernel->function;
    struct vm_code *code = lower->code;
    code->parameters = lower_code_alloc(lower, function->parameter_count, sizeof *code->parameters);
    code->parameter_count = function->parameter_count;
    for (uint32_t i = 0; i < function->parameter_count && !lower_failed(lower); i++) {
        const uint32_t id = function->parameters[i].result;
        const struct spv_type *type = function->type->members[i];
        parameter_facts(lower, i, id, type, &code->parameters[i]);
        if (is_literal(lower, i))
            code->parameters[i] = (struct vm_parameter){.kind = VM_PARAMETER_STRUCT,
                                                        .name = "block",
                                                        .type_name = "",
                                                        .plain_type_name = "",
                                                        .size = lower->kernel->literal_size};
        else if (!parameter_kind(lower, id, type, &code->parameters[i]))
            return;
        if (!lower_failed(lower))
            parameter_ref(lower, i, type, &code->parameters[i], &refs[i]);
        if (!lower_failed(lower) && refs[i].count == 1)
            lower_name_variable(lower, id, 0, refs[i].values[0]);
    }
}
