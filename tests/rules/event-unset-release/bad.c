/* Releases a buffer before the user event is set that a command waits for. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    cl_int error;
    cl_mem buffer = program_buffer(program.context);
    cl_event event = clCreateUserEvent(program.context, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    PROGRAM_CHECK(clEnqueueMarkerWithWaitList(program.queue, 1, &event, NULL) == CL_SUCCESS);
    PROGRAM_CHECK(clReleaseMemObject(buffer) == CL_SUCCESS);
    PROGRAM_CHECK(clSetUserEventStatus(event, CL_COMPLETE) == CL_SUCCESS);
    PROGRAM_CHECK(clFinish(program.queue) == CL_SUCCESS);
    PROGRAM_CHECK(clReleaseEvent(event) == CL_SUCCESS);
    return program_end(&program);
}
// covers: G22
