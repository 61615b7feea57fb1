#include "checkers/schedules.h"

/* Instructions, and more by those of the first run. */
enum { BUDGET_LEAST = 20000000, BUDGET_TIMES = 8 };

uint64_t schedules_budget(uint64_t operations, uint64_t limit)
{
    const uint64_t most = BUDGET_LEAST + BUDGET_TIMES * operations;
    return limit != 0 && limit < most ? limit : most;
}

bool schedules_is_of_progress(enum rule_index rule)
{
    return rule == RULE_PROGRESS_WORK_ITEM || rule == RULE_PROGRESS_SUB_GROUP ||
           rule == RULE_PROGRESS_GROUP;
}
