/* What the work-items of a sub-group tell each other: votes, ballots, shuffles. All of them are
 * made of three ops, on the lanes that execute them together: a vote, a ballot, and a shuffle,
 * which takes the value of the lane that an index names. A bit of a ballot belongs to each
 * work-item; the four words of a uint4 hold 64 of them, as many as a sub-group has, and zeroes.
 *
 * The functions that need not be met by all work-items of the sub-group are here
 * (OpGroupNonUniform...); of those that must be met, lower_group.c makes a meeting first. */
#include "reference/lower/lower_private.h"
#include "reference/spirv/grammar.h"

/* ---- who a work-item is ---- */

uint32_t lower_sub_group_id(struct lower *lower)
{
    return ir_leaf(lower, IR_QUERY, 8, VM_QUERY_SUB_GROUP_LOCAL_ID, 0);
}

uint32_t lower_sub_group_max_size(struct lower *lower)
{
    return ir_leaf(lower, IR_QUERY, 8, VM_QUERY_SUB_GROUP_MAX_SIZE, 0);
}

/* The op on a value and a number. */
static uint32_t with(struct lower *lower, enum vm_op op, uint32_t value, uint64_t bits)
{
    return ir_op2(lower, op, value, ir_constant(lower, 8, bits));
}

/* Bits of all work-items that a sub-group of the launch may have. */
static uint32_t all_bits(struct lower *lower)
{
    const uint32_t bits = ir_constant(lower, 8, UINT64_MAX);
    const uint32_t size = lower_sub_group_max_size(lower);
    return ir_op2(lower, VM_OP_lshr_64, bits, ir_op1(lower, VM_OP_ineg_64, size));
}

static uint32_t own_bit(struct lower *lower)
{
    const uint32_t one = ir_constant(lower, 8, 1);
    return ir_op2(lower, VM_OP_shl_64, one, lower_sub_group_id(lower));
}

static uint32_t bits_below(struct lower *lower)
{
    return with(lower, VM_OP_isub_64, own_bit(lower), 1);
}

static uint32_t bits_to_own(struct lower *lower)
{
    const uint32_t own = own_bit(lower);
    return ir_op2(lower, VM_OP_ior_64, with(lower, VM_OP_isub_64, own, 1), own);
}

static uint32_t bits_without(struct lower *lower, uint32_t bits)
{
    const uint32_t all = all_bits(lower);
    return ir_op2(lower, VM_OP_iand_64, all, ir_op1(lower, VM_OP_inot_64, bits));
}

/* ---- a uint4 of bits ---- */

static void split_bits(struct lower *lower, uint32_t bits, uint32_t words[4])
{
    words[0] = ir_resize(lower, bits, 4, false);
    words[1] = ir_resize(lower, with(lower, VM_OP_lshr_64, bits, 32), 4, false);
    words[2] = words[3] = ir_constant(lower, 4, 0);
}

/* The 64 bits of an operand that count; 0 on failure. */
static uint32_t join_bits(struct lower *lower, uint32_t operand)
{
    const struct ir_ref words = lower_operand(lower, operand);
    if (words.count != 4 || lower->values[words.values[0]].width != 4) {
        lower_fail(lower, STATUS_MALFORMED, "operand %u of %s is not a vector of four words",
                   operand, spv_op_name(lower->at->op));
        return 0;
    }
    const uint32_t low = ir_resize(lower, words.values[0], 8, false);
    const uint32_t high = ir_resize(lower, words.values[1], 8, false);
    return ir_op2(lower, VM_OP_ior_64, low, with(lower, VM_OP_shl_64, high, 32));
}

bool lower_sub_group_mask(struct lower *lower, uint32_t builtin, uint32_t words[4])
{
    uint32_t bits;
    switch (builtin) {
    case SpvBuiltInSubgroupEqMask:
        bits = own_bit(lower);
        break;
    case SpvBuiltInSubgroupGeMask:
        bits = bits_without(lower, bits_below(lower));
        break;
    case SpvBuiltInSubgroupGtMask:
        bits = bits_without(lower, bits_to_own(lower));
        break;
    case SpvBuiltInSubgroupLeMask:
        bits = bits_to_own(lower);
        break;
    case SpvBuiltInSubgroupLtMask:
        bits = bits_below(lower);
        break;
    default:
        return false;
    }
    split_bits(lower, bits, words);
    return true;
}

