/* Each instruction in its uniform or varying form, over slots: block by block, with the copies that
 * its phis need at the ends of their predecessors. */
#include "reference/lower/passes/lower_slots.h"
#include "reference/vm/shape.h"
#include "trace/base/assert.h"

/* ---- which form ---- */

static bool is_uniform(const struct lower *lower, uint32_t value)
{
    return !lower->values[value].varying;
}

/* May the uniform form be used? Operands are then read in uniform form. */
static bool takes_uniform(const struct lower *lower, const struct ir_instruction *instruction)
{
    if (!(vm_op_traits((enum vm_op)instruction->op) & VM_UNIFORM) || instruction->maybe_private)
        return false;
    for (uint32_t r = 0; r < instruction->result_count; r++) {
        const struct ir_value *result = &lower->values[instruction->result + r];
        if (result->varying && result->width != 0)
            return false;
    }
    for (uint32_t o = 0; o < instruction->operand_count; o++) {
        if (!is_uniform(lower, lower->operands[instruction->operand + o]))
            return false;
    }
    return true;
}

/* May the affine form be used? The operands that it reads so are then read as terms. */
static bool takes_affine(const struct lower *lower, const struct ir_instruction *instruction)
{
    const enum vm_op op = (enum vm_op)instruction->op;
    const struct ir_value *result =
        instruction->result_count > 0 ? &lower->values[instruction->result] : NULL;
    if (!(vm_op_traits(op) & VM_AFFINE) || takes_uniform(lower, instruction) ||
        instruction->home != 0)
        return false;
    const struct vm_op_form *form = vm_op_form(vm_affine_op(op));
    if ((form->affine || form->operands[VM_OPERAND_DST].affine) && result->width != 0)
        return result->affine;
    for (uint32_t o = 0; o < instruction->operand_count; o++) {
        if (vm_reads_affine(vm_affine_op(op), o) &&
            !lower_is_linear(lower, lower->operands[instruction->operand + o]))
            return false;
    }
    return !lower->apart && !lower->options.no_affine;
}

/* Masks have one form. */
static enum vm_op uniform_form(enum vm_op op)
{
    const struct vm_op_form *form = vm_op_form(op);
    if (form->traits & VM_TWIN)
        return (enum vm_op)(op + 1);
    return form->operands[VM_OPERAND_DST].width == 0 ? op : VM_OP_select_u;
}

/* Are its operands read uniform or varying, whichever they are? */
static bool takes_as_it_is(enum vm_op op)
{
    return op == VM_OP_subscript || vm_op_form(op)->operands[VM_OPERAND_A].uniform;
}

static void note_need(struct selection *selection, uint32_t value, bool terms)
{
    if (selection->lower->values[value].width == 0)
        return;
    if (terms)
        selection->reads_terms[value] = true;
    else
        selection->reads_elements[value] = true;
}

/* Values that must be written lane by lane: a loop that lanes leave in different iterations makes
 * them anew while lanes after it still hold theirs. Without loops to reason about, all that
 * outlive their block. */
static void note_set(struct selection *selection, uint32_t value, uint32_t block)
{
    const struct lower *lower = selection->lower;
    const struct ir_value *v = &lower->values[value];
    if (v->kind != IR_RESULT || selection->own_set[value])
        return;
    if (lower->apart ? v->block != block : lower_left_divergent(lower, value, block))
        selection->own_set[value] = true;
}

static void note_operands(struct selection *selection, const struct ir_instruction *instruction,
                          uint32_t block)
{
    const struct lower *lower = selection->lower;
    const enum vm_op op = (enum vm_op)instruction->op;
    const bool as_it_is = takes_as_it_is(op);
    const bool uniform = takes_uniform(lower, instruction);
    const bool affine = takes_affine(lower, instruction);
    if (instruction->home != 0) {
        note_set(selection, instruction->kept, block);
        note_need(selection, instruction->kept, false);
    }
    for (uint32_t o = 0; o < instruction->operand_count; o++) {
        const uint32_t value = lower->operands[instruction->operand + o];
        note_set(selection, value, block);
        if (!uniform && (!as_it_is || !is_uniform(lower, value)))
            note_need(selection, value,
                      affine ? vm_reads_affine(vm_affine_op(op), o)
                             : op == VM_OP_subscript && lower->values[value].affine);
    }
}

