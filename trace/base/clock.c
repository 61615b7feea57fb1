#include "trace/base/clock.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#ifdef __x86_64__
#include <x86intrin.h>
#endif

uint64_t clock_monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

#ifdef __x86_64__
enum {
    PERIOD_NS = 1000000,
    PAIR_TICKS = 4000, /* a thread that took longer to read both was interrupted in between */
    PAIR_TRIES = 4,
};

static bool trusted;

/* The kernel watches the counters of all processors, and takes another clock if they disagree. */
static void read_source(void)
{
    FILE *file = fopen("/sys/devices/system/clocksource/clocksource0/current_clocksource", "re");
    char line[16] = "";
    if (file && fgets(line, sizeof line, file))
        trusted = strcmp(line, "tsc\n") == 0;
    if (file)
        fclose(file);
}

static bool read_pair(uint64_t *ticks, uint64_t *ns)
{
    for (unsigned i = 0; i < PAIR_TRIES; i++) {
        const uint64_t before = __rdtsc();
        *ns = clock_monotonic_ns();
        const uint64_t took = __rdtsc() - before;
        *ticks = before + took / 2;
        if (took < PAIR_TICKS)
            return true;
    }
    return false;
}

static uint64_t scaled(uint64_t ticks, uint64_t scale)
{
    return (uint64_t)((unsigned __int128)ticks * scale >> 32);
}

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Compares with the kernel's clock, and begins a new period if the last one is over. Apart, so that
 * reading the clock saves no registers for it. */
static __attribute__((noinline)) uint64_t compare(struct clock *clock)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    uint64_t ticks, ns;
    pthread_once(&once, read_source);
    if (clock->valid != 0 && __rdtsc() > clock->ticks)
        clock->floor = later(clock->floor, clock->ns + scaled(clock->valid, clock->scale));
    if (!trusted || !read_pair(&ticks, &ns))
        return later(clock_monotonic_ns(), clock->floor);
    if (clock->ticks != 0 && ns - clock->ns < PERIOD_NS)
        return later(ns, clock->floor);
    if (clock->ticks != 0 && ticks > clock->ticks) {
        const unsigned __int128 passed = (unsigned __int128)(ns - clock->ns) << 32;
        clock->scale = (uint64_t)(passed / (ticks - clock->ticks));
        clock->valid =
            clock->scale ? (uint64_t)(((unsigned __int128)PERIOD_NS << 32) / clock->scale) : 0;
    }
    clock->ticks = ticks;
    clock->ns = ns;
    return later(ns, clock->floor);
}

uint64_t clock_now_ns(struct clock *clock)
{
    const uint64_t passed = __rdtsc() - clock->ticks;
    return passed < clock->valid ? later(clock->ns + scaled(passed, clock->scale), clock->floor)
                                 : compare(clock);
}
#else
uint64_t clock_now_ns(struct clock *clock)
{
    (void)clock;
    return clock_monotonic_ns();
}
#endif
