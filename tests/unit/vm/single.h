/* One instruction of lane code on rows that the test fills. */
#ifndef TESTS_UNIT_VM_SINGLE_H
#define TESTS_UNIT_VM_SINGLE_H

#include "reference/vm/exec.h"
#include "tests/unit/vm/assembler.h"

/* Bytes of an element of the types that rows of ops.def name. */
enum {
    SIZE_none = 0xFF,
    SIZE_mask = 0,
    SIZE_u8 = 1,
    SIZE_u16 = 2,
    SIZE_u32 = 4,
    SIZE_u64 = 8,
    SIZE_s8 = 1,
    SIZE_s16 = 2,
    SIZE_s32 = 4,
    SIZE_s64 = 8,
    SIZE_f16 = 2,
    SIZE_f32 = 4,
    SIZE_f64 = 8
};

enum { FRAME_UNITS = 1024 };

struct single {
    struct assembler as;
    struct vm_run run;
    struct vm_vector vector;
    uint8_t units[FRAME_UNITS * VM_UNIT_SIZE] __attribute__((aligned(VM_UNIT_SIZE)));
    uint64_t undefined[FRAME_UNITS];
    uint64_t pending[4], ready[2];
};

void single_init(struct single *single);
uint8_t *single_row(struct single *single, vm_row row);
/* Runs what was assembled, one block that ends with a return, for the lanes of the mask. */
void single_run(struct single *single, uint64_t mask);
/* Runs a block of this instruction alone. */
void single_execute(struct single *single, struct vm_instruction instruction, uint64_t mask);

#endif
