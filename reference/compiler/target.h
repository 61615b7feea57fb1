/* The device that a program is compiled for, as clang's options and the macros of OpenCL C (3.0,
 * 6.10) tell of it: clerk's own, or one of another driver, whose kernels are only looked at. */
#ifndef REFERENCE_COMPILER_TARGET_H
#define REFERENCE_COMPILER_TARGET_H

#include "trace/base/text.h"

#include <stdbool.h>
#include <stdint.h>

/* A device of another driver. Everywhere below NULL means clerk's own. */
struct compile_target {
    const char *extensions; /* CL_DEVICE_EXTENSIONS */
    uint32_t version;       /* CL_DEVICE_VERSION, 300 = OpenCL 3.0 */
    bool narrow;            /* CL_DEVICE_ADDRESS_BITS is 32 */
    bool embedded;          /* CL_DEVICE_PROFILE */
    bool images;            /* CL_DEVICE_IMAGE_SUPPORT */
    bool big_endian;        /* not CL_DEVICE_ENDIAN_LITTLE */
    const char *macros;     /* lines of #define and #undef that the driver has besides */
};

/* clang's name of it. */
const char *target_name(const struct compile_target *target);

/* Appends clang's option for its extensions, "-cl-ext=-all,+cl_khr_fp64...". `features`: the
 * language has optional features, which are claimed so as well. */
void target_append_claims(const struct compile_target *target, bool features, struct text *text);

/* Appends the lines that go before a program. `c_3_1`: its language is OpenCL C 3.1. `sub_groups`:
 * which of the functions for these it may call, whose declarations clerk's own device is spared
 * else. */
enum target_sub_groups {
    TARGET_NO_SUB_GROUPS,
    TARGET_COMMON_SUB_GROUPS, /* whose names have "sub_group", */
    TARGET_ALL_SUB_GROUPS     /* and "intel_sub_group" */
};
void target_append_prelude(const struct compile_target *target, bool c_3_1,
                           enum target_sub_groups sub_groups, struct text *text);

#endif
