/* Reads a kernel's results from host_ptr and does not map the buffer first. */
#include "tests/rules/program.h"

static const char source[] = "kernel void answer(global int *out) { out[0] = 42; }";

int main(void)
{
    static cl_int numbers[16];
    const size_t one = 1;
    struct program program = program_begin();
    cl_int error;
    cl_mem buffer =
        clCreateBuffer(program.context, CL_MEM_USE_HOST_PTR, sizeof numbers, numbers, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    cl_kernel kernel = program_kernel(&program, source, "answer");
    clSetKernelArg(kernel, 0, sizeof buffer, &buffer);
    clEnqueueNDRangeKernel(program.queue, kernel, 1, NULL, &one, NULL, 0, NULL, NULL);
    clFinish(program.queue);
    printf("%d\n", numbers[0]);
    clReleaseMemObject(buffer);
    clReleaseKernel(kernel);
    return program_end(&program);
}
