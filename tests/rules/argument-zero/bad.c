/* Makes a buffer of no bytes. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    cl_int error;
    clCreateBuffer(program.context, CL_MEM_READ_WRITE, 0, NULL, &error);
    PROGRAM_CHECK(error == CL_INVALID_BUFFER_SIZE);
    return program_end(&program);
}
