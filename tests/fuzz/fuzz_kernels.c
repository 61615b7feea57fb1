/* Runs random kernels on the reference device and on PoCL: results must be equal, and clerk must
 * find nothing, since a random kernel has nothing wrong.
 *
 *     fuzz_kernels FIRST ROUNDS SECONDS [--source]
 *
 * FIRST is the first round, which is its seed; it stops after ROUNDS or SECONDS. --source prints
 * the program of that round instead. The reference device writes its findings to CLERK_FINDINGS. */
#include "tests/fuzz/random_kernel.h"

#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

enum { DEVICES = 2, GROUPS_MAX = 3, LOCAL_MAX = 100, ITEMS_MAX = GROUPS_MAX * LOCAL_MAX };

struct device {
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    cl_mem out, counters, in8, in32, in_float;
    cl_program program;
};

struct results {
    cl_ulong out[ITEMS_MAX];
    cl_uint counters[RANDOM_COUNTERS];
};

static uint64_t current_round;

static void fail(const char *what)
{
    fprintf(stderr, "fuzz_kernels: round %llu: %s\n", (unsigned long long)current_round, what);
    exit(1);
}

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "fuzz_kernels: round %llu: %s gives %d\n", (unsigned long long)current_round,
            what, status);
    exit(1);
}

/* ---- devices ---- */

static cl_mem make_buffer(const struct device *device, size_t size, const void *bytes)
{
    cl_int status;
    cl_mem buffer = clCreateBuffer(device->context,
                                   CL_MEM_READ_WRITE | (bytes != NULL ? CL_MEM_COPY_HOST_PTR : 0),
                                   size, (void *)(uintptr_t)bytes, &status);
    check(status, "clCreateBuffer");
    return buffer;
}

static void make_inputs(struct device *device)
{
    cl_uchar bytes[RANDOM_INPUTS];
    cl_uint words[RANDOM_INPUTS];
    cl_float floats[RANDOM_INPUTS];
    cl_uint state = 12345;
    for (size_t i = 0; i < RANDOM_INPUTS; i++) {
        state = state * 1664525 + 1013904223;
        bytes[i] = (cl_uchar)(state >> 24);
        words[i] = i % 3 == 0 ? state >> 26 : state;
        floats[i] = (cl_float)(int)(state >> 8) / (i % 2 == 0 ? 65536.0f : -4.0f);
    }
    device->in8 = make_buffer(device, sizeof bytes, bytes);
    device->in32 = make_buffer(device, sizeof words, words);
    device->in_float = make_buffer(device, sizeof floats, floats);
    device->out = make_buffer(device, sizeof(cl_ulong) * ITEMS_MAX, NULL);
    device->counters = make_buffer(device, sizeof(cl_uint) * RANDOM_COUNTERS, NULL);
}

static void open_device(struct device *device, cl_platform_id platform)
{
    cl_int status;
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device->id, NULL), "clGetDeviceIDs");
    device->context = clCreateContext(NULL, 1, &device->id, NULL, NULL, &status);
    check(status, "clCreateContext");
    device->queue = clCreateCommandQueue(device->context, device->id, 0, &status);
    check(status, "clCreateCommandQueue");
    make_inputs(device);
}

static void open_devices(struct device devices[DEVICES])
{
    static const char *const names[DEVICES] = {"clerk", "Portable Computing Language"};
    cl_platform_id platforms[16];
    cl_uint count;
    check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs");
    for (int d = 0; d < DEVICES; d++) {
        for (cl_uint i = 0; i < count && i < 16; i++) {
            char name[100] = "";
            clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
            if (devices[d].id == NULL && strstr(name, names[d]) != NULL)
                open_device(&devices[d], platforms[i]);
        }
        if (devices[d].id == NULL) {
            fprintf(stderr, "fuzz_kernels: there is no platform '%s'\n", names[d]);
            exit(2);
        }
    }
}

static void close_device(struct device *device)
{
    clReleaseMemObject(device->out);
    clReleaseMemObject(device->counters);
    clReleaseMemObject(device->in8);
    clReleaseMemObject(device->in32);
    clReleaseMemObject(device->in_float);
    clReleaseCommandQueue(device->queue);
    clReleaseContext(device->context);
}

/* ---- one round ---- */

