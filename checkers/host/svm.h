/* Shared virtual memory, unified shared memory too: the allocations that are alive, by address, and
 * where they are mapped. Any thread. */
#ifndef CHECKERS_HOST_SVM_H
#define CHECKERS_HOST_SVM_H

#include <stdbool.h>
#include <stdint.h>

struct svm_table;

struct svm_range {
    uint64_t address, size;
    uint64_t flags; /* as given to clSVMAlloc */
    uint64_t context;
    bool unified; /* of cl_intel_unified_shared_memory */
};

/* NULL when memory is out. */
struct svm_table *svm_table_create(void);
void svm_table_destroy(struct svm_table *table);

void svm_add(struct svm_table *table, const struct svm_range *range);
/* The allocation that starts there ends. */
void svm_remove(struct svm_table *table, uint64_t address);
/* The allocation that has the byte at this address; false = none that we know. */
bool svm_find(struct svm_table *table, uint64_t address, struct svm_range *range);

/* A region that starts there is mapped, once more; the latest one is unmapped. */
void svm_map(struct svm_table *table, uint64_t address);
void svm_unmap(struct svm_table *table, uint64_t address);
/* True also if a map may have been forgotten, when memory was out. */
bool svm_is_mapped(struct svm_table *table, uint64_t address);

#endif
