/* Reads a module in two passes: the first finds the instructions and holds every operand against
 * the grammar, the second gives them meaning in order. Names, decorations and execution modes come
 * before what they speak of, so they wait at their id.
 *
 * What no instruction of ours reads (debugging information, member names, source text) is passed
 * over. */
#include "reference/spirv/grammar.h"
#include "reference/spirv/parse.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <stdio.h>
#include <string.h>

enum { BOUND_MAX = 4194303 }; /* SPIR-V 1.6, 2.17 Universal Limits */

enum status spv_parse_fail(struct spv_parser *parser, enum status status, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    error_set_v(parser->error, status, format, list);
    va_end(list);
    if (parser->at != NULL) {
        const struct spv_place *place = &parser->module->places[parser->at->place];
        if (parser->at->place != 0)
            error_prefix(parser->error, "%s:%u:%u: error: SPIR-V word %u (%s)", place->file,
                         place->line, place->column, parser->at->word, spv_op_name(parser->at->op));
        else
            error_prefix(parser->error, "SPIR-V word %u (%s)", parser->at->word,
                         spv_op_name(parser->at->op));
    }
    return status;
}

enum status spv_parse_no_memory(struct spv_parser *parser)
{
    return error_set(parser->error, STATUS_NO_MEMORY, "out of memory while reading SPIR-V");
}

void *spv_parse_grow(struct spv_parser *parser, void *items, size_t count, size_t *capacity,
                     size_t item_size)
{
    if (count < *capacity)
        return items;
    const size_t wanted = *capacity == 0 ? 8 : *capacity * 2;
    void *grown = arena_alloc(&parser->module->arena, wanted, item_size);
    if (grown == NULL) {
        spv_parse_no_memory(parser);
        return NULL;
    }
    if (count > 0)
        memcpy(grown, items, count * item_size);
    *capacity = wanted;
    return grown;
}

enum status spv_parse_define(struct spv_parser *parser, uint32_t id, enum spv_id_kind kind,
                             struct spv_id **entry)
{
    *entry = &parser->module->ids[id];
    if ((*entry)->kind != SPV_ID_NONE)
        return spv_parse_fail(parser, STATUS_MALFORMED, "id %u is defined twice", id);
    (*entry)->kind = kind;
    return STATUS_OK;
}

/* ---- words ---- */

static uint32_t swap(uint32_t word)
{
    return __builtin_bswap32(word);
}

static enum status load_words(struct spv_parser *parser, const void *bytes, size_t size)
{
    struct spv_module *module = parser->module;
    if (size < 20 || size % 4 != 0 || size / 4 > UINT32_MAX)
        return error_set(parser->error, STATUS_MALFORMED,
                         "%zu bytes are no SPIR-V module: it has whole words, at least 5", size);
    uint32_t *words = arena_copy(&module->arena, bytes, size);
    if (words == NULL)
        return spv_parse_no_memory(parser);
    module->word_count = (uint32_t)(size / 4);
    if (words[0] == swap(SpvMagicNumber)) {
        for (uint32_t i = 0; i < module->word_count; i++)
            words[i] = swap(words[i]);
    }
    if (words[0] != SpvMagicNumber)
        return error_set(parser->error, STATUS_MALFORMED,
                         "no SPIR-V module: it starts with 0x%08x, not 0x%08x", words[0],
                         (unsigned)SpvMagicNumber);
    module->words = words;
    const uint32_t major = words[1] >> 16;
    const uint32_t minor = words[1] >> 8 & 0xff;
    if (major != 1 || minor > 6)
        return error_set(parser->error, STATUS_UNSUPPORTED,
                         "SPIR-V %u.%u is not supported; 1.0 to 1.6 are", major, minor);
    module->bound = words[3];
    /* Every id has an instruction of at least two words; the factor leaves room for stripped
     * modules. */
    if (module->bound > BOUND_MAX || module->bound / 64 > module->word_count)
        return error_set(parser->error, STATUS_MALFORMED,
                         "an id bound of %u is not plausible for a module of %u words",
                         module->bound, module->word_count);
    module->ids = arena_alloc(&module->arena, (size_t)module->bound + 1, sizeof *module->ids);
    if (module->ids == NULL)
        return spv_parse_no_memory(parser);
    for (uint32_t i = 0; i <= module->bound; i++)
        module->ids[i].name = "";
    return STATUS_OK;
}

