#include "checkers/host/checker.h"

#include "checkers/host/objects/object.h"
#include "trace/base/alloc.h"

#include <pthread.h>
#include <stdatomic.h>

struct host_ptr_table {
    struct object_table *objects;
    pthread_mutex_t lock; /* guards the ranges */
    struct host_ptr_range *ranges;
    size_t count, capacity;
    atomic_bool any;
};

struct host_ptr_table *host_ptr_table_create(struct object_table *objects)
{
    struct host_ptr_table *table = alloc_zero(1, sizeof *table);
    if (!table)
        return NULL;
    table->objects = objects;
    pthread_mutex_init(&table->lock, NULL);
    return table;
}

void host_ptr_table_destroy(struct host_ptr_table *table)
{
    if (!table)
        return;
    pthread_mutex_destroy(&table->lock);
    alloc_free(table->ranges);
    alloc_free(table);
}

static bool is_alive(const struct host_ptr_table *table, const struct host_ptr_range *range)
{
    return object_serial(table->objects, range->handle) == range->serial &&
           object_state(table->objects, range->handle).standing != OBJECT_DEAD;
}

static bool meet(const struct host_ptr_range *range, uint64_t address, uint64_t size)
{
    return range->address < address ? address - range->address < range->size
                                    : range->address - address < size;
}

static void drop_dead(struct host_ptr_table *table)
{
    size_t kept = 0;
    for (size_t i = 0; i < table->count; ++i)
        if (is_alive(table, &table->ranges[i]))
            table->ranges[kept++] = table->ranges[i];
    table->count = kept;
    atomic_store_explicit(&table->any, kept > 0, memory_order_relaxed);
}

void host_ptr_add(struct host_ptr_table *table, uint64_t handle, uint64_t address, uint64_t size)
{
    pthread_mutex_lock(&table->lock);
    drop_dead(table);
    struct host_ptr_range *grown =
        alloc_grow(table->ranges, table->count, &table->capacity, sizeof *table->ranges);
    if (grown) {
        table->ranges = grown;
        atomic_store_explicit(&table->any, true, memory_order_relaxed);
        grown[table->count++] =
            (struct host_ptr_range){.address = address,
                                    .size = size,
                                    .handle = handle,
                                    .serial = object_serial(table->objects, handle)};
    }
    pthread_mutex_unlock(&table->lock);
}

bool host_ptr_find(struct host_ptr_table *table, uint64_t address, uint64_t size,
                   struct host_ptr_range *range)
{
    bool found = false;
    pthread_mutex_lock(&table->lock);
    for (size_t i = 0; i < table->count && !found; ++i) {
        *range = table->ranges[i];
        found = meet(range, address, size) && is_alive(table, range);
    }
    pthread_mutex_unlock(&table->lock);
    return found;
}

bool host_ptr_any(const struct host_ptr_table *table)
{
    return atomic_load_explicit(&table->any, memory_order_relaxed);
}

bool host_ptr_use(struct host_ptr_table *table, uint64_t handle, struct host_ptr_range *other)
{
    struct host_ptr_range *self = NULL;
    bool found = false;
    pthread_mutex_lock(&table->lock);
    drop_dead(table);
    for (size_t i = 0; i < table->count && !self; ++i)
        if (table->ranges[i].handle == handle)
            self = &table->ranges[i];
    for (size_t i = 0; self && i < table->count && !found; ++i) {
        const struct host_ptr_range *range = &table->ranges[i];
        found = range != self && range->used && meet(range, self->address, self->size);
        if (found)
            *other = *range;
    }
    if (self)
        self->used = true;
    pthread_mutex_unlock(&table->lock);
    return found;
}
