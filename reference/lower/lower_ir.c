/* Values, instructions and blocks. */
#include "reference/lower/lower_private.h"
#include "reference/spirv/grammar.h"
#include "reference/vm/shape.h"
#include "trace/base/assert.h"

#include <stdio.h>
#include <string.h>

#define uthash_nonfatal_oom(element) ((element)->failed = true)
#include "trace/base/hash.h"

/* More than any kernel that a person wrote, and small enough to refuse in a second. */
enum { INSTRUCTION_MAX = 1 << 20 };

void lower_fail(struct lower *lower, enum status status, const char *format, ...)
{
    if (lower_failed(lower))
        return;
    lower->status = status;
    va_list list;
    va_start(list, format);
    error_set_v(lower->error, status, format, list);
    va_end(list);
    if (lower->function_name != NULL)
        error_prefix(lower->error, "in function '%s'", lower->function_name);
    const struct vm_place *place = lower->place != 0 ? &lower->places[lower->place] : NULL;
    if (place != NULL && place->line != 0)
        error_prefix(lower->error, "%s:%u:%u: error", place->file, place->line, place->column);
}

void lower_no_memory(struct lower *lower)
{
    if (!lower_failed(lower)) {
        lower->status = STATUS_NO_MEMORY;
        error_set(lower->error, STATUS_NO_MEMORY, "out of memory while lowering kernel '%s'",
                  lower->kernel->name);
    }
}

void lower_malformed(struct lower *lower, const char *format, ...)
{
    char wrong[ERROR_TEXT_SIZE];
    va_list list;
    va_start(list, format);
    vsnprintf(wrong, sizeof wrong, format, list);
    va_end(list);
    lower_fail(lower, STATUS_MALFORMED, "%s %s", spv_op_name(lower->at->op), wrong);
}

void lower_refuse(struct lower *lower, const char *format, ...)
{
    char what[ERROR_TEXT_SIZE];
    va_list list;
    va_start(list, format);
    vsnprintf(what, sizeof what, format, list);
    va_end(list);
    lower_fail(lower, STATUS_UNSUPPORTED, "%s is not supported", what);
}

void *lower_alloc(struct lower *lower, size_t count, size_t size)
{
    void *block = arena_alloc(&lower->arena, count, size);
    if (block == NULL)
        lower_no_memory(lower);
    return block;
}

void *lower_code_alloc(struct lower *lower, size_t count, size_t size)
{
    void *block = lower_failed(lower) ? NULL : arena_alloc(&lower->code->arena, count, size);
    if (block == NULL)
        lower_no_memory(lower);
    return block;
}

const char *lower_code_string(struct lower *lower, const char *text, size_t size)
{
    const char *string = arena_string_n(&lower->code->arena, text, size);
    if (string == NULL)
        lower_no_memory(lower);
    return string != NULL ? string : "";
}

uint32_t lower_append(struct lower *lower, void *items, uint32_t *count, uint32_t *capacity,
                      const void *item, size_t item_size)
{
    uint8_t *array;
    memcpy(&array, items, sizeof array);
    if (lower_failed(lower))
        return 0;
    ASSERT(*count <= *capacity);
    if (*count == *capacity) {
        ASSERT(*capacity < UINT32_MAX / 2);
        const uint32_t wanted = *capacity == 0 ? 16 : *capacity * 2;
        uint8_t *grown = lower_alloc(lower, wanted, item_size);
        if (grown == NULL)
            return 0;
        if (*count > 0)
            memcpy(grown, array, *count * item_size);
        memcpy(items, &grown, sizeof grown);
        *capacity = wanted;
        array = grown;
    }
    memcpy(array + *count * item_size, item, item_size);
    return (*count)++;
}

/* ---- values ---- */

static uint32_t add_value(struct lower *lower, struct ir_value value)
{
    return lower_append(lower, &lower->values, &lower->value_count, &lower->value_capacity, &value,
                        sizeof value);
}

/* One value for each key. */
struct ir_unique {
    struct ir_unique_key {
        uint32_t kind, width, index, unused;
        uint64_t bits;
    } key;
    uint32_t value;
    bool failed;
    UT_hash_handle hh;
};

