/* The copy waits for the write; and two other commands share no byte. */
#include "tests/rules/program.h"

int main(void)
{
    static const char bytes[64];
    struct program program = program_begin();
    cl_int error;
    cl_command_queue other = clCreateCommandQueue(program.context, program.device, 0, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    cl_mem from = program_buffer(program.context), to = program_buffer(program.context);
    cl_event written;
    clEnqueueWriteBuffer(program.queue, from, CL_FALSE, 0, 32, bytes, 0, NULL, NULL);
    clEnqueueCopyBuffer(other, from, to, 32, 0, 32, 0, NULL, NULL);
    clEnqueueWriteBuffer(program.queue, from, CL_FALSE, 0, 32, bytes, 0, NULL, &written);
    clFlush(program.queue);
    clEnqueueCopyBuffer(other, from, to, 0, 0, 32, 1, &written, NULL);
    clFinish(other);
    clReleaseEvent(written);
    clReleaseMemObject(from);
    clReleaseMemObject(to);
    clReleaseCommandQueue(other);
    return program_end(&program);
}
