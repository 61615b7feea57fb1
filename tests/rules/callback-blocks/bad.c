/* Finishes a queue in the callback of an event. */
#include "tests/rules/program.h"

static void CL_CALLBACK complete(cl_event event, cl_int status, void *user)
{
    const struct program *program = user;
    (void)event;
    (void)status;
    clFinish(program->queue);
}

int main(void)
{
    struct program program = program_begin();
    cl_event event;
    PROGRAM_CHECK(clEnqueueMarkerWithWaitList(program.queue, 0, NULL, &event) == CL_SUCCESS);
    PROGRAM_CHECK(clFinish(program.queue) == CL_SUCCESS);
    PROGRAM_CHECK(clSetEventCallback(event, CL_COMPLETE, complete, &program) == CL_SUCCESS);
    PROGRAM_CHECK(clReleaseEvent(event) == CL_SUCCESS);
    return program_end(&program);
}
