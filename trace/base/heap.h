/* Which blocks of memory this process has from malloc, and had.
 *
 * They are known from its start where clerk's library that keeps a table of them is preloaded
 * (layer/preload_heap.c), as `clerk run --device reference` does; else none is. Any thread. */
#ifndef TRACE_BASE_HEAP_H
#define TRACE_BASE_HEAP_H

#include <stdbool.h>
#include <stdint.h>

struct heap_block {
    uint64_t first, size; /* in bytes, as it was asked for */
    bool freed;           /* and since then not given again by malloc; it may be mapped anew */
};

/* The block that the byte is in, or that it is just behind: in those bytes that the allocator has
 * added to the block, which are nobody's. False = none is known; then `first` and `size` tell of
 * bytes around it, it at least, of which none is of a known block. */
bool heap_find(uint64_t address, struct heap_block *block);

/* The same, of the preloaded library. */
bool clerk_heap_find(uint64_t address, struct heap_block *block);

#endif
