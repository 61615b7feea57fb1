/* Passes a list of one event. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    cl_event first;
    PROGRAM_CHECK(clEnqueueMarkerWithWaitList(program.queue, 0, NULL, &first) == CL_SUCCESS);
    PROGRAM_CHECK(clEnqueueMarkerWithWaitList(program.queue, 1, &first, NULL) == CL_SUCCESS);
    clReleaseEvent(first);
    return program_end(&program);
}
