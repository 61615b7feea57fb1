/* Additions to halves in memory: atomic_fetch_add and atomic_fetch_sub of an atomic_half. */
#ifndef REFERENCE_COMPILER_REPAIR_HALVES_H
#define REFERENCE_COMPILER_REPAIR_HALVES_H

#include "trace/base/text.h"

#include <stdbool.h>

/* Appends the module `ir` to `repaired`, with what repair_spirv takes for such calls; false when it
 * has none. */
bool repair_halves(const char *ir, struct text *repaired);

#endif
