/* Memory of the host that buffers use as their own (CL_MEM_USE_HOST_PTR), for as long as they live.
 * Any thread. */
#ifndef CHECKERS_HOST_OBJECTS_HOST_PTR_BUFFERS_H
#define CHECKERS_HOST_OBJECTS_HOST_PTR_BUFFERS_H

#include <stdbool.h>
#include <stdint.h>

struct object_table;
struct host_ptr_table;

struct host_ptr_range {
    uint64_t address, size;
    uint64_t handle, serial; /* of the buffer, and its life */
    bool used;               /* by a command */
};

/* NULL when memory is out. */
struct host_ptr_table *host_ptr_table_create(struct object_table *objects);
void host_ptr_table_destroy(struct host_ptr_table *table);

void host_ptr_add(struct host_ptr_table *table, uint64_t handle, uint64_t address, uint64_t size);
/* The first buffer that has a byte of these; false = none. */
bool host_ptr_find(struct host_ptr_table *table, uint64_t address, uint64_t size,
                   struct host_ptr_range *range);
/* Are there any? Without a lock. */
bool host_ptr_any(const struct host_ptr_table *table);
/* A command uses the buffer. Another one that has bytes of its memory, and was used: *other. */
bool host_ptr_use(struct host_ptr_table *table, uint64_t handle, struct host_ptr_range *other);

#endif
