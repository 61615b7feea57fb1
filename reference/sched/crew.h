/* Work-groups of one launch on several processors, with what one would give.
 *
 * A launch begins alone. Once it is known that much is left, the groups that are left are run on
 * trial (reference/vm/trial.h) by several *workers*: each takes the next few in the order of the
 * schedule, has storage of its own, and tells a *scout* of its own, a checker that keeps nothing
 * but whether there was anything to tell. If no two workers met in memory and no scout found
 * anything, all is as if they had run in order. Else memory is put back, and the launch goes on
 * alone: so every finding, and all that a launch does which depends on order, comes from the run in
 * order.
 *
 * Whether and how a launch was divided shows nowhere but in the time that it takes. */
#ifndef REFERENCE_SCHED_CREW_H
#define REFERENCE_SCHED_CREW_H

#include "reference/sched/group.h"

struct crew;

/* Before the first group; NULL: the launch runs alone. */
struct crew *crew_begin(struct launch *leader, uint64_t group_count);
void crew_end(struct crew *crew);

/* The leader has run the groups at positions below `position`, each to its end. Gives the number of
 * those from there on that were run by workers: all, or none. *crew may become NULL. */
uint64_t crew_run(struct crew **crew, uint64_t position);

#endif
