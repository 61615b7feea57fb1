/* For tests: kernels of tests/unit/vm/kernels, compiled to SPIR-V by the build, lowered and run. A
 * failure fails the test. */
#ifndef TESTS_UNIT_VM_KERNEL_RUN_H
#define TESTS_UNIT_VM_KERNEL_RUN_H

#include "reference/lower/lower.h"
#include "reference/sched/ndrange.h"
#include "reference/vm/memory.h"

#include <stddef.h>
#include <stdint.h>

/* NAME-O0 or NAME-O2; the caller destroys it. */
struct spv_module *kernel_run_load(const char *module);
/* The code is checked for its shape. */
struct vm_code *kernel_run_lower(const struct spv_module *module, const char *kernel);

/* One kernel with its memory. Create; set the arguments; execute; get. */
struct kernel_run {
    struct spv_module *module;
    struct vm_code *code;
    struct vm_memory *memory;
    struct sched_argument arguments[8];
    uint32_t globals[8];
};

void kernel_run_create(struct kernel_run *run, const char *module, const char *kernel);
void kernel_run_destroy(struct kernel_run *run);
/* Argument `index` becomes a new buffer; bytes NULL = zeros. */
void kernel_run_set_buffer(struct kernel_run *run, uint32_t index, const void *bytes, size_t size);
void kernel_run_get_buffer(struct kernel_run *run, uint32_t index, void *bytes, size_t size);
/* Makes the program-scope variables; kernel_run_execute does it first. */
void kernel_run_make_globals(struct kernel_run *run);
void kernel_run_execute(struct kernel_run *run, uint64_t global_size, uint64_t local_size);

#endif
