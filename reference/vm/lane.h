/* The element types that rows of ops.def name. A row is read as whatever type an op gives it, so
 * pointers into frames have the row_ types, which may alias each other.
 *
 * A half lies in its row as 16 bits and is computed as a float: half_to_float on the way in,
 * half_from_float on the way out (trace/base/half.h). One addition, multiplication, division or
 * square root rounded to float and then to half is correctly rounded, because a float has more than
 * twice the bits of a half and two. */
#ifndef REFERENCE_VM_LANE_H
#define REFERENCE_VM_LANE_H

#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;
typedef float f16;
typedef float f32;
typedef double f64;

typedef u8 row_u8 __attribute__((may_alias));
typedef u16 row_u16 __attribute__((may_alias));
typedef u32 row_u32 __attribute__((may_alias));
typedef u64 row_u64 __attribute__((may_alias));
typedef s8 row_s8 __attribute__((may_alias));
typedef s16 row_s16 __attribute__((may_alias));
typedef s32 row_s32 __attribute__((may_alias));
typedef s64 row_s64 __attribute__((may_alias));
typedef u16 row_f16 __attribute__((may_alias));
typedef f32 row_f32 __attribute__((may_alias));
typedef f64 row_f64 __attribute__((may_alias));

/* An element of 1, 2, 4 or 8 bytes as a number, and back. */
static inline uint64_t lane_get(const void *bytes, uint32_t width)
{
    uint8_t value_8;
    uint16_t value_16;
    uint32_t value_32;
    uint64_t value_64;
    switch (width) {
    case 1:
        memcpy(&value_8, bytes, 1);
        return value_8;
    case 2:
        memcpy(&value_16, bytes, 2);
        return value_16;
    case 4:
        memcpy(&value_32, bytes, 4);
        return value_32;
    default:
        memcpy(&value_64, bytes, 8);
        return value_64;
    }
}

static inline void lane_put(void *bytes, uint32_t width, uint64_t value)
{
    const uint8_t value_8 = (uint8_t)value;
    const uint16_t value_16 = (uint16_t)value;
    const uint32_t value_32 = (uint32_t)value;
    switch (width) {
    case 1:
        memcpy(bytes, &value_8, 1);
        break;
    case 2:
        memcpy(bytes, &value_16, 2);
        break;
    case 4:
        memcpy(bytes, &value_32, 4);
        break;
    default:
        memcpy(bytes, &value, 8);
        break;
    }
}

#endif
