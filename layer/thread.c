#include "layer/thread.h"

#include "layer/in_flight.h"
#include "trace/base/alloc.h"
#include "trace/base/heap.h"

#include <pthread.h>
#include <stdbool.h>

/* In the first block of thread-local memory, which the C library keeps room in for libraries that
 * are loaded later: a look-up by function takes longer than the rest of layer_thread_get. */
static _Thread_local struct layer_thread *current __attribute__((tls_model("initial-exec")));
_Thread_local uint32_t layer_thread_busy;
static _Thread_local bool ended;
static pthread_key_t key;
static pthread_once_t key_once = PTHREAD_ONCE_INIT;
static bool key_valid;

static void thread_end(void *user)
{
    struct layer_thread *thread = user;
    current = NULL;
    heap_follow(NULL);
    ended = true;
    in_flight_leave(thread->in_flight);
    arena_release(&thread->arena);
    room_release(&thread->room);
    alloc_free(thread);
}

static void make_key(void)
{
    key_valid = pthread_key_create(&key, thread_end) == 0;
}

static struct layer_thread *thread_create(void)
{
    pthread_once(&key_once, make_key);
    if (ended || !key_valid)
        return NULL;
    struct layer_thread *thread = alloc_zero(1, sizeof *thread);
    if (thread && pthread_setspecific(key, thread) != 0) {
        alloc_free(thread);
        return NULL;
    }
    room_init(&thread->room);
    heap_follow(&layer_thread_busy);
    return current = thread;
}

struct layer_thread *layer_thread_get(void)
{
    return current ? current : thread_create();
}

struct layer_thread *layer_thread_find(void)
{
    return current;
}

void layer_thread_forked(void)
{
    if (current) {
        current->session = 0;
        current->in_flight = NULL; /* that is the parent's */
    }
}
