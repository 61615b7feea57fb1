#include "checkers/host/objects/owned.h"

#include "checkers/host/objects/object.h"
#include "trace/base/alloc.h"

#include <pthread.h>
#include <stdatomic.h>

struct owned_table {
    struct object_table *objects;
    pthread_mutex_t lock; /* guards the ranges */
    struct owned_range *ranges;
    size_t count, capacity;
    atomic_bool any;
};

struct owned_table *owned_table_create(struct object_table *objects)
{
    struct owned_table *table = alloc_zero(1, sizeof *table);
    if (!table)
        return NULL;
    table->objects = objects;
    pthread_mutex_init(&table->lock, NULL);
    return table;
}

void owned_table_destroy(struct owned_table *table)
{
    if (!table)
        return;
    pthread_mutex_destroy(&table->lock);
    alloc_free(table->ranges);
    alloc_free(table);
}

static bool is_alive(const struct owned_table *table, const struct owned_range *range)
{
    return object_serial(table->objects, range->handle) == range->serial &&
           object_state(table->objects, range->handle).standing != OBJECT_DEAD;
}

static bool meet(const struct owned_range *range, uint64_t address, uint64_t size)
{
    return range->address < address ? address - range->address < range->size
                                    : range->address - address < size;
}

static void drop_dead(struct owned_table *table)
{
    size_t kept = 0;
    for (size_t i = 0; i < table->count; ++i)
        if (is_alive(table, &table->ranges[i]))
            table->ranges[kept++] = table->ranges[i];
    table->count = kept;
    atomic_store_explicit(&table->any, kept > 0, memory_order_relaxed);
}

static bool find(struct owned_table *table, uint64_t address, uint64_t size,
                 struct owned_range *range)
{
    for (size_t i = 0; i < table->count; ++i) {
        if (meet(&table->ranges[i], address, size) && is_alive(table, &table->ranges[i])) {
            *range = table->ranges[i];
            return true;
        }
    }
    return false;
}

void owned_add(struct owned_table *table, uint64_t handle, uint64_t address, uint64_t size)
{
    pthread_mutex_lock(&table->lock);
    drop_dead(table);
    struct owned_range *grown =
        alloc_grow(table->ranges, table->count, &table->capacity, sizeof *table->ranges);
    if (grown) {
        table->ranges = grown;
        atomic_store_explicit(&table->any, true, memory_order_relaxed);
        grown[table->count++] =
            (struct owned_range){.address = address,
                                 .size = size,
                                 .handle = handle,
                                 .serial = object_serial(table->objects, handle)};
    }
    pthread_mutex_unlock(&table->lock);
}

bool owned_find(struct owned_table *table, uint64_t address, uint64_t size,
                struct owned_range *range)
{
    pthread_mutex_lock(&table->lock);
    const bool found = find(table, address, size, range);
    pthread_mutex_unlock(&table->lock);
    return found;
}

bool owned_any(const struct owned_table *table)
{
    return atomic_load_explicit(&table->any, memory_order_relaxed);
}

bool owned_use(struct owned_table *table, uint64_t handle, struct owned_range *other)
{
    struct owned_range *self = NULL;
    bool found = false;
    pthread_mutex_lock(&table->lock);
    drop_dead(table);
    for (size_t i = 0; i < table->count && !self; ++i)
        if (table->ranges[i].handle == handle)
            self = &table->ranges[i];
    for (size_t i = 0; self && i < table->count && !found; ++i) {
        const struct owned_range *range = &table->ranges[i];
        found = range != self && range->used && meet(range, self->address, self->size);
        if (found)
            *other = *range;
    }
    if (self)
        self->used = true;
    pthread_mutex_unlock(&table->lock);
    return found;
}
