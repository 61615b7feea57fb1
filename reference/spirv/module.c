/* Reads a module in two passes: the first finds the instructions and holds every operand against
 * the grammar, the second gives them meaning in order. Names, decorations and execution modes come
 * before what they speak of, so they wait at their id.
 *
 * What no instruction of ours reads (debugging information, member names, source text) is passed
 * over. */
#include "reference/spirv/grammar.h"
#include "reference/spirv/parse.h"
#include "trace/base/alloc.h"

#include <string.h>

/* SPIR-V 1.6, 2.2.1: the first octet of a string is in the lowest-order 8 bits of its word. */
static char *copy_string(struct spv_parser *parser, const uint32_t *words, uint32_t count)
{
    char *string = arena_alloc(&parser->module->arena, (size_t)count * 4 + 1, 1);
    if (string == NULL) {
        spv_parse_no_memory(parser);
        return NULL;
    }
    for (uint32_t i = 0; i < count * 4; i++)
        string[i] = (char)(words[i / 4] >> (8 * (i % 4)));
    return string;
}

static enum status parse_capability(struct spv_parser *parser)
{
    const uint32_t capability = parser->at->operands[0];
    switch (capability) {
    case SpvCapabilityMatrix: /* implied by some front ends; no matrix type is accepted */
#define CAPABILITY(name, kept) case SpvCapability##name:
#include "reference/spirv/capabilities.def"
#undef CAPABILITY
        return STATUS_OK;
    default:
        break;
    }
    const char *name = spv_capability_name(capability);
    if (name == NULL)
        return spv_parse_unsupported(parser, "capability %u is not known", capability);
    return spv_parse_unsupported(parser, "capability %s is not supported", name);
}

static enum status parse_import(struct spv_parser *parser)
{
    const struct spv_instruction *at = parser->at;
    const char *name = copy_string(parser, at->operands, at->operand_count);
    if (name == NULL)
        return STATUS_NO_MEMORY;
    const bool opencl = strcmp(name, "OpenCL.std") == 0;
    const bool debug = strcmp(name, "OpenCL.DebugInfo.100") == 0 ||
                       strcmp(name, "SPIRV.debug") == 0 || strncmp(name, "NonSemantic.", 12) == 0;
    const struct spv_id what = {.kind = SPV_ID_EXTENSION,
                                .index = opencl ? SPV_EXTENSION_OPENCL : SPV_EXTENSION_DEBUG};
    const enum status status = spv_parse_define(parser, at->result, what);
    if (status == STATUS_OK && !opencl && !debug)
        return spv_parse_unsupported(parser, "the extended instruction set '%s' is not supported",
                                     name);
    return status;
}

static enum status parse_memory_model(struct spv_parser *parser)
{
    const uint32_t addressing = parser->at->operands[0];
    if (parser->at->operands[1] != SpvMemoryModelOpenCL)
        return spv_parse_unsupported(parser, "memory model %u is not supported; OpenCL's is",
                                     parser->at->operands[1]);
    if (addressing != SpvAddressingModelPhysical64 && addressing != SpvAddressingModelPhysical32)
        return spv_parse_unsupported(
            parser,
            "addressing model %u is not supported; Physical64 is, and Physical32 on a device with "
            "the personality 32-bit: compile for spir64 or spir",
            addressing);
    parser->module->narrow = addressing == SpvAddressingModelPhysical32;
    parser->saw_memory_model = true;
    return STATUS_OK;
}

static enum status parse_entry_point(struct spv_parser *parser)
{
    struct spv_module *module = parser->module;
    const struct spv_instruction *at = parser->at;
    if (at->operands[0] != SpvExecutionModelKernel)
        return spv_parse_unsupported(parser, "execution model %u is not supported",
                                     at->operands[0]);
    const uint32_t *string = at->operands + 2;
    const char *name =
        copy_string(parser, string, spv_parse_string_words(string, at->operand_count - 2u));
    const struct spv_kernel kernel = {.name = name}; /* its function comes later: kernels.c */
    return name == NULL ? STATUS_NO_MEMORY
                        : spv_parse_append(parser, &module->kernels, &module->kernel_count,
                                           &parser->kernel_capacity, &kernel, sizeof kernel);
}

static enum status parse_string(struct spv_parser *parser)
{
    const struct spv_instruction *at = parser->at;
    const char *string = copy_string(parser, at->operands, at->operand_count);
    if (string == NULL)
        return STATUS_NO_MEMORY;
    return spv_parse_define(parser, at->result,
                            (struct spv_id){.kind = SPV_ID_STRING, .string = string});
}

static enum status parse_source_extension(struct spv_parser *parser)
{
    const char *name = copy_string(parser, parser->at->operands, parser->at->operand_count);
    if (name == NULL)
        return STATUS_NO_MEMORY;
    if (strcmp(name, SPV_UNTYPED_POINTERS) == 0)
        parser->module->untyped_pointers = true;
    return STATUS_OK;
}

