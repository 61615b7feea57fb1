/* Writes a buffer that lies in its own memory through a map. */
#include "tests/rules/program.h"

int main(void)
{
    static char bytes[64];
    struct program program = program_begin();
    cl_int error;
    cl_mem buffer = clCreateBuffer(program.context, CL_MEM_USE_HOST_PTR, 64, bytes, &error);
    cl_mem copy = program_buffer(program.context);
    PROGRAM_CHECK(error == CL_SUCCESS);
    char *mapped = clEnqueueMapBuffer(program.queue, buffer, CL_TRUE, CL_MAP_WRITE, 0, 64, 0, NULL,
                                      NULL, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    mapped[40] = 1;
    clEnqueueUnmapMemObject(program.queue, buffer, mapped, 0, NULL, NULL);
    clEnqueueCopyBuffer(program.queue, buffer, copy, 0, 0, 64, 0, NULL, NULL);
    clFinish(program.queue);
    clReleaseMemObject(copy);
    clReleaseMemObject(buffer);
    return program_end(&program);
}
