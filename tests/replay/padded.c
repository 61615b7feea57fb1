/* Vectors of three components, of which each has room for a fourth that no program defines: drivers
 * leave it as it was or write something there. Read whole, from the middle of a vector on, and by a
 * map. With an argument: the last value is another one in each run. */
#include "tests/replay/program.h"

#include <string.h>
#include <unistd.h>

static const char source[] = "__kernel void twice(__global float3 *data, float added) {\n"
                             "    data[get_global_id(0)] = 2 * data[get_global_id(0)] + added;\n"
                             "}\n";

enum { COUNT = 256 };

int main(int argc, char **argv)
{
    struct setup setup;
    const size_t global_size = COUNT;
    static cl_float4 data[COUNT], result[COUNT];
    cl_int status;
    (void)argv;
    for (int i = 0; i < COUNT; ++i)
        data[i] = (cl_float4){{(cl_float)i, 1, 2, 77}};
    setup_open(&setup);
    cl_program program = setup_build(&setup, source, "");
    cl_kernel kernel = clCreateKernel(program, "twice", &status);
    check(status, "clCreateKernel");
    cl_mem buffer = clCreateBuffer(setup.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                   sizeof data, data, &status);
    check(status, "clCreateBuffer");
    const cl_float added = argc > 1 ? (cl_float)getpid() : 0;
    check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
    check(clSetKernelArg(kernel, 1, sizeof added, &added), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(setup.queue, kernel, 1, NULL, &global_size, NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(setup.queue, buffer, CL_TRUE, 0, sizeof data, result, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    expect(result[7].s[0] == 14 + added && result[9].s[2] == 4 + added, "what was computed");
    check(clEnqueueReadBuffer(setup.queue, buffer, CL_TRUE, 8, sizeof data - 8, result, 0, NULL,
                              NULL),
          "clEnqueueReadBuffer");
    const void *mapped = clEnqueueMapBuffer(setup.queue, buffer, CL_TRUE, CL_MAP_READ, 4, 1000, 0,
                                            NULL, NULL, &status);
    check(status, "clEnqueueMapBuffer");
    memcpy(result, mapped, 1000);
    check(clEnqueueUnmapMemObject(setup.queue, buffer, (void *)(size_t)mapped, 0, NULL, NULL),
          "clEnqueueUnmapMemObject");
    check(clReleaseMemObject(buffer), "clReleaseMemObject");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
    setup_close(&setup);
    return 0;
}
