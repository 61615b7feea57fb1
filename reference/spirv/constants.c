/* Constants, the evaluation of OpSpecConstantOp, and the bytes of initialised program-scope
 * variables.
 *
 * A scalar constant is a number or, for pointers, the address of a variable plus a number: the
 * device gives addresses at run time, so initialisers hold relocations. Specialisation constants
 * have their default values. */
#include "reference/spirv/parse.h"
#include "trace/base/assert.h"

/* A program-scope variable with an initialiser may be this large: bytes are made for all of it. */
enum { INITIALISER_MAX = 64 << 20 };

static uint64_t mask_of(uint32_t width)
{
    return width >= 64 ? UINT64_MAX : (UINT64_C(1) << width) - 1;
}

static uint32_t width_of(const struct spv_type *type)
{
    return type->kind == SPV_TYPE_POINTER || type->kind == SPV_TYPE_IMAGE ? 64
           : type->kind == SPV_TYPE_BOOL                                  ? 1
                                                                          : type->width;
}

static int64_t sign_extend(uint64_t bits, uint32_t width)
{
    if (width >= 64)
        return (int64_t)bits;
    const uint64_t sign = UINT64_C(1) << (width - 1);
    return (int64_t)(((bits & mask_of(width)) ^ sign) - sign);
}

static enum status parse_composite(struct spv_parser *parser, struct spv_constant *constant)
{
    const struct spv_type *type = constant->type;
    const uint32_t count = parser->at->operand_count;
    const uint64_t expected = type->kind == SPV_TYPE_STRUCT ? type->member_count : type->count;
    if ((type->kind != SPV_TYPE_STRUCT && type->kind != SPV_TYPE_ARRAY &&
         type->kind != SPV_TYPE_VECTOR) ||
        expected != count)
        return spv_parse_malformed(parser, "%u elements do not make a value of this type", count);
    constant->kind = SPV_CONSTANT_COMPOSITE;
    constant->elements = parser->at->operands;
    constant->element_count = count;
    for (uint32_t i = 0; i < count; i++) {
        const struct spv_type *wanted =
            type->kind == SPV_TYPE_STRUCT ? type->members[i] : type->element;
        const struct spv_id *element = &parser->module->ids[constant->elements[i]];
        const struct spv_type *found = element->kind == SPV_ID_TYPE ? NULL : element->type;
        const bool pointers =
            found != NULL && found->kind == SPV_TYPE_POINTER && wanted->kind == SPV_TYPE_POINTER;
        if (element->kind == SPV_ID_FUNCTION)
            return spv_parse_unsupported(parser, "function pointers are not supported");
        if (found == NULL || (found != wanted && !pointers))
            return spv_parse_malformed(parser, "element %u, id %u, is not a constant of its type",
                                       i, constant->elements[i]);
    }
    return STATUS_OK;
}

/* A scalar operand of a constant expression. */
struct operand {
    uint64_t bits;
    uint32_t variable;
    const struct spv_type *type;
};

static bool find_operand(const struct spv_module *module, uint32_t id, struct operand *operand)
{
    if (id == 0 || id >= module->bound)
        return false;
    const struct spv_id *entry = &module->ids[id];
    if (entry->kind == SPV_ID_VARIABLE) {
        *operand = (struct operand){.variable = id, .type = entry->type};
        return true;
    }
    const struct spv_constant *constant = entry->constant;
    if (constant == NULL || !spv_type_is_scalar(constant->type) ||
        (constant->kind != SPV_CONSTANT_SCALAR && constant->kind != SPV_CONSTANT_NULL))
        return false;
    *operand = (struct operand){constant->bits, constant->variable, constant->type};
    return true;
}

/* SPIR-V 1.6, OpAccessChain and OpPtrAccessChain, over constants; `wanted` is what the result leads
 * to. */
