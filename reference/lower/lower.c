/* A kernel to lane code: its parameters and attributes, and the stages in order. */
#include "reference/lower/lower.h"
#include "reference/lower/lower_private.h"
#include "trace/base/assert.h"
#include "trace/base/text.h"

#include <string.h>

/* ---- parameters ---- */

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
    const size_t size = strcspn(list, ",");
    char *item = arena_string_n(&lower->code->arena, list, size);
    if (item == NULL)
        lower_no_memory(lower);
    return item;
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
    parameter->size = 8;
    parameter->width = 8;
    parameter->count = 1;
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
    const struct spv_type *scalar = type->kind == SPV_TYPE_VECTOR ? type->element : type;
    if (type->kind == SPV_TYPE_POINTER)
        return pointer_kind(lower, id, type, parameter);
    if (type->op == SpvOpTypeQueue) {
        parameter->kind = VM_PARAMETER_QUEUE;
        parameter->size = 8; /* a cl_command_queue */
        parameter->width = 8;
        parameter->count = 1;
        return true;
    }
    if (scalar->kind == SPV_TYPE_INT || scalar->kind == SPV_TYPE_FLOAT) {
        parameter->kind = VM_PARAMETER_VALUE;
        parameter->size = type->size;
        parameter->width = (uint8_t)(scalar->width / 8);
        parameter->count = (uint8_t)type->components;
        return true;
    }
    if ((type->kind == SPV_TYPE_STRUCT || type->kind == SPV_TYPE_ARRAY) && type->alignment > 0) {
        parameter->kind = VM_PARAMETER_STRUCT;
        parameter->size = type->size;
        parameter->width = 8;
        parameter->count = 1;
        return true;
    }
    if (type->op == SpvOpTypeImage || type->op == SpvOpTypeSampler) {
        const bool image = type->op == SpvOpTypeImage;
        parameter->kind = image ? VM_PARAMETER_IMAGE : VM_PARAMETER_SAMPLER;
        parameter->size = 8; /* a cl_mem, a cl_sampler */
        parameter->width = 8;
        parameter->count = 1;
        parameter->read_only = image && type->image.access == SpvAccessQualifierReadOnly;
        parameter->write_only = image && type->image.access == SpvAccessQualifierWriteOnly;
        parameter->depth = image && type->image.depth;
        return !image || lower_image_type(lower, type, &parameter->image);
    }
    if (type->op == SpvOpTypePipe) {
        parameter->kind = VM_PARAMETER_PIPE;
        parameter->size = 8; /* a cl_mem */
        parameter->width = 8;
        parameter->count = 1;
        parameter->read_only = type->image.access == SpvAccessQualifierReadOnly;
        parameter->write_only = type->image.access == SpvAccessQualifierWriteOnly;
        return true;
    }
    lower_fail(lower, STATUS_UNSUPPORTED,
               "parameter '%s' of kernel '%s' is of an opaque type, which is not supported",
               parameter->name, lower->kernel->name);
    return false;
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
 * for all else. */
static const char *plain_type_name(struct lower *lower, const struct spv_type *type,
                                   const char *name)
{
    static const char *const floats[] = {"half", "float", "double"};
    static const char *const integers[] = {"uchar", "ushort", "uint", "ulong"};
    const struct spv_type *pointee = type->kind == SPV_TYPE_POINTER ? type->element : NULL;
    const struct spv_type *scalar = pointee != NULL ? only_scalar(pointee) : NULL;
    if (scalar == NULL)
        return name;
    const int width = __builtin_ctz(scalar->width); /* 3 for 8 bits ... 6 for 64 */
    const char *plain = scalar->kind == SPV_TYPE_FLOAT ? floats[width - 4] : integers[width - 3];
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
    lower_load(lower, address, &place, type, 0, false, values);
}

void lower_kernel_parameters(struct lower *lower, struct ir_ref *refs)
{
    const struct spv_function *function = lower->kernel->function;
    struct vm_code *code = lower->code;
    code->parameters =
        arena_alloc(&code->arena, function->parameter_count, sizeof *code->parameters);
    if (code->parameters == NULL) {
        lower_no_memory(lower);
        return;
    }
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
    }
}

/* ---- attributes ---- */

/* SPIR-V 1.6, VecTypeHint: the component type in the low 16 bits, the count in the high ones. */
static void append_vector_hint(struct text *text, uint32_t hint)
{
    static const char *const types[] = {"char", "short", "int", "long", "half", "float", "double"};
    const uint32_t type = hint & 0xffff;
    const uint32_t count = hint >> 16;
    if (type >= sizeof types / sizeof types[0])
        return;
    text_format(text, "%svec_type_hint(%s", text->size > 0 ? " " : "", types[type]);
    if (count > 1)
        text_format(text, "%u", count);
    text_append(text, ")");
}

static void append_sizes(struct text *text, const char *name, const uint64_t size[3])
{
    if (size[0] == 0)
        return;
    text_format(text, "%s%s(%llu,%llu,%llu)", text->size > 0 ? " " : "", name,
                (unsigned long long)size[0], (unsigned long long)size[1],
                (unsigned long long)size[2]);
}

