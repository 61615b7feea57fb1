/* A product and a sum, which devices may round once or twice (OpenCL C 3.0, FP_CONTRACT). */
#include "tests/replay/program.h"

static const char source[] = "__kernel void grow(__global float *number) {\n"
                             "    number[1] = number[0] * number[0] - 1;\n"
                             "}\n";

int main(void)
{
    struct setup setup;
    const size_t global_size = 1;
    float number[2] = {1 + 0x1p-12f, 0};
    cl_int status;
    setup_open(&setup);
    cl_program program = setup_build(&setup, source, NULL);
    cl_kernel kernel = clCreateKernel(program, "grow", &status);
    check(status, "clCreateKernel");
    cl_mem buffer = clCreateBuffer(setup.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   sizeof number, number, &status);
    check(status, "clCreateBuffer");
    check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(setup.queue, kernel, 1, NULL, &global_size, NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(
        clEnqueueReadBuffer(setup.queue, buffer, CL_TRUE, 0, sizeof number, number, 0, NULL, NULL),
        "clEnqueueReadBuffer");
    expect(number[1] == 0x1p-11f || number[1] == 0x1p-11f + 0x1p-24f, "the square less one");
    check(clReleaseMemObject(buffer), "clReleaseMemObject");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
    setup_close(&setup);
    return 0;
}
