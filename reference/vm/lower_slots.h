/* Lane code before its rows are known. A *slot* is what will be a row, or several in a row: it has
 * a size in units and a life from its first write to its last use; slots whose lives do not meet
 * share units. */
#ifndef REFERENCE_VM_LOWER_SLOTS_H
#define REFERENCE_VM_LOWER_SLOTS_H

#include "reference/vm/lower_private.h"

struct slot {
    uint32_t units;
    uint32_t group,
        index; /* a part of another slot: its units start `index` behind the group's; 0 = none */
    uint32_t block; /* where it is defined, for loops around */
    bool permanent; /* filled by the launch, or named in reports */
    bool written;
    uint32_t start, end; /* positions of instructions */
    vm_row row;
    const char *name;
};

/* An instruction whose dst, a, b, c are slots where the flags say so. */
struct slotted {
    struct vm_instruction instruction;
    bool dst, a, b, c;
    uint32_t place, block;
    const uint32_t
        *extra; /* more slots that it reads: the counters of a barrier, printf's values */
    uint32_t extra_count;
};

struct selection {
    struct lower *lower;
    struct slot *slots; /* 0 is none */
    size_t slot_count, slot_capacity;
    uint32_t *uniform, *varying; /* slot by value; a boolean has `varying` alone */
    bool *need_varying;          /* by value: a uniform one that a varying operation reads */
    bool *own_set;               /* by value: must be written by a set op */
    struct slotted *code;
    size_t code_count, code_capacity;
    struct slotted *prologue; /* once per vector, before everything */
    size_t prologue_count, prologue_capacity;
    bool in_prologue;
    uint32_t block, place;
    uint32_t *block_first;  /* index into code, by position of the block */
    uint32_t *block_number; /* in the code, by position */
    bool *maybe_undefined;  /* by phi: a way leads to it on which nobody defined its variable */
    struct vm_constant *constants;
    size_t constant_count, constant_capacity;
    uint32_t *constant_slots;
    size_t constant_slot_capacity;
    uint32_t *parameter_slots; /* by parameter: group */
    uint32_t *variable_slots;  /* by variable */
    uint32_t *global_slots;    /* by index of the module's variable */
    uint32_t query_slots[VM_QUERY_COUNT][3];
};

uint32_t slot_add(struct selection *selection, uint32_t units, uint32_t block);
/* A slot for part `index` (in units) of a group. */
uint32_t slot_part(struct selection *selection, uint32_t group, uint32_t index, uint32_t units);
/* Gives every slot its row; code_rows then writes the code. */
void lower_rows(struct selection *selection);
void lower_encode(struct selection *selection);

static inline uint32_t slot_units(uint32_t width)
{
    return width == 0 ? 1 : width;
}

#endif
