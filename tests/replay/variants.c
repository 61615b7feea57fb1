/* One program in variants, of which pairs are compared: two kernels on two queues, five times. Its
 * arguments name what is other than usual: size (of the problem), kernel (another way to compute),
 * launch (one more), flush (one more call), value (in a buffer), setup (more of it), order (of the
 * queues). */
#include "tests/replay/program.h"

#include <string.h>

static const char source[] =
    "typedef float number;\n"
    "__kernel void saxpy(__global number *y, __global const number *x, float factor) {\n"
    "    const int i = get_global_id(0);\n"
    "    y[i] = COMPUTE;\n"
    "}\n"
    "__kernel void count(__global uint *counts) { counts[get_global_id(0)] += get_global_id(0); "
    "}\n";

enum { LARGEST = 2048, COUNTS = 64, ROUNDS = 5 };

struct variant {
    char **names;
    struct setup setup;
    cl_command_queue other_queue;
    cl_kernel saxpy, count;
    cl_mem x, y, counts;
    size_t size;
};

static bool is(const struct variant *variant, const char *name)
{
    for (char **at = variant->names; *at; ++at)
        if (strcmp(*at, name) == 0)
            return true;
    return false;
}

static void launch_saxpy(const struct variant *variant, float factor)
{
    check(clSetKernelArg(variant->saxpy, 0, sizeof variant->y, &variant->y), "clSetKernelArg");
    check(clSetKernelArg(variant->saxpy, 1, sizeof variant->x, &variant->x), "clSetKernelArg");
    check(clSetKernelArg(variant->saxpy, 2, sizeof factor, &factor), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(variant->setup.queue, variant->saxpy, 1, NULL, &variant->size,
                                 NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
}

static void launch_count(const struct variant *variant)
{
    const size_t size = COUNTS;
    check(clSetKernelArg(variant->count, 0, sizeof variant->counts, &variant->counts),
          "clSetKernelArg");
    check(clEnqueueNDRangeKernel(variant->other_queue, variant->count, 1, NULL, &size, NULL, 0,
                                 NULL, NULL),
          "clEnqueueNDRangeKernel");
}

static cl_mem make(const struct variant *variant, size_t size, void *bytes)
{
    cl_int status;
    cl_mem made = clCreateBuffer(variant->setup.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                 size, bytes, &status);
    check(status, "clCreateBuffer");
    return made;
}

static void prepare(struct variant *variant)
{
    static float values[LARGEST];
    static cl_uint zeros[COUNTS];
    cl_int status;
    cl_program program =
        setup_build(&variant->setup, source,
                    is(variant, "kernel") ? "-DCOMPUTE=(factor*x[i]+y[i])*1.0000002f"
                                          : "-DCOMPUTE=factor*x[i]+y[i]");
    variant->size = is(variant, "size") ? LARGEST : LARGEST / 2;
    variant->other_queue =
        clCreateCommandQueue(variant->setup.context, variant->setup.device, 0, &status);
    check(status, "clCreateCommandQueue");
    for (int i = 0; i < LARGEST; ++i)
        values[i] = (float)i / 1023;
    if (is(variant, "value"))
        values[17] = 5;
    variant->x = make(variant, variant->size * sizeof *values, values);
    variant->y = make(variant, variant->size * sizeof *values, values);
    for (int i = 0; is(variant, "setup") && i < 3; ++i)
        check(clReleaseMemObject(make(variant, 12, values)), "clReleaseMemObject");
    variant->counts = make(variant, sizeof zeros, zeros);
    variant->saxpy = clCreateKernel(program, "saxpy", &status);
    check(status, "clCreateKernel");
    variant->count = clCreateKernel(program, "count", &status);
    check(status, "clCreateKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
}

static void run(const struct variant *variant)
{
    static float result[LARGEST];
    for (int i = 0; i < ROUNDS; ++i) {
        const float factor = 0.1f * (float)i;
        if (is(variant, "order"))
            launch_count(variant);
        launch_saxpy(variant, factor);
        if (!is(variant, "order"))
            launch_count(variant);
        if (i == 2 && is(variant, "launch"))
            launch_saxpy(variant, factor);
        if (i == 2 && is(variant, "flush"))
            check(clFlush(variant->setup.queue), "clFlush");
    }
    check(clFinish(variant->other_queue), "clFinish");
    check(clEnqueueReadBuffer(variant->setup.queue, variant->y, CL_TRUE, 0,
                              variant->size * sizeof *result, result, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    expect(result[0] == 0 && result[1000] > 1, "sums");
}

int main(int count, char **arguments)
{
    struct variant variant = {.names = arguments + (count > 0)};
    setup_open(&variant.setup);
    prepare(&variant);
    run(&variant);
    check(clReleaseMemObject(variant.x), "clReleaseMemObject");
    check(clReleaseMemObject(variant.y), "clReleaseMemObject");
    check(clReleaseMemObject(variant.counts), "clReleaseMemObject");
    check(clReleaseKernel(variant.saxpy), "clReleaseKernel");
    check(clReleaseKernel(variant.count), "clReleaseKernel");
    check(clReleaseCommandQueue(variant.other_queue), "clReleaseCommandQueue");
    setup_close(&variant.setup);
    return 0;
}
