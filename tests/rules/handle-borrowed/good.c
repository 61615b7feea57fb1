/* Gives the context up after its last use; the objects in it keep it as long as they need it. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    cl_mem buffer = program_buffer(program.context);
    clReleaseContext(program.context);
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(program.queue);
    return 0;
}
