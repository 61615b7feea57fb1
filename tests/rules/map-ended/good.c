/* Reads through a pointer before it unmaps it. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    cl_int error;
    cl_mem buffer = program_buffer(program.context);
    char *mapped = clEnqueueMapBuffer(program.queue, buffer, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL,
                                      NULL, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    const volatile char *early = mapped;
    (void)early[3];
    clEnqueueUnmapMemObject(program.queue, buffer, mapped, 0, NULL, NULL);
    clFinish(program.queue);
    clReleaseMemObject(buffer);
    return program_end(&program);
}
