/* Where findings go, and the checker that makes them. Everything but findings_set_sink runs while a
 * command does. */
#ifndef REFERENCE_ICD_FINDINGS_H
#define REFERENCE_ICD_FINDINGS_H

#include "checkers/kernel/observer.h"
#include "reference/icd/options.h"

/* The observer for a launch with these checks; NULL when no kernel rule is on, or memory is out,
 * which the device says once on standard error. */
const struct observer *findings_observer(const struct launch_options *options);

#endif
