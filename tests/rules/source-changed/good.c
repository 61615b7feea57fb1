/* Changes the source of a write after it has waited for the command. */
#include "tests/rules/program.h"

int main(void)
{
    static char bytes[64];
    struct program program = program_begin();
    cl_mem buffer = program_buffer(program.context);
    clEnqueueWriteBuffer(program.queue, buffer, CL_FALSE, 0, 64, bytes, 0, NULL, NULL);
    clFinish(program.queue);
    bytes[40] = 1;
    clEnqueueWriteBuffer(program.queue, buffer, CL_FALSE, 0, 64, bytes, 0, NULL, NULL);
    clFinish(program.queue);
    clReleaseMemObject(buffer);
    return program_end(&program);
}
