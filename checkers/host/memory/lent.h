/* Stretches of the program's memory that it must not free now. Whoever frees memory asks here
 * first, and mostly hears no, so that is cheap, and takes no lock but the list's own. Any thread;
 * also out of the functions that free memory, while this list itself frees some. */
#ifndef CHECKERS_HOST_MEMORY_LENT_H
#define CHECKERS_HOST_MEMORY_LENT_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct lent {
    pthread_mutex_t mutex; /* guards items */
    struct lent_item {
        uint64_t first, last;
    } * items;
    size_t count, capacity;
    /* All that was lent since the list was empty lies between these. */
    atomic_uint_fast64_t first, last;
};

void lent_init(struct lent *lent);
void lent_release(struct lent *lent);

/* Of at least one byte. Without memory for it, it is forgotten. */
void lent_add(struct lent *lent, uint64_t first, uint64_t size);
/* One of those that were added just so. */
void lent_remove(struct lent *lent, uint64_t first, uint64_t size);
/* Is any of these bytes lent? */
bool lent_has(struct lent *lent, uint64_t first, uint64_t size);

#endif