static enum status parse_name(struct spv_parser *parser)
{
    const struct spv_instruction *at = parser->at;
    const char *name = copy_string(parser, at->operands + 1, at->operand_count - 1u);
    if (name == NULL)
        return STATUS_NO_MEMORY;
    parser->module->ids[at->operands[0]].name = name;
    return STATUS_OK;
}

static enum status add_decoration(struct spv_parser *parser, uint32_t id,
                                  struct spv_decoration decoration)
{
    struct spv_id *entry = &parser->module->ids[id];
    decoration.next = entry->decorations;
    entry->decorations = arena_copy(&parser->module->arena, &decoration, sizeof decoration);
    return entry->decorations == NULL ? spv_parse_no_memory(parser) : STATUS_OK;
}

static enum status parse_decoration(struct spv_parser *parser)
{
    const struct spv_instruction *at = parser->at;
    if (at->op == SpvOpGroupDecorate) {
        for (uint32_t i = 1; i < at->operand_count; i++) {
            const enum status status = add_decoration(
                parser, at->operands[i], (struct spv_decoration){.group = at->operands[0]});
            if (status != STATUS_OK)
                return status;
        }
        return STATUS_OK;
    }
    return add_decoration(parser, at->operands[0],
                          (struct spv_decoration){.decoration = at->operands[1],
                                                  .operands = at->operands + 2,
                                                  .operand_count = at->operand_count - 2u});
}

static enum status parse_line(struct spv_parser *parser)
{
    struct spv_module *module = parser->module;
    const struct spv_instruction *at = parser->at;
    if (at->op == SpvOpNoLine || at->operands[1] == 0) {
        parser->current_place = 0;
        return STATUS_OK;
    }
    const char *file = module->ids[at->operands[0]].string;
    if (file == NULL)
        return spv_parse_malformed(parser, "id %u is not a string", at->operands[0]);
    const struct spv_place place = {file, at->operands[1], at->operands[2]};
    parser->current_place = module->place_count;
    return spv_parse_append(parser, &module->places, &module->place_count, &parser->place_capacity,
                            &place, sizeof place);
}

static enum status parse_source(struct spv_parser *parser)
{
    parser->module->language = (SpvSourceLanguage)parser->at->operands[0];
    parser->module->language_version = parser->at->operands[1];
    return STATUS_OK;
}

static enum status parse_decoration_group(struct spv_parser *parser)
{
    return spv_parse_define(parser, parser->at->result, (struct spv_id){.kind = SPV_ID_OTHER});
}

/* What stands before the functions, by SPIR-V 1.6, 2.4 (Logical Layout of a Module), and what reads
 * it; NULL: it is passed over. */
static const struct preamble_row {
    uint16_t op;
    enum status (*parse)(struct spv_parser *parser);
} preamble[] = {
    {SpvOpCapability, parse_capability},
    {SpvOpExtension, NULL},
    {SpvOpExtInstImport, parse_import},
    {SpvOpMemoryModel, parse_memory_model},
    {SpvOpEntryPoint, parse_entry_point},
    {SpvOpExecutionMode, NULL},
    {SpvOpExecutionModeId, NULL},
    {SpvOpString, parse_string},
    {SpvOpSource, parse_source},
    {SpvOpSourceContinued, NULL},
    {SpvOpSourceExtension, parse_source_extension},
    {SpvOpName, parse_name},
    {SpvOpMemberName, NULL},
    {SpvOpModuleProcessed, NULL},
    {SpvOpDecorate, parse_decoration},
    {SpvOpDecorateId, NULL},
    {SpvOpDecorateString, NULL},
    {SpvOpMemberDecorate, NULL},
    {SpvOpMemberDecorateString, NULL},
    {SpvOpDecorationGroup, parse_decoration_group},
    {SpvOpGroupDecorate, parse_decoration},
    {SpvOpGroupMemberDecorate, NULL},
};

static const struct preamble_row *find_preamble(uint32_t op)
{
    for (size_t i = 0; i < sizeof preamble / sizeof preamble[0]; i++) {
        if (preamble[i].op == op)
            return &preamble[i];
    }
    return NULL;
}

static bool is_type(uint32_t op)
{
    return (op >= SpvOpTypeVoid && op <= SpvOpTypeForwardPointer) || op == SpvOpTypePipeStorage ||
           op == SpvOpTypeNamedBarrier;
}

static bool is_constant(uint32_t op)
{
    return (op >= SpvOpConstantTrue && op <= SpvOpSpecConstantOp) || op == SpvOpConstantPipeStorage;
}

