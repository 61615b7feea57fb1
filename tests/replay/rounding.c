/* Values that correct devices may round differently, of a type that has the program's own name. */
#include "tests/replay/program.h"

static const char source[] = "typedef float number;\n"
                             "__kernel void grow(__global number *result) {\n"
                             "    result[get_global_id(0)] = exp(get_global_id(0) * 0.001f);\n"
                             "}\n";

enum { COUNT = 8192 };

int main(void)
{
    struct setup setup;
    const size_t global_size = COUNT;
    static float result[COUNT];
    cl_int status;
    setup_open(&setup);
    cl_program program = setup_build(&setup, source, "-cl-kernel-arg-info");
    cl_kernel kernel = clCreateKernel(program, "grow", &status);
    check(status, "clCreateKernel");
    cl_mem buffer = clCreateBuffer(setup.context, CL_MEM_READ_WRITE, sizeof result, NULL, &status);
    check(status, "clCreateBuffer");
    check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(setup.queue, kernel, 1, NULL, &global_size, NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(
        clEnqueueReadBuffer(setup.queue, buffer, CL_TRUE, 0, sizeof result, result, 0, NULL, NULL),
        "clEnqueueReadBuffer");
    expect(result[0] == 1 && result[COUNT - 1] > 3500 && result[COUNT - 1] < 3650, "powers of e");
    check(clReleaseMemObject(buffer), "clReleaseMemObject");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
    setup_close(&setup);
    return 0;
}
