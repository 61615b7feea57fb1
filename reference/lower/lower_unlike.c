/* What devices unlike the usual one do besides: instructions that the usual device never has, so
 * that it pays nothing for them.
 *
 * Big-endian: rows hold values, memory holds bytes. Between the two, after each load and before
 * each store, bytes are turned. Variables that were promoted are not memory any more.
 *
 * Flushing (OpenCL C 3.0, 7.5.3): operations on float take 0 for denormal operands and give 0 for
 * denormal results, with their sign. Moves, and what only touches the sign, keep all bits.
 *
 * Remarks: such operands and results are told (lower_remark.c). */
#include "reference/lower/lower_private.h"
#include "reference/vm/shape.h"

/* ---- bytes ---- */

static uint32_t swapped(struct lower *lower, uint32_t value)
{
    const struct ir_value *is = &lower->values[value];
    if (is->width < 2)
        return value;
    if (is->kind == IR_CONSTANT)
        return ir_constant(lower, is->width, __builtin_bswap64(is->bits) >> (64 - 8 * is->width));
    return ir_op1(lower,
                  is->width == 2   ? VM_OP_swap_16
                  : is->width == 4 ? VM_OP_swap_32
                                   : VM_OP_swap_64,
                  value);
}

static void swap_operands(struct lower *lower, uint32_t instruction, uint32_t first)
{
    const uint32_t count = lower->instructions[instruction].operand_count;
    for (uint32_t o = first; o < count && !lower_failed(lower); o++) {
        const uint32_t index = lower->instructions[instruction].operand + o;
        const uint32_t value = swapped(lower, lower->operands[index]);
        lower->operands[index] = value;
    }
}

/* After the instruction, which stands in the block by now. */
static void swap_results(struct lower *lower, uint32_t instruction)
{
    const uint32_t count = lower->instructions[instruction].result_count;
    if (count == 0 || lower->values[lower->instructions[instruction].result].width < 2)
        return;
    const uint32_t old = ir_renew_results(lower, instruction);
    for (uint32_t i = 0; i < count && !lower_failed(lower); i++) {
        swapped(lower, lower->instructions[instruction].result + i);
        ir_define(lower, old + i);
    }
}

/* Turning the bytes of operands and result is as good as turning those in memory, or does not do:
 * then the op has a form of its own. */
static enum vm_op swapped_atomic(enum vm_op op)
{
    switch (op) {
/* clang-format off */
#define ATOMIC(...)
#define SWAPPED(name) case VM_OP_##name: return VM_OP_##name##_swapped;
#include "reference/vm/atomics.def"
    /* clang-format on */
    default:
        return op;
    }
}

static bool is_memory(enum vm_op op)
{
    return op == VM_OP_load || op == VM_OP_store || (vm_op_traits(op) & VM_ATOMIC) != 0;
}

static void turn_before(struct lower *lower, uint32_t instruction)
{
    const enum vm_op op = (enum vm_op)lower->instructions[instruction].op;
    const enum vm_op form = swapped_atomic(op);
    lower->instructions[instruction].op = (uint16_t)form;
    if (form == op)
        swap_operands(lower, instruction, 1);
}

/* ---- denormal numbers ---- */

/* Only floats of 32 bits may lose them. */
static bool is_float(enum vm_op op, enum vm_operand_index operand)
{
    const struct vm_operand_form *form = &vm_op_form(op)->operands[operand];
    return form->floating && form->width == 4;
}

static bool keeps_denormals(enum vm_op op)
{
    return op == VM_OP_fneg_f32 || op == VM_OP_fabs_f32 || op == VM_OP_copysign_f32 ||
           op == VM_OP_nan_f32;
}

static bool is_flushed(const struct lower *lower, uint32_t value)
{
    const struct ir_value *is = &lower->values[value];
    return is->kind == IR_RESULT && lower->instructions[is->index].op == VM_OP_flush_32;
}

static void remark_denormal(struct lower *lower, uint32_t value)
{
    if (lower->options.remarks)
        lower_remark(lower, OBSERVER_REMARK_DENORMAL, ir_op1(lower, VM_OP_denormal_32, value));
}

static void look_at_operands(struct lower *lower, uint32_t instruction)
{
    const enum vm_op op = (enum vm_op)lower->instructions[instruction].op;
    for (uint32_t o = 0; o < 3 && !lower_failed(lower); o++) {
        const uint32_t index = lower->instructions[instruction].operand + o;
        if (!is_float(op, VM_OPERAND_A + o) || is_flushed(lower, lower->operands[index]))
            continue;
        remark_denormal(lower, lower->operands[index]);
        if (!lower->options.flush)
            continue;
        const uint32_t value = ir_op1(lower, VM_OP_flush_32, lower->operands[index]);
        lower->operands[index] = value;
    }
}

static void look_at_result(struct lower *lower, uint32_t instruction)
{
    if (!is_float((enum vm_op)lower->instructions[instruction].op, VM_OPERAND_DST))
        return;
    const uint32_t old = lower->options.flush ? ir_renew_results(lower, instruction) : 0;
    remark_denormal(lower, lower->instructions[instruction].result);
    if (!lower->options.flush)
        return;
    ir_op1(lower, VM_OP_flush_32, lower->instructions[instruction].result);
    ir_define(lower, old);
}

/* ---- all instructions ---- */

static void unlike_instruction(struct lower *lower, uint32_t instruction)
{
    const struct ir_instruction is = lower->instructions[instruction];
    const bool turns = lower->options.big_endian && is_memory((enum vm_op)is.op);
    const bool floats =
        (lower->options.flush || lower->options.remarks) && !keeps_denormals((enum vm_op)is.op);
    /* Such a kernel works with sub-groups of any size. */
    if (is.op == VM_OP_remark && is.aux == OBSERVER_REMARK_SUB_GROUP &&
        (lower->asks_sub_group || lower->code->required_sub_group_size != 0))
        return;
    lower->place = is.place;
    if (turns)
        turn_before(lower, instruction);
    if (floats)
        look_at_operands(lower, instruction);
    ir_append(lower, lower->block, instruction);
    if (turns)
        swap_results(lower, instruction);
    if (floats)
        look_at_result(lower, instruction);
}

void lower_unlike(struct lower *lower)
{
    if (!lower->options.big_endian && !lower->options.flush && !lower->options.remarks)
        return;
    for (uint32_t b = 0; b < lower->block_count && !lower_failed(lower); b++) {
        const struct ir_block was = ir_empty_block(lower, b);
        for (uint32_t i = 0; i < was.count && !lower_failed(lower); i++) {
            if (!lower->instructions[was.instructions[i]].dead)
                unlike_instruction(lower, was.instructions[i]);
        }
    }
    lower->place = 0;
    if (!lower_failed(lower))
        lower_clean(lower);
}
