/* What is known of the variables of a kernel in local memory, and copies of what keeps work-items
 * apart. */
#ifndef REFERENCE_PROBE_LOCAL_FACTS_H
#define REFERENCE_PROBE_LOCAL_FACTS_H

#include "checkers/probe/facts.h"
#include "reference/vm/code.h"

/* Sets kernel->locals, in the arena: those of which something is known, and whose name no other one
 * has. False when memory is out, as of the next. */
bool facts_of_locals(const struct vm_code *code, struct arena *arena, struct fact_kernel *kernel);
bool copy_apart(const struct apart *from, struct arena *arena, struct apart *to);

#endif
