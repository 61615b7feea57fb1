/* The device's built-in kernel, for the queries that name it. */
#ifndef REFERENCE_ICD_KERNELS_BUILT_IN_H
#define REFERENCE_ICD_KERNELS_BUILT_IN_H

#define BUILT_IN_KERNEL "clerk_copy_bytes"

#endif
