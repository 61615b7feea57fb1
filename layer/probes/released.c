#include "layer/probes/released.h"

#include "layer/targets.h"
#include "trace/base/alloc.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { KEPT_MAX = 256 };

#define KEPT_BYTES_MAX (UINT64_C(256) << 20)

struct released {
    pthread_mutex_t mutex;
    atomic_size_t count; /* of objects; changed with the mutex */
    cl_mem kept[KEPT_MAX];
    uint64_t bytes;
    bool keeps_no_more;
};

struct released *released_create(void)
{
    struct released *released = alloc_zero(1, sizeof *released);
    if (released)
        pthread_mutex_init(&released->mutex, NULL);
    return released;
}

/* The driver may be gone by now: what is still held stays. */
void released_destroy(struct released *released)
{
    if (!released)
        return;
    pthread_mutex_destroy(&released->mutex);
    alloc_free(released);
}

static bool ask(cl_mem memory, cl_mem_info name, void *value, size_t size)
{
    return LAYER_TARGET(clGetMemObjectInfo)(memory, name, size, value, NULL) == CL_SUCCESS;
}

/* Its bytes; 0 = it must not be held. The host's memory may be gone after the release, and a
 * program can ask for the references of what a sub-buffer is of. */
static size_t size_to_keep(cl_mem memory)
{
    cl_mem_flags flags = 0;
    cl_mem parent = NULL;
    size_t size = 0;
    if (!ask(memory, CL_MEM_FLAGS, &flags, sizeof flags) || (flags & CL_MEM_USE_HOST_PTR) != 0 ||
        !ask(memory, CL_MEM_ASSOCIATED_MEMOBJECT, &parent, sizeof parent) || parent ||
        !ask(memory, CL_MEM_SIZE, &size, sizeof size))
        return 0;
    return size;
}

void released_keep(struct released *released, cl_mem memory)
{
    const size_t size = size_to_keep(memory);
    pthread_mutex_lock(&released->mutex);
    const size_t count = released->count;
    if (size > 0 && !released->keeps_no_more && count < KEPT_MAX &&
        size <= KEPT_BYTES_MAX - released->bytes &&
        LAYER_TARGET(clRetainMemObject)(memory) == CL_SUCCESS) {
        released->kept[count] = memory;
        released->bytes += size;
        released->count = count + 1;
    }
    pthread_mutex_unlock(&released->mutex);
}

void released_keep_no_more(struct released *released)
{
    pthread_mutex_lock(&released->mutex);
    released->keeps_no_more = true;
    pthread_mutex_unlock(&released->mutex);
}

bool released_hold(struct released *released, cl_mem memory)
{
    bool is_held = false;
    pthread_mutex_lock(&released->mutex);
    for (size_t i = 0; !is_held && i < released->count; i++)
        is_held =
            released->kept[i] == memory && LAYER_TARGET(clRetainMemObject)(memory) == CL_SUCCESS;
    pthread_mutex_unlock(&released->mutex);
    return is_held;
}

bool released_is_empty(const struct released *released)
{
    return atomic_load_explicit(&released->count, memory_order_relaxed) == 0;
}

void released_forget(struct released *released)
{
    pthread_mutex_lock(&released->mutex);
    for (size_t i = 0; i < released->count; i++)
        LAYER_TARGET(clReleaseMemObject)(released->kept[i]);
    released->count = 0;
    released->bytes = 0;
    pthread_mutex_unlock(&released->mutex);
}