static bool evaluate_chain(const struct spv_module *module, const uint32_t *ids, uint32_t count,
                           bool has_element, const struct spv_type *wanted, struct operand *result)
{
    if (count < 1 || !find_operand(module, ids[0], result) ||
        result->type->kind != SPV_TYPE_POINTER)
        return false;
    const struct spv_type *type = result->type->element;
    for (uint32_t i = 1; i < count; i++) {
        struct operand index;
        if (type == NULL || !find_operand(module, ids[i], &index) || index.variable != 0 ||
            index.type->kind != SPV_TYPE_INT)
            return false;
        const int64_t number = sign_extend(index.bits, index.type->width);
        if (i == 1 && has_element) {
            /* The type of a lone element is that of the result, also where llvm-spirv 19
             * leaves out the cast of the pointer to it. */
            if (count == 2)
                type = wanted;
            if (type == NULL)
                return false;
            result->bits += (uint64_t)number * type->size;
        } else if (type->kind == SPV_TYPE_STRUCT) {
            if ((uint64_t)number >= type->member_count)
                return false;
            result->bits += type->offsets[number];
            type = type->members[number];
        } else if (type->kind == SPV_TYPE_ARRAY || type->kind == SPV_TYPE_VECTOR) {
            type = type->element;
            result->bits += (uint64_t)number * type->size;
        } else {
            return false;
        }
    }
    /* llvm-spirv 19 leaves out the cast of the result too, where the address is used as that of
     * anything, which it writes as a pointer to bytes. */
    return type == wanted ||
           (count > 2 && wanted != NULL && wanted->kind == SPV_TYPE_INT && wanted->width == 8);
}

static bool evaluate_binary(SpvOp op, uint64_t a, uint64_t b, uint32_t width, uint64_t *result)
{
    const int64_t sa = sign_extend(a, width);
    const int64_t sb = sign_extend(b, width);
    const uint64_t shift = b % width;
    const struct {
        SpvOp op;
        uint64_t result;
    } rows[] = {
        {SpvOpIAdd, a + b},
        {SpvOpISub, a - b},
        {SpvOpIMul, a * b},
        {SpvOpUDiv, b == 0 ? 0 : a / b},
        {SpvOpUMod, b == 0 ? 0 : a % b},
        {SpvOpSDiv, sb == 0    ? 0
                    : sb == -1 ? 0 - a
                               : (uint64_t)(sa / sb)},
        {SpvOpSRem, sb == 0 || sb == -1 ? 0 : (uint64_t)(sa % sb)},
        {SpvOpShiftLeftLogical, a << shift},
        {SpvOpShiftRightLogical, a >> shift},
        {SpvOpShiftRightArithmetic, (uint64_t)(sa >> shift)},
        {SpvOpBitwiseAnd, a & b},
        {SpvOpLogicalAnd, a & b},
        {SpvOpBitwiseOr, a | b},
        {SpvOpLogicalOr, a | b},
        {SpvOpBitwiseXor, a ^ b},
        {SpvOpLogicalNotEqual, a ^ b},
        {SpvOpLogicalEqual, a == b},
        {SpvOpIEqual, a == b},
        {SpvOpINotEqual, a != b},
        {SpvOpULessThan, a < b},
        {SpvOpULessThanEqual, a <= b},
        {SpvOpUGreaterThan, a > b},
        {SpvOpUGreaterThanEqual, a >= b},
        {SpvOpSLessThan, sa < sb},
        {SpvOpSLessThanEqual, sa <= sb},
        {SpvOpSGreaterThan, sa > sb},
        {SpvOpSGreaterThanEqual, sa >= sb},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].op == op) {
            *result = rows[i].result;
            return true;
        }
    }
    return false;
}

