/* What the program says must hold. clerk_assert and clerk_assume (reference/compiler/clerk.h): a
 * branch leads to the call of a function that does not return. OpAssumeTrueKHR becomes such a
 * branch. If what the branch goes by is a comparison, both its sides are told. */
#include "reference/lower/lower_private.h"

#include <string.h>

/* What an instruction compares: its sign, and what its sides are; of equality of integers nobody
 * says whether they have signs. */
static const struct comparison {
    uint16_t op;
    char sign[3];
    uint8_t number; /* VM_ASSERTION_SIGNED, _FLOATING or 0 */
} comparisons[] = {
    {SpvOpIEqual, "==", VM_ASSERTION_SIGNED},
    {SpvOpINotEqual, "!=", VM_ASSERTION_SIGNED},
    {SpvOpULessThan, "<", 0},
    {SpvOpULessThanEqual, "<=", 0},
    {SpvOpUGreaterThan, ">", 0},
    {SpvOpUGreaterThanEqual, ">=", 0},
    {SpvOpSLessThan, "<", VM_ASSERTION_SIGNED},
    {SpvOpSLessThanEqual, "<=", VM_ASSERTION_SIGNED},
    {SpvOpSGreaterThan, ">", VM_ASSERTION_SIGNED},
    {SpvOpSGreaterThanEqual, ">=", VM_ASSERTION_SIGNED},
    {SpvOpFOrdEqual, "==", VM_ASSERTION_FLOATING},
    {SpvOpFUnordNotEqual, "!=", VM_ASSERTION_FLOATING},
    {SpvOpFOrdLessThan, "<", VM_ASSERTION_FLOATING},
    {SpvOpFOrdLessThanEqual, "<=", VM_ASSERTION_FLOATING},
    {SpvOpFOrdGreaterThan, ">", VM_ASSERTION_FLOATING},
    {SpvOpFOrdGreaterThanEqual, ">=", VM_ASSERTION_FLOATING},
};

/* Its place in VM_COMPARISONS. */
static uint32_t index_of_sign(const char *sign)
{
    static const char *const signs[] = {VM_COMPARISONS};
    uint32_t i = 0;
    while (strcmp(signs[i], sign) != 0)
        i++;
    return i;
}

static const struct spv_block *block_of(const struct spv_function *function,
                                        const struct spv_instruction *at)
{
    for (uint32_t b = 0; b < function->block_count; b++) {
        const struct spv_block *block = &function->blocks[b];
        if (at >= block->instructions && at < block->instructions + block->count)
            return block;
    }
    return NULL;
}

static const struct spv_instruction *end_of(const struct spv_block *block)
{
    return &block->instructions[block->count - 1];
}

/* The one conditional branch that leads to the block if it fails; NULL: it is not the one way
 * there.
 */
static const struct spv_instruction *branch_to(const struct spv_function *function, uint32_t label)
{
    const struct spv_instruction *found = NULL;
    for (uint32_t b = 0; b < function->block_count; b++) {
        const struct spv_instruction *end = end_of(&function->blocks[b]);
        for (uint32_t o = end->op == SpvOpBranchConditional; o < end->operand_count && o < 3; o++) {
            if (end->operands[o] != label)
                continue;
            if (found || end->op != SpvOpBranchConditional || o != 2)
                return NULL;
            found = end;
        }
    }
    return found;
}

static const struct spv_instruction *definition_of(const struct spv_function *function, uint32_t id)
{
    for (uint32_t b = 0; b < function->block_count; b++) {
        const struct spv_block *block = &function->blocks[b];
        for (uint32_t i = 0; i < block->count; i++) {
            if (block->instructions[i].result == id)
                return &block->instructions[i];
        }
    }
    return NULL;
}

/* The id of what leads to the call under way; 0 = nothing alone does. */
static uint32_t condition_of_call(const struct lower *lower)
{
    const struct spv_function *function = lower_function(lower);
    const struct spv_block *block = block_of(function, lower->at);
    const struct spv_instruction *branch = block ? branch_to(function, block->label) : NULL;
    return branch ? branch->operands[0] : 0;
}

/* NULL = the id is no comparison's. */
static const struct spv_instruction *find_comparison(const struct lower *lower, uint32_t id,
                                                     const struct comparison **comparison)
{
    const struct spv_instruction *condition =
        id != 0 ? definition_of(lower_function(lower), id) : NULL;
    for (size_t i = 0; condition && i < sizeof comparisons / sizeof *comparisons; i++) {
        if (comparisons[i].op == condition->op) {
            *comparison = &comparisons[i];
            return condition;
        }
    }
    return NULL;
}

/* A side as 64 bits: an integer with its sign, or a double. 0 = it is no such number. */
static uint32_t side_of(struct lower *lower, uint32_t id, uint32_t number)
{
    const struct ir_ref ref = lower_ref(lower, id);
    if (lower_failed(lower) || ref.count != 1 || !spv_type_is_scalar(ref.type))
        return 0;
    const uint32_t width = lower_type_width(ref.type);
    if (number != VM_ASSERTION_FLOATING)
        return ref.type->kind == SPV_TYPE_INT
                   ? ir_resize(lower, ref.values[0], 8, number == VM_ASSERTION_SIGNED)
                   : 0;
    return width == 8
               ? ref.values[0]
               : ir_op1(lower, width == 4 ? VM_OP_conv_f64_f32 : VM_OP_conv_f64_f16, ref.values[0]);
}

/* Where the condition of that id does not hold; `kind`: VM_ASSERTION_ASSUMED, _PROMISED or 0. */
static void emit_assertion(struct lower *lower, uint32_t id, uint32_t kind)
{
    const struct comparison *comparison = NULL;
    const struct spv_instruction *compared = find_comparison(lower, id, &comparison);
    uint32_t sides[2] = {0, 0};
    for (uint32_t i = 0; compared && i < 2; i++)
        sides[i] = side_of(lower, compared->operands[i], comparison->number);
    const bool has_sides = sides[0] != 0 && sides[1] != 0;
    if (!has_sides)
        sides[0] = sides[1] = ir_constant(lower, 8, 0);
    ir_emit(lower, VM_OP_assertion, 0, 0, sides, 2);
    ir_last(lower)->aux =
        kind | (has_sides ? comparison->number |
                                index_of_sign(comparison->sign) * (uint32_t)VM_ASSERTION_COMPARISON
                          : 0);
}

bool lower_translate_assertion(struct lower *lower, const char *name)
{
    const bool is_assumption = strcmp(name, "__clerk_assume_failed") == 0;
    if (!is_assumption && strcmp(name, "__clerk_assert_failed") != 0)
        return false;
    emit_assertion(lower, condition_of_call(lower), is_assumption ? VM_ASSERTION_ASSUMED : 0);
    return true;
}

void lower_translate_assumption(struct lower *lower)
{
    const uint32_t condition = lower_scalar(lower, 0);
    if (lower->values[condition].width != 0) {
        lower_malformed(lower, "with a condition that is not a boolean");
        return;
    }
    const uint32_t holds = ir_block_add(lower);
    const uint32_t fails = ir_block_add(lower);
    ir_exit_if(lower, condition, holds, fails);
    lower->block = fails;
    emit_assertion(lower, lower_word(lower, 0), VM_ASSERTION_PROMISED);
    ir_exit_unreachable(lower);
    lower->block = holds;
}
