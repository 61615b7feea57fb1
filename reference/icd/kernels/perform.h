/* The execution of launches: those of the host, those that kernels enqueue, and those that are run
 * again. */
#ifndef REFERENCE_ICD_KERNELS_PERFORM_H
#define REFERENCE_ICD_KERNELS_PERFORM_H

#include "reference/icd/types.h"
#include "reference/sched/ndrange.h"

/* Runs it, and says on standard error what no finding tells. Gives CL_SUCCESS or the status that
 * its event gets; adds to *cost. Unlocked. */
cl_int launch_perform(const struct sched_launch *launch, uint64_t *cost);
/* What became of one: `status` and `result` or `error` are what sched_run gave. As above. */
cl_int launch_outcome(const struct sched_launch *launch, enum status status,
                      const struct sched_result *result, const struct error *error);

#endif
