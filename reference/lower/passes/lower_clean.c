/* What nobody needs: instructions and phis whose values lead to no effect. */
#include "reference/lower/lower_private.h"

static bool has_effect(const struct ir_instruction *instruction)
{
    switch (instruction->op) {
    case VM_OP_load: /* is checked, even when its value is not used */
    case VM_OP_store:
    case VM_OP_copy_memory:
    case VM_OP_image_read:
    case VM_OP_image_sample:
    case VM_OP_image_write:
    case VM_OP_image_block_read:
    case VM_OP_image_block_write:
    case VM_OP_pipe_read:
    case VM_OP_pipe_write:
    case VM_OP_pipe_read_reserved:
    case VM_OP_pipe_write_reserved:
    case VM_OP_pipe_reserve:
    case VM_OP_pipe_commit:
    case VM_OP_fence:
    case VM_OP_printf:
    case VM_OP_device_call:
    case VM_OP_collective:
    case VM_OP_sub_group_same:
    case VM_OP_sub_group_cluster:
    case VM_OP_sub_group_block:
    case VM_OP_remark:
    case VM_OP_subscript:
    case VM_OP_life_begin:
    case VM_OP_life_end:
    VM_CASES_ATOMIC:
        return true;
    default:
        return false;
    }
}

struct needed {
    struct lower *lower;
    uint32_t *stack;
    uint32_t depth;
    bool *marked; /* by value */
};

static void need(struct needed *needed, uint32_t value)
{
    if (value == 0 || needed->marked[value])
        return;
    needed->marked[value] = true;
    needed->stack[needed->depth++] = value;
}

static void need_operands(struct needed *needed, struct ir_instruction *instruction)
{
    struct lower *lower = needed->lower;
    instruction->dead = false;
    for (uint32_t o = 0; o < instruction->operand_count; o++)
        need(needed, lower->operands[instruction->operand + o]);
}

void lower_clean(struct lower *lower)
{
    struct needed needed = {.lower = lower};
    needed.stack = lower_alloc(lower, lower->value_count, sizeof *needed.stack);
    needed.marked = lower_alloc(lower, lower->value_count, sizeof *needed.marked);
    if (lower_failed(lower))
        return;
    for (uint32_t i = 0; i < lower->flow.order_count; i++) {
        const struct ir_block *block = &lower->blocks[lower->flow.order[i]];
        need(&needed, block->exit == IR_EXIT_IF ? block->condition : 0);
        if (block->exit == IR_EXIT_BARRIER) {
            for (uint32_t c = 0; c < lower->barriers[block->barrier].counter_count; c++)
                need(&needed, lower->barriers[block->barrier].counters[c]);
        }
        for (uint32_t n = 0; n < block->count; n++) {
            struct ir_instruction *instruction = &lower->instructions[block->instructions[n]];
            if (instruction->dead)
                continue;
            instruction->dead = true;
            if (has_effect(instruction))
                need_operands(&needed, instruction);
        }
    }
    while (needed.depth > 0) {
        const struct ir_value value = lower->values[needed.stack[--needed.depth]];
        if (value.kind == IR_RESULT && lower->instructions[value.index].dead)
            need_operands(&needed, &lower->instructions[value.index]);
        if (value.kind != IR_PHI)
            continue;
        const struct ir_phi *phi = &lower->phis[value.index];
        for (uint32_t o = 0; o < phi->operand_count; o++)
            need(&needed, phi->operands[o].value);
    }
    for (uint32_t p = 1; p < lower->phi_count; p++)
        lower->phis[p].dead = !needed.marked[lower->phis[p].value];
    for (uint32_t v = 0; v < lower->value_count; v++) {
        if (needed.marked[v] && lower->values[v].kind == IR_VARIABLE)
            lower->variables[lower->values[v].index].used = true;
    }
}
