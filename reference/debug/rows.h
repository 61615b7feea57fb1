/* An expression as a tree of rows, of a number of each lane of a vector: what filter.h computes a
 * condition by. */
#ifndef REFERENCE_DEBUG_ROWS_H
#define REFERENCE_DEBUG_ROWS_H

#include "reference/debug/lanes.h"

enum debug_row_kind {
    DEBUG_ROW_FIXED,   /* what the evaluator says of each work-item: it is the same at all times */
    DEBUG_ROW_HOME,    /* a variable, or a part of one, that one home row holds */
    DEBUG_ROW_LOAD,    /* what lies in memory */
    DEBUG_ROW_VIEW,    /* operand 0, whose bits are those of another number */
    DEBUG_ROW_CONVERT, /* operand 0 as another number */
    DEBUG_ROW_OPERATE, /* operands of one kind */
    DEBUG_ROW_CHOOSE,  /* the greater or lower one of two */
    DEBUG_ROW_CALL,
    DEBUG_ROW_CONDITIONAL, /* operand 1 where operand 0 holds, else operand 2 */
    /* Truths: */
    DEBUG_ROW_COMPARE, /* operands of one kind */
    DEBUG_ROW_NOT,
    DEBUG_ROW_LOGICAL
};

/* The lanes of which something holds, is undefined, or not known; of others it does not hold. */
struct debug_truth {
    uint64_t holds, open, unknown;
};

/* A number of each lane. What it is at a stop is computed into it by filter.c. */
struct debug_row {
    enum debug_row_kind kind;
    struct debug_number number; /* as the evaluator has it */
    const struct debug_type *pointee;
    enum debug_lanes_kind lanes_kind;
    struct debug_row *operands[3];
    enum expression_operator op;        /* COMPARE, OPERATE, LOGICAL */
    enum debug_lanes_function function; /* CALL */
    bool greater;                       /* CHOOSE */
    vm_row home;                        /* HOME */
    /* FIXED: */
    const struct expression *expression;
    bool varies;                   /* from work-item to work-item; so it is */
    uint32_t known;                /* known of this vector + 1, 0 = none, */
    uint64_t group[3];             /* of this group */
    struct debug_row_place *place; /* LOAD */
    const void *values;            /* as they were computed last; NULL = as truths are */
    uint32_t count;                /* of elements; 1 = it is that of all lanes */
    vm_row source;                 /* HOME: the row that `values` are of */
    void *buffer;                  /* where they may lie */
    struct debug_truth truth;      /* of others but what is undefined in any bit, or unknown */
    const struct debug_row *by;    /* which knows the bits that are undefined; NULL = all of them */
};

/* Where something lies in memory: from the address of a variable on, or from where a pointer leads
 * to, so many bytes, and so many elements. */
struct debug_row_place {
    const struct debug_variable *variable; /* NULL: */
    struct debug_row *pointer;
    struct debug_row *index;      /* a long; NULL = 0 */
    uint64_t element_size, count; /* of an array's elements; count 0 = who knows */
    uint64_t offset;
    const struct debug_type *type;
    uint64_t undefined[VM_LANES]; /* of what was loaded, bits */
};

/* Of the expression as the lane's place reads it; lies in the arena. NULL: it is not made of scalar
 * numbers alone, or the evaluator would refuse it, or memory is out. */
struct debug_row *debug_rows_make(const struct debug_lane *lane,
                                  const struct expression *expression, struct arena *arena);
/* Is it a number, or a pointer, that is known, and no bit-field? */
bool debug_rows_take(const struct debug_value *value);

#endif
