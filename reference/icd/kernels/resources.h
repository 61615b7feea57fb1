/* What a kernel uses of that of which the device has only so much. */
#ifndef REFERENCE_ICD_KERNELS_RESOURCES_H
#define REFERENCE_ICD_KERNELS_RESOURCES_H

#include "reference/icd/types.h"

/* Bytes of local memory: the kernel's own, and those of its arguments. */
uint64_t resources_local_memory(cl_kernel kernel, const struct vm_code *code);
/* OpenCL API 3.0, 5.10: CL_OUT_OF_RESOURCES where there is too little local memory, or "the number
 * of read-only image args used in kernel exceed the CL_DEVICE_MAX_READ_IMAGE_ARGS value" and the
 * like, after a sentence on standard error. The kernel's arguments are set. */
cl_int resources_check(cl_kernel kernel, const struct vm_code *code);

#endif
