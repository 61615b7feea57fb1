/* What ops compute, as C. */
#ifndef REFERENCE_NATIVE_OP_TEXT_H
#define REFERENCE_NATIVE_OP_TEXT_H

#include "reference/vm/code.h"

enum native_op_kind {
    NATIVE_OP_NONE,  /* it is left to the interpreter */
    NATIVE_OP_LANE,  /* dst = expression, for each lane, or once for a uniform row */
    NATIVE_OP_OPEN,  /* likewise, where `defined` holds; else it is left to the interpreter */
    NATIVE_OP_TRUTH, /* dst is a mask */
    /* On affine rows, by their `how` in ops.def. */
    NATIVE_OP_LINEAR,
    NATIVE_OP_SCALED,
    NATIVE_OP_SHIFTED,
    NATIVE_OP_JOINED,
    NATIVE_OP_WIDENED,
    NATIVE_OP_ORDERED,
    NATIVE_OP_EQUAL,
};

/* The row of ops.def. */
struct native_op {
    enum native_op_kind kind;
    const char *dst, *a, *b, *c; /* types by their names there; b and c "none" = not there */
    const char *defined;
    const char *expression;
};

/* The instruction set that is generated for. */
struct native_set {
    const char *name; /* vm_machine_name */
    bool rounds; /* it has instructions for ceil, floor, rint and trunc, and for fused multiply and
                    add: else these are functions of the C library, which is not called */
};

/* NULL: a named op, or one that calls functions of the device's or the C library's. */
const struct native_op *native_op_find(const struct native_set *set, enum vm_op op);

#endif
