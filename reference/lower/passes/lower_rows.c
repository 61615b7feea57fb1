/* Rows of the frame, and the code in its final form.
 *
 * A slot lives from its first write to its last use in block order. Loops stretch lives: what is
 * made before a loop and used in it lives to the loop's end, since the next iteration reads it
 * again; what is made in a loop and used after it lives from the loop's start, since lanes that
 * left hold it while others go round. Slots that live at different times share units. */
#include "reference/lower/passes/lower_slots.h"
#include "reference/vm/shape.h"
#include "trace/base/assert.h"
#include "trace/base/size.h"

#include <string.h>

enum { UNIT_MAX = 1 << 20, SIZE_CLASS_MAX = 512 };

/* ---- lives ---- */

static uint32_t root_of(const struct selection *selection, uint32_t slot)
{
    return selection->slots[slot].group != 0 ? selection->slots[slot].group : slot;
}

static uint32_t loop_start(const struct selection *selection, uint32_t loop)
{
    return selection->block_first[selection->lower->flow.loops[loop].start];
}

static uint32_t loop_end(const struct selection *selection, uint32_t loop)
{
    return selection->block_first[selection->lower->flow.loops[loop].end] - 1;
}

static void include(struct slot *slot, uint32_t position)
{
    if (!slot->written) {
        slot->written = true;
        slot->start = slot->end = position;
        return;
    }
    slot->start = position < slot->start ? position : slot->start;
    slot->end = position > slot->end ? position : slot->end;
}

/* Position 0 of the code is 1: 0 is the prologue. */
static void touch(struct selection *selection, uint32_t slot_index, uint32_t block,
                  uint32_t position)
{
    const struct flow *flow = &selection->lower->flow;
    struct slot *slot = &selection->slots[root_of(selection, slot_index)];
    include(slot, position);
    if (slot->permanent || slot->block == block)
        return;
    if (selection->lower->apart) {
        slot->permanent = true;
        return;
    }
    const uint32_t here = flow->loop[block];
    const uint32_t there = flow->loop[slot->block];
    for (uint32_t l = here; l != 0 && !flow_loop_contains(flow, l, there);
         l = flow->loops[l].parent)
        include(slot, loop_end(selection, l) + 1);
    for (uint32_t l = there; l != 0 && !flow_loop_contains(flow, l, here);
         l = flow->loops[l].parent)
        include(slot, loop_start(selection, l) + 1);
}

static void touch_all(struct selection *selection, const struct slotted *made, uint32_t position)
{
    const struct vm_instruction *in = &made->instruction;
    const uint32_t slots[VM_OPERAND_COUNT] = {in->dst, in->a, in->b, in->c};
    struct vm_shape shape;
    vm_shape_get(in, &shape);
    for (uint32_t i = 0; i < VM_OPERAND_COUNT; i++) {
        if (shape.operands[i].kind == VM_OPERAND_ROW)
            touch(selection, slots[i], made->block, position);
    }
    for (uint32_t i = 0; i < made->extra_count; i++)
        touch(selection, made->extra[i], made->block, position);
}

/* The phis of a loop's header hold their values to its end, where the next ones are written. */
static void stretch_headers(struct selection *selection)
{
    const struct lower *lower = selection->lower;
    for (uint32_t l = 1; l <= lower->flow.loop_count; l++) {
        const uint32_t header = lower->flow.loops[l].header;
        for (uint32_t p = lower->blocks[header].first_phi; p != 0; p = lower->phis[p].next) {
            const uint32_t value = lower->phis[p].value;
            const uint32_t slots[] = {selection->uniform[value], selection->varying[value]};
            for (int i = 0; i < 2; i++) {
                if (lower->phis[p].dead || slots[i] == 0)
                    continue;
                struct slot *slot = &selection->slots[root_of(selection, slots[i])];
                include(slot, loop_start(selection, l) + 1);
                include(slot, loop_end(selection, l) + 1);
            }
        }
    }
}

static void find_lives(struct selection *selection)
{
    for (size_t i = 0; i < selection->prologue_count; i++)
        touch_all(selection, &selection->prologue[i], 0);
    for (size_t i = 0; i < selection->code_count; i++)
        touch_all(selection, &selection->code[i], (uint32_t)i + 1);
    stretch_headers(selection);
}

/* ---- units ---- */

