/* What random programs start with. Features that OpenCL C 1.2 lacks have a name for both languages:
 * in 3.0 it is the feature, in 1.2 something else that computes the same.
 *
 *     COUNT, COUNT_INC, COUNT_BY_EXCHANGE     atomics of C11                  atomics of 1.x
 *     LOCAL_COUNT, LOCAL_COUNT_64
 *     GROUP_reduce ... GROUP_broadcast        collective functions            through local memory
 *     own0, own1, own2, ANY                   private, local and program-     private arrays
 *                                             scope places by generic pointers
 *     table, entry, pairs                     global variables                constant variables
 *     HALF_*                                  half, by cl_khr_fp16            float, rounded
 *
 * Collectives work through `wide` of the kernel, a local ulong per work-item. */
#ifndef TESTS_FUZZ_RANDOM_PRELUDE_H
#define TESTS_FUZZ_RANDOM_PRELUDE_H

#include "trace/base/text.h"

void random_prelude(struct text *source);

#endif