/* Debugging instructions stand anywhere and mean nothing to a run. */
static bool is_debug(const struct spv_module *module, const struct spv_instruction *at)
{
    return at->op == SpvOpExtInst && module->ids[at->operands[0]].kind == SPV_ID_EXTENSION &&
           module->ids[at->operands[0]].index == SPV_EXTENSION_DEBUG;
}

static enum status parse_meaning(struct spv_parser *parser, struct spv_instruction *at)
{
    const struct preamble_row *row = find_preamble(at->op);
    if (parser->function != NULL && (row != NULL || is_type(at->op) || is_constant(at->op)))
        return spv_parse_malformed(parser, "this does not belong in a function");
    if (row != NULL)
        return row->parse != NULL ? row->parse(parser) : STATUS_OK;
    if (at->op == SpvOpNop)
        return STATUS_OK;
    if (at->op == SpvOpLine || at->op == SpvOpNoLine)
        return parse_line(parser);
    if (is_debug(parser->module, at)) {
        if (parser->function != NULL && parser->in_block)
            parser->function->blocks[parser->function->block_count - 1].count++;
        return spv_parse_define(parser, at->result, (struct spv_id){.kind = SPV_ID_OTHER});
    }
    if (parser->function != NULL || (at->op >= SpvOpFunction && at->op <= SpvOpFunctionEnd))
        return spv_parse_function(parser);
    if (is_type(at->op))
        return spv_parse_type(parser);
    if (is_constant(at->op) || at->op == SpvOpUndef)
        return spv_parse_constant(parser);
    if (at->op == SpvOpVariable)
        return spv_parse_global_variable(parser);
    return spv_parse_unsupported(parser, "not supported at module scope");
}

/* A line instruction within a block leaves a hole in its instructions: the block's count goes on
 * over it, and readers skip what has no meaning (spv_block promises none, so holes are squeezed out
 * at the end). */
static void squeeze_blocks(struct spv_module *module)
{
    for (uint32_t f = 0; f < module->function_count; f++) {
        for (uint32_t b = 0; b < module->functions[f].block_count; b++) {
            struct spv_block *block = &module->functions[f].blocks[b];
            const uint32_t wanted = block->count;
            struct spv_instruction *to =
                &module->instructions[block->instructions - module->instructions];
            const struct spv_instruction *from = block->instructions;
            block->count = 0;
            for (uint32_t seen = 0; seen < wanted; from++) {
                if (from->op == SpvOpLine || from->op == SpvOpNoLine || from->op == SpvOpNop)
                    continue;
                seen++;
                if (!is_debug(module, from))
                    to[block->count++] = *from;
            }
        }
    }
}

static enum status parse_all(struct spv_parser *parser)
{
    struct spv_module *module = parser->module;
    enum status status = STATUS_OK;
    for (uint32_t i = 0; i < module->instruction_count && status == STATUS_OK; i++) {
        struct spv_instruction *at = &module->instructions[i];
        at->place = parser->current_place;
        parser->at = at;
        status = parse_meaning(parser, at);
    }
    if (status != STATUS_OK)
        return status;
    parser->at = NULL;
    if (parser->function != NULL)
        return error_set(parser->error, STATUS_MALFORMED,
                         "the module ends in the middle of function '%s'", parser->function->name);
    if (!parser->saw_memory_model)
        return error_set(parser->error, STATUS_MALFORMED, "the module has no OpMemoryModel");
    squeeze_blocks(module);
    status = spv_parse_finish_types(parser);
    if (status == STATUS_OK)
        status = spv_parse_initialisers(parser);
    if (status == STATUS_OK)
        status = spv_parse_kernels(parser);
    return status != STATUS_OK ? status : spv_parse_children(parser);
}

/* ---- what module.h and module_private.h promise ---- */

enum status spv_module_parse(const void *bytes, size_t size, struct spv_module **module,
                             struct error *error)
{
    struct spv_module *made = alloc_zero(1, sizeof *made);
    if (made == NULL)
        return error_no_memory(error, sizeof *made);
    struct spv_parser parser = {.module = made, .error = error};
    const struct spv_place unknown = {.file = ""};
    enum status status = spv_parse_append(&parser, &made->places, &made->place_count,
                                          &parser.place_capacity, &unknown, sizeof unknown);
    if (status == STATUS_OK)
        status = spv_parse_words(&parser, bytes, size);
    if (status == STATUS_OK)
        status = spv_parse_instructions(&parser);
    if (status == STATUS_OK)
        status = parse_all(&parser);
    if (status != STATUS_OK) {
        spv_module_destroy(made);
        return status;
    }
    *module = made;
    return STATUS_OK;
}

void spv_module_destroy(struct spv_module *module)
{
    if (module == NULL)
        return;
    arena_release(&module->arena);
    alloc_free(module);
}
