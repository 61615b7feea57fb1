/* The program that a verb runs, as its child: signals that are meant for it reach it. One at a time
 * per process. */
#ifndef VIEWER_CLI_CHILD_H
#define VIEWER_CLI_CHILD_H

#include "trace/base/status.h"

#include <sys/types.h>

struct child {
    pid_t id;
    int exit_status; /* in the shell's way */
    int signal;      /* that ended it, or 0 */
};

/* Starts arguments[0], found as PATH has it. What clerk is sent from now on is passed on. */
enum status child_start(struct child *child, char **arguments, char **environment,
                        struct error *error);
/* Waits for its end. */
enum status child_wait(struct child *child, struct error *error);

#endif
