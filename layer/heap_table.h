/* The table of blocks that malloc gives, by the functions of malloc.
 *
 * It stands beside the memory: to each 16 bytes of it belongs a word of the table, and that of a
 * block's first bytes says how large the block is. So a block costs one store when it is given and
 * one when it is freed, without a lock, which any thread may do, before anything is initialised, in
 * a signal handler and after a fork. Nothing here calls malloc.
 *
 *     memory  | block, 40 bytes       | block, 16 | ...
 *     words   | 40, in use |  0 |  0  | 16, freed |  0 | ...
 *
 * A freed block stays known until memory of it is given again. Words are made by the region, when
 * the first block in it is given; where there is no room for them its blocks are not known.
 *
 * A block at an address that is no multiple of 16 is not known. */
#ifndef LAYER_HEAP_TABLE_H
#define LAYER_HEAP_TABLE_H

#include "trace/base/heap.h"

#include <stddef.h>

/* malloc gave the block (not when it is NULL), of `size` bytes; `usable`: with what it has added;
 * `foreign`: not to the program. Nobody else knows the block yet. */
void heap_table_give(const void *block, size_t size, size_t usable, bool foreign);
/* The block is about to be freed. NULL and blocks that are not known are let pass. */
void heap_table_free(const void *block);
/* It was not: it is as before. */
void heap_table_keep(const void *block);

/* As heap_find. */
bool heap_table_find(uint64_t address, struct heap_block *block);

#endif
