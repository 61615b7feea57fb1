/* Comparing what a command wrote into host memory with what it wrote when it was recorded. */
#ifndef REPLAY_COMPARE_H
#define REPLAY_COMPARE_H

#include "trace/base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REPLAY_VALUE_MAX = 16 };

/* The first difference between two stretches of bytes, aligned down to an element where the type of
 * the elements is known. */
struct replay_bytes_difference {
    uint64_t offset;     /* of the element, in bytes from the start */
    uint64_t first_byte; /* offset of the first byte that differs */
    uint64_t byte_count; /* bytes that differ in all */
    uint32_t value_size; /* bytes in the two values */
    unsigned char recorded[REPLAY_VALUE_MAX], replayed[REPLAY_VALUE_MAX];
};

/* False when they are equal. `phase` is the number of bytes by which the start is past an element's
 * first byte; `element_size` is 1 where the type is not known. */
bool replay_compare_bytes(const void *recorded, const void *replayed, uint64_t size, uint64_t phase,
                          uint32_t element_size, struct replay_bytes_difference *difference);

/* Bytes of the scalar that a pointer type of OpenCL C points to, "float4*" gives 4; 1 when unknown.
 */
uint32_t replay_type_scalar_size(const char *type);
/* The scalar at `bytes` as a person reads it, "3.5" or "-7"; the bytes in hexadecimal, in memory
 * order, when the type is not known. */
void replay_print_value(const char *type, const void *bytes, uint32_t size, struct text *text);

#endif