/* The NUL-terminated string in operands[index...]: how many words it takes, 0 when it does not end.
 */
static uint32_t string_words(const uint32_t *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t word = words[i];
        if ((word & 0xff) == 0 || (word & 0xff00) == 0 || (word & 0xff0000) == 0 ||
            (word & 0xff000000) == 0)
            return i + 1;
    }
    return 0;
}

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

static bool id_in_bound(const struct spv_module *module, uint32_t id)
{
    return id != 0 && id < module->bound;
}

/* Takes one operand described by `letter` from the words at *index. NULL, or what is wrong. */
static const char *check_operand(const struct spv_module *module, char letter,
                                 const uint32_t *words, uint32_t count, uint32_t *index)
{
    const uint32_t left = count - *index;
    uint32_t taken = 1;
    switch (letter) {
    case 'i':
        if (left >= 1 && !id_in_bound(module, words[*index]))
            return "an id out of bound";
        break;
    case 'd':
        taken = 2;
        if (left >= 2 &&
            (!id_in_bound(module, words[*index]) || !id_in_bound(module, words[*index + 1])))
            return "an id out of bound";
        break;
    case 'q':
        taken = 2;
        if (left >= 1 && !id_in_bound(module, words[*index]))
            return "an id out of bound";
        break;
    case 's':
        taken = left == 0 ? 1 : string_words(words + *index, left);
        if (taken == 0)
            return "a string without its end";
        break;
    case 'c': /* as wide as the type: the constant checks */
    case 'p': /* as wide as the selector: the lowering checks */
    case 'a':
        taken = left == 0 ? 1 : left;
        break;
    default:
        break;
    }
    if (taken > left)
        return "an operand is missing";
    *index += taken;
    return NULL;
}

static const char *check_operands(const struct spv_module *module, const char *pattern,
                                  const uint32_t *words, uint32_t count)
{
    uint32_t index = 0;
    while (*pattern != '\0') {
        const char letter = *pattern++;
        const char quantifier = *pattern == '?' || *pattern == '*' ? *pattern++ : '\0';
        if (quantifier != '\0' && index == count)
            continue;
        do {
            const char *wrong = check_operand(module, letter, words, count, &index);
            if (wrong != NULL)
                return wrong;
        } while (quantifier == '*' && index < count);
    }
    return index == count ? NULL : "more operands than the instruction takes";
}

static enum status read_instruction(struct spv_parser *parser, uint32_t word, uint32_t *length,
                                    struct spv_instruction *instruction)
{
    const struct spv_module *module = parser->module;
    const uint32_t *words = module->words + word;
    *length = words[0] >> 16;
    *instruction = (struct spv_instruction){.op = (uint16_t)(words[0] & 0xffff), .word = word};
    parser->at = instruction;
    if (*length == 0 || *length > module->word_count - word)
        return spv_parse_fail(parser, STATUS_MALFORMED,
                              "%u words long, but %u are left in the module", *length,
                              module->word_count - word);
    struct spv_grammar grammar;
    if (!spv_grammar_find(instruction->op, &grammar))
        return spv_parse_fail(parser, STATUS_UNSUPPORTED, "opcode %u is not known",
                              (unsigned)instruction->op);
    const uint32_t fixed = 1u + grammar.has_type + grammar.has_result;
    if (*length < fixed)
        return spv_parse_fail(parser, STATUS_MALFORMED, "an operand is missing");
    if (grammar.has_type)
        instruction->type = words[1];
    if (grammar.has_result)
        instruction->result = words[fixed - 1];
    if ((grammar.has_type && !id_in_bound(module, instruction->type)) ||
        (grammar.has_result && !id_in_bound(module, instruction->result)))
        return spv_parse_fail(parser, STATUS_MALFORMED, "an id out of bound");
    instruction->operands = words + fixed;
    instruction->operand_count = (uint16_t)(*length - fixed);
    /* What follows the number of an extended instruction is the set's business: ids or literals. */
    const char *pattern = instruction->op == SpvOpExtInst ? "ila?" : grammar.pattern + (fixed - 1);
    const char *wrong =
        check_operands(module, pattern, instruction->operands, instruction->operand_count);
    return wrong == NULL ? STATUS_OK : spv_parse_fail(parser, STATUS_MALFORMED, "%s", wrong);
}

