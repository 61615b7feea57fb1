/* Reads a buffer that was released. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    char bytes[64];
    cl_mem buffer = program_buffer(program.context);
    clReleaseMemObject(buffer);
    cl_int error =
        clEnqueueReadBuffer(program.queue, buffer, CL_TRUE, 0, sizeof bytes, bytes, 0, NULL, NULL);
    PROGRAM_CHECK(error == CL_INVALID_MEM_OBJECT);
    return program_end(&program);
}
