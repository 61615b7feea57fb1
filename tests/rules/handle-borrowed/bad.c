/* Makes a buffer in a context that only the queue keeps alive. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    clReleaseContext(program.context);
    cl_mem buffer = program_buffer(program.context);
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(program.queue);
    return 0;
}
