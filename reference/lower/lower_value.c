/* What all functions of a module share: types as lists of scalars, constants and variables. */
#include "reference/lower/lower_private.h"
#include "trace/base/assert.h"

#include <string.h>

enum { COMPONENT_MAX = 1 << 16 };

const struct spv_type *lower_scalar_type(const struct spv_type *type)
{
    return type->kind == SPV_TYPE_VECTOR ? type->element : type;
}
uint32_t lower_type_width(const struct spv_type *type)
{
    if (type->kind == SPV_TYPE_POINTER || type->kind == SPV_TYPE_IMAGE)
        return 8;
    return type->kind == SPV_TYPE_BOOL ? 0 : type->width / 8;
}

/* Depth is bounded by SPV_DEPTH_MAX, leaves by COMPONENT_MAX. */
static void add_leaves(struct lower *lower, const struct spv_type *type, uint64_t offset,
                       struct ir_leaves *leaves)
{
    if (lower_failed(lower))
        return;
    if (spv_type_is_scalar(type) || type->kind == SPV_TYPE_VECTOR || type->kind == SPV_TYPE_IMAGE) {
        const struct spv_type *scalar = type->kind == SPV_TYPE_VECTOR ? type->element : type;
        const struct ir_leaf leaf = {
            .offset = offset,
            .width = (uint8_t)lower_type_width(scalar),
            .count = (uint8_t)type->components,
            .boolean = scalar->kind == SPV_TYPE_BOOL,
            .floating = scalar->kind == SPV_TYPE_FLOAT,
            .pointer = scalar->kind == SPV_TYPE_POINTER,
        };
        lower_append(lower, &leaves->leaves, &leaves->count, &leaves->capacity, &leaf, sizeof leaf);
        for (uint32_t c = 0; c < leaf.count; c++)
            lower_append(lower, &leaves->widths, &leaves->components, &leaves->component_capacity,
                         &leaf.width, sizeof leaf.width);
    } else if (type->kind == SPV_TYPE_STRUCT) {
        for (uint32_t i = 0; i < type->member_count; i++)
            add_leaves(lower, type->members[i], offset + type->offsets[i], leaves);
    } else {
        ASSERT(type->kind == SPV_TYPE_ARRAY);
        for (uint64_t i = 0; i < type->count && type->element->components > 0; i++)
            add_leaves(lower, type->element, offset + i * type->element->size, leaves);
    }
}

bool lower_leaves(struct lower *lower, const struct spv_type *type, struct ir_leaves *leaves)
{
    *leaves = (struct ir_leaves){0};
    if (type->alignment == 0) {
        lower_refuse(lower, "a value of an opaque type in memory");
        return false;
    }
    if (type->components > COMPONENT_MAX) {
        lower_refuse(lower, "a value of more than %d components", COMPONENT_MAX);
        return false;
    }
    add_leaves(lower, type, 0, leaves);
    return !lower_failed(lower);
}

bool lower_same_shape(struct lower *lower, const struct spv_type *a, const struct spv_type *b)
{
    return !lower_failed(lower) &&
           (a == b || (a->kind == SPV_TYPE_POINTER && b->kind == SPV_TYPE_POINTER));
}

bool lower_component_count(struct lower *lower, const struct spv_type *type, uint32_t *count)
{
    if (type->components > COMPONENT_MAX || type->kind == SPV_TYPE_OPAQUE) {
        lower_refuse(lower, "a value of this type");
        return false;
    }
    *count = (uint32_t)type->components;
    return true;
}

static void flatten_constant(struct lower *lower, uint32_t id, uint32_t *values, uint32_t *at);

/* A vector of three is written as one of four, of which one is nobody's. */
static void flatten_element(struct lower *lower, const struct spv_constant *whole, uint32_t index,
                            uint32_t *values, uint32_t *at)
{
    const struct spv_constant *element = lower->module->ids[whole->elements[index]].constant;
    if (whole->type->kind == SPV_TYPE_VECTOR && element != NULL &&
        element->kind == SPV_CONSTANT_UNDEFINED)
        values[(*at)++] = ir_nobodys(lower, lower_type_width(whole->type->element));
    else
        flatten_constant(lower, whole->elements[index], values, at);
}

/* Of zeroes, or of what nobody defined. */
static void flatten_empty(struct lower *lower, const struct spv_constant *constant,
                          uint32_t *values, uint32_t *at)
{
    const struct spv_type *type = constant->type;
    const bool gap = type->kind == SPV_TYPE_VECTOR || spv_type_is_scalar(type);
    struct ir_leaves leaves;
    if (!lower_leaves(lower, type, &leaves))
        return;
    for (uint32_t c = 0; c < leaves.components; c++)
        values[(*at)++] = constant->kind == SPV_CONSTANT_NULL
                              ? ir_constant(lower, leaves.widths[c], 0)
                          : gap ? ir_gap(lower, leaves.widths[c])
                                : ir_undefined(lower, leaves.widths[c], NULL, 0);
}

