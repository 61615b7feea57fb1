/* Forks before the first call. */
#include "tests/rules/program.h"

#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int status;
    const pid_t child = fork();
    PROGRAM_CHECK(child >= 0);
    struct program program = program_begin();
    if (child == 0) {
        char name[64];
        clGetPlatformInfo(program.platform, CL_PLATFORM_NAME, sizeof name, name, NULL);
        return program_end(&program);
    }
    PROGRAM_CHECK(waitpid(child, &status, 0) == child && status == 0);
    return program_end(&program);
}
