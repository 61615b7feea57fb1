/* Pointers to private and local memory that may get where another work-item, work-group or launch
 * finds them say whose variable they lead to (memory.h: owned). The op own_64 makes them.
 *
 * Most addresses of variables never leave the kernel's values: they go into accesses, directly or
 * through indices, phis and comparisons with each other. These stay as they are, one for all lanes,
 * and cost nothing. Values that are made of each other in that way are one *family*. A family is
 * owned as a whole, so that equal pointers have equal bits, if one of it gets anywhere else (into
 * memory, or into any other computation), or if it has members that come from elsewhere: what was
 * loaded may be owned.
 *
 * Pointers of 32 bits (narrow.c) have no room for an owner. */
#include "reference/lower/lower_private.h"

#include <string.h>

enum use {
    USE_ACCESS, /* as the address of an access: the gate takes both forms */
    USE_FAMILY, /* in a value of the same family */
    USE_OTHER
};

struct owning {
    struct lower *lower;
    uint32_t *parent; /* by value: another one of the family; 0 = itself */
    bool *owned;      /* by value that stands for a family */
    uint32_t *owner;  /* by address of a variable: its owned form; 0 = not made yet */
};

/* ---- families ---- */

static bool is_address(const struct lower *lower, uint32_t value)
{
    const struct ir_value *v = &lower->values[value];
    return v->kind == IR_VARIABLE || (v->kind == IR_PARAMETER &&
                                      lower->code->parameters[v->index].kind == VM_PARAMETER_LOCAL);
}

static bool is_computed(const struct lower *lower, uint32_t value)
{
    const struct ir_value *v = &lower->values[value];
    return v->width == 8 && (v->kind == IR_RESULT || v->kind == IR_PHI);
}

static uint32_t family_of(struct owning *owning, uint32_t value)
{
    while (owning->parent[value] != 0) {
        const uint32_t next = owning->parent[owning->parent[value]];
        if (next != 0)
            owning->parent[value] = next;
        value = owning->parent[value];
    }
    return value;
}

static void own_family(struct owning *owning, uint32_t value)
{
    if (is_computed(owning->lower, value))
        owning->owned[family_of(owning, value)] = true;
}

static void unite(struct owning *owning, uint32_t a, uint32_t b)
{
    if (!is_computed(owning->lower, a) || !is_computed(owning->lower, b))
        return;
    a = family_of(owning, a);
    b = family_of(owning, b);
    if (a == b)
        return;
    owning->parent[b] = a;
    owning->owned[a] |= owning->owned[b];
}

static bool is_comparison(enum vm_op op)
{
    return op == VM_OP_ieq_64 || op == VM_OP_ine_64 || op == VM_OP_ult_64 || op == VM_OP_ule_64 ||
           op == VM_OP_slt_64 || op == VM_OP_sle_64;
}

static enum use use_of(enum vm_op op, uint32_t operand)
{
    if (is_comparison(op))
        return USE_FAMILY;
    switch (op) {
    case VM_OP_index_64:
    case VM_OP_iadd_64:
        return operand == 0 ? USE_FAMILY : USE_OTHER;
    case VM_OP_select_64:
        return operand < 2 ? USE_FAMILY : USE_OTHER;
    case VM_OP_load:
    case VM_OP_store:
    case VM_OP_life_begin:
    case VM_OP_life_end:
    case VM_OP_region:
        return operand == 0 ? USE_ACCESS : USE_OTHER;
    case VM_OP_copy_memory:
        return USE_ACCESS;
    case VM_OP_subscript:
        return operand == 1 ? USE_ACCESS : USE_OTHER;
    default:
        return (vm_op_traits(op) & VM_ATOMIC) && operand == 0 ? USE_ACCESS : USE_OTHER;
    }
}

/* A member of the family that the instruction's USE_FAMILY operands are of; 0 = they are addresses
 * and constants alone, which are compared. */
static uint32_t member_of(const struct lower *lower, const struct ir_instruction *instruction)
{
    if (!is_comparison((enum vm_op)instruction->op))
        return instruction->result;
    for (uint32_t o = 0; o < 2; o++) {
        const uint32_t value = ir_same(lower, lower->operands[instruction->operand + o]);
        if (is_computed(lower, value))
            return value;
    }
    return 0;
}

static bool adds_constant(const struct lower *lower, const struct ir_instruction *instruction)
{
    const uint32_t addend = ir_same(lower, lower->operands[instruction->operand + 1]);
    return lower->values[addend].kind == IR_CONSTANT;
}

