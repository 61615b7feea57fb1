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

/* What an operand is by the op's row in ops.def. */
struct vm_operand_form {
    uint8_t kind;         /* enum vm_operand_kind */
    uint8_t width, count; /* of a row; 0 bytes = a mask */
    bool uniform, affine, floating;
};

struct vm_op_form {
    struct vm_operand_form operands[VM_OPERAND_COUNT];
    uint32_t traits;
    bool uniform; /* a lane op on uniform rows, whatever its operands say */
    bool affine;  /* likewise on affine rows */
};
const struct vm_op_form *vm_op_form(enum vm_op op);
/* The form on affine rows of an op that has VM_AFFINE; does that read value `index` of its operands
 * as an affine row? */
enum vm_op vm_affine_op(enum vm_op op);
bool vm_reads_affine(enum vm_op op, uint32_t index);

/* What an operand of an instruction is. */
struct vm_operand {
    enum vm_operand_kind kind;
    bool uniform;   /* a number that is the same for all lanes */
    bool affine;    /* an affine row: its first unit of `units` comes after that of its terms */
    uint32_t units; /* of one component: its width when varying, else 1 */
    uint32_t count; /* components, one after the other */
};

struct vm_shape {
    struct vm_operand operands[VM_OPERAND_COUNT]; /* dst, a, b, c */
    uint32_t traits;                              /* of the op */
};

/* The instruction's op is a valid one. */
void vm_shape_get(const struct vm_instruction *in, struct vm_shape *shape);

/* Our own lane code breaks no rule of code.h: rows lie in the frame, blocks end as they must,
 * indices are in range. An ASSERT for each: lower and exec were written apart. */
void vm_code_check(const struct vm_code *code);

#endif
