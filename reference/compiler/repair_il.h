/* Modules from outside as SPIR-V wants them: llvm-spirv before 16 writes much of what an optimiser
 * makes in a way that drivers take and validators do not. */
#ifndef REFERENCE_COMPILER_REPAIR_IL_H
#define REFERENCE_COMPILER_REPAIR_IL_H

#include "trace/base/status.h"

#include <stddef.h>
#include <stdint.h>

/* *spirv is memory of trace/base/alloc.h and is replaced by the repaired module. What is no module
 * in the host's byte order stays as it is, and STATUS_MALFORMED says so. */
enum status repair_il(uint8_t **spirv, size_t *size);

#endif