static bool evaluate(const struct spv_module *module, const struct spv_type *type, SpvOp op,
                     const uint32_t *ids, uint32_t count, struct operand *result)
{
    struct operand a = {0};
    struct operand b = {0};
    struct operand c = {0};
    switch (op) {
    case SpvOpAccessChain:
    case SpvOpInBoundsAccessChain:
        return evaluate_chain(module, ids, count, false, type->element, result);
    case SpvOpPtrAccessChain:
    case SpvOpInBoundsPtrAccessChain:
        return evaluate_chain(module, ids, count, true, type->element, result);
    case SpvOpSelect:
        if (count != 3 || !find_operand(module, ids[0], &a) || !find_operand(module, ids[1], &b) ||
            !find_operand(module, ids[2], &c))
            return false;
        *result = a.bits != 0 ? b : c;
        return a.variable == 0;
    default:
        break;
    }
    if (count < 1 || !find_operand(module, ids[0], &a))
        return false;
    *result = a;
    switch (op) {
    case SpvOpBitcast:
    case SpvOpPtrCastToGeneric:
    case SpvOpGenericCastToPtr:
    case SpvOpConvertPtrToU:
    case SpvOpConvertUToPtr:
        return true;
    default:
        break;
    }
    if (a.variable != 0) {
        /* Address arithmetic that keeps the variable: address + number. */
        if (op != SpvOpIAdd || count != 2 || !find_operand(module, ids[1], &b) || b.variable != 0)
            return false;
        result->bits += b.bits;
        return true;
    }
    switch (op) {
    case SpvOpUConvert:
        return true;
    case SpvOpSConvert:
        result->bits = (uint64_t)sign_extend(a.bits, width_of(a.type));
        return true;
    case SpvOpSNegate:
        result->bits = 0 - a.bits;
        return true;
    case SpvOpNot:
        result->bits = ~a.bits;
        return true;
    case SpvOpLogicalNot:
        result->bits = a.bits ^ 1;
        return true;
    default:
        break;
    }
    return count == 2 && find_operand(module, ids[1], &b) && b.variable == 0 &&
           a.type->kind != SPV_TYPE_FLOAT && width_of(a.type) == width_of(b.type) &&
           evaluate_binary(op, a.bits, b.bits, width_of(a.type), &result->bits);
}

static void parse_expression(struct spv_parser *parser, struct spv_constant *constant)
{
    struct operand result;
    constant->kind = SPV_CONSTANT_EXPRESSION;
    if (!spv_type_is_scalar(constant->type))
        return;
    if (!evaluate(parser->module, constant->type, (SpvOp)parser->at->operands[0],
                  parser->at->operands + 1, parser->at->operand_count - 1u, &result))
        return;
    if (result.variable != 0 && width_of(constant->type) != 64)
        return;
    constant->kind = SPV_CONSTANT_SCALAR;
    constant->variable = result.variable;
    constant->bits = result.bits & mask_of(width_of(constant->type));
}

static enum status parse_number(struct spv_parser *parser, struct spv_constant *constant)
{
    const uint32_t words = constant->type->width > 32 ? 2 : 1;
    if (constant->type->kind != SPV_TYPE_INT && constant->type->kind != SPV_TYPE_FLOAT)
        return spv_parse_malformed(parser, "the type is not a number");
    if (parser->at->operand_count != words)
        return spv_parse_malformed(parser, "a number of %u bits takes %u words, not %u",
                                   constant->type->width, words,
                                   (unsigned)parser->at->operand_count);
    constant->bits = parser->at->operands[0];
    if (words == 2)
        constant->bits |= (uint64_t)parser->at->operands[1] << 32;
    constant->bits &= mask_of(constant->type->width);
    return STATUS_OK;
}

/* SPIR-V 1.6, OpConstantPipeStorage: a pipe that lives as long as the program. Two that are written
 * alike are two. */