/* Sub-groups divide a lane vector. */
static void required_sub_groups(struct lower *lower, struct text *text)
{
    const uint32_t size = lower->kernel->sub_group_size;
    lower->code->required_sub_group_size = size;
    lower->code->required_sub_group_count = lower->kernel->sub_group_count;
    if (size == 0)
        return;
    if (size > VM_LANES || (size & (size - 1)) != 0)
        lower_fail(lower, STATUS_UNSUPPORTED,
                   "a sub-group size of %u is not supported; powers of two up to %d are", size,
                   VM_LANES);
    text_format(text, "%sintel_reqd_sub_group_size(%u)", text->size > 0 ? " " : "", size);
}

static void kernel_attributes(struct lower *lower)
{
    const struct spv_kernel *kernel = lower->kernel;
    struct vm_code *code = lower->code;
    struct text text = TEXT_INIT;
    memcpy(code->required_local_size, kernel->local_size, sizeof code->required_local_size);
    memcpy(code->hint_local_size, kernel->local_size_hint, sizeof code->hint_local_size);
    append_sizes(&text, "reqd_work_group_size", kernel->local_size);
    append_sizes(&text, "work_group_size_hint", kernel->local_size_hint);
    required_sub_groups(lower, &text);
    if (kernel->has_vector_type_hint)
        append_vector_hint(&text, kernel->vector_type_hint);
    code->attributes = text.failed ? NULL : arena_string(&code->arena, text.bytes);
    text_release(&text);
    code->name = arena_string(&code->arena, kernel->name);
    if (code->attributes == NULL || code->name == NULL)
        lower_no_memory(lower);
    /* SPIR-V has 102000 for 1.2. */
    const uint32_t version = lower->module->language_version;
    if (lower->module->language == SpvSourceLanguageOpenCL_C)
        code->opencl_c_version = version / 100000 * 100 + version / 1000 % 100 * 10;
}

/* ---- all of it ---- */

/* What index 0 means: no value, no instruction, no phi, no place. */
static void reserve_zero(struct lower *lower)
{
    lower->values = lower_grow(lower, NULL, 0, &lower->value_capacity, sizeof *lower->values);
    lower->instructions =
        lower_grow(lower, NULL, 0, &lower->instruction_capacity, sizeof *lower->instructions);
    lower->phis = lower_grow(lower, NULL, 0, &lower->phi_capacity, sizeof *lower->phis);
    lower->places = lower_grow(lower, NULL, 0, &lower->place_capacity, sizeof *lower->places);
    lower->value_count = lower->instruction_count = lower->phi_count = lower->place_count = 1;
    if (!lower_failed(lower))
        lower->places[0] = (struct vm_place){.function = "", .file = ""};
}

static enum status lower_kernel(const struct spv_module *module, const struct spv_kernel *found,
                                const struct vm_lower_options *options, struct vm_code **code,
                                struct error *error)
{
    struct arena arena = {0};
    struct vm_code *made = arena_alloc(&arena, 1, sizeof *made);
    if (made == NULL)
        return error_no_memory(error, sizeof *made);
    made->arena = arena; /* which owns it: vm_code_destroy releases that alone */
    struct lower lower = {
        .module = module,
        .kernel = found,
        .code = made,
        .error = error,
        .options = options != NULL ? *options : (struct vm_lower_options){0},
        .relaxed_atomics =
            module->language == SpvSourceLanguageOpenCL_C && module->language_version < 200000,
    };
    made->big_endian = lower.options.big_endian;
    reserve_zero(&lower);
    if (!lower_failed(&lower))
        kernel_attributes(&lower);
    if (!lower_failed(&lower))
        lower_translate(&lower);
    lower.place = 0;
    /* Fences synchronise through atomic objects. */
    lower.code->uses_acquire |= lower.barrier_fences && lower.atomic_count > 0;
    if (!lower_failed(&lower))
        lower_promote(&lower);
    if (!lower_failed(&lower))
        lower_lifetimes(&lower);
    if (!lower_failed(&lower))
        lower_subscripts(&lower);
    if (!lower_failed(&lower))
        lower_indexed(&lower);
    if (!lower_failed(&lower))
        lower_owner(&lower);
    if (!lower_failed(&lower))
        lower_unlike(&lower);
    if (!lower_failed(&lower))
        lower_shape(&lower);
    if (!lower_failed(&lower))
        lower_spins(&lower);
    if (!lower_failed(&lower))
        lower_uniform(&lower);
    if (!lower_failed(&lower))
        lower_writes(&lower);
    if (!lower_failed(&lower))
        lower_select(&lower);
    lower_release_uniques(&lower);
    arena_release(&lower.arena);
    if (lower_failed(&lower)) {
        vm_code_destroy(made);
        return lower.status;
    }
    *code = made;
    return STATUS_OK;
}

enum status vm_lower_kernel(const struct spv_module *module, const char *kernel,
                            const struct vm_lower_options *options, struct vm_code **code,
                            struct error *error)
{
    const struct spv_kernel *found = spv_kernel_find(module, kernel);
    return found == NULL
               ? error_set(error, STATUS_NOT_FOUND, "the module has no kernel '%s'", kernel)
               : lower_kernel(module, found, options, code, error);
}

enum status vm_lower_child(const struct spv_module *module, size_t child,
                           const struct vm_lower_options *options, struct vm_code **code,
                           struct error *error)
{
    ASSERT(child < module->child_count);
    return lower_kernel(module, &module->children[child], options, code, error);
}