static void build(struct device *device, const char *source)
{
    cl_int status;
    device->program = clCreateProgramWithSource(device->context, 1, &source, NULL, &status);
    check(status, "clCreateProgramWithSource");
    status = clBuildProgram(device->program, 1, &device->id, RANDOM_BUILD_OPTIONS, NULL, NULL);
    if (status == CL_SUCCESS)
        return;
    static char log[20000];
    clGetProgramBuildInfo(device->program, device->id, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fprintf(stderr, "%.2000s\n", log);
    fail("a program does not build");
}

static void run(struct device *device, unsigned number, size_t local, size_t groups,
                struct results *results)
{
    const size_t global = local * groups;
    const cl_uint uniform = (cl_uint)(current_round % 7);
    char name[16];
    cl_int status;
    snprintf(name, sizeof name, "k%u", number);
    cl_kernel kernel = clCreateKernel(device->program, name, &status);
    check(status, "clCreateKernel");
    memset(results, 0, sizeof *results);
    for (cl_uint i = 0; i < RANDOM_COUNTERS; i++)
        results->counters[i] = i % 8 == 2 || i % 8 == 4 ? ~0u : 0;
    clEnqueueWriteBuffer(device->queue, device->out, CL_TRUE, 0, sizeof results->out, results->out,
                         0, NULL, NULL);
    clEnqueueWriteBuffer(device->queue, device->counters, CL_TRUE, 0, sizeof results->counters,
                         results->counters, 0, NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof(cl_mem), &device->out);
    clSetKernelArg(kernel, 1, sizeof(cl_mem), &device->counters);
    clSetKernelArg(kernel, 2, sizeof(cl_mem), &device->in8);
    clSetKernelArg(kernel, 3, sizeof(cl_mem), &device->in32);
    clSetKernelArg(kernel, 4, sizeof(cl_mem), &device->in_float);
    clSetKernelArg(kernel, 5, local * sizeof(cl_uint), NULL);
    clSetKernelArg(kernel, 6, sizeof(cl_uint), &uniform);
    check(clEnqueueNDRangeKernel(device->queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(device->queue, device->out, CL_TRUE, 0, sizeof results->out,
                              results->out, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    clEnqueueReadBuffer(device->queue, device->counters, CL_TRUE, 0, sizeof results->counters,
                        results->counters, 0, NULL, NULL);
    clReleaseKernel(kernel);
}

static void compare(unsigned number, const struct results *ours, const struct results *theirs)
{
    for (size_t i = 0; i < ITEMS_MAX; i++) {
        if (ours->out[i] == theirs->out[i])
            continue;
        fprintf(stderr, "k%u: work-item %zu: %016llx, by PoCL %016llx\n", number, i,
                (unsigned long long)ours->out[i], (unsigned long long)theirs->out[i]);
        fail("results differ");
    }
    for (size_t i = 0; i < RANDOM_COUNTERS; i++) {
        if (ours->counters[i] == theirs->counters[i])
            continue;
        fprintf(stderr, "k%u: counter %zu: %08x, by PoCL %08x\n", number, i, ours->counters[i],
                theirs->counters[i]);
        fail("counters differ");
    }
}

static void check_findings(const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0 && status.st_size > 0)
        fail("clerk finds something wrong");
}

static void run_round(struct device devices[DEVICES], const char *findings)
{
    static const size_t locals[] = {64, 32, 7, 100, 1, 48, 65};
    static struct results results[DEVICES];
    const size_t local = locals[current_round % 7];
    const size_t groups = 1 + current_round % GROUPS_MAX;
    struct text source = TEXT_INIT;
    random_kernels(current_round, &source);
    for (int d = 0; d < DEVICES; d++)
        build(&devices[d], source.bytes);
    for (unsigned k = 0; k < RANDOM_KERNELS; k++) {
        for (int d = 0; d < DEVICES; d++)
            run(&devices[d], k, local, groups, &results[d]);
        compare(k, &results[0], &results[1]);
    }
    check_findings(findings);
    for (int d = 0; d < DEVICES; d++)
        clReleaseProgram(devices[d].program);
    text_release(&source);
}

int main(int argc, char **argv)
{
    static struct device devices[DEVICES];
    const char *findings = getenv("CLERK_FINDINGS");
    if (argc < 4) {
        fprintf(stderr, "usage: fuzz_kernels FIRST ROUNDS SECONDS [--source]\n");
        return 2;
    }
    const uint64_t first = strtoull(argv[1], NULL, 10);
    const uint64_t rounds = strtoull(argv[2], NULL, 10);
    const time_t end = time(NULL) + atoi(argv[3]);
    if (argc > 4) {
        struct text source = TEXT_INIT;
        random_kernels(first, &source);
        fputs(source.bytes, stdout);
        text_release(&source);
        return 0;
    }
    if (findings == NULL || (remove(findings), fopen(findings, "r")) != NULL) {
        fprintf(stderr, "fuzz_kernels: CLERK_FINDINGS must name a file\n");
        return 2;
    }
    open_devices(devices);
    current_round = first;
    for (; current_round - first < rounds && time(NULL) < end; current_round++)
        run_round(devices, findings);
    printf("%llu rounds\n", (unsigned long long)(current_round - first));
    for (int d = 0; d < DEVICES; d++)
        close_device(&devices[d]);
    return 0;
}
