/* Runs a command and prints what it cost: seconds until its end, and seconds of processors until
 * all have ended that it started, those among them that outlive it. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds(const struct timeval *time)
{
    return (double)time->tv_sec + (double)time->tv_usec / 1e6;
}

int main(int argument_count, char **arguments)
{
    struct timespec start, now, end = {0};
    struct rusage usage;
    int wait_status, result = EXIT_FAILURE;
    if (argument_count < 2 || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        return EXIT_FAILURE;
    clock_gettime(CLOCK_MONOTONIC, &start);
    const pid_t command = fork();
    if (command == 0) {
        execvp(arguments[1], arguments + 1);
        _exit(127);
    }
    for (pid_t ended; (ended = wait(&wait_status)) > 0;) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        if (ended == command) {
            end = now;
            result = WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : EXIT_FAILURE;
        }
    }
    getrusage(RUSAGE_CHILDREN, &usage);
    printf("%.3f %.3f\n",
           (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) / 1e9,
           seconds(&usage.ru_utime) + seconds(&usage.ru_stime));
    return result;
}
