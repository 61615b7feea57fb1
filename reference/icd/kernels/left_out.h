/* Launches that the user does not want checked (trace/api/selection.h). */
#ifndef REFERENCE_ICD_KERNELS_LEFT_OUT_H
#define REFERENCE_ICD_KERNELS_LEFT_OUT_H

#include <stdbool.h>

/* Is the next launch, of this kernel, to run without checks of what it does? Asked once for each,
 * when it runs. */
bool left_out_is(const char *kernel);

#endif
