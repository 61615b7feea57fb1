/* Constants of initialisers that llvm-spirv leaves where SPIR-V has no variables. */
#ifndef REFERENCE_COMPILER_REPAIR_PRIVATE_H
#define REFERENCE_COMPILER_REPAIR_PRIVATE_H

#include "trace/base/status.h"

#include <stddef.h>
#include <stdint.h>

/* *spirv is memory of trace/base/alloc.h in the order of the host's bytes, and is replaced where
 * there is something to repair. STATUS_NO_MEMORY leaves both as they are. */
enum status repair_private(uint8_t **spirv, size_t *size);

#endif
