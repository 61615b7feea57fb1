/* Runs random programs on the reference device, as it compiles them and as optimised SPIR-V, on
 * PoCL with and without optimisation, and on Oclgrind where that is installed: results must be
 * equal, and clerk must find nothing, since a random program has nothing wrong.
 *
 *     fuzz_programs FIRST ROUNDS SECONDS [--source | --program FILE]
 *
 * FIRST is the first round, which is its seed; it stops after ROUNDS or SECONDS. --source prints
 * the program of that round instead, --program takes the program of that round from a file, where
 * it was made shorter. The reference device writes its findings to CLERK_FINDINGS. A program on
 * which the other drivers disagree is told, and counted, if one of them agrees with both of clerk's
 * ways. */
#include "tests/fuzz/devices.h"
#include "tests/fuzz/random_program.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Ways to perform a program; the first is what the others are compared with. */
enum way { CLERK, CLERK_OPTIMISED, POCL, POCL_PLAIN, OCLGRIND, WAYS };
static const char *const way_names[WAYS] = {"clerk", "clerk, optimised", "PoCL",
                                            "PoCL, not optimised", "Oclgrind"};

struct results {
    cl_ulong out[PROGRAM_ITEMS];
    cl_uint counters[PROGRAM_COUNTERS];
};

static uint64_t optimised_rounds, oclgrind_rounds, others_disagree;
static const char *program_file; /* NULL: made of the round's number */

/* ---- performing ---- */

static void set_argument(const struct device *device, cl_kernel kernel, cl_uint index,
                         const struct program_argument *argument, cl_mem *memory)
{
    static cl_uchar bytes[PROGRAM_ITEMS * 4096];
    const size_t count = argument->kind == ARGUMENT_VALUE ? 1 : PROGRAM_ITEMS;
    const size_t size = argument->size * count;
    cl_uint state = (cl_uint)current_round + index;
    if (size > sizeof bytes)
        round_fail("an argument has too many bytes");
    for (size_t i = 0; i < size; i++) {
        state = state * 1664525 + 1013904223;
        bytes[i] = (cl_uchar)(state >> 24);
    }
    *memory = NULL;
    if (argument->kind == ARGUMENT_VALUE) {
        round_check(clSetKernelArg(kernel, index, size, bytes), "clSetKernelArg");
        return;
    }
    *memory = device_buffer(device, size, bytes);
    round_check(clSetKernelArg(kernel, index, sizeof *memory, memory), "clSetKernelArg");
}

static cl_int launch(const struct device *device, cl_kernel kernel, struct results *results)
{
    const size_t global = PROGRAM_ITEMS;
    const size_t local = PROGRAM_GROUP;
    const cl_uint uniform = (cl_uint)(current_round % 5);
    cl_mem out = device_buffer(device, sizeof results->out, results->out);
    cl_mem counters = device_buffer(device, sizeof results->counters, results->counters);
    clSetKernelArg(kernel, 0, sizeof out, &out);
    clSetKernelArg(kernel, 1, sizeof counters, &counters);
    clSetKernelArg(kernel, 2, sizeof uniform, &uniform);
    const cl_int status =
        clEnqueueNDRangeKernel(device->queue, kernel, 1, NULL, &global, &local, 0, NULL, NULL);
    round_check(clEnqueueReadBuffer(device->queue, out, CL_TRUE, 0, sizeof results->out,
                                    results->out, 0, NULL, NULL),
                "clEnqueueReadBuffer");
    clEnqueueReadBuffer(device->queue, counters, CL_TRUE, 0, sizeof results->counters,
                        results->counters, 0, NULL, NULL);
    clReleaseMemObject(out);
    clReleaseMemObject(counters);
    return status;
}

/* Oclgrind may refuse: there is no kernel, or no launch, where LLVM used what it does not know. */
static cl_int perform(const struct device *device, cl_program program,
                      const struct random_program *what, struct results *results)
{
    cl_mem memories[PROGRAM_ARGUMENTS];
    cl_int status;
    cl_kernel kernel = clCreateKernel(program, "k", &status);
    if (kernel == NULL) {
        clReleaseProgram(program);
        return status;
    }
    memset(results, 0, sizeof *results);
    for (cl_uint i = 0; i < what->argument_count; i++)
        set_argument(device, kernel, 3 + i, &what->arguments[i], &memories[i]);
    status = launch(device, kernel, results);
    for (cl_uint i = 0; i < what->argument_count; i++) {
        if (memories[i] != NULL)
            clReleaseMemObject(memories[i]);
    }
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    return status;
}

