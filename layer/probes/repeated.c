#include "layer/probes/repeated.h"

#include "checkers/finding.h"
#include "trace/base/alloc.h"
#include "trace/base/arena.h"
#include "trace/base/hash.h" /* before headers that use uthash */

#include <pthread.h>
#include <uthash.h>

enum { TOLD_MAX = 256 }; /* times that one is told: of many builds, and of launches that are kept */

struct repeat {
    uint64_t key;
    struct finding *finding; /* the last one that was told */
    uint64_t times, untold;
    UT_hash_handle hh;
};

struct repeated {
    pthread_mutex_t mutex;
    struct arena arena;
    struct repeat *items;
};

struct repeated *repeated_create(void)
{
    struct repeated *repeated = alloc_zero(1, sizeof *repeated);
    if (repeated)
        pthread_mutex_init(&repeated->mutex, NULL);
    return repeated;
}

void repeated_destroy(struct repeated *repeated)
{
    if (!repeated)
        return;
    HASH_CLEAR(hh, repeated->items);
    arena_release(&repeated->arena);
    pthread_mutex_destroy(&repeated->mutex);
    alloc_free(repeated);
}

/* NULL when memory is out. */
static struct repeat *find(struct repeated *repeated, uint64_t key)
{
    struct repeat *repeat = NULL;
    HASH_FIND(hh, repeated->items, &key, sizeof key, repeat);
    if (repeat)
        return repeat;
    repeat = arena_alloc(&repeated->arena, 1, sizeof *repeat);
    if (!repeat)
        return NULL;
    repeat->key = key;
    HASH_ADD(hh, repeated->items, key, sizeof repeat->key, repeat);
    return repeat->hh.tbl ? repeat : NULL;
}

bool repeated_is_new(struct repeated *repeated, const struct finding *finding)
{
    /* Programs without a name have the same lines, and not the same text in them. */
    const uint64_t key = finding_key(finding) ^ finding_fingerprint(finding);
    bool is_new = true;
    pthread_mutex_lock(&repeated->mutex);
    struct repeat *repeat = find(repeated, key);
    if (repeat && ++repeat->times == TOLD_MAX)
        repeat->finding = finding_copy(&repeated->arena, finding);
    if (repeat && repeat->times > TOLD_MAX && repeat->finding) {
        repeat->untold += finding->count;
        is_new = false;
    }
    pthread_mutex_unlock(&repeated->mutex);
    return is_new;
}

void repeated_tell(struct repeated *repeated, sink_function *report, void *user)
{
    pthread_mutex_lock(&repeated->mutex);
    for (struct repeat *repeat = repeated->items; repeat; repeat = repeat->hh.next) {
        if (repeat->untold == 0)
            continue;
        repeat->finding->count = repeat->untold;
        repeat->untold = 0;
        report(user, repeat->finding);
    }
    pthread_mutex_unlock(&repeated->mutex);
}
