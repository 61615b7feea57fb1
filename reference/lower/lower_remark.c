/* What is another thing on another device, told where it is executed: bit-casts that change the
 * number of elements, pointers that lead to elements of another size, sub-groups of an unknown
 * size. (OpenCL API 3.0, appendix Portability.) Denormal numbers are lower_unlike's business. */
#include "reference/lower/lower_private.h"

void lower_remark(struct lower *lower, enum observer_remark kind, uint32_t lanes)
{
    if (!lower->options.remarks || lower_failed(lower))
        return;
    const uint32_t mask = lanes != 0 ? lanes : ir_constant(lower, 0, 1);
    ir_emit(lower, VM_OP_remark, 0, 0, &mask, 1);
    ir_last(lower)->aux = kind;
}

/* ---- the instructions of the function under way ---- */

/* The first for which `is` holds. */
typedef bool instruction_test(const struct lower *lower, const struct spv_instruction *instruction,
                              uint32_t id);

static const struct spv_instruction *find(const struct lower *lower, instruction_test *is,
                                          uint32_t id)
{
    const struct spv_function *function = lower_function(lower);
    for (uint32_t b = 0; b < function->block_count; b++) {
        const struct spv_block *block = &function->blocks[b];
        for (uint32_t i = 0; i < block->count; i++) {
            if (is(lower, &block->instructions[i], id))
                return &block->instructions[i];
        }
    }
    return NULL;
}

static bool any(const struct lower *lower, instruction_test *is, uint32_t id)
{
    return find(lower, is, id) != NULL;
}

static bool has_operand(const struct spv_instruction *at, uint32_t first, uint32_t end, uint32_t id)
{
    for (uint32_t o = first; o < end && o < at->operand_count; o++) {
        if (at->operands[o] == id)
            return true;
    }
    return false;
}

static bool moves_elements(uint32_t op)
{
    return op == SpvOpVectorShuffle || op == SpvOpCompositeInsert || op == SpvOpCompositeConstruct;
}

static bool makes_by_moving(const struct lower *lower, const struct spv_instruction *at,
                            uint32_t id)
{
    (void)lower;
    return at->result == id && moves_elements(at->op);
}

static bool stores_moved(const struct lower *lower, const struct spv_instruction *at, uint32_t id)
{
    return at->op == SpvOpStore && at->operand_count >= 2 && at->operands[0] == id &&
           any(lower, makes_by_moving, at->operands[1]);
}

static bool loads_moved(const struct lower *lower, const struct spv_instruction *at, uint32_t id)
{
    return at->op == SpvOpLoad && at->result == id && at->operand_count >= 1 &&
           any(lower, stores_moved, at->operands[0]);
}

static bool moves(const struct lower *lower, const struct spv_instruction *at, uint32_t id)
{
    (void)lower;
    return at->op == SpvOpVectorShuffle && has_operand(at, 0, 2, id);
}

static bool is_atomic(uint32_t op)
{
    return (op >= SpvOpAtomicLoad && op <= SpvOpAtomicXor) || op == SpvOpAtomicFAddEXT ||
           op == SpvOpAtomicFMinEXT || op == SpvOpAtomicFMaxEXT;
}

static bool is_walk(const struct spv_instruction *at)
{
    return at->op == SpvOpAccessChain || at->op == SpvOpInBoundsAccessChain ||
           at->op == SpvOpPtrAccessChain || at->op == SpvOpInBoundsPtrAccessChain;
}

/* To copy bytes, or to say how long a variable lives, is to take them for nothing; so is what clang
 * does to give a built-in function a pointer to anything, a generic one, and to walk without an
 * access after it. */
static bool accesses(const struct lower *lower, const struct spv_instruction *at, uint32_t id)
{
    if (is_walk(at))
        return has_operand(at, 0, 1, id) && any(lower, accesses, at->result);
    if (is_atomic(at->op) || at->op == SpvOpLoad || at->op == SpvOpStore)
        return has_operand(at, 0, 1, id);
    return at->op == SpvOpExtInst && has_operand(at, 3, 5, id); /* vloadn(offset, p), vstoren */
}

/* Is the pointer, read from the variable `id`, accessed as it is? */
static bool reads_to_access(const struct lower *lower, const struct spv_instruction *at,
                            uint32_t id)
{
    return at->op == SpvOpLoad && has_operand(at, 0, 1, id) && any(lower, accesses, at->result);
}

static bool is_variable(const struct lower *lower, const struct spv_instruction *at, uint32_t id)
{
    (void)lower;
    return at->op == SpvOpVariable && at->result == id;
}

/* The pointer, or one after it, is accessed, or goes where it may be. */
static bool follows(const struct lower *lower, const struct spv_instruction *at, uint32_t id)
{
    if (is_walk(at))
        return has_operand(at, 0, 1, id) && any(lower, follows, at->result);
    switch (at->op) {
    case SpvOpStore:
        /* Where pointers have no types, as in LLVM from 17 on, a variable's is that of what is
         * stored in it first. */
        if (!has_operand(at, 0, 1, id) && any(lower, is_variable, at->operands[0]))
            return has_operand(at, 1, 2, id) && any(lower, reads_to_access, at->operands[0]);
        return has_operand(at, 0, 2, id);
    case SpvOpPhi:
    case SpvOpSelect:
    case SpvOpReturnValue:
        return has_operand(at, 0, at->operand_count, id);
    case SpvOpFunctionCall:
        return has_operand(at, 1, at->operand_count, id);
    default:
        return accesses(lower, at, id);
    }
}

