/* Lane code before its rows are known. A *slot* is what will be a row, or several in a row: it has
 * a size in units and a life from its first write to its last use; slots whose lives do not meet
 * share units. */
#ifndef REFERENCE_LOWER_PASSES_LOWER_SLOTS_H
#define REFERENCE_LOWER_PASSES_LOWER_SLOTS_H

#include "reference/lower/lower_private.h"

struct slot {
    uint32_t units;
    uint32_t group,
        index; /* a part of another slot: its units start `index` after the group's; 0 = none */
    uint32_t block; /* where it is defined, for loops around */
    bool permanent; /* filled by the launch, or named in reports */
    bool written;
    uint32_t start, end; /* positions of instructions */
    vm_row row;
    const char *name;
    uint64_t part; /* as ir_undefined has it */
};

/* An instruction whose rows are slots, and whose blocks are positions. */
struct slotted {
    struct vm_instruction instruction;
    uint32_t place, block;
    const uint32_t
        *extra; /* more slots that it reads: the counters of a barrier, printf's values */
    uint32_t extra_count;
};

struct selection {
    struct lower *lower;
    struct slot *slots; /* 0 is none */
    uint32_t slot_count, slot_capacity;
    uint32_t *uniform, *varying; /* slot by value; a boolean has `varying` alone */
    /* By value: somebody reads its varying row, and as terms; as elements. Of uniform values, that
     * there is such a row. */
    bool *reads_terms, *reads_elements;
    bool *own_set; /* by value: must be written by a set op */
    struct slotted *code;
    uint32_t code_count, code_capacity;
    struct slotted *prologue; /* once per vector, before everything */
    uint32_t prologue_count, prologue_capacity;
    uint32_t block, place;
    uint32_t *block_first;  /* index into code, by position of the block */
    uint32_t *block_number; /* in the code, by position */
    bool *maybe_undefined;  /* by phi: a way leads to it on which nobody defined its variable */
    struct vm_constant *constants; /* `row` is the slot */
    uint32_t constant_count, constant_capacity;
    uint32_t *parameter_slots; /* by parameter: group */
    uint32_t *variable_slots;  /* by variable */
    uint32_t *variable_index;  /* by variable: its index in the code + 1; 0 = it is not there */
    uint32_t mark_slot;        /* of instructions that mark statements */
    uint32_t *global_slots;    /* by index of the module's variable */
    uint32_t query_slots[VM_QUERY_COUNT][3];
};

/* ---- slots ---- */

uint32_t slot_add(struct selection *selection, uint32_t units, uint32_t block);
/* A slot for an affine row of elements of `width` bytes. */
uint32_t slot_add_affine(struct selection *selection, uint32_t width, uint32_t block);
/* A slot for part `index` (in units) of a group. */
uint32_t slot_part(struct selection *selection, uint32_t group, uint32_t index, uint32_t units);
void slot_make_permanent(struct selection *selection, uint32_t slot);
/* The slot in *cached, which is filled by the launch: made the first time. */
uint32_t slot_permanent(struct selection *selection, uint32_t *cached, uint32_t units);

/* ---- slots of values ---- */

/* Where a value is read in its uniform or varying form; fails for one that is not made yet. */
uint32_t slot_uniform(struct selection *selection, uint32_t value);
uint32_t slot_varying(struct selection *selection, uint32_t value);
/* The first of the rows of `count` values, which are moved if they lie not one after the other. */
uint32_t slot_gather(struct selection *selection, const uint32_t *values, uint32_t count);
/* Where a result or phi lies. */
uint32_t slot_result(struct selection *selection, uint32_t value, bool uniform);
/* Where an instruction writes its results, in consecutive rows: the results' slots, or temporary
 * ones that slot_finish_result then sets into them. That also makes the varying twin of a uniform
 * result. Returns the first. */
uint32_t slot_begin_results(struct selection *selection, const struct ir_instruction *instruction,
                            bool uniform, uint32_t *parts);
void slot_finish_result(struct selection *selection, uint32_t value, bool uniform, uint32_t from);

/* ---- instructions, at the end of the code ---- */

/* In the block and at the place under way. */
void slotted_add(struct selection *selection, struct slotted made);
void slotted_unary(struct selection *selection, enum vm_op op, uint32_t dst, uint32_t a);
void slotted_move(struct selection *selection, uint32_t width, uint32_t dst, uint32_t a);
void slotted_set(struct selection *selection, uint32_t width, uint32_t dst, uint32_t a);
/* The last instruction added becomes its affine form, which writes elements, too, if these are
 * wanted. */
void slotted_make_affine(struct selection *selection, bool elements);
/* The varying twin of a uniform value, from the slot to its own. */
void slotted_splat(struct selection *selection, uint32_t value, uint32_t from);

/* ---- lower_rows.c ---- */

/* Gives every slot its row; lower_encode then writes the code. */
void lower_rows(struct selection *selection);
void lower_encode(struct selection *selection);

/* Does a varying operation read the uniform value? */
static inline bool slot_has_twin(const struct selection *selection, uint32_t value)
{
    return selection->reads_terms[value] || selection->reads_elements[value];
}

static inline uint32_t slot_units(uint32_t width)
{
    return width == 0 ? 1 : width;
}

#endif