/* ---- the ops ---- */

uint32_t lower_sub_group_vote(struct lower *lower, uint32_t predicate, bool all)
{
    const uint32_t result = ir_emit(lower, VM_OP_sub_group_vote, 0, 1, &predicate, 1);
    ir_last(lower)->aux = all;
    return result;
}

static uint32_t ballot(struct lower *lower, uint32_t predicate)
{
    return ir_emit(lower, VM_OP_sub_group_ballot, 8, 1, &predicate, 1);
}

/* The lowest work-item that takes part. */
static uint32_t first_id(struct lower *lower)
{
    return ir_op1(lower, VM_OP_ctz_64, ballot(lower, ir_constant(lower, 0, 1)));
}

static uint32_t is_first(struct lower *lower, uint32_t first)
{
    return ir_op2(lower, VM_OP_ieq_64, lower_sub_group_id(lower), first);
}

uint32_t lower_sub_group_shuffle(struct lower *lower, uint32_t value, uint32_t id)
{
    const bool boolean = lower->values[value].width == 0;
    const uint32_t operands[] = {boolean ? ir_as_byte(lower, value) : value, id};
    const uint32_t width = boolean ? 1 : lower->values[value].width;
    const uint32_t result = ir_emit(lower, VM_OP_sub_group_shuffle, width, 1, operands, 2);
    return boolean ? ir_as_boolean(lower, result) : result;
}

/* The value, undefined where the condition is not true: as if a work-item gave it that is not
 * there.
 */
static uint32_t defined_if(struct lower *lower, uint32_t condition, uint32_t value)
{
    const uint32_t own = lower_sub_group_id(lower);
    const uint32_t nobody = ir_constant(lower, 8, UINT64_MAX);
    return lower_sub_group_shuffle(lower, value, ir_select(lower, condition, own, nobody));
}

/* Whoever is there must give the same. */
static uint32_t agreed(struct lower *lower, uint32_t value)
{
    if (lower->values[value].kind != IR_CONSTANT)
        ir_emit(lower, VM_OP_sub_group_same, 0, 0, &value, 1);
    return value;
}

/* ---- instructions ---- */

/* The operand as a number of 64 bits. */
static uint32_t number_operand(struct lower *lower, uint32_t operand, bool is_signed)
{
    return ir_resize(lower, lower_scalar(lower, operand), 8, is_signed);
}

static uint32_t predicate_operand(struct lower *lower)
{
    const uint32_t predicate = lower_scalar(lower, 1);
    if (!lower_failed(lower) && lower->values[predicate].width != 0)
        lower_malformed(lower, "with an operand that is not a boolean");
    return predicate;
}

/* SPIR-V 1.6, OpGroupNonUniformAllEqual: floating-point values as OpFOrdEqual compares them. */
static uint32_t all_equal(struct lower *lower)
{
    const struct ir_ref value = lower_operand(lower, 1);
    const uint32_t first = first_id(lower);
    uint32_t equal = ir_constant(lower, 0, 1);
    for (uint32_t c = 0; c < value.count && !lower_failed(lower); c++) {
        const uint32_t own = value.values[c];
        const uint32_t other = lower_sub_group_shuffle(lower, own, first);
        const uint32_t width = lower->values[own].width;
        uint32_t same;
        if (width == 0)
            same = ir_mask1(lower, VM_OP_mask_not, ir_mask2(lower, VM_OP_mask_xor, own, other));
        else if (lower_scalar_type(value.type)->kind == SPV_TYPE_FLOAT)
            same = ir_op2(lower, IR_BY_FLOAT(foeq, width), own, other);
        else
            same = ir_op2(lower, IR_BY_WIDTH(ieq, width), own, other);
        equal = ir_mask2(lower, VM_OP_mask_and, equal, same);
    }
    return lower_sub_group_vote(lower, equal, true);
}

