/* Why atomic operations and fences did not order the two sides of a race, from the flag that the
 * later side has read. */
#ifndef CHECKERS_KERNEL_WHY_H
#define CHECKERS_KERNEL_WHY_H

#include "checkers/kernel/state.h"

struct why {
    const char *reason; /* NULL = nothing is known */
    const char *advice;
};

/* `region` is that of the raced bytes. The strings are the launch's arena's. */
struct why why_unordered(struct kernel_checker *checker, const struct order_race *race,
                         enum order_region region);

#endif
