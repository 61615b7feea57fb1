/* Waits for nothing, and says so. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    PROGRAM_CHECK(clEnqueueMarkerWithWaitList(program.queue, 0, NULL, NULL) == CL_SUCCESS);
    return program_end(&program);
}
