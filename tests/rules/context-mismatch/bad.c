/* Writes to a buffer of another context than the queue. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    char bytes[64] = {0};
    cl_context other = program_context(&program);
    cl_mem buffer = program_buffer(other);
    clEnqueueWriteBuffer(program.queue, buffer, CL_TRUE, 0, sizeof bytes, bytes, 0, NULL, NULL);
    clReleaseMemObject(buffer);
    clReleaseContext(other);
    return program_end(&program);
}
