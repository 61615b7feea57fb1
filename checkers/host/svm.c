#include "checkers/host/svm.h"

#include "trace/base/alloc.h"

#include <pthread.h>
#include <string.h>

struct svm_table {
    pthread_mutex_t lock;
    struct svm_range *ranges; /* by ascending address, apart from each other */
    size_t count, capacity;
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
    --table->count;
    memmove(&table->ranges[index], &table->ranges[index + 1],
            (table->count - index) * sizeof *table->ranges);
}

void svm_add(struct svm_table *table, const struct svm_range *range)
{
    pthread_mutex_lock(&table->lock);
    size_t index = ranges_up_to(table, range->address);
    if (index > 0 && table->ranges[index - 1].address == range->address)
        remove_at(table, --index); /* its end was not seen */
    struct svm_range *grown =
        alloc_grow(table->ranges, table->count, &table->capacity, sizeof *table->ranges);
    if (grown) {
        table->ranges = grown;
        memmove(&grown[index + 1], &grown[index], (table->count - index) * sizeof *grown);
        grown[index] = *range;
        ++table->count;
    }
    pthread_mutex_unlock(&table->lock);
}

void svm_remove(struct svm_table *table, uint64_t address)
{
    pthread_mutex_lock(&table->lock);
    const size_t index = ranges_up_to(table, address);
    if (index > 0 && table->ranges[index - 1].address == address)
        remove_at(table, index - 1);
    pthread_mutex_unlock(&table->lock);
}

bool svm_find(struct svm_table *table, uint64_t address, struct svm_range *range)
{
    pthread_mutex_lock(&table->lock);
    const size_t index = ranges_up_to(table, address);
    const struct svm_range *before = index > 0 ? &table->ranges[index - 1] : NULL;
    const bool found = before && address - before->address < before->size;
    if (found)
        *range = *before;
    pthread_mutex_unlock(&table->lock);
    return found;
}
