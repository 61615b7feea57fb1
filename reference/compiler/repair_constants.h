/* Constants that the translator to SPIR-V does not take. */
#ifndef REFERENCE_COMPILER_REPAIR_CONSTANTS_H
#define REFERENCE_COMPILER_REPAIR_CONSTANTS_H

#include "trace/base/text.h"

#include <stdbool.h>

/* Appends the module `ir` to `repaired`, with these constants written otherwise; false when it has
 * none. Numbers become vectors as the device's personality orders bytes. */
bool repair_constants(const char *ir, struct text *repaired);

#endif
