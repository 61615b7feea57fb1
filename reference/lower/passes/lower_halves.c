#include "reference/lower/passes/lower_halves.h"

#include "reference/lower/passes/lower_epochs.h"
#include "reference/lower/passes/lower_form.h"

#include <string.h>

enum { DEEP_MAX = 8, BOUND_BITS = 30 }; /* H and an id together fit 32 bits, also with a sign */

/* ---- what one number is for all items ---- */

static bool is_size(const struct ir_value *value)
{
    return value->kind == IR_QUERY &&
           (value->index == VM_QUERY_LOCAL_SIZE || value->index == VM_QUERY_ENQUEUED_LOCAL_SIZE);
}

/* Below 2^31, as all sizes of work-groups are. */
static bool is_of_size(const struct lower *lower, uint32_t value, uint32_t depth)
{
    const struct ir_instruction *made = ir_maker(lower, value);
    if (made == NULL || depth == DEEP_MAX)
        return made == NULL && is_size(&lower->values[ir_same(lower, value)]);
    const uint32_t *operands = &lower->operands[made->operand];
    const struct ir_value *condition =
        made->operand_count == 3 ? &lower->values[ir_same(lower, operands[2])] : NULL;
    switch (made->op) {
    case VM_OP_trunc_64_32:
    case VM_OP_zext_32_64:
        return is_of_size(lower, operands[0], depth + 1);
    case IR_CASES(select): /* by a constant: lower_form.c */
        return condition != NULL && condition->kind == IR_CONSTANT &&
               is_of_size(lower, operands[condition->bits == 0], depth + 1);
    default:
        return false;
    }
}

/* What it is half of, or less than half; 0 = of nothing. */
static uint32_t halved(const struct lower *lower, uint32_t value)
{
    const struct ir_instruction *made = ir_maker(lower, value);
    if (made == NULL || made->operand_count < 2)
        return 0;
    const uint32_t *operands = &lower->operands[made->operand];
    const struct ir_value *by = &lower->values[ir_same(lower, operands[1])];
    if (by->kind != IR_CONSTANT)
        return 0;
    switch (made->op) {
    case VM_OP_lshr_32:
    case VM_OP_lshr_64:
    case VM_OP_ashr_32:
    case VM_OP_ashr_64:
        return by->bits >= 1 && by->bits < 8u * by->width ? operands[0] : 0;
    case VM_OP_udiv_32:
    case VM_OP_udiv_64:
    case VM_OP_sdiv_32:
    case VM_OP_sdiv_64:
        return ir_signed_bits(by) >= 2 ? operands[0] : 0;
    default:
        return 0;
    }
}

/* The same for all items, and from 0 to below 2^BOUND_BITS. */
static bool is_start(const struct lower *lower, uint32_t value, uint32_t depth)
{
    const struct ir_value *found = &lower->values[ir_same(lower, value)];
    const struct ir_instruction *made = ir_maker(lower, value);
    const uint32_t whole = halved(lower, value);
    if (found->kind == IR_CONSTANT)
        return ir_signed_bits(found) >= 0 && ir_signed_bits(found) < INT64_C(1) << BOUND_BITS;
    if (whole != 0)
        return is_of_size(lower, whole, 0) ||
               (depth < DEEP_MAX && is_start(lower, whole, depth + 1));
    return made != NULL && depth < DEEP_MAX &&
           (made->op == VM_OP_trunc_64_32 || made->op == VM_OP_zext_32_64 ||
            made->op == VM_OP_sext_32_64) &&
           is_start(lower, lower->operands[made->operand], depth + 1);
}

/* ---- loops ---- */

static void clear_reached(struct halves *halves)
{
    memset(halves->reached, 0, halves->lower->block_count * sizeof *halves->reached);
}

/* Marks what is reached from the block, and not through barriers nor through `stop`, which is
 * marked itself. */
static void reach(struct halves *halves, uint32_t from, uint32_t stop)
{
    const struct lower *lower = halves->lower;
    size_t depth = 0;
    halves->stack[depth++] = from;
    while (depth > 0) {
        const uint32_t at = halves->stack[--depth];
        const struct ir_block *block = &lower->blocks[at];
        for (uint32_t t = 0; t < ir_target_count(block); t++) {
            const uint32_t to = block->targets[t];
            if (halves->reached[to] || (at != from && epochs_orders(lower, at)))
                continue;
            halves->reached[to] = true;
            if (to != stop && !epochs_orders(lower, to))
                halves->stack[depth++] = to;
        }
    }
}

static bool is_within(const struct halves *halves, uint32_t loop, uint32_t block)
{
    return flow_loop_contains(&halves->lower->flow, loop, halves->lower->flow.loop[block]);
}

