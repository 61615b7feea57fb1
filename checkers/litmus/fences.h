/* Fences that changes of a test (litmus_edit) put before and behind its operations.
 *
 * A thread comes to such a fence as to one of its own, by a machine that stands between the search
 * and the test's: so the search needs to know nothing of them. */
#ifndef CHECKERS_LITMUS_FENCES_H
#define CHECKERS_LITMUS_FENCES_H

#include "checkers/litmus/graph.h"
#include "checkers/litmus/machine.h"

/* The machine of a test that has such changes. */
struct fences {
    struct machine machine;       /* the first: a test's machine leads here */
    const struct machine *within; /* the test's own */
};

/* Does the change put a fence in? */
static inline bool fences_is_one(const struct litmus_edit *edit)
{
    return edit->kind == LITMUS_EDIT_FENCE_BEFORE || edit->kind == LITMUS_EDIT_FENCE_BEHIND;
}

/* The test has its own machine now. */
void fences_init(struct fences *fences, const struct litmus_test *test);
/* From now on its threads come to the fences of its changes, which must stay where they are as long
 * as it has them; if there are none, it has its own machine again. */
void fences_have(struct fences *fences, struct litmus_test *test);
/* Leaves those of the test's changes out of a graph that was made with them. `names` is room for as
 * many as there is for events. */
void fences_take_out(struct graph *graph, uint32_t *names);
/* The graph, which has none, with those of the test's changes. `with` has its machine, and room for
 * as many locations. False: there is too little room for events. */
bool fences_put_in(const struct graph *graph, struct graph *with, uint32_t *names);

#endif
