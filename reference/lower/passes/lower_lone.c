#include "reference/lower/passes/lower_lone.h"
#include "reference/lower/passes/lower_form.h"

/* `a` is an id, plus a constant, and `b` a constant, of at least 32 bits both. */
static void note_equal(const struct affine *a, const struct affine *b, struct lone *lone)
{
    const struct apart_term *term = a->terms;
    const bool is_id = a->known && a->root == 0 && a->bits >= 32 && a->term_count == 1 &&
                       term->scale == 1 && term->factor_count == 0 &&
                       (term->id == APART_GLOBAL_ID || term->id == APART_LOCAL_ID);
    int64_t id;
    if (!is_id || !b->known || b->root != 0 || b->bits < 32 || b->term_count != 0 ||
        __builtin_sub_overflow(b->offset, a->offset, &id))
        return;
    lone->known[term->id == APART_LOCAL_ID][term->dimension] = true;
    lone->ids[term->id == APART_LOCAL_ID][term->dimension] = id;
}

/* What is so on the edge to a target of the block. */
static void note_edge(struct lower *lower, const struct affine *forms, uint32_t from, uint32_t to,
                      struct lone *lone)
{
    const struct ir_block *block = &lower->blocks[from];
    uint8_t equal = 0;
    if (block->exit != IR_EXIT_IF || block->targets[0] == block->targets[1])
        return;
    const struct ir_instruction *compare = ir_compare(lower, block->condition, &equal);
    if (compare == NULL)
        return;
    switch (compare->op) {
    case VM_OP_ieq_32:
    case VM_OP_ieq_64:
        break;
    case VM_OP_ine_32:
    case VM_OP_ine_64:
        equal ^= 1;
        break;
    default:
        return;
    }
    if (block->targets[equal] != to)
        return;
    const uint32_t *operands = &lower->operands[compare->operand];
    const struct affine a = affine_of(lower, forms, operands[0]);
    const struct affine b = affine_of(lower, forms, operands[1]);
    note_equal(&a, &b, lone);
    note_equal(&b, &a, lone);
}

/* Whoever comes to the block has come to all that dominate it, and by the edge to one that has no
 * other. */
struct lone lower_lone(struct lower *lower, const struct affine *forms, uint32_t block)
{
    const struct flow *flow = &lower->flow;
    struct lone lone = {.known = {{false}}};
    while (!flow->irreducible) {
        const uint32_t first = flow->pred_first[block];
        if (flow->pred_first[block + 1] == first + 1)
            note_edge(lower, forms, flow->preds[first], block, &lone);
        if (flow->dominator[block] == block)
            break;
        block = flow->dominator[block];
    }
    return lone;
}
