#include "reference/vm/code.h"

#include "reference/vm/native.h"
#include "reference/vm/shape.h"
#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <string.h>

/* ---- names ---- */

static const char *const op_names[VM_OP_COUNT] = {
#define VM_OP(name) #name,
#include "reference/vm/op_list.h"
#undef VM_OP
};

const char *vm_op_name(enum vm_op op)
{
    return (unsigned)op < VM_OP_COUNT ? op_names[op] : "?";
}

/* ---- shapes ---- */

/* Widths and counts that the instruction says. */
enum { ITS_WIDTH = 0xFF, ITS_COUNT = 0xFF, ITS_PLACES = 0xFE };

/* clang-format off */
#define VARYING(width, count) {VM_OPERAND_ROW, width, count, false, false, false}
#define UNIFORM(width, count) {VM_OPERAND_ROW, width, count, true, false, false}
#define AFFINE(width) {VM_OPERAND_ROW, width, 1, false, true, false}
#define FLOATING(width) {VM_OPERAND_ROW, width, 1, false, false, true}
/* By the types' names in ops.def. */
#define FORM_none {VM_OPERAND_NONE, 0, 0, false, false, false}
#define FORM_block {VM_OPERAND_BLOCK, 0, 0, false, false, false}
#define FORM_number {VM_OPERAND_NUMBER, 0, 0, false, false, false}
#define FORM_mask VARYING(0, 1)
#define FORM_u8 VARYING(1, 1)
#define FORM_u16 VARYING(2, 1)
#define FORM_u32 VARYING(4, 1)
#define FORM_u64 VARYING(8, 1)
#define FORM_s8 FORM_u8
#define FORM_s16 FORM_u16
#define FORM_s32 FORM_u32
#define FORM_s64 FORM_u64
#define FORM_f16 FLOATING(2)
#define FORM_f32 FLOATING(4)
#define FORM_f64 FLOATING(8)
#define FORM_u8_u UNIFORM(1, 1)
#define FORM_u16_u UNIFORM(2, 1)
#define FORM_u32_u UNIFORM(4, 1)
#define FORM_u64_u UNIFORM(8, 1)
#define FORM_u8_a AFFINE(1)
#define FORM_u16_a AFFINE(2)
#define FORM_u32_a AFFINE(4)
#define FORM_u64_a AFFINE(8)
#define FORM_u32x2 VARYING(4, 2)
#define FORM_u64x3 VARYING(8, 3)
#define FORM_own VARYING(ITS_WIDTH, 1) /* of the instruction's width */
#define FORM_owns VARYING(ITS_WIDTH, ITS_COUNT)
#define FORM_owns_u UNIFORM(ITS_WIDTH, ITS_COUNT)
#define FORM_result FORM_own /* if there is one: dst is not 0 */
#define FORM_places VARYING(4, ITS_PLACES) /* in an image */
#define FORM_texel VARYING(4, ITS_COUNT)
#define FORM_texel_u UNIFORM(4, ITS_COUNT)
#define FORM_color VARYING(4, 4)

