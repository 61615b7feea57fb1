/* A program that is loaded from its binary, as caches of programs do: the same device takes it
 * again, another one does not. */
#include "tests/replay/program.h"

#include <stdlib.h>

static const char source[] = "__kernel void count(__global uint *data) {\n"
                             "    data[get_global_id(0)] = get_global_id(0) * 3;\n"
                             "}\n";

enum { COUNT = 64 };

static cl_program load(const struct setup *setup, unsigned char *binary, size_t size)
{
    const unsigned char *binaries[] = {binary};
    cl_int loaded;
    cl_int status;
    cl_program program = clCreateProgramWithBinary(setup->context, 1, &setup->device, &size,
                                                   binaries, &loaded, &status);
    check(status, "clCreateProgramWithBinary");
    check(loaded, "binary_status");
    check(clBuildProgram(program, 1, &setup->device, "", NULL, NULL), "clBuildProgram");
    return program;
}

static cl_program reload(const struct setup *setup)
{
    size_t size = 0;
    cl_program built = setup_build(setup, source, "");
    check(clGetProgramInfo(built, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL),
          "clGetProgramInfo");
    unsigned char *binary = malloc(size);
    expect(binary && size, "a binary");
    check(clGetProgramInfo(built, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL),
          "clGetProgramInfo");
    check(clReleaseProgram(built), "clReleaseProgram");
    cl_program program = load(setup, binary, size);
    free(binary);
    return program;
}

int main(void)
{
    struct setup setup;
    cl_uint read[COUNT];
    const size_t global_size = COUNT;
    cl_int status;
    setup_open(&setup);
    cl_program program = reload(&setup);
    cl_kernel kernel = clCreateKernel(program, "count", &status);
    check(status, "clCreateKernel");
    cl_mem buffer = clCreateBuffer(setup.context, CL_MEM_WRITE_ONLY, sizeof read, NULL, &status);
    check(status, "clCreateBuffer");
    check(clSetKernelArg(kernel, 0, sizeof buffer, &buffer), "clSetKernelArg");
    check(clEnqueueNDRangeKernel(setup.queue, kernel, 1, NULL, &global_size, NULL, 0, NULL, NULL),
          "clEnqueueNDRangeKernel");
    check(clEnqueueReadBuffer(setup.queue, buffer, CL_TRUE, 0, sizeof read, read, 0, NULL, NULL),
          "clEnqueueReadBuffer");
    expect(read[0] == 0 && read[COUNT - 1] == 3 * (COUNT - 1), "counted numbers");
    check(clReleaseMemObject(buffer), "clReleaseMemObject");
    check(clReleaseKernel(kernel), "clReleaseKernel");
    check(clReleaseProgram(program), "clReleaseProgram");
    setup_close(&setup);
    return 0;
}
