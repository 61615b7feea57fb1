/* A launch that may put pointers to its memory objects into memory has these objects lent
 * (reference/vm/memory.h). */
#ifndef REFERENCE_ICD_KERNELS_LOANS_H
#define REFERENCE_ICD_KERNELS_LOANS_H

#include "reference/sched/ndrange.h"

/* Until loans_end the launch has other arguments, which lead to what the old ones led to. NULL =
 * nothing is lent, also where memory is out. */
struct loans *loans_begin(struct sched_launch *launch);
/* Neither the launch nor what it has enqueued runs any more. NULL is allowed. */
void loans_end(struct loans *loans);

#endif