/* Is the header the only block that leads out, and by what H alone decides? */
static bool is_left_together(const struct halves *halves, uint32_t loop, uint32_t bound)
{
    const struct lower *lower = halves->lower;
    const struct flow_loop *around = &lower->flow.loops[loop];
    const struct ir_block *header = &lower->blocks[around->header];
    uint8_t target = 0;
    const struct ir_instruction *compare =
        header->exit == IR_EXIT_IF ? ir_compare(lower, header->condition, &target) : NULL;
    if (compare == NULL || compare->operand_count != 2)
        return false;
    for (uint32_t o = 0; o < 2; o++) {
        const uint32_t operand = ir_same(lower, lower->operands[compare->operand + o]);
        if (operand != bound && lower->values[operand].kind != IR_CONSTANT)
            return false;
    }
    for (uint32_t i = around->start; i < around->end; i++) {
        const uint32_t b = lower->flow.order[i];
        for (uint32_t t = 0; t < ir_target_count(&lower->blocks[b]); t++)
            if (b != around->header && !is_within(halves, loop, lower->blocks[b].targets[t]))
                return false;
        if (b != around->header && ir_target_count(&lower->blocks[b]) == 0)
            return false;
    }
    return true;
}

/* Is the phi H of the loop? */
static bool is_bound(const struct halves *halves, uint32_t loop, uint32_t phi)
{
    const struct lower *lower = halves->lower;
    const struct ir_value *value = &lower->values[phi];
    const struct ir_phi *made = &lower->phis[value->index];
    uint32_t starts = 0, halvings = 0;
    if (value->block != lower->flow.loops[loop].header || value->width < 4)
        return false;
    for (uint32_t o = 0; o < made->operand_count; o++) {
        const uint32_t operand = made->operands[o].value;
        const uint32_t whole = halved(lower, operand);
        if (whole != 0 && ir_same(lower, whole) == phi)
            halvings++;
        else if (is_start(lower, operand, 0))
            starts++;
    }
    return made->operand_count == 2 && halvings == 1 && starts == 1 &&
           is_left_together(halves, loop, phi);
}

/* Does each round have a barrier? Then what is before all of them belongs to the loop. */
static void mark_rounds(struct halves *halves, uint32_t loop)
{
    const struct lower *lower = halves->lower;
    const struct flow_loop *around = &lower->flow.loops[loop];
    clear_reached(halves);
    reach(halves, around->header, around->header);
    if (halves->reached[around->header] || epochs_orders(lower, around->header))
        return;
    for (uint32_t i = around->start; i < around->end; i++) {
        const uint32_t b = lower->flow.order[i];
        if (halves->reached[b])
            halves->loops[b] = loop;
    }
    clear_reached(halves);
    for (uint32_t i = around->start; i < around->end; i++) {
        const uint32_t b = lower->flow.order[i];
        if (epochs_orders(lower, b))
            reach(halves, b, around->header);
    }
    for (uint32_t i = around->start; i < around->end; i++) {
        const uint32_t b = lower->flow.order[i];
        if (halves->reached[b] && halves->loops[b] == loop)
            halves->loops[b] = 0;
    }
}

struct halves lower_halves(struct lower *lower)
{
    struct halves halves = {
        .lower = lower,
        .loops = lower_alloc(lower, lower->block_count, sizeof *halves.loops),
        .bounds = lower_alloc(lower, (size_t)lower->flow.loop_count + 1, sizeof *halves.bounds),
        .reached = lower_alloc(lower, lower->block_count, sizeof *halves.reached),
        .stack = lower_alloc(lower, lower->block_count, sizeof *halves.stack),
    };
    for (uint32_t v = 1; v < lower->value_count && !lower_failed(lower); v++) {
        const uint32_t loop =
            lower->values[v].kind == IR_PHI ? lower->flow.loop[lower->values[v].block] : 0;
        if (loop == 0 || halves.bounds[loop] != 0 || lower->flow.irreducible ||
            !is_bound(&halves, loop, v))
            continue;
        halves.bounds[loop] = v;
        mark_rounds(&halves, loop);
    }
    return halves;
}

bool halves_order(struct halves *halves, uint32_t a, uint32_t b)
{
    const uint32_t loop = halves->loops[a];
    if (loop == 0 || is_within(halves, loop, b)) {
        if (halves->loops[b] == 0 || is_within(halves, halves->loops[b], a))
            return false;
        return halves_order(halves, b, a);
    }
    clear_reached(halves);
    if (!epochs_orders(halves->lower, b))
        reach(halves, b, a);
    return !halves->reached[a];
}

/* ---- accesses ---- */

static uint32_t narrowed(const struct lower *lower, uint32_t value)
{
    const struct ir_instruction *made = ir_maker(lower, value);
    const bool is_wider =
        made != NULL && (made->op == VM_OP_zext_32_64 || made->op == VM_OP_sext_32_64);
    return ir_same(lower, is_wider ? lower->operands[made->operand] : value);
}

