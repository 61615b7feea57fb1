/* Findings about the kernels of a family (children.h) that belong to no single launch. `code` and
 * `site` are where something was enqueued or made; nothing is said of rules that are off. */
#ifndef REFERENCE_ICD_CHILD_REPORT_H
#define REFERENCE_ICD_CHILD_REPORT_H

#include "reference/icd/options.h"
#include "reference/vm/code.h"

/* A command, of a kernel `child` or a marker (NULL), waits for an event that nobody will set. */
void child_report_unset(const struct launch_options *options, const struct vm_code *code,
                        uint32_t site, const char *child);
/* An event that was made there is not released. */
void child_report_leak(const struct launch_options *options, const struct vm_code *code,
                       uint32_t site);

#endif
