/* Fills a buffer that is mapped for reading, beside the mapped region: it is mapped as a whole. */
#include "tests/rules/program.h"

int main(void)
{
    static const char zero;
    struct program program = program_begin();
    cl_int error;
    cl_mem buffer = program_buffer(program.context);
    void *mapped = clEnqueueMapBuffer(program.queue, buffer, CL_TRUE, CL_MAP_READ, 0, 32, 0, NULL,
                                      NULL, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    clEnqueueFillBuffer(program.queue, buffer, &zero, 1, 32, 32, 0, NULL, NULL);
    clEnqueueUnmapMemObject(program.queue, buffer, mapped, 0, NULL, NULL);
    clFinish(program.queue);
    clReleaseMemObject(buffer);
    return program_end(&program);
}
