/* What of a kernel's code lets its work-items learn which of them came first, and where lanes of a
 * sub-group have to be together.
 *
 * Without atomic operations, volatile accesses, pipes and queues of the device, work-items that do
 * not race do the same in whatever order they run. Neither does a histogram tell the order: updates
 * of one operation that commutes, of which nobody needs what they find. They have to be relaxed,
 * and without fences: what an update releases another one may acquire. */
#include "reference/lower/lower_private.h"

/* What an update does, if it gives the same in whatever order it is done; else
 * VM_OP_COUNT. */
static enum vm_op commuting(enum vm_op op)
{
    switch (op) {
    case VM_OP_atomic_iadd:
    case VM_OP_atomic_isub:
    case VM_OP_atomic_iadd_swapped:
    case VM_OP_atomic_isub_swapped:
        return VM_OP_atomic_iadd;
    case VM_OP_atomic_smin:
    case VM_OP_atomic_smin_swapped:
        return VM_OP_atomic_smin;
    case VM_OP_atomic_smax:
    case VM_OP_atomic_smax_swapped:
        return VM_OP_atomic_smax;
    case VM_OP_atomic_umin:
    case VM_OP_atomic_umin_swapped:
        return VM_OP_atomic_umin;
    case VM_OP_atomic_umax:
    case VM_OP_atomic_umax_swapped:
        return VM_OP_atomic_umax;
    case VM_OP_atomic_and:
    case VM_OP_atomic_or:
    case VM_OP_atomic_xor:
        return op;
    default:
        return VM_OP_COUNT;
    }
}

/* Do its atomic operations tell the order? */
static bool atomics_tell(const struct vm_code *code)
{
    enum vm_op first = VM_OP_COUNT;
    bool fence = false;
    for (uint32_t i = 0; i < code->instruction_count; i++) {
        const enum vm_op op = (enum vm_op)code->instructions[i].op;
        const uint32_t traits = vm_op_traits(op);
        fence |= op == VM_OP_fence;
        if (!(traits & VM_ATOMIC))
            continue;
        const struct vm_atomic *atomic = &code->atomics[code->instructions[i].aux];
        const enum vm_op does = commuting(op);
        if (does == VM_OP_COUNT || !atomic->is_unused || atomic->order != OBSERVER_ORDER_RELAXED ||
            (first != VM_OP_COUNT && does != first))
            return true;
        first = does;
    }
    return fence && first != VM_OP_COUNT;
}

static bool is_for_sub_groups(const struct vm_code *code, const struct vm_instruction *in)
{
    switch ((enum vm_op)in->op) {
    case VM_OP_barrier:
        return code->barriers[in->aux].execution == OBSERVER_SCOPE_SUB_GROUP ||
               code->barriers[in->aux].collective == VM_COLLECTIVE_NAMED;
    case VM_OP_image_block_read:
    case VM_OP_image_block_write:
    case VM_OP_pipe_reserve:
    case VM_OP_pipe_commit:
        return true;
    default:
        return (vm_op_traits((enum vm_op)in->op) & VM_SUB_GROUP) != 0;
    }
}

void lower_communication(struct lower *lower)
{
    struct vm_code *code = lower->code;
    code->communicates |= code->spin_count > 0 || code->device_call_count > 0 || atomics_tell(code);
    for (uint32_t i = 0; i < code->instruction_count; i++) {
        const struct vm_instruction *in = &code->instructions[i];
        code->communicates |= (vm_op_traits((enum vm_op)in->op) & (VM_PIPE | VM_QUEUE)) != 0;
        code->has_sub_group_functions |= is_for_sub_groups(code, in);
    }
    for (uint32_t i = 0; i < code->parameter_count; i++)
        code->communicates |= code->parameters[i].kind == VM_PARAMETER_PIPE;
}