struct allocation {
    struct selection *selection;
    uint32_t *starts, *ends; /* by position: first slot of a list */
    uint32_t *next_start, *next_end;
    uint32_t
        free_rows[SIZE_CLASS_MAX + 1]; /* by size: a slot whose row is free, linked by next_free */
    uint32_t *next_free;
    uint32_t units;
};

static void take(struct allocation *allocation, uint32_t index)
{
    struct slot *slot = &allocation->selection->slots[index];
    const uint32_t size = slot->units;
    const uint32_t free_slot = slot->permanent ? 0 : allocation->free_rows[size];
    ASSERT(slot->row == 0);
    if (free_slot != 0) {
        const struct slot *before = &allocation->selection->slots[free_slot];
        ASSERT(before->units == size && !before->permanent && before->end < slot->start);
        slot->row = before->row;
        allocation->free_rows[size] = allocation->next_free[free_slot];
        return;
    }
    slot->row = allocation->units;
    allocation->units += size;
}

static bool allocate(struct allocation *allocation)
{
    struct selection *selection = allocation->selection;
    struct lower *lower = selection->lower;
    const uint32_t positions = selection->code_count + 2;
    allocation->starts = lower_alloc(lower, positions, sizeof *allocation->starts);
    allocation->ends = lower_alloc(lower, positions, sizeof *allocation->ends);
    allocation->next_start =
        lower_alloc(lower, selection->slot_count, sizeof *allocation->next_start);
    allocation->next_end = lower_alloc(lower, selection->slot_count, sizeof *allocation->next_end);
    allocation->next_free =
        lower_alloc(lower, selection->slot_count, sizeof *allocation->next_free);
    if (lower_failed(lower))
        return false;
    allocation->units = 1; /* row 0 is reserved */
    for (uint32_t s = selection->slot_count; s-- > 1;) {
        struct slot *slot = &selection->slots[s];
        ASSERT(slot->units <= SIZE_CLASS_MAX);
        if (slot->group != 0 || slot->units == 0)
            continue;
        if (slot->permanent) {
            take(allocation, s);
        } else if (slot->written) {
            ASSERT(slot->start <= slot->end && slot->end < positions);
            allocation->next_start[s] = allocation->starts[slot->start];
            allocation->starts[slot->start] = s;
            allocation->next_end[s] = allocation->ends[slot->end];
            allocation->ends[slot->end] = s;
        }
    }
    for (uint32_t p = 0; p < positions && allocation->units <= UNIT_MAX; p++) {
        for (uint32_t s = allocation->starts[p]; s != 0; s = allocation->next_start[s])
            take(allocation, s);
        for (uint32_t s = allocation->ends[p]; s != 0; s = allocation->next_end[s]) {
            const uint32_t size = selection->slots[s].units;
            allocation->next_free[s] = allocation->free_rows[size];
            allocation->free_rows[size] = s;
        }
    }
    if (allocation->units > UNIT_MAX)
        lower_fail(lower, STATUS_UNSUPPORTED,
                   "kernel '%s' needs more than %d KiB for the values of 64 work-items, which is "
                   "not supported",
                   lower->kernel->name, UNIT_MAX * VM_UNIT_SIZE / 1024);
    return !lower_failed(lower);
}

void lower_rows(struct selection *selection)
{
    struct allocation allocation = {.selection = selection};
    find_lives(selection);
    if (!allocate(&allocation))
        return;
    for (uint32_t s = 1; s < selection->slot_count; s++) {
        struct slot *slot = &selection->slots[s];
        if (slot->group == 0)
            continue;
        const struct slot *group = &selection->slots[slot->group];
        ASSERT(group->group == 0 && slot->index + slot->units <= group->units);
        slot->row = group->row + slot->index;
    }
    selection->lower->code->frame_units = allocation.units;
}

/* ---- encoding ---- */

static vm_row row_of(const struct selection *selection, uint32_t slot)
{
    ASSERT(selection->slots[slot].row != 0);
    return selection->slots[slot].row;
}

/* Blocks that only follow one another are one: the second is not entered from elsewhere. */
static bool continues(const struct lower *lower, uint32_t position)
{
    const struct flow *flow = &lower->flow;
    if (position + 1 >= flow->order_count)
        return false;
    const uint32_t next = flow->order[position + 1];
    const struct ir_block *block = &lower->blocks[flow->order[position]];
    return block->exit == IR_EXIT_BRANCH && block->targets[0] == next &&
           flow->pred_first[next + 1] - flow->pred_first[next] == 1;
}

