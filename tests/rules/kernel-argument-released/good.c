/* Releases the buffer that a kernel is set to after the kernel was enqueued. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    const char *source = "kernel void one_buffer(global int *a) { a[0] = 1; }";
    const size_t items = 1;
    cl_int error;
    cl_program made = clCreateProgramWithSource(program.context, 1, &source, NULL, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    PROGRAM_CHECK(clBuildProgram(made, 1, &program.device, "", NULL, NULL) == CL_SUCCESS);
    cl_kernel kernel = clCreateKernel(made, "one_buffer", &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    cl_mem buffer = program_buffer(program.context);
    PROGRAM_CHECK(clSetKernelArg(kernel, 0, sizeof buffer, &buffer) == CL_SUCCESS);
    clEnqueueNDRangeKernel(program.queue, kernel, 1, NULL, &items, NULL, 0, NULL, NULL);
    clFinish(program.queue);
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    clReleaseProgram(made);
    return program_end(&program);
}
