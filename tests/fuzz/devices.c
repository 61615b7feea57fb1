#include "tests/fuzz/devices.h"

#include "tests/fuzz/optimise.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *fuzzer_name = "";
volatile uint64_t current_round;
const char *volatile current_work = "";

/* ---- rounds ---- */

void round_fail(const char *what)
{
    fprintf(stderr, "%s: round %llu: %s\n", fuzzer_name, (unsigned long long)current_round, what);
    exit(1);
}

void round_check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: round %llu: %s: %s gives %d\n", fuzzer_name,
            (unsigned long long)current_round, current_work, what, status);
    exit(1);
}

/* Whoever crashes in whichever thread: the round and who was at work, then the signal again. */
static void tell_round(int number)
{
    char text[128];
    const int size = snprintf(text, sizeof text, "%s: round %llu: %s crashes\n", fuzzer_name,
                              (unsigned long long)current_round, current_work);
    signal(number, SIG_DFL);
    if (write(STDERR_FILENO, text, (size_t)size) == size)
        raise(number);
    _exit(1);
}

void round_watch(void)
{
    signal(SIGSEGV, tell_round);
    signal(SIGABRT, tell_round);
}

void round_check_findings(const char *path)
{
    struct stat status;
    if (stat(path, &status) == 0 && status.st_size > 0)
        round_fail("clerk finds something wrong");
}

/* ---- devices ---- */

bool device_open(struct device *device, const char *platform)
{
    cl_platform_id platforms[16];
    cl_uint count;
    cl_int status;
    round_check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs");
    for (cl_uint i = 0; i < count && i < 16 && device->id == NULL; i++) {
        char name[100] = "";
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof name, name, NULL);
        if (strstr(name, platform) != NULL)
            round_check(clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device->id, NULL),
                        "clGetDeviceIDs");
    }
    if (device->id == NULL)
        return false;
    device->context = clCreateContext(NULL, 1, &device->id, NULL, NULL, &status);
    round_check(status, "clCreateContext");
    device->queue = clCreateCommandQueue(device->context, device->id, 0, &status);
    round_check(status, "clCreateCommandQueue");
    return true;
}

void device_close(struct device *device)
{
    clReleaseCommandQueue(device->queue);
    clReleaseContext(device->context);
}

cl_mem device_buffer(const struct device *device, size_t size, const void *bytes)
{
    cl_int status;
    cl_mem buffer = clCreateBuffer(device->context,
                                   CL_MEM_READ_WRITE | (bytes != NULL ? CL_MEM_COPY_HOST_PTR : 0),
                                   size, (void *)(uintptr_t)bytes, &status);
    round_check(status, "clCreateBuffer");
    return buffer;
}

/* ---- programs ---- */

void device_build(const struct device *device, cl_program program, const char *options)
{
    static char log[20000];
    if (clBuildProgram(program, 1, &device->id, options, NULL, NULL) == CL_SUCCESS)
        return;
    clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    fprintf(stderr, "%.2000s\n", log);
    round_fail("a program does not build");
}

cl_program device_build_source(const struct device *device, const char *source, const char *options)
{
    cl_int status;
    cl_program program = clCreateProgramWithSource(device->context, 1, &source, NULL, &status);
    round_check(status, "clCreateProgramWithSource");
    device_build(device, program, options);
    return program;
}

/* Does a build end at what the validator says? */
static bool is_invalid(const struct device *device, cl_program program)
{
    char log[16384] = "";
    if (clBuildProgram(program, 1, &device->id, "", NULL, NULL) == CL_SUCCESS)
        return false;
    clGetProgramBuildInfo(program, device->id, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
    return strstr(log, "SPIR-V, instruction") != NULL;
}

cl_program device_build_optimised(const struct device *device, const char *source,
                                  const char *level, const char *standard)
{
    struct text module = TEXT_INIT;
    cl_program program = NULL;
    cl_int status;
    if (optimise(source, level, standard, &module)) {
        program = clCreateProgramWithIL(device->context, module.bytes, module.size, &status);
        round_check(status, "clCreateProgramWithIL");
        if (is_invalid(device, program)) {
            clReleaseProgram(program);
            program = NULL;
        } else {
            device_build(device, program, "");
        }
    }
    text_release(&module);
    return program;
}
