/* Waits for an event of another context than the queue. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    cl_int error;
    cl_context other = program_context(&program);
    cl_event event = clCreateUserEvent(other, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    clSetUserEventStatus(event, CL_COMPLETE);
    clEnqueueMarkerWithWaitList(program.queue, 1, &event, NULL);
    clReleaseEvent(event);
    clReleaseContext(other);
    return program_end(&program);
}
