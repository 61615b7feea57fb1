/* Which instruction of a module in LLVM's text a compiler does not take: modules that are cut off
 * behind more and more instructions tell. */
#ifndef REFERENCE_COMPILER_CULPRIT_H
#define REFERENCE_COMPILER_CULPRIT_H

#include "trace/base/text.h"

#include <stdbool.h>
#include <stddef.h>

/* How many instructions its functions have. */
size_t culprit_count(const char *ir);
/* Appends the module with the first `count` of them. All blocks stay; those that are cut off, and
 * all behind, end as unreachable. */
void culprit_cut(const char *ir, size_t count, struct text *cut);
/* Appends where in the program instruction `index`, or else its function, comes from:
 * "<source>:3:22", or "<source>:2"; false where that is not known. */
bool culprit_place(const char *ir, size_t index, struct text *place);

#endif
