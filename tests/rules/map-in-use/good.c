/* Reads the buffer while it is mapped for reading, and writes it after the unmap. */
#include "tests/rules/program.h"

int main(void)
{
    static const char zero;
    static char bytes[64];
    struct program program = program_begin();
    cl_int error;
    cl_mem buffer = program_buffer(program.context);
    void *mapped = clEnqueueMapBuffer(program.queue, buffer, CL_TRUE, CL_MAP_READ, 0, 32, 0, NULL,
                                      NULL, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    clEnqueueReadBuffer(program.queue, buffer, CL_TRUE, 0, 64, bytes, 0, NULL, NULL);
    clEnqueueUnmapMemObject(program.queue, buffer, mapped, 0, NULL, NULL);
    clEnqueueFillBuffer(program.queue, buffer, &zero, 1, 0, 64, 0, NULL, NULL);
    clFinish(program.queue);
    clReleaseMemObject(buffer);
    return program_end(&program);
}
