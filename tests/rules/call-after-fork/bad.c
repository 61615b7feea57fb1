/* Calls OpenCL in a child of a process that has called it. */
#include "tests/rules/program.h"

#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    struct program program = program_begin();
    int status;
    const pid_t child = fork();
    PROGRAM_CHECK(child >= 0);
    if (child == 0) {
        char name[64];
        clGetPlatformInfo(program.platform, CL_PLATFORM_NAME, sizeof name, name, NULL);
        _exit(0);
    }
    PROGRAM_CHECK(waitpid(child, &status, 0) == child && status == 0);
    return program_end(&program);
}
