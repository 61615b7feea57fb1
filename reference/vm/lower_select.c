/* Each instruction in its uniform or varying form, over slots. What a varying operation needs of a
 * uniform value is splatted once, where the value is made. */
#include "reference/vm/lower_slots.h"
#include "trace/base/assert.h"

#include <string.h>

/* ---- slots and instructions ---- */

uint32_t slot_add(struct selection *selection, uint32_t units, uint32_t block)
{
    struct lower *lower = selection->lower;
    struct slot *slots = lower_grow(lower, selection->slots, selection->slot_count,
                                    &selection->slot_capacity, sizeof *slots);
    if (slots == NULL)
        return 0;
    selection->slots = slots;
    slots[selection->slot_count] = (struct slot){.units = units, .block = block};
    return (uint32_t)selection->slot_count++;
}

uint32_t slot_part(struct selection *selection, uint32_t group, uint32_t index, uint32_t units)
{
    const uint32_t slot = slot_add(selection, units, selection->slots[group].block);
    selection->slots[slot].group = group;
    selection->slots[slot].index = index;
    return slot;
}

static struct slotted *emit(struct selection *selection, enum vm_op op)
{
    static struct slotted scratch;
    struct lower *lower = selection->lower;
    struct slotted **list = selection->in_prologue ? &selection->prologue : &selection->code;
    size_t *count = selection->in_prologue ? &selection->prologue_count : &selection->code_count;
    size_t *capacity =
        selection->in_prologue ? &selection->prologue_capacity : &selection->code_capacity;
    struct slotted *grown = lower_grow(lower, *list, *count, capacity, sizeof *grown);
    if (grown == NULL) {
        scratch = (struct slotted){0};
        return &scratch;
    }
    *list = grown;
    grown[*count] = (struct slotted){
        .instruction = {.op = (uint16_t)op},
        .place = selection->place,
        .block = selection->in_prologue ? 0 : selection->block,
    };
    return &grown[(*count)++];
}

static void emit_unary(struct selection *selection, enum vm_op op, uint32_t dst, uint32_t a)
{
    struct slotted *made = emit(selection, op);
    made->dst = made->a = true;
    made->instruction.dst = dst;
    made->instruction.a = a;
}

static void emit_move(struct selection *selection, uint32_t width, uint32_t dst, uint32_t a)
{
    emit_unary(selection, width == 0 ? VM_OP_mov_mask : IR_BY_WIDTH(mov, width), dst, a);
}

static void emit_set(struct selection *selection, uint32_t width, uint32_t dst, uint32_t a)
{
    emit_unary(selection, width == 0 ? VM_OP_set_mask : IR_BY_WIDTH(set, width), dst, a);
}

static void emit_splat(struct selection *selection, uint32_t width, uint32_t dst, uint32_t a)
{
    emit_unary(selection, IR_BY_WIDTH(splat, width), dst, a);
}

/* ---- values that exist before the first block ---- */

static uint32_t add_constant(struct selection *selection, uint32_t width, uint64_t bits,
                             bool uniform)
{
    struct lower *lower = selection->lower;
    const uint32_t slot = slot_add(selection, uniform ? 1 : slot_units(width), 0);
    struct vm_constant *constants =
        lower_grow(lower, selection->constants, selection->constant_count,
                   &selection->constant_capacity, sizeof *constants);
    uint32_t *slots = lower_grow(lower, selection->constant_slots, selection->constant_count,
                                 &selection->constant_slot_capacity, sizeof *slots);
    if (lower_failed(lower))
        return 0;
    selection->slots[slot].permanent = true;
    selection->constants = constants;
    selection->constant_slots = slots;
    slots[selection->constant_count] = slot;
    constants[selection->constant_count++] = (struct vm_constant){
        .width = (uint8_t)width,
        .uniform = uniform,
        .bits = width == 0 && bits != 0 ? UINT64_MAX : bits,
    };
    return slot;
}