static void number_blocks(struct selection *selection)
{
    struct lower *lower = selection->lower;
    uint32_t number = 0;
    selection->block_number =
        lower_alloc(lower, lower->flow.order_count, sizeof *selection->block_number);
    for (uint32_t i = 0; i < lower->flow.order_count && !lower_failed(lower); i++) {
        selection->block_number[i] = number;
        number += !continues(lower, i);
    }
}

static void encode_instruction(struct selection *selection, const struct slotted *from)
{
    struct vm_code *code = selection->lower->code;
    struct vm_instruction in = from->instruction;
    uint32_t *const operands[VM_OPERAND_COUNT] = {&in.dst, &in.a, &in.b, &in.c};
    struct vm_shape shape;
    vm_shape_get(&in, &shape);
    for (uint32_t i = 0; i < VM_OPERAND_COUNT; i++) {
        if (shape.operands[i].kind == VM_OPERAND_ROW)
            *operands[i] = row_of(selection, *operands[i]);
        else if (shape.operands[i].kind == VM_OPERAND_BLOCK)
            *operands[i] = selection->block_number[*operands[i]];
    }
    code->has_life_ends |= in.op == VM_OP_life_end;
    code->instruction_places[code->instruction_count] = from->place;
    code->instructions[code->instruction_count++] = in;
}

static void encode_code(struct selection *selection)
{
    struct lower *lower = selection->lower;
    struct vm_code *code = lower->code;
    const size_t count = selection->prologue_count + selection->code_count;
    code->instructions = lower_code_alloc(lower, count, sizeof *code->instructions);
    code->instruction_places = lower_code_alloc(lower, count, sizeof *code->instruction_places);
    code->blocks = lower_code_alloc(lower, lower->flow.order_count, sizeof *code->blocks);
    number_blocks(selection);
    if (lower_failed(lower))
        return;
    for (size_t i = 0; i < selection->prologue_count; i++)
        encode_instruction(selection, &selection->prologue[i]);
    struct vm_block *block = NULL;
    for (uint32_t b = 0; b < lower->flow.order_count; b++) {
        if (block == NULL) {
            block = &code->blocks[code->block_count++];
            block->first = b == 0 ? 0 : code->instruction_count;
        }
        /* The branch to a block that is part of this one is the last instruction. */
        const bool on = continues(lower, b);
        for (uint32_t i = selection->block_first[b]; i + on < selection->block_first[b + 1]; i++)
            encode_instruction(selection, &selection->code[i]);
        block->count = code->instruction_count - block->first;
        block = on ? block : NULL;
    }
    ASSERT(block == NULL && code->instruction_count <= count);
}

static void encode_constants(struct selection *selection)
{
    struct lower *lower = selection->lower;
    struct vm_code *code = lower->code;
    code->constants = lower_code_alloc(lower, selection->constant_count, sizeof *code->constants);
    if (lower_failed(lower))
        return;
    code->constant_count = selection->constant_count;
    for (uint32_t i = 0; i < code->constant_count; i++) {
        code->constants[i] = selection->constants[i];
        code->constants[i].row = row_of(selection, selection->constants[i].row);
    }
}

static void encode_inputs(struct selection *selection)
{
    struct lower *lower = selection->lower;
    struct vm_code *code = lower->code;
    for (uint32_t q = 0; q < VM_QUERY_COUNT; q++) {
        for (uint32_t d = 0; d < 3; d++) {
            if (selection->query_slots[q][d] != 0)
                code->query_rows[q][d] = row_of(selection, selection->query_slots[q][d]);
        }
    }
    for (uint32_t p = 0; p < code->parameter_count; p++) {
        if (code->parameters[p].kind != VM_PARAMETER_STRUCT)
            code->parameters[p].row = row_of(selection, selection->parameter_slots[p]);
    }
    code->globals =
        lower_code_alloc(lower, lower->module->program_variable_count, sizeof *code->globals);
    for (uint32_t g = 0; g < lower->module->program_variable_count && !lower_failed(lower); g++) {
        if (selection->global_slots[g] != 0)
            code->globals[code->global_count++] = (struct vm_global){
                .index = g, .row = row_of(selection, selection->global_slots[g])};
    }
}

