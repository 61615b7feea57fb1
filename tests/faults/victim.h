/* What a victim tells of itself while it lives. */
#ifndef TESTS_FAULTS_VICTIM_H
#define TESTS_FAULTS_VICTIM_H

#include <stdatomic.h>
#include <stdint.h>

enum { VICTIM_THREADS = 4, VICTIM_BUFFER_EVERY = 64, VICTIM_BUFFER_SIZE = 8192 };

/* Of one thread's calls of clSetKernelArg. */
struct victim_counts {
    _Atomic uint64_t begun, returned;
};

/* Each byte of the buffer that is made after this number. Bytes come back, so that some are spooled
 * as digests alone. */
static inline int victim_buffer_byte(uint64_t number)
{
    return (int)(number / VICTIM_BUFFER_EVERY % 5);
}

#endif
