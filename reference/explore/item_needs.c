/* Which of the reads before it an operation of a work-item needs: the item is run to there once for
 * each of them, with the value that it reads counted as undefined. What depends on that is followed
 * by the device, as of memory that nobody wrote (reference/vm/undefined_rows.h), private memory
 * included. Where an undefined value decides a way, an address or what a function does, all that
 * comes later needs it. */
#include "reference/explore/item.h"

#include <string.h>

/* Reads that an operation is asked of, the last ones; it comes after those before, which have not
 * decided anything, whether it needs them or not. */
enum { RUNS_MAX = 8 };

void item_mark(struct item *item)
{
    item->gate.is_undefined = item->at == item->marked;
}

void item_take_undefined(void *state, const struct observer_undefined *undefined)
{
    struct item *item = state;
    if (item->marked != 0 && undefined->use != OBSERVER_UNDEFINED_OUTPUT &&
        undefined->use != OBSERVER_UNDEFINED_UPDATE)
        item->decided = true;
}

/* Is anything undefined of what the operation at that site writes, or compares with? */
static bool has_undefined_operands(const struct item *item, uint32_t site,
                                   const struct litmus_instruction *instruction)
{
    const struct vm_instruction *in = &item->explorer->request.code->instructions[site];
    const struct vm_vector *vector = item_vector(item);
    const uint64_t lane = UINT64_C(1) << item_lane(item);
    uint64_t undefined = 0;
    if (instruction->op == LITMUS_READ)
        return false;
    if (in->op == VM_OP_copy_memory)
        return true;
    for (uint32_t component = 0; component < in->count; component++)
        undefined |= vector->undefined[in->b + component * in->width];
    undefined |= vector->undefined[in->b];
    if (in->op == VM_OP_atomic_compare_exchange)
        undefined |= vector->undefined[in->c];
    return (undefined & lane) != 0;
}

void item_note_operands(struct item *item, uint32_t site,
                        const struct litmus_instruction *instruction)
{
    item->operand =
        instruction->op < LITMUS_FENCE && has_undefined_operands(item, site, instruction);
}

/* How private memory is followed: nothing of it is undefined at first. */
static void follow_private(struct item *item, bool follow)
{
    struct launch *launch = item->explorer->launch;
    memset(item->undefined, 0, launch->private_stride * sizeof *item->undefined);
    for (uint32_t i = launch->local_count; i < launch->object_count; i++)
        launch->objects[i].undefined = follow ? item->undefined : NULL;
}

static bool is_read(const struct node *before)
{
    return before->next->op != LITMUS_WRITE && before->next->op < LITMUS_FENCE;
}

/* The operation on the way to the node that is the read of that number; from 1. */
static uint32_t find_operation(const struct node *node, uint32_t number)
{
    uint32_t left = 0;
    for (const struct node *at = node; at->parent; at = at->parent)
        left += is_read(at->parent);
    for (const struct node *at = node; at->parent; at = at->parent) {
        left -= is_read(at->parent);
        if (is_read(at->parent) && left == number)
            return at->depth;
    }
    return 0;
}

static void ask(struct item *item, struct node *node, uint32_t number)
{
    const uint64_t bit = UINT64_C(1) << number;
    struct node copy = *node;
    item->marked = find_operation(node, number);
    item->decided = false;
    item->operand = false;
    item->went_round = false;
    follow_private(item, true);
    item_run_to(item, &copy);
    follow_private(item, false);
    item->marked = 0;
    item->gate.is_undefined = false;
    node->decided |= item->decided || copy.next != node->next ? bit : 0;
    node->needs.values |= item->operand ? bit : 0;
    node->needs.follows |= item->went_round ? bit : 0;
}

struct machine_needs item_needs(struct node *node, uint64_t reads)
{
    struct item *item = node->explorer->item;
    uint64_t left = reads & ~node->asked;
    node->asked |= left;
    node->decided |= node->parent ? node->parent->decided : 0;
    left &= ~node->decided;
    for (int i = 0; i < RUNS_MAX && left != 0; i++) {
        const int number = 63 - __builtin_clzll(left);
        ask(item, node, (uint32_t)number);
        left &= ~(UINT64_C(1) << number);
    }
    node->needs.values |= node->decided;
    node->needs.follows |= left;
    return node->needs;
}
