/* Waits for the transfer first; memory beside what it writes is free at once. */
#include "tests/rules/program.h"

int main(void)
{
    static char bytes[64];
    struct program program = program_begin();
    cl_int error;
    cl_event done;
    cl_mem from = program_buffer(program.context);
    clEnqueueReadBuffer(program.queue, from, CL_FALSE, 0, 48, bytes, 0, NULL, &done);
    cl_mem beside = clCreateBuffer(program.context, CL_MEM_COPY_HOST_PTR, 16, bytes + 48, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    clWaitForEvents(1, &done);
    cl_mem made = clCreateBuffer(program.context, CL_MEM_COPY_HOST_PTR, 64, bytes, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    clReleaseEvent(done);
    clReleaseMemObject(from);
    clReleaseMemObject(beside);
    clReleaseMemObject(made);
    return program_end(&program);
}