/* What is written to standard error meanwhile. */
static struct {
    FILE *file; /* NULL: nobody listens */
    int standard_error;
} said;

static void said_begin(void)
{
    said.file = tmpfile();
    said.standard_error = dup(STDERR_FILENO);
    if (said.file == NULL || said.standard_error < 0 || dup2(fileno(said.file), STDERR_FILENO) < 0)
        round_fail("standard error cannot be kept");
}

/* Was the word among it? */
static bool said_end(const char *word)
{
    char line[512];
    bool found = false;
    dup2(said.standard_error, STDERR_FILENO);
    close(said.standard_error);
    rewind(said.file);
    while (!found && fgets(line, sizeof line, said.file) != NULL)
        found = strstr(line, word) != NULL;
    fclose(said.file);
    said.file = NULL;
    return found;
}

/* Where the process ends meanwhile, what it says is heard after all. */
static void said_tell(void)
{
    char line[512];
    if (said.file == NULL)
        return;
    dup2(said.standard_error, STDERR_FILENO);
    rewind(said.file);
    while (fgets(line, sizeof line, said.file) != NULL)
        fputs(line, stderr);
}

/* ---- judging ---- */

static bool equal(const struct results *these, const struct results *those)
{
    return memcmp(these, those, sizeof *these) == 0;
}

static void tell_difference(const struct results *results, const bool *performed)
{
    for (size_t i = 0; i < PROGRAM_ITEMS; i++) {
        bool differs = false;
        for (int way = 1; way < WAYS; way++)
            differs |= performed[way] && results[way].out[i] != results[0].out[i];
        if (!differs)
            continue;
        for (int way = 0; way < WAYS; way++) {
            if (performed[way])
                fprintf(stderr, "work-item %zu: %016llx by %s\n", i,
                        (unsigned long long)results[way].out[i], way_names[way]);
        }
        return;
    }
    fprintf(stderr, "counters differ\n");
}

static void judge(const struct results *results, const bool *performed)
{
    bool all = true;
    bool another = false;
    for (int way = 1; way < WAYS; way++) {
        const bool same = equal(&results[way], &results[CLERK]);
        all = all && (!performed[way] || same);
        another = another || (way >= POCL && performed[way] && same);
    }
    if (all)
        return;
    tell_difference(results, performed);
    if (!another ||
        (performed[CLERK_OPTIMISED] && !equal(&results[CLERK_OPTIMISED], &results[CLERK])))
        round_fail("results differ");
    fprintf(stderr, "round %llu: the others disagree\n", (unsigned long long)current_round);
    others_disagree++;
}

/* ---- rounds ---- */

static bool has_generic(const struct device *device)
{
    cl_bool has = CL_FALSE;
    clGetDeviceInfo(device->id, CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT, sizeof has, &has, NULL);
    return has != CL_FALSE;
}

static void read_program(struct text *source)
{
    char bytes[4096];
    size_t size;
    FILE *file = fopen(program_file, "r");
    if (file == NULL)
        round_fail("there is no such file");
    text_clear(source);
    while ((size = fread(bytes, 1, sizeof bytes, file)) > 0)
        text_append_n(source, bytes, size);
    fclose(file);
}

/* What the ways of a round perform. */
struct work {
    struct random_program program;
    const char *standard;
    struct text source;
};

/* Oclgrind computes wrongly with integers of odd widths, which LLVM's optimiser makes. */
static const char *optimisation(enum way way)
{
    return way >= POCL_PLAIN || current_round % 2 == 0 ? " -cl-opt-disable" : "";
}

