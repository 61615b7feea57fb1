/* The seeded order is a Feistel network over the smallest even number of bits that holds `count`;
 * positions that it sends beyond the end are sent on until they come back into range, which they do
 * since the network is a permutation. */
#include "reference/sched/permute.h"

#include "trace/base/assert.h"

/* splitmix64's finaliser. */
static uint64_t mix(uint64_t value)
{
    value += UINT64_C(0x9E3779B97F4A7C15);
    value = (value ^ value >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    value = (value ^ value >> 27) * UINT64_C(0x94D049BB133111EB);
    return value ^ value >> 31;
}

static uint64_t feistel(uint64_t key, uint32_t half, uint64_t value)
{
    const uint64_t low = (UINT64_C(1) << half) - 1;
    uint64_t left = value >> half;
    uint64_t right = value & low;
    for (uint64_t round = 0; round < 4; round++) {
        const uint64_t next = left ^ (mix(key + round * 4 + mix(right)) & low);
        left = right;
        right = next;
    }
    return left << half | right;
}

uint64_t permute(enum sched_order order, uint64_t seed, uint64_t stream, uint64_t position,
                 uint64_t count)
{
    ASSERT(position < count);
    if (order == SCHED_ASCENDING)
        return position;
    if (order == SCHED_DESCENDING)
        return count - 1 - position;
    uint32_t half = 1;
    while (half < 32 && UINT64_C(1) << 2 * half < count)
        half++;
    const uint64_t key = mix(mix(seed) ^ stream);
    uint64_t value = position;
    do
        value = feistel(key, half, value);
    while (value >= count);
    return value;
}
