/* Instructions that reach memory, over slots: loads and stores, copies, atomics, images, pipes. */
#include "reference/lower/passes/lower_select.h"

void select_plan_store(struct selection *selection, const struct ir_instruction *store)
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

void select_load(struct selection *selection, const struct ir_instruction *instruction)
{
    struct lower *lower = selection->lower;
    const bool uniform = select_takes_uniform(lower, instruction);
    const uint32_t address = lower->operands[instruction->operand];
    const uint32_t from =
        uniform ? slot_uniform(selection, address) : slot_varying(selection, address);
    uint32_t parts[16];
    const uint32_t to = slot_begin_results(selection, instruction, uniform, parts);
    if (lower_failed(lower))
        return;
    struct slotted *made = slotted_add(selection, uniform ? VM_OP_load_u : VM_OP_load);
    made->dst = made->a = true;
    made->instruction.dst = to;
    made->instruction.a = from;
    made->instruction.width = instruction->width;
    made->instruction.count = instruction->count;
    made->instruction.aux = instruction->aux;
    for (uint32_t i = 0; i < instruction->result_count; i++)
        slot_finish_result(selection, instruction->result + i, uniform, parts[i]);
}

void select_store(struct selection *selection, const struct ir_instruction *instruction)
{
    struct lower *lower = selection->lower;
    const uint32_t *operands = &lower->operands[instruction->operand];
    const uint32_t address = slot_varying(selection, operands[0]);
    const uint32_t data = slot_gather(selection, operands + 1, instruction->operand_count - 1);
    struct slotted *made = slotted_add(selection, VM_OP_store);
    made->a = made->b = true;
    made->instruction.a = address;
    made->instruction.b = data;
    made->instruction.width = instruction->width;
    made->instruction.count = instruction->count;
    made->instruction.aux = instruction->aux;
}

/* The image, where in it, and behind that a sampler, the four channels of a color, or the
 * element of a block. */
void select_image(struct selection *selection, const struct ir_instruction *instruction)
{
    struct lower *lower = selection->lower;
    const uint32_t *operands = &lower->operands[instruction->operand];
    const bool block =
        instruction->op == VM_OP_image_block_read || instruction->op == VM_OP_image_block_write;
    const uint32_t places = block ? 2 : vm_image_places(instruction->aux);
    const uint32_t rest = instruction->operand_count - 1 - places;
    uint32_t parts[4];
    const uint32_t image = slot_varying(selection, operands[0]);
    const uint32_t at = slot_gather(selection, operands + 1, places);
    const uint32_t last = rest > 0 ? slot_gather(selection, operands + 1 + places, rest) : 0;
    const bool reads = instruction->result_count > 0;
    const uint32_t to = reads ? slot_begin_results(selection, instruction, false, parts) : 0;
    if (lower_failed(lower))
        return;
    struct slotted *made = slotted_add(selection, (enum vm_op)instruction->op);
    made->dst = reads;
    made->a = made->b = true;
    made->c = rest > 0;
    made->instruction.dst = to;
    made->instruction.a = image;
    made->instruction.b = at;
    made->instruction.c = last;
    made->instruction.width = block ? instruction->width : 4;
    made->instruction.count = reads ? instruction->count : block ? 1 : 4;
    made->instruction.aux = instruction->aux;
    for (uint32_t i = 0; i < instruction->result_count; i++)
        slot_finish_result(selection, instruction->result + i, false, parts[i]);
}

void select_image_query(struct selection *selection, const struct ir_instruction *instruction)
{
    struct lower *lower = selection->lower;
    const bool uniform = select_takes_uniform(lower, instruction);
    const uint32_t value = lower->operands[instruction->operand];
    const uint32_t image =
        uniform ? slot_uniform(selection, value) : slot_varying(selection, value);
    const uint32_t to = slot_begin_result(selection, instruction->result, uniform);
    struct slotted *made =
        slotted_add(selection, uniform ? VM_OP_image_query_u : VM_OP_image_query);
    made->dst = made->a = true;
    made->instruction.dst = to;
    made->instruction.a = image;
    made->instruction.width = 4;
    made->instruction.count = 1;
    made->instruction.aux = instruction->aux;
    slot_finish_result(selection, instruction->result, uniform, to);
}