static uint32_t count_bits(struct lower *lower)
{
    const uint32_t operation = lower_word(lower, 1);
    const uint32_t bits = join_bits(lower, 2);
    const uint32_t counted = operation == SpvGroupOperationInclusiveScan   ? bits_to_own(lower)
                             : operation == SpvGroupOperationExclusiveScan ? bits_below(lower)
                                                                           : all_bits(lower);
    const uint32_t left = ir_op2(lower, VM_OP_iand_64, bits, counted);
    return ir_resize(lower, ir_op1(lower, VM_OP_popcount_64, left), 4, false);
}

static uint32_t find_bit(struct lower *lower)
{
    const uint32_t given = join_bits(lower, 1);
    const uint32_t bits = ir_op2(lower, VM_OP_iand_64, given, all_bits(lower));
    const uint32_t found = lower->at->op == SpvOpGroupNonUniformBallotFindLSB
                               ? ir_op1(lower, VM_OP_ctz_64, bits)
                               : with(lower, VM_OP_ixor_64, ir_op1(lower, VM_OP_clz_64, bits), 63);
    const uint32_t any = with(lower, VM_OP_ine_64, bits, 0);
    return defined_if(lower, any, ir_resize(lower, found, 4, false));
}

static uint32_t bit_at(struct lower *lower, uint32_t bits, uint32_t id)
{
    const uint32_t shifted = ir_op2(lower, VM_OP_lshr_64, bits, id);
    return with(lower, VM_OP_ine_64, with(lower, VM_OP_iand_64, shifted, 1), 0);
}

static uint32_t own_bit_of(struct lower *lower, uint32_t bits)
{
    return bit_at(lower, bits, lower_sub_group_id(lower));
}

static uint32_t extract_bit(struct lower *lower)
{
    const uint32_t id = number_operand(lower, 2, false);
    const uint32_t size = ir_leaf(lower, IR_QUERY, 8, VM_QUERY_SUB_GROUP_SIZE, 0);
    const uint32_t bit = bit_at(lower, join_bits(lower, 1), id);
    return defined_if(lower, ir_op2(lower, VM_OP_ult_64, id, size), bit);
}

bool lower_cluster_size(struct lower *lower, uint32_t operand, uint32_t *size)
{
    *size = VM_LANES;
    if (operand >= lower->at->operand_count)
        return true;
    const uint32_t value = lower_scalar(lower, operand);
    if (lower->values[value].kind != IR_CONSTANT) {
        lower_fail(lower, STATUS_UNSUPPORTED, "a cluster whose size is not a constant");
        return false;
    }
    const uint64_t given = lower->values[value].bits;
    if (given == 0 || (given & (given - 1)) != 0) {
        lower_fail(lower, STATUS_UNSUPPORTED, "a cluster of %llu work-items, no power of two",
                   (unsigned long long)given);
        return false;
    }
    *size = given < VM_LANES ? (uint32_t)given : VM_LANES;
    /* Sub-groups of one work-item are the smallest that there are. */
    if (given > 1) {
        ir_emit(lower, VM_OP_sub_group_cluster, 0, 0, NULL, 0);
        ir_last(lower)->aux = given < UINT32_MAX ? (uint32_t)given : UINT32_MAX;
    }
    return !lower_failed(lower);
}

/* OpenCL C 3.0, sub_group_rotate: by `delta` work-items within the sub-group, or a cluster of it.
 */
static uint32_t rotated_id(struct lower *lower)
{
    uint32_t cluster;
    const uint32_t delta = agreed(lower, number_operand(lower, 2, true));
    const uint32_t own = lower_sub_group_id(lower);
    const uint32_t moved = ir_op2(lower, VM_OP_iadd_64, own, delta);
    if (!lower_cluster_size(lower, 3, &cluster))
        return 0;
    if (lower->at->operand_count <= 3)
        return ir_op2(lower, VM_OP_smod_64, moved, lower_sub_group_max_size(lower));
    const uint32_t start = with(lower, VM_OP_iand_64, own, ~(uint64_t)(cluster - 1));
    return ir_op2(lower, VM_OP_ior_64, start, with(lower, VM_OP_iand_64, moved, cluster - 1));
}

