/* The device's functions behind OpenCL's entry points, declared from the type of their slot. */
#ifndef REFERENCE_ICD_DISPATCH_H
#define REFERENCE_ICD_DISPATCH_H

#include <CL/cl_icd.h>

extern const cl_icd_dispatch icd_dispatch;

#define ENTRY(name) __typeof__(*(cl_api_##name)0) icd_##name;
#include "reference/icd/entry_points.def"
#undef ENTRY

#endif
