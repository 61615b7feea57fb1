/* Where the host's bytes meet a big-endian device (the personality "big-endian").
 *
 * The host's data are in its own order, little-endian; OpenCL API 3.0, appendix Portability: "The
 * implementation may or may not automatically convert endianness of kernel arguments." This device
 * does, by the types that the kernel's parameters have: values, structures, and what its buffers
 * hold while it runs. Between launches all memory that the host can see is in the host's order, so
 * that transfers, maps and native kernels move bytes as they are. A kernel that reads memory as
 * another type than its parameter's sees bytes as on any big-endian machine. */
#ifndef REFERENCE_ICD_KERNELS_BYTE_ORDER_H
#define REFERENCE_ICD_KERNELS_BYTE_ORDER_H

#include "reference/icd/types.h"
#include "reference/sched/ndrange.h"
#include "trace/base/status.h"

/* Turns what the kernel's pointers lead to, before it runs; byte_order_leave turns it back, and is
 * not called after a failure. Each byte is turned once, by the first parameter that leads to it.
 * Memory that is the application's and read-only stays as it is: the kernel finds a copy, in
 * `copies`, by argument. Of no effect on other devices. */
enum status byte_order_enter(const struct sched_launch *launch, uint8_t ***copies,
                             struct error *error);
void byte_order_leave(const struct sched_launch *launch, uint8_t **copies);
/* An argument by value. */
void byte_order_turn_value(const struct vm_parameter *parameter, void *bytes);
/* A variable of program scope, which only kernels see: once, when it has its initial value. */
void byte_order_turn_variable(const struct spv_type *type, uint32_t object);

#endif
