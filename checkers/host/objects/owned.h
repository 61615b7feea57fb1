/* Memory of the host that buffers use as their own (CL_MEM_USE_HOST_PTR), for as long as they live.
 * Any thread. */
#ifndef CHECKERS_HOST_OBJECTS_OWNED_H
#define CHECKERS_HOST_OBJECTS_OWNED_H

#include <stdbool.h>
#include <stdint.h>

struct object_table;
struct owned_table;

struct owned_range {
    uint64_t address, size;
    uint64_t handle, serial; /* of the buffer, and its life */
    bool used;               /* by a command */
};

/* NULL when memory is out. */
struct owned_table *owned_table_create(struct object_table *objects);
void owned_table_destroy(struct owned_table *table);

void owned_add(struct owned_table *table, uint64_t handle, uint64_t address, uint64_t size);
/* The first buffer that has a byte of these; false = none. */
bool owned_find(struct owned_table *table, uint64_t address, uint64_t size,
                struct owned_range *range);
/* Are there any? Without a lock. */
bool owned_any(const struct owned_table *table);
/* A command uses the buffer. Another one that has bytes of its memory, and was used: *other. */
bool owned_use(struct owned_table *table, uint64_t handle, struct owned_range *other);

#endif
