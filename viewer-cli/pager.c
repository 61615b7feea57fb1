#include "viewer-cli/pager.h"

#include "trace/base/alloc.h"
#include "trace/base/process.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static pid_t pager; /* 0 = none */

size_t pager_terminal_width(int descriptor)
{
    struct winsize size;
    if (ioctl(descriptor, TIOCGWINSZ, &size) != 0)
        return 0;
    return size.ws_col;
}

/* Standard input of the program is the pipe, and its other end our standard output. */
static bool start(char *command, const int ends[2])
{
    char shell[] = "sh";
    char option[] = "-c";
    char *const arguments[] = {shell, option, command, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    posix_spawn_file_actions_addclose(&actions, ends[1]);
    const bool started = posix_spawn(&pager, "/bin/sh", &actions, NULL, arguments, environ) == 0 &&
                         dup2(ends[1], STDOUT_FILENO) >= 0;
    posix_spawn_file_actions_destroy(&actions);
    return started;
}

void pager_start(void)
{
    static char command[4096];
    const char *wanted = getenv("PAGER");
    char *less = wanted && *wanted ? NULL : process_find_program("less");
    const int size = snprintf(command, sizeof command, "%s", less ? "less" : wanted ? wanted : "");
    int ends[2];
    alloc_free(less);
    if (size <= 0 || (size_t)size >= sizeof command || strcmp(command, "cat") == 0 ||
        pipe(ends) != 0)
        return;
    /* What fits on a screen is left there, and colours are shown. */
    setenv("LESS", "FRX", 0);
    fflush(stdout);
    if (!start(command, ends))
        pager = 0;
    close(ends[0]);
    close(ends[1]);
}

void pager_finish(void)
{
    if (!pager)
        return;
    fflush(stdout);
    close(STDOUT_FILENO);
    while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
        continue;
    pager = 0;
}
