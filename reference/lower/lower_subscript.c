/* Subscripts of arrays that are parts of larger objects. C99, J.2: "An array subscript is out of
 * range, even if an object is apparently accessible with the given subscript (as in the lvalue
 * expression a[1][7] given the declaration int a[4][5])". An access chain keeps the steps that it
 * takes, and the access through it tests their subscripts; computing an address tests nothing. What
 * is computed from a pointer names no array: the steps end there.
 *
 * Chains are judged where we know the source. Optimisers of LLVM's code step over the ends of inner
 * arrays, and SPIR-V 1.6, OpAccessChain, asks for indices in bounds only of logical pointers. */
#include "reference/lower/lower_private.h"

#include <string.h>

/* One step of an access chain. */
struct lower_step {
    const struct lower_step *before;
    const struct spv_type *from; /* a structure, array or vector; of a cast what it led to */
    uint32_t member;             /* of a structure */
    uint32_t index;              /* of an array or vector: the value, 64 bits */
    bool whole;                  /* the array is all of its object, whose bounds are kept anyhow */
    bool cast;
};

/* ---- steps ---- */

bool lower_source_known(struct lower *lower, uint32_t spv_place)
{
    const struct spv_place *place = &lower->module->places[spv_place];
    if (lower->options.source_line == NULL || place->file == NULL || lower_failed(lower))
        return false;
    if (place->file != lower->asked_file) {
        lower->asked_file = place->file;
        lower->asked_known =
            lower->options.source_line(lower->options.program, place->file, place->line) != NULL;
    }
    return lower->asked_known;
}

static const struct lower_step *add_step(struct lower *lower, struct lower_step step)
{
    struct lower_step *made = lower_alloc(lower, 1, sizeof *made);
    if (made != NULL)
        *made = step;
    return made;
}

/* Is the array all of the variable at whose start the address is? */
static bool is_whole(const struct lower *lower, const struct spv_type *array, uint32_t address)
{
    const struct ir_value *value = &lower->values[address];
    if (value->bits != 0)
        return false;
    if (value->kind == IR_VARIABLE)
        return lower->variables[value->index].size == array->size;
    return value->kind == IR_GLOBAL &&
           spv_module_variable(lower->module, value->index)->size == array->size;
}

const struct lower_step *lower_step_into(struct lower *lower, const struct lower_step *before,
                                         const struct spv_type *type, uint32_t index,
                                         uint32_t address)
{
    if (!lower_source_known(lower, lower->at->place))
        return NULL;
    struct lower_step step = {.before = before, .from = type};
    if (type->kind == SPV_TYPE_STRUCT) {
        step.member = (uint32_t)lower->values[index].bits;
    } else {
        step.index = ir_resize(lower, index, 8, true);
        step.whole = is_whole(lower, type, address);
    }
    return add_step(lower, step);
}

/* What clang casts to access it: three components are stored as four, and what is copied whole as
 * bytes. Other casts make another thing of it. */
const struct lower_step *lower_step_cast(struct lower *lower, const struct ir_ref *from)
{
    if (from->step == NULL || from->step->cast || from->type->kind != SPV_TYPE_POINTER)
        return NULL;
    return add_step(lower, (struct lower_step){
                               .before = from->step, .from = from->type->element, .cast = true});
}

static bool is_four_of_three(const struct spv_type *to, const struct spv_type *from)
{
    return to->kind == SPV_TYPE_VECTOR && from->kind == SPV_TYPE_VECTOR && to->count == 4 &&
           from->count == 3 && to->element == from->element;
}

/* ---- accesses ---- */

/* An array of one element, or none, at the end of a structure is room for as many as there are
 * after it: the idiom of C before flexible array members. */
static bool is_flexible(const struct lower_step *step)
{
    return step->from->count <= 1 && step->before != NULL &&
           step->before->from->kind == SPV_TYPE_STRUCT &&
           step->before->member + 1 == step->before->from->member_count;
}

/* "struct S" of "struct.S", as clang calls it. */
static const char *structure_name(struct lower *lower, const struct spv_type *type)
{
    char *name = arena_string(&lower->code->arena, lower->module->ids[type->id].name);
    if (name == NULL) {
        lower_no_memory(lower);
        return NULL;
    }
    char *point = strchr(name, '.');
    if (point != NULL)
        *point = ' ';
    return name[0] != '\0' ? name : NULL;
}

