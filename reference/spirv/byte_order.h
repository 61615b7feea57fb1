/* Values of a type as bytes in memory, from one byte order to the other. */
#ifndef REFERENCE_SPIRV_BYTE_ORDER_H
#define REFERENCE_SPIRV_BYTE_ORDER_H

#include <stdint.h>

struct spv_type;

/* Turns the bytes of each number in `bytes`, which are `size` bytes of values of the type, one
 * behind the other. What is no whole value at the end, and types that memory cannot hold, stay as
 * they are. */
void spv_swap_bytes(const struct spv_type *type, void *bytes, uint64_t size);

#endif
