/* Which values cannot differ between the lanes that execute them.
 *
 * By lower_shape a block runs at most once per iteration of the loops around it, with all lanes
 * that take it. So the result of an operation on uniform values is uniform wherever its block
 * stands, and only two things make lanes see different values of one definition:
 *
 *   a phi whose incoming edge depends on the lane: at blocks where the ways that part at a branch
 * on a varying condition, or at the exits of a loop that lanes leave in different iterations, come
 * together again;
 *
 *   a value of a loop that lanes leave in different iterations, used behind it: each lane needs its
 * own.
 *
 * Lanes leave a loop together when every exit is decided by a uniform condition in a block that all
 * lanes of the iteration execute. All facts start at "uniform" and only ever change to "varying",
 * until nothing does.
 *
 * Labels (after Karrenberg and Hack's divergence analysis as LLVM states it): from each successor
 * of the branch a label spreads along forward edges in block order; where two different labels meet
 * lanes come together by different edges. When one labelled block is left all of them have met. */
#include "reference/lower/lower_private.h"

/* Work after which a graph counts as irreducible: no kernel comes near. */
enum { STEP_MAX = 1 << 26, PASS_MAX = 64 };

struct divergence {
    struct lower *lower;
    bool *join;        /* by block: its phis depend on the lane */
    bool *branch_done; /* by block: its divergence has been spread */
    bool *exits_done;  /* by loop */
    uint32_t *partial; /* by block: depth of the innermost loop of whose iterations it may see only
                        * some lanes; 0 = none */
    uint32_t *label;   /* by block */
    uint64_t steps;
    bool changed;
};

static bool query_varies(uint32_t query)
{
    return query <= VM_QUERY_SUB_GROUP_SIZE;
}

static void make_varying(struct divergence *divergence, uint32_t value)
{
    struct ir_value *v = &divergence->lower->values[value];
    if (!v->varying) {
        v->varying = true;
        divergence->changed = true;
    }
}

/* ---- labels ---- */

static void spread_edge(struct divergence *divergence, uint32_t from, uint32_t to, uint32_t label,
                        uint32_t *waiting)
{
    const struct flow *flow = &divergence->lower->flow;
    if (flow->number[to] <= flow->number[from])
        return;
    if (divergence->label[to] == 0) {
        divergence->label[to] = label;
        ++*waiting;
    } else if (divergence->label[to] != label) {
        divergence->label[to] = to + 1;
        if (!divergence->join[to]) {
            divergence->join[to] = true;
            divergence->changed = true;
        }
    }
}

/* Goes on from the labelled blocks after position `start` until they have met. Blocks on the way
 * see only a part of the lanes of `loop`'s iteration. */
static void spread(struct divergence *divergence, uint32_t start, uint32_t loop, uint32_t waiting)
{
    const struct lower *lower = divergence->lower;
    const struct flow *flow = &lower->flow;
    uint32_t last = start;
    for (uint32_t i = start; i < flow->order_count && waiting > 0; i++) {
        const uint32_t block = flow->order[i];
        divergence->steps++;
        last = i;
        if (divergence->label[block] == 0)
            continue;
        waiting--;
        if (waiting == 0)
            break;
        const uint32_t common = flow_loop_common(flow, loop, flow->loop[block]);
        const uint32_t depth = common == 0 ? 0 : flow->loops[common].depth;
        if (depth > divergence->partial[block]) {
            divergence->partial[block] = depth;
            divergence->changed = true;
        }
        for (uint32_t t = 0; t < ir_target_count(&lower->blocks[block]); t++)
            spread_edge(divergence, block, lower->blocks[block].targets[t],
                        divergence->label[block], &waiting);
    }
    for (uint32_t i = start; i <= last && i < flow->order_count; i++)
        divergence->label[flow->order[i]] = 0;
}

static void spread_branch(struct divergence *divergence, uint32_t block)
{
    const struct lower *lower = divergence->lower;
    uint32_t waiting = 0;
    for (uint32_t t = 0; t < 2; t++) {
        const uint32_t target = lower->blocks[block].targets[t];
        spread_edge(divergence, block, target, target + 1, &waiting);
    }
    spread(divergence, lower->flow.number[block] + 1, lower->flow.loop[block], waiting);
    divergence->branch_done[block] = true;
}

