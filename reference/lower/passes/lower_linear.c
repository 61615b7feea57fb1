/* Which varying values are affine in the lane (code.h): sums of ids times uniform values. The
 * lattice of lower_uniform goes on here: uniform, affine, varying. What depends on ids in such a
 * way is said statically; whether numbers wrap, and whether ids run so in a group of some size, is
 * seen when the code runs, and there every affine op has its way out.
 *
 * An affine row is written wholly, whatever lanes are active. So, as for uniform values, a phi may
 * be one only if no edge into its block depends on the lane, and nothing of a loop that lanes leave
 * in different iterations may be one if it is used after it. All candidates start as affine and
 * only ever change to varying, until nothing does. */
#include "reference/lower/lower_private.h"
#include "reference/vm/shape.h"

struct linear {
    struct lower *lower;
    bool changed;
    bool *wanted; /* by value: its terms */
};

static bool is_id(uint32_t query)
{
    return query == VM_QUERY_GLOBAL_ID || query == VM_QUERY_LOCAL_ID ||
           query == VM_QUERY_GLOBAL_LINEAR_ID || query == VM_QUERY_LOCAL_LINEAR_ID;
}

/* An op whose affine form gives an affine row. */
static bool gives_affine(enum vm_op op)
{
    if (!(vm_op_traits(op) & VM_AFFINE))
        return false;
    const struct vm_op_form *form = vm_op_form(vm_affine_op(op));
    return form->affine || form->operands[VM_OPERAND_DST].affine;
}

static bool makes_affine(const struct ir_instruction *instruction)
{
    return !instruction->dead && instruction->result_count == 1 &&
           gives_affine((enum vm_op)instruction->op);
}

static bool is_candidate(const struct lower *lower, const struct ir_value *value, const bool *join)
{
    if (!value->varying || value->width == 0 || value->in_rows)
        return false;
    switch (value->kind) {
    case IR_QUERY:
        return is_id(value->index);
    case IR_RESULT:
        return makes_affine(&lower->instructions[value->index]);
    case IR_PHI:
        return !lower->phis[value->index].dead && !join[value->block];
    default:
        return false;
    }
}

bool lower_is_linear(const struct lower *lower, uint32_t value)
{
    const struct ir_value *v = &lower->values[value];
    return v->affine || (!v->varying && !v->in_rows && v->kind != IR_NONE &&
                         v->kind != IR_UNDEFINED && v->kind != IR_BUILTIN);
}

static void make_varying(struct linear *linear, uint32_t value)
{
    linear->changed |= linear->lower->values[value].affine;
    linear->lower->values[value].affine = false;
}

/* The value is used in `block`. */
static void check_use(struct linear *linear, uint32_t value, uint32_t block)
{
    if (linear->lower->values[value].affine && lower_left_divergent(linear->lower, value, block))
        make_varying(linear, value);
}

static void check_instruction(struct linear *linear, uint32_t index, uint32_t block)
{
    const struct lower *lower = linear->lower;
    const struct ir_instruction *instruction = &lower->instructions[index];
    const uint32_t *operands = &lower->operands[instruction->operand];
    const bool makes = !instruction->dead && instruction->result_count == 1 &&
                       lower->values[instruction->result].affine;
    if (instruction->home != 0 && !instruction->dead)
        check_use(linear, instruction->kept, block);
    for (uint32_t o = 0; o < instruction->operand_count && !instruction->dead; o++) {
        check_use(linear, operands[o], block);
        if (makes && !lower_is_linear(lower, operands[o]))
            make_varying(linear, instruction->result);
    }
}

static void check_phi(struct linear *linear, const struct ir_phi *phi)
{
    const struct lower *lower = linear->lower;
    for (uint32_t o = 0; o < phi->operand_count; o++) {
        const struct ir_phi_operand operand = phi->operands[o];
        if (lower->flow.number[operand.pred] == FLOW_NONE)
            continue;
        check_use(linear, operand.value, operand.pred);
        if (!lower_is_linear(lower, operand.value))
            make_varying(linear, phi->value);
    }
}

