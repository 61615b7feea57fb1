/* Slots of values: what exists before the first block is made when it is first used, results where
 * their instruction is. What a varying operation needs of a uniform value is splatted once, where
 * the value is made. */
#include "reference/lower/passes/lower_slots.h"
#include "reference/vm/shape.h"
#include "trace/base/assert.h"

/* ---- slots and instructions ---- */

uint32_t slot_add(struct selection *selection, uint32_t units, uint32_t block)
{
    const struct slot slot = {.units = units, .block = block};
    return lower_append(selection->lower, &selection->slots, &selection->slot_count,
                        &selection->slot_capacity, &slot, sizeof slot);
}

uint32_t slot_add_affine(struct selection *selection, uint32_t width, uint32_t block)
{
    const uint32_t group = slot_add(selection, 1 + width, block);
    return slot_part(selection, group, 1, width);
}

/* Of a varying value that is not several rows in a row. */
static uint32_t add_varying(struct selection *selection, uint32_t value, uint32_t block)
{
    const struct ir_value *v = &selection->lower->values[value];
    return v->affine || selection->reads_terms[value]
               ? slot_add_affine(selection, v->width, block)
               : slot_add(selection, slot_units(v->width), block);
}

void slot_make_permanent(struct selection *selection, uint32_t slot)
{
    selection->slots[slot].permanent = true;
    selection->slots[selection->slots[slot].group].permanent = true; /* 0 is none */
}

uint32_t slot_part(struct selection *selection, uint32_t group, uint32_t index, uint32_t units)
{
    const uint32_t slot = slot_add(selection, units, selection->slots[group].block);
    selection->slots[slot].group = group;
    selection->slots[slot].index = index;
    return slot;
}

void slotted_add(struct selection *selection, struct slotted made)
{
    made.place = selection->place;
    made.block = selection->block;
    lower_append(selection->lower, &selection->code, &selection->code_count,
                 &selection->code_capacity, &made, sizeof made);
}

void slotted_unary(struct selection *selection, enum vm_op op, uint32_t dst, uint32_t a)
{
    slotted_add(selection,
                (struct slotted){.instruction = {.op = (uint16_t)op, .dst = dst, .a = a}});
}

void slotted_move(struct selection *selection, uint32_t width, uint32_t dst, uint32_t a)
{
    slotted_unary(selection, width == 0 ? VM_OP_mov_mask : IR_BY_WIDTH(mov, width), dst, a);
}

void slotted_set(struct selection *selection, uint32_t width, uint32_t dst, uint32_t a)
{
    slotted_unary(selection, width == 0 ? VM_OP_set_mask : IR_BY_WIDTH(set, width), dst, a);
}

static struct vm_instruction affine_form(struct vm_instruction instruction, bool elements)
{
    instruction.op = (uint16_t)vm_affine_op((enum vm_op)instruction.op);
    if (vm_op_form((enum vm_op)instruction.op)->traits & VM_MEMORY)
        return instruction;
    instruction.aux = elements ? VM_AFFINE_ROW : 0;
    return instruction;
}

void slotted_make_affine(struct selection *selection, bool elements)
{
    if (lower_failed(selection->lower))
        return;
    struct vm_instruction *last = &selection->code[selection->code_count - 1].instruction;
    *last = affine_form(*last, elements);
}

static struct vm_instruction splat(const struct selection *selection, uint32_t value, uint32_t dst,
                                   uint32_t from)
{
    const struct vm_instruction made = {
        .op = (uint16_t)IR_BY_WIDTH(splat, selection->lower->values[value].width),
        .dst = dst,
        .a = from};
    return selection->reads_terms[value] ? affine_form(made, selection->reads_elements[value])
                                         : made;
}

void slotted_splat(struct selection *selection, uint32_t value, uint32_t from)
{
    const uint32_t to = slot_result(selection, value, false);
    slotted_add(selection, (struct slotted){.instruction = splat(selection, value, to, from)});
}

/* ---- values that exist before the first block ---- */

static void add_to_prologue(struct selection *selection, struct vm_instruction instruction,
                            uint32_t place)
{
    const struct slotted made = {.instruction = instruction, .place = place};
    lower_append(selection->lower, &selection->prologue, &selection->prologue_count,
                 &selection->prologue_capacity, &made, sizeof made);
}

