/* Launches of the host, as commands of a queue or of a command-buffer. */
#ifndef REFERENCE_ICD_KERNELS_LAUNCH_H
#define REFERENCE_ICD_KERNELS_LAUNCH_H

#include "reference/icd/commands/executor.h"
#include "reference/icd/kernels/range.h"

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
