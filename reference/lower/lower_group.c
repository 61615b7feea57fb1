/* What the work-items of a group do together: barriers, collectives, asynchronous copies.
 *
 * All of them are barriers to the executor: lanes stop, and go on when all have come. A collective
 * has an instruction besides, the first of the block that the barrier leads to, which reads the
 * arguments and defines the result; by then the scheduler has put the result into its row. */
#include "reference/lower/lower_private.h"

#include <string.h>

enum { EVENT_MAX = 32 };

/* ---- barriers ---- */

/* A barrier ends the block; what follows goes into a new one. Gives its index. */
static uint32_t end_block(struct lower *lower, const struct vm_barrier *barrier)
{
    const uint32_t next = ir_block_add(lower);
    const struct ir_barrier made = {.barrier = *barrier};
    struct ir_block *block = &lower->blocks[lower->block];
    block->exit = IR_EXIT_BARRIER;
    block->targets[0] = next;
    block->barrier = lower_append(lower, &lower->barriers, &lower->barrier_count,
                                  &lower->barrier_capacity, &made, sizeof made);
    block->place = lower->place;
    lower->block = next;
    return block->barrier;
}

static void note_fence(struct lower *lower, struct vm_barrier *barrier)
{
    barrier->alternative = lower->choice != NULL ? lower->choice->number : 0;
    lower->barrier_fences |= barrier->memory > barrier->execution;
}

/* What operands 1 and 2 of a barrier say, when its execution scope is known. */
static bool find_fence(struct lower *lower, struct vm_barrier *barrier)
{
    uint64_t memory;
    uint64_t semantics;
    if (!lower_constant_operand(lower, 1, &memory) ||
        !lower_constant_operand(lower, 2, &semantics) ||
        !lower_find_scope(lower, memory, &barrier->memory))
        return false;
    barrier->order = lower_order(semantics);
    barrier->flags = lower_fence_flags(semantics);
    note_fence(lower, barrier);
    return true;
}

static void translate_barrier(struct lower *lower)
{
    uint64_t execution;
    struct vm_barrier barrier = {.collective = VM_COLLECTIVE_NONE};
    if (!lower_constant_operand(lower, 0, &execution) ||
        !lower_find_scope(lower, execution, &barrier.execution))
        return;
    if (barrier.execution != OBSERVER_SCOPE_WORK_GROUP &&
        barrier.execution != OBSERVER_SCOPE_SUB_GROUP) {
        lower_refuse(lower, "a barrier beyond the work-group");
        return;
    }
    if (find_fence(lower, &barrier))
        end_block(lower, &barrier);
}

/* ---- collectives ---- */

uint32_t lower_collective(struct lower *lower, const struct vm_barrier *barrier, bool has_result,
                          const uint32_t *arguments, uint32_t count)
{
    const uint32_t index = end_block(lower, barrier);
    const uint32_t result =
        ir_emit(lower, VM_OP_collective, barrier->width, has_result ? 1 : 0, arguments, count);
    ir_last(lower)->aux = index;
    return result;
}

/* A named barrier is a number of its own in the high half, and in the low half how many sub-groups
 * it is for; also where the program has it as a pointer, which leads nowhere then. */
static void make_named_barrier(struct lower *lower, uint32_t operand)
{
    const uint32_t count = lower_scalar(lower, operand);
    if (++lower->named_barrier_count > VM_NAMED_BARRIERS_MAX) {
        lower_refuse(lower, "more than 64 named barriers");
        return;
    }
    const uint32_t number = ir_constant(lower, 8, (uint64_t)(lower->named_barrier_count - 1) << 32);
    const uint32_t barrier = ir_op2(lower, VM_OP_ior_64, number, ir_resize(lower, count, 8, false));
    lower_set_result(lower, &barrier, 1);
}

static void translate_named_barrier(struct lower *lower)
{
    make_named_barrier(lower, 0);
}

