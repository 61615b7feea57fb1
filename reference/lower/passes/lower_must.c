/* Which bytes of its pointer arguments a kernel is certain to access: those of an access at
 * argument + size * get_global_id(0) + constant that every work-item makes, or every one whose id
 * is below a limit.
 *
 * Which blocks does every work-item come to? But for the edges back to the headers of loops, all
 * lead forward in the order of the blocks. So every way from the entry to the end comes to a block
 * that no edge leads past, and before which no way ends. Work-items below a limit take one side of
 * each branch that asks for it: the same, without the other sides. Loops count as ending.
 *
 * What may be otherwise is not told: a false "certain" would be a false alarm. */
#include "reference/lower/lower_private.h"
#include "reference/lower/passes/lower_form.h"

#include <string.h>

enum { GUARDS_MAX = 16 }; /* different limits that are tried */

/* A block that ends with the question whether the id is below a limit. */
struct guard {
    bool known;
    uint8_t below; /* the target of ids that are */
    uint8_t bits;
    bool limit_signed; /* these as in struct vm_must */
    int32_t limit_argument;
    uint64_t limit;
};

struct finder {
    struct lower *lower;
    struct form *forms;   /* lower_forms */
    struct guard *guards; /* by block */
    bool *reached, *certain;
};

/* ---- which work-items come to a block ---- */

/* `beyond`: the id may be the limit itself, too. A limit that is widened has the sign that it is
 * widened with: if it is negative and then compared unsigned, we tell less than there is. */
static bool find_limit(const struct lower *lower, uint32_t value, bool beyond, struct guard *guard)
{
    const struct ir_instruction *made = ir_maker(lower, value);
    if (made != NULL && (made->op == VM_OP_zext_32_64 || made->op == VM_OP_sext_32_64)) {
        guard->limit_signed = made->op == VM_OP_sext_32_64;
        value = lower->operands[made->operand];
    }
    const struct ir_value *limit = &lower->values[ir_same(lower, value)];
    if (limit->kind == IR_PARAMETER) {
        const struct vm_parameter *parameter = &lower->code->parameters[limit->index];
        guard->limit_argument = (int32_t)limit->index;
        return !beyond && parameter->kind == VM_PARAMETER_VALUE && parameter->count == 1 &&
               parameter->width >= 4;
    }
    guard->limit = (limit->bits & (UINT64_MAX >> (64 - 8u * limit->width))) + beyond;
    return limit->kind == IR_CONSTANT && guard->limit <= INT64_MAX &&
           !(guard->limit_signed && ir_signed_bits(limit) < 0);
}

static struct guard find_guard(const struct finder *finder, const struct ir_block *block)
{
    const struct lower *lower = finder->lower;
    struct guard guard = {.limit_argument = -1};
    const struct ir_instruction *compare =
        block->exit == IR_EXIT_IF ? ir_compare(lower, block->condition, &guard.below) : NULL;
    bool or_equal = false;
    if (compare == NULL)
        return guard;
    switch (compare->op) {
    case IR_CASES(sle):
        guard.limit_signed = or_equal = true;
        break;
    case IR_CASES(slt):
        guard.limit_signed = true;
        break;
    case IR_CASES(ule):
        or_equal = true;
        break;
    case IR_CASES(ult):
        break;
    default:
        return guard;
    }
    /* "limit <= id" is "id < limit" with the targets exchanged. */
    const uint32_t *operands = &lower->operands[compare->operand];
    const bool exchanged = form_of(lower, finder->forms, operands[0]).scale == 0;
    const uint32_t id = operands[exchanged];
    const struct form form = form_as_number(form_of(lower, finder->forms, id),
                                            lower->values[id].width, guard.limit_signed);
    guard.below ^= exchanged;
    guard.bits = form.bits;
    guard.known = form.known && form.argument == 0 && form.scale == 1 && form.offset == 0 &&
                  find_limit(lower, operands[!exchanged], or_equal != exchanged, &guard);
    return guard;
}

static bool same_limit(const struct guard *a, const struct guard *b)
{
    return a->known && b->known && a->limit_argument == b->limit_argument && a->limit == b->limit &&
           a->limit_signed == b->limit_signed;
}

/* Sets certain[b] of blocks that each work-item below the limit comes to; guard NULL = each. What
 * the guards that are used ask lowers guard->bits. False: the kernel has no end. */
static bool find_certain(struct finder *finder, struct guard *guard)
{
    const struct lower *lower = finder->lower;
    const struct flow *flow = &lower->flow;
    uint32_t furthest = 0;
    bool ended = false;
    memset(finder->reached, 0, lower->block_count * sizeof *finder->reached);
    finder->reached[flow->order[0]] = true;
    for (uint32_t i = 0; i < flow->order_count; i++) {
        const struct ir_block *block = &lower->blocks[flow->order[i]];
        const struct guard *own = &finder->guards[flow->order[i]];
        const bool guarded = guard != NULL && same_limit(own, guard);
        finder->certain[flow->order[i]] =
            finder->reached[flow->order[i]] && !ended && furthest <= i;
        if (!finder->reached[flow->order[i]])
            continue;
        if (guarded && own->bits < guard->bits)
            guard->bits = own->bits;
        ended |= ir_target_count(block) == 0;
        for (uint32_t t = 0; t < ir_target_count(block); t++) {
            if (guarded && t != own->below)
                continue;
            const uint32_t to = flow->number[block->targets[t]];
            finder->reached[block->targets[t]] = true;
            furthest = to > furthest ? to : furthest;
        }
    }
    return ended;
}