static void note_uses(struct selection *selection)
{
    struct lower *lower = selection->lower;
    for (uint32_t i = 0; i < lower->flow.order_count; i++) {
        const uint32_t b = lower->flow.order[i];
        const struct ir_block *block = &lower->blocks[b];
        for (uint32_t n = 0; n < block->count; n++) {
            const struct ir_instruction *instruction = &lower->instructions[block->instructions[n]];
            if (!instruction->dead)
                note_operands(selection, instruction, b);
        }
        if (block->exit == IR_EXIT_IF)
            note_set(selection, block->condition, b);
    }
    for (uint32_t p = 1; p < lower->phi_count; p++) {
        const struct ir_phi *phi = &lower->phis[p];
        for (uint32_t o = 0; o < phi->operand_count && !phi->dead; o++) {
            const struct ir_phi_operand operand = phi->operands[o];
            if (lower->flow.number[operand.pred] == FLOW_NONE)
                continue;
            note_set(selection, operand.value, operand.pred);
            if (lower->values[phi->value].varying)
                note_need(selection, operand.value, lower->values[phi->value].affine);
        }
    }
}

/* ---- instructions ---- */

/* Values that are stored together are made in consecutive rows from the start, if nothing speaks
 * against. */
static void plan_store(struct selection *selection, const struct ir_instruction *store)
{
    struct lower *lower = selection->lower;
    const uint32_t count = store->operand_count - 1;
    const uint32_t *values = &lower->operands[store->operand + 1];
    if (count < 2)
        return;
    for (uint32_t i = 0; i < count; i++) {
        const struct ir_value *v = &lower->values[values[i]];
        if (v->kind != IR_RESULT || v->block != store->block ||
            selection->varying[values[i]] != 0 || selection->own_set[values[i]] ||
            lower->instructions[v->index].result_count != 1)
            return;
        for (uint32_t j = 0; j < i; j++) {
            if (values[j] == values[i])
                return;
        }
    }
    const uint32_t width = store->width;
    const uint32_t group = slot_add(selection, count * width, store->block);
    for (uint32_t i = 0; i < count && !lower_failed(lower); i++)
        selection->varying[values[i]] = slot_part(selection, group, i * width, width);
}

/* The operands' slots, as the op's row has them. Returns how many values they took. */
static uint32_t select_operands(struct selection *selection, const struct vm_shape *shape,
                                const struct ir_instruction *instruction, struct vm_instruction *in)
{
    const uint32_t *values = &selection->lower->operands[instruction->operand];
    uint32_t *const slots[] = {&in->a, &in->b, &in->c};
    uint32_t taken = 0;
    for (uint32_t i = 0; i < 3; i++) {
        const struct vm_operand *operand = &shape->operands[VM_OPERAND_A + i];
        if (operand->kind == VM_OPERAND_NUMBER)
            *slots[i] = (uint32_t)instruction->size;
        if (operand->kind != VM_OPERAND_ROW)
            continue;
        *slots[i] = operand->uniform ? slot_uniform(selection, values[taken])
                                     : slot_gather(selection, values + taken, operand->count);
        taken += operand->count;
    }
    return taken;
}

/* The slots of values that are not operands: a table names their rows, which lie anywhere. */
static const uint32_t *select_extra(struct selection *selection, const uint32_t *values,
                                    uint32_t count)
{
    struct lower *lower = selection->lower;
    uint32_t *slots = lower_alloc(lower, count, sizeof *slots);
    for (uint32_t o = 0; o < count && !lower_failed(lower); o++)
        slots[o] = slot_varying(selection, values[o]);
    return slots;
}