static void translate_named_wait(struct lower *lower)
{
    struct vm_barrier barrier = {
        .collective = VM_COLLECTIVE_NAMED, .execution = OBSERVER_SCOPE_WORK_GROUP, .width = 8};
    const struct ir_ref named = lower_operand(lower, 0);
    if (named.type->op != SpvOpTypeNamedBarrier)
        lower_malformed(lower, "with an operand that is not a named barrier");
    else if (find_fence(lower, &barrier))
        lower_collective(lower, &barrier, false, named.values, 1);
}

/* work_group_named_barrier(barrier, flags, scope), with flags and scope as OpenCL C numbers them:
 * it orders what work_group_barrier does. (OpenCL C 3.0, 6.15.8) */
static void translate_named_call(struct lower *lower)
{
    static const enum observer_scope scopes[] = {
        OBSERVER_SCOPE_WORK_ITEM, OBSERVER_SCOPE_WORK_GROUP, OBSERVER_SCOPE_DEVICE,
        OBSERVER_SCOPE_ALL_DEVICES, OBSERVER_SCOPE_SUB_GROUP};
    struct vm_barrier barrier = {
        .collective = VM_COLLECTIVE_NAMED, .execution = OBSERVER_SCOPE_WORK_GROUP, .width = 8};
    uint64_t flags;
    uint64_t scope = 1;
    const struct ir_ref named = lower_operand(lower, 1);
    if (lower_failed(lower) || !lower_constant_operand(lower, 2, &flags) ||
        (lower->at->operand_count > 3 && !lower_constant_operand(lower, 3, &scope)))
        return;
    if (scope >= sizeof scopes / sizeof scopes[0]) {
        lower_refuse(lower, "a named barrier of this scope");
        return;
    }
    barrier.memory = scopes[scope];
    barrier.order = flags != 0 ? OBSERVER_ORDER_SEQ_CST : OBSERVER_ORDER_RELAXED;
    barrier.flags = (flags & 1 ? OBSERVER_FENCE_LOCAL : 0u) |
                    (flags & 2 ? OBSERVER_FENCE_GLOBAL : 0u) |
                    (flags & 4 ? OBSERVER_FENCE_IMAGE : 0u);
    note_fence(lower, &barrier);
    lower_collective(lower, &barrier, false, named.values, 1);
}

/* The names are those that a compiler for SPIR-V gives to OpenCL C's functions. */
static bool translate_named_import(struct lower *lower, const char *name)
{
    static const char wait[] = "_Z24work_group_named_barrierPU3AS314__namedBarrierj";
    const uint32_t count = lower->at->operand_count - 1u;
    const bool starts = strcmp(name, "_Z18named_barrier_initi") == 0 && count == 1;
    const bool waits = (strcmp(name, wait) == 0 && count == 2) ||
                       (strncmp(name, wait, sizeof wait - 1) == 0 &&
                        strcmp(name + sizeof wait - 1, "12memory_scope") == 0 && count == 3);
    if ((starts || waits) && lower->module->narrow)
        lower_refuse(lower, "a named barrier as a pointer of 32 bits");
    else if (starts)
        make_named_barrier(lower, 1);
    else if (waits)
        translate_named_call(lower);
    return starts || waits;
}

void lower_meet(struct lower *lower, uint32_t id)
{
    const struct vm_barrier barrier = {.execution = OBSERVER_SCOPE_SUB_GROUP,
                                       .memory = OBSERVER_SCOPE_SUB_GROUP,
                                       .collective = VM_COLLECTIVE_MEET,
                                       .width = 8};
    if (id != 0)
        lower_collective(lower, &barrier, false, &id, 1);
    else
        end_block(lower, &barrier);
}

