/* Fences and barriers with flags, orders or scopes that are computed. */
#ifndef REFERENCE_COMPILER_REPAIR_FENCES_H
#define REFERENCE_COMPILER_REPAIR_FENCES_H

#include "trace/base/text.h"

#include <stdbool.h>

/* Appends the module `ir` to `repaired`, with such calls as SPIR-V has them; false when it has
 * none. */
bool repair_fences(const char *ir, struct text *repaired);

#endif
