/* All executions of a small kernel: its work-items are the threads of the search of
 * checkers/litmus, which goes through every order of their accesses and, if asked, through the weak
 * executions that the memory model allows.
 *
 * What a work-item does next depends on nothing but the values that it has read. So where it is in
 * the search is the list of these values, and to find its next access, fence or barrier it is run
 * from its start: each of its reads is given the value of the list, and at the first operation
 * after them it stops. Global and local memory are never touched. */
#ifndef REFERENCE_EXPLORE_EXPLORE_H
#define REFERENCE_EXPLORE_EXPLORE_H

#include "checkers/litmus/repair.h"
#include "reference/sched/ndrange.h"

/* What was found. Good during the call only. */
struct explored {
    const struct litmus_test *test;
    const struct litmus_result *result; /* NULL: one execution was asked for */
    const struct litmus_repair *repair; /* of the result */
    const struct graph *graph;          /* that execution */
};
typedef void explored_function(void *user, const struct explored *explored);

/* `choices` not NULL: only the execution with these choices. The scope rule is the launch's. A
 * kernel that cannot be explored is refused with a sentence that says why. */
enum status explore_run(const struct sched_launch *request, const struct litmus_options *options,
                        const struct litmus_choices *choices, explored_function *explored,
                        void *user, struct error *error);

#endif
