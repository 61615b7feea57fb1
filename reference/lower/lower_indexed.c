/* A component by a computed index, `v[i]` (lower_parts.c), where v is in memory after all: the load
 * or store of a whole vector becomes one of
 *
 *     address + min(i, last) * size
 *
 * and the value goes through an extract of one component by i - min(i, last), which is undefined
 * where i names no component. Where that has been told of the index, nothing is accessed instead.
 */
#include "reference/lower/lower_private.h"
#include "reference/vm/memory.h"

void lower_add_indexed(struct lower *lower, bool floating)
{
    const struct ir_indexed indexed = {.instruction = lower->instruction_count - 1,
                                       .floating = floating};
    lower_append(lower, &lower->indexed, &lower->indexed_count, &lower->indexed_capacity, &indexed,
                 sizeof indexed);
}

/* ---- what there is ---- */

/* The instruction that values are the results of, from the first to the last; NULL when they are
 * not. */
static struct ir_instruction *maker_of(const struct lower *lower, const uint32_t *values,
                                       uint32_t count)
{
    const struct ir_value *first = &lower->values[values[0]];
    if (first->kind != IR_RESULT || lower->instructions[first->index].result_count != count)
        return NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (lower->instructions[first->index].result + i != values[i])
            return NULL;
    }
    return &lower->instructions[first->index];
}

/* The load that gives the vector in the first operands. NULL when it is not memory any more, also
 * where a variable that became a value holds what another load gave: what lies between that one and
 * here nobody has looked at. */
static struct ir_instruction *load_of(const struct lower *lower,
                                      const struct ir_instruction *instruction, uint32_t count)
{
    struct ir_instruction *load = maker_of(lower, &lower->operands[instruction->operand], count);
    return load != NULL && load->op == VM_OP_load && load->for_index && !load->dead ? load : NULL;
}

/* ---- what becomes of it ---- */

struct reached {
    uint32_t address;
    uint32_t beyond; /* index of 32 bits: 0 where the index names a component */
};

static struct reached reach(struct lower *lower, uint32_t address, uint32_t index, uint32_t count,
                            uint32_t width, bool told)
{
    const uint32_t least = ir_op2(lower, VM_OP_umin_32, index, ir_constant(lower, 4, count - 1));
    struct reached reached = {
        .address = ir_index(lower, address, ir_resize(lower, least, 8, false), width),
        .beyond = ir_op2(lower, VM_OP_isub_32, index, least),
    };
    if (told)
        reached.address =
            ir_select(lower, ir_op2(lower, VM_OP_ieq_32, reached.beyond, ir_constant(lower, 4, 0)),
                      reached.address, ir_constant(lower, 8, VM_POINTER_NOWHERE));
    return reached;
}

/* Like the access of the whole vector, but of one component; only its own alignment is known. */
static void make_like(struct ir_instruction *access, const struct ir_instruction *whole,
                      bool floating)
{
    const uint32_t alignment = whole->aux & VM_ACCESS_ALIGNMENT;
    const uint32_t own = (uint32_t)__builtin_ctz(whole->width);
    access->width = whole->width;
    access->count = 1;
    access->maybe_private = whole->maybe_private;
    access->aux = (whole->aux & (VM_ACCESS_VOLATILE | VM_ACCESS_CONSTANT)) |
                  (alignment < own ? alignment : own) | (floating ? VM_ACCESS_FLOATING : 0);
}

/* `told`: as of the extract or insert of all components. */
static uint32_t extract_one(struct lower *lower, uint32_t value, uint32_t beyond, uint32_t told)
{
    const uint32_t operands[] = {value, beyond};
    const uint32_t result =
        ir_emit(lower, VM_OP_extract, lower->values[value].width, 1, operands, 2);
    ir_last(lower)->aux = told;
    return result;
}

/* In the place of an extract of all components: its result is defined here instead. */
static bool narrow_extract(struct lower *lower, const struct ir_indexed *indexed)
{
    const struct ir_instruction extract = lower->instructions[indexed->instruction];
    const uint32_t count = extract.operand_count - 1;
    struct ir_instruction *load = load_of(lower, &extract, count);
    if (load == NULL)
        return false;
    load->dead = true;
    const struct ir_instruction whole = *load;
    const struct reached reached =
        reach(lower, lower->operands[whole.operand], lower->operands[extract.operand + count],
              count, whole.width, extract.aux != 0);
    const uint32_t value = ir_emit(lower, VM_OP_load, whole.width, 1, &reached.address, 1);
    make_like(ir_last(lower), &whole, indexed->floating);
    extract_one(lower, value, reached.beyond, extract.aux);
    ir_define(lower, extract.result);
    return true;
}

static bool narrow_store(struct lower *lower, const struct ir_indexed *indexed)
{
    const struct ir_instruction store = lower->instructions[indexed->instruction];
    const uint32_t count = store.operand_count - 1;
    const struct ir_instruction *insert =
        maker_of(lower, &lower->operands[store.operand + 1], count);
    struct ir_instruction *load = insert != NULL ? load_of(lower, insert, count) : NULL;
    if (load == NULL)
        return false;
    load->dead = true;
    const uint32_t part = lower->operands[insert->operand + count];
    const uint32_t index = lower->operands[insert->operand + count + 1];
    const uint32_t told = insert->aux;
    const struct reached reached =
        reach(lower, lower->operands[store.operand], index, count, store.width, told != 0);
    const uint32_t operands[] = {reached.address, extract_one(lower, part, reached.beyond, told)};
    ir_emit(lower, VM_OP_store, 0, 0, operands, 2);
    if (!lower_failed(lower))
        make_like(ir_last(lower), &store, indexed->floating);
    return true;
}

static bool narrow(struct lower *lower, const struct ir_indexed *indexed)
{
    lower->place = lower->instructions[indexed->instruction].place;
    return lower->instructions[indexed->instruction].op == VM_OP_store
               ? narrow_store(lower, indexed)
               : narrow_extract(lower, indexed);
}

void lower_indexed(struct lower *lower)
{
    const struct ir_indexed *next = lower->indexed;
    const struct ir_indexed *end = next + lower->indexed_count;
    const struct ir_indexed **by_instruction =
        lower->indexed_count > 0
            ? lower_alloc(lower, lower->instruction_count, sizeof *by_instruction)
            : NULL;
    if (by_instruction == NULL)
        return;
    for (; next < end; next++)
        by_instruction[next->instruction] = next;
    for (uint32_t b = 0; b < lower->block_count && !lower_failed(lower); b++) {
        const struct ir_block was = ir_empty_block(lower, b);
        for (uint32_t i = 0; i < was.count && !lower_failed(lower); i++) {
            const struct ir_indexed *indexed = by_instruction[was.instructions[i]];
            if (indexed == NULL || lower->instructions[was.instructions[i]].dead ||
                !narrow(lower, indexed))
                ir_append(lower, b, was.instructions[i]);
        }
    }
    lower->place = 0;
}
