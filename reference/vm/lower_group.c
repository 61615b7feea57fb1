/* What the work-items of a group do together: barriers, collectives, asynchronous copies.
 *
 * All of them are barriers to the executor: lanes stop, and go on when all have come. A collective
 * has an instruction besides, the first of the block that the barrier leads to, which reads the
 * arguments and defines the result; by then the scheduler has put the result into its row. */
#include "reference/spirv/grammar.h"
#include "reference/vm/lower_private.h"

#include <string.h>

enum { EVENT_MAX = 32 };

/* ---- barriers ---- */

/* A barrier ends the block; what follows goes into a new one. Gives its index. */
static uint32_t end_block(struct lower *lower, const struct vm_barrier *barrier)
{
    const uint32_t next = ir_block_add(lower);
    struct ir_barrier *grown = lower_grow(lower, lower->barriers, lower->barrier_count,
                                          &lower->barrier_capacity, sizeof *grown);
    if (grown == NULL || lower_failed(lower))
        return 0;
    lower->barriers = grown;
    grown[lower->barrier_count] = (struct ir_barrier){.barrier = *barrier};
    struct ir_block *block = &lower->blocks[lower->block];
    block->exit = IR_EXIT_BARRIER;
    block->targets[0] = next;
    block->barrier = (uint32_t)lower->barrier_count;
    block->place = lower->place;
    lower->block = next;
    return (uint32_t)lower->barrier_count++;
}

static void translate_barrier(struct lower *lower)
{
    uint64_t execution;
    uint64_t memory;
    uint64_t semantics;
    struct vm_barrier barrier = {.collective = VM_COLLECTIVE_NONE};
    if (!lower_constant_operand(lower, 0, &execution) ||
        !lower_constant_operand(lower, 1, &memory) ||
        !lower_constant_operand(lower, 2, &semantics) ||
        !lower_find_scope(lower, execution, &barrier.execution) ||
        !lower_find_scope(lower, memory, &barrier.memory))
        return;
    if (barrier.execution != OBSERVER_SCOPE_WORK_GROUP &&
        barrier.execution != OBSERVER_SCOPE_SUB_GROUP) {
        lower_refuse(lower, "a barrier beyond the work-group");
        return;
    }
    barrier.order = lower_order(semantics);
    barrier.flags = lower_fence_flags(semantics);
    /* Its fences can synchronise with other groups, through atomic objects. */
    lower->code->uses_acquire |= barrier.memory > OBSERVER_SCOPE_WORK_GROUP;
    end_block(lower, &barrier);
}

/* ---- collectives ---- */

/* Stops the lanes, and defines the result of width `barrier->width` if there is one. */
static uint32_t collective(struct lower *lower, const struct vm_barrier *barrier, bool has_result,
                           const uint32_t *arguments, uint32_t count)
{
    const uint32_t index = end_block(lower, barrier);
    const uint32_t result =
        ir_emit(lower, VM_OP_collective, barrier->width, has_result ? 1 : 0, arguments, count);
    if (lower_failed(lower))
        return 0;
    ir_last(lower)->width = barrier->width;
    ir_last(lower)->count = 1;
    ir_last(lower)->aux = index;
    return result;
}

/* OpenCL environment specification 3.0, 2.9: the scope of group instructions is the work-group or
 * the sub-group. */
static bool group_scope(struct lower *lower, struct vm_barrier *barrier)
{
    uint64_t scope;
    if (!lower_constant_operand(lower, 0, &scope) ||
        !lower_find_scope(lower, scope, &barrier->execution))
        return false;
    barrier->memory = barrier->execution;
    if (barrier->execution == OBSERVER_SCOPE_WORK_GROUP)
        return true;
    lower_fail(lower, STATUS_UNSUPPORTED, "%s of a sub-group is not supported",
               spv_op_name(lower->at->op));
    return false;
}

static void translate_vote(struct lower *lower)
{
    struct vm_barrier barrier = {.collective = lower->at->op == SpvOpGroupAll ? VM_COLLECTIVE_ALL
                                                                              : VM_COLLECTIVE_ANY};
    const uint32_t predicate = lower_scalar(lower, 1);
    if (lower_failed(lower) || !group_scope(lower, &barrier))
        return;
    if (lower->values[predicate].width != 0) {
        lower_fail(lower, STATUS_MALFORMED, "%s of what is no boolean", spv_op_name(lower->at->op));
        return;
    }
    const uint32_t result = collective(lower, &barrier, true, &predicate, 1);
    if (!lower_failed(lower))
        lower_set_result(lower, &result, 1);
}

