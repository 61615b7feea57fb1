/* A program that closes what descriptors it finds, as daemons do, and opens files of its own under
 * their numbers; it makes calls before and after, over the null driver of tests/bench.
 *
 *     closes_all CALLS [FIRST]
 *
 * FIRST is the first number that it closes, 3 unless told.
 * The one thread gives its kernel the numbers from 0 up to CALLS, one a call, half of them before
 * the closing, and in the end releases the kernel twice. The files are named own-NUMBER. */
#include <CL/cl.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { LAST = 64, PAUSE_MS = 100 };

static const char own_bytes[] = "this is the program's own\n";
enum { OWN_SIZE = sizeof own_bytes - 1 };

static void check(cl_int status, const char *what)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "closes_all: %s gave %d\n", what, (int)status);
    exit(2);
}

static void call_with(cl_kernel kernel, uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i < to; ++i)
        check(clSetKernelArg(kernel, 0, sizeof i, &i), "clSetKernelArg");
    /* Whoever writes in the background has time for it. */
    const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000L};
    nanosleep(&pause, NULL);
}

static void replace_descriptors(int first)
{
    for (int i = first; i <= LAST; ++i)
        close(i);
    for (int i = first; i <= LAST; ++i) {
        char name[32];
        snprintf(name, sizeof name, "own-%d", i);
        const int file = open(name, O_RDWR | O_CREAT | O_TRUNC, 0666);
        if (file != i || write(file, own_bytes, OWN_SIZE) != OWN_SIZE) {
            fprintf(stderr, "closes_all: '%s' is descriptor %d\n", name, file);
            exit(2);
        }
    }
}

int main(int argc, char **argv)
{
    static const char *source = "kernel void two_buffers(global float *a, global float *b) {}";
    cl_platform_id platform;
    cl_device_id device;
    cl_int status;
    if (argc != 2 && argc != 3)
        return 2;
    const uint64_t calls = strtoull(argv[1], NULL, 10);
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
    check(status, "clCreateContext");
    cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
    cl_kernel kernel = clCreateKernel(program, "two_buffers", &status);
    check(status, "clCreateKernel");
    call_with(kernel, 0, calls / 2);
    replace_descriptors(argc == 3 ? atoi(argv[2]) : 3);
    call_with(kernel, calls / 2, calls);
    check(clReleaseKernel(kernel), "clReleaseKernel");
    clReleaseKernel(kernel);
    check(clReleaseProgram(program), "clReleaseProgram");
    check(clReleaseContext(context), "clReleaseContext");
    puts("the program is done");
    return 0;
}
