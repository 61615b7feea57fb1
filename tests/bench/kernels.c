/* Runs one kernel of kernels.cl on the first OpenCL device, checks its result, and prints the CPU
 * time of a launch in nanoseconds: from enqueueing it to the end of clFinish, all threads of the
 * process, the median of the repeats. A first launch is not counted: drivers compile in it. With 0
 * repeats the first launch is what is measured, for interpreters that take long and do not compile.
 *
 *     bench_kernels KERNELS.cl NAME SIZE REPEATS */
#include "tests/bench/host.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS_MAX = 101, TILE = 16, GROUP = 64, MANDELBROT_LIMIT = 200 };

struct launch {
    cl_kernel kernel;
    cl_uint work_dim;
    size_t global[2], local[2];
    cl_mem buffers[3];
    size_t output_size;
    void *output;
    size_t size; /* the benchmark's parameter */
};

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory) {
        fprintf(stderr, "bench: out of memory\n");
        exit(2);
    }
    return memory;
}

static void set_argument(const struct launch *launch, cl_uint index, size_t size, const void *value)
{
    host_check(clSetKernelArg(launch->kernel, index, size, value), "clSetKernelArg");
}

/* Small whole numbers, so that sums are exact in any order. */
static float input_value(size_t i)
{
    return (float)(i * 7 % 11) - 5;
}

static cl_mem float_input(const struct host *host, size_t count, size_t first)
{
    float *values = allocate(count, sizeof *values);
    for (size_t i = 0; i < count; ++i)
        values[i] = input_value(first + i);
    cl_mem buffer = host_buffer(host, count * sizeof *values, values);
    free(values);
    return buffer;
}

static void prepare_output(const struct host *host, struct launch *launch, size_t size,
                           cl_uint index)
{
    launch->output_size = size;
    launch->output = allocate(1, size);
    launch->buffers[2] = host_buffer(host, size, NULL);
    set_argument(launch, index, sizeof(cl_mem), &launch->buffers[2]);
}

static void prepare_vector_add(const struct host *host, struct launch *launch)
{
    launch->work_dim = 1;
    launch->global[0] = launch->size;
    launch->local[0] = GROUP;
    launch->buffers[0] = float_input(host, launch->size, 0);
    launch->buffers[1] = float_input(host, launch->size, 3);
    set_argument(launch, 0, sizeof(cl_mem), &launch->buffers[0]);
    set_argument(launch, 1, sizeof(cl_mem), &launch->buffers[1]);
    prepare_output(host, launch, launch->size * sizeof(float), 2);
}

static bool check_vector_add(const struct launch *launch)
{
    const float *c = launch->output;
    for (size_t i = 0; i < launch->size; ++i) {
        if (c[i] != input_value(i) + input_value(i + 3))
            return false;
    }
    return true;
}

static void prepare_matrix(const struct host *host, struct launch *launch)
{
    const size_t n = launch->size;
    const cl_uint n_argument = (cl_uint)n;
    launch->work_dim = 2;
    launch->global[0] = launch->global[1] = n;
    launch->local[0] = launch->local[1] = TILE;
    launch->buffers[0] = float_input(host, n * n, 0);
    launch->buffers[1] = float_input(host, n * n, 5);
    set_argument(launch, 0, sizeof(cl_mem), &launch->buffers[0]);
    set_argument(launch, 1, sizeof(cl_mem), &launch->buffers[1]);
    prepare_output(host, launch, n * n * sizeof(float), 2);
    set_argument(launch, 3, sizeof n_argument, &n_argument);
}

/* Every 17th element: all of them would take longer than the kernel. */
static bool check_matrix(const struct launch *launch)
{
    const size_t n = launch->size;
    const float *c = launch->output;
    for (size_t i = 0; i < n * n; i += 17) {
        float sum = 0;
        for (size_t k = 0; k < n; ++k)
            sum += input_value(i / n * n + k) * input_value(5 + k * n + i % n);
        if (c[i] != sum)
            return false;
    }
    return true;
}

static cl_uint reduction_input(size_t i)
{
    return (cl_uint)(i * 2654435761u);
}

static void prepare_reduction(const struct host *host, struct launch *launch)
{
    cl_uint *values = allocate(launch->size, sizeof *values);
    for (size_t i = 0; i < launch->size; ++i)
        values[i] = reduction_input(i);
    launch->work_dim = 1;
    launch->global[0] = launch->size;
    launch->local[0] = GROUP;
    launch->buffers[0] = host_buffer(host, launch->size * sizeof *values, values);
    free(values);
    set_argument(launch, 0, sizeof(cl_mem), &launch->buffers[0]);
    prepare_output(host, launch, launch->size / GROUP * sizeof(cl_uint), 1);
}

static bool check_reduction(const struct launch *launch)
{
    const cl_uint *sums = launch->output;
    for (size_t group = 0; group < launch->size / GROUP; ++group) {
        cl_uint sum = 0;
        for (size_t i = 0; i < GROUP; ++i)
            sum += reduction_input(group * GROUP + i);
        if (sums[group] != sum)
            return false;
    }
    return true;
}

