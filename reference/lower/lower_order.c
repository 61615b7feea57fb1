/* Scopes and memory semantics that are computed (SPIR-V 1.6, 3.37: an <id> of any integer; OpenCL C
 * has them as memory_order and memory_scope arguments). An instruction of lane code has one order
 * and scope, so a computed one becomes a choice between all of them: the instruction is translated
 * once for each, and a chain of comparisons leads to the one meant.
 *
 *     order == relaxed?  yes: atomic, relaxed ------------------> join
 *            no: order == acquire?  yes: atomic, acquire -------> join
 *                   ...                                           join: phi of the results
 */
#include "reference/lower/lower_private.h"

enum {
    ORDER_MASK = SpvMemorySemanticsAcquireMask | SpvMemorySemanticsReleaseMask |
                 SpvMemorySemanticsAcquireReleaseMask |
                 SpvMemorySemanticsSequentiallyConsistentMask,
    MEMORY_MASK = SpvMemorySemanticsWorkgroupMemoryMask |
                  SpvMemorySemanticsCrossWorkgroupMemoryMask | SpvMemorySemanticsImageMemoryMask,
    ALTERNATIVE_MAX = 40
};

/* An operand that is computed, and what it may be. */
struct computed {
    uint32_t operand, value, width;
    uint32_t mask; /* the bits that count */
    uint32_t alternatives[ALTERNATIVE_MAX];
    uint32_t count;
};

static void add_scopes(struct computed *computed, bool execution)
{
    static const uint32_t scopes[] = {SpvScopeWorkgroup, SpvScopeSubgroup, SpvScopeDevice,
                                      SpvScopeCrossDevice, SpvScopeInvocation};
    computed->mask = UINT32_MAX;
    computed->count = execution ? 2 : 5;
    for (uint32_t i = 0; i < computed->count; i++)
        computed->alternatives[i] = scopes[i];
}

static void add_semantics(struct computed *computed, bool memories)
{
    static const uint32_t orders[] = {
        SpvMemorySemanticsMaskNone, SpvMemorySemanticsAcquireMask, SpvMemorySemanticsReleaseMask,
        SpvMemorySemanticsAcquireReleaseMask, SpvMemorySemanticsSequentiallyConsistentMask};
    static const uint32_t bits[] = {SpvMemorySemanticsWorkgroupMemoryMask,
                                    SpvMemorySemanticsCrossWorkgroupMemoryMask,
                                    SpvMemorySemanticsImageMemoryMask};
    computed->mask = ORDER_MASK | (memories ? MEMORY_MASK : 0);
    for (uint32_t order = 0; order < 5; order++) {
        for (uint32_t set = 0; set < (memories ? 8u : 1u); set++)
            computed->alternatives[computed->count++] = orders[order] | (set & 1 ? bits[0] : 0) |
                                                        (set & 2 ? bits[1] : 0) |
                                                        (set & 4 ? bits[2] : 0);
    }
}

/* Which operands of the instruction are scopes and semantics: "s" scope, "x" execution scope, "m"
 * semantics of an atomic, "f" those of a fence; NULL when it has none. */
static const char *order_operands(uint32_t op)
{
    switch (op) {
    case SpvOpMemoryBarrier:
        return "sf";
    case SpvOpControlBarrier:
        return "xsf";
    case SpvOpAtomicCompareExchange:
    case SpvOpAtomicCompareExchangeWeak:
        return "-smm";
    default:
        return (op >= SpvOpAtomicLoad && op <= SpvOpAtomicXor) || op == SpvOpAtomicFlagTestAndSet ||
                       op == SpvOpAtomicFlagClear || op == SpvOpAtomicFAddEXT ||
                       op == SpvOpAtomicFMinEXT || op == SpvOpAtomicFMaxEXT
                   ? "-sm"
                   : NULL;
    }
}

/* The computed ones among them; false when all are constants. */
static bool find_computed(struct lower *lower, struct computed *computed, uint32_t *count)
{
    const char *letters = order_operands(lower->at->op);
    *count = 0;
    for (uint32_t i = 0; letters != NULL && letters[i] != '\0'; i++) {
        if (letters[i] == '-')
            continue;
        const uint32_t value = lower_scalar(lower, i);
        if (lower->values[value].kind == IR_CONSTANT || lower->values[value].width != 4)
            continue;
        struct computed *made = &computed[(*count)++];
        *made = (struct computed){.operand = i, .value = value};
        if (letters[i] == 's' || letters[i] == 'x')
            add_scopes(made, letters[i] == 'x');
        else
            add_semantics(made, letters[i] == 'f');
    }
    return *count > 0;
}

/* Are the operands what the choice says? */
static uint32_t chosen(struct lower *lower, const struct computed *computed, uint32_t count,
                       const struct lower_choice *choice)
{
    uint32_t all = 0;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t bits = ir_op2(lower, VM_OP_iand_32, computed[i].value,
                                     ir_constant(lower, 4, computed[i].mask));
        const uint32_t same = ir_op2(lower, VM_OP_ieq_32, bits,
                                     ir_constant(lower, 4, choice->bits[computed[i].operand]));
        all = i == 0 ? same : ir_mask2(lower, VM_OP_mask_and, all, same);
    }
    return all;
}

/* The next combination of alternatives; false after the last. */
static bool next_choice(const struct computed *computed, uint32_t count, uint32_t *at,
                        struct lower_choice *choice)
{
    uint32_t i = 0;
    while (i < count && ++at[i] == computed[i].count)
        at[i++] = 0;
    for (uint32_t c = 0; c < count; c++)
        choice->bits[computed[c].operand] = computed[c].alternatives[at[c]];
    return i < count;
}

bool lower_translate_order(struct lower *lower)
{
    struct computed computed[3];
    uint32_t count;
    if (lower->choice != NULL || !find_computed(lower, computed, &count))
        return false;
    struct lower_choice choice = {.number = ++lower->choice_count};
    uint32_t at[3] = {0};
    for (uint32_t i = 0; i < count; i++) {
        choice.given[computed[i].operand] = true;
        choice.bits[computed[i].operand] = computed[i].alternatives[0];
    }
    const uint32_t join = ir_block_add(lower);
    const struct spv_type *type = lower->at->result != 0 ? lower_result_type(lower) : NULL;
    const uint32_t result = type != NULL ? ir_phi(lower, join, lower_type_width(type)) : 0;
    bool more = true;
    while (more && !lower_failed(lower)) {
        struct lower_choice here = choice;
        const uint32_t condition = chosen(lower, computed, count, &here);
        more = next_choice(computed, count, at, &choice);
        const uint32_t yes = ir_block_add(lower);
        const uint32_t no = more ? ir_block_add(lower) : 0;
        /* The last alternative also takes what is none of them. */
        if (more)
            ir_exit_if(lower, condition, yes, no);
        else
            ir_exit_branch(lower, yes);
        lower->block = yes;
        lower->choice = &here;
        if (!lower_translate_atomic(lower))
            lower_translate_group(lower);
        lower->choice = NULL;
        if (type != NULL && !lower_failed(lower))
            ir_phi_add(lower, result, lower->block, lower_ref(lower, lower->at->result).values[0]);
        ir_exit_branch(lower, join);
        lower->block = no;
    }
    lower->block = join;
    if (type != NULL && !lower_failed(lower))
        lower_set_result(lower, &result, 1);
    return true;
}