/* Each component of a vector goes by itself. */
static void translate_broadcast(struct lower *lower)
{
    struct vm_barrier barrier = {.collective = VM_COLLECTIVE_BROADCAST};
    const struct ir_ref value = lower_operand(lower, 1);
    const struct ir_ref id = lower_operand(lower, 2);
    uint32_t arguments[4];
    uint32_t results[16];
    if (lower_failed(lower) || !group_scope(lower, &barrier))
        return;
    if (id.count > 3 || value.count > 16) {
        lower_fail(lower, STATUS_MALFORMED, "OpGroupBroadcast with operands of other types");
        return;
    }
    for (uint32_t i = 0; i < id.count; i++)
        arguments[1 + i] = ir_resize(lower, id.values[i], 8, false);
    for (uint32_t c = 0; c < value.count && !lower_failed(lower); c++) {
        arguments[0] = value.values[c];
        barrier.width = lower->values[value.values[c]].width;
        results[c] = collective(lower, &barrier, true, arguments, 1 + id.count);
    }
    if (!lower_failed(lower))
        lower_set_result(lower, results, value.count);
}

/* ---- reductions and scans ---- */

/* By width of 1, 2, 4, 8 bytes; VM_OP_COUNT where there is none. */
struct reduction {
    uint16_t op;
    uint16_t combine[4];
    uint64_t identity[4]; /* OpenCL C 3.0, 6.15.16: of exclusive scans, their first value */
};

#define INTEGERS(name) IR_WIDTHS(name)
#define FLOATS(name)                                                                               \
    {                                                                                              \
        VM_OP_COUNT, VM_OP_##name##_f16, VM_OP_##name##_f32, VM_OP_##name##_f64                    \
    }

/* clang-format off */
static const struct reduction reductions[] = {
    {SpvOpGroupIAdd, INTEGERS(iadd), {0, 0, 0, 0}},
    {SpvOpGroupFAdd, FLOATS(fadd), {0, 0, 0, 0}},
    {SpvOpGroupSMin, INTEGERS(smin), {INT8_MAX, INT16_MAX, INT32_MAX, INT64_MAX}},
    {SpvOpGroupUMin, INTEGERS(umin), {UINT8_MAX, UINT16_MAX, UINT32_MAX, UINT64_MAX}},
    {SpvOpGroupFMin, FLOATS(fmin), {0, 0x7C00, 0x7F800000, 0x7FF0000000000000}},
    {SpvOpGroupSMax, INTEGERS(smax), {0x80, 0x8000, 0x80000000, 0x8000000000000000}},
    {SpvOpGroupUMax, INTEGERS(umax), {0, 0, 0, 0}},
    {SpvOpGroupFMax, FLOATS(fmax), {0, 0xFC00, 0xFF800000, 0xFFF0000000000000}},
};
/* clang-format on */

static bool describe_reduction(struct lower *lower, const struct reduction *row, uint32_t value,
                               struct vm_barrier *barrier)
{
    static const enum vm_collective kinds[] = {
        [SpvGroupOperationReduce] = VM_COLLECTIVE_REDUCE,
        [SpvGroupOperationInclusiveScan] = VM_COLLECTIVE_INCLUSIVE_SCAN,
        [SpvGroupOperationExclusiveScan] = VM_COLLECTIVE_EXCLUSIVE_SCAN,
    };
    const uint32_t operation = lower_word(lower, 1);
    const uint32_t width = lower->values[value].width;
    if (lower_failed(lower))
        return false;
    if (operation >= sizeof kinds / sizeof kinds[0] || width == 0 ||
        row->combine[ir_width_index(width)] == VM_OP_COUNT) {
        lower_fail(lower, STATUS_UNSUPPORTED, "%s of this kind or type is not supported",
                   spv_op_name(row->op));
        return false;
    }
    barrier->collective = kinds[operation];
    barrier->width = (uint8_t)width;
    barrier->combine = (enum vm_op)(row->combine[ir_width_index(width)] + 1); /* on uniform rows */
    barrier->identity = row->identity[ir_width_index(width)];
    return true;
}

