/* Initialisers that the translator to SPIR-V does not take. */
#ifndef REFERENCE_COMPILER_REPAIR_INITIALISERS_H
#define REFERENCE_COMPILER_REPAIR_INITIALISERS_H

#include "trace/base/text.h"

#include <stdbool.h>

/* Appends the module `ir` to `repaired`, with these initialisers in constant memory; false when it
 * has none, or has one that is put to another use than being copied. */
bool repair_initialisers(const char *ir, struct text *repaired);

#endif
