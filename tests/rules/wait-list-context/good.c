/* Waits for an event of the context of the queue. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    cl_int error;
    cl_context other = program_context(&program);
    cl_event event = clCreateUserEvent(program.context, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    clSetUserEventStatus(event, CL_COMPLETE);
    PROGRAM_CHECK(clEnqueueMarkerWithWaitList(program.queue, 1, &event, NULL) == CL_SUCCESS);
    clReleaseEvent(event);
    clReleaseContext(other);
    return program_end(&program);
}
