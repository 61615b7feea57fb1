/* What the files about programs share. */
#ifndef REFERENCE_ICD_KERNELS_PROGRAM_H
#define REFERENCE_ICD_KERNELS_PROGRAM_H

#include "reference/icd/types.h"

/* A program for these devices, of which each is taken once, without source, IL or binary; NULL when
 * memory is out. Unlocked. */
cl_program program_create(cl_context context, const cl_device_id *devices, size_t count,
                          enum program_origin origin);

/* What the program is on `device`; NULL when that is none of its devices. The array never changes.
 */
struct program_device *program_find_device(cl_program program, cl_device_id device);

/* Was it made of text that no device can compile? */
bool program_lacks_compiler(cl_program program);

/* Of the first device that has an executable; NULL = none has. Locked. */
const struct build *program_first_build(cl_program program);

/* Frees what the last build left for a device. Locked. */
void program_clear_build(cl_program program, struct program_device *on);

/* ---- built_in.c ---- */

/* The device's built-in kernel, for the queries that name it. */

#define BUILT_IN_KERNEL "clerk_copy_bytes"

#endif
