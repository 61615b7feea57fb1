/* Programs with which checks of kernels have something to bear: failing CASE. Each checks its own
 * results; what clerk says is looked at by failing.cmake. Their buffers have 1024 bytes at most. */
#include <CL/cl.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ITEMS = 256, GROUP = 64 };

struct failing {
    cl_device_id device;
    cl_context context;
    cl_command_queue queue;
    cl_program program;
    cl_kernel kernel;
    cl_mem memory;
};

static void check(cl_int status, const char *call)
{
    if (status == CL_SUCCESS)
        return;
    fprintf(stderr, "%s gives %d\n", call, status);
    exit(1);
}

/* ITEMS ints 0 are the first argument. */
static void prepare(struct failing *failing, const char *source)
{
    static int none[ITEMS];
    cl_int status;
    failing->program = clCreateProgramWithSource(failing->context, 1, &source, NULL, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(failing->program, 1, &failing->device, "", NULL, NULL), "clBuildProgram");
    failing->kernel = clCreateKernel(failing->program, "run", &status);
    check(status, "clCreateKernel");
    failing->memory = clCreateBuffer(failing->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                     sizeof none, none, &status);
    check(status, "clCreateBuffer");
    check(clSetKernelArg(failing->kernel, 0, sizeof failing->memory, &failing->memory),
          "clSetKernelArg");
}

static void launch(const struct failing *failing)
{
    const size_t items = ITEMS, group = GROUP;
    check(clEnqueueNDRangeKernel(failing->queue, failing->kernel, 1, NULL, &items, &group, 0, NULL,
                                 NULL),
          "clEnqueueNDRangeKernel");
}

/* Element i is start + step * i. */
static void expect(const struct failing *failing, int start, int step)
{
    int read[ITEMS];
    check(clEnqueueReadBuffer(failing->queue, failing->memory, CL_TRUE, 0, sizeof read, read, 0,
                              NULL, NULL),
          "clEnqueueReadBuffer");
    for (int i = 0; i < ITEMS; i++) {
        if (read[i] == start + step * i)
            continue;
        fprintf(stderr, "element %d is %d, not %d\n", i, read[i], start + step * i);
        exit(1);
    }
}

static void end(struct failing *failing)
{
    check(clReleaseMemObject(failing->memory), "clReleaseMemObject");
    check(clReleaseKernel(failing->kernel), "clReleaseKernel");
    check(clReleaseProgram(failing->program), "clReleaseProgram");
}

/* The write past the end goes to the spare place when it is checked; unchecked, to what is behind.
 */
static const char one_too_far[] = "kernel void run(global int *a)\n"
                                  "{\n"
                                  "    const int i = get_global_id(0);\n"
                                  "    a[i] += i;\n"
                                  "    if (i == 255)\n"
                                  "        a[i + 1] = 7; // BUG\n"
                                  "}\n";

/* A bug that is found, unless something is refused. */
static void bad(struct failing *failing)
{
    prepare(failing, one_too_far);
    launch(failing);
    launch(failing);
    expect(failing, 0, 2);
    end(failing);
}

/* The same, but the program ends without a wait, by _exit. */
static void dies(struct failing *failing)
{
    prepare(failing, one_too_far);
    launch(failing);
    check(clFlush(failing->queue), "clFlush");
    _exit(0);
}

/* Right, with local memory. */
static const char in_turn[] = "kernel void run(global int *a, local int *l)\n"
                              "{\n"
                              "    const int i = get_local_id(0), n = get_local_size(0);\n"
                              "    l[i] = get_global_id(0);\n"
                              "    barrier(CLK_LOCAL_MEM_FENCE);\n"
                              "    a[get_global_id(0)] = l[n - 1 - i] - (n - 1 - i) + i;\n"
                              "}\n";

/* All local memory that there is goes to the program. */
static void filled(struct failing *failing)
{
    cl_ulong size = 0;
    prepare(failing, in_turn);
    check(clGetDeviceInfo(failing->device, CL_DEVICE_LOCAL_MEM_SIZE, sizeof size, &size, NULL),
          "clGetDeviceInfo");
    check(clSetKernelArg(failing->kernel, 1, (size_t)size, NULL), "clSetKernelArg");
    launch(failing);
    expect(failing, 0, 1);
    end(failing);
}

/* Forty accesses out of bounds, by all items: more than a report has room for. */
static void crowded(struct failing *failing)
{
    enum { SITES = 40, LINE = 64 };
    char *source = malloc((SITES + 4) * LINE);
    if (!source)
        exit(1);
    size_t size = (size_t)sprintf(source, "kernel void run(global int *a)\n{\n"
                                          "    const int i = get_global_id(0);\n");
    for (int i = 0; i < SITES; i++)
        size += (size_t)sprintf(source + size, "    a[i + 256 + %d] = i;\n", i);
    sprintf(source + size, "    a[i] = i;\n}\n");
    prepare(failing, source);
    free(source);
    launch(failing);
    expect(failing, 0, 1);
    end(failing);
}

static const struct {
    const char *name;
    void (*run)(struct failing *failing);
} cases[] = {{"bad", bad}, {"dies", dies}, {"filled", filled}, {"crowded", crowded}};

int main(int argc, char **argv)
{
    struct failing failing = {0};
    cl_platform_id platform;
    cl_int status;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &failing.device, NULL), "clGetDeviceIDs");
    failing.context = clCreateContext(NULL, 1, &failing.device, NULL, NULL, &status);
    check(status, "clCreateContext");
    failing.queue = clCreateCommandQueue(failing.context, failing.device, 0, &status);
    check(status, "clCreateCommandQueue");
    for (size_t i = 0; argc == 2 && i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(argv[1], cases[i].name) != 0)
            continue;
        cases[i].run(&failing);
        check(clReleaseCommandQueue(failing.queue), "clReleaseCommandQueue");
        check(clReleaseContext(failing.context), "clReleaseContext");
        return 0;
    }
    fprintf(stderr, "usage: failing CASE\n");
    return 2;
}
