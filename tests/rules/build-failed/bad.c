/* Builds a program that no compiler takes. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    const char *source = "#ifdef NOT_YET_WRITTEN\n#error not yet written\n#endif\n"
                         "kernel void plain() { }";
    cl_int error;
    cl_program made = clCreateProgramWithSource(program.context, 1, &source, NULL, &error);
    PROGRAM_CHECK(error == CL_SUCCESS);
    PROGRAM_CHECK(clBuildProgram(made, 1, &program.device, "-D NOT_YET_WRITTEN", NULL, NULL) ==
                  CL_BUILD_PROGRAM_FAILURE);
    clReleaseProgram(made);
    return program_end(&program);
}