static enum status parse_pipe_storage(struct spv_parser *parser)
{
    struct spv_module *module = parser->module;
    const struct spv_instruction *at = parser->at;
    const struct spv_type *type = spv_type_find(module, at->type);
    if (type == NULL || type->op != SpvOpTypePipeStorage)
        return spv_parse_malformed(parser, "the type is not a pipe storage");
    if (at->operands[0] == 0 || at->operands[2] == 0)
        return spv_parse_malformed(parser, "a pipe for %u packets of %u bytes", at->operands[2],
                                   at->operands[0]);
    struct spv_module_variable *pipe = arena_alloc(&module->arena, 1, sizeof *pipe);
    if (pipe == NULL)
        return spv_parse_no_memory(parser);
    *pipe = (struct spv_module_variable){
        .id = at->result,
        .type = type,
        .storage = SpvStorageClassCrossWorkgroup,
        .index = (int32_t)module->program_variable_count++,
        .builtin = -1,
        .name = module->ids[at->result].name,
        .alignment = at->operands[1],
        .packet_size = at->operands[0],
        .packet_count = at->operands[2],
    };
    const struct spv_id what = {.kind = SPV_ID_VARIABLE, .variable = pipe, .type = type};
    const enum status status = spv_parse_define(parser, at->result, what);
    return status != STATUS_OK
               ? status
               : spv_parse_append(parser, &module->variables, &module->variable_count,
                                  &parser->variable_capacity, &pipe, sizeof pipe);
}

enum status spv_parse_constant(struct spv_parser *parser)
{
    const struct spv_instruction *at = parser->at;
    if (at->op == SpvOpConstantPipeStorage)
        return parse_pipe_storage(parser);
    struct spv_constant *constant = arena_alloc(&parser->module->arena, 1, sizeof *constant);
    if (constant == NULL)
        return spv_parse_no_memory(parser);
    constant->instruction = at;
    constant->type = spv_type_find(parser->module, at->type);
    if (constant->type == NULL)
        return spv_parse_malformed(parser, "id %u is not a type", at->type);
    enum status status = STATUS_OK;
    switch (at->op) {
    case SpvOpConstantTrue:
    case SpvOpSpecConstantTrue:
        constant->bits = 1;
        /* fall through */
    case SpvOpConstantFalse:
    case SpvOpSpecConstantFalse:
        if (constant->type->kind != SPV_TYPE_BOOL)
            return spv_parse_malformed(parser, "the type is not a boolean");
        break;
    case SpvOpConstant:
    case SpvOpSpecConstant:
        status = parse_number(parser, constant);
        break;
    case SpvOpConstantComposite:
    case SpvOpSpecConstantComposite:
        status = parse_composite(parser, constant);
        break;
    case SpvOpConstantNull:
        constant->kind = SPV_CONSTANT_NULL;
        break;
    case SpvOpUndef:
        constant->kind = SPV_CONSTANT_UNDEFINED;
        break;
    case SpvOpSpecConstantOp:
        parse_expression(parser, constant);
        break;
    case SpvOpConstantSampler:
        if (constant->type->op != SpvOpTypeSampler)
            return spv_parse_malformed(parser, "the type is not a sampler");
        constant->bits = at->operands[1] | at->operands[0] << 1 | at->operands[2] << 4;
        break;
    default:
        break;
    }
    const struct spv_id what = {
        .kind = SPV_ID_CONSTANT, .constant = constant, .type = constant->type};
    return status != STATUS_OK ? status : spv_parse_define(parser, at->result, what);
}

/* ---- initialisers ---- */

struct image {
    struct spv_parser *parser;
    uint8_t *bytes;
    struct spv_relocation *relocations;
    uint32_t count, capacity;
    uint64_t visited; /* elements: empty structures have no bytes that would bound the work */
    enum status status;
};

