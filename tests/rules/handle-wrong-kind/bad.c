/* Flushes a buffer. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    cl_mem buffer = program_buffer(program.context);
    clFlush((cl_command_queue)(void *)buffer);
    clReleaseMemObject(buffer);
    return program_end(&program);
}
