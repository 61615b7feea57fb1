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
    struct host_checker *checker = atomic_load_explicit(&watch_checker, memory_order_relaxed);
    const struct layer_thread *thread = checker ? layer_thread_find() : NULL;
    return thread && thread->depth > 0 && thread->callbacks == 0 ? NULL : checker;
}

void free(void *block)
{
    struct host_checker *checker = checker_of_program();
    if (checker && block)
        host_checker_freed(checker, (uint64_t)block, malloc_usable_size(block), "free");
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
    const bool lent = before > 0 && host_checker_lends(checker, (uint64_t)block, before);
    if (!atomic_load_explicit(&next.realloc, memory_order_relaxed))
        find_next();
    void *(*function)(void *, size_t) = atomic_load_explicit(&next.realloc, memory_order_relaxed);
    void *moved = function ? function(block, size) : NULL;
    if (lent && moved != block && (moved || size == 0))
        host_checker_freed(checker, (uint64_t)block, before, "realloc");
    return moved;
}

int munmap(void *address, size_t size)
{
    struct host_checker *checker = checker_of_program();
    if (checker)
        host_checker_freed(checker, (uint64_t)address, size, "munmap");
    if (!atomic_load_explicit(&next.munmap, memory_order_relaxed))
        find_next();
    int (*function)(void *, size_t) = atomic_load_explicit(&next.munmap, memory_order_relaxed);
    return function ? function(address, size) : -1;
}
