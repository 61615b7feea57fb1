/* Atomics and fences. */
#include "reference/lower/lower_private.h"
#include "reference/spirv/grammar.h"

static uint32_t add_atomic(struct lower *lower, struct vm_atomic atomic)
{
    /* A fence of scope memory_scope_work_item is for a work-item's own texels. */
    if (atomic.scope != OBSERVER_SCOPE_WORK_ITEM &&
        (atomic.order != OBSERVER_ORDER_RELAXED || atomic.unequal_order != OBSERVER_ORDER_RELAXED))
        lower->code->uses_acquire = true;
    return lower_append(lower, &lower->atomics, &lower->atomic_count, &lower->atomic_capacity,
                        &atomic, sizeof atomic);
}

struct atomic_row {
    uint16_t op;
    enum vm_op vm;
    uint8_t value;   /* operand index of the value; 0 = none */
    uint8_t compare; /* operand index of the comparator; 0 = none */
    bool one;        /* the value is 1 */
};

/* clang-format off */
static const struct atomic_row atomic_rows[] = {
    {SpvOpAtomicLoad, VM_OP_atomic_load, 0, 0, false},
    {SpvOpAtomicStore, VM_OP_atomic_store, 3, 0, false},
    {SpvOpAtomicExchange, VM_OP_atomic_exchange, 3, 0, false},
    {SpvOpAtomicCompareExchange, VM_OP_atomic_compare_exchange, 4, 5, false},
    {SpvOpAtomicCompareExchangeWeak, VM_OP_atomic_compare_exchange, 4, 5, false},
    {SpvOpAtomicIIncrement, VM_OP_atomic_iadd, 0, 0, true},
    {SpvOpAtomicIDecrement, VM_OP_atomic_isub, 0, 0, true},
    {SpvOpAtomicIAdd, VM_OP_atomic_iadd, 3, 0, false},
    {SpvOpAtomicISub, VM_OP_atomic_isub, 3, 0, false},
    {SpvOpAtomicSMin, VM_OP_atomic_smin, 3, 0, false},
    {SpvOpAtomicSMax, VM_OP_atomic_smax, 3, 0, false},
    {SpvOpAtomicUMin, VM_OP_atomic_umin, 3, 0, false},
    {SpvOpAtomicUMax, VM_OP_atomic_umax, 3, 0, false},
    {SpvOpAtomicAnd, VM_OP_atomic_and, 3, 0, false},
    {SpvOpAtomicOr, VM_OP_atomic_or, 3, 0, false},
    {SpvOpAtomicXor, VM_OP_atomic_xor, 3, 0, false},
    {SpvOpAtomicFAddEXT, VM_OP_atomic_fadd, 3, 0, false},
    {SpvOpAtomicFMinEXT, VM_OP_atomic_fmin, 3, 0, false},
    {SpvOpAtomicFMaxEXT, VM_OP_atomic_fmax, 3, 0, false},
    {SpvOpAtomicFlagTestAndSet, VM_OP_atomic_exchange, 0, 0, true},
    {SpvOpAtomicFlagClear, VM_OP_atomic_store, 0, 0, false},
};
/* clang-format on */

/* The order and scope of the atomic under way. Legacy atomics of OpenCL C before 2.0 are relaxed,
 * and their scope is the device's whatever the translator wrote: OpenCL C 1.2, 6.12.11, knows
 * neither order nor scope. */
static bool describe_atomic(struct lower *lower, bool compare, struct vm_atomic *atomic)
{
    uint64_t scope;
    uint64_t semantics;
    uint64_t unequal = 0;
    if (!lower_constant_operand(lower, 1, &scope) ||
        !lower_constant_operand(lower, 2, &semantics) ||
        (compare && !lower_constant_operand(lower, 3, &unequal)))
        return false;
    if (lower->relaxed_atomics) {
        *atomic = (struct vm_atomic){.order = OBSERVER_ORDER_RELAXED,
                                     .unequal_order = OBSERVER_ORDER_RELAXED,
                                     .scope = OBSERVER_SCOPE_DEVICE};
        return true;
    }
    *atomic = (struct vm_atomic){
        .order = lower_order(semantics),
        .unequal_order = compare ? lower_order(unequal) : OBSERVER_ORDER_RELAXED,
    };
    if (lower->options.least_atomics && (atomic->order != OBSERVER_ORDER_RELAXED ||
                                         atomic->unequal_order != OBSERVER_ORDER_RELAXED))
        lower_refuse_least(lower, "order");
    return lower_find_scope(lower, scope, &atomic->scope);
}

