/* The grammar of SPIR-V as the installed spirv-headers state it, from rows that the build
 * generates. */
#ifndef REFERENCE_SPIRV_GRAMMAR_H
#define REFERENCE_SPIRV_GRAMMAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `pattern` has a letter for each operand, as reference/spirv/grammar.cmake says. */
struct spv_grammar {
    const char *name; /* "OpLoad" */
    const char *pattern;
    bool has_type, has_result;
};

/* False for an opcode that the grammar does not have. */
bool spv_grammar_find(uint32_t opcode, struct spv_grammar *grammar);
/* "OpLoad", or "an unknown instruction". */
const char *spv_op_name(uint32_t opcode);
/* "Kernel", or NULL. */
const char *spv_capability_name(uint32_t capability);
/* "native_sin" of the set OpenCL.std, or NULL. */
const char *spv_opencl_name(uint32_t number);

#endif