/* The pipe, and what else the op reads: rows of 64 bits. */
void select_pipe(struct selection *selection, const struct ir_instruction *instruction)
{
    const uint32_t *operands = &selection->lower->operands[instruction->operand];
    const uint32_t rest = instruction->operand_count - 1;
    const uint32_t pipe = slot_varying(selection, operands[0]);
    const uint32_t others = rest > 0 ? slot_gather(selection, operands + 1, rest) : 0;
    const bool result = instruction->result_count > 0;
    const uint32_t to = result ? slot_begin_result(selection, instruction->result, false) : 0;
    struct slotted *made = slotted_add(selection, (enum vm_op)instruction->op);
    made->dst = result;
    made->a = true;
    made->b = rest > 0;
    made->instruction.dst = to;
    made->instruction.a = pipe;
    made->instruction.b = others;
    made->instruction.c = (uint32_t)instruction->size;
    made->instruction.aux = instruction->aux;
    if (result)
        slot_finish_result(selection, instruction->result, false, to);
}

void select_copy(struct selection *selection, const struct ir_instruction *instruction)
{
    const uint32_t *operands = &selection->lower->operands[instruction->operand];
    const uint32_t to = slot_varying(selection, operands[0]);
    const uint32_t from = slot_varying(selection, operands[1]);
    struct slotted *made = slotted_add(selection, VM_OP_copy_memory);
    made->a = made->b = true;
    made->instruction.a = to;
    made->instruction.b = from;
    made->instruction.c = (uint32_t)instruction->size;
    made->instruction.aux = instruction->aux;
}

void select_atomic(struct selection *selection, const struct ir_instruction *instruction)
{
    struct lower *lower = selection->lower;
    const uint32_t *operands = &lower->operands[instruction->operand];
    uint32_t slots[3] = {0};
    for (uint32_t o = 0; o < instruction->operand_count; o++)
        slots[o] = slot_varying(selection, operands[o]);
    const bool result = instruction->result_count > 0;
    const uint32_t to = result ? slot_begin_result(selection, instruction->result, false) : 0;
    struct slotted *made = slotted_add(selection, (enum vm_op)instruction->op);
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
        slot_finish_result(selection, instruction->result, false, to);
}

void select_region(struct selection *selection, const struct ir_instruction *instruction)
{
    const uint32_t address =
        slot_varying(selection, selection->lower->operands[instruction->operand]);
    const uint32_t to = slot_begin_result(selection, instruction->result, false);
    struct slotted *made = slotted_add(selection, VM_OP_region);
    made->dst = made->a = true;
    made->instruction.dst = to;
    made->instruction.a = address;
    slot_finish_result(selection, instruction->result, false, to);
}

void select_subscript(struct selection *selection, const struct ir_instruction *instruction)
{
    struct lower *lower = selection->lower;
    const uint32_t *operands = &lower->operands[instruction->operand];
    const struct ir_value *address = &lower->values[operands[1]];
    const bool uniform[2] = {!lower->values[operands[0]].varying, !address->varying};
    const bool none = address->kind == IR_CONSTANT && address->bits == 0;
    uint32_t slots[2] = {0};
    for (uint32_t o = 0; o < (none ? 1 : 2); o++)
        slots[o] = uniform[o] ? slot_uniform(selection, operands[o])
                              : slot_varying(selection, operands[o]);
    struct slotted *made = slotted_add(selection, VM_OP_subscript);
    made->a = true;
    made->b = !none;
    made->instruction.a = slots[0];
    made->instruction.b = slots[1];
    made->instruction.width = lower->values[operands[0]].width;
    made->instruction.count = (uint8_t)((uniform[0] ? VM_SUBSCRIPT_UNIFORM : 0) |
                                        (uniform[1] ? VM_SUBSCRIPT_UNIFORM_ADDRESS : 0) |
                                        (none ? VM_SUBSCRIPT_OF_VALUE : 0));
    made->instruction.aux = instruction->aux;
}

void select_life(struct selection *selection, const struct ir_instruction *instruction)
{
    const uint32_t address = selection->lower->operands[instruction->operand];
    const uint32_t slot = slot_uniform(selection, address);
    selection->lower->code->has_life_ends |= instruction->op == VM_OP_life_end;
    struct slotted *made = slotted_add(selection, (enum vm_op)instruction->op);
    made->a = true;
    made->instruction.a = slot;
    made->instruction.aux = instruction->aux;
}
