/* The sign of vec_type_hint's type. */
#ifndef REFERENCE_ICD_KERNELS_VECTOR_HINT_H
#define REFERENCE_ICD_KERNELS_VECTOR_HINT_H

#include "reference/compiler/sources.h"
#include "trace/base/arena.h"

/* SPIR-V's VecTypeHint does not tell uint4 from int4, CL_KERNEL_ATTRIBUTES does. Gives
 * `attributes`, or a copy in `arena` whose hint has the unsigned type that the program's text has
 * before the kernel's name. NULL when memory is out. */
const char *vector_hint_with_sign(const char *attributes, const struct sources *sources,
                                  const char *kernel, struct arena *arena);

#endif
