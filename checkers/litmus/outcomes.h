/* Which outcome has certain values, of many. Those of a kernel have a value for each location that
 * was known when they were found; the rest hold their initial values. */
#ifndef CHECKERS_LITMUS_OUTCOMES_H
#define CHECKERS_LITMUS_OUTCOMES_H

#include "checkers/litmus/search.h"

struct outcome_entry;

/* Zero-initialise but for what is borrowed. */
struct outcomes {
    const struct litmus_test *test;
    struct arena *arena;
    struct outcome_entry *entries;
};

void outcomes_release(struct outcomes *outcomes);
/* The index in the list of the one with these values; SIZE_MAX = there is none. */
size_t outcomes_find(const struct outcomes *outcomes, const struct litmus_outcome list[],
                     const int64_t *values, size_t count);
/* One with these values has that index. False: no memory. */
bool outcomes_note(struct outcomes *outcomes, const int64_t *values, size_t count, size_t index);

#endif
