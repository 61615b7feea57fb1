/* Lane code by hand, for the tests of the machine and the scheduler, and an observer that writes
 * down what it is told. Everything is of fixed size and asserts that it fits. */
#ifndef TESTS_UNIT_VM_ASSEMBLER_H
#define TESTS_UNIT_VM_ASSEMBLER_H

#include "checkers/kernel/observer.h"
#include "reference/vm/code.h"
#include "trace/base/text.h"

enum { ASSEMBLER_MAX = 512 };

struct assembler {
    struct vm_code code; /* complete after assembler_finish */
    struct vm_instruction instructions[ASSEMBLER_MAX];
    struct vm_block blocks[64];
    struct vm_constant constants[64];
    struct vm_parameter parameters[16];
    struct vm_variable variables[16];
    struct vm_atomic atomics[16];
    struct vm_barrier barriers[16];
    vm_row counters[16][4];
    struct vm_row_name row_names[16];
};

void assembler_init(struct assembler *as);
const struct vm_code *assembler_finish(struct assembler *as);

vm_row as_row(struct assembler *as, uint32_t width, uint32_t count); /* varying rows */
vm_row as_unit(struct assembler *as);                                /* a uniform or mask row */
vm_row as_constant(struct assembler *as, uint32_t width, bool uniform, uint64_t bits);
vm_row as_query(struct assembler *as, enum vm_query query, uint32_t dimension);
vm_row as_buffer(struct assembler *as,
                 const char *name); /* a global pointer argument: uniform row */
vm_row as_local_argument(struct assembler *as, const char *name);
vm_row as_value(struct assembler *as, uint32_t width, uint32_t count);
vm_row as_variable(struct assembler *as, enum vm_variable_region region, const char *name,
                   uint64_t size);
void as_name(struct assembler *as, vm_row row, const char *name);

/* Begins a block and gives its number; its last instruction is a terminator. */
uint32_t as_block(struct assembler *as);
/* Emits an instruction and gives its site. */
uint32_t as_emit(struct assembler *as, struct vm_instruction instruction);
uint32_t as_op(struct assembler *as, enum vm_op op, vm_row dst, uint32_t a, uint32_t b, uint32_t c);
/* base (uniform pointer row) + index (varying 64-bit row) * scale: a varying row of addresses. */
vm_row as_address(struct assembler *as, vm_row base, vm_row index, int32_t scale);
vm_row as_load(struct assembler *as, vm_row address, uint32_t width, uint32_t count);
void as_store(struct assembler *as, vm_row address, vm_row value, uint32_t width, uint32_t count);
void as_branch(struct assembler *as, uint32_t block);
void as_branch_if(struct assembler *as, vm_row mask, uint32_t yes, uint32_t no);
void as_return(struct assembler *as);
/* A barrier of the work-group (or sub-group) that goes on in block `next`. */
uint32_t as_barrier(struct assembler *as, enum observer_scope execution, uint32_t flags,
                    uint32_t next, const vm_row *counters, uint32_t counter_count);
uint32_t as_atomic(struct assembler *as, enum vm_op op, uint32_t width, vm_row dst, vm_row a,
                   vm_row b, vm_row c);

/* Writes a line for each event into `text`. */
struct observer log_observer(struct text *text);

#endif
