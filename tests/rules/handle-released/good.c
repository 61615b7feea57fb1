/* Releases the buffer after its last use. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    char bytes[64];
    cl_mem buffer = program_buffer(program.context);
    cl_int error =
        clEnqueueReadBuffer(program.queue, buffer, CL_TRUE, 0, sizeof bytes, bytes, 0, NULL, NULL);
    PROGRAM_CHECK(error == CL_SUCCESS);
    clReleaseMemObject(buffer);
    return program_end(&program);
}
