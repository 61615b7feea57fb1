/* Runs one kernel of kernels.cl on the first OpenCL device, checks its result, and prints the CPU
 * time of a launch in nanoseconds: from enqueueing it to the end of clFinish, all threads of the
 * process, the median of the repeats; then the most memory that the process held, in KiB. A first
 * launch is not counted: drivers compile in it. With 0 repeats the first launch is what is
 * measured, for interpreters that take long and do not compile.
 *
 *     bench_kernels KERNELS.cl NAME SIZE REPEATS
 *     bench_kernels --list                        a line a kernel: name, unit, small and large size
 */
#include "tests/bench/kernels.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

enum { REPEATS_MAX = 101 };

static const struct benchmark *const kinds[] = {benchmarks_dense, benchmarks_grid, benchmarks_group,
                                                benchmarks_irregular, benchmarks_bits};
enum { KIND_COUNT = sizeof kinds / sizeof *kinds };

/* ---- describing launches ---- */

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory) {
        fprintf(stderr, "bench: out of memory\n");
        exit(2);
    }
    return memory;
}

void launch_1d(struct launch *launch, size_t global, size_t local)
{
    launch->work_dim = 1;
    launch->global[0] = global;
    launch->local[0] = local;
}

void launch_2d(struct launch *launch, size_t side, size_t local)
{
    launch->work_dim = 2;
    launch->global[0] = launch->global[1] = side;
    launch->local[0] = launch->local[1] = local;
}

void launch_value(struct launch *launch, size_t size, const void *value)
{
    host_check(clSetKernelArg(launch->kernel, launch->argument_count++, size, value),
               "clSetKernelArg");
}

void launch_uint(struct launch *launch, cl_uint value)
{
    launch_value(launch, sizeof value, &value);
}

void *launch_input(struct launch *launch, size_t count, size_t size)
{
    void *bytes = allocate(count, size);
    launch->bytes[launch->argument_count] = bytes;
    return bytes;
}

void launch_input_done(struct launch *launch, size_t count, size_t size)
{
    const cl_uint index = launch->argument_count;
    launch->buffers[index] = host_buffer(launch->host, count * size, launch->bytes[index]);
    launch_value(launch, sizeof(cl_mem), &launch->buffers[index]);
}

void launch_output(struct launch *launch, size_t count, size_t size, int fill)
{
    launch->output = launch->argument_count;
    launch->output_size = count * size;
    memset(launch_input(launch, count, size), fill, count * size);
    launch_input_done(launch, count, size);
}

float whole_value(size_t i)
{
    return (float)(i * 7 % 11) - 5;
}

void launch_whole_floats(struct launch *launch, size_t count, size_t first)
{
    float *values = launch_input(launch, count, sizeof *values);
    for (size_t i = 0; i < count; ++i)
        values[i] = whole_value(first + i);
    launch_input_done(launch, count, sizeof *values);
}

void launch_whole_image(struct launch *launch, size_t side, size_t first)
{
    const cl_uint index = launch->argument_count;
    float *values = launch_input(launch, side * side, sizeof *values);
    for (size_t i = 0; i < side * side; ++i)
        values[i] = whole_value(first + i);
    launch->buffers[index] = host_image(launch->host, side, values);
    launch_value(launch, sizeof(cl_mem), &launch->buffers[index]);
}

cl_uint mix(cl_uint x)
{
    x = (x ^ x >> 16) * 0x7feb352d;
    x = (x ^ x >> 15) * 0x846ca68b;
    return x ^ x >> 16;
}

bool close_to(double value, double expected, double tolerance)
{
    return fabs(value - expected) <= tolerance;
}

/* ---- measuring ---- */

/* What all threads of the process have used, or what has passed for who waits. */
static uint64_t (*clock_ns)(void) = cpu_time_ns;

static uint64_t run_once(struct launch *launch)
{
    const struct host *host = launch->host;
    const uint64_t start = clock_ns();
    host_check(clEnqueueNDRangeKernel(host->queue, launch->kernel, launch->work_dim, NULL,
                                      launch->global, launch->local, 0, NULL, NULL),
               "clEnqueueNDRangeKernel");
    host_check(clFinish(host->queue), "clFinish");
    launch->run_count++;
    return clock_ns() - start;
}

static uint64_t measure(struct launch *launch, unsigned repeats)
{
    uint64_t times[REPEATS_MAX];
    const uint64_t first = run_once(launch);
    for (unsigned i = 0; i < repeats; ++i)
        times[i] = run_once(launch);
    return repeats ? median(times, repeats) : first;
}

static long peak_memory_kib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

static void release(struct launch *launch)
{
    for (cl_uint i = 0; i < ARGUMENTS_MAX; ++i) {
        if (launch->buffers[i])
            clReleaseMemObject(launch->buffers[i]);
        free(launch->bytes[i]);
    }
    clReleaseKernel(launch->kernel);
}

static int run(const struct benchmark *benchmark, const char *source_path, size_t size,
               unsigned repeats)
{
    struct host host;
    host_open(&host, source_path);
    struct launch launch = {.host = &host, .size = size};
    cl_int status;
    launch.kernel = clCreateKernel(host.program, benchmark->name, &status);
    host_check(status, "clCreateKernel");
    benchmark->prepare(&launch);
    const uint64_t time = measure(&launch, repeats);
    const long memory = peak_memory_kib();
    host_check(clEnqueueReadBuffer(host.queue, launch.buffers[launch.output], CL_TRUE, 0,
                                   launch.output_size, launch.bytes[launch.output], 0, NULL, NULL),
               "clEnqueueReadBuffer");
    const bool right = benchmark->check(&launch);
    if (right)
        printf("%" PRIu64 " %ld\n", time, memory);
    else
        fprintf(stderr, "bench: %s gives a wrong result\n", benchmark->name);
    release(&launch);
    host_close(&host);
    return right ? 0 : 1;
}

static int list(void)
{
    for (size_t kind = 0; kind < KIND_COUNT; ++kind) {
        for (const struct benchmark *b = kinds[kind]; b->name; ++b)
            printf("%s %zu %zu %zu %s\n", b->name, b->unit, b->small, b->large, b->cost);
    }
    return 0;
}

static const struct benchmark *find(const char *name)
{
    for (size_t kind = 0; kind < KIND_COUNT; ++kind) {
        for (const struct benchmark *b = kinds[kind]; b->name; ++b) {
            if (strcmp(b->name, name) == 0)
                return b;
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--list") == 0)
        return list();
    if (argc == 6 && strcmp(argv[5], "wall") == 0) {
        clock_ns = wall_time_ns;
        argc--;
    }
    const size_t size = argc == 5 ? strtoul(argv[3], NULL, 10) : 0;
    const unsigned long repeats = argc == 5 ? strtoul(argv[4], NULL, 10) : 0;
    const struct benchmark *benchmark = argc == 5 ? find(argv[2]) : NULL;
    if (benchmark && size && size % benchmark->unit == 0 && repeats <= REPEATS_MAX)
        return run(benchmark, argv[1], size, (unsigned)repeats);
    fprintf(stderr, "usage: bench_kernels KERNELS.cl NAME SIZE REPEATS [wall]\n"
                    "       bench_kernels --list   names, and what SIZE is a multiple of\n");
    return 2;
}
