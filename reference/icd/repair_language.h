/* The language that a module says it is written in. */
#ifndef REFERENCE_ICD_REPAIR_LANGUAGE_H
#define REFERENCE_ICD_REPAIR_LANGUAGE_H

#include "trace/base/text.h"

#include <stdbool.h>

/* Appends the module `ir` to `repaired` as if it were OpenCL C; false where it is. */
bool repair_language(const char *ir, struct text *repaired);

/* Is the module in SPIR-V one that says so? */
bool repair_says_cpp(const struct text *spirv);

#endif
