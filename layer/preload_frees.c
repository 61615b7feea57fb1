/* The functions that free memory, of the preloaded library. */
#include "layer/frees.h"
#include "layer/preload.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void free(void *block);
EXPORTED void *realloc(void *block, size_t size);
EXPORTED int munmap(void *address, size_t size);

/* They stand before the C library's from the start. */
void frees_watch(void *user)
{
    (void)user;
}

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

void free(void *block)
{
    frees_block(block);
    if (!atomic_load_explicit(&next.free, memory_order_relaxed))
        find_next();
    void (*function)(void *) = atomic_load_explicit(&next.free, memory_order_relaxed);
    if (function) /* else the block stays for ever */
        function(block);
}

void *realloc(void *block, size_t size)
{
    const uintptr_t before = (uintptr_t)block;
    const size_t lent = frees_resizing(block);
    if (!atomic_load_explicit(&next.realloc, memory_order_relaxed))
        find_next();
    void *(*function)(void *, size_t) = atomic_load_explicit(&next.realloc, memory_order_relaxed);
    void *moved = function ? function(block, size) : NULL;
    frees_resized(before, lent, moved, size);
    return moved;
}

int munmap(void *address, size_t size)
{
    frees_pages(address, size);
    if (!atomic_load_explicit(&next.munmap, memory_order_relaxed))
        find_next();
    int (*function)(void *, size_t) = atomic_load_explicit(&next.munmap, memory_order_relaxed);
    return function ? function(address, size) : -1;
}