static enum status read_instructions(struct spv_parser *parser)
{
    struct spv_module *module = parser->module;
    uint32_t count = 0;
    uint32_t functions = 0;
    for (uint32_t word = 5; word < module->word_count; count++) {
        const uint32_t length = module->words[word] >> 16;
        functions += (module->words[word] & 0xffff) == SpvOpFunction;
        if (length == 0)
            break; /* told below */
        word = length > module->word_count - word ? module->word_count : word + length;
    }
    /* One more: what is left of a module that ends early. */
    module->instructions = arena_alloc(&module->arena, count + 1, sizeof *module->instructions);
    module->functions = arena_alloc(&module->arena, functions + 1, sizeof *module->functions);
    if (module->instructions == NULL || module->functions == NULL)
        return spv_parse_no_memory(parser);
    for (uint32_t word = 5; word < module->word_count;) {
        uint32_t length;
        const enum status status = read_instruction(
            parser, word, &length, &module->instructions[module->instruction_count]);
        if (status != STATUS_OK)
            return status;
        module->instruction_count++;
        word += length;
    }
    parser->at = NULL;
    return STATUS_OK;
}

/* ---- meaning ---- */

static enum status parse_capability(struct spv_parser *parser)
{
    const uint32_t capability = parser->at->operands[0];
    switch (capability) {
    case SpvCapabilityMatrix: /* implied by some front ends; no matrix type is accepted */
    case SpvCapabilityAddresses:
    case SpvCapabilityLinkage:
    case SpvCapabilityKernel:
    case SpvCapabilityVector16:
    case SpvCapabilityFloat16Buffer:
    case SpvCapabilityFloat16:
    case SpvCapabilityFloat64:
    case SpvCapabilityInt64:
    case SpvCapabilityInt64Atomics:
    case SpvCapabilityAtomicFloat32AddEXT:
    case SpvCapabilityAtomicFloat64AddEXT:
    case SpvCapabilityAtomicFloat32MinMaxEXT:
    case SpvCapabilityAtomicFloat64MinMaxEXT:
    case SpvCapabilityInt16:
    case SpvCapabilityInt8:
    case SpvCapabilityGenericPointer:
    case SpvCapabilityGroups:
    case SpvCapabilityImageBasic: /* declared by translators for builtins that a kernel may not use
                                   */
    case SpvCapabilityImageReadWrite:
    case SpvCapabilitySampled1D:
    case SpvCapabilityImage1D:
    case SpvCapabilitySampledBuffer:
    case SpvCapabilityImageBuffer:
    case SpvCapabilityLiteralSampler:
    case SpvCapabilitySubgroupDispatch:
    case SpvCapabilityExpectAssumeKHR:
    case SpvCapabilityBitInstructions:
    case SpvCapabilityDotProduct:
    case SpvCapabilityDotProductInputAll:
    case SpvCapabilityDotProductInput4x8Bit:
    case SpvCapabilityDotProductInput4x8BitPacked:
    case SpvCapabilityUniformDecoration:
    case SpvCapabilityOptNoneINTEL:
        return STATUS_OK;
    default:
        break;
    }
    const char *name = spv_capability_name(capability);
    if (name == NULL)
        return spv_parse_fail(parser, STATUS_UNSUPPORTED, "capability %u is not known", capability);
    return spv_parse_fail(parser, STATUS_UNSUPPORTED, "capability %s is not supported", name);
}

