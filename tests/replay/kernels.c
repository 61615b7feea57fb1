/* Programs with options, several kernels made at once, arguments of every plain kind, and NDRanges
 * with offsets. */
#include "tests/replay/program.h"

#include <stdint.h>
#include <string.h>

static const char source[] =
    "__kernel void scale(__global float *data, float factor) {\n"
    "    data[get_global_id(0)] *= factor;\n"
    "}\n"
    "__kernel void place(__global uint *data, ulong value, __local uint *scratch) {\n"
    "    scratch[get_local_id(0)] = (uint)value + BASE;\n"
    "    barrier(CLK_LOCAL_MEM_FENCE);\n"
    "    const size_t i = get_global_id(1) * 8 + get_global_id(0);\n"
    "    data[i] = scratch[get_local_size(0) - 1 - get_local_id(0)] + (uint)i;\n"
    "}\n";

enum { COUNT = 64 };

/* The launch waits for a user event that this thread sets later: replay, which waits for each
 * launch so that what it reports is known to be its own, must not wait for this one. */
static void scale(const struct setup *setup, cl_kernel kernel)
{
    float data[COUNT];
    float read[COUNT];
    const float factor = 1.5f;
    const size_t global_size = COUNT;
    cl_int status;
    for (int i = 0; i < COUNT; ++i)
        data[i] = (float)i;
    cl_mem buffer = clCreateBuffer(setup->context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   sizeof data, data, &status);
    check(status, "clCreateBuffer");
    check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof factor, &factor), "clSetKernelArg");
    cl_event open = clCreateUserEvent(setup->context, &status);
    check(status, "clCreateUserEvent");
    check(clEnqueueNDRangeKernel(setup->queue, kernel, 1, NULL, &global_size, NULL, 1, &open, NULL),
          "clEnqueueNDRangeKernel");
    check(clFlush(setup->queue), "clFlush");
    check(clSetUserEventStatus(open, CL_COMPLETE), "clSetUserEventStatus");
    check(clReleaseEvent(open), "clReleaseEvent");
    check(clEnqueueReadBuffer(setup->queue, buffer, CL_TRUE, 0, sizeof read, read, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    expect(read[0] == 0 && read[63] == 94.5f, "scaled numbers");
    check(clReleaseMemObject(buffer), "clReleaseMemObject");
}

/* The rows 2 and 3 of 8 columns. `value` equals the handle of the buffer, but is a number: replay
 * must not take it for a handle. */
static void place(const struct setup *setup, cl_kernel kernel)
{
    cl_uint read[COUNT];
    const cl_uint zero = 0;
    const size_t offset[2] = {0, 2};
    const size_t global_size[2] = {8, 2};
    const size_t local_size[2] = {4, 1};
    cl_int status;
    cl_mem buffer = clCreateBuffer(setup->context, CL_MEM_READ_WRITE, sizeof read, NULL, &status);
    check(status, "clCreateBuffer");
    const cl_ulong value = (cl_ulong)(uintptr_t)buffer;
    check(clEnqueueFillBuffer(setup->queue, buffer, &zero, sizeof zero, 0, sizeof read, 0, NULL,
                              NULL),
          "clEnqueueFillBuffer");
    check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof value, &value), "clSetKernelArg");
    check(clSetKernelArg(kernel, 2, 4 * sizeof(cl_uint), NULL), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(setup->queue, kernel, 2, offset, global_size, local_size, 0, NULL,
                                 NULL),
          "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(setup->queue, buffer, CL_TRUE, 0, sizeof read, read, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    expect(read[15] == 0 && read[16] == 1000 + (cl_uint)value + 16 &&
               read[31] == 1000 + (cl_uint)value + 31 && read[32] == 0,
           "numbers in two rows");
    check(clReleaseMemObject(buffer), "clReleaseMemObject");
}

int main(void)
{
    struct setup setup;
    setup_open(&setup);
    cl_program program = setup_build(&setup, source, "-DBASE=1000");
    cl_kernel kernels[2] = {0};
    cl_uint count = 0;
    check(clCreateKernelsInProgram(program, 2, kernels, &count), "clCreateKernelsInProgram");
    expect(count == 2, "two kernels");
    for (cl_uint i = 0; i < count; ++i) {
        char name[32] = "";
        check(clGetKernelInfo(kernels[i], CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL),
              "clGetKernelInfo");
        if (strcmp(name, "scale") == 0)
            scale(&setup, kernels[i]);
        else
            place(&setup, kernels[i]);
        check(clReleaseKernel(kernels[i]), "clReleaseKernel");
    }
    check(clReleaseProgram(program), "clReleaseProgram");
    setup_close(&setup);
    return 0;
}
