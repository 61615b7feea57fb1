/* What the OpenCL loader of this machine offers. */
#ifndef VIEWER_CLI_DRIVERS_H
#define VIEWER_CLI_DRIVERS_H

/* How many platforms a program with this environment finds; -1 when it cannot be known: there is no
 * loader, or a driver ends or stops whoever loads it. Drivers are loaded in a child process; takes
 * as long as they do, and ten seconds at most. The calling process must have one thread. */
int drivers_count_platforms(char **environment);

#endif
