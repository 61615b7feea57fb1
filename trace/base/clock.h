/* CLOCK_MONOTONIC in nanoseconds, faster than the C library reads it: where the kernel itself takes
 * the time from the processor's counter, a thread reads that counter, and compares it with the
 * kernel's time every millisecond. The difference is some ten nanoseconds. */
#ifndef TRACE_BASE_CLOCK_H
#define TRACE_BASE_CLOCK_H

#include <stdint.h>

/* Belongs to one thread; zero-initialised. */
struct clock {
    uint64_t ticks, ns; /* read together */
    uint64_t scale;     /* nanoseconds a tick, times 2^32 */
    uint64_t valid;     /* for how many ticks from then on; 0 = never compared */
    uint64_t floor;     /* no later time was told before */
};

/* Never less than before on the same thread. */
uint64_t clock_now_ns(struct clock *clock);
/* The kernel's, without any of that. */
uint64_t clock_monotonic_ns(void);

#endif
