/* SPIR-V's scopes and memory semantics in the words of the observer. */
#include "reference/lower/lower_private.h"
#include "reference/spirv/grammar.h"

/* What the device need not have. OpenCL SPIR-V Environment, "Validation Rules": scope and order
 * must be among the device's capabilities. */
void lower_refuse_least(struct lower *lower, const char *what)
{
    const bool fence = lower->at->op == SpvOpMemoryBarrier || lower->at->op == SpvOpControlBarrier;
    lower_fail(lower, STATUS_UNSUPPORTED,
               "%s with a memory %s that the device does not have "
               "(CL_DEVICE_ATOMIC_%s_CAPABILITIES)",
               spv_op_name(lower->at->op), what, fence ? "FENCE" : "MEMORY");
}

bool lower_find_scope(struct lower *lower, uint64_t scope, enum observer_scope *found)
{
    static const enum observer_scope scopes[] = {
        [SpvScopeCrossDevice] = OBSERVER_SCOPE_ALL_DEVICES,
        [SpvScopeDevice] = OBSERVER_SCOPE_DEVICE,
        [SpvScopeWorkgroup] = OBSERVER_SCOPE_WORK_GROUP,
        [SpvScopeSubgroup] = OBSERVER_SCOPE_SUB_GROUP,
        [SpvScopeInvocation] = OBSERVER_SCOPE_WORK_ITEM,
    };
    if (scope >= sizeof scopes / sizeof scopes[0]) {
        lower_refuse(lower, "scope %llu", (unsigned long long)scope);
        return false;
    }
    *found = scopes[scope];
    if (lower->options.least_atomics && scope <= SpvScopeDevice)
        lower_refuse_least(lower, "scope");
    return !lower_failed(lower);
}

enum observer_order lower_order(uint64_t semantics)
{
    if (semantics & SpvMemorySemanticsSequentiallyConsistentMask)
        return OBSERVER_ORDER_SEQ_CST;
    if (semantics & SpvMemorySemanticsAcquireReleaseMask)
        return OBSERVER_ORDER_ACQ_REL;
    const bool acquire = (semantics & SpvMemorySemanticsAcquireMask) != 0;
    const bool release = (semantics & SpvMemorySemanticsReleaseMask) != 0;
    return acquire && release ? OBSERVER_ORDER_ACQ_REL
           : acquire          ? OBSERVER_ORDER_ACQUIRE
           : release          ? OBSERVER_ORDER_RELEASE
                              : OBSERVER_ORDER_RELAXED;
}

uint32_t lower_fence_flags(uint64_t semantics)
{
    return (semantics & SpvMemorySemanticsWorkgroupMemoryMask ? OBSERVER_FENCE_LOCAL : 0u) |
           (semantics & SpvMemorySemanticsCrossWorkgroupMemoryMask ? OBSERVER_FENCE_GLOBAL : 0u) |
           (semantics & SpvMemorySemanticsImageMemoryMask ? OBSERVER_FENCE_IMAGE : 0u);
}

/* OpenCL environment specification 3.0, 2.9: the scope of group instructions is the work-group or
 * the sub-group. */
bool lower_group_scope(struct lower *lower, enum observer_scope *scope)
{
    uint64_t given;
    if (!lower_constant_operand(lower, 0, &given) || !lower_find_scope(lower, given, scope))
        return false;
    if (*scope == OBSERVER_SCOPE_SUB_GROUP)
        lower_remark(lower, OBSERVER_REMARK_SUB_GROUP, 0);
    if (*scope == OBSERVER_SCOPE_WORK_GROUP || *scope == OBSERVER_SCOPE_SUB_GROUP)
        return true;
    lower_refuse(lower, "a group instruction of another scope than work-group and sub-group");
    return false;
}