static void translate_vote(struct lower *lower)
{
    struct vm_barrier barrier = {.collective = lower->at->op == SpvOpGroupAll ? VM_COLLECTIVE_ALL
                                                                              : VM_COLLECTIVE_ANY};
    const uint32_t predicate = lower_scalar(lower, 1);
    uint32_t result;
    if (lower_failed(lower) || !lower_group_scope(lower, &barrier.execution))
        return;
    if (lower->values[predicate].width != 0) {
        lower_malformed(lower, "with an operand that is not a boolean");
        return;
    }
    if (barrier.execution == OBSERVER_SCOPE_SUB_GROUP) {
        lower_meet(lower, 0);
        result = lower_sub_group_vote(lower, predicate, lower->at->op == SpvOpGroupAll);
    } else {
        result = lower_collective(lower, &barrier, true, &predicate, 1);
    }
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
    if (lower_failed(lower) || !lower_group_scope(lower, &barrier.execution))
        return;
    if (id.count > 3 || value.count > 16) {
        lower_malformed(lower, "with operands of other types");
        return;
    }
    for (uint32_t i = 0; i < id.count; i++)
        arguments[1 + i] = ir_resize(lower, id.values[i], 8, false);
    if (barrier.execution == OBSERVER_SCOPE_SUB_GROUP) {
        lower_meet(lower, arguments[1]);
        lower_sub_group_move(lower, value, arguments[1]);
        return;
    }
    for (uint32_t c = 0; c < value.count && !lower_failed(lower); c++) {
        arguments[0] = value.values[c];
        barrier.width = lower->values[value.values[c]].width;
        results[c] = lower_collective(lower, &barrier, true, arguments, 1 + id.count);
    }
    lower_set_result(lower, results, value.count);
}

/* ---- asynchronous copies ---- */

static struct vm_barrier copy_barrier(enum vm_collective collective)
{
    return (struct vm_barrier){.collective = collective,
                               .execution = OBSERVER_SCOPE_WORK_GROUP,
                               .memory = OBSERVER_SCOPE_WORK_GROUP,
                               .width = 8};
}

/* Operand 0 of a copy, or of a wait for some. */
static bool copy_scope(struct lower *lower)
{
    enum observer_scope scope;
    if (lower_group_scope(lower, &scope) && scope != OBSERVER_SCOPE_WORK_GROUP)
        lower_refuse(lower, "an asynchronous copy of a sub-group");
    return !lower_failed(lower);
}

/* Of `count` elements, `stride` elements apart on the side that is not local. */
static void translate_copy(struct lower *lower)
{
    const struct spv_type *to = NULL;
    const struct spv_type *from = NULL;
    struct vm_barrier barrier = copy_barrier(VM_COLLECTIVE_COPY);
    const uint32_t values[] = {lower_pointer_operand(lower, 1, &to),
                               lower_pointer_operand(lower, 2, &from), lower_scalar(lower, 3),
                               lower_scalar(lower, 4), lower_scalar(lower, 5)};
    if (!copy_scope(lower))
        return;
    barrier.to_local = to->storage == SpvStorageClassWorkgroup;
    if (to->element->size != from->element->size || to->element->size == 0 ||
        to->element->size > 128 || (to->element->size & (to->element->size - 1)) != 0 ||
        barrier.to_local == (from->storage == SpvStorageClassWorkgroup)) {
        lower_malformed(lower, "between other things than local and global memory");
        return;
    }
    lower_remark_copy(lower, lower->at->operands[1], lower->at->operands[2],
                      lower_scalar_type(to->element)->size);
    barrier.element_size = (uint32_t)to->element->size;
    const uint32_t arguments[] = {values[0], values[1], ir_resize(lower, values[2], 8, false),
                                  ir_resize(lower, values[3], 8, false), values[4]};
    const uint32_t event = lower_collective(lower, &barrier, true, arguments, 5);
    lower_set_result(lower, &event, 1);
}

