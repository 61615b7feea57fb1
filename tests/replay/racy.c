/* All work-items write the same element: the result depends on the order in which the device runs
 * them. With the argument "killed" the program dies before it can read the result. */
#include "tests/replay/program.h"

#include <signal.h>
#include <string.h>

static const char source[] = "__kernel void last(__global uint *result) {\n"
                             "    result[0] = (uint)get_global_id(0);\n"
                             "}\n";

int main(int argc, char **argv)
{
    struct setup setup;
    const size_t global_size = 256;
    const size_t local_size = 64;
    cl_uint result = 0;
    cl_int status;
    setup_open(&setup);
    cl_program program = setup_build(&setup, source, "");
    cl_kernel kernel = clCreateKernel(program, "last", &status);
    check(status, "clCreateKernel");
    cl_mem buffer = clCreateBuffer(setup.context, CL_MEM_READ_WRITE, sizeof result, NULL, &status);
    check(status, "clCreateBuffer");
    check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(setup.queue, kernel, 1, NULL, &global_size, &local_size, 0, NULL,
                                 NULL),
          "clEnqueueNDRangeKernel");
    if (argc > 1 && strcmp(argv[1], "killed") == 0)
        raise(SIGKILL);
    check(
        clEnqueueReadBuffer(setup.queue, buffer, CL_TRUE, 0, sizeof result, &result, 0, NULL, NULL),
        "clEnqueueReadBuffer");
    expect(result < global_size, "the number of a work-item");
    check(clReleaseMemObject(buffer), "clReleaseMemObject");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
    setup_close(&setup);
    return 0;
}
