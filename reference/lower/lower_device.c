/* Queues of the device itself: commands that a kernel enqueues, and their events. Each instruction
 * becomes one call whose arguments are 64 bits each; an NDRange is the number of dimensions and
 * three of each size, as VM_NDRANGE_* says. */
#include "reference/lower/lower_private.h"

enum { ARGUMENT_MAX = VM_ENQUEUE_LOCAL_SIZES + 64 };

struct arguments {
    uint32_t values[ARGUMENT_MAX];
    uint32_t count;
};

/* ---- arguments ---- */

static void add_value(struct lower *lower, struct arguments *to, uint32_t value)
{
    if (!lower_failed(lower))
        to->values[to->count++] = ir_resize(lower, value, 8, false);
}

static void add_scalar(struct lower *lower, struct arguments *to, uint32_t operand)
{
    const uint32_t value = lower_scalar(lower, operand);
    if (!lower_failed(lower) && lower->values[value].width == 0)
        lower_malformed(lower, "with operands of other types");
    add_value(lower, to, value);
}

/* The value in an operand, or what it points to: translators pass an NDRange and the sizes of local
 * arguments by pointers, where SPIR-V wants values. */
static struct ir_ref value_of(struct lower *lower, uint32_t operand)
{
    const struct ir_ref ref = lower_operand(lower, operand);
    if (ref.type->kind != SPV_TYPE_POINTER || ref.type->element == NULL)
        return ref;
    uint32_t count;
    if (!lower_component_count(lower, ref.type->element, &count))
        return ref;
    uint32_t *values = lower_alloc(lower, count, sizeof *values);
    if (values != NULL)
        lower_load(lower, ref.values[0], ref.type, ref.type->element, values);
    return (struct ir_ref){.values = values, .count = count, .type = ref.type->element};
}

static void add_ndrange(struct lower *lower, struct arguments *to, uint32_t operand)
{
    const struct ir_ref range = value_of(lower, operand);
    if (!lower_failed(lower) && range.count != VM_NDRANGE_COUNT)
        lower_malformed(lower, "with operands of other types");
    for (uint32_t i = 0; i < VM_NDRANGE_COUNT && !lower_failed(lower); i++)
        add_value(lower, to, range.values[i]);
}

static void add_local_sizes(struct lower *lower, struct arguments *to, uint32_t operand)
{
    for (; operand < lower->at->operand_count && !lower_failed(lower); operand++) {
        const struct ir_ref size = value_of(lower, operand);
        if (size.count != 1 || size.type->kind != SPV_TYPE_INT)
            lower_malformed(lower, "with operands of other types");
        else if (to->count == ARGUMENT_MAX)
            lower_refuse(lower, "a block with so many arguments");
        else
            add_value(lower, to, size.values[0]);
    }
}

/* ---- NDRanges ---- */

/* Sizes in one dimension, or an array of 2 or 3. */
static void set_sizes(struct lower *lower, uint32_t operand, uint32_t *dimensions, uint32_t to[3])
{
    const struct ir_ref sizes = lower_operand(lower, operand);
    if (sizes.count < 1 || sizes.count > 3 || (*dimensions != 0 && *dimensions != sizes.count)) {
        lower_malformed(lower, "with operands of other types");
        return;
    }
    *dimensions = sizes.count;
    for (uint32_t d = 0; d < sizes.count && !lower_failed(lower); d++)
        to[d] = ir_resize(lower, sizes.values[d], 8, false);
}

static void translate_ndrange(struct lower *lower)
{
    const struct spv_type *type = lower_result_type(lower);
    uint32_t values[VM_NDRANGE_COUNT];
    uint32_t dimensions = 0;
    struct ir_leaves leaves;
    for (uint32_t i = 1; i < VM_NDRANGE_COUNT; i++)
        values[i] = ir_constant(lower, 8, i >= VM_NDRANGE_GLOBAL && i < VM_NDRANGE_LOCAL ? 1 : 0);
    set_sizes(lower, 0, &dimensions, &values[VM_NDRANGE_GLOBAL]);
    set_sizes(lower, 1, &dimensions, &values[VM_NDRANGE_LOCAL]);
    set_sizes(lower, 2, &dimensions, &values[VM_NDRANGE_OFFSET]);
    values[VM_NDRANGE_DIMENSIONS] = ir_constant(lower, 8, dimensions);
    if (lower_failed(lower) || !lower_leaves(lower, type, &leaves))
        return;
    for (uint32_t c = 0; c < VM_NDRANGE_COUNT && leaves.components == VM_NDRANGE_COUNT; c++)
        values[c] = ir_resize(lower, values[c], leaves.widths[c], false);
    lower_set_result(lower, values, VM_NDRANGE_COUNT);
}

/* ---- calls ---- */

