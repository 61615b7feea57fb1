/* Frees the destination of a read after it has waited. */
#include "tests/rules/program.h"

int main(void)
{
    char *bytes = malloc(4096);
    struct program program = program_begin();
    cl_mem buffer = program_buffer(program.context);
    PROGRAM_CHECK(bytes);
    clEnqueueReadBuffer(program.queue, buffer, CL_FALSE, 0, 64, bytes, 0, NULL, NULL);
    clFinish(program.queue);
    free(bytes);
    clReleaseMemObject(buffer);
    return program_end(&program);
}