uint32_t ir_leaf(struct lower *lower, enum ir_value_kind kind, uint32_t width, uint32_t index,
                 uint64_t bits)
{
    const struct ir_unique_key key = {kind, width, index, 0, bits};
    struct ir_unique *unique = NULL;
    if (lower_failed(lower))
        return 0;
    HASH_FIND(hh, lower->uniques, &key, sizeof key, unique);
    if (unique != NULL)
        return unique->value;
    unique = lower_alloc(lower, 1, sizeof *unique);
    if (unique == NULL)
        return 0;
    unique->key = key;
    unique->value = add_value(
        lower, (struct ir_value){
                   .kind = (uint8_t)kind, .width = (uint8_t)width, .index = index, .bits = bits});
    HASH_ADD(hh, lower->uniques, key, sizeof key, unique);
    if (unique->failed)
        lower_no_memory(lower);
    return unique->value;
}

void lower_release_uniques(struct lower *lower)
{
    HASH_CLEAR(hh, lower->uniques);
}

static uint64_t width_mask(uint32_t width)
{
    return width == 0 ? 1 : width >= 8 ? UINT64_MAX : (UINT64_C(1) << (8 * width)) - 1;
}

uint32_t ir_constant(struct lower *lower, uint32_t width, uint64_t bits)
{
    return ir_leaf(lower, IR_CONSTANT, width, 0, bits & width_mask(width));
}

uint32_t ir_address(struct lower *lower, enum ir_value_kind kind, uint32_t index, uint64_t bits)
{
    return ir_leaf(lower, kind, 8, index, bits);
}

enum { NOBODYS = 1, GAP }; /* the bits of what has no name */

uint32_t ir_nobodys(struct lower *lower, uint32_t width)
{
    return ir_leaf(lower, IR_UNDEFINED, width, 0, NOBODYS);
}

uint32_t ir_gap(struct lower *lower, uint32_t width)
{
    return ir_leaf(lower, IR_UNDEFINED, width, 0, GAP);
}

uint32_t ir_undefined(struct lower *lower, uint32_t width, const char *name, uint64_t part)
{
    if (name == NULL)
        return ir_leaf(lower, IR_UNDEFINED, width, 0, 0);
    return add_value(lower, (struct ir_value){.kind = IR_UNDEFINED,
                                              .width = (uint8_t)width,
                                              .index = lower->place,
                                              .bits = part,
                                              .name = name});
}

uint32_t ir_same(const struct lower *lower, uint32_t value)
{
    ASSERT(value < lower->value_count);
    while (lower->values[value].same != 0)
        value = lower->values[value].same;
    return value;
}

/* ---- instructions ---- */

void ir_append(struct lower *lower, uint32_t block, uint32_t instruction)
{
    ASSERT(block < lower->block_count);
    struct ir_block *to = &lower->blocks[block];
    lower_append(lower, &to->instructions, &to->count, &to->capacity, &instruction,
                 sizeof instruction);
}

uint32_t ir_emit(struct lower *lower, enum vm_op op, uint32_t width, uint32_t count,
                 const uint32_t *operands, uint32_t operand_count)
{
    if (lower_failed(lower))
        return 0;
    if (lower->instruction_count >= INSTRUCTION_MAX || lower->value_count >= 4 * INSTRUCTION_MAX) {
        lower_fail(lower, STATUS_UNSUPPORTED,
                   "kernel '%s' has more than %d instructions once its calls are expanded, "
                   "which is not supported",
                   lower->kernel->name, INSTRUCTION_MAX);
        return 0;
    }
    ASSERT(width <= 8 && count <= UINT8_MAX);
    const struct ir_instruction made = {
        .op = (uint16_t)op,
        .width = (uint8_t)width,
        .count = (uint8_t)count,
        .result = count > 0 ? lower->value_count : 0,
        .result_count = count,
        .operand = lower->operand_count,
        .operand_count = operand_count,
        .place = lower->place,
        .block = lower->block,
    };
    for (uint32_t i = 0; i < count; i++)
        add_value(lower, (struct ir_value){.kind = IR_RESULT,
                                           .width = (uint8_t)width,
                                           .index = lower->instruction_count,
                                           .bits = i,
                                           .block = lower->block});
    for (uint32_t i = 0; i < operand_count; i++)
        lower_append(lower, &lower->operands, &lower->operand_count, &lower->operand_capacity,
                     &operands[i], sizeof operands[i]);
    ir_append(lower, lower->block,
              lower_append(lower, &lower->instructions, &lower->instruction_count,
                           &lower->instruction_capacity, &made, sizeof made));
    return lower_failed(lower) ? 0 : made.result;
}

