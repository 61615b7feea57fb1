/* The destructors of program-scope objects, as the device calls them. */
#ifndef REFERENCE_COMPILER_REPAIR_DESTRUCTORS_H
#define REFERENCE_COMPILER_REPAIR_DESTRUCTORS_H

#include "trace/base/text.h"

#include <stdbool.h>

/* The entry point that calls them: repair.h makes it a Finalizer. */
#define REPAIR_FINALISER "clerk.destructors"

/* Appends the module `ir`, LLVM's text, to `repaired`; false where there are none in it. */
bool repair_destructors(const char *ir, struct text *repaired);

#endif
