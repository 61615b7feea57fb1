/* Running clang over a part of a program for its checked copy: as it is for the facts
 * (reference/compiler), but to see its text and its syntax tree. */
#ifndef REFERENCE_PROBE_CLANG_H
#define REFERENCE_PROBE_CLANG_H

#include "checkers/probe/request.h"
#include "reference/compiler/build_options.h"
#include "reference/compiler/target.h"
#include "reference/compiler/toolchain.h"
#include "trace/base/arena.h"
#include "trace/base/process.h"
#include "trace/base/status.h"
#include "trace/base/text.h"

struct clang {
    struct arena *arena;
    struct toolchain tools;
    struct compile_target target;
    struct build_options options; /* of the part */
};

/* Finds the compilers and reads the part's options. Strings are kept in `arena`. */
enum status clang_init(struct clang *clang, struct arena *arena, const struct request *request,
                       const struct request_part *part, struct error *error);

/* Appends the lines that go before the part's text. */
void clang_append_prelude(const struct clang *clang, struct text *text);

/* Arguments of a run; `more` ends with NULL, and may be NULL. With the part's own options these are
 * all of them; else those that are still to be obeyed when its text is preprocessed. NULL when
 * memory is out. */
const char *const *clang_arguments(const struct clang *clang, bool own_options,
                                   const char *const *more);

/* "clang refuses its text: <source>:3:4: error: ..." */
enum status clang_tell(const struct process_result *result, const char *what, struct error *error);

#endif
