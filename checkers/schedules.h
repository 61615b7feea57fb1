/* What runs of a kernel under further schedules (reference/sched/ndrange.h) may cost, and what they
 * tell, whoever asks for them. */
#ifndef CHECKERS_SCHEDULES_H
#define CHECKERS_SCHEDULES_H

#include "checkers/rule.h"

#include <stdbool.h>
#include <stdint.h>

/* The one that shows most, and the N of pct:N:K. */
#define SCHEDULES_TURNS "turns:1"
enum { SCHEDULES_PCT_DEPTH = 3 };

/* Instructions that each further run may take, if the first one took so many. `limit`: those that a
 * launch may take whatever it is run for; 0 = any. */
uint64_t schedules_budget(uint64_t operations, uint64_t limit);

/* Is the rule about who waits for whom? That is a matter of the schedule, and told of the usual
 * ones alone. */
bool schedules_is_of_progress(enum rule_index rule);

#endif