static uint32_t permanent_slot(struct selection *selection, uint32_t *cached, uint32_t units)
{
    if (*cached == 0) {
        *cached = slot_add(selection, units, 0);
        selection->slots[*cached].permanent = true;
    }
    return *cached;
}

static uint32_t undefined_slot(struct selection *selection, const struct ir_value *value,
                               bool uniform)
{
    const uint32_t slot = slot_add(selection, uniform ? 1 : slot_units(value->width), 0);
    if (lower_failed(selection->lower))
        return 0;
    selection->slots[slot].name = value->name;
    selection->slots[slot].permanent = value->name != NULL;
    const uint32_t place = selection->place;
    selection->in_prologue = true;
    selection->place = value->index;
    struct slotted *made = emit(selection, VM_OP_undefine);
    made->dst = true;
    made->instruction.dst = slot;
    made->instruction.width = value->width;
    made->instruction.count = 1;
    made->instruction.aux = uniform && value->width != 0;
    selection->in_prologue = false;
    selection->place = place;
    return slot;
}

/* The address of a variable: the launch gives its start. */
static uint32_t address_slot(struct selection *selection, const struct ir_value *value)
{
    uint32_t *cached = value->kind == IR_VARIABLE ? &selection->variable_slots[value->index]
                                                  : &selection->global_slots[value->index];
    const uint32_t base = permanent_slot(selection, cached, 1);
    if (value->bits == 0 || lower_failed(selection->lower))
        return base;
    const uint32_t offset = add_constant(selection, 8, value->bits, true);
    const uint32_t slot = slot_add(selection, 1, 0);
    const uint32_t place = selection->place;
    selection->in_prologue = true;
    selection->place = 0;
    struct slotted *made = emit(selection, VM_OP_iadd_64_u);
    made->dst = made->a = made->b = true;
    made->instruction.dst = slot;
    made->instruction.a = base;
    made->instruction.b = offset;
    selection->in_prologue = false;
    selection->place = place;
    return slot;
}

