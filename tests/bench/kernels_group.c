/* The benchmark's kernels whose work-groups work together in local memory. */
#include "tests/bench/kernels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SORT_GROUP = 256, BINS = 256, PER_ITEM = 16, POINTS = 256 };

static void add_numbers(struct launch *launch)
{
    cl_uint *values = launch_input(launch, launch->size, sizeof *values);
    for (size_t i = 0; i < launch->size; ++i)
        values[i] = mix((cl_uint)i);
    launch_input_done(launch, launch->size, sizeof *values);
}

/* ---- reduction and scan ---- */

static void prepare_reduction(struct launch *launch)
{
    launch_1d(launch, launch->size, GROUP);
    add_numbers(launch);
    launch_output(launch, launch->size / GROUP, sizeof(cl_uint), 0);
}

static bool check_reduction(const struct launch *launch)
{
    const cl_uint *values = launch->bytes[0];
    const cl_uint *sums = launch->bytes[1];
    for (size_t group = 0; group < launch->size / GROUP; ++group) {
        cl_uint sum = 0;
        for (size_t i = 0; i < GROUP; ++i)
            sum += values[group * GROUP + i];
        if (sums[group] != sum)
            return false;
    }
    return true;
}

static void prepare_scan(struct launch *launch)
{
    launch_1d(launch, launch->size, GROUP);
    add_numbers(launch);
    launch_output(launch, launch->size, sizeof(cl_uint), 0);
}

static bool check_scan(const struct launch *launch)
{
    const cl_uint *values = launch->bytes[0];
    const cl_uint *sums = launch->bytes[1];
    cl_uint sum = 0;
    for (size_t i = 0; i < launch->size; ++i) {
        sum = i % GROUP == 0 ? 0 : sum + values[i - 1];
        if (sums[i] != sum)
            return false;
    }
    return true;
}

/* ---- sort ---- */

static void prepare_sort(struct launch *launch)
{
    launch_1d(launch, launch->size, SORT_GROUP);
    add_numbers(launch);
    launch_output(launch, launch->size, sizeof(cl_uint), 0);
}

static int compare_numbers(const void *a, const void *b)
{
    const cl_uint left = *(const cl_uint *)a;
    const cl_uint right = *(const cl_uint *)b;
    return (left > right) - (left < right);
}

static bool check_sort(const struct launch *launch)
{
    const cl_uint *values = launch->bytes[0];
    const cl_uint *sorted = launch->bytes[1];
    for (size_t first = 0; first < launch->size; first += SORT_GROUP) {
        cl_uint group[SORT_GROUP];
        memcpy(group, values + first, sizeof group);
        qsort(group, SORT_GROUP, sizeof *group, compare_numbers);
        if (memcmp(group, sorted + first, sizeof group) != 0)
            return false;
    }
    return true;
}

/* ---- histogram ---- */

static void prepare_histogram(struct launch *launch)
{
    launch_1d(launch, launch->size / PER_ITEM, BINS);
    cl_uchar *bytes = launch_input(launch, launch->size, 1);
    for (size_t i = 0; i < launch->size; ++i)
        bytes[i] = (cl_uchar)(mix((cl_uint)i) % BINS);
    launch_input_done(launch, launch->size, 1);
    launch_output(launch, BINS, sizeof(cl_uint), 0);
}

static bool check_histogram(const struct launch *launch)
{
    const cl_uchar *bytes = launch->bytes[0];
    cl_uint expected[BINS] = {0};
    for (size_t i = 0; i < launch->size; ++i)
        expected[bytes[i]] += launch->run_count;
    return memcmp(expected, launch->bytes[1], sizeof expected) == 0;
}

/* ---- Fourier transform ---- */

static void prepare_fft(struct launch *launch)
{
    launch_1d(launch, launch->size / 2, POINTS / 2);
    cl_float *points = launch_input(launch, launch->size, sizeof(cl_float2));
    for (size_t i = 0; i < 2 * launch->size; ++i)
        points[i] = whole_value(mix((cl_uint)i));
    launch_input_done(launch, launch->size, sizeof(cl_float2));
    launch_output(launch, launch->size, sizeof(cl_float2), 0);
}

/* One of the points of one transform. */
static bool fft_point_right(const cl_float2 *points, const cl_float2 *result, size_t k)
{
    double sum[2] = {0, 0};
    for (size_t i = 0; i < POINTS; ++i) {
        const double angle = -2 * 3.14159265358979 * (double)(i * k % POINTS) / POINTS;
        const double x = (double)points[i].s[0];
        const double y = (double)points[i].s[1];
        sum[0] += x * cos(angle) - y * sin(angle);
        sum[1] += x * sin(angle) + y * cos(angle);
    }
    return close_to((double)result[k].s[0], sum[0], 1e-2) &&
           close_to((double)result[k].s[1], sum[1], 1e-2);
}

static bool check_fft(const struct launch *launch)
{
    const cl_float2 *points = launch->bytes[0];
    const cl_float2 *result = launch->bytes[1];
    for (size_t first = 0; first < launch->size; first += POINTS) {
        if (!fft_point_right(points + first, result + first, first / POINTS * 7 % POINTS))
            return false;
    }
    return true;
}

const struct benchmark benchmarks_group[] = {
    {"reduction", GROUP, 65536, 4194304, prepare_reduction, check_reduction,
     "few work-items are active between most barriers, and a vector costs the same"},
    {"scan", GROUP, 16384, 1048576, prepare_scan, check_scan,
     "a barrier every few operations, and two accesses to local memory for each"},
    {"sort", SORT_GROUP, 8192, 262144, prepare_sort, check_sort,
     "a barrier every few operations, and reads of local memory in permuted order"},
    {"histogram", BINS *PER_ITEM, 131072, 4194304, prepare_histogram, check_histogram,
     "atomics act lane by lane, in order"},
    {"fft", POINTS, 8192, 262144, prepare_fft, check_fft,
     "sine and cosine by library calls; a barrier every few operations"},
    {0},
};