/* Each edge out of the loop brings lanes of its own. */
static void spread_exits(struct divergence *divergence, uint32_t loop)
{
    const struct lower *lower = divergence->lower;
    const struct flow *flow = &lower->flow;
    const struct flow_loop *left = &flow->loops[loop];
    uint32_t waiting = 0;
    for (uint32_t i = left->start; i < left->end; i++) {
        const uint32_t block = flow->order[i];
        divergence->steps++;
        for (uint32_t t = 0; t < ir_target_count(&lower->blocks[block]); t++) {
            const uint32_t target = lower->blocks[block].targets[t];
            const uint32_t edge = lower->block_count + 2 * block + t + 1;
            if (!flow_loop_contains(flow, loop, flow->loop[target]))
                spread_edge(divergence, block, target, edge, &waiting);
        }
    }
    spread(divergence, left->end, left->parent, waiting);
    divergence->exits_done[loop] = true;
}

/* ---- loops ---- */

static void check_exit(struct divergence *divergence, uint32_t block, uint32_t target)
{
    struct lower *lower = divergence->lower;
    const struct flow *flow = &lower->flow;
    bool divergent = lower->blocks[block].exit == IR_EXIT_IF &&
                     lower->values[lower->blocks[block].condition].varying;
    for (uint32_t l = flow->loop[block]; l != 0 && !flow_loop_contains(flow, l, flow->loop[target]);
         l = flow->loops[l].parent) {
        divergent = divergent || divergence->partial[block] >= flow->loops[l].depth ||
                    lower->loop_divergent[l];
        if (divergent && !lower->loop_divergent[l]) {
            lower->loop_divergent[l] = true;
            divergence->changed = true;
        }
    }
}

static void check_control(struct divergence *divergence)
{
    struct lower *lower = divergence->lower;
    const struct flow *flow = &lower->flow;
    for (uint32_t i = 0; i < flow->order_count; i++) {
        const uint32_t b = flow->order[i];
        const struct ir_block *block = &lower->blocks[b];
        if (block->exit == IR_EXIT_IF && lower->values[block->condition].varying &&
            !divergence->branch_done[b])
            spread_branch(divergence, b);
        for (uint32_t t = 0; t < ir_target_count(block); t++)
            check_exit(divergence, b, block->targets[t]);
    }
    for (uint32_t l = flow->loop_count; l > 0; l--) {
        if (lower->loop_divergent[l] && !divergence->exits_done[l])
            spread_exits(divergence, l);
    }
}

/* ---- values ---- */

/* A use in `block` of a value from a loop that lanes left in different iterations. */
static void check_use(struct divergence *divergence, uint32_t value, uint32_t block)
{
    struct lower *lower = divergence->lower;
    const struct ir_value *v = &lower->values[value];
    if (v->varying || (v->kind != IR_RESULT && v->kind != IR_PHI))
        return;
    if (lower_left_divergent(lower, value, block))
        make_varying(divergence, value);
}

bool lower_left_divergent(const struct lower *lower, uint32_t value, uint32_t block)
{
    const struct flow *flow = &lower->flow;
    const struct ir_value *v = &lower->values[value];
    if (v->kind != IR_RESULT && v->kind != IR_PHI)
        return false;
    for (uint32_t l = flow->loop[v->block];
         l != 0 && !flow_loop_contains(flow, l, flow->loop[block]); l = flow->loops[l].parent) {
        if (lower->loop_divergent[l])
            return true;
    }
    return false;
}

static bool result_varies(const struct lower *lower, const struct ir_instruction *instruction)
{
    if (!(vm_op_traits((enum vm_op)instruction->op) & VM_UNIFORM) || instruction->maybe_private)
        return true;
    for (uint32_t o = 0; o < instruction->operand_count; o++) {
        if (lower->values[lower->operands[instruction->operand + o]].varying)
            return true;
    }
    return false;
}

static void check_instruction(struct divergence *divergence, uint32_t index, uint32_t block)
{
    struct lower *lower = divergence->lower;
    const struct ir_instruction *instruction = &lower->instructions[index];
    if (instruction->dead)
        return;
    for (uint32_t o = 0; o < instruction->operand_count; o++)
        check_use(divergence, lower->operands[instruction->operand + o], block);
    if (instruction->home != 0)
        check_use(divergence, instruction->kept, block);
    bool varies = instruction->result_count > 0 && result_varies(lower, instruction);
    for (uint32_t r = 0; r < instruction->result_count; r++)
        varies = varies || lower->values[instruction->result + r].varying;
    for (uint32_t r = 0; r < instruction->result_count && varies; r++)
        make_varying(divergence, instruction->result + r);
}