/* ---- what they access there ---- */

static bool is_better(const struct vm_must *must, const struct vm_must *than)
{
    if (must->is_atomic != than->is_atomic || than->size == 0)
        return than->size == 0 || than->is_atomic;
    const bool limited = must->limit != UINT64_MAX || must->limit_argument >= 0;
    const bool than_limited = than->limit != UINT64_MAX || than->limit_argument >= 0;
    return limited != than_limited ? than_limited : must->size > than->size;
}

static void improve(struct vm_must *known, const struct vm_must *must)
{
    if (is_better(must, known))
        *known = *must;
}

/* A whole vector for the sake of one component, which the program means: lower_indexed.c. */
static bool is_of_component(const struct lower *lower, const struct ir_instruction *instruction)
{
    const struct ir_instruction *made =
        instruction->op == VM_OP_store ? ir_maker(lower, lower->operands[instruction->operand + 1])
                                       : NULL;
    return instruction->for_index || (made != NULL && made->op == VM_OP_insert);
}

static void note_access(struct finder *finder, const struct ir_instruction *instruction,
                        const struct guard *guard)
{
    const struct lower *lower = finder->lower;
    const uint32_t traits = vm_op_traits((enum vm_op)instruction->op);
    const bool is_atomic = (traits & VM_ATOMIC) != 0;
    if ((instruction->op != VM_OP_load && instruction->op != VM_OP_store && !is_atomic) ||
        is_of_component(lower, instruction))
        return;
    const struct form address =
        form_of(lower, finder->forms, lower->operands[instruction->operand]);
    const uint32_t size = instruction->width * (is_atomic ? 1u : instruction->count);
    if (!address.known || address.argument == 0 || address.scale != size)
        return;
    struct vm_parameter *parameter = &lower->code->parameters[address.argument - 1];
    const struct vm_must must = {
        .size = size,
        .first = address.offset,
        .limit_argument = guard != NULL ? guard->limit_argument : -1,
        .limit = guard != NULL && guard->limit_argument < 0 ? guard->limit : UINT64_MAX,
        .limit_signed = guard != NULL && guard->limit_argument >= 0 && guard->limit_signed,
        .index_bits = guard != NULL && guard->bits < address.bits ? guard->bits : address.bits,
        .is_atomic = is_atomic,
    };
    if ((traits & VM_ONLY_WRITES) == 0)
        improve(&parameter->must_read, &must);
    /* What is not equal is not exchanged. */
    if ((traits & VM_ONLY_READS) == 0 && instruction->op != VM_OP_atomic_compare_exchange)
        improve(&parameter->must_write, &must);
}

static void note_accesses(struct finder *finder, struct guard *guard)
{
    if (!find_certain(finder, guard))
        return;
    for (struct ir_walk walk = {0}; ir_walk_next(finder->lower, &walk);) {
        if (finder->certain[walk.block])
            note_access(finder, walk.instruction, guard);
    }
}

/* Each limit once. */
static void note_guarded(struct finder *finder)
{
    const struct lower *lower = finder->lower;
    struct guard tried[GUARDS_MAX];
    uint32_t count = 0;
    for (uint32_t i = 0; i < lower->flow.order_count && count < GUARDS_MAX; i++) {
        const struct guard *guard = &finder->guards[lower->flow.order[i]];
        bool is_new = guard->known;
        for (uint32_t t = 0; t < count && is_new; t++)
            is_new = !same_limit(&tried[t], guard);
        if (is_new) {
            tried[count] = *guard;
            note_accesses(finder, &tried[count++]);
        }
    }
}

void lower_must(struct lower *lower)
{
    struct finder finder = {
        .lower = lower,
        .forms = lower_forms(lower),
        .guards = lower_alloc(lower, lower->block_count, sizeof *finder.guards),
        .reached = lower_alloc(lower, lower->block_count, sizeof *finder.reached),
        .certain = lower_alloc(lower, lower->block_count, sizeof *finder.certain),
    };
    /* The order of a graph with other cycles than loops has other edges that lead back. */
    if (lower_failed(lower) || lower->flow.irreducible)
        return;
    for (uint32_t i = 0; i < lower->flow.order_count; i++)
        finder.guards[lower->flow.order[i]] =
            find_guard(&finder, &lower->blocks[lower->flow.order[i]]);
    note_accesses(&finder, NULL);
    note_guarded(&finder);
}
