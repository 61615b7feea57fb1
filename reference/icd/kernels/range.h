/* The sizes of an NDRange, checked. */
#ifndef REFERENCE_ICD_KERNELS_RANGE_H
#define REFERENCE_ICD_KERNELS_RANGE_H

#include "reference/icd/types.h"

struct range {
    uint32_t dimensions;
    uint64_t global[3], local[3], offset[3];
    bool empty; /* no work-items: the command does nothing */
};

/* Sizes as clEnqueueNDRangeKernel takes them; `local` NULL: the device chooses. CL_SUCCESS, or the
 * error of the call. */
cl_int range_make(const struct kernel_device *on, cl_uint work_dim, const size_t *offset,
                  const size_t *global, const size_t *local, struct range *range);

#endif
