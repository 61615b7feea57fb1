/* Through which pointer arguments the kernel can read, and write: what flows from an argument into
 * the address of a load or store, or into anything that is not known to only compute. Marks spread
 * from there backwards through computations, also of integers. A pointer that the kernel finds in
 * memory is not followed: an argument that it has put there itself is marked by that. Checkers
 * notice writes that this analysis says cannot be.
 *
 * In the same way, which pointer arguments may get into memory, whole or in pieces of 32 bits, and
 * where. Smaller ones are not pointers as a rule, but what was found out of them. */
#include "reference/lower/lower_private.h"

enum { READ = 1, WRITTEN = 2, STORED = 4, STORED_AGAIN = 8, MARKS = 4 };

struct tracing {
    struct lower *lower;
    uint8_t *marks;   /* by value: what is done through it, and with it */
    uint32_t *places; /* by value: STORED, where */
    uint32_t *stack;  /* of values whose marks have not spread; each at most once for each mark */
    size_t depth;
};

/* `place`: where it is stored; 0 = it is not, or that is not known. */
static void mark(struct tracing *tracing, uint32_t value, uint8_t marks, uint32_t place)
{
    if (tracing->lower->values[value].width < 4)
        marks &= READ | WRITTEN;
    else if ((marks & tracing->marks[value] & STORED) != 0 && tracing->places[value] != place)
        marks |= STORED_AGAIN;
    const uint8_t new = marks &(uint8_t)~tracing->marks[value];
    if (value != 0 && new != 0 && tracing->lower->values[value].width != 0) {
        if (tracing->places[value] == 0)
            tracing->places[value] = place;
        tracing->marks[value] |= new;
        tracing->stack[tracing->depth++] = value;
    }
}

static void mark_operand(struct tracing *tracing, const struct ir_instruction *instruction,
                         uint32_t operand, uint8_t marks, uint32_t place)
{
    const uint32_t value = tracing->lower->operands[instruction->operand + operand];
    mark(tracing, ir_same(tracing->lower, value), marks, place);
}

/* What the result of the instruction is made of. An index is not a pointer. */
static void mark_operands(struct tracing *tracing, const struct ir_instruction *instruction,
                          uint8_t marks, uint32_t place)
{
    const uint32_t count = instruction->op == VM_OP_index_64 ? 1 : instruction->operand_count;
    for (uint32_t o = 0; o < count; o++)
        mark_operand(tracing, instruction, o, marks, place);
}

static bool is_of_buffer(const struct vm_parameter *parameter)
{
    return parameter->kind == VM_PARAMETER_GLOBAL || parameter->kind == VM_PARAMETER_CONSTANT;
}

/* Is the result made of the operands of this work-item, or of others of its group? */
static bool hands_on(const struct lower *lower, const struct ir_instruction *instruction)
{
    const uint32_t traits = vm_op_traits((enum vm_op)instruction->op);
    if (instruction->op != VM_OP_collective)
        return (traits & VM_COMPUTES) != 0 || (traits & (VM_SUB_GROUP | VM_MEMORY)) == VM_SUB_GROUP;
    switch (lower->barriers[instruction->aux].barrier.collective) {
    case VM_COLLECTIVE_BROADCAST:
    case VM_COLLECTIVE_REDUCE:
    case VM_COLLECTIVE_INCLUSIVE_SCAN:
    case VM_COLLECTIVE_EXCLUSIVE_SCAN:
        return true;
    default:
        return false;
    }
}

static void mark_origins(struct tracing *tracing, uint32_t index)
{
    const struct lower *lower = tracing->lower;
    const struct ir_value *value = &lower->values[index];
    const uint8_t marks = tracing->marks[index];
    const uint32_t place = tracing->places[index];
    if (value->kind == IR_PARAMETER) {
        struct vm_parameter *parameter = &lower->code->parameters[value->index];
        parameter->only_read &= (marks & WRITTEN) == 0;
        parameter->only_written &= (marks & READ) == 0;
        parameter->is_stored = is_of_buffer(parameter) && (marks & STORED) != 0;
        parameter->is_stored_again = (marks & STORED_AGAIN) != 0;
        parameter->stored_place = place;
    } else if (value->kind == IR_RESULT) {
        const struct ir_instruction *instruction = &lower->instructions[value->index];
        if (hands_on(lower, instruction))
            mark_operands(tracing, instruction, marks, place);
    } else if (value->kind == IR_PHI) {
        const struct ir_phi *phi = &lower->phis[value->index];
        for (uint32_t o = 0; o < phi->operand_count; o++)
            mark(tracing, ir_same(lower, phi->operands[o].value), marks, place);
    }
}

/* Which of its operands an instruction copies memory from; 0 = it copies none. It copies to its
 * first. */
static uint32_t copied_operand(const struct lower *lower, const struct ir_instruction *instruction)
{
    if (instruction->op == VM_OP_copy_memory)
        return 1;
    if (instruction->op != VM_OP_collective)
        return 0;
    switch (lower->barriers[instruction->aux].barrier.collective) {
    case VM_COLLECTIVE_COPY:
        return 1;
    case VM_COLLECTIVE_COPY_LINES:
        return VM_COPY_FROM;
    default:
        return 0;
    }
}

/* What an instruction does through its operands. A pointer that is stored, or given away, leads
 * whoever finds it to anything. */
static void mark_accesses(struct tracing *tracing, const struct ir_instruction *instruction)
{
    const uint32_t traits = vm_op_traits((enum vm_op)instruction->op);
    const uint32_t copied = copied_operand(tracing->lower, instruction);
    const uint8_t marks = (traits & VM_ONLY_READS) != 0 ? READ : READ | WRITTEN;
    const bool stores = instruction->op == VM_OP_store || (traits & VM_ATOMIC) != 0;
    if ((traits & (VM_COMPUTES | VM_TOUCHES_NOTHING)) != 0)
        return;
    for (uint32_t o = 0; o < instruction->operand_count; o++) {
        if (o == 0 && (copied != 0 || (traits & VM_ONLY_WRITES) != 0))
            mark_operand(tracing, instruction, o, WRITTEN, 0);
        else if (o != 0 && stores)
            mark_operand(tracing, instruction, o, marks | STORED, instruction->place);
        else
            mark_operand(tracing, instruction, o, o != 0 && o == copied ? READ : marks, 0);
    }
}

void lower_accesses(struct lower *lower)
{
    struct tracing tracing = {
        .lower = lower,
        .marks = lower_alloc(lower, lower->value_count, sizeof *tracing.marks),
        .places = lower_alloc(lower, lower->value_count, sizeof *tracing.places),
        .stack = lower_alloc(lower, MARKS * (size_t)lower->value_count, sizeof *tracing.stack),
    };
    if (lower_failed(lower))
        return;
    for (uint32_t p = 0; p < lower->code->parameter_count; p++) {
        struct vm_parameter *parameter = &lower->code->parameters[p];
        parameter->only_read = parameter->only_written = is_of_buffer(parameter);
    }
    for (struct ir_walk walk = {0}; ir_walk_next(lower, &walk);)
        mark_accesses(&tracing, walk.instruction);
    while (tracing.depth > 0)
        mark_origins(&tracing, tracing.stack[--tracing.depth]);
}