/* A local id, and nothing else; `*dimension`. */
static bool is_local_id(const struct affine *number, uint32_t *dimension)
{
    const struct apart_term *term = number->terms;
    *dimension = number->known && number->term_count == 1 ? term->dimension : 0;
    return number->known && number->root == 0 && number->bits >= 32 && number->offset == 0 &&
           number->term_count == 1 && term->id == APART_LOCAL_ID && term->scale == 1 &&
           term->factor_count == 0;
}

/* Does the edge lead only items there whose id in the dimension is below the bound? */
static bool is_asked(struct lower *lower, const struct affine *forms, uint32_t from, uint32_t to,
                     uint32_t bound, uint32_t dimension)
{
    const struct ir_block *block = &lower->blocks[from];
    uint8_t target = 0;
    uint32_t asked;
    if (block->exit != IR_EXIT_IF || block->targets[0] == block->targets[1])
        return false;
    const struct ir_instruction *compare = ir_compare(lower, block->condition, &target);
    if (compare == NULL || compare->operand_count != 2)
        return false;
    bool is_exchanged = false; /* "H <= id" is "id < H" with the targets exchanged */
    switch (compare->op) {
    case VM_OP_ult_32:
    case VM_OP_slt_32:
    case VM_OP_ult_64:
    case VM_OP_slt_64:
        break;
    case VM_OP_ule_32:
    case VM_OP_sle_32:
    case VM_OP_ule_64:
    case VM_OP_sle_64:
        is_exchanged = true;
        break;
    default:
        return false;
    }
    const uint32_t *operands = &lower->operands[compare->operand];
    const struct affine id = affine_of(lower, forms, operands[is_exchanged]);
    return narrowed(lower, operands[!is_exchanged]) == bound && is_local_id(&id, &asked) &&
           asked == dimension && block->targets[target ^ is_exchanged] == to;
}

static bool is_guarded(struct lower *lower, const struct affine *forms, uint32_t block,
                       uint32_t bound, uint32_t dimension)
{
    const struct flow *flow = &lower->flow;
    for (;; block = flow->dominator[block]) {
        const uint32_t first = flow->pred_first[block];
        if (flow->pred_first[block + 1] == first + 1 &&
            is_asked(lower, forms, flow->preds[first], block, bound, dimension))
            return true;
        if (flow->dominator[block] == block)
            return false;
    }
}

/* scale * id, behind the start of something, of a round's item below H. */
static bool is_below(struct lower *lower, const struct affine *forms, uint32_t block,
                     uint32_t pointer, uint64_t size, struct half *half)
{
    const struct affine address = affine_of(lower, forms, pointer);
    if (!address.known || address.root == 0 || address.term_count != 1)
        return false;
    const struct apart_term *term = address.terms;
    if (term->id != APART_LOCAL_ID || term->factor_count != 0 || term->scale <= 0 ||
        (uint64_t)term->scale < size)
        return false;
    half->is_below = true;
    half->root = address.root;
    half->first = address.offset;
    half->scale = (uint64_t)term->scale;
    return is_guarded(lower, forms, block, half->bound, term->dimension);
}

/* scale * (id + H), likewise, of any item. */
static bool is_beyond(struct lower *lower, const struct affine *forms, uint32_t pointer,
                      struct half *half)
{
    const struct ir_instruction *made = ir_maker(lower, pointer);
    uint32_t dimension;
    if (made == NULL || made->op != VM_OP_index_64)
        return false;
    const uint32_t *operands = &lower->operands[made->operand];
    const struct affine base = affine_of(lower, forms, operands[0]);
    const struct ir_instruction *sum = ir_maker(lower, narrowed(lower, operands[1]));
    if (sum == NULL || (sum->op != VM_OP_iadd_32 && sum->op != VM_OP_iadd_64) || !base.known ||
        base.root == 0 || base.term_count != 0)
        return false;
    const uint32_t *added = &lower->operands[sum->operand];
    half->is_below = false;
    half->root = base.root;
    half->first = base.offset;
    half->scale = made->size;
    for (uint32_t o = 0; o < 2; o++) {
        const struct affine id = affine_of(lower, forms, added[o]);
        if (narrowed(lower, added[!o]) == half->bound && is_local_id(&id, &dimension))
            return true;
    }
    return false;
}

struct half half_of(struct halves *halves, const struct affine *forms, uint32_t block,
                    uint32_t pointer, uint64_t size)
{
    static const struct half nowhere;
    const uint32_t loop = halves->loops[block];
    struct half half = {.bound = loop != 0 ? halves->bounds[loop] : 0};
    if (half.bound != 0 && size != 0 &&
        (is_below(halves->lower, forms, block, pointer, size, &half) ||
         is_beyond(halves->lower, forms, pointer, &half)))
        return half;
    return nowhere;
}

bool halves_part(const struct half *a, const struct half *b)
{
    return a->bound != 0 && a->bound == b->bound && a->is_below != b->is_below &&
           a->root == b->root && a->first == b->first && a->scale == b->scale;
}
