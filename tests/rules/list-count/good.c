/* Says how much room there is. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    cl_device_id devices[4];
    PROGRAM_CHECK(clGetDeviceIDs(program.platform, CL_DEVICE_TYPE_ALL, 4, devices, NULL) ==
                  CL_SUCCESS);
    return program_end(&program);
}
