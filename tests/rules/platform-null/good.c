/* Asks for the devices of the first platform. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    cl_uint count;
    PROGRAM_CHECK(clGetDeviceIDs(program.platform, CL_DEVICE_TYPE_ALL, 0, NULL, &count) ==
                  CL_SUCCESS);
    return program_end(&program);
}
