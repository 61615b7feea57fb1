/* Values of a type as bytes in memory, from one byte order to the other. */
#ifndef REFERENCE_SPIRV_BYTE_ORDER_H
#define REFERENCE_SPIRV_BYTE_ORDER_H

#include <stdbool.h>
#include <stdint.h>

struct spv_type;

/* Turns the bytes of each number in `bytes`, which are `size` bytes of values of the type, one
 * after the other. What is not a whole number at the end, and types that memory cannot hold, stay
 * as they are. */
void spv_swap_bytes(const struct spv_type *type, void *bytes, uint64_t size);

/* Does the number of `width` bytes stay as it is? */
typedef bool spv_number_stays(const void *user, const uint8_t *number, uint64_t width);
/* The same, but for numbers that stay. */
void spv_swap_bytes_unless(const struct spv_type *type, void *bytes, uint64_t size,
                           spv_number_stays *stays, const void *user);

#endif
