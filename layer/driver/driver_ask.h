/* Questions to the driver that enter no stream, and their answers. The calling thread is marked as
 * being inside the driver. */
#ifndef LAYER_DRIVER_DRIVER_ASK_H
#define LAYER_DRIVER_DRIVER_ASK_H

#include "trace/base/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `entry`(object, name, ...): clGetProgramInfo and its likes. */
bool driver_ask(uint32_t entry, uint64_t object, uint64_t name, void *answer, size_t size,
                size_t *actual);
/* Is the count that it tells by that name 1? Other threads may change it meanwhile. */
bool driver_is_last(uint32_t entry, uint64_t object, uint64_t name);
/* `entry`(object, other, name, ...): clGetProgramBuildInfo and its likes. */
bool driver_ask_of(uint32_t entry, uint64_t object, uint64_t other, uint64_t name, void *answer,
                   size_t size);
/* The bytes with a NUL after them; NULL when there are none. */
char *driver_ask_bytes(struct arena *arena, uint32_t entry, uint64_t object, uint64_t name,
                       size_t *size);
/* A host_build_log (checkers/host/host.h), on a thread that is not inside the driver: which keeps
 * it for driver_queries.h, so that the driver is asked once. */
const char *driver_ask_build_log(void *user, uint64_t program, struct arena *arena);
/* A question about a device: gives "" or 0 if the driver does not answer it. */
const char *driver_ask_text(struct arena *arena, uint64_t device, uint64_t name);
uint32_t driver_ask_number(uint64_t device, uint64_t name);

#endif
