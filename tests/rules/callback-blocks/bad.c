/* Finishes a queue in the callback of an event. */
#include "tests/rules/program.h"

#include <stdatomic.h>
#include <time.h>

static atomic_int called;

static void CL_CALLBACK complete(cl_event event, cl_int status, void *user)
{
    const struct program *program = user;
    (void)event;
    (void)status;
    clFinish(program->queue);
    called = 1;
}

int main(void)
{
    struct program program = program_begin();
    cl_event event;
    PROGRAM_CHECK(clEnqueueMarkerWithWaitList(program.queue, 0, NULL, &event) == CL_SUCCESS);
    PROGRAM_CHECK(clFinish(program.queue) == CL_SUCCESS);
    PROGRAM_CHECK(clSetEventCallback(event, CL_COMPLETE, complete, &program) == CL_SUCCESS);
    while (!called) /* it may come late, on a thread of the driver's */
        nanosleep(&(const struct timespec){.tv_nsec = 1000000}, NULL);
    PROGRAM_CHECK(clReleaseEvent(event) == CL_SUCCESS);
    return program_end(&program);
}
