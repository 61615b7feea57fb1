/* Pointers, loads and stores, copies. */
#include "reference/lower/lower_instance.h"

#include <string.h>

/* ---- variables ---- */

/* clang calls the copy of a parameter "n.addr". */
static const char *variable_name(struct lower *lower, uint32_t id)
{
    const char *name = lower->module->ids[id].name;
    const size_t size = strlen(name);
    if (size <= 5 || strcmp(name + size - 5, ".addr") != 0)
        return name;
    return lower_code_string(lower, name, size - 5);
}

/* The address of a new variable, by the id of the variable or parameter that it stands for. */
static uint32_t new_private(struct lower *lower, uint32_t id, const struct spv_type *type)
{
    /* An event: what is done with it is refused, with its line, which a variable has
     * not. */
    const bool opaque = type->alignment == 0;
    uint64_t alignment = opaque ? 8 : type->alignment;
    const struct spv_decoration *decoration =
        spv_decoration_find(lower->module, id, SpvDecorationAlignment);
    if (decoration != NULL && decoration->operand_count == 1 &&
        decoration->operands[0] > alignment && decoration->operands[0] <= 4096 &&
        (decoration->operands[0] & (decoration->operands[0] - 1)) == 0)
        alignment = decoration->operands[0];
    const uint32_t variable =
        lower_new_variable(lower, VM_VARIABLE_PRIVATE, variable_name(lower, id),
                           opaque ? 8 : type->size, alignment, -1);
    const uint32_t address = ir_address(lower, IR_VARIABLE, variable, 0);
    if (!lower_failed(lower) && (type->kind == SPV_TYPE_VECTOR || type->kind == SPV_TYPE_ARRAY) &&
        (type->element->kind == SPV_TYPE_INT || type->element->kind == SPV_TYPE_FLOAT))
        lower->variables[variable].element_size = type->element->size;
    lower_life_begin(lower, address); /* undefined each time its function starts */
    return address;
}

static void translate_variable(struct lower *lower)
{
    const struct spv_type *pointer = lower_result_type(lower);
    if (pointer->kind != SPV_TYPE_POINTER || pointer->storage != SpvStorageClassFunction ||
        pointer->element == NULL) {
        lower_fail(lower, STATUS_MALFORMED, "a variable of a function that is not in its storage");
        return;
    }
    const struct spv_type *type = pointer->element;
    const uint32_t address = new_private(lower, lower->at->result, type);
    lower_set_result(lower, &address, 1);
    if (type->op == SpvOpTypePipe && !lower_failed(lower))
        lower->variables[lower->values[address].index].is_pipe = true;
    lower_name_variable(lower, lower->at->result, lower->instance->caller_place, address);
    if (lower->at->operand_count < 2 || lower_failed(lower))
        return;
    const struct ir_ref value = lower_operand(lower, 1);
    if (value.type != type) {
        lower_fail(lower, STATUS_MALFORMED, "the initialiser of a variable has another type");
        return;
    }
    lower_store(lower, address, pointer, type, value.values);
}

/* ---- loads and stores ---- */

static uint32_t log2_of(uint64_t alignment)
{
    return (uint32_t)__builtin_ctzll(alignment);
}

/* What is known of the alignment of a part at `offset`. */
static uint32_t part_alignment(uint64_t alignment, uint64_t offset)
{
    if (alignment == 0)
        return 0;
    const uint64_t known = offset == 0 ? alignment : (offset & (0 - offset));
    const uint32_t log = log2_of(known < alignment ? known : alignment);
    return log > 20 ? 20 : log;
}

static bool is_packed(const struct lower *lower, const struct ir_leaf *leaf)
{
    return leaf->pointer && lower->module->narrow;
}

/* A boolean takes a byte in memory, a pointer of 32 bits four. */
static uint32_t memory_width(const struct lower *lower, const struct ir_leaf *leaf)
{
    return leaf->boolean ? 1 : is_packed(lower, leaf) ? 4 : leaf->width;
}

/* A component as it is in memory, and as it is in rows. */
static uint32_t to_memory(struct lower *lower, const struct ir_leaf *leaf, uint32_t value)
{
    if (leaf->boolean)
        return ir_as_byte(lower, value);
    return is_packed(lower, leaf) ? lower_pack(lower, value) : value;
}

