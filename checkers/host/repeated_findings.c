#include "checkers/host/checker.h"

#include "trace/base/alloc.h"

#include <pthread.h>

#include "trace/base/hash.h"

_Static_assert(sizeof(struct repeat_key) == 4 * 8 + 6 * 4, "a repeat_key has no padding");

struct repeat {
    struct repeat_key key;
    struct finding *finding;
    uint64_t unreported; /* times after the first */
    UT_hash_handle hh;
};

struct repeats {
    pthread_mutex_t lock;
    struct arena arena;
    struct repeat *items; /* uthash keeps them in the order of insertion */
};

struct repeats *repeats_create(void)
{
    struct repeats *repeats = alloc_zero(1, sizeof *repeats);
    if (repeats)
        pthread_mutex_init(&repeats->lock, NULL);
    return repeats;
}

void repeats_destroy(struct repeats *repeats)
{
    if (!repeats)
        return;
    HASH_CLEAR(hh, repeats->items);
    arena_release(&repeats->arena);
    pthread_mutex_destroy(&repeats->lock);
    alloc_free(repeats);
}

static struct repeat *find(struct repeats *repeats, const struct repeat_key *key)
{
    struct repeat *repeat;
    HASH_FIND(hh, repeats->items, key, sizeof *key, repeat);
    return repeat;
}

bool repeats_count(struct repeats *repeats, const struct repeat_key *key)
{
    pthread_mutex_lock(&repeats->lock);
    struct repeat *repeat = find(repeats, key);
    if (repeat)
        ++repeat->unreported;
    pthread_mutex_unlock(&repeats->lock);
    return repeat != NULL;
}

void repeats_remember(struct repeats *repeats, const struct repeat_key *key,
                      const struct finding *finding)
{
    pthread_mutex_lock(&repeats->lock);
    if (find(repeats, key)) /* two threads found it at once, and both reported it */
        goto out;
    struct repeat *repeat = arena_alloc(&repeats->arena, 1, sizeof *repeat);
    if (!repeat)
        goto out;
    repeat->key = *key;
    repeat->finding = finding_copy(&repeats->arena, finding);
    if (repeat->finding)
        HASH_ADD(hh, repeats->items, key, sizeof repeat->key, repeat);
out:
    pthread_mutex_unlock(&repeats->lock);
}

void repeats_report(struct repeats *repeats, sink_function *report, void *user)
{
    pthread_mutex_lock(&repeats->lock);
    for (struct repeat *repeat = repeats->items; repeat; repeat = repeat->hh.next) {
        if (repeat->unreported == 0)
            continue;
        repeat->finding->count = repeat->unreported;
        repeat->unreported = 0;
        report(user, repeat->finding);
    }
    pthread_mutex_unlock(&repeats->lock);
}
