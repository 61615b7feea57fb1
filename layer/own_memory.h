/* Parts of the memory that the program has by its own means: where they begin and end, and those
 * that were found (found.h). The caller keeps threads apart. */
#ifndef LAYER_OWN_MEMORY_H
#define LAYER_OWN_MEMORY_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct own_part {
    uint64_t first, size; /* in bytes */
    bool is_block;        /* that malloc gave; else a mapping of the process, or part of it */
};

/* The block of the program's that the address lies in, if what malloc gave is known
 * (trace/base/heap.h). */
bool own_part_find_block(uint64_t address, struct own_part *part);
/* The mapping; of the calling thread's stack what lies above the frame of a call. */
bool own_part_find_mapping(uint64_t address, const void *frame, struct own_part *part);
/* Is it still there, as large as it was? */
bool own_part_is_current(const struct own_part *part);

struct own_memory {
    pthread_mutex_t mutex; /* for the caller */
    struct own_part *list;
    size_t count, capacity;
    uint64_t size;    /* of all, in bytes */
    uint64_t version; /* another one after each change */
};

struct own_memory *own_memory_create(void);         /* NULL when memory is out */
void own_memory_destroy(struct own_memory *memory); /* NULL is fine */

/* False when memory is out. */
bool own_memory_add(struct own_memory *memory, const struct own_part *part);
void own_memory_remove(struct own_memory *memory, size_t index);
/* The number of one that the address lies in, or that has bytes of the other; `count` = none. */
size_t own_memory_find(const struct own_memory *memory, uint64_t address);
size_t own_memory_find_overlapping(const struct own_memory *memory, const struct own_part *other);

#endif
