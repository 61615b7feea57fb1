/* The benchmark's kernels that compute on bits in private variables: hashing, random numbers. */
#include "tests/bench/kernels.h"

#include <string.h>

enum { RANDOM_COUNT = 64 };

/* ---- SHA-256 ---- */

static void prepare_sha256(struct launch *launch)
{
    launch_1d(launch, launch->size, GROUP);
    launch_output(launch, launch->size * 8, sizeof(cl_uint), 0);
}

/* SHA-256 of the bytes 0, 0, 0, 0 and 0, 0, 0, 63, as Python's hashlib gives it. */
static bool check_sha256(const struct launch *launch)
{
    static const struct {
        size_t message;
        cl_uint digest[8];
    } known[] = {
        {0,
         {0xdf3f6198, 0x04a92fdb, 0x4057192d, 0xc43dd748, 0xea778adc, 0x52bc498c, 0xe80524c0,
          0x14b81119}},
        {63,
         {0xd99e5843, 0x5243d9fe, 0xf9c88273, 0xb8d553b4, 0xfba4d0ba, 0xf8009d29, 0xeae74fa9,
          0x9e0d9f57}},
    };
    const cl_uint *digests = launch->bytes[0];
    for (size_t i = 0; i < sizeof known / sizeof *known; ++i) {
        if (memcmp(digests + 8 * known[i].message, known[i].digest, sizeof known[i].digest) != 0)
            return false;
    }
    return true;
}

/* ---- random numbers ---- */

static void prepare_random_pi(struct launch *launch)
{
    launch_1d(launch, launch->size, GROUP);
    launch_output(launch, launch->size, sizeof(cl_uint), 0);
    launch_uint(launch, RANDOM_COUNT);
}

static float next_random(cl_uint *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return (float)(*state >> 8) * 0x1p-24f;
}

static bool check_random_pi(const struct launch *launch)
{
    const cl_uint *inside = launch->bytes[0];
    for (size_t i = 0; i < launch->size; i += 17) {
        cl_uint state = (cl_uint)i * 2654435769u + 12345;
        cl_uint hits = 0;
        for (int k = 0; k < RANDOM_COUNT; ++k) {
            const double x = (double)next_random(&state);
            const double y = (double)next_random(&state);
            hits += x * x + y * y < 1;
        }
        /* A point on the edge may fall to either side by the compiler's contraction. */
        if (!close_to((double)inside[i], (double)hits, 1))
            return false;
    }
    return true;
}

const struct benchmark benchmarks_bits[] = {
    {"sha256", GROUP, 512, 32768, prepare_sha256, check_sha256, ""},
    {"random_pi", GROUP, 1024, 65536, prepare_random_pi, check_random_pi,
     "private arrays with an index that varies: memory of each lane"},
    {0},
};
