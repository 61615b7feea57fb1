/* Writes after the region that it has mapped. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    cl_int error;
    cl_mem buffer = program_buffer(program.context);
    char *mapped = clEnqueueMapBuffer(program.queue, buffer, CL_TRUE, CL_MAP_WRITE, 0, 32, 0, NULL,
                                      NULL, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    mapped[32] = 1;
    clEnqueueUnmapMemObject(program.queue, buffer, mapped, 0, NULL, NULL);
    clFinish(program.queue);
    clReleaseMemObject(buffer);
    return program_end(&program);
}
