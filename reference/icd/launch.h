/* The execution of launches, shared by those of the host and those that kernels enqueue. */
#ifndef REFERENCE_ICD_LAUNCH_H
#define REFERENCE_ICD_LAUNCH_H

#include "reference/sched/ndrange.h"

#include <CL/cl.h>

/* Runs it, and says on standard error what no finding tells. Gives CL_SUCCESS or the status that
 * its event gets; adds to *cost. Unlocked. */
cl_int launch_perform(const struct sched_launch *launch, uint64_t *cost);

#endif
