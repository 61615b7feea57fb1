/* Loops that may wait for other work-items: one that an atomic operation, a volatile load or a
 * pipe in it may keep going, because a branch in it depends on what that read, maybe by way of a
 * private variable. While a lane goes round such a loop its neighbours must run on, or they never
 * do what it waits for.
 *
 * Such a loop goes round by an instruction of its own, `spin`, which may hold lanes back until the
 * others can go no further, and `spin_begin` stands before it. Lanes then leave the order that
 * lower_uniform rests on: the same block runs several times, with some lanes each time, while
 * others still hold what they computed in it. So in a kernel with such loops the lanes are *apart*:
 * every value is each lane's own, and what outlives its block has a row to itself. */
#include "reference/lower/lower_private.h"
#include "reference/lower/passes/lower_form.h"
#include "trace/base/assert.h"

#include <string.h>

struct spins {
    struct lower *lower;
    bool *reads; /* by value: depends on what the loop reads */
    bool *holds; /* by variable: such a value is stored there */
    bool *waits; /* by block: the header of a loop that may wait */
    bool any;
};

static bool is_read(const struct ir_instruction *instruction)
{
    if (instruction->dead || instruction->result_count == 0)
        return false;
    if (instruction->op == VM_OP_load)
        return (instruction->aux & VM_ACCESS_VOLATILE) != 0;
    if (instruction->op >= VM_OP_pipe_read && instruction->op <= VM_OP_pipe_query)
        return true;
    return instruction->op >= VM_OP_atomic_load && instruction->op <= VM_OP_atomic_fmax_swapped;
}

static void mark(struct spins *spins, uint32_t value, bool *changed)
{
    *changed |= !spins->reads[value];
    spins->reads[value] = true;
}

static void mark_phis(struct spins *spins, const struct ir_block *block, bool *changed)
{
    const struct lower *lower = spins->lower;
    for (uint32_t p = block->first_phi; p != 0; p = lower->phis[p].next) {
        for (uint32_t o = 0; o < lower->phis[p].operand_count && !lower->phis[p].dead; o++) {
            if (spins->reads[lower->phis[p].operands[o].value])
                mark(spins, lower->phis[p].value, changed);
        }
    }
}

/* The private variable that the address is of, or of a part of which; SIZE_MAX = it is another
 * address, or not known. Variables are in memory where a debugger may change them. */
static size_t variable_of(const struct lower *lower, uint32_t address)
{
    const struct ir_instruction *made;
    while ((made = ir_maker(lower, address)) != NULL &&
           (made->op == VM_OP_index_64 || made->op == VM_OP_iadd_64))
        address = lower->operands[made->operand];
    const struct ir_value *value = &lower->values[address];
    return value->kind == IR_VARIABLE &&
                   lower->variables[value->index].region == VM_VARIABLE_PRIVATE
               ? value->index
               : SIZE_MAX;
}

static bool loads_what_it_reads(const struct spins *spins, const struct ir_instruction *instruction)
{
    if (instruction->op != VM_OP_load)
        return false;
    const size_t variable = variable_of(spins->lower, spins->lower->operands[instruction->operand]);
    return variable != SIZE_MAX && spins->holds[variable];
}

static void mark_variable(struct spins *spins, const struct ir_instruction *store, bool *changed)
{
    const size_t variable = variable_of(spins->lower, spins->lower->operands[store->operand]);
    if (variable == SIZE_MAX)
        return;
    *changed |= !spins->holds[variable];
    spins->holds[variable] = true;
}

static void mark_results(struct spins *spins, const struct ir_block *block, bool *changed)
{
    const struct lower *lower = spins->lower;
    for (uint32_t n = 0; n < block->count; n++) {
        const struct ir_instruction *instruction = &lower->instructions[block->instructions[n]];
        if (instruction->dead)
            continue;
        bool reads = is_read(instruction) || loads_what_it_reads(spins, instruction);
        for (uint32_t o = 0; o < instruction->operand_count; o++)
            reads = reads || spins->reads[lower->operands[instruction->operand + o]];
        for (uint32_t r = 0; r < instruction->result_count && reads; r++)
            mark(spins, instruction->result + r, changed);
        if (reads && instruction->op == VM_OP_store)
            mark_variable(spins, instruction, changed);
    }
}

static bool loop_reads(const struct lower *lower, const struct flow_loop *loop)
{
    for (uint32_t i = loop->start; i < loop->end; i++) {
        const struct ir_block *block = &lower->blocks[lower->flow.order[i]];
        for (uint32_t n = 0; n < block->count; n++) {
            if (is_read(&lower->instructions[block->instructions[n]]))
                return true;
        }
    }
    return false;
}

/* An atomic operation that does something in each round, as in a loop that takes numbers from a
 * counter, or puts a computed value in the place of one that has not changed meanwhile. */
