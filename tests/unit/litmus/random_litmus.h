/* Random litmus tests of three threads, two of them of one work-group, with plain and atomic
 * accesses, fences and barriers in both memories. */
#ifndef TESTS_UNIT_LITMUS_RANDOM_LITMUS_H
#define TESTS_UNIT_LITMUS_RANDOM_LITMUS_H

#include "trace/base/text.h"

#include <stdint.h>

struct random_litmus {
    uint64_t state; /* the seed, not 0 */
};

enum random_litmus_kind {
    RANDOM_LITMUS_ALL,
    RANDOM_LITMUS_SEQ_CST, /* atomics are seq_cst and wide, barriers order both memories */
    RANDOM_LITMUS_KERNEL,  /* what tests/litmus/as_kernel makes a kernel of */
};

/* The next test, in place of what the text holds. */
void random_litmus_print(struct random_litmus *random, enum random_litmus_kind kind,
                         struct text *text);

#endif
