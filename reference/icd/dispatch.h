/* The device's functions behind OpenCL's entry points, declared as the table of entry points has
 * them: of each that entry_points.def lists there is one. */
#ifndef REFERENCE_ICD_DISPATCH_H
#define REFERENCE_ICD_DISPATCH_H

#include "trace/api/entry.h"

/* A cl_icd_dispatch of OpenCL 3.1, whichever the headers are of: loaders read as many slots as they
 * know. */
extern api_function *const icd_dispatch[API_SLOT_COUNT];

#define API(name, since, type, role, ...)                                                          \
    type CL_API_CALL icd_##name(API_EACH(API_VIEW_DECLARE, name, __VA_ARGS__));
#define API_VOID(name, since, type, role) type CL_API_CALL icd_##name(void);
#define API_EXTENSION(...)                API(__VA_ARGS__)
#include "trace/api/cl_api.def"
#undef API
#undef API_VOID
#undef API_EXTENSION

#endif