/* Returns false if there is nothing of this way. */
static bool perform_way(const struct device *device, enum way way, const struct work *work,
                        struct results *results)
{
    static const char *const levels[] = {"-O2", "-O1", "-O3", "-Os"};
    struct text options = TEXT_INIT;
    cl_program program = NULL;
    current_work = way_names[way];
    text_format(&options, "-w %s%s", work->standard, optimisation(way));
    if (way == CLERK_OPTIMISED)
        program = device_build_optimised(device, work->source.bytes, levels[current_round / 2 % 4],
                                         work->standard);
    else if (device->id != NULL && (!work->program.generic || has_generic(device)))
        program = device_build_source(device, work->source.bytes, options.bytes);
    text_release(&options);
    if (program == NULL)
        return false;
    const cl_int status = perform(device, program, &work->program, results);
    if (way < OCLGRIND)
        round_check(status, "its launch");
    return status == CL_SUCCESS;
}

/* Oclgrind goes on where it gave up, with other results, and says so on standard error alone. */
static bool perform_oclgrind(const struct device *device, const struct work *work,
                             struct results *results)
{
    said_begin();
    const bool performed = perform_way(device, OCLGRIND, work, results);
    return !said_end("FATAL ERROR") && performed;
}

static void run_round(const struct device devices[WAYS], const char *findings)
{
    static struct results results[WAYS];
    bool performed[WAYS] = {false};
    struct work work = {.source = TEXT_INIT};
    work.program = random_program(current_round, &work.source);
    work.standard = work.program.generic ? "-cl-std=CL3.0" : "-cl-std=CL1.2";
    if (program_file != NULL)
        read_program(&work.source);
    for (enum way way = 0; way <= POCL; way++)
        performed[way] = perform_way(&devices[way], way, &work, &results[way]);
    /* Where PoCL differs, its optimiser may be at fault. */
    if (!equal(&results[POCL], &results[CLERK]))
        performed[POCL_PLAIN] =
            perform_way(&devices[POCL], POCL_PLAIN, &work, &results[POCL_PLAIN]);
    performed[OCLGRIND] = perform_oclgrind(&devices[OCLGRIND], &work, &results[OCLGRIND]);
    optimised_rounds += performed[CLERK_OPTIMISED];
    oclgrind_rounds += performed[OCLGRIND];
    judge(results, performed);
    round_check_findings(findings);
    text_release(&work.source);
}

static void open_devices(struct device devices[WAYS])
{
    if (!device_open(&devices[CLERK], "clerk") ||
        !device_open(&devices[CLERK_OPTIMISED], "clerk") ||
        !device_open(&devices[POCL], "Portable Computing Language")) {
        fprintf(stderr, "fuzz_programs: clerk's platform or PoCL's is not there\n");
        exit(2);
    }
    device_open(&devices[OCLGRIND], "Oclgrind");
}

static int print_source(uint64_t round)
{
    struct text source = TEXT_INIT;
    random_program(round, &source);
    fputs(source.bytes, stdout);
    text_release(&source);
    return 0;
}

int main(int argc, char **argv)
{
    static struct device devices[WAYS];
    const char *findings = getenv("CLERK_FINDINGS");
    fuzzer_name = "fuzz_programs";
    if (argc < 4) {
        fprintf(stderr, "usage: fuzz_programs FIRST ROUNDS SECONDS [--source | --program FILE]\n");
        return 2;
    }
    const uint64_t first = strtoull(argv[1], NULL, 10);
    const uint64_t rounds = strtoull(argv[2], NULL, 10);
    const time_t end = time(NULL) + atoi(argv[3]);
    if (argc == 5)
        return print_source(first);
    program_file = argc > 5 ? argv[5] : NULL;
    if (findings == NULL || (remove(findings), fopen(findings, "r")) != NULL) {
        fprintf(stderr, "fuzz_programs: CLERK_FINDINGS must name a file\n");
        return 2;
    }
    open_devices(devices);
    round_watch();
    atexit(said_tell);
    current_round = first;
    for (; current_round - first < rounds && time(NULL) < end; current_round++)
        run_round(devices, findings);
    printf("%llu programs, %llu of them also optimised, %llu also by Oclgrind; on %llu the other "
           "drivers disagree\n",
           (unsigned long long)(current_round - first), (unsigned long long)optimised_rounds,
           (unsigned long long)oclgrind_rounds, (unsigned long long)others_disagree);
    for (int way = 0; way < WAYS; way++) {
        if (devices[way].id != NULL)
            device_close(&devices[way]);
    }
    return 0;
}
