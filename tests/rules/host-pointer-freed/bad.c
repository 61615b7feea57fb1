/* Frees the memory behind a buffer, and goes on to use the buffer. */
#include "tests/rules/program.h"

int main(void)
{
    char *bytes = malloc(4096);
    struct program program = program_begin();
    cl_int error;
    PROGRAM_CHECK(bytes);
    cl_mem buffer = clCreateBuffer(program.context, CL_MEM_USE_HOST_PTR, 4096, bytes, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    free(bytes);
    void *map = clEnqueueMapBuffer(program.queue, buffer, CL_TRUE, CL_MAP_READ, 0, 4096, 0, NULL,
                                   NULL, &error);
    clEnqueueUnmapMemObject(program.queue, buffer, map, 0, NULL, NULL);
    clFinish(program.queue);
    clReleaseMemObject(buffer);
    return program_end(&program);
}
