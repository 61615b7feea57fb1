/* From clang's bitcode to SPIR-V, by llvm-spirv. */
#ifndef REFERENCE_COMPILER_TRANSLATE_H
#define REFERENCE_COMPILER_TRANSLATE_H

#include "reference/compiler/toolchain.h"
#include "trace/base/arena.h"
#include "trace/base/status.h"
#include "trace/base/text.h"

#include <stdbool.h>

struct translate_request {
    const struct toolchain *tools;
    const char *target; /* clang's name of it */
    const struct text *bitcode;
    /* Makes LLVM's text of the same module; false on failure. It is asked for when the translator
     * does not take the bitcode. */
    bool (*make_text)(void *user, struct text *ir);
    void *user;
};

/* Translates. What llvm-spirv does not take is repaired, if that is known, and tried once more.
 * What llvm-spirv said goes behind `log`: on failure it is one sentence, with the place in the
 * program. `spirv` is released with text_release. */
enum status translate_bitcode(const struct translate_request *request, struct arena *arena,
                              struct text *log, struct text *spirv);

#endif
