/* Releases a buffer that is mapped. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    cl_int error;
    cl_mem buffer = program_buffer(program.context);
    void *mapped = clEnqueueMapBuffer(program.queue, buffer, CL_TRUE, CL_MAP_READ, 0, 32, 0, NULL,
                                      NULL, &error);
    PROGRAM_CHECK(error == CL_SUCCESS && mapped != NULL);
    clReleaseMemObject(buffer);
    return program_end(&program);
}
