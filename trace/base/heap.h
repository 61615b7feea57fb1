/* Which blocks of memory this process has from malloc, and had.
 *
 * They are known from its start where clerk's library that keeps a table of them is preloaded
 * (layer/preload_heap.c), as `clerk run` does for its own device and recordings; else none is. Any
 * thread. */
#ifndef TRACE_BASE_HEAP_H
#define TRACE_BASE_HEAP_H

#include <stdbool.h>
#include <stdint.h>

struct heap_block {
    uint64_t first, size; /* in bytes, as it was asked for */
    bool freed;           /* and since then not given again by malloc; it may be mapped anew */
    bool foreign;         /* not the program's: of a thread that was in a call of OpenCL */
};

/* The block that the byte is in, or that it is just behind: in those bytes that the allocator has
 * added to the block, which are nobody's. False = none is known; then `first` and `size` tell of
 * bytes around it, it at least, of which none is of a known block. */
bool heap_find(uint64_t address, struct heap_block *block);

/* The calling thread is in a call of OpenCL while *busy is not 0, which stays to its end. */
void heap_follow(const uint32_t *busy);

/* The same, of the preloaded library. */
bool clerk_heap_find(uint64_t address, struct heap_block *block);
void clerk_heap_follow(const uint32_t *busy);

#endif
