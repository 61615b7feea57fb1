/* The function whose instructions are translated, as one call expands it: lower_translate.c makes
 * and walks instances, lower_operand.c finds and keeps values in them. */
#ifndef REFERENCE_LOWER_LOWER_INSTANCE_H
#define REFERENCE_LOWER_LOWER_INSTANCE_H

#include "reference/lower/lower_private.h"

struct return_point {
    uint32_t block;
    struct ir_ref value;
    struct return_point *next;
};

struct lower_instance {
    const struct spv_function *function;
    struct lower_instance *caller;
    const struct spv_instruction *call; /* in the caller; NULL = the kernel */
    uint32_t caller_place;              /* index of the call's place; 0 = none */
    uint32_t depth;
    struct ir_ref *refs; /* by spv_id.index; type NULL = not made yet */
    uint32_t *blocks;    /* by SPIR-V block; 0 = not reachable (but for the first) */
    uint32_t *order;     /* SPIR-V blocks that can be reached */
    uint32_t order_count;
    uint32_t block_index, instruction_index; /* the first by order */
    uint32_t continuation;                   /* where the caller goes on */
    struct return_point *returns;
    uint32_t last_spv_place, last_place;
    uint32_t first_variable; /* of its own, and of those that it calls */
    bool is_kernel;          /* called by what the launch starts, which does nothing else */
};

#endif
