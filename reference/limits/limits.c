#include "reference/limits/limits.h"
#include "trace/base/visible.h"

#include "trace/api/settings.h"

#include <pthread.h>
#include <stdio.h>

static struct personality personality;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void init(void)
{
    struct error error;
    if (personality_parse(setting_value(SETTING_PERSONALITY), &personality, &error) != STATUS_OK)
        visible_tell("clerk: %s\n", error.text);
}

const struct personality *limits_personality(void)
{
    pthread_once(&once, init);
    return &personality;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

enum { ALLOCATIONS_HELD = 4 };

uint64_t limits_get(enum limit limit)
{
    static const struct {
        uint64_t usual, minimum, embedded;
    } limits[] = {
#define LIMIT(symbol, usual, minimum, embedded) {usual, minimum, embedded},
#include "reference/limits/limits.def"
#undef LIMIT
    };
    const struct personality *is = limits_personality();
    uint64_t value = limits[limit].usual;
    if (is->minimum)
        value = least(value, limits[limit].minimum);
    if (is->embedded)
        value = least(value, limits[limit].embedded);
    if (limit == LIMIT_WORK_GROUP_SIZE && is->work_group_size)
        value = is->work_group_size;
    if (limit == LIMIT_COMPUTE_UNITS && is->affinity)
        value = LIMIT_COMPUTE_UNITS_MAX;
    if (limit == LIMIT_LOCAL_MEMORY && is->local_memory)
        value = is->local_memory;
    if (limit == LIMIT_ALLOCATION && is->allocation)
        value = is->allocation;
    /* Of larger objects a device holds a few, as of the usual ones. */
    if (limit == LIMIT_GLOBAL_MEMORY && !is->narrow && is->allocation > value / ALLOCATIONS_HELD)
        value = is->allocation * ALLOCATIONS_HELD;
    return value;
}

/* 256 KiB for each of the largest work-group, but no more than machines have. */
uint64_t limits_private_memory(void)
{
    const uint64_t group = limits_get(LIMIT_WORK_GROUP_SIZE);
    const uint64_t items =
        group > PERSONALITY_USUAL_WORK_GROUP ? group : PERSONALITY_USUAL_WORK_GROUP;
    return least(items << 18, UINT64_C(1) << 30);
}

uint64_t limits_group_multiple(void)
{
    return least(LIMIT_WORK_GROUP_MULTIPLE, limits_get(LIMIT_WORK_GROUP_SIZE));
}

bool limits_keep(enum kept kept)
{
    const struct personality *is = limits_personality();
    switch (kept) {
    case KEPT_ALWAYS:
        return true;
    case KEPT_OPTIONAL:
        return !is->minimum;
    case KEPT_COMPILER:
        return !is->minimum && !is->no_compiler;
    case KEPT_ALIKE:
        return !is->minimum && !is->big_endian && !is->narrow;
    case KEPT_EMBEDDED:
        return is->embedded;
    }
    return false;
}

bool limits_has_3_1(void)
{
    return !limits_personality()->opencl_3_0 && !limits_personality()->minimum;
}

bool limits_share_system(void)
{
    return limits_keep(KEPT_ALIKE) && !limits_personality()->separate &&
           !limits_personality()->embedded;
}

const char *limits_profile(void)
{
    return limits_personality()->embedded ? "EMBEDDED_PROFILE" : "FULL_PROFILE";
}

bool limits_flushes(void)
{
    return limits_personality()->ftz || limits_personality()->minimum;
}