static enum status parse_import(struct spv_parser *parser)
{
    const struct spv_instruction *at = parser->at;
    const char *name = copy_string(parser, at->operands, at->operand_count);
    if (name == NULL)
        return STATUS_NO_MEMORY;
    struct spv_id *entry;
    const enum status status = spv_parse_define(parser, at->result, SPV_ID_EXTENSION, &entry);
    if (status != STATUS_OK)
        return status;
    if (strcmp(name, "OpenCL.std") == 0)
        entry->index = SPV_EXTENSION_OPENCL;
    else if (strcmp(name, "OpenCL.DebugInfo.100") == 0 || strcmp(name, "SPIRV.debug") == 0 ||
             strncmp(name, "NonSemantic.", 12) == 0)
        entry->index = SPV_EXTENSION_DEBUG;
    else
        return spv_parse_fail(parser, STATUS_UNSUPPORTED,
                              "the extended instruction set '%s' is not supported", name);
    return STATUS_OK;
}

static enum status parse_memory_model(struct spv_parser *parser)
{
    const uint32_t addressing = parser->at->operands[0];
    if (parser->at->operands[1] != SpvMemoryModelOpenCL)
        return spv_parse_fail(parser, STATUS_UNSUPPORTED,
                              "memory model %u is not supported; OpenCL's is",
                              parser->at->operands[1]);
    if (addressing != SpvAddressingModelPhysical64)
        return spv_parse_fail(parser, STATUS_UNSUPPORTED,
                              "addressing model %u is not supported; Physical64 is: compile for "
                              "spir64",
                              addressing);
    parser->saw_memory_model = true;
    return STATUS_OK;
}

static enum status parse_entry_point(struct spv_parser *parser)
{
    struct spv_module *module = parser->module;
    const struct spv_instruction *at = parser->at;
    if (at->operands[0] != SpvExecutionModelKernel)
        return spv_parse_fail(parser, STATUS_UNSUPPORTED, "execution model %u is not supported",
                              at->operands[0]);
    const uint32_t *string = at->operands + 2;
    const char *name = copy_string(parser, string, string_words(string, at->operand_count - 2u));
    struct spv_kernel *kernels = spv_parse_grow(parser, module->kernels, module->kernel_count,
                                                &parser->kernel_capacity, sizeof *kernels);
    if (name == NULL || kernels == NULL)
        return STATUS_NO_MEMORY;
    module->kernels = kernels;
    /* The function comes later: see bind_kernels. */
    kernels[module->kernel_count++] = (struct spv_kernel){.name = name};
    return STATUS_OK;
}

static enum status parse_string(struct spv_parser *parser)
{
    struct spv_id *entry;
    const struct spv_instruction *at = parser->at;
    const char *string = copy_string(parser, at->operands, at->operand_count);
    if (string == NULL)
        return STATUS_NO_MEMORY;
    const enum status status = spv_parse_define(parser, at->result, SPV_ID_STRING, &entry);
    if (status == STATUS_OK)
        entry->string = string;
    return status;
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
        return spv_parse_fail(parser, STATUS_MALFORMED, "id %u is no string", at->operands[0]);
    struct spv_place *places = spv_parse_grow(parser, module->places, module->place_count,
                                              &parser->place_capacity, sizeof *places);
    if (places == NULL)
        return STATUS_NO_MEMORY;
    module->places = places;
    parser->current_place = module->place_count;
    places[module->place_count++] = (struct spv_place){file, at->operands[1], at->operands[2]};
    return STATUS_OK;
}

/* What stands before the functions, by SPIR-V 1.6, 2.4 (Logical Layout of a Module). */
static bool is_preamble(uint32_t op)
{
    switch (op) {
    case SpvOpCapability:
    case SpvOpExtension:
    case SpvOpExtInstImport:
    case SpvOpMemoryModel:
    case SpvOpEntryPoint:
    case SpvOpExecutionMode:
    case SpvOpExecutionModeId:
    case SpvOpString:
    case SpvOpSource:
    case SpvOpSourceContinued:
    case SpvOpSourceExtension:
    case SpvOpName:
    case SpvOpMemberName:
    case SpvOpModuleProcessed:
    case SpvOpDecorate:
    case SpvOpDecorateId:
    case SpvOpDecorateString:
    case SpvOpMemberDecorate:
    case SpvOpMemberDecorateString:
    case SpvOpDecorationGroup:
    case SpvOpGroupDecorate:
    case SpvOpGroupMemberDecorate:
        return true;
    default:
        return false;
    }
}

