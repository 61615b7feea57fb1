/* Asks for devices and takes no answer. */
#include "tests/rules/program.h"

int main(void)
{
    struct program program = program_begin();
    clGetDeviceIDs(program.platform, CL_DEVICE_TYPE_ALL, 0, NULL, NULL);
    return program_end(&program);
}
