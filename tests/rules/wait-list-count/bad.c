/* Passes a list and forgets to count. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    cl_event first;
    PROGRAM_CHECK(clEnqueueMarkerWithWaitList(program.queue, 0, NULL, &first) == CL_SUCCESS);
    clEnqueueMarkerWithWaitList(program.queue, 0, &first, NULL);
    clReleaseEvent(first);
    return program_end(&program);
}
