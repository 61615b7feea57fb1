/* Stretches of memory that may overlap, found by the bytes that they have: an index for those who
 * look for all that lie somewhere among many. Not safe for several threads. */
#ifndef CHECKERS_HOST_MEMORY_STRETCHES_H
#define CHECKERS_HOST_MEMORY_STRETCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct stretch {
    uint64_t first, last;
    uint64_t furthest; /* the greatest last byte of this one and all before it */
    void *owner;
};

/* Zero-initialised: none. */
struct stretches {
    struct stretch *list; /* by ascending first byte */
    size_t count, capacity;
};

void stretches_release(struct stretches *stretches);
/* False when memory is out. */
bool stretches_add(struct stretches *stretches, uint64_t first, uint64_t last, void *owner);
/* One that was added just so, if there is one. */
void stretches_remove(struct stretches *stretches, uint64_t first, uint64_t last,
                      const void *owner);

/* Those with a byte in first ... last: start with `at` = SIZE_MAX; NULL = there are no more. What
 * is found stays where it is until something is added or removed. */
const struct stretch *stretches_next(const struct stretches *stretches, uint64_t first,
                                     uint64_t last, size_t *at);

#endif
