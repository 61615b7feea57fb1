/* The windows through which kernels see the memory of the system (system.h), as objects of a
 * memory, which are made when they are first met. Any thread. */
#ifndef REFERENCE_VM_SYSTEM_WINDOWS_H
#define REFERENCE_VM_SYSTEM_WINDOWS_H

#include "reference/vm/memory.h"
#include "reference/vm/system.h"
#include "trace/base/heap.h"

#include <pthread.h>

struct system_windows {
    pthread_mutex_t lock;
    struct system_ranges ranges;
    uint32_t reads;    /* by the latest launch: of the list of mappings */
    bool met;          /* by the same */
    uint32_t *numbers; /* of objects, two for each window: read-only, writable; 0 = none */
};

/* All else is zero. 0, or an error number. */
int system_windows_init(struct system_windows *windows);
void system_windows_release(struct system_windows *windows);

/* A launch begins. */
void system_windows_begin(struct system_windows *windows);

struct system_access {
    uint64_t address;
    uint32_t size;                 /* bytes */
    const struct vm_blocks *given; /* to the kernel; NULL = nothing is known of that */
    uint64_t hidden, hidden_end;   /* addresses that are no memory of the system */
};

/* The addresses at which such an access may begin, of its window, which is an object of `memory`.
 * False: nothing is mapped there, malloc did not give it, or memory is out. */
bool system_windows_find(struct system_windows *windows, struct vm_memory *memory,
                         const struct system_access *access, struct vm_shared_range *range);
/* Why there are none: the access leaves this block of malloc's, or it was freed. False: it is not
 * by what malloc gave. */
bool system_windows_blame(struct system_windows *windows, const struct system_access *access,
                          struct heap_block *block);

#endif
