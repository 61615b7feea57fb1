/* The first pass over a module: words to instructions, each with its operands held against the
 * grammar. */
#include "reference/spirv/grammar.h"
#include "reference/spirv/parse.h"

enum { BOUND_MAX = 4194303 }; /* SPIR-V 1.6, 2.17 Universal Limits */

static uint32_t swap(uint32_t word)
{
    return __builtin_bswap32(word);
}

enum status spv_parse_words(struct spv_parser *parser, const void *bytes, size_t size)
{
    struct spv_module *module = parser->module;
    if (size < 20 || size % 4 != 0 || size / 4 > UINT32_MAX)
        return error_set(parser->error, STATUS_MALFORMED,
                         "%zu bytes are not a SPIR-V module: it has whole words, at least 5", size);
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

uint32_t spv_parse_string_words(const uint32_t *words, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t word = words[i];
        if ((word & 0xff) == 0 || (word & 0xff00) == 0 || (word & 0xff0000) == 0 ||
            (word & 0xff000000) == 0)
            return i + 1;
    }
    return 0;
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
        taken = left == 0 ? 1 : spv_parse_string_words(words + *index, left);
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
        return spv_parse_malformed(parser, "%u words long, but %u are left in the module", *length,
                                   module->word_count - word);
    struct spv_grammar grammar;
    if (!spv_grammar_find(instruction->op, &grammar))
        return spv_parse_unsupported(parser, "opcode %u is not known", (unsigned)instruction->op);
    const uint32_t fixed = 1u + grammar.has_type + grammar.has_result;
    if (*length < fixed)
        return spv_parse_malformed(parser, "an operand is missing");
    if (grammar.has_type)
        instruction->type = words[1];
    if (grammar.has_result)
        instruction->result = words[fixed - 1];
    if ((grammar.has_type && !id_in_bound(module, instruction->type)) ||
        (grammar.has_result && !id_in_bound(module, instruction->result)))
        return spv_parse_malformed(parser, "an id out of bound");
    instruction->operands = words + fixed;
    instruction->operand_count = (uint16_t)(*length - fixed);
    /* What follows the number of an extended instruction is the set's business: ids or literals. */
    const char *pattern = instruction->op == SpvOpExtInst ? "ila?" : grammar.pattern + (fixed - 1);
    const char *wrong =
        check_operands(module, pattern, instruction->operands, instruction->operand_count);
    return wrong == NULL ? STATUS_OK : spv_parse_malformed(parser, "%s", wrong);
}

enum status spv_parse_instructions(struct spv_parser *parser)
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
