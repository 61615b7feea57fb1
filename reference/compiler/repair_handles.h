/* Queues and events of the device in LLVM's text, from 16 on types of their own. */
#ifndef REFERENCE_COMPILER_REPAIR_HANDLES_H
#define REFERENCE_COMPILER_REPAIR_HANDLES_H

#include "trace/base/text.h"

#include <stdbool.h>

/* Appends the module `ir` to `repaired`, with its handles made and compared as SPIR-V has it; false
 * where it does neither. */
bool repair_handles(const char *ir, struct text *repaired);

#endif