static uint32_t from_memory(struct lower *lower, const struct ir_leaf *leaf, uint32_t value)
{
    if (leaf->boolean)
        return ir_as_boolean(lower, value);
    return is_packed(lower, leaf) ? lower_unpack(lower, value) : value;
}

uint32_t lower_pack(struct lower *lower, uint32_t pointer)
{
    return ir_emit(lower, VM_OP_pack_pointer, 4, 1, &pointer, 1);
}

uint32_t lower_unpack(struct lower *lower, uint32_t address)
{
    return ir_emit(lower, VM_OP_unpack_pointer, 8, 1, &address, 1);
}

/* Only private memory differs from lane to lane under one address; the generic space may mean it.
 */
static bool maybe_private(const struct spv_type *pointer)
{
    return pointer->storage == SpvStorageClassFunction ||
           pointer->storage == SpvStorageClassGeneric;
}

static uint32_t constant_bit(const struct spv_type *pointer)
{
    return pointer->storage == SpvStorageClassUniformConstant ? VM_ACCESS_CONSTANT : 0;
}

/* What loads and stores say besides their address. */
struct manner {
    const struct spv_type *pointer;
    uint64_t alignment; /* of the whole value */
    bool is_volatile;
};

/* Volatile memory is another work-item's, too, unless it is certainly private. */
static void note_volatile(struct lower *lower, bool is_volatile, const struct spv_type *pointer)
{
    lower->code->communicates |= is_volatile && pointer->storage != SpvStorageClassFunction;
}

/* `count` components of the leaf, from `first` on. */
static void finish_access(struct lower *lower, const struct ir_leaf *leaf,
                          const struct manner *manner, uint32_t first, uint32_t count)
{
    const uint32_t width = memory_width(lower, leaf);
    struct ir_instruction *instruction = ir_last(lower);
    instruction->width = (uint8_t)width;
    instruction->count = (uint8_t)count;
    instruction->maybe_private = maybe_private(manner->pointer);
    note_volatile(lower, manner->is_volatile, manner->pointer);
    instruction->aux = part_alignment(manner->alignment, leaf->offset) |
                       (manner->is_volatile ? VM_ACCESS_VOLATILE : 0) |
                       (leaf->floating && count == 1 ? VM_ACCESS_FLOATING : 0) |
                       constant_bit(manner->pointer) | first * width << VM_ACCESS_PART_SHIFT;
}

/* From the first component of the mask on, as many as follow each other; 0 = none is left. */
static uint32_t take_run(uint32_t *mask, uint32_t *first)
{
    if (*mask == 0)
        return 0;
    *first = (uint32_t)__builtin_ctz(*mask);
    const uint32_t count = (uint32_t)__builtin_ctz(~(*mask >> *first));
    *mask &= ~(((1u << count) - 1) << *first);
    return count;
}

static void load_leaf(struct lower *lower, uint32_t address, const struct ir_leaf *leaf,
                      const struct manner *manner, uint32_t components, uint32_t *values)
{
    const uint32_t width = memory_width(lower, leaf);
    uint32_t first;
    for (uint32_t c = 0; c < leaf->count; c++)
        values[c] = components >> c & 1 ? 0 : ir_nobodys(lower, leaf->width);
    components &= (1u << leaf->count) - 1;
    for (uint32_t count; (count = take_run(&components, &first)) > 0 && !lower_failed(lower);) {
        const uint32_t at = ir_offset(lower, address, leaf->offset + first * width);
        const uint32_t result = ir_emit(lower, VM_OP_load, width, count, &at, 1);
        finish_access(lower, leaf, manner, first, count);
        for (uint32_t c = 0; c < count && !lower_failed(lower); c++)
            values[first + c] = from_memory(lower, leaf, result + c);
    }
}