static uint32_t add_constant(struct selection *selection, uint32_t slot, uint32_t width,
                             uint64_t bits, bool uniform)
{
    const struct vm_constant constant = {
        .row = slot,
        .width = (uint8_t)width,
        .uniform = uniform,
        .affine = selection->slots[slot].group != 0,
        .bits = width == 0 && bits != 0 ? UINT64_MAX : bits,
    };
    slot_make_permanent(selection, slot);
    lower_append(selection->lower, &selection->constants, &selection->constant_count,
                 &selection->constant_capacity, &constant, sizeof constant);
    return constant.row;
}

uint32_t slot_permanent(struct selection *selection, uint32_t *cached, uint32_t units)
{
    if (*cached == 0) {
        *cached = slot_add(selection, units, 0);
        selection->slots[*cached].permanent = true;
    }
    ASSERT(selection->slots[*cached].units == units || lower_failed(selection->lower));
    return *cached;
}

static uint32_t undefined_slot(struct selection *selection, const struct ir_value *value,
                               bool uniform)
{
    static const uint8_t unnamed[] = {0, VM_UNDEFINE_NOBODYS, VM_UNDEFINE_GAP};
    const uint8_t kind = value->name == NULL ? unnamed[value->bits] : 0;
    const uint32_t slot = slot_add(selection, uniform ? 1 : slot_units(value->width), 0);
    selection->slots[slot].name = value->name;
    selection->slots[slot].part = value->name != NULL ? value->bits : 0;
    /* No other value has the slot of what is told by it. */
    selection->slots[slot].permanent = value->name != NULL || kind == VM_UNDEFINE_GAP;
    add_to_prologue(selection,
                    (struct vm_instruction){
                        .op = VM_OP_undefine,
                        .width = value->width,
                        .count = 1,
                        .dst = slot,
                        .aux = (uniform && value->width != 0 ? VM_UNDEFINE_UNIFORM : 0) | kind},
                    value->index);
    return slot;
}

/* The address of a variable: the launch gives its start. */
static uint32_t address_slot(struct selection *selection, const struct ir_value *value)
{
    uint32_t *cached = value->kind == IR_VARIABLE ? &selection->variable_slots[value->index]
                                                  : &selection->global_slots[value->index];
    const uint32_t base = slot_permanent(selection, cached, 1);
    if (value->bits == 0)
        return base;
    const uint32_t offset =
        add_constant(selection, slot_add(selection, 1, 0), 8, value->bits, true);
    const uint32_t slot = slot_add(selection, 1, 0);
    add_to_prologue(
        selection,
        (struct vm_instruction){.op = VM_OP_iadd_64_u, .dst = slot, .a = base, .b = offset}, 0);
    return slot;
}

static uint32_t leaf_uniform(struct selection *selection, uint32_t value)
{
    const struct ir_value *v = &selection->lower->values[value];
    switch (v->kind) {
    case IR_CONSTANT:
        return add_constant(selection, slot_add(selection, 1, 0), v->width, v->bits, true);
    case IR_UNDEFINED:
        return undefined_slot(selection, v, true);
    case IR_PARAMETER:
        return slot_part(selection, selection->parameter_slots[v->index], (uint32_t)v->bits, 1);
    case IR_QUERY:
        return slot_permanent(selection, &selection->query_slots[v->index][v->bits], 1);
    case IR_VARIABLE:
    case IR_GLOBAL:
        return address_slot(selection, v);
    default:
        /* A result that its block has not made yet, or that an unreachable block makes. */
        lower_fail(selection->lower, STATUS_MALFORMED,
                   "a value is used where its definition does not reach");
        return 0;
    }
}

uint32_t slot_uniform(struct selection *selection, uint32_t value)
{
    uint32_t *slot = &selection->uniform[value];
    if (lower_failed(selection->lower))
        return 0;
    if (*slot == 0)
        *slot = leaf_uniform(selection, value);
    return *slot;
}

static uint32_t query_slot(struct selection *selection, uint32_t value)
{
    const struct ir_value *v = &selection->lower->values[value];
    uint32_t *slot = &selection->query_slots[v->index][v->bits];
    if (*slot != 0)
        return *slot;
    *slot = add_varying(selection, value, 0);
    slot_make_permanent(selection, *slot);
    if (v->affine)
        selection->lower->code->query_forms[v->index][v->bits] =
            selection->reads_elements[value] ? VM_QUERY_BOTH : VM_QUERY_TERMS;
    return *slot;
}

