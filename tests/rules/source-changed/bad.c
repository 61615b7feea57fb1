/* Writes a buffer, and changes the source before it knows that the command has ended. */
#include "tests/rules/program.h"

int main(void)
{
    static char bytes[64];
    struct program program = program_begin();
    cl_mem buffer = program_buffer(program.context);
    clEnqueueWriteBuffer(program.queue, buffer, CL_FALSE, 0, 64, bytes, 0, NULL, NULL);
    bytes[40] = 1;
    clFinish(program.queue);
    clReleaseMemObject(buffer);
    return program_end(&program);
}
