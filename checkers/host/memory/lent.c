#include "checkers/host/memory/watched.h"

void lent_init(struct lent *lent)
{
    pthread_mutexattr_t attributes;
    *lent = (struct lent){.stretches = {.list = NULL}};
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
    stretches_release(&lent->stretches);
}

static void widen(struct lent *lent, uint64_t first, uint64_t last)
{
    if (first < atomic_load_explicit(&lent->first, memory_order_relaxed))
        atomic_store_explicit(&lent->first, first, memory_order_relaxed);
    if (last > atomic_load_explicit(&lent->last, memory_order_relaxed))
        atomic_store_explicit(&lent->last, last, memory_order_relaxed);
}

void lent_add(struct lent *lent, uint64_t first, uint64_t last)
{
    pthread_mutex_lock(&lent->mutex);
    if (stretches_add(&lent->stretches, first, last, NULL))
        widen(lent, first, last);
    pthread_mutex_unlock(&lent->mutex);
}

void lent_remove(struct lent *lent, uint64_t first, uint64_t last)
{
    pthread_mutex_lock(&lent->mutex);
    stretches_remove(&lent->stretches, first, last, NULL);
    if (lent->stretches.count == 0) {
        atomic_store_explicit(&lent->first, UINT64_MAX, memory_order_relaxed);
        atomic_store_explicit(&lent->last, 0, memory_order_relaxed);
    }
    pthread_mutex_unlock(&lent->mutex);
}

bool lent_has(struct lent *lent, uint64_t first, uint64_t last)
{
    size_t at = SIZE_MAX;
    if (last < atomic_load_explicit(&lent->first, memory_order_relaxed) ||
        first > atomic_load_explicit(&lent->last, memory_order_relaxed) ||
        pthread_mutex_lock(&lent->mutex) != 0)
        return false;
    const bool found = stretches_next(&lent->stretches, first, last, &at) != NULL;
    pthread_mutex_unlock(&lent->mutex);
    return found;
}