static uint32_t leaf_uniform(struct selection *selection, uint32_t value)
{
    const struct ir_value *v = &selection->lower->values[value];
    switch (v->kind) {
    case IR_CONSTANT:
        return add_constant(selection, v->width, v->bits, true);
    case IR_UNDEFINED:
        return undefined_slot(selection, v, true);
    case IR_PARAMETER:
        return slot_part(selection, selection->parameter_slots[v->index], (uint32_t)v->bits, 1);
    case IR_QUERY:
        return permanent_slot(selection, &selection->query_slots[v->index][v->bits], 1);
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

static uint32_t uniform_slot(struct selection *selection, uint32_t value)
{
    uint32_t *slot = &selection->uniform[value];
    if (lower_failed(selection->lower))
        return 0;
    if (*slot == 0)
        *slot = leaf_uniform(selection, value);
    return *slot;
}

/* The varying form of a leaf: filled by the launch, or splatted in the prologue. */
static uint32_t leaf_varying(struct selection *selection, uint32_t value)
{
    const struct ir_value *v = &selection->lower->values[value];
    if (v->kind == IR_CONSTANT)
        return add_constant(selection, v->width, v->bits, false);
    if (v->kind == IR_UNDEFINED)
        return undefined_slot(selection, v, false);
    if (v->kind == IR_QUERY && v->varying)
        return permanent_slot(selection, &selection->query_slots[v->index][v->bits], 8);
    const uint32_t from = uniform_slot(selection, value);
    const uint32_t slot = slot_add(selection, slot_units(v->width), 0);
    if (lower_failed(selection->lower))
        return 0;
    const uint32_t place = selection->place;
    selection->in_prologue = true;
    selection->place = 0;
    emit_splat(selection, v->width, slot, from);
    selection->in_prologue = false;
    selection->place = place;
    return slot;
}

static bool is_leaf(const struct ir_value *value)
{
    return value->kind != IR_RESULT && value->kind != IR_PHI;
}

static uint32_t varying_slot(struct selection *selection, uint32_t value)
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

/* ---- which form ---- */

static bool is_uniform(const struct lower *lower, uint32_t value)
{
    return !lower->values[value].varying;
}

/* Has the op a uniform twin, and may it be used? Its operands are then read in uniform form. */
static bool takes_uniform(const struct lower *lower, const struct ir_instruction *instruction)
{
    const uint32_t *operands = &lower->operands[instruction->operand];
    for (uint32_t r = 0; r < instruction->result_count; r++) {
        const struct ir_value *result = &lower->values[instruction->result + r];
        if (result->varying && result->width != 0)
            return false;
    }
    for (uint32_t o = 0; o < instruction->operand_count; o++) {
        if (!is_uniform(lower, operands[o]))
            return false;
    }
    switch (instruction->op) {
    case VM_OP_load:
        return !instruction->maybe_private;
    case VM_OP_index_64:
    case VM_OP_select_8:
    case VM_OP_select_16:
    case VM_OP_select_32:
    case VM_OP_select_64:
    case VM_OP_image_query:
        return true;
    default:
        return ir_op_info((enum vm_op)instruction->op)->operand_count > 0;
    }
}

static void note_need(struct selection *selection, uint32_t value)
{
    const struct ir_value *v = &selection->lower->values[value];
    if (!v->varying && v->width != 0)
        selection->need_varying[value] = true;
}

/* Values that must be written lane by lane: a loop that lanes leave in different iterations makes
 * them anew while lanes behind it still hold theirs. Without loops to reason about, all that
 * outlive their block. */
static void note_set(struct selection *selection, uint32_t value, uint32_t block)
{
    const struct lower *lower = selection->lower;
    const struct ir_value *v = &lower->values[value];
    if (v->kind != IR_RESULT || selection->own_set[value])
        return;
    if (lower->flow.irreducible ? v->block != block : lower_left_divergent(lower, value, block))
        selection->own_set[value] = true;
}

static void note_uses(struct selection *selection)
{
    struct lower *lower = selection->lower;
    for (uint32_t i = 0; i < lower->flow.order_count; i++) {
        const uint32_t b = lower->flow.order[i];
        const struct ir_block *block = &lower->blocks[b];
        for (uint32_t n = 0; n < block->count; n++) {
            const struct ir_instruction *instruction = &lower->instructions[block->instructions[n]];
            if (instruction->dead)
                continue;
            const bool uniform = takes_uniform(lower, instruction);
            for (uint32_t o = 0; o < instruction->operand_count; o++) {
                const uint32_t value = lower->operands[instruction->operand + o];
                note_set(selection, value, b);
                if (!uniform)
                    note_need(selection, value);
            }
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
                note_need(selection, operand.value);
        }
    }
}

/* ---- results ---- */

/* Where an instruction's results go: their slots, or a temporary group that is then set into them.
 */
static uint32_t result_slot(struct selection *selection, uint32_t value, bool uniform)
{
    struct lower *lower = selection->lower;
    const struct ir_value *v = &lower->values[value];
    uint32_t *slot =
        uniform && v->width != 0 ? &selection->uniform[value] : &selection->varying[value];
    if (*slot == 0)
        *slot = slot_add(selection, uniform ? 1 : slot_units(v->width), v->block);
    return *slot;
}

/* After a uniform result: its varying twin. After one that is set: the set. */
static void finish_result(struct selection *selection, uint32_t value, bool uniform, uint32_t from)
{
    const struct ir_value *v = &selection->lower->values[value];
    if (uniform && v->width != 0) {
        if (selection->need_varying[value]) {
            const uint32_t to = result_slot(selection, value, false);
            emit_splat(selection, v->width, to, selection->uniform[value]);
        }
        return;
    }
    if (selection->own_set[value])
        emit_set(selection, v->width, result_slot(selection, value, false), from);
}

/* A single result: where the op writes it. */
static uint32_t begin_result(struct selection *selection, uint32_t value, bool uniform)
{
    const struct ir_value *v = &selection->lower->values[value];
    if (selection->own_set[value] && !(uniform && v->width != 0))
        return slot_add(selection, slot_units(v->width), v->block);
    return result_slot(selection, value, uniform);
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

/* Puts `count` values into rows one behind the other and gives the first. */
static uint32_t gather_rows(struct selection *selection, const uint32_t *values, uint32_t count)
{
    struct lower *lower = selection->lower;
    const uint32_t width = lower->values[values[0]].width;
    uint32_t slots[33] = {0};
    ASSERT(count <= 33);
    for (uint32_t i = 0; i < count; i++)
        slots[i] = varying_slot(selection, values[i]);
    if (lower_failed(lower) || count == 1 || consecutive(selection, slots, count, width))
        return slots[0];
    const uint32_t group = slot_add(selection, count * width, selection->block);
    uint32_t first = 0;
    for (uint32_t i = 0; i < count && !lower_failed(lower); i++) {
        const uint32_t part = slot_part(selection, group, i * width, width);
        first = i == 0 ? part : first;
        emit_move(selection, width, part, slots[i]);
    }
    return first;
}

/* Slots of consecutive rows for the results of one instruction; the first. */
static uint32_t begin_results(struct selection *selection, const struct ir_instruction *instruction,
                              bool uniform, uint32_t *parts)
{
    const uint32_t units = uniform ? 1 : instruction->width;
    const uint32_t count = instruction->result_count;
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

/* ---- instructions ---- */

static void select_lanes(struct selection *selection, const struct ir_instruction *instruction)
{
    struct lower *lower = selection->lower;
    const bool uniform = takes_uniform(lower, instruction);
    const uint32_t *operands = &lower->operands[instruction->operand];
    uint32_t slots[3] = {0};
    for (uint32_t o = 0; o < instruction->operand_count; o++) {
        const bool mask = lower->values[operands[o]].width == 0;
        slots[o] = uniform && !mask ? uniform_slot(selection, operands[o])
                                    : varying_slot(selection, operands[o]);
    }
    const uint32_t to = begin_result(selection, instruction->result, uniform);
    if (lower_failed(lower))
        return;
    enum vm_op op = (enum vm_op)instruction->op;
    const bool paired = ir_op_info(op)->operand_count > 0 || op == VM_OP_index_64;
    if (uniform && paired)
        op = (enum vm_op)(op + 1);
    else if (uniform)
        op = VM_OP_select_u;
    struct slotted *made = emit(selection, op);
    made->dst = made->a = true;
    made->b = instruction->operand_count > 1;
    made->c = instruction->operand_count > 2;
    made->instruction.dst = to;
    made->instruction.a = slots[0];
    made->instruction.b = slots[1];
    made->instruction.c = slots[2];
    if (instruction->op == VM_OP_index_64)
        made->instruction.c = (uint32_t)instruction->size;
    finish_result(selection, instruction->result, uniform, to);
}

static void select_load(struct selection *selection, const struct ir_instruction *instruction)
{
    struct lower *lower = selection->lower;
    const bool uniform = takes_uniform(lower, instruction);
    const uint32_t address = lower->operands[instruction->operand];
    const uint32_t from =
        uniform ? uniform_slot(selection, address) : varying_slot(selection, address);
    uint32_t parts[16];
    const uint32_t to = begin_results(selection, instruction, uniform, parts);
    if (lower_failed(lower))
        return;
    struct slotted *made = emit(selection, uniform ? VM_OP_load_u : VM_OP_load);
    made->dst = made->a = true;
    made->instruction.dst = to;
    made->instruction.a = from;
    made->instruction.width = instruction->width;
    made->instruction.count = instruction->count;
    made->instruction.aux = instruction->aux;
    for (uint32_t i = 0; i < instruction->result_count; i++)
        finish_result(selection, instruction->result + i, uniform, parts[i]);
}

static void select_store(struct selection *selection, const struct ir_instruction *instruction)
{
    struct lower *lower = selection->lower;
    const uint32_t *operands = &lower->operands[instruction->operand];
    const uint32_t address = varying_slot(selection, operands[0]);
    const uint32_t data = gather_rows(selection, operands + 1, instruction->operand_count - 1);
    struct slotted *made = emit(selection, VM_OP_store);
    made->a = made->b = true;
    made->instruction.a = address;
    made->instruction.b = data;
    made->instruction.width = instruction->width;
    made->instruction.count = instruction->count;
    made->instruction.aux = instruction->aux;
}

/* The image, its coordinates, and behind them a sampler or the four channels of a color. */
static void select_image(struct selection *selection, const struct ir_instruction *instruction)
{
    struct lower *lower = selection->lower;
    const uint32_t *operands = &lower->operands[instruction->operand];
    const uint32_t coordinates = instruction->aux & VM_IMAGE_COORDINATES;
    const uint32_t rest = instruction->operand_count - 1 - coordinates;
    uint32_t parts[4];
    const uint32_t image = varying_slot(selection, operands[0]);
    const uint32_t at = gather_rows(selection, operands + 1, coordinates);
    const uint32_t last = rest > 0 ? gather_rows(selection, operands + 1 + coordinates, rest) : 0;
    const bool reads = instruction->result_count > 0;
    const uint32_t to = reads ? begin_results(selection, instruction, false, parts) : 0;
    if (lower_failed(lower))
        return;
    struct slotted *made = emit(selection, (enum vm_op)instruction->op);
    made->dst = reads;
    made->a = made->b = true;
    made->c = rest > 0;
    made->instruction.dst = to;
    made->instruction.a = image;
    made->instruction.b = at;
    made->instruction.c = last;
    made->instruction.width = 4;
    made->instruction.count = reads ? instruction->count : 4;
    made->instruction.aux = instruction->aux;
    for (uint32_t i = 0; i < instruction->result_count; i++)
        finish_result(selection, instruction->result + i, false, parts[i]);
}

static void select_image_query(struct selection *selection,
                               const struct ir_instruction *instruction)
{
    struct lower *lower = selection->lower;
    const bool uniform = takes_uniform(lower, instruction);
    const uint32_t value = lower->operands[instruction->operand];
    const uint32_t image =
        uniform ? uniform_slot(selection, value) : varying_slot(selection, value);
    const uint32_t to = begin_result(selection, instruction->result, uniform);
    struct slotted *made = emit(selection, uniform ? VM_OP_image_query_u : VM_OP_image_query);
    made->dst = made->a = true;
    made->instruction.dst = to;
    made->instruction.a = image;
    made->instruction.width = 4;
    made->instruction.count = 1;
    made->instruction.aux = instruction->aux;
    finish_result(selection, instruction->result, uniform, to);
}

static void select_copy(struct selection *selection, const struct ir_instruction *instruction)
{
    const uint32_t *operands = &selection->lower->operands[instruction->operand];
    const uint32_t to = varying_slot(selection, operands[0]);
    const uint32_t from = varying_slot(selection, operands[1]);
    struct slotted *made = emit(selection, VM_OP_copy_memory);
    made->a = made->b = true;
    made->instruction.a = to;
    made->instruction.b = from;
    made->instruction.c = (uint32_t)instruction->size;
    made->instruction.aux = instruction->aux;
}

static void select_atomic(struct selection *selection, const struct ir_instruction *instruction)
{
    struct lower *lower = selection->lower;
    const uint32_t *operands = &lower->operands[instruction->operand];
    uint32_t slots[3] = {0};
    for (uint32_t o = 0; o < instruction->operand_count; o++)
        slots[o] = varying_slot(selection, operands[o]);
    const bool result = instruction->result_count > 0;
    const uint32_t to = result ? begin_result(selection, instruction->result, false) : 0;
    struct slotted *made = emit(selection, (enum vm_op)instruction->op);
    made->dst = result;
    made->a = instruction->operand_count > 0;
    made->b = instruction->operand_count > 1;
    made->c = instruction->operand_count > 2;
    made->instruction.dst = to;
    made->instruction.a = slots[0];
    made->instruction.b = slots[1];
    made->instruction.c = slots[2];
    made->instruction.width = instruction->width;
    made->instruction.count = instruction->count;
    made->instruction.aux = instruction->aux;
    if (result)
        finish_result(selection, instruction->result, false, to);
}

static void select_extract(struct selection *selection, const struct ir_instruction *instruction)
{
    struct lower *lower = selection->lower;
    const uint32_t *operands = &lower->operands[instruction->operand];
    const uint32_t count = instruction->operand_count - 1;
    const uint32_t rows = gather_rows(selection, operands, count);
    const uint32_t index = varying_slot(selection, operands[count]);
    const uint32_t to = begin_result(selection, instruction->result, false);
    struct slotted *made = emit(selection, VM_OP_extract);
    made->dst = made->a = made->b = true;
    made->instruction.dst = to;
    made->instruction.a = rows;
    made->instruction.b = index;
    made->instruction.width = instruction->width;
    made->instruction.count = instruction->count;
    finish_result(selection, instruction->result, false, to);
}

static void select_region(struct selection *selection, const struct ir_instruction *instruction)
{
    const uint32_t address =
        varying_slot(selection, selection->lower->operands[instruction->operand]);
    const uint32_t to = begin_result(selection, instruction->result, false);
    struct slotted *made = emit(selection, VM_OP_region);
    made->dst = made->a = true;
    made->instruction.dst = to;
    made->instruction.a = address;
    finish_result(selection, instruction->result, false, to);
}

static void select_insert(struct selection *selection, const struct ir_instruction *instruction)
{
    struct lower *lower = selection->lower;
    const uint32_t *operands = &lower->operands[instruction->operand];
    const uint32_t count = instruction->operand_count - 2;
    const uint32_t rows = gather_rows(selection, operands, count);
    const uint32_t part = varying_slot(selection, operands[count]);
    const uint32_t index = varying_slot(selection, operands[count + 1]);
    uint32_t parts[16];
    const uint32_t to = begin_results(selection, instruction, false, parts);
    if (lower_failed(lower))
        return;
    struct slotted *made = emit(selection, VM_OP_insert);
    made->dst = made->a = made->b = made->c = true;
    made->instruction.dst = to;
    made->instruction.a = rows;
    made->instruction.b = part;
    made->instruction.c = index;
    made->instruction.width = instruction->width;
    made->instruction.count = instruction->count;
    for (uint32_t i = 0; i < instruction->result_count; i++)
        finish_result(selection, instruction->result + i, false, parts[i]);
}

/* The arguments' rows are named by the table of prints, and lie anywhere. */
static void select_print(struct selection *selection, const struct ir_instruction *instruction)
{
    struct lower *lower = selection->lower;
    uint32_t *slots = lower_alloc(lower, instruction->operand_count, sizeof *slots);
    for (uint32_t o = 0; o < instruction->operand_count && !lower_failed(lower); o++)
        slots[o] = varying_slot(selection, lower->operands[instruction->operand + o]);
    struct slotted *made = emit(selection, VM_OP_printf);
    made->extra = slots;
    made->extra_count = lower_failed(lower) ? 0 : instruction->operand_count;
    made->instruction.aux = instruction->aux;
}

/* The arguments' rows are named by the table of barriers. */
static void select_collective(struct selection *selection, const struct ir_instruction *instruction)
{
    struct lower *lower = selection->lower;
    uint32_t *slots = lower_alloc(lower, instruction->operand_count, sizeof *slots);
    for (uint32_t o = 0; o < instruction->operand_count && !lower_failed(lower); o++)
        slots[o] = varying_slot(selection, lower->operands[instruction->operand + o]);
    const bool result = instruction->result_count > 0;
    const uint32_t to = result ? begin_result(selection, instruction->result, false) : 0;
    struct slotted *made = emit(selection, VM_OP_collective);
    made->dst = result;
    made->extra = slots;
    made->extra_count = lower_failed(lower) ? 0 : instruction->operand_count;
    made->instruction.dst = to;
    made->instruction.width = instruction->width;
    made->instruction.count = instruction->count;
    made->instruction.aux = instruction->aux;
    if (result)
        finish_result(selection, instruction->result, false, to);
}

static void select_instruction(struct selection *selection,
                               const struct ir_instruction *instruction)
{
    selection->place = instruction->place;
    switch (instruction->op) {
    case VM_OP_load:
        select_load(selection, instruction);
        break;
    case VM_OP_store:
        select_store(selection, instruction);
        break;
    case VM_OP_copy_memory:
        select_copy(selection, instruction);
        break;
    case VM_OP_image_read:
    case VM_OP_image_sample:
    case VM_OP_image_write:
        select_image(selection, instruction);
        break;
    case VM_OP_image_query:
        select_image_query(selection, instruction);
        break;
    case VM_OP_extract:
        select_extract(selection, instruction);
        break;
    case VM_OP_region:
        select_region(selection, instruction);
        break;
    case VM_OP_insert:
        select_insert(selection, instruction);
        break;
    case VM_OP_printf:
        select_print(selection, instruction);
        break;
    case VM_OP_collective:
        select_collective(selection, instruction);
        break;
    case VM_OP_fence:
    case VM_OP_atomic_load:
    case VM_OP_atomic_store:
    case VM_OP_atomic_exchange:
    case VM_OP_atomic_compare_exchange:
    case VM_OP_atomic_iadd:
    case VM_OP_atomic_isub:
    case VM_OP_atomic_smin:
    case VM_OP_atomic_smax:
    case VM_OP_atomic_umin:
    case VM_OP_atomic_umax:
    case VM_OP_atomic_and:
    case VM_OP_atomic_or:
    case VM_OP_atomic_xor:
    case VM_OP_atomic_fadd:
    case VM_OP_atomic_fmin:
    case VM_OP_atomic_fmax:
        select_atomic(selection, instruction);
        break;
    default:
        select_lanes(selection, instruction);
        break;
    }
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
        const uint32_t slot = result_slot(selection, value, uniform);
        /* A row of its own, so that a report can say which variable it holds. */
        if (selection->maybe_undefined[p]) {
            selection->slots[slot].permanent = true;
            selection->slots[slot].name = lower->values[value].name;
        }
        if (uniform && lower->values[value].width != 0 && selection->need_varying[value])
            result_slot(selection, value, false);
    }
}

static void splat_phis(struct selection *selection, const struct ir_block *block)
{
    struct lower *lower = selection->lower;
    for (uint32_t p = block->first_phi; p != 0; p = lower->phis[p].next) {
        const uint32_t value = lower->phis[p].value;
        if (!lower->phis[p].dead && !lower->values[value].varying && selection->need_varying[value])
            emit_splat(selection, lower->values[value].width, selection->varying[value],
                       selection->uniform[value]);
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
        emit_unary(selection, VM_OP_mov_u, selection->uniform[copy->value], copy->source);
    else if (copy->uniform)
        emit_move(selection, 0, selection->varying[copy->value], copy->source);
    else
        emit_set(selection, v->width, selection->varying[copy->value], copy->source);
}

/* Writes all phis of the block that `block` goes to, as if at once: what one of them still has to
 * give to another is kept aside first. */
static void copy_phis(struct selection *selection, uint32_t block)
{
    struct lower *lower = selection->lower;
    const uint32_t target = lower->blocks[block].targets[0];
    struct phi_copy *copies = NULL;
    size_t count = 0;
    size_t capacity = 0;
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
        copies = lower_grow(lower, copies, count, &capacity, sizeof *copies);
        if (copies == NULL)
            return;
        const struct ir_value from = lower->values[source];
        const bool uniform = !lower->values[phi->value].varying;
        struct phi_copy copy = {.value = phi->value, .uniform = uniform};
        copy.source = uniform && from.width != 0 ? uniform_slot(selection, source)
                                                 : varying_slot(selection, source);
        if (from.kind == IR_PHI && from.block == target && !lower_failed(lower)) {
            const uint32_t aside =
                slot_add(selection, uniform && from.width != 0 ? 1 : slot_units(from.width), block);
            if (uniform && from.width != 0)
                emit_unary(selection, VM_OP_mov_u, aside, copy.source);
            else
                emit_move(selection, from.width, aside, copy.source);
            copy.source = aside;
        }
        copies[count++] = copy;
    }
    for (size_t i = 0; i < count && !lower_failed(lower); i++)
        write_phi(selection, &copies[i]);
}

/* ---- blocks ---- */

static void select_exit(struct selection *selection, uint32_t b)
{
    struct lower *lower = selection->lower;
    const struct ir_block *block = &lower->blocks[b];
    const uint32_t *number = lower->flow.number;
    struct slotted *made;
    if (ir_target_count(block) == 1)
        copy_phis(selection, b);
    selection->place = block->place;
    switch (block->exit) {
    case IR_EXIT_BRANCH:
        made = emit(selection, VM_OP_branch);
        made->instruction.a = number[block->targets[0]];
        break;
    case IR_EXIT_IF: {
        const uint32_t condition = varying_slot(selection, block->condition);
        made = emit(selection, VM_OP_branch_if);
        made->c = true;
        made->instruction.c = condition;
        made->instruction.a = number[block->targets[0]];
        made->instruction.b = number[block->targets[1]];
        break;
    }
    case IR_EXIT_RETURN:
        emit(selection, VM_OP_return);
        break;
    case IR_EXIT_BARRIER: {
        const struct ir_barrier *barrier = &lower->barriers[block->barrier];
        uint32_t *slots = lower_alloc(lower, barrier->counter_count, sizeof *slots);
        for (uint32_t c = 0; c < barrier->counter_count && !lower_failed(lower); c++)
            slots[c] = varying_slot(selection, barrier->counters[c]);
        made = emit(selection, VM_OP_barrier);
        made->extra = slots;
        made->extra_count = barrier->counter_count;
        made->instruction.aux = block->barrier;
        break;
    }
    default:
        emit(selection, VM_OP_unreachable);
        break;
    }
}

static void select_block(struct selection *selection, uint32_t position)
{
    struct lower *lower = selection->lower;
    const uint32_t b = lower->flow.order[position];
    const struct ir_block *block = &lower->blocks[b];
    selection->block = b;
    selection->place = 0;
    selection->block_first[position] = (uint32_t)selection->code_count;
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
    const size_t values = lower->value_count;
    selection->uniform = lower_alloc(lower, values, sizeof *selection->uniform);
    selection->varying = lower_alloc(lower, values, sizeof *selection->varying);
    selection->need_varying = lower_alloc(lower, values, sizeof *selection->need_varying);
    selection->own_set = lower_alloc(lower, values, sizeof *selection->own_set);
    selection->maybe_undefined =
        lower_alloc(lower, lower->phi_count, sizeof *selection->maybe_undefined);
    selection->block_first =
        lower_alloc(lower, (size_t)lower->flow.order_count + 1, sizeof *selection->block_first);
    selection->parameter_slots =
        lower_alloc(lower, lower->code->parameter_count, sizeof *selection->parameter_slots);
    selection->variable_slots =
        lower_alloc(lower, lower->variable_count, sizeof *selection->variable_slots);
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
            permanent_slot(selection, &selection->variable_slots[v], 1);
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