/* Reports read them when lanes have gone another way. */
static const uint32_t *select_counters(struct selection *selection, struct ir_barrier *made)
{
    struct lower *lower = selection->lower;
    const uint32_t count = made->counter_count;
    made->barrier.counters_uniform = count > 0 && is_uniform(lower, made->counters[0]);
    if (!made->barrier.counters_uniform)
        return select_extra(selection, made->counters, count);
    uint32_t *slots = lower_alloc(lower, count, sizeof *slots);
    for (uint32_t c = 0; c < count && !lower_failed(lower); c++) {
        slots[c] = slot_uniform(selection, made->counters[c]);
        slot_make_permanent(selection, slots[c]);
    }
    return slots;
}

/* What the work-items of a sub-group gave is looked at when the last of them have come, or none can
 * come: others have gone on by then. */
static void keep_arguments(struct selection *selection, const struct ir_instruction *instruction,
                           const uint32_t *slots, uint32_t count)
{
    const struct lower *lower = selection->lower;
    if (instruction->op != VM_OP_collective ||
        lower->barriers[instruction->aux].barrier.execution != OBSERVER_SCOPE_SUB_GROUP)
        return;
    for (uint32_t i = 0; i < count && !lower_failed(lower); i++)
        slot_make_permanent(selection, slots[i]);
}

/* `in`: what the instruction becomes, but for its operands. */
static void select_rows(struct selection *selection, const struct ir_instruction *instruction,
                        struct vm_instruction in)
{
    struct lower *lower = selection->lower;
    struct vm_shape shape;
    uint32_t parts[16] = {0};
    vm_shape_get(&in, &shape);
    const uint32_t taken = select_operands(selection, &shape, instruction, &in);
    ASSERT(taken <= instruction->operand_count && instruction->result_count <= 16);
    const uint32_t extra_count = instruction->operand_count - taken;
    const uint32_t *rest = &lower->operands[instruction->operand + taken];
    const uint32_t *extra = extra_count > 0 ? select_extra(selection, rest, extra_count) : NULL;
    keep_arguments(selection, instruction, extra, extra_count);
    const bool uniform = shape.operands[VM_OPERAND_DST].uniform;
    if (instruction->result_count > 0)
        in.dst = slot_begin_results(selection, instruction, uniform, parts);
    if (lower_failed(lower))
        return;
    slotted_add(selection,
                (struct slotted){.instruction = in, .extra = extra, .extra_count = extra_count});
    if (takes_affine(lower, instruction))
        slotted_make_affine(selection, instruction->result_count > 0 &&
                                           selection->reads_elements[instruction->result]);
    for (uint32_t i = 0; i < instruction->result_count; i++)
        slot_finish_result(selection, instruction->result + i, uniform, parts[i]);
}

/* The address is 0 where a component is taken of a value that is in no memory. */
static void select_subscript(struct selection *selection, const struct ir_instruction *instruction,
                             struct vm_instruction in)
{
    const struct lower *lower = selection->lower;
    const uint32_t *operands = &lower->operands[instruction->operand];
    const struct ir_value *address = &lower->values[operands[1]];
    const bool of_value = address->kind == IR_CONSTANT && address->bits == 0;
    struct ir_instruction test = *instruction;
    test.operand_count = of_value ? 1 : 2;
    in.width = lower->values[operands[0]].width;
    in.count = (uint8_t)((is_uniform(lower, operands[0]) ? VM_SUBSCRIPT_UNIFORM : 0) |
                         (is_uniform(lower, operands[1]) ? VM_SUBSCRIPT_UNIFORM_ADDRESS : 0) |
                         (lower->values[operands[0]].affine ? VM_SUBSCRIPT_AFFINE : 0) |
                         (address->affine ? VM_SUBSCRIPT_AFFINE_ADDRESS : 0) |
                         (of_value ? VM_SUBSCRIPT_OF_VALUE : 0));
    select_rows(selection, &test, in);
}

/* A home row lives from the start to the end, and lanes keep in it what is theirs. */
static void select_keep(struct selection *selection, const struct ir_instruction *instruction)
{
    struct lower *lower = selection->lower;
    if (instruction->home == IR_HOME_NONE) {
        const uint32_t mark = slot_permanent(selection, &selection->mark_slot, 1);
        slotted_set(selection, 0, mark, mark);
        return;
    }
    struct ir_home *home = &lower->homes[instruction->home - 1];
    const uint32_t slot = slot_permanent(selection, &home->slot, home->width);
    slotted_set(selection, home->width, slot, slot_varying(selection, instruction->kept));
}

