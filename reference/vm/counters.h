/* What is counted of a launch, by block and instruction, for a profile of its source. It is
 * interpreted then, on one thread, so that the numbers are the same everywhere. */
#ifndef REFERENCE_VM_COUNTERS_H
#define REFERENCE_VM_COUNTERS_H

#include "reference/vm/exec.h"

#include <stdint.h>

struct access;
struct access_span;

/* GPUs serve so many consecutive work-items at once: their accesses of global memory by lines of
 * memory, those of local memory by banks of 4 bytes, of which each serves one place at a time. */
enum { COUNTERS_LANES = 32, COUNTERS_LINE = 128, COUNTERS_BANKS = 32, COUNTERS_BANK = 4 };

/* Plain accesses of one instruction, or of a line. */
struct vm_access_counts {
    uint64_t global_lines; /* that the work-items touch, counted for each COUNTERS_LANES of them; */
    uint64_t global_least; /* if what they touch lay side by side, in whole lines */
    uint64_t local_turns;  /* that the banks need, */
    uint64_t local_least;  /* without conflicts */
};

struct vm_block_counts {
    uint64_t runs;    /* by a vector */
    uint64_t active;  /* work-items that took part in them, all together */
    uint64_t present; /* work-items of these vectors */
};

struct vm_counters {
    struct vm_block_counts *blocks;    /* by block */
    struct vm_access_counts *accesses; /* by instruction */
};

/* NULL when memory is out. */
struct vm_counters *vm_counters_create(const struct vm_code *code);
void vm_counters_destroy(struct vm_counters *counters); /* NULL is fine */

/* The vector is about to run the block. */
static inline void vm_counters_block(const struct vm_vector *vector, uint32_t block)
{
    struct vm_block_counts *counts = &vector->run->counters->blocks[block];
    counts->runs++;
    counts->active += (uint64_t)__builtin_popcountll(vector->active);
    counts->present += (uint64_t)__builtin_popcountll(vector->lanes);
}
/* The lanes of the span access what it leads to. */
void vm_counters_access(const struct access *access, const struct access_span *span);

/* What is counted of a line. */
struct vm_line_counts {
    const char *file; /* of the code; NULL = not known, and then no line is */
    uint32_t line;
    uint64_t operations; /* instructions, once for a vector whatever its lanes */
    /* Of each operation the work-items that took part, and those of its vector, all together. */
    uint64_t active, present;
    struct vm_access_counts accesses;
};

/* By line, in the order in which the code has them first, those alone that were executed: *count of
 * them, for alloc_free. The operations of all are those of the launch. NULL when memory is out. */
struct vm_line_counts *vm_counters_lines(const struct vm_counters *counters,
                                         const struct vm_code *code, size_t *count);

#endif
