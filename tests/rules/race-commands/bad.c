/* Copies out of a buffer in one queue while another queue writes it. */
#include "tests/rules/program.h"

int main(void)
{
    static const char bytes[64];
    struct program program = program_begin();
    cl_int error;
    cl_command_queue other = clCreateCommandQueue(program.context, program.device, 0, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    cl_mem from = program_buffer(program.context), to = program_buffer(program.context);
    clEnqueueWriteBuffer(program.queue, from, CL_FALSE, 0, 64, bytes, 0, NULL, NULL);
    clEnqueueCopyBuffer(other, from, to, 32, 0, 32, 0, NULL, NULL);
    clFinish(other);
    clReleaseMemObject(from);
    clReleaseMemObject(to);
    clReleaseCommandQueue(other);
    return program_end(&program);
}
