/* The device's functions behind OpenCL's entry points, declared from the type of their slot. */
#ifndef REFERENCE_ICD_DISPATCH_H
#define REFERENCE_ICD_DISPATCH_H

#include "trace/api/entry.h"

/* A cl_icd_dispatch of OpenCL 3.1, whichever the headers are of: loaders read as many slots as they
 * know. */
extern api_function *const icd_dispatch[API_SLOT_COUNT];

#define ENTRY(name) __typeof__(*((cl_icd_dispatch *)0)->name) icd_##name;
#include "reference/icd/entry_points.def"
#undef ENTRY

#endif
