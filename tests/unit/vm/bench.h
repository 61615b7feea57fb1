/* A device's memory, buffers and a launch, for tests that run assembled code through the scheduler.
 */
#ifndef TESTS_UNIT_VM_BENCH_H
#define TESTS_UNIT_VM_BENCH_H

#include "reference/sched/ndrange.h"
#include "reference/vm/memory.h"
#include "tests/unit/vm/assembler.h"

struct bench {
    struct assembler as;
    struct vm_memory *memory;
    struct text log;
    struct observer observer;
    struct sched_argument arguments[16];
    struct sched_launch launch;
    struct sched_result result;
};

void bench_create(struct bench *bench);
void bench_destroy(struct bench *bench);
/* A buffer of zero bytes. */
uint32_t bench_buffer(struct bench *bench, const char *name, uint64_t size, bool defined);
uint32_t bench_make(struct bench *bench, struct vm_buffer_info info);
/* Runs in one dimension; the log begins anew. */
void bench_run(struct bench *bench, uint64_t global_size, uint64_t local_size);
/* The lines of the log that begin with one of the words, separated by '|'. */
const char *bench_lines(struct bench *bench, const char *words);

#endif
