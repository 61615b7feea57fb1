/* Comparing what a command wrote into host memory with what it wrote when it was recorded. */
#ifndef REPLAY_COMPARE_H
#define REPLAY_COMPARE_H

#include "trace/base/text.h"

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { REPLAY_VALUE_MAX = 16 };
/* A phase (below) that is not known. Elements are taken to begin at the first byte. */
#define REPLAY_PHASE_UNKNOWN UINT64_MAX

/* How far values that devices may round differently may be apart and still count as equal: either
 * is enough. They are floating-point, or normalized: channels of images of which the stored integer
 * counts. */
struct replay_tolerance {
    bool allowed; /* false: every byte counts */
    /* Units in the last place: the number of values of the type between the two, and one. Zeros of
     * both signs are one value, and so are all NaNs. */
    uint64_t ulp;
    double relative; /* |replayed - recorded| / |recorded| */
};

/* How two stretches of bytes differ. Where the type of the elements is known, the first difference
 * is aligned down to one. */
struct replay_bytes_difference {
    bool is_close;       /* the tolerance covers all of it */
    uint64_t offset;     /* of the first element that is not covered (of the first, if all are) */
    uint64_t first_byte; /* offset of the first byte that differs */
    uint64_t byte_count; /* bytes that differ in all */
    uint32_t value_size; /* bytes in the two values */
    unsigned char recorded[REPLAY_VALUE_MAX], replayed[REPLAY_VALUE_MAX];
    /* Of elements that may be rounded, else 0: how many differ, and the farthest apart. */
    uint64_t element_count;
    uint64_t ulp; /* UINT64_MAX: a number and a NaN */
    double relative;
};

/* False when they are equal. `type` is that of the elements, as "float4*", or as
 * replay_channel_type has it; "" = not known. `phase` is the number of bytes by which the start is
 * past an element's first byte; where it is known, the padding of vectors of three is no value
 * (OpenCL C 3.0, 6.3.5) and is not compared. */
bool replay_compare_bytes(const void *recorded, const void *replayed, uint64_t size, uint64_t phase,
                          const char *type, const struct replay_tolerance *tolerance,
                          struct replay_bytes_difference *difference);

/* OpenCL C 3.0, 6.3.1, and the normalized channels of images. */
enum replay_scalar_kind {
    REPLAY_SCALAR_UNKNOWN,
    REPLAY_SCALAR_SIGNED,
    REPLAY_SCALAR_UNSIGNED,
    REPLAY_SCALAR_FLOAT,
    REPLAY_SCALAR_SNORM, /* integers that stand for -1 to 1 and 0 to 1 */
    REPLAY_SCALAR_UNORM,
};
struct replay_scalar {
    const char *name;
    enum replay_scalar_kind kind;
    uint32_t size; /* bytes; 1 of an unknown one */
};

/* Of the channels of an image (OpenCL API 3.0, 5.3.1.1): "unorm8*"; "" where several share bytes.
 */
const char *replay_channel_type(cl_channel_type type);
/* NULL: OpenCL C has no scalar of this name. */
const struct replay_scalar *replay_scalar_named(const char *name, size_t length);
/* The scalar that the pointer type points to, alone or in a vector; never NULL. */
const struct replay_scalar *replay_scalar_of(const char *type);
/* What of an array of this type begins at the offset: "element 5", "component 2 of element 5", "the
 * padding of element 5". */
void replay_print_element(const char *type, uint64_t offset, struct text *text);
/* The stored number. */
double replay_scalar_read(const struct replay_scalar *scalar, const void *bytes);
/* Is it a pointer to scalars or vectors of OpenCL C? */
bool replay_type_is_known(const char *type);
/* Bytes of the scalar that a pointer type of OpenCL C points to, "float4*" gives 4; 1 when unknown.
 */
uint32_t replay_type_scalar_size(const char *type);
/* The scalar at `bytes` as a person reads it, "3.5" or "-7"; the bytes in hexadecimal, in memory
 * order, when the type is not known. */
void replay_print_value(const char *type, const void *bytes, uint32_t size, struct text *text);

#endif