static bool is_type(uint32_t op)
{
    return (op >= SpvOpTypeVoid && op <= SpvOpTypeForwardPointer) ||
           (op >= SpvOpTypePipeStorage && op <= SpvOpTypeNamedBarrier);
}

static bool is_constant(uint32_t op)
{
    return op >= SpvOpConstantTrue && op <= SpvOpSpecConstantOp;
}

static enum status parse_meaning(struct spv_parser *parser, struct spv_instruction *at)
{
    struct spv_module *module = parser->module;
    if (parser->function != NULL && (is_preamble(at->op) || is_type(at->op) || is_constant(at->op)))
        return spv_parse_fail(parser, STATUS_MALFORMED, "this does not belong in a function");
    switch (at->op) {
    case SpvOpNop:
        return STATUS_OK;
    case SpvOpCapability:
        return parse_capability(parser);
    case SpvOpExtInstImport:
        return parse_import(parser);
    case SpvOpMemoryModel:
        return parse_memory_model(parser);
    case SpvOpEntryPoint:
        return parse_entry_point(parser);
    case SpvOpString:
        return parse_string(parser);
    case SpvOpName:
        return parse_name(parser);
    case SpvOpSource:
        module->language = (SpvSourceLanguage)at->operands[0];
        module->language_version = at->operands[1];
        return STATUS_OK;
    case SpvOpDecorate:
    case SpvOpGroupDecorate:
        return parse_decoration(parser);
    case SpvOpLine:
    case SpvOpNoLine:
        return parse_line(parser);
    case SpvOpExecutionMode:
    case SpvOpExecutionModeId:
    case SpvOpExtension:
    case SpvOpSourceContinued:
    case SpvOpSourceExtension:
    case SpvOpMemberName:
    case SpvOpMemberDecorate:
    case SpvOpMemberDecorateString:
    case SpvOpGroupMemberDecorate:
    case SpvOpDecorateId:
    case SpvOpDecorateString:
    case SpvOpModuleProcessed:
        return STATUS_OK;
    case SpvOpDecorationGroup: {
        struct spv_id *entry;
        return spv_parse_define(parser, at->result, SPV_ID_OTHER, &entry);
    }
    default:
        break;
    }
    /* Debugging instructions stand anywhere and mean nothing to a run. */
    if (at->op == SpvOpExtInst && module->ids[at->operands[0]].kind == SPV_ID_EXTENSION &&
        module->ids[at->operands[0]].index == SPV_EXTENSION_DEBUG) {
        struct spv_id *entry;
        if (parser->function != NULL && parser->in_block)
            parser->function->blocks[parser->function->block_count - 1].count++;
        return spv_parse_define(parser, at->result, SPV_ID_OTHER, &entry);
    }
    if (parser->function != NULL || (at->op >= SpvOpFunction && at->op <= SpvOpFunctionEnd))
        return spv_parse_function(parser);
    if (is_type(at->op))
        return spv_parse_type(parser);
    if (is_constant(at->op) || at->op == SpvOpUndef)
        return spv_parse_constant(parser);
    if (at->op == SpvOpVariable)
        return spv_parse_global_variable(parser);
    return spv_parse_fail(parser, STATUS_UNSUPPORTED, "not supported at module scope");
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
                const bool debug = from->op == SpvOpExtInst &&
                                   module->ids[from->operands[0]].kind == SPV_ID_EXTENSION &&
                                   module->ids[from->operands[0]].index == SPV_EXTENSION_DEBUG;
                if (from->op == SpvOpLine || from->op == SpvOpNoLine || from->op == SpvOpNop)
                    continue;
                seen++;
                if (debug)
                    continue;
                to[block->count++] = *from;
            }
        }
    }
}