static void translate_fence(struct lower *lower)
{
    uint64_t scope;
    uint64_t semantics;
    struct vm_atomic fence = {0};
    if (!lower_constant_operand(lower, 0, &scope) ||
        !lower_constant_operand(lower, 1, &semantics) ||
        !lower_find_scope(lower, scope, &fence.scope))
        return;
    fence.order = lower_order(semantics);
    if (lower->options.least_atomics && !lower->relaxed_atomics &&
        fence.order == OBSERVER_ORDER_SEQ_CST)
        lower_refuse_least(lower, "order");
    fence.flags = lower_fence_flags(semantics);
    lower->code->has_narrow_fences |= fence.order == OBSERVER_ORDER_SEQ_CST &&
                                      fence.scope < OBSERVER_SCOPE_DEVICE &&
                                      fence.scope > OBSERVER_SCOPE_WORK_ITEM;
    ir_emit(lower, VM_OP_fence, 0, 0, NULL, 0);
    ir_last(lower)->aux = add_atomic(lower, fence);
}

bool lower_translate_atomic(struct lower *lower)
{
    const struct atomic_row *row = NULL;
    if (lower->at->op == SpvOpMemoryBarrier) {
        translate_fence(lower);
        return true;
    }
    for (size_t i = 0; i < sizeof atomic_rows / sizeof atomic_rows[0]; i++) {
        if (atomic_rows[i].op == lower->at->op)
            row = &atomic_rows[i];
    }
    if (row == NULL)
        return false;
    const bool flag = row->op == SpvOpAtomicFlagTestAndSet || row->op == SpvOpAtomicFlagClear;
    const bool floating = row->vm == VM_OP_atomic_fadd || row->vm == VM_OP_atomic_fmin ||
                          row->vm == VM_OP_atomic_fmax;
    const struct spv_type *pointer = NULL;
    struct vm_atomic atomic;
    uint32_t operands[3];
    uint32_t count = 0;
    operands[count++] = lower_pointer_operand(lower, 0, &pointer);
    if (lower_failed(lower) || !describe_atomic(lower, row->compare != 0, &atomic))
        return true;
    const struct spv_type *type = pointer->element;
    if (type->kind != SPV_TYPE_FLOAT &&
        (floating || (type->kind != SPV_TYPE_INT && type->kind != SPV_TYPE_POINTER))) {
        lower_refuse(lower, "%s of this type", spv_op_name(row->op));
        return true;
    }
    if (type->kind == SPV_TYPE_POINTER && lower->module->narrow) {
        lower_refuse(lower, "an atomic operation on a pointer of 32 bits");
        return true;
    }
    const uint32_t width = lower_type_width(type);
    const bool half = type->kind == SPV_TYPE_FLOAT && width == 2;
    if ((width != 4 && width != 8 && !half) || (flag && width != 4)) {
        lower_refuse(lower, "%s of %u bytes", spv_op_name(row->op), width);
        return true;
    }
    if (row->value != 0)
        operands[count++] = lower_scalar(lower, row->value);
    else if (row->op != SpvOpAtomicLoad)
        operands[count++] = ir_constant(lower, width, row->one ? 1 : 0);
    if (row->compare != 0)
        operands[count++] = lower_scalar(lower, row->compare);
    for (uint32_t i = 1; i < count && !lower_failed(lower); i++) {
        if (lower->values[operands[i]].width != width)
            lower_malformed(lower, "with a value of another type");
    }
    lower_test_subscripts(lower, 0,
                          row->vm == VM_OP_atomic_load    ? OBSERVER_ATOMIC_READ
                          : row->vm == VM_OP_atomic_store ? OBSERVER_ATOMIC_WRITE
                                                          : OBSERVER_ATOMIC_RMW,
                          width);
    const bool result = lower->at->result != 0;
    uint32_t old =
        ir_emit(lower, row->vm, width, row->vm == VM_OP_atomic_store ? 0 : 1, operands, count);
    ir_last(lower)->width = (uint8_t)width;
    ir_last(lower)->count = 1;
    ir_last(lower)->aux = add_atomic(lower, atomic);
    if (flag && result)
        old = ir_op2(lower, VM_OP_ine_32, old, ir_constant(lower, 4, 0));
    if (result)
        lower_set_result(lower, &old, 1);
    return true;
}
