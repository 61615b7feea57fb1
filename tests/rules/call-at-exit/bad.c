/* Asks for a name in an exit handler. */
#include "tests/rules/program.h"

static struct program program;

static void at_end(void)
{
    char name[64];
    clGetPlatformInfo(program.platform, CL_PLATFORM_NAME, sizeof name, name, NULL);
    clReleaseCommandQueue(program.queue);
    clReleaseContext(program.context);
}

int main(void)
{
    atexit(at_end);
    program = program_begin();
    return 0;
}
