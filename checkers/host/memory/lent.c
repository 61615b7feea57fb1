#include "checkers/host/memory/watched.h"

#include "trace/base/alloc.h"
#include "trace/base/assert.h"

void lent_init(struct lent *lent)
{
    pthread_mutexattr_t attributes;
    *lent = (struct lent){.items = NULL};
    atomic_init(&lent->first, UINT64_MAX);
    /* A thread that frees memory while it holds the mutex hears so, and that nothing is lent. */
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&lent->mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

void lent_release(struct lent *lent)
{
    pthread_mutex_destroy(&lent->mutex);
    alloc_free(lent->items);
}

static void widen(struct lent *lent, const struct lent_item *item)
{
    if (item->first < atomic_load_explicit(&lent->first, memory_order_relaxed))
        atomic_store_explicit(&lent->first, item->first, memory_order_relaxed);
    if (item->last > atomic_load_explicit(&lent->last, memory_order_relaxed))
        atomic_store_explicit(&lent->last, item->last, memory_order_relaxed);
}

void lent_add(struct lent *lent, uint64_t first, uint64_t size)
{
    ASSERT(size > 0);
    const struct lent_item item = {first, first + size - 1};
    pthread_mutex_lock(&lent->mutex);
    struct lent_item *grown =
        alloc_grow(lent->items, lent->count, &lent->capacity, sizeof *lent->items);
    if (grown) {
        lent->items = grown;
        grown[lent->count++] = item;
        widen(lent, &item);
    }
    pthread_mutex_unlock(&lent->mutex);
}

void lent_remove(struct lent *lent, uint64_t first, uint64_t size)
{
    pthread_mutex_lock(&lent->mutex);
    size_t at = 0;
    while (at < lent->count &&
           (lent->items[at].first != first || lent->items[at].last != first + size - 1))
        at++;
    if (at < lent->count)
        lent->items[at] = lent->items[--lent->count];
    if (lent->count == 0) {
        atomic_store_explicit(&lent->first, UINT64_MAX, memory_order_relaxed);
        atomic_store_explicit(&lent->last, 0, memory_order_relaxed);
    }
    pthread_mutex_unlock(&lent->mutex);
}

bool lent_has(struct lent *lent, uint64_t first, uint64_t size)
{
    const uint64_t last = first + size - 1;
    bool found = false;
    if (last < atomic_load_explicit(&lent->first, memory_order_relaxed) ||
        first > atomic_load_explicit(&lent->last, memory_order_relaxed) ||
        pthread_mutex_lock(&lent->mutex) != 0)
        return false;
    for (size_t i = 0; i < lent->count && !found; i++)
        found = lent->items[i].first <= last && first <= lent->items[i].last;
    pthread_mutex_unlock(&lent->mutex);
    return found;
}
