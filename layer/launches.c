/* A list in the order of the calls. A finding belongs to a command that runs, which is one of the
 * last: older ones are forgotten. */
#include "layer/session_parts.h"

#include "trace/base/alloc.h"

#include <pthread.h>
#include <stddef.h>
#include <string.h>

enum { LAUNCHES_MAX = 1 << 16 };

struct launches {
    pthread_mutex_t mutex;
    struct launch_call *calls;
    size_t count, capacity;
};

struct launches *launches_create(void)
{
    struct launches *launches = alloc_zero(1, sizeof *launches);
    if (launches)
        pthread_mutex_init(&launches->mutex, NULL);
    return launches;
}

void launches_destroy(struct launches *launches)
{
    if (!launches)
        return;
    pthread_mutex_destroy(&launches->mutex);
    alloc_free(launches->calls);
    alloc_free(launches);
}

void launches_add(struct launches *launches, const struct launch_call *call)
{
    pthread_mutex_lock(&launches->mutex);
    if (launches->count == LAUNCHES_MAX) {
        launches->count /= 2;
        memmove(launches->calls, launches->calls + launches->count,
                launches->count * sizeof *launches->calls);
    }
    struct launch_call *grown =
        alloc_grow(launches->calls, launches->count, &launches->capacity, sizeof *grown);
    if (grown) {
        launches->calls = grown;
        grown[launches->count++] = *call;
    }
    pthread_mutex_unlock(&launches->mutex);
}

bool launches_find(struct launches *launches, uint64_t call_id, struct launch_call *call)
{
    pthread_mutex_lock(&launches->mutex);
    size_t at = launches->count;
    while (at > 0 && launches->calls[at - 1].call_id != call_id)
        at--;
    if (at > 0)
        *call = launches->calls[at - 1];
    pthread_mutex_unlock(&launches->mutex);
    return at > 0;
}
