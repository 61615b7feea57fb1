/* Flushes the other queue first. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    cl_int error;
    cl_event event;
    cl_command_queue other = clCreateCommandQueue(program.context, program.device, 0, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    PROGRAM_CHECK(clEnqueueMarkerWithWaitList(other, 0, NULL, &event) == CL_SUCCESS);
    PROGRAM_CHECK(clFlush(other) == CL_SUCCESS);
    PROGRAM_CHECK(clEnqueueMarkerWithWaitList(program.queue, 1, &event, NULL) == CL_SUCCESS);
    PROGRAM_CHECK(clFinish(program.queue) == CL_SUCCESS);
    PROGRAM_CHECK(clReleaseEvent(event) == CL_SUCCESS);
    PROGRAM_CHECK(clReleaseCommandQueue(other) == CL_SUCCESS);
    return program_end(&program);
}
