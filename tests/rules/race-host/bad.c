/* Makes a buffer from memory that a transfer still writes. */
#include "tests/rules/program.h"

int main(void)
{
    static char bytes[64];
    struct program program = program_begin();
    cl_int error;
    cl_mem from = program_buffer(program.context);
    clEnqueueReadBuffer(program.queue, from, CL_FALSE, 0, 64, bytes, 0, NULL, NULL);
    cl_mem made = clCreateBuffer(program.context, CL_MEM_COPY_HOST_PTR, 16, bytes + 48, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    clReleaseMemObject(from);
    clReleaseMemObject(made);
    return program_end(&program);
}