/* ---- casts ---- */

/* The size of the first number in a value of the type. Depth is bounded by SPV_DEPTH_MAX. */
static uint64_t first_size(const struct spv_type *type)
{
    switch (type->kind) {
    case SPV_TYPE_VECTOR:
    case SPV_TYPE_ARRAY:
        return first_size(type->element);
    case SPV_TYPE_STRUCT:
        return type->member_count > 0 ? first_size(type->members[0]) : 0;
    default:
        return type->size;
    }
}

static bool casts_or_walks(const struct lower *lower, const struct spv_instruction *at, uint32_t id)
{
    (void)lower;
    return at->result == id && (at->op == SpvOpBitcast || is_walk(at));
}

static bool stores_into(const struct lower *lower, const struct spv_instruction *at, uint32_t id)
{
    (void)lower;
    return at->op == SpvOpStore && has_operand(at, 0, 1, id);
}

static bool loads(const struct lower *lower, const struct spv_instruction *at, uint32_t id)
{
    (void)lower;
    return at->op == SpvOpLoad && at->result == id;
}

/* The pointer that `id` is, if it is read from a variable of the function: what is stored there
 * first. */
static uint32_t behind_variable(const struct lower *lower, uint32_t id)
{
    const struct spv_instruction *load = find(lower, loads, id);
    if (!load || !any(lower, is_variable, load->operands[0]))
        return id;
    const struct spv_instruction *store = find(lower, stores_into, load->operands[0]);
    return store && store->operand_count > 1 ? store->operands[1] : id;
}

static bool leads_to_bytes(const struct spv_type *pointer)
{
    return pointer->kind == SPV_TYPE_POINTER && pointer->element &&
           pointer->element->kind == SPV_TYPE_INT && pointer->element->size == 1;
}

/* What the pointer `id`, which has this type, led to before it was cast for the first time: who
 * casts it back takes nothing for another thing, also after so many bytes, as in
 * `(float *)((char *)p + offset)`. clang casts so to fill an array with zeros. */
static const struct spv_type *first_type(struct lower *lower, uint32_t id,
                                         const struct spv_type *type)
{
    for (const struct spv_instruction *at;
         (at = find(lower, casts_or_walks, behind_variable(lower, id))) != NULL;) {
        id = at->operands[0];
        const struct ir_ref before = lower_ref(lower, id);
        if (lower_failed(lower) || (is_walk(at) && !leads_to_bytes(before.type)))
            break;
        type = before.type;
    }
    return type;
}

static bool is_pun(const struct lower *lower, const struct spv_type *from,
                   const struct spv_type *to)
{
    if (from->element == NULL || to->element == NULL)
        return false;
    /* Bytes are what pointers that say nothing are taken for. */
    const bool untyped = lower->module->untyped_pointers;
    if (untyped && leads_to_bytes(from))
        return false;
    const uint64_t from_size = first_size(from->element);
    const uint64_t to_size = first_size(to->element);
    /* void * to what it leads to, as at the start of each block; of local memory, as its local
     * arguments are, it is mere room. */
    if (leads_to_bytes(from) &&
        (to->element->kind == SPV_TYPE_STRUCT || from->storage == SpvStorageClassWorkgroup))
        return false;
    /* And to void *, as where a block is called. */
    const bool as_void = leads_to_bytes(to) && (untyped || from->element->kind == SPV_TYPE_STRUCT);
    return from_size != 0 && to_size != 0 && from_size != to_size &&
           any(lower, as_void ? accesses : follows, lower->at->result);
}

void lower_remark_cast(struct lower *lower, const struct spv_type *from, const struct spv_type *to)
{
    if (!lower->options.remarks || lower_failed(lower))
        return;
    if (from->kind == SPV_TYPE_POINTER || to->kind == SPV_TYPE_POINTER) {
        if (from->kind == to->kind && is_pun(lower, from, to) &&
            is_pun(lower, first_type(lower, lower->at->operands[0], from), to))
            lower_remark(lower, OBSERVER_REMARK_PUN, 0);
        return;
    }
    if (from->components == to->components)
        return;
    const uint32_t operand = lower->at->operands[0];
    const bool moved = any(lower, makes_by_moving, operand) || any(lower, loads_moved, operand) ||
                       any(lower, moves, lower->at->result);
    lower_remark(lower, moved ? OBSERVER_REMARK_SWIZZLE : OBSERVER_REMARK_CAST, 0);
}

/* ---- asynchronous copies ---- */

/* The first number that a pointer leads to before it is cast for the copy; 0 = unknown. One that is
 * cast before it moves along its elements is a pun there. */
static uint64_t origin_size(struct lower *lower, uint32_t id)
{
    const struct ir_ref given = lower_ref(lower, id);
    const struct spv_type *type = first_type(lower, id, given.type);
    return type->kind == SPV_TYPE_POINTER && type->element ? first_size(type->element) : 0;
}

/* Bytes, or void, that are taken for larger elements are mere room for them. */
void lower_remark_copy(struct lower *lower, uint32_t to, uint32_t from, uint64_t size)
{
    if (!lower->options.remarks || lower_failed(lower))
        return;
    const uint64_t to_size = origin_size(lower, to);
    const uint64_t from_size = origin_size(lower, from);
    const uint64_t least = to_size < from_size ? to_size : from_size;
    if (to_size != from_size && least != 0 && (least > 1 || size == 1))
        lower_remark(lower, OBSERVER_REMARK_PUN, 0);
}
