/* The functions that free memory, of the preloaded library: what the program frees while OpenCL
 * uses it is told to the checker. While no memory is in use that way, a call costs one load and one
 * jump more than without us.
 *
 * What clerk and the driver free in a call of the program's is not the program's. */
#include "layer/preload.h"
#include "layer/thread.h"
#include "layer/watch.h"

#include "checkers/host/host.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void free(void *block);
EXPORTED void *realloc(void *block, size_t size);
EXPORTED int munmap(void *address, size_t size);

const bool watch_sees_frees = true;

/* Of the C library, or of an allocator that stands before it. */
static struct {
    void (*_Atomic free)(void *);
    void *(*_Atomic realloc)(void *, size_t);
    int (*_Atomic munmap)(void *, size_t);
} next;

/* To look for them may free something: that thread finds none then. */
static void find_next(void)
{
    static _Thread_local bool looking;
    if (looking)
        return;
    looking = true;
    atomic_store(&next.realloc, (void *(*)(void *, size_t))preload_next("realloc"));
    atomic_store(&next.munmap, (int (*)(void *, size_t))preload_next("munmap"));
    atomic_store(&next.free, (void (*)(void *))preload_next("free"));
    looking = false;
}

static struct host_checker *checker_of_program(void)
{
    return layer_thread_busy ? NULL : atomic_load_explicit(&watch_checker, memory_order_relaxed);
}

struct freeing {
    struct host_checker *checker;
    uint64_t address, size;
    const char *function;
};

static void tell_freed(void *user)
{
    const struct freeing *freeing = user;
    host_checker_freed(freeing->checker, freeing->address, freeing->size, freeing->function);
}

static bool lends(struct host_checker *checker, uint64_t address, uint64_t size)
{
    layer_thread_busy = 1;
    const bool lent = host_checker_lends(checker, address, size);
    layer_thread_busy = 0;
    return lent;
}

/* What is lent makes a finding, which takes room. */
static void freed(struct host_checker *checker, void *block, size_t size, const char *function)
{
    struct freeing freeing = {checker, (uint64_t)block, size, function};
    layer_thread_busy = 1;
    struct layer_thread *thread = layer_thread_find();
    if (thread && room_is_short(&thread->room, __builtin_frame_address(0)))
        room_call(&thread->room, tell_freed, &freeing);
    else
        tell_freed(&freeing);
    layer_thread_busy = 0;
}

void free(void *block)
{
    struct host_checker *checker = checker_of_program();
    if (checker && block)
        freed(checker, block, malloc_usable_size(block), "free");
    if (!atomic_load_explicit(&next.free, memory_order_relaxed))
        find_next();
    void (*function)(void *) = atomic_load_explicit(&next.free, memory_order_relaxed);
    if (function) /* else the block stays for ever */
        function(block);
}

/* A block that moved was freed. */
void *realloc(void *block, size_t size)
{
    struct host_checker *checker = checker_of_program();
    const size_t before = checker && block ? malloc_usable_size(block) : 0;
    const bool lent = before > 0 && lends(checker, (uint64_t)block, before);
    if (!atomic_load_explicit(&next.realloc, memory_order_relaxed))
        find_next();
    void *(*function)(void *, size_t) = atomic_load_explicit(&next.realloc, memory_order_relaxed);
    void *moved = function ? function(block, size) : NULL;
    if (lent && moved != block && (moved || size == 0))
        freed(checker, block, before, "realloc");
    return moved;
}

int munmap(void *address, size_t size)
{
    struct host_checker *checker = checker_of_program();
    if (checker)
        freed(checker, address, size, "munmap");
    if (!atomic_load_explicit(&next.munmap, memory_order_relaxed))
        find_next();
    int (*function)(void *, size_t) = atomic_load_explicit(&next.munmap, memory_order_relaxed);
    return function ? function(address, size) : -1;
}
