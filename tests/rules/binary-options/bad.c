/* Builds a binary with other options than it was built with. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    const char *source = "kernel void plain() { int value = VALUE; (void)value; }";
    size_t size;
    cl_int error;
    cl_program made = clCreateProgramWithSource(program.context, 1, &source, NULL, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    PROGRAM_CHECK(clBuildProgram(made, 1, &program.device, "-D VALUE=1 -cl-mad-enable", NULL,
                                 NULL) == CL_SUCCESS);
    PROGRAM_CHECK(clGetProgramInfo(made, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL) ==
                  CL_SUCCESS);
    unsigned char *binary = malloc(size);
    PROGRAM_CHECK(binary && clGetProgramInfo(made, CL_PROGRAM_BINARIES, sizeof binary, &binary,
                                             NULL) == CL_SUCCESS);
    clReleaseProgram(made);
    made = clCreateProgramWithBinary(program.context, 1, &program.device, &size,
                                     (const unsigned char *[]){binary}, NULL, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    PROGRAM_CHECK(clBuildProgram(made, 1, &program.device, "-D VALUE=2 -cl-mad-enable", NULL,
                                 NULL) == CL_SUCCESS);
    clReleaseProgram(made);
    free(binary);
    return program_end(&program);
}
