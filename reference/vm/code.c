#include "reference/vm/code.h"

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

/* Bytes of an element, by the type's name in ops.def; 0 is a mask. */
enum {
    SIZE_none = 0xFF,
    SIZE_mask = 0,
    SIZE_u8 = 1,
    SIZE_u16 = 2,
    SIZE_u32 = 4,
    SIZE_u64 = 8,
    SIZE_s8 = 1,
    SIZE_s16 = 2,
    SIZE_s32 = 4,
    SIZE_s64 = 8,
    SIZE_f16 = 2,
    SIZE_f32 = 4,
    SIZE_f64 = 8
};

/* Of lane ops; all SIZE_none for the named ones. */
static const struct lane_shape {
    uint8_t sizes[VM_OPERAND_COUNT];
    bool uniform;
} lane_shapes[VM_OP_COUNT] = {
/* clang-format off */
#define LANE(name, dst, a, b, c)                                                                            \
    [VM_OP_##name] = {{SIZE_##dst, SIZE_##a, SIZE_##b, SIZE_##c}, false},                                   \
    [VM_OP_##name##_u] = {{SIZE_##dst, SIZE_##a, SIZE_##b, SIZE_##c}, true},
#define OP1(name, dst, a, expression) LANE(name, dst, a, none, none)
#define OP2(name, dst, a, b, expression) LANE(name, dst, a, b, none)
#define OP3(name, dst, a, b, c, expression) LANE(name, dst, a, b, c)
#define OPEN1(name, dst, a, cause, defined, expression) OP1(name, dst, a, expression)
#define OPEN2(name, dst, a, b, cause, defined, expression) OP2(name, dst, a, b, expression)
#define OPEN3(name, dst, a, b, c, cause, defined, expression) OP3(name, dst, a, b, c, expression)
#define CALL1(name, dst, a, expression) LANE(name, dst, a, none, none)
#define CALL2(name, dst, a, b, expression) LANE(name, dst, a, b, none)
#define CALL3(name, dst, a, b, c, expression) LANE(name, dst, a, b, c)
#define NEAR1(name, dst, a, near, expression) LANE(name, dst, a, none, none)
#define NEAR2(name, dst, a, b, near, expression) LANE(name, dst, a, b, none)
#define CMP1(name, a, expression) LANE(name, mask, a, none, none)
#define CMP2(name, a, b, expression) LANE(name, mask, a, b, none)
#define SPECIAL(name, text) [VM_OP_##name] = {{SIZE_none, SIZE_none, SIZE_none, SIZE_none}, false},
#include "reference/vm/ops.def"
#undef LANE
    /* clang-format on */
};

static struct vm_operand row_of(uint32_t width, bool uniform, uint32_t count)
{
    const uint32_t units = uniform || width == 0 ? 1 : width;
    return (struct vm_operand){
        .kind = VM_OPERAND_ROW, .units = units, .stride = units, .count = count};
}

static void lane_shape(const struct lane_shape *lane, struct vm_shape *shape)
{
    for (uint32_t i = 0; i < VM_OPERAND_COUNT; i++) {
        if (lane->sizes[i] != SIZE_none)
            shape->operands[i] = row_of(lane->sizes[i], lane->uniform, 1);
    }
}

/* Rows of `width` bytes as dst, a, b, c, as many of them as `text` names. */
static void row_shape(struct vm_shape *shape, const char *text, uint32_t width, bool uniform)
{
    static const char letters[] = "dabc";
    for (; *text; text++)
        shape->operands[strchr(letters, *text) - letters] = row_of(width, uniform, 1);
}

static void atomic_shape(const struct vm_instruction *in, struct vm_shape *shape)
{
    struct vm_operand *operands = shape->operands;
    shape->atomic = shape->memory = shape->sized = true;
    operands[VM_OPERAND_A] = row_of(8, false, 1);
    if (in->op != VM_OP_atomic_store)
        operands[VM_OPERAND_DST] = row_of(in->width, false, 1);
    if (in->op != VM_OP_atomic_load)
        operands[VM_OPERAND_B] = row_of(in->width, false, 1);
    if (in->op == VM_OP_atomic_compare_exchange)
        operands[VM_OPERAND_C] = row_of(in->width, false, 1);
}

static void memory_shape(const struct vm_instruction *in, struct vm_shape *shape)
{
    struct vm_operand *operands = shape->operands;
    const bool uniform = in->op == VM_OP_load_u;
    shape->memory = true;
    shape->sized = in->op != VM_OP_copy_memory;
    operands[VM_OPERAND_A] = row_of(8, uniform, 1);
    if (in->op == VM_OP_store)
        operands[VM_OPERAND_B] = row_of(in->width, false, in->count);
    else if (in->op != VM_OP_copy_memory)
        operands[VM_OPERAND_DST] = row_of(in->width, uniform, in->count);
    if (in->op == VM_OP_copy_memory) {
        operands[VM_OPERAND_B] = row_of(8, false, 1);
        operands[VM_OPERAND_C].kind = VM_OPERAND_NUMBER;
    }
}

static void control_shape(const struct vm_instruction *in, struct vm_shape *shape)
{
    shape->terminator = true;
    shape->barrier = in->op == VM_OP_barrier;
    if (in->op == VM_OP_branch || in->op == VM_OP_branch_if || in->op == VM_OP_spin)
        shape->operands[VM_OPERAND_A].kind = VM_OPERAND_BLOCK;
    if (in->op == VM_OP_branch_if) {
        shape->operands[VM_OPERAND_B].kind = VM_OPERAND_BLOCK;
        shape->operands[VM_OPERAND_C] = row_of(0, true, 1);
    }
}

static void component_shape(const struct vm_instruction *in, struct vm_shape *shape)
{
    struct vm_operand *operands = shape->operands;
    shape->sized = true;
    operands[VM_OPERAND_A] = row_of(in->width, false, in->count);
    if (in->op == VM_OP_extract) {
        operands[VM_OPERAND_DST] = row_of(in->width, false, 1);
        operands[VM_OPERAND_B] = row_of(4, false, 1);
    } else {
        operands[VM_OPERAND_DST] = row_of(in->width, false, in->count);
        operands[VM_OPERAND_B] = row_of(in->width, false, 1);
        operands[VM_OPERAND_C] = row_of(4, false, 1);
    }
}

static void image_shape(const struct vm_instruction *in, struct vm_shape *shape)
{
    struct vm_operand *operands = shape->operands;
    const bool uniform = in->op == VM_OP_image_query_u;
    const bool query = uniform || in->op == VM_OP_image_query;
    shape->memory = shape->sized = true;
    operands[VM_OPERAND_A] = row_of(8, uniform, 1);
    if (!query)
        operands[VM_OPERAND_B] = row_of(4, false, vm_image_places(in->aux));
    if (in->op == VM_OP_image_write)
        operands[VM_OPERAND_C] = row_of(4, false, 4);
    else
        operands[VM_OPERAND_DST] = row_of(4, uniform, in->count);
    if (in->op == VM_OP_image_sample)
        operands[VM_OPERAND_C] = row_of(8, false, 1);
}

static void image_block_shape(const struct vm_instruction *in, struct vm_shape *shape)
{
    struct vm_operand *operands = shape->operands;
    shape->memory = shape->sized = true;
    operands[VM_OPERAND_A] = row_of(8, false, 1);
    operands[VM_OPERAND_B] = row_of(4, false, 2);
    operands[in->op == VM_OP_image_block_write ? VM_OPERAND_C : VM_OPERAND_DST] =
        row_of(in->width, false, 1);
}

static void pipe_shape(const struct vm_instruction *in, struct vm_shape *shape)
{
    struct vm_operand *operands = shape->operands;
    const bool plain = in->op == VM_OP_pipe_read || in->op == VM_OP_pipe_write;
    const bool reserved = in->op == VM_OP_pipe_read_reserved || in->op == VM_OP_pipe_write_reserved;
    operands[VM_OPERAND_A] = row_of(8, false, 1);
    if (in->op != VM_OP_pipe_query)
        operands[VM_OPERAND_B] = row_of(8, false, reserved ? 3 : 1);
    if (in->op != VM_OP_pipe_commit)
        operands[VM_OPERAND_DST] = row_of(in->op == VM_OP_pipe_reserve ? 8 : 4, false, 1);
    if (plain || reserved)
        operands[VM_OPERAND_C].kind = VM_OPERAND_NUMBER;
}

static void sub_group_shape(const struct vm_instruction *in, struct vm_shape *shape)
{
    const bool predicate = in->op == VM_OP_sub_group_vote || in->op == VM_OP_sub_group_ballot;
    const uint32_t result = in->op == VM_OP_sub_group_ballot ? 8 : in->width;
    row_shape(shape, "a", predicate ? 0 : in->width, false);
    row_shape(shape, "d", predicate && in->op == VM_OP_sub_group_vote ? 0 : result, false);
    if (in->op == VM_OP_sub_group_shuffle)
        row_shape(shape, "b", 8, false);
    shape->sized = !predicate;
}

void vm_shape_get(const struct vm_instruction *in, struct vm_shape *shape)
{
    *shape = (struct vm_shape){.terminator = false};
    switch ((enum vm_op)in->op) {
#define ROWS(W)                                                                                    \
    case VM_OP_splat_##W:                                                                          \
        row_shape(shape, "d", W / 8, false);                                                       \
        row_shape(shape, "a", W / 8, true);                                                        \
        break;                                                                                     \
    case VM_OP_mov_##W:                                                                            \
    case VM_OP_set_##W:                                                                            \
        row_shape(shape, "da", W / 8, false);                                                      \
        break;                                                                                     \
    case VM_OP_select_##W:                                                                         \
        row_shape(shape, "dab", W / 8, false);                                                     \
        row_shape(shape, "c", 0, true);                                                            \
        break;
        ROWS(8)
        ROWS(16)
        ROWS(32)
        ROWS(64)
#undef ROWS
    case VM_OP_index_64:
    case VM_OP_index_64_u:
        row_shape(shape, "dab", 8, in->op == VM_OP_index_64_u);
        shape->operands[VM_OPERAND_C].kind = VM_OPERAND_NUMBER;
        break;
    case VM_OP_select_u:
    case VM_OP_mask_select:
        row_shape(shape, "dabc", 0, true);
        break;
    case VM_OP_mov_u:
    case VM_OP_mov_mask:
    case VM_OP_set_mask:
    case VM_OP_mask_not:
        row_shape(shape, "da", 0, true);
        break;
    case VM_OP_mask_and:
    case VM_OP_mask_or:
    case VM_OP_mask_xor:
        row_shape(shape, "dab", 0, true);
        break;
    case VM_OP_undefine:
        shape->sized = true;
        shape->operands[VM_OPERAND_DST] =
            row_of(in->width, in->aux & VM_UNDEFINE_UNIFORM, in->width == 0 ? 1 : in->count);
        break;
    case VM_OP_branch:
    case VM_OP_branch_if:
    case VM_OP_return:
    case VM_OP_unreachable:
    case VM_OP_barrier:
    case VM_OP_spin:
        control_shape(in, shape);
        break;
    case VM_OP_load:
    case VM_OP_load_u:
    case VM_OP_store:
    case VM_OP_copy_memory:
        memory_shape(in, shape);
        break;
    case VM_OP_pack_pointer:
        row_shape(shape, "d", 4, false);
        row_shape(shape, "a", 8, false);
        break;
    case VM_OP_unpack_pointer:
        row_shape(shape, "d", 8, false);
        row_shape(shape, "a", 4, false);
        break;
    case VM_OP_region:
        shape->operands[VM_OPERAND_DST] = row_of(4, false, 1);
        shape->operands[VM_OPERAND_A] = row_of(8, false, 1);
        break;
    case VM_OP_image_read:
    case VM_OP_image_sample:
    case VM_OP_image_write:
    case VM_OP_image_query:
    case VM_OP_image_query_u:
        image_shape(in, shape);
        break;
    case VM_OP_image_block_read:
    case VM_OP_image_block_write:
        image_block_shape(in, shape);
        break;
    case VM_OP_pipe_read:
    case VM_OP_pipe_write:
    case VM_OP_pipe_read_reserved:
    case VM_OP_pipe_write_reserved:
    case VM_OP_pipe_reserve:
    case VM_OP_pipe_commit:
    case VM_OP_pipe_query:
        pipe_shape(in, shape);
        break;
    case VM_OP_fence:
        shape->atomic = true;
        break;
    case VM_OP_collective:
    case VM_OP_device_call:
        if (in->dst)
            row_shape(shape, "d", in->width, false);
        break;
    case VM_OP_remark:
        row_shape(shape, "a", 0, false);
        break;
    case VM_OP_life_begin:
    case VM_OP_life_end:
        row_shape(shape, "a", 8, true);
        break;
    case VM_OP_subscript:
        shape->sized = true;
        row_shape(shape, "a", in->width, (in->count & VM_SUBSCRIPT_UNIFORM) != 0);
        if (!(in->count & VM_SUBSCRIPT_OF_VALUE))
            row_shape(shape, "b", 8, (in->count & VM_SUBSCRIPT_UNIFORM_ADDRESS) != 0);
        break;
    case VM_OP_sub_group_same:
        row_shape(shape, "a", 8, false);
        break;
    case VM_OP_sub_group_cluster:
        break;
    case VM_OP_sub_group_block:
        row_shape(shape, in->aux & VM_BLOCK_IMAGE ? "abc" : "ab", 8, false);
        break;
    case VM_OP_sub_group_vote:
    case VM_OP_sub_group_ballot:
    case VM_OP_sub_group_shuffle:
    case VM_OP_sub_group_reduce:
        sub_group_shape(in, shape);
        break;
    VM_CASES_ATOMIC:
        atomic_shape(in, shape);
        break;
    case VM_OP_extract:
    case VM_OP_insert:
        component_shape(in, shape);
        break;
    case VM_OP_spin_begin: /* no operands */
        break;
    default:
        lane_shape(&lane_shapes[in->op], shape);
        break;
    }
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
    ASSERT(shape.terminator == last);
    const uint32_t values[VM_OPERAND_COUNT] = {in->dst, in->a, in->b, in->c};
    for (uint32_t i = 0; i < VM_OPERAND_COUNT; i++) {
        const struct vm_operand *operand = &shape.operands[i];
        if (operand->kind == VM_OPERAND_BLOCK)
            ASSERT(values[i] < code->block_count);
        if (operand->kind == VM_OPERAND_ROW)
            ASSERT(values[i] > 0 &&
                   (uint64_t)values[i] + (uint64_t)operand->stride * operand->count <=
                       code->frame_units);
    }
    if (shape.sized)
        ASSERT(width_valid(in));
    if (shape.memory && shape.sized && !shape.atomic)
        ASSERT(in->count >= 1 && (uint32_t)in->width * in->count <= 128);
    if (shape.atomic)
        ASSERT(in->aux < code->atomic_count);
    if (shape.barrier)
        ASSERT(in->aux < code->barrier_count);
    if (in->op == VM_OP_subscript)
        ASSERT(in->aux < code->subscript_count);
    if (in->op == VM_OP_printf)
        ASSERT(in->aux < code->print_count);
    if (in->op == VM_OP_device_call)
        ASSERT(in->aux < code->device_call_count);
    if (in->op == VM_OP_sub_group_reduce)
        ASSERT(in->aux < code->reduction_count &&
               lane_shapes[code->reductions[in->aux].combine].uniform);
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
            check_row(code, barrier->counters[k], 4);
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

void vm_code_destroy(struct vm_code *code)
{
    if (!code)
        return;
    struct arena arena = code->arena;
    arena_release(&arena);
}