static void write_scalar(struct image *image, const struct spv_type *type, uint32_t variable,
                         uint64_t bits, uint64_t offset)
{
    if (variable == 0) {
        for (uint64_t i = 0; i < type->size; i++)
            image->bytes[offset + i] = (uint8_t)(bits >> (8 * i));
        return;
    }
    const struct spv_module_variable *target = image->parser->module->ids[variable].variable;
    if (target->index < 0) {
        image->status =
            spv_parse_malformed(image->parser,
                                "an initialiser with the address of '%s', which is not at "
                                "program scope in global or constant memory",
                                target->name);
        return;
    }
    const struct spv_relocation relocation = {offset, (uint32_t)target->index, (int64_t)bits};
    image->status = spv_parse_append(image->parser, &image->relocations, &image->count,
                                     &image->capacity, &relocation, sizeof relocation);
}

/* As deep as the type, which is at most SPV_DEPTH_MAX. */
static void write_constant(struct image *image, uint32_t id, uint64_t offset)
{
    const struct spv_id *entry = &image->parser->module->ids[id];
    if (image->status != STATUS_OK)
        return;
    if (++image->visited > INITIALISER_MAX) {
        image->status = spv_parse_unsupported(
            image->parser, "an initialiser of more than %d elements", INITIALISER_MAX);
        return;
    }
    if (entry->kind == SPV_ID_VARIABLE) {
        write_scalar(image, entry->type, id, 0, offset);
        return;
    }
    const struct spv_constant *constant = entry->constant;
    ASSERT(constant != NULL);
    switch (constant->kind) {
    case SPV_CONSTANT_SCALAR:
        write_scalar(image, constant->type, constant->variable, constant->bits, offset);
        return;
    case SPV_CONSTANT_COMPOSITE:
        for (uint32_t i = 0; i < constant->element_count; i++) {
            const uint64_t step = constant->type->kind == SPV_TYPE_STRUCT
                                      ? constant->type->offsets[i]
                                      : i * constant->type->element->size;
            write_constant(image, constant->elements[i], offset + step);
        }
        return;
    case SPV_CONSTANT_NULL:
    case SPV_CONSTANT_UNDEFINED:
        return; /* the bytes are zero */
    case SPV_CONSTANT_EXPRESSION:
        image->parser->at = constant->instruction;
        image->status =
            spv_parse_unsupported(image->parser, "this constant expression is not supported");
        return;
    }
}

static enum status parse_initialiser(struct spv_parser *parser, uint32_t id,
                                     struct spv_variable *variable)
{
    const struct spv_id *entry = &parser->module->ids[id];
    if (entry->kind != SPV_ID_CONSTANT && entry->kind != SPV_ID_VARIABLE)
        return spv_parse_malformed(parser, "the initialiser, id %u, is not a constant", id);
    if (entry->constant != NULL && entry->constant->kind == SPV_CONSTANT_UNDEFINED)
        return STATUS_OK;
    if (entry->type->size != variable->size)
        return spv_parse_malformed(parser, "the initialiser has %llu bytes, the variable %llu",
                                   (unsigned long long)entry->type->size,
                                   (unsigned long long)variable->size);
    if (variable->size > INITIALISER_MAX)
        return spv_parse_unsupported(parser,
                                     "an initialised variable of %llu bytes; the most is %d",
                                     (unsigned long long)variable->size, INITIALISER_MAX);
    struct image image = {.parser = parser};
    image.bytes = arena_alloc(&parser->module->arena, variable->size, 1);
    if (image.bytes == NULL)
        return spv_parse_no_memory(parser);
    write_constant(&image, id, 0);
    variable->initialiser = image.bytes;
    variable->relocations = image.relocations;
    variable->relocation_count = image.count;
    return image.status;
}

/* A pipe has the name of the variable that holds it. */
static void name_pipe(struct spv_module *module, const struct spv_module_variable *holder)
{
    const struct spv_id *entry = &module->ids[holder->initialiser];
    if (entry->kind == SPV_ID_VARIABLE && entry->variable->packet_size != 0)
        module->program_variables[entry->variable->index].name = holder->name;
}

