/* Loads, and stores whose addresses are affine. */
#ifndef REFERENCE_NATIVE_ACCESS_H
#define REFERENCE_NATIVE_ACCESS_H

#include "reference/vm/code.h"
#include "trace/base/text.h"

/* Appends what the instruction at the index does, if it is such an access; else false. What is
 * unusual when it runs is left to the interpreter. *count is how many accesses came before it,
 * which is the number of its memo. *uses_active becomes true where it looks at active_lanes. */
bool native_append_access(const struct vm_code *code, uint32_t site, uint32_t *count,
                          bool *uses_active, struct text *text);

#endif
