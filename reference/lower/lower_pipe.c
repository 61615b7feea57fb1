/* Pipes: OpenCL C 3.0, 6.15.17. A pipe is the pointer to its object, a reservation ID a number of
 * 64 bits. What a whole work-group calls is a collective of the scheduler; what a sub-group calls,
 * a meeting and an op after it. */
#include "reference/lower/lower_private.h"

/* What each instruction does, and at which end. */
static const struct pipe_instruction {
    uint16_t opcode;
    enum vm_op op;
    bool writes, of_group;
} instructions[] = {
    {SpvOpReadPipe, VM_OP_pipe_read, false, false},
    {SpvOpWritePipe, VM_OP_pipe_write, true, false},
    {SpvOpReservedReadPipe, VM_OP_pipe_read_reserved, false, false},
    {SpvOpReservedWritePipe, VM_OP_pipe_write_reserved, true, false},
    {SpvOpReserveReadPipePackets, VM_OP_pipe_reserve, false, false},
    {SpvOpReserveWritePipePackets, VM_OP_pipe_reserve, true, false},
    {SpvOpCommitReadPipe, VM_OP_pipe_commit, false, false},
    {SpvOpCommitWritePipe, VM_OP_pipe_commit, true, false},
    {SpvOpGroupReserveReadPipePackets, VM_OP_pipe_reserve, false, true},
    {SpvOpGroupReserveWritePipePackets, VM_OP_pipe_reserve, true, true},
    {SpvOpGroupCommitReadPipe, VM_OP_pipe_commit, false, true},
    {SpvOpGroupCommitWritePipe, VM_OP_pipe_commit, true, true},
    {SpvOpGetNumPipePackets, VM_OP_pipe_query, false, false},
    {SpvOpGetMaxPipePackets, VM_OP_pipe_query, false, false},
};

/* The pipe in an operand; 0 on failure. */
static uint32_t pipe_operand(struct lower *lower, uint32_t operand,
                             const struct pipe_instruction *instruction)
{
    const struct ir_ref pipe = lower_operand(lower, operand);
    const SpvAccessQualifier wanted =
        instruction->writes ? SpvAccessQualifierWriteOnly : SpvAccessQualifierReadOnly;
    if (pipe.type->op != SpvOpTypePipe)
        lower_malformed(lower, "with an operand that is not a pipe");
    else if (instruction->op != VM_OP_pipe_query && pipe.type->image.access != wanted)
        lower_malformed(lower, "of a pipe with another access qualifier");
    return pipe.values[0];
}

static uint32_t id_operand(struct lower *lower, uint32_t operand)
{
    const struct ir_ref id = lower_operand(lower, operand);
    if (id.type->op != SpvOpTypeReserveId)
        lower_malformed(lower, "with an operand that is not a reservation ID");
    return id.values[0];
}

/* A number of packets, or the index of one. */
static uint32_t number_operand(struct lower *lower, uint32_t operand)
{
    return ir_resize(lower, lower_scalar(lower, operand), 8, false);
}

static uint32_t emit(struct lower *lower, enum vm_op op, uint32_t width, const uint32_t *operands,
                     uint32_t count, uint32_t aux)
{
    const uint32_t result = ir_emit(lower, op, width, width != 0 ? 1 : 0, operands, count);
    ir_last(lower)->aux = aux;
    return result;
}

static void translate_transfer(struct lower *lower, const struct pipe_instruction *instruction)
{
    const bool reserved =
        instruction->op == VM_OP_pipe_read_reserved || instruction->op == VM_OP_pipe_write_reserved;
    const uint32_t behind = reserved ? 4 : 2; /* the size and alignment of packets */
    const struct spv_type *pointer;
    uint64_t size = 0;
    uint64_t alignment = 0;
    uint32_t operands[4] = {pipe_operand(lower, 0, instruction),
                            lower_pointer_operand(lower, behind - 1, &pointer)};
    if (reserved) {
        operands[2] = id_operand(lower, 1);
        operands[3] = number_operand(lower, 2);
    }
    if (!lower_constant_operand(lower, behind, &size) ||
        !lower_constant_operand(lower, behind + 1, &alignment))
        return;
    if (size == 0 || size > UINT32_MAX || alignment == 0 || (alignment & (alignment - 1)) != 0 ||
        alignment > 128) {
        lower_malformed(lower, "of packets of %llu bytes aligned to %llu", (unsigned long long)size,
                        (unsigned long long)alignment);
        return;
    }
    const uint32_t result = emit(lower, instruction->op, 4, operands, reserved ? 4 : 2,
                                 (uint32_t)__builtin_ctzll(alignment));
    ir_last(lower)->size = size;
    lower_set_result(lower, &result, 1);
}

