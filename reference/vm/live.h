/* Which rows of lane code somebody still reads. By units; it may say of more than are. */
#ifndef REFERENCE_VM_LIVE_H
#define REFERENCE_VM_LIVE_H

#include "reference/vm/code.h"
#include "reference/vm/shape.h"

struct live {
    const struct vm_code *code;
    bool *listed;  /* by unit: it is read beside the operands, by whoever its table belongs to */
    bool *exposed; /* by unit: some block reads what another one, or itself before, left there */
    bool *now;     /* by unit, after the instruction that live_after was asked for */
};

/* False when memory is out. */
bool live_init(struct live *live, const struct vm_code *code);
void live_release(struct live *live);

/* Finds live->now: what is still read after the first `count` instructions of the block. */
void live_after(struct live *live, uint32_t block, uint32_t count);
/* From what is read after the instruction to what is read before it. */
void live_before(struct live *live, const struct vm_instruction *in);

/* The units that the operand's row has, but for the terms of an affine one; 0: it is no row. */
static inline uint32_t operand_units(const struct vm_operand *operand)
{
    return operand->kind == VM_OPERAND_ROW ? operand->units * operand->count : 0;
}

#endif
