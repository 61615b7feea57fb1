/* Built-in functions that llvm-spirv does not take for such. */
#ifndef REFERENCE_COMPILER_REPAIR_BUILT_INS_H
#define REFERENCE_COMPILER_REPAIR_BUILT_INS_H

#include "trace/base/text.h"

#include <stdbool.h>

/* Appends the module `ir` to `repaired`, where llvm-spirv knows them; false where nothing is to be
 * done. */
bool repair_built_ins(const char *ir, struct text *repaired);

/* Did llvm-spirv leave some of them to whoever links the module? */
bool repair_lacks_built_ins(const struct text *spirv);

#endif
