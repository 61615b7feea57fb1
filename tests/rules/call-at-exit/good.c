/* Asks before, and leaves only the releases to the handler. */
#include "tests/rules/program.h"

static struct program program;

static void at_end(void)
{
    clReleaseCommandQueue(program.queue);
    clReleaseContext(program.context);
}

int main(void)
{
    atexit(at_end);
    program = program_begin();
    char name[64];
    clGetPlatformInfo(program.platform, CL_PLATFORM_NAME, sizeof name, name, NULL);
    return 0;
}