/* The varying form of a leaf: filled by the launch, or splatted in the prologue. */
static uint32_t leaf_varying(struct selection *selection, uint32_t value)
{
    const struct ir_value *v = &selection->lower->values[value];
    if (v->kind == IR_CONSTANT)
        return add_constant(selection, add_varying(selection, value, 0), v->width, v->bits, false);
    if (v->kind == IR_UNDEFINED)
        return undefined_slot(selection, v, false);
    if (v->kind == IR_QUERY && v->varying)
        return query_slot(selection, value);
    const uint32_t from = slot_uniform(selection, value);
    const uint32_t slot = add_varying(selection, value, 0);
    add_to_prologue(selection, splat(selection, value, slot, from), 0);
    return slot;
}

static bool is_leaf(const struct ir_value *value)
{
    return value->kind != IR_RESULT && value->kind != IR_PHI;
}

uint32_t slot_varying(struct selection *selection, uint32_t value)
{
    uint32_t *slot = &selection->varying[value];
    if (lower_failed(selection->lower))
        return 0;
    if (*slot == 0 && is_leaf(&selection->lower->values[value]))
        *slot = leaf_varying(selection, value);
    if (*slot == 0)
        lower_fail(selection->lower, STATUS_MALFORMED,
                   "a value is used where its definition does not reach");
    return *slot;
}
/* ---- results ---- */

uint32_t slot_result(struct selection *selection, uint32_t value, bool uniform)
{
    struct lower *lower = selection->lower;
    const struct ir_value *v = &lower->values[value];
    uint32_t *slot =
        uniform && v->width != 0 ? &selection->uniform[value] : &selection->varying[value];
    if (*slot == 0)
        *slot =
            uniform ? slot_add(selection, 1, v->block) : add_varying(selection, value, v->block);
    return *slot;
}

/* After a uniform result: its varying twin. After one that is set: the set. */
void slot_finish_result(struct selection *selection, uint32_t value, bool uniform, uint32_t from)
{
    const struct ir_value *v = &selection->lower->values[value];
    if (uniform && v->width != 0) {
        if (slot_has_twin(selection, value))
            slotted_splat(selection, value, selection->uniform[value]);
        return;
    }
    if (selection->own_set[value])
        slotted_set(selection, v->width, slot_result(selection, value, false), from);
}

static uint32_t slot_begin_result(struct selection *selection, uint32_t value, bool uniform)
{
    const struct ir_value *v = &selection->lower->values[value];
    if (selection->own_set[value] && !(uniform && v->width != 0))
        return slot_add(selection, slot_units(v->width), v->block);
    return slot_result(selection, value, uniform);
}

/* ---- several rows ---- */

/* Are the slots the consecutive parts of one group? */
static bool consecutive(const struct selection *selection, const uint32_t *slots, uint32_t count,
                        uint32_t units)
{
    const struct slot *first = &selection->slots[slots[0]];
    for (uint32_t i = 0; i < count; i++) {
        const struct slot *slot = &selection->slots[slots[i]];
        if (slot->group == 0 || slot->group != first->group ||
            slot->index != first->index + i * units)
            return false;
    }
    return true;
}

uint32_t slot_gather(struct selection *selection, const uint32_t *values, uint32_t count)
{
    struct lower *lower = selection->lower;
    const uint32_t width = lower->values[values[0]].width;
    uint32_t slots[33] = {0};
    ASSERT(count > 0 && count <= 33);
    for (uint32_t i = 0; i < count; i++)
        slots[i] = slot_varying(selection, values[i]);
    if (lower_failed(lower) || count == 1 || consecutive(selection, slots, count, width))
        return slots[0];
    const uint32_t group = slot_add(selection, count * width, selection->block);
    uint32_t first = 0;
    for (uint32_t i = 0; i < count && !lower_failed(lower); i++) {
        const uint32_t part = slot_part(selection, group, i * width, width);
        first = i == 0 ? part : first;
        slotted_move(selection, width, part, slots[i]);
    }
    return first;
}

uint32_t slot_begin_results(struct selection *selection, const struct ir_instruction *instruction,
                            bool uniform, uint32_t *parts)
{
    const uint32_t units = uniform ? 1 : instruction->width;
    const uint32_t count = instruction->result_count;
    if (count == 1) {
        parts[0] = slot_begin_result(selection, instruction->result, uniform);
        return parts[0];
    }
    const uint32_t group = slot_add(selection, count * units, selection->block);
    for (uint32_t i = 0; i < count && !lower_failed(selection->lower); i++) {
        const uint32_t value = instruction->result + i;
        parts[i] = slot_part(selection, group, i * units, units);
        if (uniform)
            selection->uniform[value] = parts[i];
        else if (!selection->own_set[value])
            selection->varying[value] = parts[i];
    }
    return parts[0];
}
