/* As many releases as references. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    cl_mem buffer = program_buffer(program.context);
    clRetainMemObject(buffer);
    clReleaseMemObject(buffer);
    PROGRAM_CHECK(clReleaseMemObject(buffer) == CL_SUCCESS);
    return program_end(&program);
}