/* The result, 64 bits; 0 when the function has none. */
static uint32_t call(struct lower *lower, enum vm_device_function function,
                     const struct arguments *arguments)
{
    const struct spv_module *module = lower->module;
    const int operand = spv_child_operand(lower->at->op);
    const struct spv_kernel *child =
        operand < 0 ? NULL : spv_child_find(module, lower->at->operands[operand]);
    struct vm_device_call made = {.function = function};
    if (child != NULL) {
        made.child = (uint32_t)(child - module->children);
        made.literal_size = child->literal_size;
    }
    const uint32_t value = ir_emit(lower, VM_OP_device_call, 8, lower->at->type != 0 ? 1 : 0,
                                   arguments->values, arguments->count);
    ir_last(lower)->aux = lower_append(lower, &lower->device_calls, &lower->device_call_count,
                                       &lower->device_call_capacity, &made, sizeof made);
    return value;
}

static void set_result(struct lower *lower, uint32_t value)
{
    const struct spv_type *type = value != 0 ? lower_result_type(lower) : NULL;
    if (lower_failed(lower) || type == NULL)
        return;
    if (type->kind == SPV_TYPE_BOOL)
        value = ir_op2(lower, VM_OP_ine_64, value, ir_constant(lower, 8, 0));
    else
        value = ir_resize(lower, value, lower_type_width(type), false);
    lower_set_result(lower, &value, 1);
}

static void translate_enqueue(struct lower *lower)
{
    struct arguments arguments = {.count = 0};
    add_scalar(lower, &arguments, 0); /* queue */
    add_scalar(lower, &arguments, 1); /* flags */
    add_ndrange(lower, &arguments, 2);
    add_scalar(lower, &arguments, 3); /* the wait list */
    add_scalar(lower, &arguments, 4);
    add_scalar(lower, &arguments, 5); /* where the event goes */
    add_scalar(lower, &arguments, 7); /* the literal */
    add_local_sizes(lower, &arguments, 10);
    set_result(lower, call(lower, VM_DEVICE_ENQUEUE, &arguments));
}

/* Instructions whose operands are scalars, up to the function of a child. */
static bool translate_plain(struct lower *lower)
{
    static const struct {
        SpvOp op;
        enum vm_device_function function;
        bool ranged; /* operand 0 is an NDRange */
        uint32_t scalars;
    } rows[] = {
        {SpvOpGetDefaultQueue, VM_DEVICE_DEFAULT_QUEUE, false, 0},
        {SpvOpEnqueueMarker, VM_DEVICE_MARKER, false, 4},
        {SpvOpCreateUserEvent, VM_DEVICE_CREATE_EVENT, false, 0},
        {SpvOpRetainEvent, VM_DEVICE_RETAIN_EVENT, false, 1},
        {SpvOpReleaseEvent, VM_DEVICE_RELEASE_EVENT, false, 1},
        {SpvOpIsValidEvent, VM_DEVICE_IS_VALID_EVENT, false, 1},
        {SpvOpSetUserEventStatus, VM_DEVICE_SET_EVENT_STATUS, false, 2},
        {SpvOpCaptureEventProfilingInfo, VM_DEVICE_CAPTURE_TIMES, false, 3},
        {SpvOpGetKernelWorkGroupSize, VM_DEVICE_WORK_GROUP_SIZE, false, 0},
        {SpvOpGetKernelPreferredWorkGroupSizeMultiple, VM_DEVICE_PREFERRED_MULTIPLE, false, 0},
        {SpvOpGetKernelNDrangeSubGroupCount, VM_DEVICE_SUB_GROUP_COUNT, true, 0},
        {SpvOpGetKernelNDrangeMaxSubGroupSize, VM_DEVICE_SUB_GROUP_SIZE_MAX, true, 0},
        {SpvOpGetKernelMaxNumSubgroups, VM_DEVICE_SUB_GROUPS_MAX, false, 0},
        {SpvOpGetKernelLocalSizeForSubgroupCount, VM_DEVICE_LOCAL_SIZE, false, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct arguments arguments = {.count = 0};
        if (rows[i].op != (SpvOp)lower->at->op)
            continue;
        if (rows[i].ranged)
            add_ndrange(lower, &arguments, 0);
        for (uint32_t operand = 0; operand < rows[i].scalars; operand++)
            add_scalar(lower, &arguments, operand);
        set_result(lower, call(lower, rows[i].function, &arguments));
        return true;
    }
    return false;
}

bool lower_translate_device(struct lower *lower)
{
    switch (lower->at->op) {
    case SpvOpEnqueueKernel:
        translate_enqueue(lower);
        return true;
    case SpvOpBuildNDRange:
        translate_ndrange(lower);
        return true;
    default:
        return translate_plain(lower);
    }
}
