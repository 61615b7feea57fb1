/* What the device is like: its personality, which CLERK_PERSONALITY names when it starts, and its
 * limits. */
#ifndef REFERENCE_LIMITS_LIMITS_H
#define REFERENCE_LIMITS_LIMITS_H

#include "trace/api/personality.h"

#include <stdbool.h>
#include <stdint.h>

/* Limits that are the same for all personalities. */
#define LIMIT_COMPUTE_UNITS_MAX     32u
#define LIMIT_ROOT_DEVICES          8u                  /* the setting "devices" */
#define LIMIT_PRIVATE_ITEM          (UINT64_C(4) << 20) /* bytes of a work-item */
#define LIMIT_BASE_ALIGNMENT        128u /* sub-buffers start at a multiple: the size of long16 */
#define LIMIT_IMAGE_PITCH_ALIGNMENT 1u   /* texels, of images made from buffers */
#define LIMIT_IMAGE_BASE_ALIGNMENT  1u
#define LIMIT_WORK_GROUP_MULTIPLE   64u /* a lane vector */

enum limit {
#define LIMIT(symbol, ...) LIMIT_##symbol,
#include "reference/limits/limits.def"
#undef LIMIT
    LIMIT_COUNT
};

/* Any thread. It never changes; a value of the environment that is wrong is named once on standard
 * error, and the device is the usual one. */
const struct personality *limits_personality(void);
uint64_t limits_get(enum limit limit);

/* Bytes of private memory of the work-items that run at once. */
uint64_t limits_private_memory(void);

/* What work-group sizes should be a multiple of: a lane vector, or the largest work-group. */
uint64_t limits_group_multiple(void);

/* Which devices keep a feature: extensions.def. */
enum kept { KEPT_ALWAYS, KEPT_OPTIONAL, KEPT_COMPILER, KEPT_ALIKE, KEPT_EMBEDDED };
bool limits_keep(enum kept kept);

/* Whether the device is of OpenCL 3.1, else of 3.0. What 3.1 demands beyond 3.0 all devices have
 * but "minimum", which is of 3.0 therefore. */
bool limits_has_3_1(void);

/* Whether kernels can use all memory of the process. */
bool limits_share_system(void);

/* Whether operations on float take and give 0 for denormal numbers. */
bool limits_flushes(void);

/* "FULL_PROFILE" */
const char *limits_profile(void);

#endif