static void store_leaf(struct lower *lower, uint32_t address, const struct ir_leaf *leaf,
                       const struct manner *manner, uint32_t components, const uint32_t *values)
{
    const uint32_t width = memory_width(lower, leaf);
    uint32_t first;
    components &= (1u << leaf->count) - 1;
    for (uint32_t count; (count = take_run(&components, &first)) > 0 && !lower_failed(lower);) {
        uint32_t operands[17];
        operands[0] = ir_offset(lower, address, leaf->offset + first * width);
        for (uint32_t c = 0; c < count; c++) {
            const uint32_t value = to_memory(lower, leaf, values[first + c]);
            if (!lower_failed(lower) && lower->values[value].width != width)
                lower_fail(lower, STATUS_MALFORMED, "a value of another type is stored");
            operands[1 + c] = value;
        }
        ir_emit(lower, VM_OP_store, 0, 0, operands, 1u + count);
        finish_access(lower, leaf, manner, first, count);
    }
}

/* A type of several leaves has no components to choose from: all of them. */
static void load_parts(struct lower *lower, uint32_t address, const struct spv_type *type,
                       const struct manner *manner, uint32_t components, uint32_t *values)
{
    struct ir_leaves leaves;
    uint32_t made = 0;
    if (lower_failed(lower) || !lower_leaves(lower, type, &leaves))
        return;
    for (uint32_t i = 0; i < leaves.count && !lower_failed(lower); i++) {
        load_leaf(lower, address, &leaves.leaves[i], manner, components, values + made);
        made += leaves.leaves[i].count;
    }
}

static void store_parts(struct lower *lower, uint32_t address, const struct spv_type *type,
                        const struct manner *manner, uint32_t components, const uint32_t *values)
{
    struct ir_leaves leaves;
    uint32_t taken = 0;
    if (lower_failed(lower) || !lower_leaves(lower, type, &leaves))
        return;
    for (uint32_t i = 0; i < leaves.count && !lower_failed(lower); i++) {
        store_leaf(lower, address, &leaves.leaves[i], manner, components, values + taken);
        taken += leaves.leaves[i].count;
    }
}

void lower_load(struct lower *lower, uint32_t address, const struct spv_type *pointer,
                const struct spv_type *type, uint32_t *values)
{
    const struct manner manner = {.pointer = pointer, .alignment = type->alignment};
    load_parts(lower, address, type, &manner, UINT32_MAX, values);
}

void lower_store(struct lower *lower, uint32_t address, const struct spv_type *pointer,
                 const struct spv_type *type, const uint32_t *values)
{
    const struct manner manner = {.pointer = pointer, .alignment = type->alignment};
    store_parts(lower, address, type, &manner, UINT32_MAX, values);
}

void lower_load_leaf(struct lower *lower, uint32_t address, const struct spv_type *pointer,
                     const struct ir_leaf *leaf, uint64_t alignment, uint32_t *values)
{
    const struct manner manner = {.pointer = pointer, .alignment = alignment};
    load_leaf(lower, address, leaf, &manner, UINT32_MAX, values);
}

void lower_store_leaf(struct lower *lower, uint32_t address, const struct spv_type *pointer,
                      const struct ir_leaf *leaf, uint64_t alignment, const uint32_t *values)
{
    const struct manner manner = {.pointer = pointer, .alignment = alignment};
    store_leaf(lower, address, leaf, &manner, UINT32_MAX, values);
}

/* SPIR-V 1.6, Memory Operands, from operand `index` on. Alignment 0 = not given. Returns the index
 * after them. */
static uint32_t memory_operands(struct lower *lower, uint32_t index, struct manner *manner)
{
    manner->alignment = 0;
    manner->is_volatile = false;
    if (index >= lower->at->operand_count)
        return index;
    const uint32_t mask = lower->at->operands[index++];
    manner->is_volatile = (mask & SpvMemoryAccessVolatileMask) != 0;
    if ((mask & SpvMemoryAccessAlignedMask) == 0)
        return index;
    const uint32_t given = lower_word(lower, index++);
    if (given == 0 || (given & (given - 1)) != 0)
        lower_fail(lower, STATUS_MALFORMED, "an alignment of %u, which is not a power of two",
                   given);
    manner->alignment = given;
    return index;
}

/* The same of one access to values of the type, whose alignment is that where none is given. */
static void access_operands(struct lower *lower, uint32_t index, const struct spv_type *type,
                            struct manner *manner)
{
    memory_operands(lower, index, manner);
    manner->alignment = manner->alignment != 0 ? manner->alignment : type->alignment;
}