static void translate_reduction(struct lower *lower, const struct reduction *row)
{
    struct vm_barrier barrier = {.collective = VM_COLLECTIVE_REDUCE};
    const struct ir_ref value = lower_operand(lower, 2);
    uint32_t results[16];
    if (lower_failed(lower) || !group_scope(lower, &barrier))
        return;
    for (uint32_t c = 0; c < value.count && c < 16; c++) {
        if (!describe_reduction(lower, row, value.values[c], &barrier))
            return;
        results[c] = collective(lower, &barrier, true, &value.values[c], 1);
    }
    if (!lower_failed(lower))
        lower_set_result(lower, results, value.count);
}

/* ---- asynchronous copies ---- */

static bool points_to(const struct spv_type *pointer, SpvStorageClass storage)
{
    return pointer->storage == storage;
}

/* Of `count` elements, `stride` elements apart on the side that is not local. */
static void translate_copy(struct lower *lower)
{
    const struct spv_type *to = NULL;
    const struct spv_type *from = NULL;
    struct vm_barrier barrier = {.collective = VM_COLLECTIVE_COPY, .width = 8};
    const uint32_t values[] = {lower_pointer_operand(lower, 1, &to),
                               lower_pointer_operand(lower, 2, &from), lower_scalar(lower, 3),
                               lower_scalar(lower, 4), lower_scalar(lower, 5)};
    if (lower_failed(lower) || !group_scope(lower, &barrier))
        return;
    barrier.to_local = points_to(to, SpvStorageClassWorkgroup);
    if (to->element->size != from->element->size || to->element->size == 0 ||
        to->element->size > 128 || (to->element->size & (to->element->size - 1)) != 0 ||
        barrier.to_local == points_to(from, SpvStorageClassWorkgroup)) {
        lower_fail(lower, STATUS_MALFORMED,
                   "OpGroupAsyncCopy between other things than local and global memory");
        return;
    }
    barrier.element_size = (uint32_t)to->element->size;
    const uint32_t arguments[] = {values[0], values[1], ir_resize(lower, values[2], 8, false),
                                  ir_resize(lower, values[3], 8, false), values[4]};
    const uint32_t event = collective(lower, &barrier, true, arguments, 5);
    if (!lower_failed(lower))
        lower_set_result(lower, &event, 1);
}

/* A number of events that is not a constant, or a large one, counts as all of them. */
static void translate_wait(struct lower *lower)
{
    const struct spv_type *pointer = NULL;
    struct vm_barrier barrier = {.collective = VM_COLLECTIVE_WAIT, .width = 8};
    const uint32_t count = lower_scalar(lower, 1);
    const uint32_t list = lower_pointer_operand(lower, 2, &pointer);
    uint32_t events[EVENT_MAX];
    uint32_t event_count = 0;
    if (lower_failed(lower) || !group_scope(lower, &barrier))
        return;
    if (pointer->element->op != SpvOpTypeEvent) {
        lower_fail(lower, STATUS_MALFORMED, "OpGroupWaitEvents for what are no events");
        return;
    }
    const struct ir_value known = lower->values[count];
    barrier.waits_for_all = known.kind != IR_CONSTANT || known.bits > EVENT_MAX;
    while (!barrier.waits_for_all && event_count < known.bits && !lower_failed(lower)) {
        lower_load(lower, ir_offset(lower, list, event_count * pointer->element->size), pointer,
                   pointer->element, 0, false, &events[event_count]);
        event_count++;
    }
    collective(lower, &barrier, false, events, event_count);
}

bool lower_translate_group(struct lower *lower)
{
    switch (lower->at->op) {
    case SpvOpControlBarrier:
        translate_barrier(lower);
        return true;
    case SpvOpGroupAll:
    case SpvOpGroupAny:
        translate_vote(lower);
        return true;
    case SpvOpGroupBroadcast:
        translate_broadcast(lower);
        return true;
    case SpvOpGroupAsyncCopy:
        translate_copy(lower);
        return true;
    case SpvOpGroupWaitEvents:
        translate_wait(lower);
        return true;
    default:
        break;
    }
    for (size_t i = 0; i < sizeof reductions / sizeof reductions[0]; i++) {
        if (reductions[i].op == lower->at->op) {
            translate_reduction(lower, &reductions[i]);
            return true;
        }
    }
    return false;
}
