/* What a launch over memory that nobody wrote costs beside the same one over written memory: prints
 * a row of a Markdown table for each kernel of unwritten.cl and size, the CPU time of a launch from
 * enqueueing it to the end of clFinish, all threads of the process. Both take turns, and the least
 * counts.
 *
 *     bench_unwritten UNWRITTEN.cl [TURNS [KERNEL]]
 */
#include "tests/bench/host.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A kernel has two arguments, `in` and `out`. Bytes for each work-item; of a kernel of two
 * dimensions the work-items of one side are given. */
static const struct kernel {
    const char *name;
    size_t in_size, out_size;
    size_t global, local;
    bool two_dimensional;
} kernels[] = {
    {"copy", 4, 4, 64, 64, false}, /* a launch's own cost */
    {"loads_float", 64, 4, 64, 64, false},
    {"loads_float", 64, 4, 1024, 64, false},
    {"loads_float", 64, 4, 1 << 20, 64, false},
    {"loads_int", 64, 4, 1024, 64, false},
    {"loads_int", 64, 4, 1 << 20, 64, false},
    {"loads_bits", 64, 4, 1024, 64, false},
    {"vector_add", 8, 4, 1024, 64, false},
    {"vector_add", 8, 4, 1 << 20, 64, false},
    {"copy", 4, 4, 1024, 64, false},
    {"copy", 4, 4, 1 << 20, 64, false},
    {"copy_bytes", 1, 1, 1 << 20, 64, false},
    {"copy_vectors", 16, 16, 1 << 18, 64, false},
    {"reduction", 64, 4, 1024, 64, false},
    {"reduction", 64, 4, 1 << 20, 64, false},
    {"reduction_local", 4, 4, 1 << 16, 64, false},
    {"matrix_product", 8, 4, 64, 16, true},
    {"matrix_product", 8, 4, 256, 16, true},
    {"gather", 4, 4, 1 << 16, 64, false},
};
enum { KERNEL_COUNT = sizeof kernels / sizeof *kernels, REPEATS_MAX = 200 };

/* One way to run the kernel: over buffers that were written, or not. */
struct way {
    cl_kernel kernel;
    cl_mem in, out;
    uint64_t least;
};

static size_t item_count(const struct kernel *kernel)
{
    return kernel->two_dimensional ? kernel->global * kernel->global : kernel->global;
}

static void way_begin(const struct host *host, const struct kernel *kernel, bool written,
                      struct way *way)
{
    const size_t in_size = item_count(kernel) * kernel->in_size;
    const size_t out_size = item_count(kernel) * kernel->out_size;
    cl_int status;
    void *zeroes = written ? calloc(1, in_size > out_size ? in_size : out_size) : NULL;
    if (written && !zeroes)
        exit(2);
    *way = (struct way){.least = UINT64_MAX};
    way->kernel = clCreateKernel(host->program, kernel->name, &status);
    host_check(status, "clCreateKernel");
    way->in = host_buffer(host, in_size, zeroes);
    way->out = host_buffer(host, out_size, zeroes);
    host_check(clSetKernelArg(way->kernel, 0, sizeof(cl_mem), &way->in), "clSetKernelArg");
    host_check(clSetKernelArg(way->kernel, 1, sizeof(cl_mem), &way->out), "clSetKernelArg");
    free(zeroes);
}

static void way_end(struct way *way)
{
    clReleaseMemObject(way->in);
    clReleaseMemObject(way->out);
    clReleaseKernel(way->kernel);
}

/* Nanoseconds of one launch. */
static uint64_t launch(const struct host *host, const struct kernel *kernel, const struct way *way)
{
    const size_t global[2] = {kernel->global, kernel->global};
    const size_t local[2] = {kernel->local, kernel->local};
    const uint64_t start = cpu_time_ns();
    host_check(clEnqueueNDRangeKernel(host->queue, way->kernel, kernel->two_dimensional ? 2 : 1,
                                      NULL, global, local, 0, NULL, NULL),
               "clEnqueueNDRangeKernel");
    host_check(clFinish(host->queue), "clFinish");
    return cpu_time_ns() - start;
}

/* The least time of so many launches that they take some milliseconds. */
static void measure(const struct host *host, const struct kernel *kernel, struct way *way)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < REPEATS_MAX && sum < 20000000; ++i) {
        const uint64_t time = launch(host, kernel, way);
        sum += time;
        way->least = time < way->least ? time : way->least;
    }
}

static void compare(const struct host *host, const struct kernel *kernel, unsigned turns)
{
    struct way written;
    struct way unwritten;
    way_begin(host, kernel, true, &written);
    way_begin(host, kernel, false, &unwritten);
    for (unsigned turn = 0; turn < turns; ++turn) {
        measure(host, kernel, &written);
        measure(host, kernel, &unwritten);
    }
    printf("| %s | %zu | %.1f µs | %.1f µs | %.2f× |\n", kernel->name, item_count(kernel),
           (double)written.least / 1e3, (double)unwritten.least / 1e3,
           (double)unwritten.least / (double)written.least);
    fflush(stdout);
    way_end(&written);
    way_end(&unwritten);
}

int main(int argc, char **argv)
{
    const unsigned long turns = argc > 2 ? strtoul(argv[2], NULL, 10) : 3;
    if (argc < 2 || argc > 4 || turns == 0 || turns > 1000) {
        fprintf(stderr, "usage: bench_unwritten UNWRITTEN.cl [TURNS [KERNEL]]\n");
        return 2;
    }
    struct host host;
    host_open(&host, argv[1]);
    printf("| kernel | work-items | written | nobody wrote | slower by |\n|---|--:|--:|--:|--:|\n");
    for (size_t i = 0; i < KERNEL_COUNT; ++i) {
        if (argc < 4 || strcmp(argv[3], kernels[i].name) == 0)
            compare(&host, &kernels[i], (unsigned)turns);
    }
    host_close(&host);
    return 0;
}