/* ---- work-item functions: inputs of the module ---- */

/* Queries are rows of 64 bits. */
static uint32_t query(struct lower *lower, enum vm_query which, uint32_t dimension, uint32_t width)
{
    lower->asks_sub_group |= which == VM_QUERY_SUB_GROUP_LOCAL_ID ||
                             which == VM_QUERY_SUB_GROUP_ID || which == VM_QUERY_SUB_GROUP_SIZE ||
                             which == VM_QUERY_SUB_GROUP_MAX_SIZE ||
                             which == VM_QUERY_SUB_GROUP_COUNT;
    return ir_resize(lower, ir_leaf(lower, IR_QUERY, 8, which, dimension), width, false);
}

/* The query that answers a built-in, and of how many components. */
static const struct query_row {
    SpvBuiltIn builtin;
    enum vm_query query;
    uint32_t components;
} query_rows[] = {
    {SpvBuiltInGlobalInvocationId, VM_QUERY_GLOBAL_ID, 3},
    {SpvBuiltInLocalInvocationId, VM_QUERY_LOCAL_ID, 3},
    {SpvBuiltInWorkgroupId, VM_QUERY_GROUP_ID, 3},
    {SpvBuiltInGlobalSize, VM_QUERY_GLOBAL_SIZE, 3},
    {SpvBuiltInWorkgroupSize, VM_QUERY_LOCAL_SIZE, 3},
    {SpvBuiltInEnqueuedWorkgroupSize, VM_QUERY_ENQUEUED_LOCAL_SIZE, 3},
    {SpvBuiltInNumWorkgroups, VM_QUERY_GROUP_COUNT, 3},
    {SpvBuiltInGlobalOffset, VM_QUERY_GLOBAL_OFFSET, 3},
    {SpvBuiltInGlobalLinearId, VM_QUERY_GLOBAL_LINEAR_ID, 1},
    {SpvBuiltInLocalInvocationIndex, VM_QUERY_LOCAL_LINEAR_ID, 1},
    {SpvBuiltInWorkDim, VM_QUERY_WORK_DIM, 1},
    {SpvBuiltInSubgroupSize, VM_QUERY_SUB_GROUP_SIZE, 1},
    {SpvBuiltInSubgroupMaxSize, VM_QUERY_SUB_GROUP_MAX_SIZE, 1},
    {SpvBuiltInNumSubgroups, VM_QUERY_SUB_GROUP_COUNT, 1},
    {SpvBuiltInNumEnqueuedSubgroups, VM_QUERY_ENQUEUED_SUB_GROUP_COUNT, 1},
    {SpvBuiltInSubgroupId, VM_QUERY_SUB_GROUP_ID, 1},
    {SpvBuiltInSubgroupLocalInvocationId, VM_QUERY_SUB_GROUP_LOCAL_ID, 1},
};

static const struct query_row *find_query(uint32_t builtin)
{
    for (size_t i = 0; i < sizeof query_rows / sizeof query_rows[0]; i++) {
        if (query_rows[i].builtin == builtin)
            return &query_rows[i];
    }
    return NULL;
}

static void load_builtin(struct lower *lower, const struct ir_value *address,
                         const struct spv_type *type)
{
    const struct query_row *row = find_query(address->index);
    struct ir_leaves leaves;
    uint32_t results[4];
    uint32_t words[4];
    const bool mask = lower_sub_group_mask(lower, address->index, words);
    if (row == NULL && !mask) {
        lower_refuse(lower, "the built-in input %u", address->index);
        return;
    }
    if (!lower_leaves(lower, type, &leaves))
        return;
    const struct ir_leaf *leaf = &leaves.leaves[0];
    const uint32_t components = mask ? 4 : row->components;
    const uint32_t first = leaves.count == 1 && leaf->width >= 4
                               ? (uint32_t)(address->bits / leaf->width)
                               : components;
    if (leaves.count != 1 || leaf->width < 4 || first + leaf->count > components ||
        address->bits % leaf->width != 0) {
        lower_fail(lower, STATUS_MALFORMED, "the built-in input %u has another type",
                   address->index);
        return;
    }
    for (uint32_t c = 0; c < leaf->count; c++)
        results[c] = mask ? words[first + c] : query(lower, row->query, first + c, leaf->width);
    lower_set_result(lower, results, leaf->count);
}

