/* clang 18 and later say of C++ for OpenCL that it is such, by `!opencl.cxx.version`. llvm-spirv
 * then takes get_global_id and the other built-in functions for functions of the program, which
 * nobody defines. Without that line it knows them, as in OpenCL C.
 *
 * From 17 on it also ends with an assertion at printf by its name in C++; here it has that of C. */
#include "reference/icd/repair_language.h"

#include "reference/icd/ir_text.h"

#include <spirv/unified1/spirv.h>
#include <stdint.h>

static const char claim[] = "!opencl.cxx.version = ";
static const char printf_of_cpp[] = "@_Z6printfPU3AS2Kcz(";

bool repair_language(const char *ir, struct text *repaired)
{
    bool changed = false;
    for (const char *at = ir; *at != '\0';) {
        const struct ir_piece line = ir_line(at);
        at = ir_next_line(line);
        const char *name = ir_find(line, printf_of_cpp);
        changed |= name != NULL || ir_starts(line, claim);
        if (ir_starts(line, claim))
            continue;
        text_append_n(repaired, line.at, name ? (size_t)(name - line.at) : line.size);
        if (name) {
            const char *rest = name + strlen(printf_of_cpp);
            text_append(repaired, "@printf(");
            text_append_n(repaired, rest, (size_t)(line.at + line.size - rest));
        }
        text_append_char(repaired, '\n');
    }
    return changed && !repaired->failed;
}

bool repair_says_cpp(const struct text *spirv)
{
    enum { HEADER_WORDS = 5 };
    const size_t count = spirv->size / sizeof(uint32_t);
    for (size_t i = HEADER_WORDS; i + 1 < count;) {
        uint32_t words[2]; /* which need not be aligned */
        memcpy(words, spirv->bytes + i * sizeof(uint32_t), sizeof(words));
        const uint32_t opcode = words[0] & 0xffff, length = words[0] >> 16;
        if (length == 0 || opcode == SpvOpFunction)
            return false;
        if (opcode == SpvOpSource)
            return words[1] == SpvSourceLanguageCPP_for_OpenCL;
        i += length;
    }
    return false;
}