static bool does_more(const struct lower *lower, const struct ir_instruction *instruction)
{
    if (instruction->dead || instruction->op < VM_OP_atomic_exchange ||
        instruction->op > VM_OP_atomic_fmax_swapped)
        return false;
    const struct ir_value *value = &lower->values[lower->operands[instruction->operand + 1]];
    switch (instruction->op) {
    case VM_OP_atomic_exchange:
    case VM_OP_atomic_compare_exchange:
    case VM_OP_atomic_and:
    case VM_OP_atomic_or:
        return value->kind != IR_CONSTANT;
    default:
        return value->kind != IR_CONSTANT || value->bits != 0;
    }
}

/* Does the loop do nothing but wait? */
static bool loop_only_waits(const struct lower *lower, const struct flow_loop *loop)
{
    for (uint32_t i = loop->start; i < loop->end; i++) {
        const struct ir_block *block = &lower->blocks[lower->flow.order[i]];
        for (uint32_t n = 0; n < block->count; n++) {
            if (does_more(lower, &lower->instructions[block->instructions[n]]))
                return false;
        }
    }
    return true;
}

static bool loop_waits(struct spins *spins, const struct flow_loop *loop)
{
    const struct lower *lower = spins->lower;
    if (!loop_reads(lower, loop))
        return false;
    memset(spins->reads, 0, lower->value_count * sizeof *spins->reads);
    memset(spins->holds, 0, lower->variable_count * sizeof *spins->holds);
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = loop->start; i < loop->end; i++) {
            mark_phis(spins, &lower->blocks[lower->flow.order[i]], &changed);
            mark_results(spins, &lower->blocks[lower->flow.order[i]], &changed);
        }
    }
    for (uint32_t i = loop->start; i < loop->end; i++) {
        const struct ir_block *block = &lower->blocks[lower->flow.order[i]];
        if (block->exit == IR_EXIT_IF && spins->reads[block->condition])
            return true;
    }
    return false;
}

/* A block of its own goes round, so that what it does there is done by the lanes that do. */
static void part_latches(struct spins *spins)
{
    struct lower *lower = spins->lower;
    for (uint32_t l = 1; l <= lower->flow.loop_count && !lower_failed(lower); l++) {
        const struct flow_loop *loop = &lower->flow.loops[l];
        if (!spins->waits[loop->header] || lower->blocks[loop->latch].exit == IR_EXIT_BRANCH)
            continue;
        const uint32_t *targets = lower->blocks[loop->latch].targets;
        lower_split_edge(lower, loop->latch, targets[0] == loop->header ? 0 : 1);
    }
}

static void add_spin(struct lower *lower, uint32_t index)
{
    const struct flow *flow = &lower->flow;
    const struct flow_loop *loop = &flow->loops[index];
    const uint32_t spin = ++lower->spin_count;
    ASSERT(loop->proper && lower->blocks[loop->latch].exit == IR_EXIT_BRANCH);
    lower->blocks[loop->latch].spin = spin;
    for (uint32_t e = flow->pred_first[loop->header]; e < flow->pred_first[loop->header + 1]; e++) {
        if (flow->preds[e] == loop->latch)
            continue;
        lower->block = flow->preds[e];
        ir_emit(lower, VM_OP_spin_begin, 0, 0, NULL, 0);
        ir_last(lower)->aux = spin - 1;
    }
}

void lower_spins(struct lower *lower)
{
    struct spins spins = {
        .lower = lower,
        .reads = lower_alloc(lower, lower->value_count, sizeof *spins.reads),
        .holds = lower_alloc(lower, (size_t)lower->variable_count + 1, sizeof *spins.holds),
        .waits = lower_alloc(lower, lower->block_count, sizeof *spins.waits),
    };
    lower->apart = lower->flow.irreducible || lower->named_barrier_count != 0;
    for (uint32_t l = 1; l <= lower->flow.loop_count && !lower_failed(lower); l++) {
        const bool waits = loop_waits(&spins, &lower->flow.loops[l]);
        spins.waits[lower->flow.loops[l].header] |= waits;
        spins.any |= waits;
        lower->code->waits |= waits && loop_only_waits(lower, &lower->flow.loops[l]);
    }
    if (!spins.any)
        return;
    lower->apart = true;
    const size_t block_count = lower->block_count;
    part_latches(&spins);
    if (!lower_graph(lower))
        return;
    for (uint32_t l = 1; l <= lower->flow.loop_count && !lower_failed(lower); l++) {
        const uint32_t header = lower->flow.loops[l].header;
        if (header < block_count && spins.waits[header])
            add_spin(lower, l);
    }
    struct vm_code *code = lower->code;
    code->spins = lower_code_alloc(lower, lower->spin_count, sizeof *code->spins);
    code->spin_count = lower->spin_count;
}
