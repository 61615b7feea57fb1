/* Where findings go, and the checker that makes them. Everything but clerk_set_finding_sink runs
 * while a command does. */
#ifndef REFERENCE_ICD_FINDINGS_H
#define REFERENCE_ICD_FINDINGS_H

#include "checkers/finding.h"
#include "checkers/kernel/observer.h"
#include "reference/icd/options.h"

struct touched;

/* The observer for a launch with these checks, which also collects what the launch touches unless
 * `touched` is NULL. NULL when nothing is to be observed, or memory is out, which the device says
 * once on standard error. */
const struct observer *findings_observer(const struct launch_options *options,
                                         struct touched *touched);
/* Of the same launch, for the workers among which its groups are divided. Good until the next call;
 * `options` must live as long. */
const struct sched_scouts *findings_scouts(const struct launch_options *options);

/* Takes a finding; fits sink_function. */
void findings_receive(void *user, const struct finding *finding);

#endif
