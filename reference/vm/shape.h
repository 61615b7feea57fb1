/* What the operands of an instruction are, for those who read code without running it: the listing,
 * the check of lane code before it runs, the search for origins. */
#ifndef REFERENCE_VM_SHAPE_H
#define REFERENCE_VM_SHAPE_H

#include "reference/vm/code.h"

enum vm_operand_index {
    VM_OPERAND_DST,
    VM_OPERAND_A,
    VM_OPERAND_B,
    VM_OPERAND_C,
    VM_OPERAND_COUNT,
};

enum vm_operand_kind {
    VM_OPERAND_NONE,
    VM_OPERAND_ROW,
    VM_OPERAND_BLOCK,
    VM_OPERAND_NUMBER, /* an immediate */
};

struct vm_operand {
    enum vm_operand_kind kind;
    uint32_t units;  /* of one row: its width when varying, else 1 */
    uint32_t stride; /* units from one component to the next */
    uint32_t count;  /* components */
};

struct vm_shape {
    struct vm_operand operands[VM_OPERAND_COUNT]; /* dst, a, b, c */
    bool terminator;
    bool memory;  /* reads or writes memory */
    bool atomic;  /* aux is an index into atomics */
    bool barrier; /* aux is an index into barriers */
    bool sized;   /* width and count mean something */
};

/* The instruction's op is a valid one. */
void vm_shape_get(const struct vm_instruction *in, struct vm_shape *shape);

/* Our own lane code breaks no rule of code.h: rows lie in the frame, blocks end as they must,
 * indices are in range. An ASSERT for each: lower and exec were written apart. */
void vm_code_check(const struct vm_code *code);

#endif