static void look_at(struct owning *owning, const struct ir_instruction *instruction)
{
    const struct lower *lower = owning->lower;
    const enum vm_op op = (enum vm_op)instruction->op;
    bool in_family = false;
    for (uint32_t o = 0; o < instruction->operand_count; o++) {
        const uint32_t value = ir_same(lower, lower->operands[instruction->operand + o]);
        const enum use use = use_of(op, o);
        in_family |= use == USE_FAMILY;
        if (use == USE_FAMILY)
            unite(owning, member_of(lower, instruction), value);
        else if (use == USE_OTHER)
            own_family(owning, value);
    }
    /* The pointer may be the second operand of an addition. */
    if (in_family && (op != VM_OP_iadd_64 || adds_constant(lower, instruction)))
        return;
    for (uint32_t r = 0; r < instruction->result_count; r++)
        own_family(owning, instruction->result + r);
}

/* ---- owned addresses ---- */

static uint32_t make_owned(struct owning *owning, uint32_t address)
{
    struct lower *lower = owning->lower;
    const struct ir_value value = lower->values[address];
    const bool local =
        value.kind == IR_PARAMETER || lower->variables[value.index].region == VM_VARIABLE_LOCAL;
    if (owning->owner[address] == 0)
        owning->owner[address] = ir_op2(
            lower, VM_OP_own_64, address,
            ir_leaf(lower, IR_QUERY, 8, local ? VM_QUERY_GROUP_OWNER : VM_QUERY_ITEM_OWNER, 0));
    if (local)
        lower->code->owns_locals = true;
    else
        lower->variables[value.index].owned = true;
    return owning->owner[address];
}

static bool is_owned(struct owning *owning, uint32_t member)
{
    return member != 0 && owning->owned[family_of(owning, member)];
}

static void settle(struct owning *owning, uint32_t index)
{
    struct lower *lower = owning->lower;
    const struct ir_instruction instruction = lower->instructions[index];
    const enum vm_op op = (enum vm_op)instruction.op;
    for (uint32_t o = 0; o < instruction.operand_count && !lower_failed(lower); o++) {
        const uint32_t value = ir_same(lower, lower->operands[instruction.operand + o]);
        const enum use use = use_of(op, o);
        if (!is_address(lower, value) || use == USE_ACCESS ||
            (use == USE_FAMILY && !is_owned(owning, member_of(lower, &instruction))))
            continue;
        const uint32_t owned = make_owned(owning, value);
        lower->operands[instruction.operand + o] = owned;
    }
}

static void settle_phi(struct owning *owning, struct ir_phi *phi)
{
    struct lower *lower = owning->lower;
    for (uint32_t o = 0; o < phi->operand_count && is_owned(owning, phi->value); o++) {
        const uint32_t value = ir_same(lower, phi->operands[o].value);
        if (is_address(lower, value))
            phi->operands[o].value = make_owned(owning, value);
    }
}

/* The last instructions of the entry, from `first` on, become its first ones. */
static void put_in_front(struct lower *lower, uint32_t first)
{
    struct ir_block *entry = &lower->blocks[0];
    const uint32_t count = entry->count - first;
    uint32_t *made = lower_alloc(lower, count + 1, sizeof *made);
    if (made == NULL)
        return;
    memcpy(made, entry->instructions + first, count * sizeof *made);
    memmove(entry->instructions + count, entry->instructions, first * sizeof *made);
    memcpy(entry->instructions, made, count * sizeof *made);
}

void lower_owner(struct lower *lower)
{
    const uint32_t entry_count = lower->blocks[0].count;
    const size_t values = lower->value_count;
    struct owning owning = {
        .lower = lower,
        .parent = lower_alloc(lower, values, sizeof *owning.parent),
        .owned = lower_alloc(lower, values, sizeof *owning.owned),
        .owner = lower_alloc(lower, values, sizeof *owning.owner),
    };
    if (lower_failed(lower) || lower->module->narrow)
        return;
    const size_t instructions = lower->instruction_count;
    for (uint32_t i = 1; i < instructions; i++) {
        if (!lower->instructions[i].dead)
            look_at(&owning, &lower->instructions[i]);
    }
    for (uint32_t p = 1; p < lower->phi_count; p++) {
        const struct ir_phi *phi = &lower->phis[p];
        for (uint32_t o = 0; o < phi->operand_count && !phi->dead; o++)
            unite(&owning, phi->value, ir_same(lower, phi->operands[o].value));
    }
    lower->block = 0;
    const uint32_t place = lower->place;
    lower->place = 0; /* not that of the last instruction: these are of no line */
    for (uint32_t i = 1; i < instructions && !lower_failed(lower); i++) {
        if (!lower->instructions[i].dead)
            settle(&owning, i);
    }
    for (uint32_t p = 1; p < lower->phi_count && !lower_failed(lower); p++) {
        if (!lower->phis[p].dead)
            settle_phi(&owning, &lower->phis[p]);
    }
    if (!lower_failed(lower) && lower->blocks[0].count > entry_count)
        put_in_front(lower, entry_count);
    lower->place = place;
}
