/* The execution of launches, shared by those of the host and those that kernels enqueue. */
#ifndef REFERENCE_ICD_KERNELS_LAUNCH_H
#define REFERENCE_ICD_KERNELS_LAUNCH_H

#include "reference/icd/commands/executor.h"
#include "reference/icd/kernels/range.h"
#include "reference/sched/ndrange.h"

/* Runs it, and says on standard error what no finding tells. Gives CL_SUCCESS or the status that
 * its event gets; adds to *cost. Unlocked. */
cl_int launch_perform(const struct sched_launch *launch, uint64_t *cost);

/* Have all arguments been set? */
bool launch_has_arguments(cl_kernel kernel);
/* The checks that a launch in the queue makes of its kernel, and *on, the kernel on the device. */
cl_int launch_check(cl_command_queue queue, cl_kernel kernel, bool with_arguments,
                    const struct kernel_device **on);
/* Fills in what the launch does, with the arguments that the kernel has now; nothing where it has
 * no work-items. `function`: its name in reports. Locked. */
cl_int launch_prepare(struct command_work *work, cl_kernel kernel, cl_device_id device,
                      const struct range *range, const char *function);

#endif