enum status spv_parse_initialisers(struct spv_parser *parser)
{
    struct spv_module *module = parser->module;
    module->program_variables = arena_alloc(&module->arena, module->program_variable_count,
                                            sizeof *module->program_variables);
    if (module->program_variables == NULL)
        return spv_parse_no_memory(parser);
    for (uint32_t i = 0; i < module->variable_count; i++) {
        const struct spv_module_variable *from = module->variables[i];
        if (from->index < 0)
            continue;
        struct spv_variable *to = &module->program_variables[from->index];
        *to = (struct spv_variable){
            .name = from->name,
            .type = from->type,
            .size = from->packet_size != 0 ? (uint64_t)from->packet_size * from->packet_count
                                           : from->type->size,
            .alignment = from->alignment,
            .packet_size = from->packet_size,
            .constant = from->storage == SpvStorageClassUniformConstant,
        };
        if (from->initialiser != 0) {
            const enum status status = parse_initialiser(parser, from->initialiser, to);
            if (status != STATUS_OK)
                return status;
            name_pipe(module, from);
        }
    }
    return STATUS_OK;
}

static int32_t builtin_of(const struct spv_parser *parser, uint32_t id)
{
    const struct spv_decoration *decoration =
        spv_decoration_find(parser->module, id, SpvDecorationBuiltIn);
    return decoration != NULL && decoration->operand_count == 1 ? (int32_t)decoration->operands[0]
                                                                : -1;
}

enum status spv_parse_global_variable(struct spv_parser *parser)
{
    struct spv_module *module = parser->module;
    const struct spv_instruction *at = parser->at;
    const struct spv_type *pointer = spv_type_find(module, at->type);
    if (pointer == NULL || pointer->kind != SPV_TYPE_POINTER || pointer->element == NULL)
        return spv_parse_malformed(parser, "the type of a variable is not a pointer");
    struct spv_module_variable *variable = arena_alloc(&module->arena, 1, sizeof *variable);
    if (variable == NULL)
        return spv_parse_no_memory(parser);
    const struct spv_id what = {.kind = SPV_ID_VARIABLE, .variable = variable, .type = pointer};
    const enum status status = spv_parse_define(parser, at->result, what);
    if (status != STATUS_OK)
        return status;
    *variable = (struct spv_module_variable){
        .id = at->result,
        .type = pointer->element,
        .storage = (SpvStorageClass)at->operands[0],
        .index = -1,
        .builtin = builtin_of(parser, at->result),
        .name = module->ids[at->result].name,
        .initialiser = at->operand_count > 1 ? at->operands[1] : 0,
        .alignment = pointer->element->alignment,
    };
    const struct spv_decoration *alignment =
        spv_decoration_find(module, at->result, SpvDecorationAlignment);
    if (alignment != NULL && alignment->operand_count == 1 &&
        alignment->operands[0] > variable->alignment &&
        (alignment->operands[0] & (alignment->operands[0] - 1)) == 0)
        variable->alignment = alignment->operands[0];
    switch (variable->storage) {
    case SpvStorageClassCrossWorkgroup:
    case SpvStorageClassUniformConstant:
        if (variable->builtin >= 0)
            break; /* an input, by older translators */
        if (variable->alignment == 0)
            return spv_parse_unsupported(
                parser, "'%s': a program-scope variable of an opaque type is not supported",
                variable->name);
        variable->index = (int32_t)module->program_variable_count++;
        break;
    case SpvStorageClassWorkgroup:
    case SpvStorageClassInput:
        break;
    case SpvStorageClassFunction:
        return spv_parse_unsupported(
            parser,
            "'%s': a variable of program scope in private memory, as clang 15 "
            "writes for a static one that is initialised when its function "
            "runs, is not supported",
            variable->name);
    default:
        return spv_parse_unsupported(parser,
                                     "'%s': variables of storage class %u are not supported",
                                     variable->name, (unsigned)variable->storage);
    }
    return spv_parse_append(parser, &module->variables, &module->variable_count,
                            &parser->variable_capacity, &variable, sizeof variable);
}
