/* What a driver's compiler defines, of the macros that decide what a program is
 * (checkers/probe/macros.h). It is asked by a program of empty kernels, whose names say what is
 * defined, and to which number; once for each device, driver and name, as the answers are kept in
 * the cache. */
#ifndef LAYER_DRIVER_DRIVER_MACROS_H
#define LAYER_DRIVER_DRIVER_MACROS_H

#include "checkers/probe/request.h"

#include <stdint.h>

/* Lines of #define and #undef, in the request's arena, for the device that `program` is to be built
 * for; NULL when they cannot be known. The calling thread is marked as being inside the driver. */
const char *driver_macros_of(uint64_t program, uint64_t device, struct request *request);

#endif
