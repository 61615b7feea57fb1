/* Asks about a queue that no call has returned. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    /* Looks like an object to the loader, which reads no more than the dispatch table at its start.
     */
    void *memory[512] = {*(void **)program.queue};
    cl_uint count;
    clGetCommandQueueInfo((cl_command_queue)memory, CL_QUEUE_REFERENCE_COUNT, sizeof count, &count,
                          NULL);
    return program_end(&program);
}
