/* What the program frees while OpenCL uses it is told to the checker. The functions that free
 * memory call these, of which those of the preloaded library stand before the C library's
 * (preload_frees.c) and those of the layer take their place in the program's own tables
 * (linked_frees.c).
 *
 * What clerk and the driver free in a call of the program's is not the program's. While no memory
 * is in use, each costs a few nanoseconds. Any thread. */
#ifndef LAYER_FREES_H
#define LAYER_FREES_H

#include <stddef.h>
#include <stdint.h>

/* free and munmap are about to be called. */
void frees_block(void *block);
void frees_pages(void *address, size_t size);
/* realloc is: how many bytes of the block must not be freed; then it was. A block that moved was
 * freed. */
size_t frees_resizing(void *block);
void frees_resized(uintptr_t block, size_t lent, const void *moved, size_t size);

/* Memory of the program's is about to be used: from now on what it frees is to be seen. The shape
 * of host_lend; `user` is not used. */
void frees_watch(void *user);

#endif