/* ---- kernels ---- */

/* The three sizes of an execution mode whose operands are ids of constants. */
static enum status parse_mode_ids(struct spv_parser *parser, const struct spv_instruction *mode,
                                  uint64_t sizes[3])
{
    for (uint32_t d = 0; d < 3; d++) {
        const uint32_t id = d + 2 < mode->operand_count ? mode->operands[d + 2] : 0;
        const struct spv_constant *constant =
            id < parser->module->bound ? parser->module->ids[id].constant : NULL;
        if (constant == NULL || constant->kind != SPV_CONSTANT_SCALAR ||
            constant->type->kind != SPV_TYPE_INT)
            return spv_parse_fail(parser, STATUS_MALFORMED,
                                  "size %u, id %u, is no integer constant", d, id);
        sizes[d] = constant->bits;
    }
    return STATUS_OK;
}

static enum status parse_mode(struct spv_parser *parser, struct spv_kernel *kernel,
                              const struct spv_instruction *mode)
{
    const uint32_t *operands = mode->operands;
    const bool sizes = mode->operand_count == 5;
    switch (operands[1]) {
    case SpvExecutionModeLocalSizeId:
        return parse_mode_ids(parser, mode, kernel->local_size);
    case SpvExecutionModeLocalSizeHintId:
        return parse_mode_ids(parser, mode, kernel->local_size_hint);
    case SpvExecutionModeLocalSize:
        for (uint32_t d = 0; d < 3 && sizes; d++)
            kernel->local_size[d] = operands[2 + d];
        break;
    case SpvExecutionModeLocalSizeHint:
        for (uint32_t d = 0; d < 3 && sizes; d++)
            kernel->local_size_hint[d] = operands[2 + d];
        break;
    case SpvExecutionModeInitializer:
        kernel->phase = SPV_PHASE_INITIALISER;
        break;
    case SpvExecutionModeFinalizer:
        kernel->phase = SPV_PHASE_FINALISER;
        break;
    case SpvExecutionModeVecTypeHint:
        if (mode->operand_count == 3)
            kernel->has_vector_type_hint = true;
        kernel->vector_type_hint = operands[2];
        break;
    default:
        break; /* ContractionOff: the device never contracts */
    }
    return STATUS_OK;
}

/* "kernel_arg_type.NAME.float*,int," as the translator writes it: what follows the name, or NULL.
 */
static const char *argument_string(const struct spv_module *module, const char *prefix,
                                   const char *name)
{
    const size_t prefix_size = strlen(prefix);
    const size_t name_size = strlen(name);
    for (uint32_t i = 0; i < module->instruction_count; i++) {
        const struct spv_instruction *at = &module->instructions[i];
        if (at->op != SpvOpString)
            continue;
        const char *string = module->ids[at->result].string;
        if (strncmp(string, prefix, prefix_size) == 0 &&
            strncmp(string + prefix_size, name, name_size) == 0 &&
            string[prefix_size + name_size] == '.')
            return string + prefix_size + name_size + 1;
    }
    return NULL;
}

/* Kernels are few; a module whose entry points would make this quadratic is refused. */
enum { KERNEL_MAX = 4096 };

