/* Reads to nowhere. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    cl_mem buffer = program_buffer(program.context);
    clEnqueueReadBuffer(program.queue, buffer, CL_TRUE, 0, 64, NULL, 0, NULL, NULL);
    clReleaseMemObject(buffer);
    return program_end(&program);
}
