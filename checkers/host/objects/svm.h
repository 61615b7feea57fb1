/* Shared virtual memory, unified shared memory too: the allocations that are alive, by address, and
 * where they are mapped. Any thread. */
#ifndef CHECKERS_HOST_OBJECTS_SVM_H
#define CHECKERS_HOST_OBJECTS_SVM_H

#include "checkers/host/objects/object.h"

struct svm_table;

struct svm_range {
    uint64_t address, size;
    uint64_t flags; /* as given to clSVMAlloc */
    uint64_t context;
    bool unified; /* of cl_intel_unified_shared_memory */
    /* The call that is ending it; 0 = none. From the beginning of that call it is not found: a
     * driver may give its address to another allocation before the call returns. */
    uint64_t ending;
    bool handed; /* to a command that lets a function of the program's end it */
    struct object_moment created;
    uint32_t ordinal; /* from 1, in the order of creation; svm_add counts */
};

/* NULL when memory is out. */
struct svm_table *svm_table_create(void);
void svm_table_destroy(struct svm_table *table);

void svm_add(struct svm_table *table, const struct svm_range *range);
/* The allocation that starts there is being ended by that call; the call has returned, and it has
 * ended or not. */
void svm_end(struct svm_table *table, uint64_t address, uint64_t call_id);
enum svm_end { SVM_STAYS, SVM_ENDED_BY_COMMAND, SVM_FREED };
void svm_settle(struct svm_table *table, uint64_t address, uint64_t call_id, enum svm_end end);
/* A command was enqueued whose function is to end it. */
void svm_hand(struct svm_table *table, uint64_t address);
/* Those that are alive and not handed to a command, in the order of their creation. *count of them
 * in a block that the caller frees with alloc_free; NULL when there are none or memory is out. */
struct svm_range *svm_list_held(struct svm_table *table, size_t *count);
/* The allocation that has the byte at this address; false = none that we know. */
bool svm_find(struct svm_table *table, uint64_t address, struct svm_range *range);
/* Was the byte at this address in an allocation that is freed, and in none since? Of the last 64
 * that calls freed, not commands. `version` of the answers changes with each of them. */
bool svm_is_gone(struct svm_table *table, uint64_t address);
uint64_t svm_version(const struct svm_table *table);

/* A region that starts there is mapped, once more; the latest one is unmapped. */
void svm_map(struct svm_table *table, uint64_t address);
void svm_unmap(struct svm_table *table, uint64_t address);
/* True also if a map may have been forgotten, when memory was out. */
bool svm_is_mapped(struct svm_table *table, uint64_t address);
/* Is a region within it certainly mapped? */
bool svm_has_map(struct svm_table *table, const struct svm_range *range);

#endif
