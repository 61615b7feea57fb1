/* What nobody needs: instructions and phis whose values lead to no effect. */
#include "reference/lower/lower_private.h"

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
    if (lower->values[instruction->kept].kind != IR_VARIABLE)
        need(needed, instruction->kept);
    for (uint32_t o = 0; o < instruction->operand_count; o++)
        need(needed, lower->operands[instruction->operand + o]);
}

/* Atomic operations are done for their effect, too. */
static void note_unused(const struct needed *needed)
{
    struct lower *lower = needed->lower;
    for (uint32_t i = 0; i < lower->instruction_count; i++) {
        const struct ir_instruction *instruction = &lower->instructions[i];
        if (!instruction->dead && vm_op_traits((enum vm_op)instruction->op) & VM_ATOMIC &&
            instruction->result_count > 0)
            lower->atomics[instruction->aux].is_unused = !needed->marked[instruction->result];
    }
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
            if (vm_op_traits((enum vm_op)instruction->op) & VM_EFFECT || instruction->home != 0)
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
    note_unused(&needed);
    for (uint32_t p = 1; p < lower->phi_count; p++)
        lower->phis[p].dead = !needed.marked[lower->phis[p].value];
    for (uint32_t v = 0; v < lower->value_count; v++) {
        if (needed.marked[v] && lower->values[v].kind == IR_VARIABLE)
            lower->variables[lower->values[v].index].used = true;
    }
}
