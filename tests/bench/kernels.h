/* What the benchmark's kernels share: how a launch is described, and the table rows of each kind.
 * Arguments are set in the order in which they are added. Sizes are the benchmark's parameter, of
 * which `prepare` makes everything else; `check` judges the output by plain C. */
#ifndef TESTS_BENCH_KERNELS_H
#define TESTS_BENCH_KERNELS_H

#include "tests/bench/host.h"

#include <stdbool.h>
#include <stddef.h>

enum { ARGUMENTS_MAX = 8, TILE = 16, GROUP = 64 };

struct launch {
    const struct host *host;
    cl_kernel kernel;
    size_t size; /* the parameter */
    cl_uint work_dim;
    size_t global[2], local[2];
    unsigned run_count; /* how often it was launched, for kernels that add to what is there */
    /* By argument; NULL for values. Host copies: of the inputs as written, of the output as read
     * back. */
    cl_mem buffers[ARGUMENTS_MAX];
    void *bytes[ARGUMENTS_MAX];
    cl_uint argument_count, output;
    size_t output_size;
};

struct benchmark {
    const char *name;
    size_t unit;         /* the size is a multiple of it */
    size_t small, large; /* sizes for interpreters and for compilers */
    void (*prepare)(struct launch *launch);
    bool (*check)(const struct launch *launch);
    const char *cost; /* what takes its time on the device, said where it falls short */
};

/* Ends of their tables: a NULL name. */
extern const struct benchmark benchmarks_dense[], benchmarks_grid[], benchmarks_group[],
    benchmarks_irregular[], benchmarks_bits[];

void launch_1d(struct launch *launch, size_t global, size_t local);
void launch_2d(struct launch *launch, size_t side, size_t local);
/* Zeroed memory of `count` elements that belongs to the launch and becomes the next argument's
 * buffer by launch_input_done. */
void *launch_input(struct launch *launch, size_t count, size_t size);
void launch_input_done(struct launch *launch, size_t count, size_t size);
/* The output starts as `fill` in all bytes. */
void launch_output(struct launch *launch, size_t count, size_t size, int fill);
void launch_value(struct launch *launch, size_t size, const void *value);
void launch_uint(struct launch *launch, cl_uint value);

/* Small whole numbers, so that sums are exact in any order. */
float whole_value(size_t i);
void launch_whole_floats(struct launch *launch, size_t count, size_t first);
/* The same as texels of a square image. */
void launch_whole_image(struct launch *launch, size_t side, size_t first);
/* Well mixed bits of a number. */
cl_uint mix(cl_uint x);
bool close_to(double value, double expected, double tolerance);

#endif