static void encode_variables(struct selection *selection)
{
    struct lower *lower = selection->lower;
    struct vm_code *code = lower->code;
    code->variables = lower_code_alloc(lower, lower->variable_count, sizeof *code->variables);
    for (uint32_t v = 0; v < lower->variable_count && !lower_failed(lower); v++) {
        const struct ir_variable *from = &lower->variables[v];
        if (selection->variable_slots[v] == 0)
            continue;
        struct vm_variable *to = &code->variables[code->variable_count++];
        *to = (struct vm_variable){
            .region = from->region,
            .name = from->name,
            .size = from->size,
            .alignment = from->alignment,
            .row = row_of(selection, selection->variable_slots[v]),
            .parameter = from->parameter,
            .owned = from->owned,
            .apart = from->apart,
        };
        if (from->parameter >= 0)
            code->parameters[from->parameter].row = to->row;
        /* Neither region holds a GiB on any device. */
        uint64_t *total =
            from->region == VM_VARIABLE_LOCAL ? &code->local_size : &code->private_size;
        if (from->size > 1 << 30 || *total > 1 << 30) {
            lower_fail(lower, STATUS_UNSUPPORTED, "'%s' has %llu bytes, which is not supported",
                       from->name, (unsigned long long)from->size);
            return;
        }
        *total = size_align(*total, from->alignment);
        to->private_offset = from->region == VM_VARIABLE_PRIVATE ? *total : 0;
        *total += from->size;
        selection->variable_index[v] = code->variable_count;
    }
}

/* What a variable's homes are; a pointer to one that is a value itself is in none. */
static void encode_homes(struct selection *selection, uint32_t variable,
                         struct vm_debug_variable *to)
{
    struct lower *lower = selection->lower;
    to->homes = lower_code_alloc(lower, lower->home_count, sizeof *to->homes);
    for (uint32_t h = 0; h < lower->home_count && to->homes != NULL; h++) {
        const struct ir_home *home = &lower->homes[h];
        if (home->variable != variable || home->slot == 0)
            continue;
        uint32_t at = to->home_count++;
        for (; at > 0 && to->homes[at - 1].offset > home->offset; at--)
            to->homes[at] = to->homes[at - 1];
        to->homes[at] = (struct vm_home){.offset = home->offset,
                                         .width = (uint8_t)home->width,
                                         .row = row_of(selection, home->slot)};
    }
}

static void encode_debug_variable(struct selection *selection, uint32_t index,
                                  struct vm_debug_variable *to)
{
    const struct ir_variable *variable = &selection->lower->variables[index];
    to->variable = selection->variable_index[index] - 1;
    to->number = index;
    to->size = variable->size;
    to->is_pipe = variable->is_pipe;
    if (variable->promoted)
        encode_homes(selection, index, to);
    to->lost = !variable->promoted && to->variable == UINT32_MAX;
}

static void encode_global_home(struct selection *selection, uint32_t index,
                               struct vm_debug_variable *to)
{
    const uint32_t slot = selection->global_slots[index];
    to->lost = slot == 0;
    to->homes = slot != 0 ? lower_code_alloc(selection->lower, 1, sizeof *to->homes) : NULL;
    if (to->homes == NULL)
        return;
    to->home_count = 1;
    to->homes[0].row = row_of(selection, slot);
}

static void encode_debug_variables(struct selection *selection)
{
    struct lower *lower = selection->lower;
    struct vm_code *code = lower->code;
    code->debug_info = lower->options.debug;
    code->debug_variables =
        lower_code_alloc(lower, lower->debug_name_count, sizeof *code->debug_variables);
    for (uint32_t n = 0; n < lower->debug_name_count && !lower_failed(lower); n++) {
        const struct ir_debug_name *name = &lower->debug_names[n];
        uint32_t at = code->debug_variable_count++;
        for (; at > 0 && (code->debug_variables[at - 1].id > name->id ||
                          (code->debug_variables[at - 1].id == name->id &&
                           code->debug_variables[at - 1].caller > name->caller));
             at--)
            code->debug_variables[at] = code->debug_variables[at - 1];
        struct vm_debug_variable *to = &code->debug_variables[at];
        *to = (struct vm_debug_variable){
            .id = name->id, .caller = name->caller, .variable = UINT32_MAX, .number = UINT32_MAX};
        if (name->global)
            encode_global_home(selection, name->variable, to);
        else
            encode_debug_variable(selection, name->variable, to);
    }
}

