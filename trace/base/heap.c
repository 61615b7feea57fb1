#include "trace/base/heap.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

static bool find_none(uint64_t address, struct heap_block *block)
{
    (void)address;
    *block = (struct heap_block){0, UINT64_MAX, false};
    return false;
}

/* What is preloaded was there before us. */
bool heap_find(uint64_t address, struct heap_block *block)
{
    static heap_find_function *_Atomic found;
    heap_find_function *function = atomic_load_explicit(&found, memory_order_relaxed);
    if (!function) {
        void *symbol = dlsym(RTLD_DEFAULT, HEAP_FIND_FUNCTION);
        function = symbol ? (heap_find_function *)symbol : find_none;
        atomic_store_explicit(&found, function, memory_order_relaxed);
    }
    return function(address, block);
}
