#include "layer/frees.h"

#include "checkers/host/host.h"
#include "layer/thread.h"
#include "layer/watch.h"
#include "trace/base/heap.h"

#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>

static struct host_checker *checker_of_program(void)
{
    return layer_thread_busy ? NULL : atomic_load_explicit(&watch_checker, memory_order_relaxed);
}

/* Who asks malloc for what a block has may use all of it, so that is not done if need not be. */
static size_t size_of(void *block)
{
    struct heap_block known;
    return heap_find((uintptr_t)block, &known) && known.first == (uintptr_t)block
               ? known.size
               : malloc_usable_size(block);
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
static void freed(struct host_checker *checker, uintptr_t address, size_t size,
                  const char *function)
{
    struct freeing freeing = {checker, address, size, function};
    layer_thread_busy = 1;
    struct layer_thread *thread = layer_thread_find();
    if (thread && room_is_short(&thread->room, __builtin_frame_address(0)))
        room_call(&thread->room, tell_freed, &freeing);
    else
        tell_freed(&freeing);
    layer_thread_busy = 0;
}

void frees_block(void *block)
{
    struct host_checker *checker = checker_of_program();
    if (checker && block)
        freed(checker, (uintptr_t)block, size_of(block), "free");
}

void frees_pages(void *address, size_t size)
{
    struct host_checker *checker = checker_of_program();
    if (checker)
        freed(checker, (uintptr_t)address, size, "munmap");
}

size_t frees_resizing(void *block)
{
    struct host_checker *checker = checker_of_program();
    const size_t size = checker && block ? size_of(block) : 0;
    return size > 0 && lends(checker, (uint64_t)block, size) ? size : 0;
}

void frees_resized(uintptr_t block, size_t lent, const void *moved, size_t size)
{
    struct host_checker *checker = checker_of_program();
    if (checker && lent > 0 && (uintptr_t)moved != block && (moved || size == 0))
        freed(checker, block, lent, "realloc");
}
