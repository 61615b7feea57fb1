/* Runs random kernels on the reference device, as it compiles them and as optimised SPIR-V, and on
 * PoCL: results must be equal, and clerk must find nothing, since a random kernel has nothing
 * wrong.
 *
 *     fuzz_kernels FIRST ROUNDS SECONDS [--source]
 *
 * FIRST is the first round, which is its seed; it stops after ROUNDS or SECONDS. --source prints
 * the program of that round instead. The reference device writes its findings to CLERK_FINDINGS. */
#include "tests/fuzz/optimise.h"
#include "tests/fuzz/random_kernel.h"

#include <CL/cl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { CLERK, POCL, DEVICES };
enum { GROUPS_MAX = 3, ITEMS_MAX = RANDOM_ITEMS };

struct device {
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    cl_mem out, counters, in8, in32, in_float;
};

struct results {
    cl_ulong out[ITEMS_MAX];
    cl_uint counters[RANDOM_COUNTERS];
};

static volatile uint64_t current_round;
static const char *volatile current_work = "";
static uint64_t optimised_rounds;

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

/* Whoever crashes in whichever thread: the round and who was at work, then the signal again. */
static void tell_round(int number)
{
    char text[128];
    const int size = snprintf(text, sizeof text, "fuzz_kernels: round %llu: %s crashes\n",
                              (unsigned long long)current_round, current_work);
    signal(number, SIG_DFL);
    if (write(STDERR_FILENO, text, (size_t)size) == size)
        raise(number);
    _exit(1);
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

static void build(const struct device *device, cl_program program, const char *options)
{
    static char log[20000];
    if (clBuildProgram(program, 1, &device->id, options, NULL, NULL) == CL_SUCCESS)
        return;
    clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fprintf(stderr, "%.2000s\n", log);
    fail("a program does not build");
}

static cl_program build_source(const struct device *device, const char *source, const char *options)
{
    cl_int status;
    cl_program program = clCreateProgramWithSource(device->context, 1, &source, NULL, &status);
    check(status, "clCreateProgramWithSource");
    build(device, program, options);
    return program;
}

/* Does a build end at what the validator says? */
static bool is_invalid(const struct device *device, cl_program program)
{
    char log[200] = "";
    if (clBuildProgram(program, 1, &device->id, "", NULL, NULL) == CL_SUCCESS)
        return false;
    clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    return strstr(log, "SPIR-V, instruction") != NULL;
}

/* NULL when llvm-spirv writes nothing, or nothing that is valid. */
static cl_program build_optimised(const struct device *device, const char *source,
                                  const char *standard)
{
    static const char *const levels[] = {"-O2", "-O1", "-O3", "-Os"};
    struct text module = TEXT_INIT;
    cl_program program = NULL;
    cl_int status;
    if (optimise(source, levels[current_round % 4], standard, &module)) {
        program = clCreateProgramWithIL(device->context, module.bytes, module.size, &status);
        check(status, "clCreateProgramWithIL");
        if (is_invalid(device, program)) {
            clReleaseProgram(program);
            program = NULL;
        } else {
            build(device, program, "");
        }
    }
    text_release(&module);
    return program;
}

static void run(const struct device *device, cl_program program, unsigned number, size_t local,
                size_t groups, struct results *results)
{
    const size_t global = local * groups;
    const cl_uint uniform = (cl_uint)(current_round % 7);
    char name[16];
    cl_int status;
    snprintf(name, sizeof name, "k%u", number);
    cl_kernel kernel = clCreateKernel(program, name, &status);
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

static void compare(const char *name, unsigned number, const struct results *these,
                    const struct results *expected)
{
    for (size_t i = 0; i < ITEMS_MAX; i++) {
        if (these->out[i] == expected->out[i])
            continue;
        fprintf(stderr, "k%u: work-item %zu: %016llx, %s %016llx\n", number, i,
                (unsigned long long)expected->out[i], name, (unsigned long long)these->out[i]);
        fail("results differ");
    }
    for (size_t i = 0; i < RANDOM_COUNTERS; i++) {
        if (these->counters[i] == expected->counters[i])
            continue;
        fprintf(stderr, "k%u: counter %zu: %08x, %s %08x\n", number, i, expected->counters[i], name,
                these->counters[i]);
        fail("counters differ");
    }
}

static void check_findings(const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0 && status.st_size > 0)
        fail("clerk finds something wrong");
}

static void run_round(const struct device devices[DEVICES], const char *findings)
{
    /* PoCL 3.1 has a rint, also behind its conversions, that overflows an int for large numbers.
     * Where the number is known, LLVM takes the kernel from there on for unreachable, and the
     * processor runs into whatever follows. */
    static const char pocl_options[] = "-cl-std=CL1.2 -DNUMBERS_IN_MEMORY " RANDOM_BUILD_OPTIONS;
    static const size_t locals[] = {64, 32, 7, 100, 1, 48, 65};
    static struct results expected;
    static struct results results;
    const size_t local = locals[current_round % 7];
    const size_t groups = 1 + current_round % GROUPS_MAX;
    const char *standard = current_round % 5 == 0 ? "-cl-std=CL1.2" : "-cl-std=CL3.0";
    char options[100];
    struct text source = TEXT_INIT;
    random_kernels(current_round, &source);
    snprintf(options, sizeof options, "%s %s", standard, RANDOM_BUILD_OPTIONS);
    current_work = "clerk";
    cl_program clerk = build_source(&devices[CLERK], source.bytes, options);
    current_work = "clerk, with an optimised program,";
    cl_program optimised = build_optimised(&devices[CLERK], source.bytes, standard);
    cl_program pocl = NULL;
    current_work = "PoCL";
    if (!random_is_irreducible(current_round))
        pocl = build_source(&devices[POCL], source.bytes, pocl_options);
    optimised_rounds += optimised != NULL;
    for (unsigned k = 0; k < RANDOM_KERNELS; k++) {
        current_work = "clerk";
        run(&devices[CLERK], clerk, k, local, groups, &expected);
        if (optimised != NULL) {
            current_work = "clerk, with an optimised program,";
            run(&devices[CLERK], optimised, k, local, groups, &results);
            compare("optimised", k, &results, &expected);
        }
        if (pocl != NULL) {
            current_work = "PoCL";
            run(&devices[POCL], pocl, k, local, groups, &results);
            compare("by PoCL", k, &results, &expected);
        }
    }
    check_findings(findings);
    clReleaseProgram(clerk);
    if (optimised != NULL)
        clReleaseProgram(optimised);
    if (pocl != NULL)
        clReleaseProgram(pocl);
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
    signal(SIGSEGV, tell_round);
    signal(SIGABRT, tell_round);
    current_round = first;
    for (; current_round - first < rounds && time(NULL) < end; current_round++)
        run_round(devices, findings);
    printf("%llu rounds, %llu of them also optimised\n",
           (unsigned long long)(current_round - first), (unsigned long long)optimised_rounds);
    for (int d = 0; d < DEVICES; d++)
        close_device(&devices[d]);
    return 0;
}
