/* Inside stretches that may have loads: usual loads, and what is asked of subscripts before them.
 */
#ifndef REFERENCE_NATIVE_STRETCH_LOADS_H
#define REFERENCE_NATIVE_STRETCH_LOADS_H

#include "reference/native/stretch.h"

/* False: it is none of these, or it cannot be part of this stretch. */
bool stretch_add_load(struct stretches *stretches, const struct vm_instruction *in);

#endif
