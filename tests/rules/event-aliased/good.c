/* Has the event written after those that the command waits for. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    cl_event events[3];
    for (int i = 0; i < 2; ++i)
        PROGRAM_CHECK(clEnqueueMarkerWithWaitList(program.queue, 0, NULL, &events[i]) ==
                      CL_SUCCESS);
    const cl_event first = events[0], second = events[1];
    PROGRAM_CHECK(clEnqueueMarkerWithWaitList(program.queue, 2, events, &events[2]) == CL_SUCCESS);
    clFinish(program.queue);
    clReleaseEvent(first);
    clReleaseEvent(second);
    clReleaseEvent(events[2]);
    return program_end(&program);
}