/* async_work_group_copy_2D2D and _3D3D. */
static void translate_lines(struct lower *lower, uint32_t count)
{
    const struct spv_type *to = NULL;
    const struct spv_type *from = NULL;
    uint32_t arguments[VM_COPY_ARGUMENTS_3D] = {[VM_COPY_TO] = lower_pointer_operand(lower, 1, &to),
                                                [VM_COPY_FROM] =
                                                    lower_pointer_operand(lower, 3, &from)};
    for (uint32_t i = 0; i < count && !lower_failed(lower); i++) {
        if (i == VM_COPY_TO || i == VM_COPY_FROM)
            continue;
        arguments[i] = ir_resize(lower, lower_scalar(lower, 1 + i), 8, false);
    }
    struct vm_barrier barrier = copy_barrier(VM_COLLECTIVE_COPY_LINES);
    barrier.to_local = to->storage == SpvStorageClassWorkgroup;
    const uint32_t event = lower_collective(lower, &barrier, true, arguments, count);
    lower_set_result(lower, &event, 1);
}

static void translate_copy_fence(struct lower *lower)
{
    const struct vm_barrier barrier = copy_barrier(VM_COLLECTIVE_COPY_FENCE);
    const uint32_t flags = ir_resize(lower, lower_scalar(lower, 1), 8, false);
    lower_collective(lower, &barrier, false, &flags, 1);
}

/* SPIR-V has no instructions for these; the program's text declares them by such names. */
bool lower_translate_group_import(struct lower *lower, const char *name)
{
    static const char prefix[] = "clerk_async_copy_";
    if (strncmp(name, prefix, sizeof prefix - 1) != 0)
        return translate_named_import(lower, name);
    const char *which = name + sizeof prefix - 1;
    const uint32_t count = lower->at->operand_count - 1u;
    if (strcmp(which, "fence") == 0 && count == 1)
        translate_copy_fence(lower);
    else if (strncmp(which, "2D2D_", 5) == 0 && count == VM_COPY_ARGUMENTS_2D)
        translate_lines(lower, count);
    else if (strncmp(which, "3D3D_", 5) == 0 && count == VM_COPY_ARGUMENTS_3D)
        translate_lines(lower, count);
    else
        return false;
    return true;
}

/* A number of events that is not a constant, or a large one, counts as all of them. */
static void translate_wait(struct lower *lower)
{
    const struct spv_type *pointer = NULL;
    struct vm_barrier barrier = copy_barrier(VM_COLLECTIVE_WAIT);
    const uint32_t count = lower_scalar(lower, 1);
    const uint32_t list = lower_pointer_operand(lower, 2, &pointer);
    uint32_t events[EVENT_MAX];
    uint32_t event_count = 0;
    if (!copy_scope(lower))
        return;
    if (pointer->element->op != SpvOpTypeEvent) {
        lower_malformed(lower, "with an operand that does not hold events");
        return;
    }
    const struct ir_value known = lower->values[count];
    barrier.waits_for_all = known.kind != IR_CONSTANT || known.bits > EVENT_MAX;
    while (!barrier.waits_for_all && event_count < known.bits && !lower_failed(lower)) {
        lower_load(lower, ir_offset(lower, list, event_count * pointer->element->size), pointer,
                   pointer->element, &events[event_count]);
        event_count++;
    }
    lower_collective(lower, &barrier, false, events, event_count);
}

bool lower_translate_group(struct lower *lower)
{
    static const struct lower_row rows[] = {
        {SpvOpControlBarrier, translate_barrier},
        {SpvOpNamedBarrierInitialize, translate_named_barrier},
        {SpvOpMemoryNamedBarrier, translate_named_wait},
        {SpvOpGroupAll, translate_vote},
        {SpvOpGroupAny, translate_vote},
        {SpvOpGroupBroadcast, translate_broadcast},
        {SpvOpGroupAsyncCopy, translate_copy},
        {SpvOpGroupWaitEvents, translate_wait},
    };
    return lower_translate_row(lower, rows, sizeof rows / sizeof rows[0]);
}