/* Appends the components of a constant to values[*at]. Recursion is as deep as the type. */
static void flatten_constant(struct lower *lower, uint32_t id, uint32_t *values, uint32_t *at)
{
    const struct spv_constant *constant = lower->module->ids[id].constant;
    const struct ir_ref *made = &lower->constant_refs[id];
    if (lower_failed(lower))
        return;
    if (lower->module->ids[id].kind == SPV_ID_VARIABLE) {
        values[(*at)++] = lower_ref(lower, id).values[0];
        return;
    }
    switch (constant->kind) {
    case SPV_CONSTANT_SCALAR:
        values[(*at)++] =
            constant->variable == 0
                ? ir_constant(lower, lower_type_width(constant->type), constant->bits)
                : ir_offset(lower, lower_ref(lower, constant->variable).values[0], constant->bits);
        break;
    case SPV_CONSTANT_COMPOSITE:
        for (uint32_t i = 0; i < constant->element_count; i++)
            flatten_element(lower, constant, i, values, at);
        break;
    case SPV_CONSTANT_NULL:
    case SPV_CONSTANT_UNDEFINED:
        flatten_empty(lower, constant, values, at);
        break;
    case SPV_CONSTANT_EXPRESSION:
        if (made->type != NULL) {
            memcpy(values + *at, made->values, made->count * sizeof *values);
            *at += made->count;
            break;
        }
        lower_refuse(lower, "a constant expression");
        break;
    }
}

struct ir_ref lower_constant_ref(struct lower *lower, uint32_t id)
{
    struct ir_ref *cached = &lower->constant_refs[id];
    const struct spv_type *type = lower->module->ids[id].type;
    uint32_t count;
    if (cached->type != NULL || !lower_component_count(lower, type, &count))
        return *cached;
    uint32_t *values = lower_alloc(lower, count, sizeof *values);
    uint32_t made = 0;
    if (values == NULL)
        return *cached;
    flatten_constant(lower, id, values, &made);
    if (lower_failed(lower))
        return *cached;
    ASSERT(made == count);
    *cached = (struct ir_ref){.values = values, .count = count, .type = type};
    return *cached;
}

uint32_t lower_new_variable(struct lower *lower, enum vm_variable_region region, const char *name,
                            uint64_t size, uint64_t alignment, int32_t parameter)
{
    const struct ir_variable variable = {
        .region = region,
        .name = name,
        .size = size > 0 ? size : 1, /* what is empty has a place of its own, too */
        .alignment = alignment,
        .parameter = parameter,
        .place = lower->place,
    };
    return lower_append(lower, &lower->variables, &lower->variable_count, &lower->variable_capacity,
                        &variable, sizeof variable);
}

/* Is the variable declared alone? Linked modules have none that another one defines. */
static bool is_imported(const struct lower *lower, uint32_t id)
{
    const struct spv_decoration *linkage =
        spv_decoration_find(lower->module, id, SpvDecorationLinkageAttributes);
    return linkage != NULL && linkage->operand_count > 0 &&
           linkage->operands[linkage->operand_count - 1] == SpvLinkageTypeImport;
}

struct ir_ref lower_variable_ref(struct lower *lower, uint32_t id)
{
    struct ir_ref *cached = &lower->constant_refs[id];
    const struct spv_module_variable *variable = lower->module->ids[id].variable;
    if (cached->type != NULL)
        return *cached;
    uint32_t address;
    if (variable->builtin < 0 && is_imported(lower, id)) {
        lower_fail(lower, STATUS_UNSUPPORTED,
                   "the variable '%s', which no program defines, is not supported", variable->name);
        return *cached;
    }
    if (variable->builtin >= 0) {
        address = ir_address(lower, IR_BUILTIN, (uint32_t)variable->builtin, 0);
    } else if (variable->index >= 0) {
        address = ir_address(lower, IR_GLOBAL, (uint32_t)variable->index, 0);
    } else if (variable->storage == SpvStorageClassWorkgroup && variable->type->alignment > 0) {
        const char *dot = strrchr(variable->name, '.'); /* clang's "kernel.tile" */
        address =
            ir_address(lower, IR_VARIABLE,
                       lower_new_variable(lower, VM_VARIABLE_LOCAL,
                                          dot != NULL && dot[1] != '\0' ? dot + 1 : variable->name,
                                          variable->type->size, variable->alignment, -1),
                       0);
    } else {
        lower_refuse(lower, "the variable '%s'", variable->name);
        return *cached;
    }
    uint32_t *values = lower_alloc(lower, 1, sizeof *values);
    if (values == NULL)
        return *cached;
    values[0] = address;
    lower_name_variable(lower, id, 0, address);
    *cached = (struct ir_ref){.values = values, .count = 1, .type = lower->module->ids[id].type};
    return *cached;
}