static enum status bind_kernels(struct spv_parser *parser)
{
    struct spv_module *module = parser->module;
    uint32_t kernel = 0;
    if (module->kernel_count > KERNEL_MAX)
        return error_set(parser->error, STATUS_UNSUPPORTED,
                         "%u kernels in a module; the most is %d", module->kernel_count,
                         KERNEL_MAX);
    for (uint32_t i = 0; i < module->instruction_count; i++) {
        const struct spv_instruction *at = &module->instructions[i];
        if (at->op != SpvOpEntryPoint)
            continue;
        parser->at = at;
        struct spv_kernel *to = &module->kernels[kernel++];
        const struct spv_id *entry = &module->ids[at->operands[1]];
        if (entry->kind != SPV_ID_FUNCTION || entry->function->block_count == 0)
            return spv_parse_fail(parser, STATUS_MALFORMED, "id %u is no function with a body",
                                  at->operands[1]);
        to->function = entry->function;
        if (to->function->type->element->kind != SPV_TYPE_VOID)
            return spv_parse_fail(parser, STATUS_MALFORMED, "kernel '%s' returns a value",
                                  to->name);
        to->argument_types = argument_string(module, "kernel_arg_type.", to->name);
        to->argument_qualifiers = argument_string(module, "kernel_arg_type_qual.", to->name);
    }
    parser->at = NULL;
    for (uint32_t i = 0; i < module->instruction_count; i++) {
        const struct spv_instruction *at = &module->instructions[i];
        enum status status = STATUS_OK;
        if (at->op != SpvOpExecutionMode && at->op != SpvOpExecutionModeId)
            continue;
        parser->at = at;
        for (uint32_t k = 0; k < module->kernel_count && status == STATUS_OK; k++) {
            if (module->kernels[k].function->id == at->operands[0])
                status = parse_mode(parser, &module->kernels[k], at);
        }
        if (status != STATUS_OK)
            return status;
    }
    parser->at = NULL;
    return STATUS_OK;
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
    return status != STATUS_OK ? status : bind_kernels(parser);
}

/* ---- what module.h and module_private.h promise ---- */

enum status spv_module_parse(const void *bytes, size_t size, struct spv_module **module,
                             struct error *error)
{
    struct spv_module *made = alloc_zero(1, sizeof *made);
    if (made == NULL)
        return error_no_memory(error, sizeof *made);
    struct spv_parser parser = {.module = made, .error = error};
    enum status status = STATUS_OK;
    made->places = spv_parse_grow(&parser, NULL, 0, &parser.place_capacity, sizeof *made->places);
    if (made->places == NULL)
        status = STATUS_NO_MEMORY;
    if (status == STATUS_OK) {
        made->places[0] = (struct spv_place){.file = ""};
        made->place_count = 1;
        status = load_words(&parser, bytes, size);
    }
    if (status == STATUS_OK)
        status = read_instructions(&parser);
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

size_t spv_module_kernel_count(const struct spv_module *module)
{
    return module->kernel_count;
}

const char *spv_module_kernel_name(const struct spv_module *module, size_t index)
{
    ASSERT(index < module->kernel_count);
    return module->kernels[index].name;
}

enum spv_phase spv_module_kernel_phase(const struct spv_module *module, size_t index)
{
    ASSERT(index < module->kernel_count);
    return module->kernels[index].phase;
}

size_t spv_module_variable_count(const struct spv_module *module)
{
    return module->program_variable_count;
}

const struct spv_variable *spv_module_variable(const struct spv_module *module, size_t index)
{
    ASSERT(index < module->program_variable_count);
    return &module->program_variables[index];
}

static const struct spv_decoration *find_in_list(const struct spv_decoration *list,
                                                 uint32_t decoration)
{
    for (; list != NULL; list = list->next) {
        if (list->group == 0 && list->decoration == decoration)
            return list;
    }
    return NULL;
}

const struct spv_decoration *spv_decoration_find(const struct spv_module *module, uint32_t id,
                                                 uint32_t decoration)
{
    const struct spv_decoration *found = find_in_list(module->ids[id].decorations, decoration);
    for (const struct spv_decoration *list = module->ids[id].decorations;
         list != NULL && found == NULL; list = list->next) {
        if (list->group != 0)
            found = find_in_list(module->ids[list->group].decorations, decoration);
    }
    return found;
}

const struct spv_type *spv_type_find(const struct spv_module *module, uint32_t id)
{
    return id < module->bound && module->ids[id].kind == SPV_ID_TYPE ? module->ids[id].type : NULL;
}

const struct spv_kernel *spv_kernel_find(const struct spv_module *module, const char *name)
{
    for (uint32_t i = 0; i < module->kernel_count; i++) {
        if (strcmp(module->kernels[i].name, name) == 0)
            return &module->kernels[i];
    }
    return NULL;
}
