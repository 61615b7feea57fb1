/* The arguments of `clerk kernel` against the parameters of the kernel. */
#ifndef VIEWER_CLI_KERNEL_KERNEL_MATCH_H
#define VIEWER_CLI_KERNEL_KERNEL_MATCH_H

#include "viewer-cli/kernel/kernel_argument.h"
#include "viewer-cli/kernel/kernel_host.h"

/* All borrowed. */
struct kernel_match {
    const struct kernel_host *host; /* with a kernel selected */
    const char *path, *kernel;
    const char *global, *local; /* as given on the command line; each may be NULL */
    const struct kernel_range *range;
    const struct kernel_argument *arguments;
    size_t argument_count;
};

/* Are number, kinds and types of the arguments those that the kernel wants? If not, what it wants
 * goes to standard error, with a command line to copy, and the error says what does not fit. */
enum status kernel_match_arguments(const struct kernel_match *match, struct error *error);

/* Prints to standard error what the kernel wants, and a command line to copy. */
void kernel_match_show(const struct kernel_match *match);

#endif
