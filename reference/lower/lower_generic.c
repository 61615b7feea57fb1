/* Pointers of the generic address space: which space does one lead to? Each lane may mean another
 * one, so it is asked at run time. */
#include "reference/lower/lower_private.h"

/* 1 << enum observer_region of the object that the address leads to; 0 for none. */
static uint32_t region_of(struct lower *lower, uint32_t address)
{
    return ir_emit(lower, VM_OP_region, 4, 1, &address, 1);
}

static uint32_t in_region(struct lower *lower, uint32_t region, enum observer_region wanted)
{
    return ir_op2(lower, VM_OP_ieq_32, region, ir_constant(lower, 4, 1u << wanted));
}

/* SPIR-V 1.6, OpGenericCastToPtrExplicit: "If the cast fails, the instruction returns an
 * OpConstantNull pointer". */
static void translate_explicit_cast(struct lower *lower, uint32_t address)
{
    const uint32_t storage = lower_word(lower, 1);
    enum observer_region wanted;
    switch (storage) {
    case SpvStorageClassCrossWorkgroup:
        wanted = OBSERVER_GLOBAL;
        break;
    case SpvStorageClassWorkgroup:
        wanted = OBSERVER_LOCAL;
        break;
    case SpvStorageClassFunction:
        wanted = OBSERVER_PRIVATE;
        break;
    default:
        lower_fail(lower, STATUS_MALFORMED, "a cast to storage class %u", storage);
        return;
    }
    const uint32_t result = ir_select(lower, in_region(lower, region_of(lower, address), wanted),
                                      address, ir_constant(lower, 8, 0));
    lower_set_result(lower, &result, 1);
}

/* SPIR-V 1.6, OpGenericPtrMemSemantics: the bits of the pointer's storage class; private memory has
 * none. */
static void translate_semantics(struct lower *lower, uint32_t address)
{
    const uint32_t region = region_of(lower, address);
    const uint32_t zero = ir_constant(lower, 4, 0);
    const uint32_t local =
        ir_select(lower, in_region(lower, region, OBSERVER_LOCAL),
                  ir_constant(lower, 4, SpvMemorySemanticsWorkgroupMemoryMask), zero);
    const uint32_t result =
        ir_select(lower, in_region(lower, region, OBSERVER_GLOBAL),
                  ir_constant(lower, 4, SpvMemorySemanticsCrossWorkgroupMemoryMask), local);
    lower_set_result(lower, &result, 1);
}

bool lower_translate_generic(struct lower *lower)
{
    const uint32_t op = lower->at->op;
    if (op != SpvOpGenericCastToPtrExplicit && op != SpvOpGenericPtrMemSemantics)
        return false;
    const struct ir_ref pointer = lower_operand(lower, 0);
    if (pointer.type->kind != SPV_TYPE_POINTER || lower->values[pointer.values[0]].width != 8)
        lower_malformed(lower, "with an operand that is not a pointer");
    else if (op == SpvOpGenericPtrMemSemantics)
        translate_semantics(lower, pointer.values[0]);
    else
        translate_explicit_cast(lower, pointer.values[0]);
    return true;
}
