/* Kernels that rest on one kind of device, one for each cause, and portable ones. Only the results
 * of one are read back: what launches leave is compared. */
#include "tests/replay/program.h"

#include <string.h>

static const char source[] =
    "kernel void portable(global const uint *in, global uint *out) {\n"
    "    const uint i = get_global_id(0);\n"
    "    out[i] = in[i] * 3 + (in[i] >> 8);\n"
    "}\n"
    "kernel void bit_cast(global const uint *in, global uint *out) {\n"
    "    out[get_global_id(0)] = as_uchar4(in[get_global_id(0)]).x;\n"
    "}\n"
    "kernel void swizzle(global const uint *in, global uint *out) {\n"
    "    const uchar4 parts = convert_uchar4(vload4(get_global_id(0) / 4, in));\n"
    "    uchar4 both;\n"
    "    both.even = parts.lo;\n"
    "    both.odd = parts.hi;\n"
    "    out[get_global_id(0)] = as_ushort2(both).x;\n"
    "}\n"
    "kernel void pun(global const uint *in, global uint *out) {\n"
    "    out[get_global_id(0)] = ((global const uchar *)&in[get_global_id(0)])[1];\n"
    "}\n"
    "kernel void group_of_32(global const uint *in, global uint *out) {\n"
    "    out[get_global_id(0)] = sub_group_reduce_add(in[get_global_id(0)]);\n"
    "}\n"
    "kernel void denormal(global const uint *in, global uint *out) {\n"
    "    const float x = ldexp((float)in[get_global_id(0)], -152);\n"
    "    out[get_global_id(0)] = x * 2 > 0;\n"
    "}\n";

enum { COUNT = 64 };

/* A device that has no such buffers refuses it. */
static void try_large_buffer(const struct setup *setup)
{
    cl_int status;
    cl_mem large = clCreateBuffer(setup->context, CL_MEM_READ_WRITE, 1 << 20, NULL, &status);
    if (large)
        check(clReleaseMemObject(large), "clReleaseMemObject");
}

int main(void)
{
    static const char *const kernels[] = {"portable", "bit_cast",    "swizzle",
                                          "pun",      "group_of_32", "denormal"};
    struct setup setup;
    setup_open(&setup);
    cl_program program = setup_build(&setup, source, "-cl-std=CL3.0");
    cl_uint words[COUNT];
    cl_int status;
    for (cl_uint i = 0; i < COUNT; i++)
        words[i] = 0x01020304u + i;
    cl_mem in = clCreateBuffer(setup.context, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, sizeof words,
                               words, &status);
    check(status, "clCreateBuffer");
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        const size_t global = COUNT;
        cl_mem out = clCreateBuffer(setup.context, CL_MEM_READ_WRITE, sizeof words, NULL, &status);
        check(status, "clCreateBuffer");
        cl_kernel kernel = clCreateKernel(program, kernels[i], &status);
        check(status, "clCreateKernel");
        check(clSetKernelArg(kernel, 0, sizeof in, &in), "clSetKernelArg");
        check(clSetKernelArg(kernel, 1, sizeof out, &out), "clSetKernelArg");
        check(clEnqueueNDRangeKernel(setup.queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL),
              "clEnqueueNDRangeKernel");
        if (strcmp(kernels[i], "bit_cast") == 0) {
            cl_uint results[COUNT];
            check(clEnqueueReadBuffer(setup.queue, out, CL_TRUE, 0, sizeof results, results, 0,
                                      NULL, NULL),
                  "clEnqueueReadBuffer");
        }
        check(clFinish(setup.queue), "clFinish");
        check(clReleaseKernel(kernel), "clReleaseKernel");
        check(clReleaseMemObject(out), "clReleaseMemObject");
    }
    check(clReleaseMemObject(in), "clReleaseMemObject");
    check(clReleaseProgram(program), "clReleaseProgram");
    try_large_buffer(&setup);
    setup_close(&setup);
    return 0;
}
