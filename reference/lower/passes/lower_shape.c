/* The graph as lanes need it.
 *
 * One latch a loop, in no inner loop: a lane that continues early then waits there, the last block
 * of the loop, until the others have come; so all lanes of a vector that are in a loop are in the
 * same iteration, and each block runs at most once per iteration, with all lanes that take it.
 * lower_uniform rests on this.
 *
 * Phis are written where ways part from their sources: an edge from a block with two successors to
 * a block with phis gets a block of its own.
 *
 * Loops that hold a barrier count their iterations, to tell one dynamic instance of it from the
 * next. A cycle that can be entered in two places has no beginning from which to count: in it the
 * instances of a barrier are told apart by how often a work-item has come to it, and that is the
 * same for all, since none goes on before all have come. */
#include "reference/lower/lower_private.h"
#include "trace/base/assert.h"

#include <string.h>

static void redirect(struct ir_block *block, uint32_t from, uint32_t to)
{
    for (uint32_t t = 0; t < ir_target_count(block); t++) {
        if (block->targets[t] == from)
            block->targets[t] = to;
    }
}

/* Moves the operands of a header's phi that come from latches to one phi in the new latch. */
static void join_phi(struct lower *lower, uint32_t phi, uint32_t latch, const bool *is_latch)
{
    const struct ir_phi from = lower->phis[phi];
    const uint32_t joined = ir_phi(lower, latch, lower->values[from.value].width);
    if (lower_failed(lower))
        return;
    lower->values[joined].name = lower->values[from.value].name;
    uint32_t kept = 0;
    for (uint32_t o = 0; o < from.operand_count; o++) {
        const struct ir_phi_operand operand = from.operands[o];
        if (is_latch[operand.pred])
            ir_phi_add(lower, joined, operand.pred, operand.value);
        else
            from.operands[kept++] = operand;
    }
    lower->phis[phi].operand_count = kept;
    ir_phi_add(lower, lower->phis[phi].value, latch, joined);
}

static void join_latches(struct lower *lower)
{
    const struct flow *flow = &lower->flow;
    bool *is_latch = lower_alloc(lower, lower->block_count + flow->loop_count, sizeof *is_latch);
    for (uint32_t l = 1; l <= flow->loop_count && !lower_failed(lower); l++) {
        if (flow->loops[l].proper)
            continue;
        const uint32_t header = flow->loops[l].header;
        const uint32_t latch = ir_block_add(lower);
        if (lower_failed(lower))
            return;
        lower->blocks[latch].exit = IR_EXIT_BRANCH;
        lower->blocks[latch].targets[0] = header;
        for (uint32_t e = flow->pred_first[header]; e < flow->pred_first[header + 1]; e++) {
            const uint32_t pred = flow->preds[e];
            if (!flow_loop_contains(flow, l, flow->loop[pred]))
                continue;
            is_latch[pred] = true;
            redirect(&lower->blocks[pred], header, latch);
        }
        for (uint32_t p = lower->blocks[header].first_phi; p != 0; p = lower->phis[p].next) {
            if (!lower->phis[p].dead)
                join_phi(lower, p, latch, is_latch);
        }
        for (uint32_t e = flow->pred_first[header]; e < flow->pred_first[header + 1]; e++)
            is_latch[flow->preds[e]] = false;
    }
}

/* ---- counters ---- */

static void mark_barrier_loops(const struct lower *lower, bool *holds)
{
    for (uint32_t i = 0; i < lower->flow.order_count; i++) {
        const uint32_t block = lower->flow.order[i];
        if (lower->blocks[block].exit != IR_EXIT_BARRIER)
            continue;
        for (uint32_t l = lower->flow.loop[block]; l != 0; l = lower->flow.loops[l].parent)
            holds[l] = true;
    }
}

/* A counter of how often control has come back to the header, which goes up in `block`. */
static uint32_t count_rounds(struct lower *lower, uint32_t header, uint32_t block)
{
    const struct flow *flow = &lower->flow;
    const uint32_t counter = ir_phi(lower, header, 4);
    const uint32_t zero = ir_constant(lower, 4, 0);
    lower->block = block;
    const uint32_t next = ir_op2(lower, VM_OP_iadd_32, counter, ir_constant(lower, 4, 1));
    if (lower_failed(lower))
        return 0;
    for (uint32_t e = flow->pred_first[header]; e < flow->pred_first[header + 1]; e++) {
        const uint32_t pred = flow->preds[e];
        ir_phi_add(lower, counter, pred, flow_dominates(flow, header, pred) ? next : zero);
    }
    return counter;
}

static void count_loops(struct lower *lower)
{
    const struct flow *flow = &lower->flow;
    bool *holds = lower_alloc(lower, flow->loop_count + 1, sizeof *holds);
    uint32_t *counters = lower_alloc(lower, flow->loop_count + 1, sizeof *counters);
    if (lower_failed(lower))
        return;
    mark_barrier_loops(lower, holds);
    for (uint32_t l = 1; l <= flow->loop_count; l++) {
        if (holds[l])
            counters[l] = count_rounds(lower, flow->loops[l].header, flow->loops[l].latch);
    }
    for (uint32_t i = 0; i < flow->order_count && !lower_failed(lower); i++) {
        const struct ir_block *block = &lower->blocks[flow->order[i]];
        if (block->exit != IR_EXIT_BARRIER)
            continue;
        struct ir_barrier *barrier = &lower->barriers[block->barrier];
        const uint32_t innermost = flow->loop[flow->order[i]];
        const uint32_t depth = innermost == 0 ? 0 : flow->loops[innermost].depth;
        barrier->counters = lower_alloc(lower, depth, sizeof *barrier->counters);
        if (barrier->counters == NULL)
            return;
        barrier->counter_count = depth;
        for (uint32_t l = innermost; l != 0; l = flow->loops[l].parent) {
            ASSERT(counters[l] != 0 && flow->loops[l].depth <= depth);
            barrier->counters[flow->loops[l].depth - 1] = counters[l];
        }
    }
}