/* Of the bytes that the program names. */
static void test_subscripts(struct lower *lower, const struct spv_type *type,
                            struct lower_part part, enum observer_access_kind access)
{
    uint64_t size = type->size;
    if (part.for_store)
        return;
    if (part.indexed)
        size = type->element->size;
    else if (part.some)
        size = (uint64_t)__builtin_popcount(part.components) * type->element->size;
    if (size > 0)
        lower_test_subscripts(lower, 0, access, size);
}

static void translate_load(struct lower *lower)
{
    struct manner manner;
    const struct spv_type *type = lower_result_type(lower);
    const uint32_t address = lower_pointer_operand(lower, 0, &manner.pointer);
    access_operands(lower, 1, type, &manner);
    if (type != manner.pointer->element) {
        lower_malformed(lower, "of another type than its pointer's");
        return;
    }
    const struct ir_value value = lower->values[address];
    if (value.kind == IR_BUILTIN) {
        load_builtin(lower, &value, type);
        return;
    }
    struct ir_leaves leaves;
    if (!lower_leaves(lower, type, &leaves))
        return;
    uint32_t *values = lower_alloc(lower, leaves.components, sizeof *values);
    if (values == NULL)
        return;
    const struct lower_part part = lower_part_of(lower);
    test_subscripts(lower, type, part, OBSERVER_READ);
    load_parts(lower, address, type, &manner, part.some ? part.components : UINT32_MAX, values);
    if ((part.indexed || part.for_store) && lower->values[values[0]].kind == IR_RESULT)
        lower->instructions[lower->values[values[0]].index].for_index = true;
    lower_set_result(lower, values, leaves.components);
}

static void translate_store(struct lower *lower)
{
    struct manner manner;
    const uint32_t address = lower_pointer_operand(lower, 0, &manner.pointer);
    const struct spv_type *type = manner.pointer->element;
    const struct ir_ref value = lower_operand(lower, 1);
    access_operands(lower, 2, type, &manner);
    if (!lower_same_shape(lower, value.type, type)) {
        lower_malformed(lower, "of another type than its pointer's");
        return;
    }
    const struct lower_part part = lower_part_of(lower);
    test_subscripts(lower, type, part, OBSERVER_WRITE);
    store_parts(lower, address, type, &manner, part.some ? part.components : UINT32_MAX,
                value.values);
    if (part.indexed)
        lower_add_indexed(lower, type->element->kind == SPV_TYPE_FLOAT);
}

/* The operands that both accesses of a copy share: SPIR-V 1.4 has a second set, for the source.
 * What holds for both is the weaker promise. */
static uint32_t copy_operands(struct lower *lower, uint32_t index)
{
    struct manner both, from;
    index = memory_operands(lower, index, &both);
    if (index < lower->at->operand_count) {
        memory_operands(lower, index, &from);
        both.alignment = from.alignment < both.alignment ? from.alignment : both.alignment;
        both.is_volatile |= from.is_volatile;
    }
    return part_alignment(both.alignment, 0) | (both.is_volatile ? VM_ACCESS_VOLATILE : 0);
}

static void emit_copy(struct lower *lower, uint32_t to, uint32_t from, uint64_t size, uint32_t aux)
{
    const uint32_t operands[] = {to, from};
    ir_emit(lower, VM_OP_copy_memory, 0, 0, operands, 2);
    ir_last(lower)->size = size;
    ir_last(lower)->aux = aux;
}

uint32_t lower_own_copy(struct lower *lower, uint32_t id, const struct spv_type *pointer,
                        uint32_t from)
{
    const struct spv_type *type = pointer->element;
    if (type->alignment == 0) {
        lower_refuse(lower, "a value of an opaque type in memory");
        return 0;
    }
    const uint32_t to = new_private(lower, id, type);
    if (type->size > 0)
        emit_copy(lower, to, from, type->size, part_alignment(type->alignment, 0));
    return to;
}

