#include "trace/base/heap.h"

#include <stddef.h>

/* Found by the loader, so that nothing is asked for where memory is freed. NULL: it is not there.
 */
#pragma weak clerk_heap_find

bool heap_find(uint64_t address, struct heap_block *block)
{
    if (clerk_heap_find != NULL)
        return clerk_heap_find(address, block);
    *block = (struct heap_block){0, UINT64_MAX, false};
    return false;
}