static void select_instruction(struct selection *selection,
                               const struct ir_instruction *instruction)
{
    const enum vm_op op = (enum vm_op)instruction->op;
    const bool uniform = takes_uniform(selection->lower, instruction);
    const struct vm_instruction in = {.op = (uint16_t)(uniform ? uniform_form(op) : op),
                                      .width = instruction->width,
                                      .count = instruction->count,
                                      .aux = instruction->aux};
    selection->place = instruction->place;
    if (instruction->home != 0)
        select_keep(selection, instruction);
    else if (op == VM_OP_subscript)
        select_subscript(selection, instruction, in);
    else
        select_rows(selection, instruction, in);
}

/* ---- phis ---- */

/* The row of a phi lives through its block and is written at the end of each predecessor. */
static void make_phi_slots(struct selection *selection, const struct ir_block *block)
{
    struct lower *lower = selection->lower;
    for (uint32_t p = block->first_phi; p != 0; p = lower->phis[p].next) {
        if (lower->phis[p].dead)
            continue;
        const uint32_t value = lower->phis[p].value;
        const bool uniform = !lower->values[value].varying;
        const uint32_t slot = slot_result(selection, value, uniform);
        /* A row of its own, so that a report can say which variable it holds. */
        if (selection->maybe_undefined[p]) {
            slot_make_permanent(selection, slot);
            selection->slots[slot].name = lower->values[value].name;
        }
        if (uniform && lower->values[value].width != 0 && slot_has_twin(selection, value))
            slot_result(selection, value, false);
    }
}

static void splat_phis(struct selection *selection, const struct ir_block *block)
{
    struct lower *lower = selection->lower;
    for (uint32_t p = block->first_phi; p != 0; p = lower->phis[p].next) {
        const uint32_t value = lower->phis[p].value;
        if (!lower->phis[p].dead && !lower->values[value].varying &&
            slot_has_twin(selection, value))
            slotted_splat(selection, value, selection->uniform[value]);
    }
}

struct phi_copy {
    uint32_t value, source; /* value; slot */
    bool uniform;
};

static void write_phi(struct selection *selection, const struct phi_copy *copy)
{
    const struct ir_value *v = &selection->lower->values[copy->value];
    if (copy->uniform && v->width != 0)
        slotted_unary(selection, VM_OP_mov_u, selection->uniform[copy->value], copy->source);
    else if (copy->uniform)
        slotted_move(selection, 0, selection->varying[copy->value], copy->source);
    else
        slotted_set(selection, v->width, selection->varying[copy->value], copy->source);
    if (v->affine)
        slotted_make_affine(selection, selection->reads_elements[copy->value]);
}

/* What is written at once with others and still has to give its value to one of them. */
static uint32_t keep_aside(struct selection *selection, const struct ir_value *from, bool uniform,
                           uint32_t source)
{
    const uint32_t block = selection->block;
    uint32_t aside;
    if (uniform && from->width != 0) {
        aside = slot_add(selection, 1, block);
        slotted_unary(selection, VM_OP_mov_u, aside, source);
    } else if (from->affine) {
        aside = slot_add_affine(selection, from->width, block);
        slotted_move(selection, from->width, aside, source);
        slotted_make_affine(selection, true);
    } else {
        aside = slot_add(selection, slot_units(from->width), block);
        slotted_move(selection, from->width, aside, source);
    }
    return aside;
}

/* Writes all phis of the block that `block` goes to, as if at once: what one of them still has to
 * give to another is kept aside first. */
