/* What cmd_kernel.c leaves to others. */
#ifndef VIEWER_CLI_KERNEL_CMD_KERNEL_H
#define VIEWER_CLI_KERNEL_CMD_KERNEL_H

#include "checkers/report.h"
#include "trace/base/status.h"
#include "viewer-cli/kernel/kernel_argument.h"
#include "viewer-cli/kernel/kernel_host.h"
#include "viewer-cli/verb.h"

#include <stdbool.h>
#include <stddef.h>

/* ---- kernel_explore.c ---- */

/* clerk kernel FILE --explore: all executions of a small kernel, by the device. */

/* Is the kernel to be explored instead of executed? */
bool kernel_explore_wanted(const struct options *options);
/* Are the options such that go together? */
enum status kernel_explore_check(const struct options *options, struct error *error);

/* Appends what was found to `text`, and gives the report a finding if an outcome needs weak
 * ordering. *exit: VERB_FOUND if there are races, faults, hangs, or barriers that not all reach,
 * else VERB_FAILED if not all was looked at. */
enum status kernel_explore(struct kernel_host *host, const struct options *options,
                           const struct kernel_range *range,
                           const struct kernel_argument *arguments, size_t argument_count,
                           struct report *report, struct text *text, enum verb_status *exit,
                           struct error *error);

/* ---- kernel_litmus.c ---- */

/* clerk kernel FILE.litmus: what a litmus test comes to. */

/* Returns the exit status. */
int kernel_litmus_run(const struct verb *verb, const struct options *options, const char *path);

/* ---- kernel_match.c ---- */

/* The arguments of `clerk kernel` against the parameters of the kernel. */

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

/* ---- kernel_program.c ---- */

/* The file that `clerk kernel` is given, as bytes that a device takes. */

struct kernel_program {
    void *bytes;
    size_t size;
    bool il; /* SPIR-V, not OpenCL C */
};

/* Reads a .cl or .spv file, or assembles a .spvasm file with spirv-as. STATUS_INVALID for another
 * name, STATUS_MALFORMED with the assembler's words. */
enum status kernel_program_load(const char *path, struct kernel_program *program,
                                struct error *error);
void kernel_program_release(struct kernel_program *program);

#endif
