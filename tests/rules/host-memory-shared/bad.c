/* Uses two buffers over memory of which they have a part in common. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    static char bytes[128];
    cl_int error;
    cl_mem first = clCreateBuffer(program.context, CL_MEM_USE_HOST_PTR, 64, bytes, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    cl_mem second = clCreateBuffer(program.context, CL_MEM_USE_HOST_PTR, 64, bytes + 32, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    cl_mem other = program_buffer(program.context);
    clEnqueueCopyBuffer(program.queue, first, other, 0, 0, 64, 0, NULL, NULL);
    clEnqueueCopyBuffer(program.queue, other, second, 0, 0, 64, 0, NULL, NULL);
    clFinish(program.queue);
    clReleaseMemObject(first);
    clReleaseMemObject(second);
    clReleaseMemObject(other);
    return program_end(&program);
}
