/* What the kernels of a SPIR-V module are. */
#ifndef REFERENCE_PROBE_MODULE_FACTS_H
#define REFERENCE_PROBE_MODULE_FACTS_H

#include "checkers/probe/facts.h"
#include "trace/base/status.h"

#include <stddef.h>

/* The kernels that the application may start. One that lowering refuses is left out. The module is
 * valid, and its bytes are aligned as words are; the caller releases `facts`. */
enum status module_facts_find(const void *spirv, size_t size, struct facts *facts,
                              struct error *error);

#endif
