/* Which bytes of global memory a launch really touched, and how: collected from its accesses where
 * somebody wants to know, one bit for each byte of an object and kind of access. */
#ifndef CHECKERS_KERNEL_TOUCHED_H
#define CHECKERS_KERNEL_TOUCHED_H

#include "checkers/kernel/observer.h"

enum touched_kind {
    TOUCHED_READ,
    TOUCHED_WRITE,
    TOUCHED_ATOMIC_READ,
    TOUCHED_ATOMIC_WRITE,
    TOUCHED_KIND_COUNT,
};

struct touched_object {
    uint32_t id;
    uint64_t size;                      /* bytes */
    uint64_t *bits[TOUCHED_KIND_COUNT]; /* bit i % 64 of word i / 64: byte i; NULL = none */
};

struct touched {
    struct touched_object *objects; /* in the order in which they were first touched */
    size_t count, capacity;
    size_t recent;      /* the object of the access before */
    bool out_of_memory; /* something is missing */
};

/* Start with zeroes. */
void touched_add(struct touched *touched, const struct observer_access *access);
void touched_release(struct touched *touched);

/* The bytes from the first to the last that were touched in one way; false when none was. `whole`:
 * all between them too. */
bool touched_extent(const struct touched_object *object, enum touched_kind kind, uint64_t *first,
                    uint64_t *end, bool *whole);

#endif
