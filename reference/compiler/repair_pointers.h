/* What the pointers that a kernel is given lead to. */
#ifndef REFERENCE_COMPILER_REPAIR_POINTERS_H
#define REFERENCE_COMPILER_REPAIR_POINTERS_H

#include "trace/base/status.h"

#include <stddef.h>
#include <stdint.h>

/* Gives the parameters of kernels in the module, whose pointers had no types, those that the
 * program declares them with, and says that others may be wrong (SPV_UNTYPED_POINTERS). What it
 * does not know, or is no module, stays as it is. STATUS_NO_MEMORY. */
enum status repair_pointers(uint8_t **spirv, size_t *size);

#endif
