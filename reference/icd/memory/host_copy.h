/* When the host's bytes and the device's are exchanged, on a device whose memory is separate (the
 * personality "separate-memory"), as on a discrete GPU. There each object has two places for its
 * bytes (vm_memory_separate): commands and kernels use the device's, the program the host's, which
 * is its own memory (CL_MEM_USE_HOST_PTR), the addresses of coarse-grained shared virtual memory,
 * or what maps give. They are made equal
 *
 *     - when an object is made of host_ptr:        the device's from the host's
 *     - by a map that reads or writes:             the host's from the device's
 *     - by the unmap of a map that writes:         the device's from the host's
 *
 * and by nothing else, so a program that forgets a map finds old bytes, or the device does. OpenCL
 * API 3.0, 5.2.4, CL_MAP_WRITE_INVALIDATE_REGION: "The contents of the region being mapped are to
 * be discarded." Such a map fills the region with HOST_COPY_UNDEFINED.
 *
 * On other devices nothing here has an effect. Any thread; not locked unless said so. */
#ifndef REFERENCE_ICD_MEMORY_HOST_COPY_H
#define REFERENCE_ICD_MEMORY_HOST_COPY_H

#include "checkers/order/use.h"

#include <CL/cl.h>
#include <stdbool.h>
#include <stdint.h>

enum { HOST_COPY_UNDEFINED = 0xA5 };

/* Is an object with these flags made by copying from host_ptr? */
bool host_copy_begins(cl_mem_flags flags);

/* A map or an unmap of these bytes of the object is performed. CL_SUCCESS, or
 * CL_OUT_OF_HOST_MEMORY. */
cl_int host_copy_map(uint32_t object, const struct use_bytes *bytes, cl_map_flags flags);
void host_copy_unmap(uint32_t object, const struct use_bytes *bytes, cl_map_flags flags);

/* The object ends, mapped or not. Locked or not. */
void host_copy_forget(uint32_t object);

#endif
