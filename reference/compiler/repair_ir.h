/* What the translator to SPIR-V needs to be told in LLVM's text. */
#ifndef REFERENCE_COMPILER_REPAIR_IR_H
#define REFERENCE_COMPILER_REPAIR_IR_H

#include "trace/base/text.h"

#include <stdbool.h>

/* Appends the module `ir` to `repaired`, with what its functions lack; false when they lack
 * nothing that this repair knows. */
bool repair_ir(const char *ir, struct text *repaired);

#endif
