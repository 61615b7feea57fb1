/* From clang's bitcode to SPIR-V, by llvm-spirv. */
#ifndef REFERENCE_COMPILER_TRANSLATE_H
#define REFERENCE_COMPILER_TRANSLATE_H

#include "reference/compiler/compile.h"
#include "reference/compiler/toolchain.h"
#include "trace/base/arena.h"
#include "trace/base/process.h"
#include "trace/base/scratch.h"
#include "trace/base/status.h"
#include "trace/base/text.h"

#include <stdbool.h>
#include <stddef.h>

struct translate_request {
    const struct toolchain *tools;
    const char *target; /* clang's name of it */
    const struct text *bitcode;
    struct process *ahead; /* of translate_start, for the bitcode; taken. NULL is fine, and for
                              debugging a must */
    bool debugging;        /* the bitcode has all of clang's debug information */
    /* Makes LLVM's text of the same module; false on failure. It is asked for when the translator
     * does not take the bitcode, or may have misread it. */
    bool (*make_text)(void *user, struct text *ir);
    void *user;
};

/* Starts llvm-spirv, half of whose time is its start, before there is bitcode. NULL when that
 * fails, which then costs that time. For translate_bitcode or process_abandon; `tools` and `arena`
 * last until then. */
struct process *translate_start(const struct toolchain *tools, struct arena *arena);

/* Translates. What llvm-spirv does not take, or misreads, is repaired, if that is known, and tried
 * once more.
 * What llvm-spirv said goes after `log`: on failure it is one sentence, with the place in the
 * program. `spirv` is released with text_release. */
enum status translate_bitcode(const struct translate_request *request, struct arena *arena,
                              struct text *log, struct text *spirv);

/* ---- culprit.c ---- */

/* Which instruction of a module in LLVM's text a compiler does not take: modules that are cut off
 * after more and more instructions tell. */

/* How many instructions its functions have. */
size_t culprit_count(const char *ir);
/* Appends the module with the first `count` of them. All blocks stay; those that are cut off, and
 * all after, end as unreachable. */
void culprit_cut(const char *ir, size_t count, struct text *cut);
/* Appends where in the program instruction `index`, or else its function, comes from:
 * "<source>:3:22", or "<source>:2"; false where that is not known. */
bool culprit_place(const char *ir, size_t index, struct text *place);

/* ---- header_files.c ---- */

/* The headers of clCompileProgram, which lie in files while the compiler runs. */

/* Writes headers into a new directory, for scratch_release, also where it fails. Names that would
 * leave the directory are refused. */
enum status header_files_write(const struct compile_header *headers, size_t count,
                               struct scratch *directory, struct error *error);

#endif
