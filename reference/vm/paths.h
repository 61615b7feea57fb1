/* Where lanes can come to in lane code. */
#ifndef REFERENCE_VM_PATHS_H
#define REFERENCE_VM_PATHS_H

#include "reference/vm/code.h"

/* Is the instruction at `from` a return statement of the program, and does it alone keep lanes from
 * the barrier: do all ways from where the barrier is missed, and that lead to this return, lead to
 * no end of the kernel? Otherwise a lane may have missed the barrier before, and returned by the
 * way. False also when memory is out. */
bool vm_return_misses(const struct vm_code *code, uint32_t from, uint32_t barrier);

#endif