static void copy_phis(struct selection *selection, uint32_t block)
{
    struct lower *lower = selection->lower;
    const uint32_t target = lower->blocks[block].targets[0];
    struct phi_copy *copies = NULL;
    uint32_t count = 0;
    uint32_t capacity = 0;
    for (uint32_t p = lower->blocks[target].first_phi; p != 0 && !lower_failed(lower);
         p = lower->phis[p].next) {
        const struct ir_phi *phi = &lower->phis[p];
        uint32_t source = 0;
        for (uint32_t o = 0; o < phi->operand_count && !phi->dead; o++) {
            if (phi->operands[o].pred == block)
                source = phi->operands[o].value;
        }
        if (source == 0 || source == phi->value)
            continue;
        const struct ir_value from = lower->values[source];
        const bool uniform = !lower->values[phi->value].varying;
        struct phi_copy copy = {.value = phi->value, .uniform = uniform};
        copy.source = uniform && from.width != 0 ? slot_uniform(selection, source)
                                                 : slot_varying(selection, source);
        if (from.kind == IR_PHI && from.block == target && !lower_failed(lower)) {
            copy.source = keep_aside(selection, &from, uniform, copy.source);
        }
        lower_append(lower, &copies, &count, &capacity, &copy, sizeof copy);
    }
    for (uint32_t i = 0; i < count && !lower_failed(lower); i++)
        write_phi(selection, &copies[i]);
}

/* ---- blocks ---- */

/* The rows that tell whether an iteration changed anything: of each phi of the header what it is
 * now, and what it was. */
static void select_spin(struct selection *selection, const struct ir_block *block,
                        struct slotted *made)
{
    struct lower *lower = selection->lower;
    struct vm_spin *spin = &lower->code->spins[block->spin - 1];
    const uint32_t header = block->targets[0];
    uint32_t count = 0;
    for (uint32_t p = lower->blocks[header].first_phi; p != 0; p = lower->phis[p].next)
        count += !lower->phis[p].dead;
    uint32_t *slots = lower_alloc(lower, 2 * (size_t)count, sizeof *slots);
    uint8_t *widths = lower_code_alloc(lower, count, sizeof *widths);
    count = 0;
    for (uint32_t p = lower->blocks[header].first_phi; p != 0 && !lower_failed(lower);
         p = lower->phis[p].next) {
        if (lower->phis[p].dead)
            continue;
        const uint32_t value = lower->phis[p].value;
        widths[count] = lower->values[value].width;
        slots[2 * count] = slot_varying(selection, value);
        slots[2 * count + 1] = slot_add(selection, slot_units(widths[count]), header);
        selection->slots[slots[2 * count + 1]].permanent = !lower_failed(lower);
        count++;
    }
    spin->widths = widths;
    spin->row_count = count;
    made->instruction.op = VM_OP_spin;
    made->instruction.aux = block->spin - 1;
    made->extra = slots;
    made->extra_count = 2 * count;
}

static void select_exit(struct selection *selection, uint32_t b)
{
    struct lower *lower = selection->lower;
    const struct ir_block *block = &lower->blocks[b];
    const uint32_t *number = lower->flow.number;
    struct slotted made = {.instruction = {.op = VM_OP_unreachable}};
    if (ir_target_count(block) == 1)
        copy_phis(selection, b);
    selection->place = block->place;
    switch (block->exit) {
    case IR_EXIT_BRANCH:
        made.instruction.op = VM_OP_branch;
        made.instruction.a = number[block->targets[0]];
        if (block->spin != 0)
            select_spin(selection, block, &made);
        break;
    case IR_EXIT_IF:
        made.instruction.op = VM_OP_branch_if;
        made.instruction.a = number[block->targets[0]];
        made.instruction.b = number[block->targets[1]];
        made.instruction.c = slot_varying(selection, block->condition);
        break;
    case IR_EXIT_RETURN:
        made.instruction.op = VM_OP_return;
        made.instruction.aux = block->returns_early;
        break;
    case IR_EXIT_BARRIER:
        made.instruction.op = VM_OP_barrier;
        made.instruction.aux = block->barrier;
        made.extra_count = lower->barriers[block->barrier].counter_count;
        made.extra = select_counters(selection, &lower->barriers[block->barrier]);
        break;
    default:
        break;
    }
    slotted_add(selection, made);
}

