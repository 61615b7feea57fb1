/* clerk kernel FILE.litmus: what a litmus test comes to. */
#ifndef VIEWER_CLI_KERNEL_KERNEL_LITMUS_H
#define VIEWER_CLI_KERNEL_KERNEL_LITMUS_H

#include "viewer-cli/verb.h"

/* Returns the exit status. */
int kernel_litmus_run(const struct verb *verb, const struct options *options, const char *path);

#endif