/* ---- counters of graphs with irreducible cycles, which have no flow_loop ---- */

/* The natural loop of a header: what leads back to it without passing it. False: it is none. */
static bool find_body(const struct lower *lower, uint32_t header, bool *inside, uint32_t *stack)
{
    const struct flow *flow = &lower->flow;
    uint32_t depth = 0;
    memset(inside, 0, lower->block_count * sizeof *inside);
    inside[header] = true;
    for (uint32_t e = flow->pred_first[header]; e < flow->pred_first[header + 1]; e++) {
        if (flow_dominates(flow, header, flow->preds[e]))
            stack[depth++] = flow->preds[e];
    }
    const bool found = depth > 0;
    while (depth > 0) {
        const uint32_t block = stack[--depth];
        if (inside[block])
            continue;
        inside[block] = true;
        for (uint32_t e = flow->pred_first[block]; e < flow->pred_first[block + 1]; e++)
            stack[depth++] = flow->preds[e];
        ASSERT(depth <= 2 * flow->pred_first[lower->block_count]);
    }
    return found;
}

static void add_counter(struct lower *lower, struct ir_barrier *barrier, uint32_t counter)
{
    uint32_t *counters = lower_alloc(lower, barrier->counter_count + 1, sizeof *counters);
    if (counters == NULL)
        return;
    if (barrier->counter_count > 0)
        memcpy(counters, barrier->counters, barrier->counter_count * sizeof *counters);
    counters[barrier->counter_count++] = counter;
    barrier->counters = counters;
}

/* The order has the headers of outer loops before those of inner ones. */
static void count_natural_loops(struct lower *lower)
{
    const struct flow *flow = &lower->flow;
    bool *inside = lower_alloc(lower, lower->block_count, sizeof *inside);
    uint32_t *stack =
        lower_alloc(lower, 2 * flow->pred_first[lower->block_count] + 1, sizeof *stack);
    for (uint32_t i = 0; i < flow->order_count && !lower_failed(lower); i++) {
        const uint32_t header = flow->order[i];
        uint32_t counter = 0;
        if (!find_body(lower, header, inside, stack))
            continue;
        for (uint32_t k = i; k < flow->order_count && !lower_failed(lower); k++) {
            const struct ir_block *block = &lower->blocks[flow->order[k]];
            if (!inside[flow->order[k]] || block->exit != IR_EXIT_BARRIER)
                continue;
            counter = counter == 0 ? count_rounds(lower, header, header) : counter;
            add_counter(lower, &lower->barriers[block->barrier], counter);
        }
    }
}

/* ---- edges ---- */

static bool has_phis(const struct lower *lower, uint32_t block)
{
    for (uint32_t p = lower->blocks[block].first_phi; p != 0; p = lower->phis[p].next) {
        if (!lower->phis[p].dead)
            return true;
    }
    return false;
}

void lower_split_edge(struct lower *lower, uint32_t from, uint32_t target)
{
    ASSERT(target < ir_target_count(&lower->blocks[from]));
    const uint32_t to = lower->blocks[from].targets[target];
    const uint32_t between = ir_block_add(lower);
    if (lower_failed(lower))
        return;
    lower->blocks[between].exit = IR_EXIT_BRANCH;
    lower->blocks[between].targets[0] = to;
    lower->blocks[between].place = lower->blocks[from].place;
    lower->blocks[from].targets[target] = between;
    for (uint32_t p = lower->blocks[to].first_phi; p != 0; p = lower->phis[p].next) {
        for (uint32_t o = 0; o < lower->phis[p].operand_count; o++) {
            if (lower->phis[p].operands[o].pred == from)
                lower->phis[p].operands[o].pred = between;
        }
    }
}

static void split_edges(struct lower *lower)
{
    const uint32_t count = lower->flow.order_count;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t block = lower->flow.order[i];
        if (ir_target_count(&lower->blocks[block]) < 2)
            continue;
        for (uint32_t t = 0; t < 2 && !lower_failed(lower); t++) {
            if (has_phis(lower, lower->blocks[block].targets[t]))
                lower_split_edge(lower, block, t);
        }
    }
}

void lower_shape(struct lower *lower)
{
    lower_clean(lower);
    if (lower_failed(lower))
        return;
    if (!lower->flow.irreducible) {
        join_latches(lower);
        if (!lower_graph(lower))
            return;
        count_loops(lower);
    } else {
        count_natural_loops(lower);
    }
    split_edges(lower);
    if (!lower_graph(lower))
        return;
    for (uint32_t l = 1; l <= lower->flow.loop_count; l++)
        ASSERT(lower->flow.loops[l].proper);
    lower_clean(lower);
}
