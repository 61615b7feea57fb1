#include "trace/base/heap.h"

#include <stddef.h>

/* Found by the loader, so that nothing is asked for where memory is freed. NULL: they are not
 * there. */
#pragma weak clerk_heap_find
#pragma weak clerk_heap_follow

bool heap_find(uint64_t address, struct heap_block *block)
{
    if (clerk_heap_find != NULL)
        return clerk_heap_find(address, block);
    *block = (struct heap_block){.size = UINT64_MAX};
    return false;
}

void heap_follow(const uint32_t *busy)
{
    if (clerk_heap_follow != NULL)
        clerk_heap_follow(busy);
}
