/* libclerk_heap.so: the functions of malloc, for programs started with LD_PRELOAD. They keep the
 * table of blocks that the reference device looks at (trace/base/heap.h) and do nothing else.
 *
 * Every child process inherits LD_PRELOAD, so nothing is opened, created or printed here.
 *
 * Where a sanitizer is in the process the table stays empty, and its functions are gone to without
 * a frame of ours: its reports show who called them. */
#include "layer/heap_table.h"

#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

#define EXPORTED __attribute__((visibility("default")))

EXPORTED void *malloc(size_t size);
EXPORTED void *calloc(size_t count, size_t size);
EXPORTED void *realloc(void *block, size_t size);
EXPORTED void *aligned_alloc(size_t alignment, size_t size);
EXPORTED void *memalign(size_t alignment, size_t size);
EXPORTED void *valloc(size_t size);
EXPORTED void *pvalloc(size_t size);
EXPORTED int posix_memalign(void **block, size_t alignment, size_t size);
EXPORTED void free(void *block);
EXPORTED size_t malloc_usable_size(void *block);
EXPORTED bool clerk_heap_find(uint64_t address, struct heap_block *block);
EXPORTED void clerk_heap_follow(const uint32_t *now);

bool clerk_heap_find(uint64_t address, struct heap_block *block)
{
    return heap_table_find(address, block);
}

/* In memory that is there before the thread runs: to make it would ask for memory. */
static _Thread_local const uint32_t *busy __attribute__((tls_model("initial-exec")));

void clerk_heap_follow(const uint32_t *now)
{
    busy = now;
}

/* Sanitizers that bring an allocator have it. */
extern size_t __sanitizer_get_allocated_size(const volatile void *block) __attribute__((weak));

static inline bool is_sanitized(void)
{
    return __sanitizer_get_allocated_size;
}

/* ---- the functions behind ours: the C library's, or another allocator's ---- */

static struct {
    void *(*malloc)(size_t);
    void *(*calloc)(size_t, size_t);
    void *(*realloc)(void *, size_t);
    void *(*aligned_alloc)(size_t, size_t);
    void *(*memalign)(size_t, size_t);
    void *(*valloc)(size_t);
    void *(*pvalloc)(size_t);
    int (*posix_memalign)(void **, size_t, size_t);
    void (*free)(void *);
    size_t (*malloc_usable_size)(void *);
} next;
static atomic_bool is_ready;

/* To look for them may ask for memory: none is given then, which the C library is prepared for. A
 * process has one thread when it first asks for memory; which one it is, is not asked, since
 * sanitizers have a function of their own for a thread's variables. */
static bool find_next(void)
{
    static bool looking;
    if (looking)
        return false;
    looking = true;
#define FIND(name) next.name = (__typeof__(next.name))dlsym(RTLD_NEXT, #name)
    FIND(malloc);
    FIND(calloc);
    FIND(realloc);
    FIND(aligned_alloc);
    FIND(memalign);
    FIND(valloc);
    FIND(pvalloc);
    FIND(posix_memalign);
    FIND(free);
    FIND(malloc_usable_size);
#undef FIND
    looking = false;
    atomic_store_explicit(&is_ready, true, memory_order_release);
    return true;
}

static inline bool has_next(void)
{
    return atomic_load_explicit(&is_ready, memory_order_acquire) || find_next();
}

/* ---- ours ---- */

static inline void *give(void *block, size_t size)
{
    if (block)
        heap_table_give(block, size, next.malloc_usable_size(block), busy && *busy);
    return block;
}

static void *no_memory(void)
{
    errno = ENOMEM;
    return NULL;
}

void *malloc(size_t size)
{
    if (!has_next())
        return no_memory();
    return is_sanitized() ? next.malloc(size) : give(next.malloc(size), size);
}

void *calloc(size_t count, size_t size)
{
    if (!has_next())
        return no_memory();
    return is_sanitized() ? next.calloc(count, size) : give(next.calloc(count, size), count * size);
}

/* What it moves is freed before another thread can get it. */
void *realloc(void *block, size_t size)
{
    if (!has_next())
        return no_memory();
    if (is_sanitized())
        return next.realloc(block, size);
    heap_table_free(block);
    void *moved = give(next.realloc(block, size), size);
    if (!moved && size > 0)
        heap_table_keep(block);
    return moved;
}

void *aligned_alloc(size_t alignment, size_t size)
{
    if (!has_next())
        return no_memory();
    return is_sanitized() ? next.aligned_alloc(alignment, size)
                          : give(next.aligned_alloc(alignment, size), size);
}

void *memalign(size_t alignment, size_t size)
{
    if (!has_next())
        return no_memory();
    return is_sanitized() ? next.memalign(alignment, size)
                          : give(next.memalign(alignment, size), size);
}

void *valloc(size_t size)
{
    if (!has_next())
        return no_memory();
    return is_sanitized() ? next.valloc(size) : give(next.valloc(size), size);
}

/* The size is asked for in whole pages. */
void *pvalloc(size_t size)
{
    if (!has_next())
        return no_memory();
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    return is_sanitized() ? next.pvalloc(size)
                          : give(next.pvalloc(size), (size + page - 1) & ~(page - 1));
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    if (!has_next())
        return ENOMEM;
    const int status = next.posix_memalign(block, alignment, size);
    if (status == 0 && !is_sanitized())
        give(*block, size);
    return status;
}

void free(void *block)
{
    heap_table_free(block);
    if (has_next()) /* else the block stays for ever */
        next.free(block);
}

/* Who asks may use all of it. */
size_t malloc_usable_size(void *block)
{
    const size_t size = has_next() ? next.malloc_usable_size(block) : 0;
    if (block && !is_sanitized())
        heap_table_give(block, size, size, busy && *busy);
    return size;
}