static void emit(struct lower *lower, struct vm_subscript subscript, uint32_t index,
                 uint32_t address)
{
    const uint32_t operands[] = {index, address};
    ir_emit(lower, VM_OP_subscript, 0, 0, operands, 2);
    ir_last(lower)->aux = lower_append(lower, &lower->subscripts, &lower->subscript_count,
                                       &lower->subscript_capacity, &subscript, sizeof subscript);
}

static bool is_within(const struct lower *lower, uint32_t index, uint64_t count)
{
    return lower->values[index].kind == IR_CONSTANT && lower->values[index].bits < count;
}

static void test_step(struct lower *lower, const struct lower_step *step, uint32_t address,
                      enum observer_access_kind access, uint64_t size)
{
    const struct lower_step *before = step->before;
    if (step->from->kind == SPV_TYPE_STRUCT || step->whole || is_flexible(step) ||
        is_within(lower, step->index, step->from->count))
        return;
    struct vm_subscript subscript = {
        .access = access,
        .access_size = size < UINT32_MAX ? (uint32_t)size : UINT32_MAX,
        .array = {.count = step->from->count,
                  .element_size = step->from->element->size,
                  .is_vector = step->from->kind == SPV_TYPE_VECTOR,
                  .is_row = before != NULL && before->from->kind == SPV_TYPE_ARRAY}};
    if (before != NULL && before->from->kind == SPV_TYPE_STRUCT) {
        subscript.array.structure = structure_name(lower, before->from);
        subscript.array.member = before->member;
    }
    emit(lower, subscript, step->index, address);
}

void lower_test_subscripts(struct lower *lower, uint32_t operand, enum observer_access_kind access,
                           uint64_t size)
{
    if (lower->options.source_line == NULL)
        return;
    const struct ir_ref ref = lower_operand(lower, operand);
    const struct lower_step *step = ref.step;
    if (step == NULL || lower_failed(lower))
        return;
    const bool copies = lower->at->op == SpvOpCopyMemory || lower->at->op == SpvOpCopyMemorySized;
    if (step->cast && !copies && !is_four_of_three(ref.type->element, step->from))
        return;
    for (step = step->cast ? step->before : step; step != NULL && !lower_failed(lower);
         step = step->before)
        test_step(lower, step, ref.values[0], access, size);
}

bool lower_test_component(struct lower *lower, uint32_t index, uint64_t count, uint64_t size,
                          enum observer_access_kind access)
{
    if (!lower_source_known(lower, lower->at->place))
        return false;
    emit(lower,
         (struct vm_subscript){.access = access,
                               .access_size = (uint32_t)size,
                               .array = {.count = count, .element_size = size, .is_vector = true}},
         ir_resize(lower, index, 8, true), ir_constant(lower, 8, 0));
    return true;
}

/* ---- those that need no test ---- */

struct tested {
    uint32_t block;
    uint64_t count;
    struct tested *next;
};

/* How deep an index is looked into for what it cannot exceed. */
enum { DEPTH_MAX = 6 };