static void select_block(struct selection *selection, uint32_t position)
{
    struct lower *lower = selection->lower;
    const uint32_t b = lower->flow.order[position];
    const struct ir_block *block = &lower->blocks[b];
    selection->block = b;
    selection->place = 0;
    selection->block_first[position] = selection->code_count;
    splat_phis(selection, block);
    for (uint32_t n = 0; n < block->count && !lower_failed(lower); n++) {
        const struct ir_instruction *instruction = &lower->instructions[block->instructions[n]];
        if (!instruction->dead)
            select_instruction(selection, instruction);
    }
    if (!lower_failed(lower))
        select_exit(selection, b);
}

static bool is_undefined(const struct selection *selection, uint32_t value)
{
    const struct ir_value *v = &selection->lower->values[value];
    return (v->kind == IR_UNDEFINED && v->name != NULL) ||
           (v->kind == IR_PHI && selection->maybe_undefined[v->index]);
}

static void find_undefined(struct selection *selection)
{
    const struct lower *lower = selection->lower;
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t p = 1; p < lower->phi_count; p++) {
            const struct ir_phi *phi = &lower->phis[p];
            for (uint32_t o = 0;
                 o < phi->operand_count && !phi->dead && !selection->maybe_undefined[p]; o++) {
                if (is_undefined(selection, phi->operands[o].value))
                    selection->maybe_undefined[p] = changed = true;
            }
        }
    }
}

static bool prepare(struct selection *selection)
{
    struct lower *lower = selection->lower;
    lower_finish_homes(lower);
    const size_t values = lower->value_count;
    selection->uniform = lower_alloc(lower, values, sizeof *selection->uniform);
    selection->varying = lower_alloc(lower, values, sizeof *selection->varying);
    selection->reads_terms = lower_alloc(lower, values, sizeof *selection->reads_terms);
    selection->reads_elements = lower_alloc(lower, values, sizeof *selection->reads_elements);
    selection->own_set = lower_alloc(lower, values, sizeof *selection->own_set);
    selection->maybe_undefined =
        lower_alloc(lower, lower->phi_count, sizeof *selection->maybe_undefined);
    selection->block_first =
        lower_alloc(lower, (size_t)lower->flow.order_count + 1, sizeof *selection->block_first);
    selection->parameter_slots =
        lower_alloc(lower, lower->code->parameter_count, sizeof *selection->parameter_slots);
    selection->variable_slots =
        lower_alloc(lower, lower->variable_count, sizeof *selection->variable_slots);
    selection->variable_index =
        lower_alloc(lower, lower->variable_count, sizeof *selection->variable_index);
    selection->global_slots =
        lower_alloc(lower, lower->module->program_variable_count, sizeof *selection->global_slots);
    slot_add(selection, 0, 0); /* none */
    if (lower_failed(lower))
        return false;
    for (uint32_t p = 0; p < lower->code->parameter_count; p++) {
        const struct vm_parameter *parameter = &lower->code->parameters[p];
        selection->parameter_slots[p] = slot_add(selection, parameter->count, 0);
        selection->slots[selection->parameter_slots[p]].permanent = true;
    }
    for (uint32_t v = 0; v < lower->variable_count; v++) {
        if (lower->variables[v].used || lower->variables[v].parameter >= 0)
            slot_permanent(selection, &selection->variable_slots[v], 1);
    }
    note_uses(selection);
    find_undefined(selection);
    for (uint32_t i = 0; i < lower->flow.order_count && !lower_failed(lower); i++) {
        const struct ir_block *block = &lower->blocks[lower->flow.order[i]];
        make_phi_slots(selection, block);
        for (uint32_t n = 0; n < block->count; n++) {
            const struct ir_instruction *instruction = &lower->instructions[block->instructions[n]];
            if (!instruction->dead && instruction->op == VM_OP_store)
                plan_store(selection, instruction);
        }
    }
    return !lower_failed(lower);
}

void lower_select(struct lower *lower)
{
    struct selection selection = {.lower = lower};
    if (!prepare(&selection))
        return;
    for (uint32_t i = 0; i < lower->flow.order_count && !lower_failed(lower); i++)
        select_block(&selection, i);
    if (lower_failed(lower))
        return;
    selection.block_first[lower->flow.order_count] = (uint32_t)selection.code_count;
    lower_rows(&selection);
    if (!lower_failed(lower))
        lower_encode(&selection);
}
