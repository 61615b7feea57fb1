/* Whether the device is debugged, and by whom. */
#ifndef REFERENCE_ICD_DEBUGGING_H
#define REFERENCE_ICD_DEBUGGING_H

#include "checkers/finding.h"
#include "checkers/kernel/checker.h"
#include "reference/sched/ndrange.h"

#include <stdbool.h>

/* Programs are built as a debugger wants them. Any thread. */
bool debugging_is_on(void);
/* Puts the debugger, if there is one, between the launch and what it is observed and printed by. */
void debugging_enter(struct sched_launch *launch);
/* Who is told when a checker has something new to report; NULL = nobody. */
kernel_checker_notice *debugging_notice(void);
/* A checker reports, on the thread that executes. */
void debugging_find(const struct finding *finding);

#endif