uint32_t ir_renew_results(struct lower *lower, uint32_t instruction)
{
    struct ir_instruction *made = &lower->instructions[instruction];
    const uint32_t old = made->result;
    for (uint32_t i = 0; i < made->result_count && !lower_failed(lower); i++) {
        const uint32_t value = add_value(lower, lower->values[old + i]);
        made->result = i == 0 ? value : made->result;
    }
    return old;
}

void ir_define(struct lower *lower, uint32_t value)
{
    if (lower_failed(lower))
        return;
    struct ir_instruction *last = ir_last(lower);
    struct ir_value *defined = &lower->values[value];
    const struct ir_value *own = &lower->values[last->result];
    ASSERT(last->result_count == 1 && defined->width == own->width);
    defined->index = own->index;
    defined->bits = own->bits;
    defined->block = own->block;
    last->result = value;
}

/* Rows of another width would be read beyond their end: the one place that every operation passes,
 * whatever a malformed module says of its types. */
static bool widths_fit(struct lower *lower, const uint32_t *operands, const uint8_t *widths,
                       uint32_t count)
{
    for (uint32_t i = 0; i < count && !lower_failed(lower); i++) {
        if (lower->values[operands[i]].width != widths[i] || operands[i] == 0)
            lower_malformed(lower, "with an operand of another type");
    }
    return !lower_failed(lower);
}

static uint32_t emit_lanes(struct lower *lower, enum vm_op op, const uint32_t *operands,
                           uint32_t count)
{
    const struct vm_operand_form *forms = vm_op_form(op)->operands;
    uint8_t widths[3];
    ASSERT(vm_op_traits(op) & VM_TWIN);
    for (uint32_t i = 0; i < 3; i++) {
        ASSERT((forms[VM_OPERAND_A + i].kind == VM_OPERAND_ROW) == (i < count));
        widths[i] = forms[VM_OPERAND_A + i].width;
    }
    return widths_fit(lower, operands, widths, count)
               ? ir_emit(lower, op, forms[VM_OPERAND_DST].width, 1, operands, count)
               : 0;
}

uint32_t ir_op1(struct lower *lower, enum vm_op op, uint32_t a)
{
    return emit_lanes(lower, op, &a, 1);
}

uint32_t ir_op2(struct lower *lower, enum vm_op op, uint32_t a, uint32_t b)
{
    return emit_lanes(lower, op, (const uint32_t[]){a, b}, 2);
}

uint32_t ir_op3(struct lower *lower, enum vm_op op, uint32_t a, uint32_t b, uint32_t c)
{
    return emit_lanes(lower, op, (const uint32_t[]){a, b, c}, 3);
}

uint32_t ir_fadd(struct lower *lower, uint32_t a, uint32_t b)
{
    return ir_op2(lower, IR_BY_FLOAT(fadd, lower->values[a].width), a, b);
}

uint32_t ir_fsub(struct lower *lower, uint32_t a, uint32_t b)
{
    return ir_op2(lower, IR_BY_FLOAT(fsub, lower->values[a].width), a, b);
}

uint32_t ir_fmul(struct lower *lower, uint32_t a, uint32_t b)
{
    return ir_op2(lower, IR_BY_FLOAT(fmul, lower->values[a].width), a, b);
}

uint32_t ir_mask1(struct lower *lower, enum vm_op op, uint32_t a)
{
    return widths_fit(lower, &a, (const uint8_t[]){0}, 1) ? ir_emit(lower, op, 0, 1, &a, 1) : 0;
}

uint32_t ir_mask2(struct lower *lower, enum vm_op op, uint32_t a, uint32_t b)
{
    const uint32_t operands[] = {a, b};
    return widths_fit(lower, operands, (const uint8_t[]){0, 0}, 2)
               ? ir_emit(lower, op, 0, 1, operands, 2)
               : 0;
}

