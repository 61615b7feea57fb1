/* Function bodies: parameters, blocks and their instructions. */
#include "reference/spirv/parse.h"

static enum status begin_function(struct spv_parser *parser)
{
    struct spv_module *module = parser->module;
    const struct spv_instruction *at = parser->at;
    if (parser->function != NULL)
        return spv_parse_malformed(parser, "a function within a function");
    struct spv_function *function = &module->functions[module->function_count];
    const struct spv_type *type = spv_type_find(module, at->operands[1]);
    const struct spv_id what = {.kind = SPV_ID_FUNCTION, .function = function, .type = type};
    const enum status status = spv_parse_define(parser, at->result, what);
    if (status != STATUS_OK)
        return status;
    if (type == NULL || type->kind != SPV_TYPE_FUNCTION || type->element->id != at->type)
        return spv_parse_malformed(parser, "id %u is not a type of this function", at->operands[1]);
    *function = (struct spv_function){
        .id = at->result,
        .type = type,
        .name = module->ids[at->result].name,
        .place = at->place,
        .parameters = at + 1,
    };
    parser->function = function;
    parser->in_block = false;
    parser->block_capacity = 0;
    module->function_count++;
    return STATUS_OK;
}

static enum status end_function(struct spv_parser *parser)
{
    const struct spv_function *function = parser->function;
    if (parser->in_block)
        return spv_parse_malformed(parser, "the last block has no terminator");
    if (function->parameter_count != function->type->member_count)
        return spv_parse_malformed(parser, "function '%s' has %u parameters, its type %u",
                                   function->name, function->parameter_count,
                                   function->type->member_count);
    parser->function = NULL;
    return STATUS_OK;
}

static enum status define_value(struct spv_parser *parser)
{
    const struct spv_instruction *at = parser->at;
    const struct spv_type *type = spv_type_find(parser->module, at->type);
    if (at->type != 0 && type == NULL)
        return spv_parse_malformed(parser, "id %u is not a type", at->type);
    const struct spv_id what = {.kind = SPV_ID_VALUE,
                                .type = type,
                                .function = parser->function,
                                .index = parser->function->local_count++};
    return spv_parse_define(parser, at->result, what);
}

static enum status parse_parameter(struct spv_parser *parser)
{
    struct spv_function *function = parser->function;
    if (function->block_count > 0 || parser->in_block)
        return spv_parse_malformed(parser, "a parameter after the first block");
    const uint32_t index = function->parameter_count;
    if (index >= function->type->member_count ||
        function->type->members[index]->id != parser->at->type)
        return spv_parse_malformed(parser, "parameter %u does not fit the type of function '%s'",
                                   index, function->name);
    if (parser->at != &function->parameters[index])
        return spv_parse_malformed(parser, "an instruction between parameters");
    function->parameter_count++;
    return define_value(parser);
}

static enum status begin_block(struct spv_parser *parser)
{
    struct spv_function *function = parser->function;
    if (parser->in_block)
        return spv_parse_malformed(parser, "a block without a terminator before this");
    const struct spv_id what = {
        .kind = SPV_ID_LABEL, .function = function, .index = function->block_count};
    const enum status status = spv_parse_define(parser, parser->at->result, what);
    if (status != STATUS_OK)
        return status;
    const struct spv_block block = {.label = parser->at->result, .instructions = parser->at + 1};
    parser->in_block = true;
    return spv_parse_append(parser, &function->blocks, &function->block_count,
                            &parser->block_capacity, &block, sizeof block);
}

static bool is_terminator(uint32_t op)
{
    switch (op) {
    case SpvOpBranch:
    case SpvOpBranchConditional:
    case SpvOpSwitch:
    case SpvOpReturn:
    case SpvOpReturnValue:
    case SpvOpUnreachable:
    case SpvOpKill:
        return true;
    default:
        return false;
    }
}

enum status spv_parse_function(struct spv_parser *parser)
{
    const struct spv_instruction *at = parser->at;
    if (at->op == SpvOpFunction)
        return begin_function(parser);
    if (parser->function == NULL)
        return spv_parse_malformed(parser, "this belongs in a function");
    if (at->op == SpvOpFunctionEnd)
        return end_function(parser);
    if (at->op == SpvOpFunctionParameter)
        return parse_parameter(parser);
    if (at->op == SpvOpLabel)
        return begin_block(parser);
    if (!parser->in_block)
        return spv_parse_malformed(parser, "an instruction outside of every block");
    struct spv_block *block = &parser->function->blocks[parser->function->block_count - 1];
    block->count++;
    if (is_terminator(at->op)) {
        parser->in_block = false;
        parser->current_place = 0; /* SPIR-V 1.6, 3.3.3: OpLine holds to the end of its block */
    }
    return at->result != 0 ? define_value(parser) : STATUS_OK;
}