static const vm_row *encode_extra(struct selection *selection, const struct slotted *made)
{
    vm_row *rows = lower_code_alloc(selection->lower, made->extra_count, sizeof *rows);
    for (uint32_t i = 0; i < made->extra_count && rows != NULL; i++)
        rows[i] = row_of(selection, made->extra[i]);
    return rows;
}

/* What the instruction says in a table of the code, with its rows. */
static void encode_entry(struct selection *selection, const struct slotted *made)
{
    const struct lower *lower = selection->lower;
    struct vm_code *code = lower->code;
    const uint32_t entry = made->instruction.aux;
    if (made->extra == NULL)
        return;
    const vm_row *rows = encode_extra(selection, made);
    switch (made->instruction.op) {
    case VM_OP_collective:
        code->barriers[entry].arguments = rows;
        code->barriers[entry].argument_count = made->extra_count;
        code->barriers[entry].result =
            made->instruction.dst != 0 ? row_of(selection, made->instruction.dst) : 0;
        break;
    case VM_OP_barrier:
        code->barriers[entry].counters = rows;
        code->barriers[entry].counter_count = made->extra_count;
        code->barriers[entry].next =
            selection->block_number[lower->flow.number[lower->blocks[made->block].targets[0]]];
        break;
    case VM_OP_spin:
        code->spins[entry].rows = rows;
        break;
    case VM_OP_printf:
        code->prints[entry].rows = rows;
        code->prints[entry].row_count = made->extra_count;
        break;
    case VM_OP_device_call:
        code->device_calls[entry].rows = rows;
        code->device_calls[entry].row_count = made->extra_count;
        break;
    default:
        break;
    }
}

static void *code_copy(struct lower *lower, const void *items, size_t count, size_t size)
{
    void *copy = lower_code_alloc(lower, count, size);
    if (copy != NULL && count > 0)
        memcpy(copy, items, count * size);
    return copy;
}

static void encode_tables(struct selection *selection)
{
    struct lower *lower = selection->lower;
    struct vm_code *code = lower->code;
    code->atomics = code_copy(lower, lower->atomics, lower->atomic_count, sizeof *code->atomics);
    code->atomic_count = lower->atomic_count;
    code->reductions =
        code_copy(lower, lower->reductions, lower->reduction_count, sizeof *code->reductions);
    code->reduction_count = lower->reduction_count;
    code->subscripts =
        code_copy(lower, lower->subscripts, lower->subscript_count, sizeof *code->subscripts);
    code->subscript_count = lower->subscript_count;
    code->prints = code_copy(lower, lower->prints, lower->print_count, sizeof *code->prints);
    code->print_count = lower->print_count;
    code->device_calls =
        code_copy(lower, lower->device_calls, lower->device_call_count, sizeof *code->device_calls);
    code->device_call_count = lower->device_call_count;
    code->places = code_copy(lower, lower->places, lower->place_count, sizeof *code->places);
    code->place_count = lower->place_count;
    code->barriers = lower_code_alloc(lower, lower->barrier_count, sizeof *code->barriers);
    code->barrier_count = lower->barrier_count;
    for (uint32_t i = 0; i < lower->barrier_count && !lower_failed(lower); i++)
        code->barriers[i] = lower->barriers[i].barrier;
    for (uint32_t i = 0; i < selection->code_count && !lower_failed(lower); i++)
        encode_entry(selection, &selection->code[i]);
}

static void encode_names(struct selection *selection)
{
    struct vm_code *code = selection->lower->code;
    vm_row last = 0;
    code->row_names =
        lower_code_alloc(selection->lower, selection->slot_count, sizeof *code->row_names);
    /* Permanent slots got their rows in the order of their numbers, from the last to the first. */
    for (uint32_t s = selection->slot_count; s-- > 1 && !lower_failed(selection->lower);) {
        const struct slot *slot = &selection->slots[s];
        if (slot->name == NULL || !slot->permanent || slot->row == 0)
            continue;
        ASSERT(slot->row > last); /* they are looked for by halves */
        last = slot->row;
        code->row_names[code->row_name_count++] =
            (struct vm_row_name){slot->row, slot->name, slot->part};
    }
}

void lower_encode(struct selection *selection)
{
    encode_code(selection);
    encode_constants(selection);
    encode_inputs(selection);
    encode_variables(selection);
    encode_debug_variables(selection);
    encode_tables(selection);
    encode_names(selection);
    selection->lower->code->apart = selection->lower->apart;
}