uint32_t ir_select(struct lower *lower, uint32_t condition, uint32_t a, uint32_t b)
{
    const uint32_t width = lower->values[a].width;
    const uint32_t operands[] = {a, b, condition};
    const uint8_t widths[] = {(uint8_t)width, (uint8_t)width, 0};
    if (!widths_fit(lower, operands, widths, 3) || a == b)
        return a;
    /* Newer llvm-spirv guards every get_global_id(0) so. */
    if (lower->values[condition].kind == IR_CONSTANT)
        return lower->values[condition].bits != 0 ? a : b;
    const enum vm_op op = width == 0 ? VM_OP_mask_select : IR_BY_WIDTH(select, width);
    return ir_emit(lower, op, width, 1, operands, 3);
}

uint32_t ir_offset(struct lower *lower, uint32_t address, uint64_t bytes)
{
    const struct ir_value value = lower->values[address];
    if (bytes == 0 || lower_failed(lower))
        return address;
    switch (value.kind) {
    case IR_VARIABLE:
    case IR_GLOBAL:
    case IR_BUILTIN:
        return ir_address(lower, (enum ir_value_kind)value.kind, value.index, value.bits + bytes);
    default:
        return ir_op2(lower, VM_OP_iadd_64, address, ir_constant(lower, 8, bytes));
    }
}

uint32_t ir_index(struct lower *lower, uint32_t address, uint32_t index, uint64_t size)
{
    const struct ir_value value = lower->values[index];
    if (value.kind == IR_CONSTANT)
        return ir_offset(lower, address, value.bits * size);
    if (size > INT32_MAX) {
        index = ir_op2(lower, VM_OP_imul_64, index, ir_constant(lower, 8, size));
        size = 1;
    }
    const uint32_t operands[] = {address, index};
    if (!widths_fit(lower, operands, (const uint8_t[]){8, 8}, 2))
        return 0;
    const uint32_t result = ir_emit(lower, VM_OP_index_64, 8, 1, operands, 2);
    ir_last(lower)->size = size;
    return result;
}

static uint64_t sign_extend(uint64_t bits, uint32_t width)
{
    if (width >= 8)
        return bits;
    const uint64_t sign = UINT64_C(1) << (8 * width - 1);
    return (bits ^ sign) - sign;
}

uint32_t ir_resize(struct lower *lower, uint32_t value, uint32_t width, bool is_signed)
{
    const struct ir_value from = lower->values[value];
    if (from.width == width || lower_failed(lower))
        return value;
    if (from.width == 0 || width == 0) {
        lower_malformed(lower, "of a boolean");
        return 0;
    }
    if (from.kind == IR_CONSTANT)
        return ir_constant(lower, width,
                           is_signed ? sign_extend(from.bits, from.width) : from.bits);
    /* By from and to: 1, 2, 4, 8 bytes. */
    static const enum vm_op zext[4][4] = {
        {0, VM_OP_zext_8_16, VM_OP_zext_8_32, VM_OP_zext_8_64},
        {VM_OP_trunc_16_8, 0, VM_OP_zext_16_32, VM_OP_zext_16_64},
        {VM_OP_trunc_32_8, VM_OP_trunc_32_16, 0, VM_OP_zext_32_64},
        {VM_OP_trunc_64_8, VM_OP_trunc_64_16, VM_OP_trunc_64_32, 0},
    };
    static const enum vm_op sext[4][4] = {
        {0, VM_OP_sext_8_16, VM_OP_sext_8_32, VM_OP_sext_8_64},
        {VM_OP_trunc_16_8, 0, VM_OP_sext_16_32, VM_OP_sext_16_64},
        {VM_OP_trunc_32_8, VM_OP_trunc_32_16, 0, VM_OP_sext_32_64},
        {VM_OP_trunc_64_8, VM_OP_trunc_64_16, VM_OP_trunc_64_32, 0},
    };
    const enum vm_op op =
        (is_signed ? sext : zext)[ir_width_index(from.width)][ir_width_index(width)];
    return ir_op1(lower, op, value);
}

uint32_t ir_as_byte(struct lower *lower, uint32_t boolean)
{
    const uint32_t one = ir_constant(lower, 1, 1);
    return ir_select(lower, boolean, one, ir_constant(lower, 1, 0));
}

uint32_t ir_as_boolean(struct lower *lower, uint32_t byte)
{
    return ir_op2(lower, VM_OP_ine_8, byte, ir_constant(lower, 1, 0));
}

/* ---- blocks and phis ---- */

