/* Flushes the queue. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    cl_mem buffer = program_buffer(program.context);
    clFlush(program.queue);
    clReleaseMemObject(buffer);
    return program_end(&program);
}
