/* Checked arithmetic on sizes from outside. Each function returns false on overflow and then leaves
 * *result alone, so `offset + size > limit`, which wraps, is never written. */
#ifndef TRACE_BASE_SIZE_H
#define TRACE_BASE_SIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool size_add(uint64_t a, uint64_t b, uint64_t *result)
{
    uint64_t value;
    if (__builtin_add_overflow(a, b, &value))
        return false;
    *result = value;
    return true;
}

static inline bool size_mul(uint64_t a, uint64_t b, uint64_t *result)
{
    uint64_t value;
    if (__builtin_mul_overflow(a, b, &value))
        return false;
    *result = value;
    return true;
}

/* Do bytes [offset, offset + size) lie within [0, limit)? An empty range at `limit` does. */
static inline bool range_within(uint64_t offset, uint64_t size, uint64_t limit)
{
    return offset <= limit && size <= limit - offset;
}

/* Rounds up to a multiple of `alignment`, a power of two. The caller knows that it does not wrap.
 */
static inline uint64_t size_align(uint64_t size, uint64_t alignment)
{
    return (size + alignment - 1) & ~(alignment - 1);
}

#endif
