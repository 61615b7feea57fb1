/* Asks for the devices of whatever platform NULL stands for. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    cl_uint count;
    PROGRAM_CHECK(clGetDeviceIDs(NULL, CL_DEVICE_TYPE_ALL, 0, NULL, &count) == CL_SUCCESS);
    return program_end(&program);
}