/* Whose value a work-item gets; 0: the instruction moves none. */
static uint32_t source_id(struct lower *lower)
{
    const uint32_t op = lower->at->op;
    switch (op) {
    case SpvOpGroupNonUniformBroadcast:
        return agreed(lower, number_operand(lower, 2, false));
    case SpvOpGroupNonUniformShuffle:
        return number_operand(lower, 2, false);
    case SpvOpGroupNonUniformBroadcastFirst:
        return first_id(lower);
    case SpvOpGroupNonUniformShuffleXor:
    case SpvOpGroupNonUniformShuffleUp:
    case SpvOpGroupNonUniformShuffleDown: {
        const uint32_t change = number_operand(lower, 2, false);
        return ir_op2(lower,
                      op == SpvOpGroupNonUniformShuffleXor  ? VM_OP_ixor_64
                      : op == SpvOpGroupNonUniformShuffleUp ? VM_OP_isub_64
                                                            : VM_OP_iadd_64,
                      lower_sub_group_id(lower), change);
    }
    case SpvOpGroupNonUniformRotateKHR:
        return rotated_id(lower);
    default:
        return 0;
    }
}

void lower_sub_group_move(struct lower *lower, struct ir_ref value, uint32_t id)
{
    uint32_t results[16];
    if (!lower_failed(lower) && value.count > 16)
        lower_malformed(lower, "of more than a vector");
    for (uint32_t c = 0; c < value.count && !lower_failed(lower); c++)
        results[c] = lower_sub_group_shuffle(lower, value.values[c], id);
    lower_set_result(lower, results, value.count);
}

/* The scalar result; 0: the instruction is none of these. */
static uint32_t scalar_result(struct lower *lower)
{
    switch (lower->at->op) {
    case SpvOpGroupNonUniformElect:
        return is_first(lower, first_id(lower));
    case SpvOpGroupNonUniformAll:
        return lower_sub_group_vote(lower, predicate_operand(lower), true);
    case SpvOpGroupNonUniformAny:
        return lower_sub_group_vote(lower, predicate_operand(lower), false);
    case SpvOpGroupNonUniformAllEqual:
        return all_equal(lower);
    case SpvOpGroupNonUniformInverseBallot:
        return own_bit_of(lower, agreed(lower, join_bits(lower, 1)));
    case SpvOpGroupNonUniformBallotBitExtract:
        return extract_bit(lower);
    case SpvOpGroupNonUniformBallotBitCount:
        return count_bits(lower);
    case SpvOpGroupNonUniformBallotFindLSB:
    case SpvOpGroupNonUniformBallotFindMSB:
        return find_bit(lower);
    default:
        return 0;
    }
}

static bool is_ours(uint32_t op)
{
    return (op >= SpvOpGroupNonUniformElect && op <= SpvOpGroupNonUniformShuffleDown) ||
           op == SpvOpGroupNonUniformRotateKHR;
}

bool lower_translate_sub_group(struct lower *lower)
{
    enum observer_scope scope;
    if (!is_ours(lower->at->op))
        return false;
    if (!lower_group_scope(lower, &scope))
        return true;
    if (scope != OBSERVER_SCOPE_SUB_GROUP) {
        lower_refuse(lower, "a non-uniform function beyond the sub-group");
        return true;
    }
    if (lower->at->op == SpvOpGroupNonUniformBallot) {
        uint32_t words[4];
        split_bits(lower, ballot(lower, predicate_operand(lower)), words);
        lower_set_result(lower, words, 4);
        return true;
    }
    const uint32_t id = source_id(lower);
    if (id != 0) {
        lower_sub_group_move(lower, lower_operand(lower, 1), id);
        return true;
    }
    const uint32_t result = lower_failed(lower) ? 0 : scalar_result(lower);
    lower_set_result(lower, &result, 1);
    return true;
}
