/* Returns before the end of a kernel. Compilers send all returns of a function to one block, where
 * nobody sees any more who came from where. So a branch whose lanes come to the end of the kernel,
 * with nothing on the way, and that is not itself the end of its function, becomes a return: where
 * lanes have ended is what is told of a barrier that they never reach. */
#include "reference/lower/lower_private.h"

static bool does_nothing(const struct lower *lower, const struct ir_block *block)
{
    for (uint32_t p = block->first_phi; p != 0; p = lower->phis[p].next) {
        if (!lower->phis[p].dead)
            return false;
    }
    for (uint32_t n = 0; n < block->count; n++) {
        const struct ir_instruction *instruction = &lower->instructions[block->instructions[n]];
        if (!instruction->dead && instruction->op != VM_OP_life_end && instruction->home == 0)
            return false;
    }
    return true;
}

/* On the way to the end of the kernel comes the end of the function that the branch is in, and is
 * in the same call of it: that is not what branches there from elsewhere. Blocks that lead to
 * themselves end nobody. */
static bool returns_early(const struct lower *lower, const struct ir_block *from)
{
    const struct vm_place *place = &lower->places[from->place];
    const struct vm_place *end = place;
    const struct ir_block *block = from;
    if (from->exit != IR_EXIT_BRANCH || place->line == 0)
        return false;
    for (uint32_t left = lower->block_count; left > 0 && block->exit == IR_EXIT_BRANCH; left--) {
        block = &lower->blocks[block->targets[0]];
        if (!does_nothing(lower, block))
            return false;
        const struct vm_place *next = &lower->places[block->place];
        if (next->line != 0 && next->caller == place->caller)
            end = next;
    }
    return block->exit == IR_EXIT_RETURN &&
           (end->line != place->line || end->column != place->column);
}

void lower_returns(struct lower *lower)
{
    if (lower->barrier_count == 0)
        return; /* nobody asks */
    for (uint32_t i = 0; i < lower->flow.order_count; i++) {
        struct ir_block *block = &lower->blocks[lower->flow.order[i]];
        block->returns_early = returns_early(lower, block);
    }
    for (uint32_t i = 0; i < lower->flow.order_count; i++) {
        struct ir_block *block = &lower->blocks[lower->flow.order[i]];
        block->exit = block->returns_early ? IR_EXIT_RETURN : block->exit;
    }
}
