#include "reference/lower/passes/lower_epochs.h"

/* One of several that an instruction may be, by its operands, may be another one for others. */
bool epochs_orders(const struct lower *lower, uint32_t number)
{
    const struct ir_block *block = &lower->blocks[number];
    if (block->exit != IR_EXIT_BARRIER)
        return false;
    const struct vm_barrier *barrier = &lower->barriers[block->barrier].barrier;
    return barrier->collective == VM_COLLECTIVE_NONE && barrier->alternative == 0 &&
           barrier->execution == OBSERVER_SCOPE_WORK_GROUP &&
           barrier->memory >= OBSERVER_SCOPE_WORK_GROUP &&
           (barrier->flags & OBSERVER_FENCE_LOCAL) != 0 && barrier->order >= OBSERVER_ORDER_ACQ_REL;
}

/* True when that is news. */
static bool add_bits(uint64_t *to, uint64_t bits)
{
    const uint64_t before = *to;
    *to |= bits;
    return *to != before;
}

/* What is so at the end of `from` is so at the start of `to`. */
static bool carry(const struct lower *lower, struct epochs *epochs, uint32_t from, uint32_t to)
{
    uint64_t *set = &epochs->sets[to * epochs->words];
    if (epochs_orders(lower, from)) {
        const uint32_t bit = lower->blocks[from].barrier + 1;
        return add_bits(&set[bit / 64], UINT64_C(1) << bit % 64);
    }
    bool changed = false;
    for (size_t w = 0; w < epochs->words; w++)
        changed |= add_bits(&set[w], epochs->sets[from * epochs->words + w]);
    return changed;
}

struct epochs lower_epochs(struct lower *lower)
{
    const struct flow *flow = &lower->flow;
    struct epochs epochs = {.words = lower->barrier_count / 64 + 1};
    epochs.sets = lower_alloc(lower, lower->block_count * epochs.words, sizeof *epochs.sets);
    if (lower_failed(lower))
        return epochs;
    epochs.sets[flow->order[0] * epochs.words] = 1;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t i = 0; i < flow->order_count; i++) {
            const uint32_t to = flow->order[i];
            for (uint32_t e = flow->pred_first[to]; e < flow->pred_first[to + 1]; e++)
                changed |= carry(lower, &epochs, flow->preds[e], to);
        }
    }
    return epochs;
}

bool epochs_meet(const struct epochs *epochs, uint32_t a, uint32_t b)
{
    for (size_t w = 0; w < epochs->words; w++) {
        if ((epochs->sets[a * epochs->words + w] & epochs->sets[b * epochs->words + w]) != 0)
            return true;
    }
    return false;
}