static void check_phi(struct divergence *divergence, const struct ir_phi *phi)
{
    struct lower *lower = divergence->lower;
    bool varies = divergence->join[phi->block];
    for (uint32_t o = 0; o < phi->operand_count; o++) {
        const struct ir_phi_operand operand = phi->operands[o];
        if (lower->flow.number[operand.pred] == FLOW_NONE)
            continue;
        check_use(divergence, operand.value, operand.pred);
        varies = varies || lower->values[operand.value].varying;
    }
    if (varies)
        make_varying(divergence, phi->value);
}

static void check_values(struct divergence *divergence)
{
    struct lower *lower = divergence->lower;
    for (uint32_t i = 0; i < lower->flow.order_count; i++) {
        const uint32_t b = lower->flow.order[i];
        const struct ir_block *block = &lower->blocks[b];
        for (uint32_t p = block->first_phi; p != 0; p = lower->phis[p].next) {
            if (!lower->phis[p].dead)
                check_phi(divergence, &lower->phis[p]);
        }
        for (uint32_t n = 0; n < block->count; n++)
            check_instruction(divergence, block->instructions[n], b);
        if (block->exit == IR_EXIT_IF)
            check_use(divergence, block->condition, b);
    }
}

/* Where some lanes of a vector may wait at a barrier while others go round, each needs counters of
 * its own. Those of one barrier are alike. */
static void check_counters(struct divergence *divergence)
{
    struct lower *lower = divergence->lower;
    for (uint32_t i = 0; i < lower->flow.order_count; i++) {
        const uint32_t b = lower->flow.order[i];
        if (lower->blocks[b].exit != IR_EXIT_BARRIER)
            continue;
        const struct ir_barrier *barrier = &lower->barriers[lower->blocks[b].barrier];
        bool varies = divergence->partial[b] > 0;
        for (uint32_t l = lower->flow.loop[b]; l != 0; l = lower->flow.loops[l].parent)
            varies = varies || lower->loop_divergent[l];
        for (uint32_t c = 0; c < barrier->counter_count; c++)
            varies = varies || lower->values[barrier->counters[c]].varying;
        for (uint32_t c = 0; c < barrier->counter_count && varies; c++)
            make_varying(divergence, barrier->counters[c]);
    }
}

static void everything_varies(struct lower *lower)
{
    for (uint32_t v = 1; v < lower->value_count; v++) {
        if (lower->values[v].kind == IR_RESULT || lower->values[v].kind == IR_PHI)
            lower->values[v].varying = true;
    }
    for (uint32_t l = 1; l <= lower->flow.loop_count; l++)
        lower->loop_divergent[l] = true;
}

void lower_uniform(struct lower *lower)
{
    const size_t blocks = lower->block_count;
    const size_t loops = (size_t)lower->flow.loop_count + 1;
    struct divergence divergence = {
        .lower = lower,
        .join = lower_alloc(lower, blocks, sizeof *divergence.join),
        .branch_done = lower_alloc(lower, blocks, sizeof *divergence.branch_done),
        .exits_done = lower_alloc(lower, loops, sizeof *divergence.exits_done),
        .partial = lower_alloc(lower, blocks, sizeof *divergence.partial),
        .label = lower_alloc(lower, blocks, sizeof *divergence.label),
    };
    lower->loop_divergent = lower_alloc(lower, loops, sizeof *lower->loop_divergent);
    if (lower_failed(lower))
        return;
    for (uint32_t v = 1; v < lower->value_count; v++) {
        if (lower->values[v].kind == IR_QUERY)
            lower->values[v].varying = query_varies(lower->values[v].index);
    }
    if (lower->apart) {
        everything_varies(lower);
        return;
    }
    int passes = 0;
    do {
        divergence.changed = false;
        check_values(&divergence);
        check_control(&divergence);
        check_counters(&divergence);
        if (++passes > PASS_MAX || divergence.steps > STEP_MAX) {
            everything_varies(lower);
            return;
        }
    } while (divergence.changed);
    lower_linear(lower, divergence.join);
}
