/* Makes a buffer of one byte. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    cl_int error;
    cl_mem buffer = clCreateBuffer(program.context, CL_MEM_READ_WRITE, 1, NULL, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    clReleaseMemObject(buffer);
    return program_end(&program);
}
