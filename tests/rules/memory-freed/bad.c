/* Frees the destination of a read, for which it has not waited. */
#include "tests/rules/program.h"

int main(void)
{
    char *bytes = malloc(4096);
    struct program program = program_begin();
    cl_mem buffer = program_buffer(program.context);
    cl_int error;
    PROGRAM_CHECK(bytes);
    /* The command waits, so that it does not write memory that is gone. */
    cl_event start = clCreateUserEvent(program.context, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    clEnqueueReadBuffer(program.queue, buffer, CL_FALSE, 0, 64, bytes, 1, &start, NULL);
    free(bytes);
    clSetUserEventStatus(start, -1);
    clFinish(program.queue);
    clReleaseEvent(start);
    clReleaseMemObject(buffer);
    return program_end(&program);
}
