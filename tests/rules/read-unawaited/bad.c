/* Reads a buffer, uses the bytes, and ends without ever having waited for the command. */
#include "tests/rules/program.h"

int main(void)
{
    static char bytes[64];
    struct program program = program_begin();
    cl_mem buffer = program_buffer(program.context);
    const cl_int zero = 0;
    clEnqueueFillBuffer(program.queue, buffer, &zero, sizeof zero, 0, 64, 0, NULL, NULL);
    clEnqueueReadBuffer(program.queue, buffer, CL_FALSE, 0, 64, bytes, 0, NULL, NULL);
    clFlush(program.queue);
    PROGRAM_CHECK(bytes[0] == 0);
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(program.queue);
    clReleaseContext(program.context);
    return 0;
}