/* A computed number of bytes, one at a time: for (i = 0; i < size; i++) to[i] = from[i]. */
static void copy_loop(struct lower *lower, uint32_t to, uint32_t from, uint32_t size, uint32_t aux)
{
    const uint32_t before = lower->block;
    const uint32_t header = ir_block_add(lower);
    const uint32_t body = ir_block_add(lower);
    const uint32_t behind = ir_block_add(lower);
    ir_exit_branch(lower, header);
    lower->block = header;
    const uint32_t i = ir_phi(lower, header, 8);
    ir_phi_add(lower, i, before, ir_constant(lower, 8, 0));
    size = ir_resize(lower, size, 8, false);
    ir_exit_if(lower, ir_op2(lower, VM_OP_ult_64, i, size), body, behind);
    lower->block = body;
    emit_copy(lower, ir_index(lower, to, i, 1), ir_index(lower, from, i, 1), 1,
              aux & VM_ACCESS_VOLATILE);
    ir_phi_add(lower, i, body, ir_op2(lower, VM_OP_iadd_64, i, ir_constant(lower, 8, 1)));
    ir_exit_branch(lower, header);
    lower->block = behind;
}

/* OpCopyMemory, OpCopyMemorySized. */
static void translate_copy(struct lower *lower)
{
    const bool sized = lower->at->op == SpvOpCopyMemorySized;
    const struct spv_type *to_type = NULL;
    const struct spv_type *from_type = NULL;
    const uint32_t to = lower_pointer_operand(lower, 0, &to_type);
    const uint32_t from = lower_pointer_operand(lower, 1, &from_type);
    const uint32_t value = sized ? lower_scalar(lower, 2) : 0;
    const uint32_t aux = copy_operands(lower, sized ? 3 : 2);
    if (sized && lower->values[value].kind != IR_CONSTANT) {
        copy_loop(lower, to, from, value, aux);
        return;
    }
    const uint64_t size = sized ? lower->values[value].bits : to_type->element->size;
    if (!sized && from_type->element->size != size)
        lower_malformed(lower, "between types of different sizes");
    if (size > INT32_MAX)
        lower_refuse(lower, "a copy of more than 2 GiB");
    if (lower_failed(lower) || size == 0)
        return;
    lower_test_subscripts(lower, 1, OBSERVER_READ, size);
    lower_test_subscripts(lower, 0, OBSERVER_WRITE, size);
    note_volatile(lower, (aux & VM_ACCESS_VOLATILE) != 0, to_type);
    note_volatile(lower, (aux & VM_ACCESS_VOLATILE) != 0, from_type);
    emit_copy(lower, to, from, size, aux);
}

/* ---- pointers ---- */

/* Follows one index of an access chain; NULL on failure. */
static const struct spv_type *follow(struct lower *lower, const struct spv_type *type,
                                     uint32_t index, uint32_t *address,
                                     const struct lower_step **step)
{
    const struct ir_value value = lower->values[index];
    if (value.width == 0) {
        lower_malformed(lower, "with an index that is not an integer");
        return NULL;
    }
    if (type->kind == SPV_TYPE_STRUCT) {
        if (value.kind != IR_CONSTANT || value.bits >= type->member_count) {
            lower_malformed(lower, "with a member that the structure lacks");
            return NULL;
        }
        *step = lower_step_into(lower, *step, type, index, *address);
        *address = ir_offset(lower, *address, type->offsets[value.bits]);
        return type->members[value.bits];
    }
    if (type->kind != SPV_TYPE_ARRAY && type->kind != SPV_TYPE_VECTOR) {
        lower_malformed(lower, "into what has no parts");
        return NULL;
    }
    *step = lower_step_into(lower, *step, type, index, *address);
    *address = ir_index(lower, *address, ir_resize(lower, index, 8, true), type->element->size);
    return type->element;
}

