/* The same, written. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    const char *source = "kernel void plain() { }";
    cl_int error;
    cl_program made = clCreateProgramWithSource(program.context, 1, &source, NULL, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    PROGRAM_CHECK(clBuildProgram(made, 1, &program.device, "", NULL, NULL) == CL_SUCCESS);
    clReleaseProgram(made);
    return program_end(&program);
}
