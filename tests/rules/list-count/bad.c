/* Passes room for devices and says that there is none. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    cl_device_id devices[4];
    clGetDeviceIDs(program.platform, CL_DEVICE_TYPE_ALL, 0, devices, NULL);
    return program_end(&program);
}
