/* Reads through a pointer that it has unmapped. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    cl_int error;
    cl_mem buffer = program_buffer(program.context);
    char *mapped = clEnqueueMapBuffer(program.queue, buffer, CL_TRUE, CL_MAP_READ, 0, 64, 0, NULL,
                                      NULL, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    clEnqueueUnmapMemObject(program.queue, buffer, mapped, 0, NULL, NULL);
    const volatile char *late = mapped;
    (void)late[3];
    clFinish(program.queue);
    clReleaseMemObject(buffer);
    return program_end(&program);
}
