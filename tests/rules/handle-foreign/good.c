/* Asks about the queue. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    cl_uint count;
    cl_int error =
        clGetCommandQueueInfo(program.queue, CL_QUEUE_REFERENCE_COUNT, sizeof count, &count, NULL);
    PROGRAM_CHECK(error == CL_SUCCESS && count >= 1);
    return program_end(&program);
}