/* By a work-item, or by the set of them that the scope in operand 0 names. */
static void translate_reservation(struct lower *lower, const struct pipe_instruction *instruction)
{
    const bool reserves = instruction->op == VM_OP_pipe_reserve;
    const uint32_t first = instruction->of_group ? 1 : 0;
    const uint32_t width = reserves ? 8 : 0;
    uint32_t aux = instruction->writes ? VM_PIPE_WRITES : 0;
    uint32_t result;
    struct vm_barrier barrier = {.width = 8, .writes = instruction->writes};
    if (instruction->of_group && !lower_group_scope(lower, &barrier.execution))
        return;
    barrier.memory = barrier.execution;
    const uint32_t operands[] = {pipe_operand(lower, first, instruction),
                                 reserves ? number_operand(lower, first + 1)
                                          : id_operand(lower, first + 1)};
    if (barrier.execution == OBSERVER_SCOPE_WORK_GROUP) {
        barrier.collective = reserves ? VM_COLLECTIVE_RESERVE : VM_COLLECTIVE_COMMIT;
        result = lower_collective(lower, &barrier, reserves, operands, 2);
    } else {
        barrier.collective = VM_COLLECTIVE_AGREE;
        if (instruction->of_group) {
            lower_collective(lower, &barrier, false, operands, 2);
            aux |= VM_PIPE_BY_SUB_GROUP;
        }
        result = emit(lower, instruction->op, width, operands, 2, aux);
    }
    if (reserves)
        lower_set_result(lower, &result, 1);
}

static void translate_is_valid(struct lower *lower)
{
    const uint32_t id = id_operand(lower, 0);
    const uint32_t valid = ir_op2(lower, VM_OP_ine_64, id, ir_constant(lower, 8, 0));
    lower_set_result(lower, &valid, 1);
}

static void translate_query(struct lower *lower, const struct pipe_instruction *instruction)
{
    const uint32_t pipe = pipe_operand(lower, 0, instruction);
    const uint32_t count = emit(lower, VM_OP_pipe_query, 4, &pipe, 1,
                                lower->at->op == SpvOpGetMaxPipePackets ? VM_PIPE_CAPACITY : 0);
    lower_set_result(lower, &count, 1);
}

/* A pipe of program scope: both are the pointer to it. */
static void translate_create(struct lower *lower)
{
    const struct ir_ref storage = lower_operand(lower, 0);
    if (storage.type->op != SpvOpTypePipeStorage || lower_result_type(lower)->op != SpvOpTypePipe)
        lower_malformed(lower, "of something that is not the storage of a pipe");
    else
        lower_set_result(lower, storage.values, 1);
}

bool lower_translate_pipe(struct lower *lower)
{
    const struct pipe_instruction *instruction = NULL;
    for (size_t i = 0; i < sizeof instructions / sizeof instructions[0]; i++) {
        if (instructions[i].opcode == lower->at->op)
            instruction = &instructions[i];
    }
    if (lower->at->op == SpvOpIsValidReserveId)
        translate_is_valid(lower);
    else if (lower->at->op == SpvOpCreatePipeFromPipeStorage)
        translate_create(lower);
    else if (instruction == NULL)
        return false;
    else if (instruction->op == VM_OP_pipe_query)
        translate_query(lower, instruction);
    else if (instruction->op == VM_OP_pipe_reserve || instruction->op == VM_OP_pipe_commit)
        translate_reservation(lower, instruction);
    else
        translate_transfer(lower, instruction);
    return true;
}
