/* clerk kernel FILE --explore: all executions of a small kernel, by the device. */
#ifndef VIEWER_CLI_KERNEL_KERNEL_EXPLORE_H
#define VIEWER_CLI_KERNEL_KERNEL_EXPLORE_H

#include "checkers/report.h"
#include "viewer-cli/kernel/kernel_host.h"
#include "viewer-cli/verb.h"

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

#endif
