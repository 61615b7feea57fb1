/* Runs random kernels on the reference device, as it compiles them and as optimised SPIR-V, and on
 * PoCL: results must be equal, and clerk must find nothing, since a random kernel has nothing
 * wrong.
 *
 *     fuzz_kernels FIRST ROUNDS SECONDS [--source]
 *
 * FIRST is the first round, which is its seed; it stops after ROUNDS or SECONDS. --source prints
 * the program of that round instead. The reference device writes its findings to CLERK_FINDINGS. */
#include "tests/fuzz/devices.h"
#include "tests/fuzz/random_kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { CLERK, POCL, DEVICES };
enum { GROUPS_MAX = 3, ITEMS_MAX = RANDOM_ITEMS };

struct target {
    struct device device;
    cl_mem out, counters, in8, in32, in_float;
};

struct results {
    cl_ulong out[ITEMS_MAX];
    cl_uint counters[RANDOM_COUNTERS];
};

static uint64_t optimised_rounds;

static void make_inputs(struct target *target)
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
    target->in8 = device_buffer(&target->device, sizeof bytes, bytes);
    target->in32 = device_buffer(&target->device, sizeof words, words);
    target->in_float = device_buffer(&target->device, sizeof floats, floats);
    target->out = device_buffer(&target->device, sizeof(cl_ulong) * ITEMS_MAX, NULL);
    target->counters = device_buffer(&target->device, sizeof(cl_uint) * RANDOM_COUNTERS, NULL);
}

static void open_targets(struct target targets[DEVICES])
{
    static const char *const names[DEVICES] = {"clerk", "Portable Computing Language"};
    for (int d = 0; d < DEVICES; d++) {
        if (!device_open(&targets[d].device, names[d])) {
            fprintf(stderr, "fuzz_kernels: there is no platform '%s'\n", names[d]);
            exit(2);
        }
        make_inputs(&targets[d]);
    }
}

static void close_target(struct target *target)
{
    clReleaseMemObject(target->out);
    clReleaseMemObject(target->counters);
    clReleaseMemObject(target->in8);
    clReleaseMemObject(target->in32);
    clReleaseMemObject(target->in_float);
    device_close(&target->device);
}

/* ---- one round ---- */

static void run(const struct target *target, cl_program program, unsigned number, size_t local,
                size_t groups, struct results *results)
{
    const size_t global = local * groups;
    const cl_uint uniform = (cl_uint)(current_round % 7);
    char name[16];
    cl_int status;
    snprintf(name, sizeof name, "k%u", number);
    cl_kernel kernel = clCreateKernel(program, name, &status);
    round_check(status, "clCreateKernel");
    memset(results, 0, sizeof *results);
    for (cl_uint i = 0; i < RANDOM_COUNTERS; i++)
        results->counters[i] = i % 8 == 2 || i % 8 == 4 ? ~0u : 0;
    clEnqueueWriteBuffer(target->device.queue, target->out, CL_TRUE, 0, sizeof results->out,
                         results->out, 0, NULL, NULL);
    clEnqueueWriteBuffer(target->device.queue, target->counters, CL_TRUE, 0,
                         sizeof results->counters, results->counters, 0, NULL, NULL);
    clSetKernelArg(kernel, 0, sizeof(cl_mem), &target->out);
    clSetKernelArg(kernel, 1, sizeof(cl_mem), &target->counters);
    clSetKernelArg(kernel, 2, sizeof(cl_mem), &target->in8);
    clSetKernelArg(kernel, 3, sizeof(cl_mem), &target->in32);
    clSetKernelArg(kernel, 4, sizeof(cl_mem), &target->in_float);
    clSetKernelArg(kernel, 5, local * sizeof(cl_uint), NULL);
    clSetKernelArg(kernel, 6, sizeof(cl_uint), &uniform);
    round_check(clEnqueueNDRangeKernel(target->device.queue, kernel, 1, NULL, &global, &local, 0,
                                       NULL, NULL),
                "clEnqueueNDRangeKernel");
    round_check(clEnqueueReadBuffer(target->device.queue, target->out, CL_TRUE, 0,
                                    sizeof results->out, results->out, 0, NULL, NULL),
                "clEnqueueReadBuffer");
    clEnqueueReadBuffer(target->device.queue, target->counters, CL_TRUE, 0,
                        sizeof results->counters, results->counters, 0, NULL, NULL);
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
        round_fail("results differ");
    }
    for (size_t i = 0; i < RANDOM_COUNTERS; i++) {
        if (these->counters[i] == expected->counters[i])
            continue;
        fprintf(stderr, "k%u: counter %zu: %08x, %s %08x\n", number, i, expected->counters[i], name,
                these->counters[i]);
        round_fail("counters differ");
    }
}

static void run_round(const struct target targets[DEVICES], const char *findings)
{
    /* PoCL 3.1 has a rint, also after its conversions, that overflows an int for large numbers.
     * Where the number is known, LLVM takes the kernel from there on for unreachable, and the
     * processor runs into whatever follows. PoCL 6 lacks wait_group_events before OpenCL C 3.0. */
    static const char pocl_options[] =
        "-cl-std=CL1.2 -DNUMBERS_IN_MEMORY -DWAIT_BY_BARRIER " RANDOM_BUILD_OPTIONS;
    static const char *const levels[] = {"-O2", "-O1", "-O3", "-Os"};
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
    cl_program clerk = device_build_source(&targets[CLERK].device, source.bytes, options);
    current_work = "clerk, with an optimised program,";
    cl_program optimised = device_build_optimised(&targets[CLERK].device, source.bytes,
                                                  levels[current_round % 4], standard);
    cl_program pocl = NULL;
    current_work = "PoCL";
    if (!random_is_irreducible(current_round))
        pocl = device_build_source(&targets[POCL].device, source.bytes, pocl_options);
    optimised_rounds += optimised != NULL;
    for (unsigned k = 0; k < RANDOM_KERNELS; k++) {
        current_work = "clerk";
        run(&targets[CLERK], clerk, k, local, groups, &expected);
        if (optimised != NULL) {
            current_work = "clerk, with an optimised program,";
            run(&targets[CLERK], optimised, k, local, groups, &results);
            compare("optimised", k, &results, &expected);
        }
        if (pocl != NULL) {
            current_work = "PoCL";
            run(&targets[POCL], pocl, k, local, groups, &results);
            compare("by PoCL", k, &results, &expected);
        }
    }
    round_check_findings(findings);
    clReleaseProgram(clerk);
    if (optimised != NULL)
        clReleaseProgram(optimised);
    if (pocl != NULL)
        clReleaseProgram(pocl);
    text_release(&source);
}

int main(int argc, char **argv)
{
    static struct target targets[DEVICES];
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
    fuzzer_name = "fuzz_kernels";
    open_targets(targets);
    round_watch();
    current_round = first;
    for (; current_round - first < rounds && time(NULL) < end; current_round++)
        run_round(targets, findings);
    printf("%llu rounds, %llu of them also optimised\n",
           (unsigned long long)(current_round - first), (unsigned long long)optimised_rounds);
    for (int d = 0; d < DEVICES; d++)
        close_target(&targets[d]);
    return 0;
}
