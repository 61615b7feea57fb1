/* What the translator writes that SPIR-V does not allow, put right, so that the device's own
 * modules pass a validator: they come back as program binaries. */
#ifndef REFERENCE_COMPILER_REPAIR_H
#define REFERENCE_COMPILER_REPAIR_H

#include "trace/base/status.h"

#include <stddef.h>
#include <stdint.h>

/* *spirv is memory of trace/base/alloc.h in the order of the host's bytes, and is replaced by the
 * repaired module. STATUS_NO_MEMORY leaves both as they are. */
enum status repair_spirv(uint8_t **spirv, size_t *size);

#endif