static void prepare_mandelbrot(const struct host *host, struct launch *launch)
{
    const cl_uint width = (cl_uint)launch->size;
    const cl_uint limit = MANDELBROT_LIMIT;
    launch->work_dim = 2;
    launch->global[0] = launch->global[1] = launch->size;
    launch->local[0] = launch->local[1] = TILE;
    prepare_output(host, launch, launch->size * launch->size * sizeof(cl_uint), 0);
    set_argument(launch, 1, sizeof width, &width);
    set_argument(launch, 2, sizeof limit, &limit);
}

/* Points near the edge of the set depend on whether the compiler contracts a * b + c, so neighbours
 * of the edge are left out: points that certainly stay and points that leave at once. */
static bool check_mandelbrot(const struct launch *launch)
{
    const cl_uint *iterations = launch->output;
    size_t inside = 0;
    for (size_t i = 0; i < launch->size * launch->size; ++i) {
        const float x = (float)(i % launch->size) * 3.0f / (float)launch->size - 2.0f;
        const float y = (float)(i / launch->size) * 3.0f / (float)launch->size - 1.5f;
        if (x * x + y * y < 0.05f && iterations[i] != MANDELBROT_LIMIT)
            return false;
        if (x * x + y * y > 4.1f && iterations[i] != 1)
            return false;
        inside += iterations[i] == MANDELBROT_LIMIT;
    }
    return inside > 0;
}

static const struct benchmark {
    const char *name;
    size_t unit; /* the size is a multiple of it */
    void (*prepare)(const struct host *host, struct launch *launch);
    bool (*check)(const struct launch *launch);
} benchmarks[] = {
    {"vector_add", GROUP, prepare_vector_add, check_vector_add},
    {"matrix_naive", TILE, prepare_matrix, check_matrix},
    {"matrix_tiled", TILE, prepare_matrix, check_matrix},
    {"reduction", GROUP, prepare_reduction, check_reduction},
    {"mandelbrot", TILE, prepare_mandelbrot, check_mandelbrot},
};

static uint64_t run_once(const struct host *host, const struct launch *launch)
{
    const uint64_t start = cpu_time_ns();
    host_check(clEnqueueNDRangeKernel(host->queue, launch->kernel, launch->work_dim, NULL,
                                      launch->global, launch->local, 0, NULL, NULL),
               "clEnqueueNDRangeKernel");
    host_check(clFinish(host->queue), "clFinish");
    return cpu_time_ns() - start;
}

static uint64_t measure(const struct host *host, const struct launch *launch, unsigned repeats)
{
    uint64_t times[REPEATS_MAX];
    const uint64_t first = run_once(host, launch);
    for (unsigned i = 0; i < repeats; ++i)
        times[i] = run_once(host, launch);
    return repeats ? median(times, repeats) : first;
}

static int run(const struct benchmark *benchmark, const char *source_path, size_t size,
               unsigned repeats)
{
    struct host host;
    struct launch launch = {.size = size};
    cl_int status;
    host_open(&host, source_path);
    launch.kernel = clCreateKernel(host.program, benchmark->name, &status);
    host_check(status, "clCreateKernel");
    benchmark->prepare(&host, &launch);
    const uint64_t time = measure(&host, &launch, repeats);
    host_check(clEnqueueReadBuffer(host.queue, launch.buffers[2], CL_TRUE, 0, launch.output_size,
                                   launch.output, 0, NULL, NULL),
               "clEnqueueReadBuffer");
    const bool right = benchmark->check(&launch);
    if (right)
        printf("%" PRIu64 "\n", time);
    else
        fprintf(stderr, "bench: %s gives a wrong result\n", benchmark->name);
    free(launch.output);
    for (size_t i = 0; i < 3; ++i) {
        if (launch.buffers[i])
            clReleaseMemObject(launch.buffers[i]);
    }
    clReleaseKernel(launch.kernel);
    host_close(&host);
    return right ? 0 : 1;
}

int main(int argc, char **argv)
{
    const size_t size = argc == 5 ? strtoul(argv[3], NULL, 10) : 0;
    const unsigned long repeats = argc == 5 ? strtoul(argv[4], NULL, 10) : 0;
    for (size_t i = 0; i < sizeof benchmarks / sizeof *benchmarks; ++i) {
        if (argc == 5 && strcmp(argv[2], benchmarks[i].name) == 0 && size &&
            size % benchmarks[i].unit == 0 && repeats <= REPEATS_MAX)
            return run(&benchmarks[i], argv[1], size, (unsigned)repeats);
    }
    fprintf(stderr, "usage: bench_kernels KERNELS.cl NAME SIZE REPEATS\n"
                    "names, and what the size is a multiple of:");
    for (size_t i = 0; i < sizeof benchmarks / sizeof *benchmarks; ++i)
        fprintf(stderr, " %s %zu", benchmarks[i].name, benchmarks[i].unit);
    fprintf(stderr, "\n");
    return 2;
}
