/* Through which pointer arguments the kernel can write: what flows from an argument into the
 * address of a store, or into anything that is not known to only compute or read. Marks spread from
 * there backwards through computations. A pointer that the kernel makes of an integer is not
 * followed; checkers notice writes that this analysis says cannot be. */
#include "reference/lower/lower_private.h"

struct tracing {
    struct lower *lower;
    bool *marked; /* by value */
    uint32_t *stack;
    size_t depth;
};

static void mark(struct tracing *tracing, uint32_t value)
{
    if (value != 0 && !tracing->marked[value] && tracing->lower->values[value].width == 8) {
        tracing->marked[value] = true;
        tracing->stack[tracing->depth++] = value;
    }
}

/* What the result of the instruction is made of. An index is not a pointer. */
static void mark_operands(struct tracing *tracing, const struct ir_instruction *instruction)
{
    const uint32_t count = instruction->op == VM_OP_index_64 ? 1 : instruction->operand_count;
    for (uint32_t o = 0; o < count; o++)
        mark(tracing, ir_same(tracing->lower, tracing->lower->operands[instruction->operand + o]));
}

static void mark_origins(struct tracing *tracing, uint32_t index)
{
    const struct lower *lower = tracing->lower;
    const struct ir_value *value = &lower->values[index];
    if (value->kind == IR_PARAMETER) {
        lower->code->parameters[value->index].only_read = false;
    } else if (value->kind == IR_RESULT) {
        const struct ir_instruction *instruction = &lower->instructions[value->index];
        if (vm_op_traits((enum vm_op)instruction->op) & VM_COMPUTES)
            mark_operands(tracing, instruction);
    } else if (value->kind == IR_PHI) {
        const struct ir_phi *phi = &lower->phis[value->index];
        for (uint32_t o = 0; o < phi->operand_count; o++)
            mark(tracing, ir_same(lower, phi->operands[o].value));
    }
}

void lower_writes(struct lower *lower)
{
    struct tracing tracing = {
        .lower = lower,
        .marked = lower_alloc(lower, lower->value_count, sizeof *tracing.marked),
        .stack = lower_alloc(lower, lower->value_count, sizeof *tracing.stack),
    };
    if (lower_failed(lower))
        return;
    for (uint32_t p = 0; p < lower->code->parameter_count; p++) {
        const enum vm_parameter_kind kind = lower->code->parameters[p].kind;
        lower->code->parameters[p].only_read =
            kind == VM_PARAMETER_GLOBAL || kind == VM_PARAMETER_CONSTANT;
    }
    for (struct ir_walk walk = {0}; ir_walk_next(lower, &walk);) {
        if (!(vm_op_traits((enum vm_op)walk.instruction->op) & (VM_COMPUTES | VM_ONLY_READS)))
            mark_operands(&tracing, walk.instruction);
    }
    while (tracing.depth > 0)
        mark_origins(&tracing, tracing.stack[--tracing.depth]);
}
