/* Writes the memory behind a buffer as if it were the buffer. */
#include "tests/rules/program.h"

int main(void)
{
    static char bytes[64];
    struct program program = program_begin();
    cl_int error;
    cl_mem buffer = clCreateBuffer(program.context, CL_MEM_USE_HOST_PTR, 64, bytes, &error);
    cl_mem copy = program_buffer(program.context);
    PROGRAM_CHECK(error == CL_SUCCESS);
    bytes[40] = 1;
    clEnqueueCopyBuffer(program.queue, buffer, copy, 0, 0, 64, 0, NULL, NULL);
    clFinish(program.queue);
    clReleaseMemObject(copy);
    clReleaseMemObject(buffer);
    return program_end(&program);
}
