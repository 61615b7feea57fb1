/* Look-up in the generated rows of the grammar. */
#include "reference/spirv/grammar.h"

bool spv_grammar_find(uint32_t opcode, struct spv_grammar *grammar)
{
    const char *name = NULL;
    const char *pattern = NULL;
    switch (opcode) {
#define SPV_OP(op_name, number, op_pattern)                                                        \
    case number:                                                                                   \
        name = #op_name;                                                                           \
        pattern = op_pattern;                                                                      \
        break;
#define SPV_CAPABILITY(capability_name, number)
#define SPV_EXTINST(instruction_name, number)
#include "spirv_grammar.inc"
#undef SPV_OP
#undef SPV_CAPABILITY
#undef SPV_EXTINST
    default:
        return false;
    }
    *grammar = (struct spv_grammar){
        .name = name,
        .pattern = pattern,
        .has_type = pattern[0] == 't',
        .has_result = pattern[0] == 'r' || (pattern[0] == 't' && pattern[1] == 'r'),
    };
    return true;
}

const char *spv_op_name(uint32_t opcode)
{
    struct spv_grammar grammar;
    return spv_grammar_find(opcode, &grammar) ? grammar.name : "an unknown instruction";
}

const char *spv_capability_name(uint32_t capability)
{
    switch (capability) {
#define SPV_OP(op_name, number, op_pattern)
#define SPV_CAPABILITY(capability_name, number)                                                    \
    case number:                                                                                   \
        return #capability_name;
#define SPV_EXTINST(instruction_name, number)
#include "spirv_grammar.inc"
#undef SPV_OP
#undef SPV_CAPABILITY
#undef SPV_EXTINST
    default:
        return NULL;
    }
}

const char *spv_opencl_name(uint32_t number)
{
    switch (number) {
#define SPV_OP(op_name, number, op_pattern)
#define SPV_CAPABILITY(capability_name, number)
#define SPV_EXTINST(instruction_name, instruction_number)                                          \
    case instruction_number:                                                                       \
        return #instruction_name;
#include "spirv_grammar.inc"
#undef SPV_OP
#undef SPV_CAPABILITY
#undef SPV_EXTINST
    default:
        return NULL;
    }
}
