#include "checkers/host/objects/svm.h"

#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum { GONE_MAX = 64 };

struct svm_table {
    pthread_mutex_t lock;
    struct gone {
        uint64_t address, size;
    } gone[GONE_MAX]; /* the latest allocations that were freed; size 0 = none */
    size_t next_gone;
    _Atomic uint64_t version;
    struct svm_range *ranges; /* by ascending address, apart from each other */
    size_t count, capacity;
    uint64_t *maps; /* where regions that are mapped start, each as often as it is */
    size_t map_count, map_capacity;
    bool forgetful;   /* one could not be kept */
    uint32_t ordinal; /* of the latest allocation */
};

struct svm_table *svm_table_create(void)
{
    struct svm_table *table = alloc_zero(1, sizeof *table);
    if (table)
        pthread_mutex_init(&table->lock, NULL);
    return table;
}

void svm_table_destroy(struct svm_table *table)
{
    if (!table)
        return;
    pthread_mutex_destroy(&table->lock);
    alloc_free(table->ranges);
    alloc_free(table->maps);
    alloc_free(table);
}

/* The number of ranges that start at or before the address. */
static size_t ranges_up_to(const struct svm_table *table, uint64_t address)
{
    size_t low = 0;
    size_t high = table->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (table->ranges[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void remove_at(struct svm_table *table, size_t index)
{
    ASSERT(index < table->count);
    --table->count;
    memmove(&table->ranges[index], &table->ranges[index + 1],
            (table->count - index) * sizeof *table->ranges);
}

/* What was mapped of memory that has ended. */
static void forget_maps(struct svm_table *table, const struct svm_range *range)
{
    size_t kept = 0;
    for (size_t i = 0; i < table->map_count; ++i) {
        if (table->maps[i] - range->address >= range->size)
            table->maps[kept++] = table->maps[i];
    }
    table->map_count = kept;
}

/* Memory is there again. */
static void forget_gone(struct svm_table *table, const struct svm_range *range)
{
    for (size_t i = 0; i < GONE_MAX; ++i) {
        struct gone *gone = &table->gone[i];
        if (gone->address - range->address < range->size ||
            range->address - gone->address < gone->size)
            gone->size = 0;
    }
}

static void remember_gone(struct svm_table *table, const struct svm_range *range)
{
    table->gone[table->next_gone++ % GONE_MAX] = (struct gone){range->address, range->size};
    atomic_fetch_add_explicit(&table->version, 1, memory_order_release);
}

void svm_add(struct svm_table *table, const struct svm_range *range)
{
    pthread_mutex_lock(&table->lock);
    forget_maps(table, range);
    forget_gone(table, range);
    size_t index = ranges_up_to(table, range->address);
    if (index > 0 && table->ranges[index - 1].address == range->address)
        remove_at(table, --index); /* its end was not seen */
    struct svm_range *grown =
        alloc_grow(table->ranges, table->count, &table->capacity, sizeof *table->ranges);
    if (grown) {
        table->ranges = grown;
        ASSERT(index == table->count || range->address < grown[index].address);
        memmove(&grown[index + 1], &grown[index], (table->count - index) * sizeof *grown);
        grown[index] = *range;
        grown[index].ordinal = ++table->ordinal;
        ++table->count;
    }
    pthread_mutex_unlock(&table->lock);
}

/* The one that starts there; its end = none. */
static size_t find_start(const struct svm_table *table, uint64_t address)
{
    const size_t index = ranges_up_to(table, address);
    return index > 0 && table->ranges[index - 1].address == address ? index - 1 : table->count;
}

void svm_end(struct svm_table *table, uint64_t address, uint64_t call_id)
{
    pthread_mutex_lock(&table->lock);
    const size_t index = find_start(table, address);
    if (index < table->count && table->ranges[index].ending == 0)
        table->ranges[index].ending = call_id;
    pthread_mutex_unlock(&table->lock);
}

void svm_settle(struct svm_table *table, uint64_t address, uint64_t call_id, enum svm_end end)
{
    pthread_mutex_lock(&table->lock);
    const size_t index = find_start(table, address);
    if (index < table->count && table->ranges[index].ending == call_id) {
        table->ranges[index].ending = 0;
        if (end == SVM_FREED)
            remember_gone(table, &table->ranges[index]);
        if (end != SVM_STAYS)
            remove_at(table, index);
    }
    pthread_mutex_unlock(&table->lock);
}

void svm_hand(struct svm_table *table, uint64_t address)
{
    pthread_mutex_lock(&table->lock);
    const size_t index = find_start(table, address);
    if (index < table->count)
        table->ranges[index].handed = true;
    pthread_mutex_unlock(&table->lock);
}

static int compare_ordinals(const void *left, const void *right)
{
    const uint32_t a = ((const struct svm_range *)left)->ordinal;
    const uint32_t b = ((const struct svm_range *)right)->ordinal;
    return (a > b) - (a < b);
}

struct svm_range *svm_list_held(struct svm_table *table, size_t *count)
{
    *count = 0;
    pthread_mutex_lock(&table->lock);
    struct svm_range *list = table->count ? alloc_zero(table->count, sizeof *list) : NULL;
    for (size_t i = 0; list && i < table->count; ++i)
        if (!table->ranges[i].handed && table->ranges[i].ending == 0)
            list[(*count)++] = table->ranges[i];
    pthread_mutex_unlock(&table->lock);
    if (list)
        qsort(list, *count, sizeof *list, compare_ordinals);
    return list;
}

bool svm_find(struct svm_table *table, uint64_t address, struct svm_range *range)
{
    pthread_mutex_lock(&table->lock);
    const size_t index = ranges_up_to(table, address);
    const struct svm_range *before = index > 0 ? &table->ranges[index - 1] : NULL;
    const bool found = before && before->ending == 0 && address - before->address < before->size;
    if (found)
        *range = *before;
    pthread_mutex_unlock(&table->lock);
    return found;
}

bool svm_is_gone(struct svm_table *table, uint64_t address)
{
    bool gone = false;
    if (svm_version(table) == 0)
        return false;
    pthread_mutex_lock(&table->lock);
    for (size_t i = 0; i < GONE_MAX; ++i)
        gone |= address - table->gone[i].address < table->gone[i].size;
    pthread_mutex_unlock(&table->lock);
    return gone;
}

uint64_t svm_version(const struct svm_table *table)
{
    return atomic_load_explicit(&table->version, memory_order_acquire);
}

/* ---- maps ---- */

void svm_map(struct svm_table *table, uint64_t address)
{
    pthread_mutex_lock(&table->lock);
    uint64_t *grown =
        alloc_grow(table->maps, table->map_count, &table->map_capacity, sizeof *table->maps);
    if (grown) {
        table->maps = grown;
        grown[table->map_count++] = address;
    } else {
        table->forgetful = true;
    }
    pthread_mutex_unlock(&table->lock);
}

/* Its place among the maps; their number = it is not there. */
static size_t find_map(const struct svm_table *table, uint64_t address)
{
    size_t index = 0;
    while (index < table->map_count && table->maps[index] != address)
        ++index;
    return index;
}

void svm_unmap(struct svm_table *table, uint64_t address)
{
    pthread_mutex_lock(&table->lock);
    const size_t index = find_map(table, address);
    if (index < table->map_count)
        table->maps[index] = table->maps[--table->map_count];
    pthread_mutex_unlock(&table->lock);
}

bool svm_has_map(struct svm_table *table, const struct svm_range *range)
{
    bool has = false;
    pthread_mutex_lock(&table->lock);
    for (size_t i = 0; i < table->map_count; ++i)
        has |= table->maps[i] - range->address < range->size;
    pthread_mutex_unlock(&table->lock);
    return has;
}

bool svm_is_mapped(struct svm_table *table, uint64_t address)
{
    pthread_mutex_lock(&table->lock);
    const bool mapped = table->forgetful || find_map(table, address) < table->map_count;
    pthread_mutex_unlock(&table->lock);
    return mapped;
}