uint32_t ir_block_add(struct lower *lower)
{
    const struct ir_block block = {.exit = IR_EXIT_NONE};
    return lower_append(lower, &lower->blocks, &lower->block_count, &lower->block_capacity, &block,
                        sizeof block);
}

void ir_exit_branch(struct lower *lower, uint32_t target)
{
    if (lower_failed(lower))
        return;
    struct ir_block *block = &lower->blocks[lower->block];
    block->exit = IR_EXIT_BRANCH;
    block->targets[0] = target;
    block->place = lower->place;
}

void ir_exit_if(struct lower *lower, uint32_t condition, uint32_t target, uint32_t otherwise)
{
    if (lower_failed(lower))
        return;
    struct ir_block *block = &lower->blocks[lower->block];
    block->exit = IR_EXIT_IF;
    block->condition = condition;
    block->targets[0] = target;
    block->targets[1] = otherwise;
    block->place = lower->place;
}

void ir_exit_unreachable(struct lower *lower)
{
    if (lower_failed(lower))
        return;
    struct ir_block *block = &lower->blocks[lower->block];
    block->exit = IR_EXIT_UNREACHABLE;
    block->place = lower->place;
}

uint32_t ir_phi(struct lower *lower, uint32_t block, uint32_t width)
{
    const uint32_t value = add_value(lower, (struct ir_value){.kind = IR_PHI,
                                                              .width = (uint8_t)width,
                                                              .index = lower->phi_count,
                                                              .block = block});
    if (lower_failed(lower))
        return 0;
    const struct ir_phi phi = {
        .value = value, .block = block, .next = lower->blocks[block].first_phi};
    lower->blocks[block].first_phi = lower_append(lower, &lower->phis, &lower->phi_count,
                                                  &lower->phi_capacity, &phi, sizeof phi);
    return value;
}

void ir_phi_add(struct lower *lower, uint32_t phi_value, uint32_t pred, uint32_t value)
{
    if (lower_failed(lower))
        return;
    ASSERT(lower->values[phi_value].width == lower->values[value].width);
    struct ir_phi *phi = &lower->phis[lower->values[phi_value].index];
    const struct ir_phi_operand operand = {pred, value};
    lower_append(lower, &phi->operands, &phi->operand_count, &phi->operand_capacity, &operand,
                 sizeof operand);
}

/* ---- the graph ---- */

struct ir_block ir_empty_block(struct lower *lower, uint32_t block)
{
    const struct ir_block was = lower->blocks[block];
    lower->blocks[block].instructions = NULL;
    lower->blocks[block].count = lower->blocks[block].capacity = 0;
    lower->block = block;
    return was;
}

bool ir_walk_next(const struct lower *lower, struct ir_walk *walk)
{
    while (walk->position < lower->flow.order_count) {
        walk->block = lower->flow.order[walk->position];
        while (walk->next < lower->blocks[walk->block].count) {
            walk->index = lower->blocks[walk->block].instructions[walk->next++];
            walk->instruction = &lower->instructions[walk->index];
            if (!walk->instruction->dead)
                return true;
        }
        walk->position++;
        walk->next = 0;
    }
    return false;
}

uint32_t ir_target_count(const struct ir_block *block)
{
    switch (block->exit) {
    case IR_EXIT_IF:
        return 2;
    case IR_EXIT_BRANCH:
    case IR_EXIT_BARRIER:
        return 1;
    default:
        return 0;
    }
}

bool lower_graph(struct lower *lower)
{
    if (lower_failed(lower))
        return false;
    uint32_t *first = lower_alloc(lower, lower->block_count + 1, sizeof *first);
    uint32_t *targets = lower_alloc(lower, 2 * lower->block_count, sizeof *targets);
    if (first == NULL || targets == NULL)
        return false;
    uint32_t count = 0;
    for (uint32_t b = 0; b < lower->block_count; b++) {
        first[b] = count;
        for (uint32_t t = 0; t < ir_target_count(&lower->blocks[b]); t++)
            targets[count++] = lower->blocks[b].targets[t];
    }
    first[lower->block_count] = count;
    const struct flow_graph graph = {lower->block_count, first, targets};
    if (!flow_analyse(&lower->arena, &graph, &lower->flow))
        lower_no_memory(lower);
    return !lower_failed(lower);
}
