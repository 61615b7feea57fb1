/* What nobody needs: instructions and phis whose values lead to no effect; and atomic reads whose
 * values lead to nothing that work-items of the launch can notice. */
#include "reference/lower/lower_private.h"
#include "reference/lower/passes/lower_affine.h"

struct needed {
    struct lower *lower;
    uint32_t *stack;
    uint32_t depth;
    bool *marked; /* by value */
};

static bool begin(struct needed *needed, struct lower *lower)
{
    *needed = (struct needed){
        .lower = lower,
        .stack = lower_alloc(lower, lower->value_count, sizeof *needed->stack),
        .marked = lower_alloc(lower, lower->value_count, sizeof *needed->marked),
    };
    return !lower_failed(lower);
}

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

/* What decides where the work-item goes on from the block. */
static void need_exit(struct needed *needed, const struct ir_block *block)
{
    const struct lower *lower = needed->lower;
    need(needed, block->exit == IR_EXIT_IF ? block->condition : 0);
    if (block->exit == IR_EXIT_BARRIER) {
        for (uint32_t c = 0; c < lower->barriers[block->barrier].counter_count; c++)
            need(needed, lower->barriers[block->barrier].counters[c]);
    }
}

/* What all that is needed is made of. */
static void need_origins(struct needed *needed)
{
    struct lower *lower = needed->lower;
    while (needed->depth > 0) {
        const struct ir_value value = lower->values[needed->stack[--needed->depth]];
        if (value.kind == IR_RESULT)
            need_operands(needed, &lower->instructions[value.index]);
        if (value.kind != IR_PHI)
            continue;
        const struct ir_phi *phi = &lower->phis[value.index];
        for (uint32_t o = 0; o < phi->operand_count; o++)
            need(needed, phi->operands[o].value);
    }
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
    struct needed needed;
    if (!begin(&needed, lower))
        return;
    for (uint32_t i = 0; i < lower->flow.order_count; i++) {
        const struct ir_block *block = &lower->blocks[lower->flow.order[i]];
        need_exit(&needed, block);
        for (uint32_t n = 0; n < block->count; n++) {
            struct ir_instruction *instruction = &lower->instructions[block->instructions[n]];
            if (instruction->dead)
                continue;
            instruction->dead = true;
            if (vm_op_traits((enum vm_op)instruction->op) & VM_EFFECT || instruction->home != 0)
                need_operands(&needed, instruction);
        }
    }
    need_origins(&needed);
    note_unused(&needed);
    for (uint32_t p = 1; p < lower->phi_count; p++)
        lower->phis[p].dead = !needed.marked[lower->phis[p].value];
    for (uint32_t v = 0; v < lower->value_count; v++) {
        if (needed.marked[v] && lower->values[v].kind == IR_VARIABLE)
            lower->variables[lower->values[v].index].used = true;
    }
}

/* ---- reads that decide nothing ---- */

/* What the address is behind the start of, as affine_root_... has it; 0 = that is not known. */
static uint32_t root_of(const struct lower *lower, uint32_t address)
{
    const struct ir_value *value = &lower->values[ir_same(lower, address)];
    while (affine_root(lower, value) == 0 && value->kind == IR_RESULT) {
        const struct ir_instruction *made = &lower->instructions[value->index];
        if (made->op != VM_OP_index_64 && made->op != VM_OP_iadd_64)
            return 0;
        value = &lower->values[ir_same(lower, lower->operands[made->operand])];
    }
    return affine_root(lower, value);
}

/* Through a parameter that the kernel does not read through. */
static bool is_output(const struct lower *lower, const struct ir_instruction *store)
{
    const uint32_t root = root_of(lower, lower->operands[store->operand]);
    for (uint32_t p = 0; p < lower->code->parameter_count; p++) {
        if (root == affine_root_of_parameter(p))
            return lower->code->parameters[p].only_written;
    }
    return false;
}

/* What work-items do, and find in memory, depends on these. */
static void need_effects(struct needed *needed)
{
    struct lower *lower = needed->lower;
    for (uint32_t i = 0; i < lower->flow.order_count; i++)
        need_exit(needed, &lower->blocks[lower->flow.order[i]]);
    for (struct ir_walk walk = {0}; ir_walk_next(lower, &walk);) {
        struct ir_instruction *instruction = walk.instruction;
        if (instruction->op == VM_OP_store && is_output(lower, instruction))
            need(needed, lower->operands[instruction->operand]);
        else if (vm_op_traits((enum vm_op)instruction->op) & VM_EFFECT)
            need_operands(needed, instruction);
    }
    need_origins(needed);
}

static bool is_atomic_read(const struct ir_instruction *instruction)
{
    return (vm_op_traits((enum vm_op)instruction->op) & VM_ATOMIC) != 0 &&
           instruction->result_count > 0;
}

/* May the read be what tells somebody which value another work-item's `inert` found, or keeps its
 * own from finding an older one? Plain reads do so only of what is ordered before them, which tells
 * of updates alone. */
static bool tells(const struct needed *needed, const struct ir_instruction *read,
                  const struct ir_instruction *inert)
{
    const struct lower *lower = needed->lower;
    const uint32_t traits = vm_op_traits((enum vm_op)read->op);
    const bool reads = (traits & VM_MEMORY) != 0 && (traits & VM_ONLY_WRITES) == 0;
    const bool atomic =
        is_atomic_read(read) || (read->op == VM_OP_load && (read->aux & VM_ACCESS_VOLATILE) != 0);
    const bool is_needed = read->op == VM_OP_atomic_compare_exchange || read->result_count == 0 ||
                           needed->marked[read->result];
    if (!reads || !is_needed || (!atomic && inert->op == VM_OP_atomic_load))
        return false;
    const uint32_t root = root_of(lower, lower->operands[read->operand]);
    const uint32_t own = root_of(lower, lower->operands[inert->operand]);
    return root == 0 || own == 0 || root == own;
}

static bool is_inert(const struct needed *needed, const struct ir_instruction *instruction)
{
    if (!is_atomic_read(instruction) || instruction->op == VM_OP_atomic_compare_exchange ||
        needed->marked[instruction->result])
        return false;
    for (struct ir_walk walk = {0}; ir_walk_next(needed->lower, &walk);) {
        if (tells(needed, walk.instruction, instruction))
            return false;
    }
    return true;
}

/* May what a relaxed operation reads be acquired later? */
static bool has_fences(const struct lower *lower)
{
    bool has = lower->barrier_fences;
    for (struct ir_walk walk = {0}; ir_walk_next(lower, &walk);)
        has |= walk.instruction->op == VM_OP_fence;
    return has;
}

void lower_inert(struct lower *lower)
{
    struct needed needed;
    if (!lower->code->uses_acquire || !begin(&needed, lower))
        return;
    need_effects(&needed);
    const bool fences = has_fences(lower);
    for (struct ir_walk walk = {0}; ir_walk_next(lower, &walk);) {
        if (!is_inert(&needed, walk.instruction))
            continue;
        struct vm_atomic *atomic = &lower->atomics[walk.instruction->aux];
        atomic->is_inert = true;
        lower->code->has_inert_reads |= fences || order_acquires(atomic->order);
    }
}
