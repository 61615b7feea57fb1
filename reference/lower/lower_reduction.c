/* Reductions and scans, over a work-group or sub-group that all of its work-items must come to, or
 * over those work-items of a sub-group that are there. */
#include "reference/lower/lower_private.h"
#include "reference/spirv/grammar.h"

/* By width of 1, 2, 4, 8 bytes; VM_OP_COUNT where there is none. Booleans are reduced as bytes. */
struct reduction {
    uint16_t op, non_uniform_op;
    bool logical;
    uint16_t combine[4];
    uint64_t identity[4]; /* OpenCL C 3.0, 6.15.16: of exclusive scans, their first value */
};

enum { NONE = UINT16_MAX }; /* no such instruction */
#define INTEGERS(name) IR_WIDTHS(name)
#define FLOATS(name)                                                                               \
    {                                                                                              \
        VM_OP_COUNT, VM_OP_##name##_f16, VM_OP_##name##_f32, VM_OP_##name##_f64                    \
    }

/* clang-format off */
static const struct reduction reductions[] = {
    {SpvOpGroupIAdd, SpvOpGroupNonUniformIAdd, false, INTEGERS(iadd), {0, 0, 0, 0}},
    {SpvOpGroupFAdd, SpvOpGroupNonUniformFAdd, false, FLOATS(fadd), {0, 0, 0, 0}},
    {NONE, SpvOpGroupNonUniformIMul, false, INTEGERS(imul), {1, 1, 1, 1}},
    {NONE, SpvOpGroupNonUniformFMul, false, FLOATS(fmul), {0, 0x3C00, 0x3F800000, 0x3FF0000000000000}},
    {SpvOpGroupSMin, SpvOpGroupNonUniformSMin, false, INTEGERS(smin), {INT8_MAX, INT16_MAX, INT32_MAX, INT64_MAX}},
    {SpvOpGroupUMin, SpvOpGroupNonUniformUMin, false, INTEGERS(umin), {UINT8_MAX, UINT16_MAX, UINT32_MAX, UINT64_MAX}},
    {SpvOpGroupFMin, SpvOpGroupNonUniformFMin, false, FLOATS(fmin), {0, 0x7C00, 0x7F800000, 0x7FF0000000000000}},
    {SpvOpGroupSMax, SpvOpGroupNonUniformSMax, false, INTEGERS(smax), {0x80, 0x8000, 0x80000000, 0x8000000000000000}},
    {SpvOpGroupUMax, SpvOpGroupNonUniformUMax, false, INTEGERS(umax), {0, 0, 0, 0}},
    {SpvOpGroupFMax, SpvOpGroupNonUniformFMax, false, FLOATS(fmax), {0, 0xFC00, 0xFF800000, 0xFFF0000000000000}},
    {NONE, SpvOpGroupNonUniformBitwiseAnd, false, INTEGERS(iand), {UINT8_MAX, UINT16_MAX, UINT32_MAX, UINT64_MAX}},
    {NONE, SpvOpGroupNonUniformBitwiseOr, false, INTEGERS(ior), {0, 0, 0, 0}},
    {NONE, SpvOpGroupNonUniformBitwiseXor, false, INTEGERS(ixor), {0, 0, 0, 0}},
    {NONE, SpvOpGroupNonUniformLogicalAnd, true, INTEGERS(iand), {1, 1, 1, 1}},
    {NONE, SpvOpGroupNonUniformLogicalOr, true, INTEGERS(ior), {0, 0, 0, 0}},
    {NONE, SpvOpGroupNonUniformLogicalXor, true, INTEGERS(ixor), {0, 0, 0, 0}},
};
/* clang-format on */

static bool find_kind(struct lower *lower, enum vm_collective *kind)
{
    switch (lower_word(lower, 1)) {
    case SpvGroupOperationReduce:
    case SpvGroupOperationClusteredReduce:
        *kind = VM_COLLECTIVE_REDUCE;
        break;
    case SpvGroupOperationInclusiveScan:
        *kind = VM_COLLECTIVE_INCLUSIVE_SCAN;
        break;
    case SpvGroupOperationExclusiveScan:
        *kind = VM_COLLECTIVE_EXCLUSIVE_SCAN;
        break;
    default:
        lower_refuse(lower, "%s of this kind", spv_op_name(lower->at->op));
        break;
    }
    return !lower_failed(lower);
}

static bool describe(struct lower *lower, const struct reduction *row, uint32_t width,
                     struct vm_reduction *reduction)
{
    const uint32_t index = ir_width_index(width);
    if (width == 0 || row->combine[index] == VM_OP_COUNT) {
        lower_refuse(lower, "%s of this type", spv_op_name(lower->at->op));
        return false;
    }
    reduction->combine = (enum vm_op)(row->combine[index] + 1); /* on uniform rows */
    reduction->identity = row->identity[index];
    return true;
}

static uint32_t reduce_sub_group(struct lower *lower, const struct vm_reduction *reduction,
                                 uint32_t value)
{
    const uint32_t result =
        ir_emit(lower, VM_OP_sub_group_reduce, lower->values[value].width, 1, &value, 1);
    ir_last(lower)->aux = lower_append(lower, &lower->reductions, &lower->reduction_count,
                                       &lower->reduction_capacity, reduction, sizeof *reduction);
    return result;
}

static uint32_t reduce_work_group(struct lower *lower, const struct vm_reduction *reduction,
                                  uint32_t value)
{
    const struct vm_barrier barrier = {.execution = OBSERVER_SCOPE_WORK_GROUP,
                                       .memory = OBSERVER_SCOPE_WORK_GROUP,
                                       .collective = reduction->kind,
                                       .width = lower->values[value].width,
                                       .combine = reduction->combine,
                                       .identity = reduction->identity};
    return lower_collective(lower, &barrier, true, &value, 1);
}

static void translate(struct lower *lower, const struct reduction *row)
{
    const bool met_by_all = lower->at->op == row->op;
    const struct ir_ref value = lower_operand(lower, 2);
    struct vm_reduction reduction;
    enum observer_scope scope;
    uint32_t results[16];
    if (!lower_group_scope(lower, &scope) || !find_kind(lower, &reduction.kind) ||
        !lower_cluster_size(lower, 3, &reduction.cluster_size))
        return;
    if (!met_by_all && scope != OBSERVER_SCOPE_SUB_GROUP) {
        lower_refuse(lower, "a non-uniform function beyond the sub-group");
        return;
    }
    if (met_by_all && scope == OBSERVER_SCOPE_SUB_GROUP)
        lower_meet(lower, 0);
    for (uint32_t c = 0; c < value.count && c < 16 && !lower_failed(lower); c++) {
        const uint32_t operand =
            row->logical ? ir_as_byte(lower, value.values[c]) : value.values[c];
        if (lower_failed(lower) || !describe(lower, row, lower->values[operand].width, &reduction))
            return;
        results[c] = scope == OBSERVER_SCOPE_SUB_GROUP
                         ? reduce_sub_group(lower, &reduction, operand)
                         : reduce_work_group(lower, &reduction, operand);
        if (row->logical)
            results[c] = ir_as_boolean(lower, results[c]);
    }
    lower_set_result(lower, results, value.count);
}

bool lower_translate_reduction(struct lower *lower)
{
    for (size_t i = 0; i < sizeof reductions / sizeof reductions[0]; i++) {
        if (reductions[i].op == lower->at->op || reductions[i].non_uniform_op == lower->at->op) {
            translate(lower, &reductions[i]);
            return true;
        }
    }
    return false;
}