static void check_values(struct linear *linear)
{
    const struct lower *lower = linear->lower;
    for (uint32_t i = 0; i < lower->flow.order_count; i++) {
        const uint32_t b = lower->flow.order[i];
        const struct ir_block *block = &lower->blocks[b];
        for (uint32_t p = block->first_phi; p != 0; p = lower->phis[p].next) {
            if (!lower->phis[p].dead)
                check_phi(linear, &lower->phis[p]);
        }
        for (uint32_t n = 0; n < block->count; n++)
            check_instruction(linear, block->instructions[n], b);
    }
}

/* Values that are stored together are made one after the other, without a unit between. */
static void find_rows(struct lower *lower)
{
    for (struct ir_walk walk = {0}; ir_walk_next(lower, &walk);) {
        const struct ir_instruction *store = walk.instruction;
        const bool several = store->op == VM_OP_store && store->operand_count > 2;
        for (uint32_t o = 1; several && o < store->operand_count; o++) {
            struct ir_value *value = &lower->values[lower->operands[store->operand + o]];
            value->in_rows = value->kind == IR_RESULT;
        }
    }
}

/* The rounds of lanes that wait at a barrier, while others go on. */
static void exclude_counters(struct linear *linear)
{
    const struct lower *lower = linear->lower;
    for (uint32_t i = 0; i < lower->barrier_count; i++) {
        for (uint32_t c = 0; c < lower->barriers[i].counter_count; c++)
            make_varying(linear, lower->barriers[i].counters[c]);
    }
}

/* ---- which of them are worth it ---- */

static void note_wanted(struct linear *linear, uint32_t value)
{
    linear->changed |= !linear->wanted[value];
    linear->wanted[value] = true;
}

/* What reads memory, compares or tests by terms wants them; and so does what makes wanted ones. */
static void want_operands(struct linear *linear, const struct ir_instruction *instruction)
{
    const struct lower *lower = linear->lower;
    const enum vm_op op = (enum vm_op)instruction->op;
    const bool sums = instruction->result_count == 1 && gives_affine(op) &&
                      lower->values[instruction->result].width != 0;
    const bool reads = (vm_op_traits(op) & VM_AFFINE) != 0;
    if (sums ? !linear->wanted[instruction->result] : !reads && op != VM_OP_subscript)
        return;
    for (uint32_t o = 0; o < instruction->operand_count; o++) {
        if (!reads || vm_reads_affine(vm_affine_op(op), o))
            note_wanted(linear, lower->operands[instruction->operand + o]);
    }
}

static void want_phi_operands(struct linear *linear, const struct ir_phi *phi)
{
    for (uint32_t o = 0; o < phi->operand_count; o++) {
        if (!phi->dead && linear->wanted[phi->value])
            note_wanted(linear, phi->operands[o].value);
    }
}

/* Where elements are all that is asked for, they are computed as such. */
static void drop_unwanted(struct linear *linear)
{
    struct lower *lower = linear->lower;
    linear->wanted = lower_alloc(lower, lower->value_count, sizeof *linear->wanted);
    if (lower_failed(lower))
        return;
    do {
        linear->changed = false;
        for (struct ir_walk walk = {0}; ir_walk_next(lower, &walk);)
            want_operands(linear, walk.instruction);
        for (uint32_t p = 1; p < lower->phi_count; p++)
            want_phi_operands(linear, &lower->phis[p]);
    } while (linear->changed);
    for (uint32_t v = 1; v < lower->value_count; v++)
        lower->values[v].affine &= linear->wanted[v];
}

void lower_linear(struct lower *lower, const bool *join)
{
    struct linear linear = {.lower = lower};
    find_rows(lower);
    if (lower->options.no_affine)
        return;
    for (uint32_t v = 1; v < lower->value_count; v++)
        lower->values[v].affine = is_candidate(lower, &lower->values[v], join);
    exclude_counters(&linear);
    do {
        linear.changed = false;
        check_values(&linear);
    } while (linear.changed);
    drop_unwanted(&linear);
}