static void translate_chain(struct lower *lower)
{
    const bool has_element =
        lower->at->op == SpvOpPtrAccessChain || lower->at->op == SpvOpInBoundsPtrAccessChain;
    const struct spv_type *pointer = NULL;
    const struct spv_type *result = lower_result_type(lower);
    uint32_t address = lower_pointer_operand(lower, 0, &pointer);
    const struct spv_type *type = pointer->element;
    const struct lower_step *step = lower_operand(lower, 0).step;
    uint32_t i = 1;
    if (has_element) {
        const uint32_t element = lower_scalar(lower, i++);
        if (lower->values[element].width == 0 || type->alignment == 0) {
            lower_malformed(lower, "over elements without a size");
            return;
        }
        address = ir_index(lower, address, ir_resize(lower, element, 8, true), type->size);
        const struct ir_value *walked = &lower->values[element];
        step = walked->kind == IR_CONSTANT && walked->bits == 0 ? step : NULL;
    }
    for (; i < lower->at->operand_count && type != NULL; i++) {
        const uint32_t index = lower_scalar(lower, i);
        type = follow(lower, type, index, &address, &step);
    }
    if (result->kind != SPV_TYPE_POINTER || result->element != type) {
        lower_malformed(lower, "gives another type than its own");
        return;
    }
    lower_set_result(lower, &address, 1);
    lower_set_step(lower, step);
}

/* SPIR-V 1.6, OpSizeOf: the bytes of what the pointer points to. */
static void translate_size(struct lower *lower)
{
    const struct spv_type *pointer = NULL;
    const struct spv_type *type = lower_result_type(lower);
    lower_pointer_operand(lower, 0, &pointer);
    const uint32_t size = ir_constant(lower, lower_type_width(type), pointer->element->size);
    lower_set_result(lower, &size, 1);
}

static void translate_pointer_difference(struct lower *lower)
{
    const struct spv_type *type = NULL;
    const struct spv_type *result = lower_result_type(lower);
    const uint32_t a = lower_pointer_operand(lower, 0, &type);
    const uint32_t b = lower_pointer_operand(lower, 1, &type);
    if (type->element->size == 0 || result->kind != SPV_TYPE_INT) {
        lower_malformed(lower, "over elements without a size");
        return;
    }
    const uint32_t bytes = ir_op2(lower, VM_OP_isub_64, a, b);
    const uint32_t elements =
        ir_op2(lower, VM_OP_sdiv_64, bytes, ir_constant(lower, 8, type->element->size));
    const uint32_t sized = ir_resize(lower, elements, result->width / 8, true);
    lower_set_result(lower, &sized, 1);
}

/* Pointers keep their bits from one address space to another. */
static void translate_pointer_cast(struct lower *lower)
{
    const struct ir_ref ref = lower_operand(lower, 0);
    lower_set_result(lower, ref.values, ref.count);
    lower_set_step(lower, ref.step);
}

/* LLVM cuts a structure into variables of its own. */
static void note_piece(struct lower *lower, uint32_t address)
{
    const struct ir_value value = lower->values[ir_same(lower, address)];
    if (value.kind == IR_VARIABLE) {
        struct ir_variable *variable = &lower->variables[value.index];
        variable->is_piece = variable->name == NULL || variable->name[0] == '\0';
    }
}

static void translate_lifetime(struct lower *lower)
{
    const struct spv_type *pointer = NULL;
    const uint32_t address = lower_pointer_operand(lower, 0, &pointer);
    if (lower->at->op == SpvOpLifetimeStart) {
        note_piece(lower, address);
        lower_life_begin(lower, address);
    } else if (lower_source_known(lower, lower->at->place)) {
        lower_life_end(lower, address, false);
    }
}

bool lower_translate_memory(struct lower *lower)
{
    static const struct lower_row rows[] = {
        {SpvOpVariable, translate_variable},
        {SpvOpLoad, translate_load},
        {SpvOpStore, translate_store},
        {SpvOpCopyMemory, translate_copy},
        {SpvOpCopyMemorySized, translate_copy},
        {SpvOpAccessChain, translate_chain},
        {SpvOpInBoundsAccessChain, translate_chain},
        {SpvOpPtrAccessChain, translate_chain},
        {SpvOpInBoundsPtrAccessChain, translate_chain},
        {SpvOpSizeOf, translate_size},
        {SpvOpPtrDiff, translate_pointer_difference},
        {SpvOpPtrCastToGeneric, translate_pointer_cast},
        {SpvOpGenericCastToPtr, translate_pointer_cast},
        {SpvOpLifetimeStart, translate_lifetime},
        {SpvOpLifetimeStop, translate_lifetime},
    };
    return lower_translate_row(lower, rows, sizeof rows / sizeof rows[0]);
}
