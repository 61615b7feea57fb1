/* Frees shared virtual memory before the buffer that was made over it. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    cl_int error;
    char *memory = clSVMAlloc(program.context, CL_MEM_READ_WRITE, 256, 0);
    PROGRAM_CHECK(memory);
    cl_mem buffer = clCreateBuffer(program.context, CL_MEM_USE_HOST_PTR, 256, memory, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    clSVMFree(program.context, memory);
    clReleaseMemObject(buffer);
    return program_end(&program);
}