static const struct vm_op_form forms[VM_OP_COUNT] = {
#define FORMS(dst, a, b, c) {FORM_##dst, FORM_##a, FORM_##b, FORM_##c}
#define TWINS(name, traits, ...)                                                                            \
    [VM_OP_##name] = {__VA_ARGS__, VM_COMPUTES | VM_UNIFORM | VM_TWIN | (traits), false, false},            \
    [VM_OP_##name##_u] = {__VA_ARGS__, 0, true, false},
#define LANE(name, dst, a, b, c) TWINS(name, 0, FORMS(dst, a, b, c))
#define TRIPLET(name, dst, a, b)                                                                            \
    TWINS(name, VM_AFFINE, FORMS(dst, a, b, none))                                                          \
    [VM_OP_##name##_a] = {FORMS(dst, a, b, none), 0, false, true},
#define AFFINE1(how, name, dst, a, expression) TRIPLET(name, dst, a, none)
#define AFFINE2(how, name, dst, a, b, expression) TRIPLET(name, dst, a, b)
#define AFFINE_CMP2(how, name, a, b, expression) TRIPLET(name, mask, a, b)
#define OP1(name, dst, a, expression) LANE(name, dst, a, none, none)
#define OP2(name, dst, a, b, expression) LANE(name, dst, a, b, none)
#define OP3(name, dst, a, b, c, expression) LANE(name, dst, a, b, c)
#define SPECIAL(name, dst, a, b, c, traits, text)                                                           \
    [VM_OP_##name] = {FORMS(dst, a, b, c), traits, false, false},
#include "reference/vm/ops.def"
#undef LANE
#undef TRIPLET
#undef TWINS
#undef FORMS
};
/* clang-format on */

const struct vm_op_form *vm_op_form(enum vm_op op)
{
    return &forms[op];
}

uint32_t vm_op_traits(enum vm_op op)
{
    return forms[op].traits;
}

bool vm_op_commutes(enum vm_op op)
{
    static const uint16_t ops[] = {VM_OP_atomic_iadd, VM_OP_atomic_isub, VM_OP_atomic_smin,
                                   VM_OP_atomic_smax, VM_OP_atomic_umin, VM_OP_atomic_umax,
                                   VM_OP_atomic_and,  VM_OP_atomic_or,   VM_OP_atomic_xor};
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++) {
        if (ops[i] == op)
            return true;
    }
    return false;
}

enum vm_op vm_affine_op(enum vm_op op)
{
    ASSERT(forms[op].traits & VM_AFFINE);
    return (enum vm_op)(op + (forms[op].traits & VM_TWIN ? 2 : 1));
}

bool vm_reads_affine(enum vm_op op, uint32_t index)
{
    const uint32_t operand = VM_OPERAND_A + (index < 2 ? index : 2);
    return forms[op].affine || forms[op].operands[operand].affine;
}

static struct vm_operand row_of(uint32_t width, bool uniform, uint32_t count)
{
    return (struct vm_operand){.kind = VM_OPERAND_ROW,
                               .uniform = uniform && width != 0,
                               .units = uniform || width == 0 ? 1 : width,
                               .count = count};
}

static struct vm_operand operand_of(const struct vm_instruction *in,
                                    const struct vm_operand_form *form, const struct vm_op_form *op)
{
    if (form->kind != VM_OPERAND_ROW)
        return (struct vm_operand){.kind = (enum vm_operand_kind)form->kind};
    const uint32_t width = form->width == ITS_WIDTH ? in->width : form->width;
    const uint32_t count = form->count == ITS_COUNT    ? in->count
                           : form->count == ITS_PLACES ? vm_image_places(in->aux)
                                                       : form->count;
    struct vm_operand operand = row_of(width, op->uniform || form->uniform, count);
    operand.affine = form->affine || (op->affine && width != 0);
    return operand;
}

/* Operands that are not there, or other rows, as aux and count say. */
static void irregular_shape(const struct vm_instruction *in, struct vm_operand *operands)
{
    switch (in->op) {
    case VM_OP_undefine:
        operands[VM_OPERAND_DST] =
            row_of(in->width, in->aux & VM_UNDEFINE_UNIFORM, in->width == 0 ? 1 : in->count);
        break;
    case VM_OP_collective:
    case VM_OP_device_call:
        if (in->dst == 0)
            operands[VM_OPERAND_DST] = (struct vm_operand){.kind = VM_OPERAND_NONE};
        break;
    case VM_OP_subscript:
        operands[VM_OPERAND_A] = row_of(in->width, in->count & VM_SUBSCRIPT_UNIFORM, 1);
        operands[VM_OPERAND_A].affine = in->count & VM_SUBSCRIPT_AFFINE;
        if (in->count & VM_SUBSCRIPT_OF_VALUE)
            break;
        operands[VM_OPERAND_B] = row_of(8, in->count & VM_SUBSCRIPT_UNIFORM_ADDRESS, 1);
        operands[VM_OPERAND_B].affine = in->count & VM_SUBSCRIPT_AFFINE_ADDRESS;
        break;
    case VM_OP_sub_group_block:
        if (in->aux & VM_BLOCK_IMAGE)
            operands[VM_OPERAND_C] = row_of(8, false, 1);
        break;
    default:
        break;
    }
}

void vm_shape_get(const struct vm_instruction *in, struct vm_shape *shape)
{
    const struct vm_op_form *form = &forms[in->op];
    shape->traits = form->traits;
    for (uint32_t i = 0; i < VM_OPERAND_COUNT; i++)
        shape->operands[i] = operand_of(in, &form->operands[i], form);
    irregular_shape(in, shape->operands);
}

/* ---- the check ---- */

static bool width_valid(const struct vm_instruction *in)
{
    return in->width == 1 || in->width == 2 || in->width == 4 || in->width == 8 ||
           (in->op == VM_OP_undefine && in->width == 0);
}

static void check_instruction(const struct vm_code *code, const struct vm_instruction *in,
                              bool last)
{
    struct vm_shape shape;
    ASSERT(in->op < VM_OP_COUNT);
    vm_shape_get(in, &shape);
    ASSERT(((shape.traits & VM_ENDS_BLOCK) != 0) == last);
    const uint32_t values[VM_OPERAND_COUNT] = {in->dst, in->a, in->b, in->c};
    for (uint32_t i = 0; i < VM_OPERAND_COUNT; i++) {
        const struct vm_operand *operand = &shape.operands[i];
        if (operand->kind == VM_OPERAND_BLOCK)
            ASSERT(values[i] < code->block_count);
        if (operand->kind == VM_OPERAND_ROW)
            ASSERT(values[i] > operand->affine &&
                   (uint64_t)values[i] + (uint64_t)operand->units * operand->count <=
                       code->frame_units);
    }
    if (shape.traits & VM_SIZED)
        ASSERT(width_valid(in));
    if ((shape.traits & (VM_MEMORY | VM_SIZED | VM_ORDERED)) == (VM_MEMORY | VM_SIZED))
        ASSERT(in->count >= 1 && (uint32_t)in->width * in->count <= 128);
    if (shape.traits & VM_ORDERED)
        ASSERT(in->aux < code->atomic_count);
    if (shape.traits & VM_BARRIER)
        ASSERT(in->aux < code->barrier_count);
    if (in->op == VM_OP_subscript)
        ASSERT(in->aux < code->subscript_count);
    if (in->op == VM_OP_printf)
        ASSERT(in->aux < code->print_count);
    if (in->op == VM_OP_device_call)
        ASSERT(in->aux < code->device_call_count);
    if (in->op == VM_OP_sub_group_reduce)
        ASSERT(in->aux < code->reduction_count && forms[code->reductions[in->aux].combine].uniform);
    if (in->op == VM_OP_spin || in->op == VM_OP_spin_begin)
        ASSERT(in->aux < code->spin_count);
}

static void check_row(const struct vm_code *code, vm_row row, uint32_t units)
{
    ASSERT(row > 0 && row < code->frame_units && units <= code->frame_units - row);
}

static void check_launch_rows(const struct vm_code *code)
{
    for (uint32_t i = 0; i < code->constant_count; i++) {
        const struct vm_constant *constant = &code->constants[i];
        check_row(code, constant->row, constant->uniform || !constant->width ? 1 : constant->width);
    }
    for (uint32_t query = 0; query < VM_QUERY_COUNT; query++) {
        for (uint32_t d = 0; d < 3; d++) {
            if (code->query_rows[query][d])
                check_row(code, code->query_rows[query][d],
                          query <= VM_QUERY_SUB_GROUP_SIZE ? 8 : 1);
        }
    }
    for (uint32_t i = 0; i < code->parameter_count; i++) {
        const struct vm_parameter *parameter = &code->parameters[i];
        if (parameter->row)
            check_row(code, parameter->row,
                      parameter->kind == VM_PARAMETER_VALUE ? parameter->count : 1);
    }
    for (uint32_t i = 0; i < code->variable_count; i++) {
        const struct vm_variable *variable = &code->variables[i];
        check_row(code, variable->row, 1);
        ASSERT(variable->size > 0);
        ASSERT(variable->parameter < (int64_t)code->parameter_count);
        if (variable->region == VM_VARIABLE_PRIVATE)
            ASSERT(variable->private_offset <= code->private_size &&
                   variable->size <= code->private_size - variable->private_offset);
    }
    for (uint32_t i = 0; i < code->global_count; i++)
        check_row(code, code->globals[i].row, 1);
}

static void check_prints(const struct vm_code *code)
{
    for (uint32_t i = 0; i < code->print_count; i++) {
        const struct vm_print *print = &code->prints[i];
        uint32_t row = 0;
        ASSERT(print->argument_count <= VM_PRINT_ARGUMENTS_MAX);
        for (uint32_t a = 0; a < print->argument_count; a++) {
            const struct vm_print_argument *argument = &print->arguments[a];
            ASSERT(argument->count <= 16 && argument->count <= print->row_count - row);
            for (uint32_t c = 0; c < argument->count; c++)
                check_row(code, print->rows[row++], argument->width);
        }
        ASSERT(row == print->row_count);
    }
}

static void check_device_calls(const struct vm_code *code)
{
    for (uint32_t i = 0; i < code->device_call_count; i++) {
        const struct vm_device_call *call = &code->device_calls[i];
        for (uint32_t k = 0; k < call->row_count; k++)
            check_row(code, call->rows[k], 8);
    }
}

static void check_collective(const struct vm_code *code, const struct vm_barrier *barrier)
{
    const uint32_t units = barrier->width == 0 ? 1 : barrier->width;
    const bool waits =
        barrier->collective == VM_COLLECTIVE_NONE || barrier->collective == VM_COLLECTIVE_WAIT ||
        barrier->collective == VM_COLLECTIVE_COPY_FENCE ||
        barrier->collective == VM_COLLECTIVE_MEET || barrier->collective == VM_COLLECTIVE_AGREE ||
        barrier->collective == VM_COLLECTIVE_BLOCK || barrier->collective == VM_COLLECTIVE_COMMIT ||
        barrier->collective == VM_COLLECTIVE_NAMED;
    /* One that cannot be reached has no arguments. */
    ASSERT(waits || !barrier->result == !barrier->argument_count);
    if (barrier->result)
        check_row(code, barrier->result, units);
    for (uint32_t k = 0; k < barrier->argument_count; k++)
        check_row(code, barrier->arguments[k], k == 0 ? units : 8);
}

void vm_code_check(const struct vm_code *code)
{
    ASSERT(code->block_count > 0 && code->frame_units > 0);
    for (uint32_t i = 0; i < code->block_count; i++) {
        const struct vm_block *block = &code->blocks[i];
        ASSERT(block->count > 0 && block->first <= code->instruction_count &&
               block->count <= code->instruction_count - block->first);
        for (uint32_t k = 0; k < block->count; k++)
            check_instruction(code, &code->instructions[block->first + k], k == block->count - 1);
    }
    for (uint32_t i = 0; i < code->barrier_count; i++) {
        const struct vm_barrier *barrier = &code->barriers[i];
        ASSERT(barrier->next < code->block_count);
        for (uint32_t k = 0; k < barrier->counter_count; k++)
            check_row(code, barrier->counters[k], barrier->counters_uniform ? 1 : 4);
        check_collective(code, barrier);
    }
    for (uint32_t i = 0; i < code->spin_count; i++) {
        const struct vm_spin *spin = &code->spins[i];
        for (uint32_t k = 0; k < 2 * spin->row_count; k++)
            check_row(code, spin->rows[k], spin->widths[k / 2] ? spin->widths[k / 2] : 1);
    }
    check_prints(code);
    check_device_calls(code);
    check_launch_rows(code);
}

/* ---- places ---- */

void vm_code_describe(const void *code_of_launch, uint32_t site, struct observer_place *place)
{
    const struct vm_code *code = code_of_launch;
    place->frame_count = 0;
    if (site >= code->instruction_count || !code->instruction_places)
        return;
    uint32_t index = code->instruction_places[site];
    while (index != 0 && index < code->place_count && place->frame_count < OBSERVER_FRAME_MAX) {
        const struct vm_place *from = &code->places[index];
        struct observer_frame *frame = &place->frames[place->frame_count++];
        *frame = (struct observer_frame){.function = from->function,
                                         .file = from->file,
                                         .line = from->line,
                                         .column = from->column};
        if (code->source_line && from->line)
            frame->source = code->source_line(code->program, from->file, from->line);
        index = from->caller;
    }
}

void vm_code_find_homes(const struct vm_code *code, bool *units)
{
    for (uint32_t v = 0; v < code->debug_variable_count; v++) {
        for (uint32_t h = 0; h < code->debug_variables[v].home_count; h++) {
            const struct vm_home *home = &code->debug_variables[v].homes[h];
            memset(units + home->row, true, home->width ? home->width : 1);
        }
    }
}

void vm_code_destroy(struct vm_code *code)
{
    if (!code)
        return;
    if (code->native)
        code->native->destroy(code->native);
    struct arena arena = code->arena;
    arena_release(&arena);
}