static uint64_t least_of(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t bits_limit(uint32_t width)
{
    return width >= 8 ? UINT64_MAX : (UINT64_C(1) << (8 * width)) - 1;
}

static uint64_t largest(const struct lower *lower, uint32_t index, unsigned depth);

static uint64_t operand_largest(const struct lower *lower, const struct ir_instruction *instruction,
                                uint32_t operand, unsigned depth)
{
    return largest(lower, ir_same(lower, lower->operands[instruction->operand + operand]),
                   depth + 1);
}

static uint32_t operand_width(const struct lower *lower, const struct ir_instruction *instruction)
{
    return lower->values[lower->operands[instruction->operand]].width;
}

static uint64_t result_largest(const struct lower *lower, const struct ir_instruction *instruction,
                               uint32_t width, unsigned depth)
{
    const uint64_t all = bits_limit(width);
    const uint64_t a = operand_largest(lower, instruction, 0, depth);
    switch (instruction->op) {
    case VM_OP_zext_8_16:
    case VM_OP_zext_8_32:
    case VM_OP_zext_8_64:
    case VM_OP_zext_16_32:
    case VM_OP_zext_16_64:
    case VM_OP_zext_32_64:
        return a;
    case VM_OP_sext_8_16:
    case VM_OP_sext_8_32:
    case VM_OP_sext_8_64:
    case VM_OP_sext_16_32:
    case VM_OP_sext_16_64:
    case VM_OP_sext_32_64:
        return a <= bits_limit(operand_width(lower, instruction)) / 2 ? a : all;
    case VM_OP_trunc_64_32:
        return a <= UINT32_MAX ? a : all;
    default:
        break;
    }
    if (instruction->operand_count < 2)
        return all;
    const uint64_t b = operand_largest(lower, instruction, 1, depth);
    switch (instruction->op) {
    case VM_OP_iand_8:
    case VM_OP_iand_16:
    case VM_OP_iand_32:
    case VM_OP_iand_64:
    case VM_OP_umin_32:
    case VM_OP_umin_64:
        return least_of(a, b);
    case VM_OP_umod_32:
    case VM_OP_umod_64:
        return b > 0 ? b - 1 : 0;
    case VM_OP_iadd_32:
    case VM_OP_iadd_64:
        return a <= all - b ? a + b : all;
    default:
        return all;
    }
}

/* The largest number, unsigned, that the value can be as far as a look at it says. */
static uint64_t largest(const struct lower *lower, uint32_t index, unsigned depth)
{
    const struct ir_value *value = &lower->values[index];
    const uint64_t all = bits_limit(value->width);
    if (value->kind == IR_CONSTANT)
        return value->bits;
    if (value->kind == IR_QUERY && value->index == VM_QUERY_LOCAL_ID && value->bits < 3 &&
        lower->code->required_local_size[value->bits] > 0)
        return lower->code->required_local_size[value->bits] - 1;
    if (value->kind != IR_RESULT || depth == DEPTH_MAX || value->width == 0)
        return all;
    const struct ir_instruction *instruction = &lower->instructions[value->index];
    if (!(vm_op_traits((enum vm_op)instruction->op) & VM_COMPUTES))
        return all;
    return least_of(all, result_largest(lower, instruction, value->width, depth));
}

/* The number before it was widened, if the test is the same for that. */
static uint32_t unwidened(const struct lower *lower, uint32_t index, struct vm_subscript *subscript)
{
    const struct ir_value *value = &lower->values[index];
    if (value->kind != IR_RESULT || subscript->array.count > INT32_MAX)
        return index;
    const struct ir_instruction *from = &lower->instructions[value->index];
    if (from->op != VM_OP_sext_32_64 && from->op != VM_OP_zext_32_64)
        return index;
    subscript->is_unsigned = from->op == VM_OP_zext_32_64;
    return ir_same(lower, lower->operands[from->operand]);
}

static bool tested_before(const struct flow *flow, const struct tested *tested, uint32_t block,
                          uint64_t count)
{
    for (; tested != NULL; tested = tested->next) {
        if (tested->count <= count && flow_dominates(flow, tested->block, block))
            return true;
    }
    return false;
}

/* A subscript that was tested on every way to here has been told. */
void lower_subscripts(struct lower *lower)
{
    if (lower->subscript_count == 0)
        return;
    struct tested **by_value = lower_alloc(lower, lower->value_count, sizeof *by_value);
    for (struct ir_walk walk = {0}; !lower_failed(lower) && ir_walk_next(lower, &walk);) {
        struct ir_instruction *instruction = walk.instruction;
        if (instruction->op != VM_OP_subscript)
            continue;
        const uint64_t count = lower->subscripts[instruction->aux].array.count;
        uint32_t *index = &lower->operands[instruction->operand];
        *index = unwidened(lower, *index, &lower->subscripts[instruction->aux]);
        instruction->dead = largest(lower, *index, 0) < count ||
                            tested_before(&lower->flow, by_value[*index], walk.block, count);
        struct tested *tested = instruction->dead ? NULL : lower_alloc(lower, 1, sizeof *tested);
        if (tested == NULL)
            continue;
        *tested = (struct tested){.block = walk.block, .count = count, .next = by_value[*index]};
        by_value[*index] = tested;
    }
    if (!lower_failed(lower))
        lower_clean(lower);
}
