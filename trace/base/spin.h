/* A lock that is held for a few instructions, and never while something may block. Where nobody
 * else wants it, it costs half of what a mutex does. Zero-initialised; nothing to release. */
#ifndef TRACE_BASE_SPIN_H
#define TRACE_BASE_SPIN_H

#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>

struct spin {
    atomic_bool taken;
};

/* Whoever holds it may have lost its processor: waiting gives way to it. */
static inline void spin_lock(struct spin *spin)
{
    while (atomic_exchange_explicit(&spin->taken, true, memory_order_acquire))
        sched_yield();
}

static inline void spin_unlock(struct spin *spin)
{
    atomic_store_explicit(&spin->taken, false, memory_order_release);
}

#endif
