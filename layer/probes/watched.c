#include "layer/probes/watched.h"

#include "layer/probes/running.h"
#include "trace/base/alloc.h"

#include <pthread.h>
#include <stdatomic.h>

/* Of so many kernels, as a program may make the same one again and again. */
enum { KERNELS_MAX = 256 };

/* Of which a launch was kept; what it points to may be no more. */
struct mark {
    uint64_t copy;
    const struct checked_kernel *kernel;
};

/* A launch that is kept. */
struct kept {
    struct kept *next;
    struct capture *capture;
    uint64_t copy;
    cl_command_queue queue; /* to compare with */
    uint32_t number;
};

struct watched {
    pthread_mutex_t mutex;
    struct mark marks[KERNELS_MAX];
    size_t mark_count;
    struct kept *kept;
    atomic_size_t kept_count;
};

struct watched *watched_create(void)
{
    struct watched *watched = alloc_zero(1, sizeof *watched);
    if (watched)
        pthread_mutex_init(&watched->mutex, NULL);
    return watched;
}

void watched_destroy(struct watched *watched)
{
    if (!watched)
        return;
    while (watched->kept) {
        struct kept *kept = watched->kept;
        watched->kept = kept->next;
        running_end(kept->capture->running, false);
        capture_drop(kept->capture, capture_has_ended(kept->capture));
        alloc_free(kept);
    }
    pthread_mutex_destroy(&watched->mutex);
    alloc_free(watched);
}

bool watched_wants(struct watched *watched, const struct reading_launch *launch)
{
    const struct checked_kernel *kernel = checked_find(launch->copy->checked, launch->kernel);
    size_t i = 0;
    if (!kernel || kernel->uses_sub_groups ||
        (!kernel->is_ordered_otherwise && !kernel->may_diverge))
        return false;
    pthread_mutex_lock(&watched->mutex);
    while (i < watched->mark_count &&
           (watched->marks[i].copy != launch->copy->number || watched->marks[i].kernel != kernel))
        i++;
    const bool is_new = i == watched->mark_count && i < KERNELS_MAX;
    if (is_new)
        watched->marks[watched->mark_count++] =
            (struct mark){.copy = launch->copy->number, .kernel = kernel};
    pthread_mutex_unlock(&watched->mutex);
    return is_new;
}

void watched_keep(struct watched *watched, struct capture *capture,
                  const struct reading_launch *launch, cl_command_queue queue)
{
    struct kept *kept = alloc_zero(1, sizeof *kept);
    if (!kept) {
        running_end(capture->running, false);
        capture_drop(capture, false);
        return;
    }
    *kept = (struct kept){
        .capture = capture, .copy = launch->copy->number, .queue = queue, .number = launch->number};
    pthread_mutex_lock(&watched->mutex);
    kept->next = watched->kept;
    watched->kept = kept;
    atomic_fetch_add(&watched->kept_count, 1);
    pthread_mutex_unlock(&watched->mutex);
}

/* Locked: takes it out of the list. */
static struct capture *take(struct watched *watched, struct kept **at)
{
    struct kept *kept = *at;
    struct capture *capture = kept->capture;
    *at = kept->next;
    atomic_fetch_sub(&watched->kept_count, 1);
    alloc_free(kept);
    return capture;
}

struct capture *watched_take(struct watched *watched, uint32_t number)
{
    struct capture *capture = NULL;
    if (atomic_load_explicit(&watched->kept_count, memory_order_relaxed) == 0)
        return NULL;
    pthread_mutex_lock(&watched->mutex);
    struct kept **at = &watched->kept;
    while (*at && (*at)->number != number)
        at = &(*at)->next;
    if (*at)
        capture = take(watched, at);
    pthread_mutex_unlock(&watched->mutex);
    return capture;
}

struct capture *watched_take_silent(struct watched *watched, const struct copy *copy,
                                    cl_command_queue queue, uint32_t number)
{
    struct capture *capture = NULL;
    if (atomic_load_explicit(&watched->kept_count, memory_order_relaxed) == 0)
        return NULL;
    pthread_mutex_lock(&watched->mutex);
    struct kept **at = &watched->kept;
    /* Numbers start again at the greatest one. */
    while (*at && ((*at)->copy != copy->number || (*at)->queue != queue ||
                   number - (*at)->number > UINT32_MAX / 2 || !capture_has_ended((*at)->capture)))
        at = &(*at)->next;
    if (*at)
        capture = take(watched, at);
    pthread_mutex_unlock(&watched->mutex);
    return capture;
}
