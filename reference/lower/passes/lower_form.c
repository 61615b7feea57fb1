#include "reference/lower/passes/lower_form.h"

int64_t ir_signed_bits(const struct ir_value *value)
{
    const unsigned unused = 64 - 8u * value->width;
    return (int64_t)(value->bits << unused) >> unused;
}

const struct ir_instruction *ir_maker(const struct lower *lower, uint32_t value)
{
    const struct ir_value *found = &lower->values[ir_same(lower, value)];
    return found->kind == IR_RESULT ? &lower->instructions[found->index] : NULL;
}

const struct ir_instruction *ir_compare(const struct lower *lower, uint32_t condition,
                                        uint8_t *target)
{
    const struct ir_instruction *made = ir_maker(lower, condition);
    while (made != NULL && (made->op == VM_OP_mask_not || made->op == VM_OP_mask_xor)) {
        const uint32_t *operands = &lower->operands[made->operand];
        const struct ir_value *other =
            made->op == VM_OP_mask_xor ? &lower->values[ir_same(lower, operands[1])] : NULL;
        if (other != NULL && other->kind != IR_CONSTANT)
            return NULL;
        *target ^= other == NULL || other->bits != 0;
        made = ir_maker(lower, operands[0]);
    }
    return made;
}

struct form form_of(const struct lower *lower, const struct form *forms, uint32_t value)
{
    const struct ir_value *found = &lower->values[ir_same(lower, value)];
    struct form form = {.bits = 64};
    if (found->kind == IR_RESULT)
        return forms[ir_same(lower, value)];
    if (found->kind == IR_CONSTANT && found->width != 0) {
        form.known = true;
        form.offset = ir_signed_bits(found);
    } else if (found->kind == IR_PARAMETER) {
        const enum vm_parameter_kind kind = lower->code->parameters[found->index].kind;
        form.known = kind == VM_PARAMETER_GLOBAL || kind == VM_PARAMETER_CONSTANT;
        form.argument = found->index + 1;
    } else if (found->kind == IR_QUERY) {
        form.known = found->index == VM_QUERY_GLOBAL_ID && found->bits == 0;
        form.scale = 1;
    }
    return form;
}

static bool is_constant(const struct form *form)
{
    return form->known && form->argument == 0 && form->scale == 0;
}

/* a + b * factor */
static struct form sum(struct form a, struct form b, int64_t factor)
{
    struct form sum = {.bits = a.bits < b.bits ? a.bits : b.bits,
                       .argument = a.argument + b.argument};
    sum.known = a.known && b.known && (b.argument == 0 || (a.argument == 0 && factor == 1)) &&
                !__builtin_mul_overflow(b.scale, factor, &b.scale) &&
                !__builtin_mul_overflow(b.offset, factor, &b.offset) &&
                !__builtin_add_overflow(a.scale, b.scale, &sum.scale) &&
                !__builtin_add_overflow(a.offset, b.offset, &sum.offset);
    return sum;
}

static bool last_fits(const struct form *form, int64_t max)
{
    int64_t last = (INT64_C(1) << form->bits) - 1;
    return !__builtin_mul_overflow(last, form->scale, &last) &&
           !__builtin_add_overflow(last, form->offset, &last) && last <= max;
}

struct form form_as_number(struct form form, uint32_t width, bool is_signed)
{
    if (!form.known || width >= 8)
        return form;
    const int64_t max = (INT64_C(1) << (8 * width - is_signed)) - 1;
    form.known &= form.argument == 0 && form.scale >= 0 && form.offset >= (is_signed ? ~max : 0);
    form.bits = form.bits < 8 * width ? form.bits : (uint8_t)(8 * width);
    while (form.bits > 0 && !last_fits(&form, max))
        form.bits--;
    form.known &= form.bits > 0;
    return form;
}

/* By a constant. llvm-spirv 19, unlike 15, selects the id that is asked for, or 0, by whether its
 * dimension is below three. */
static struct form form_of_select(const struct lower *lower, const struct form *forms,
                                  const uint32_t *operands)
{
    static const struct form unknown;
    const struct ir_value *condition = &lower->values[ir_same(lower, operands[2])];
    return condition->kind == IR_CONSTANT ? form_of(lower, forms, operands[condition->bits == 0])
                                          : unknown;
}

static struct form form_of_result(const struct lower *lower, const struct form *forms,
                                  const struct ir_instruction *instruction)
{
    static const struct form zero = {.known = true, .bits = 64};
    static const struct form unknown;
    const uint32_t *operands = &lower->operands[instruction->operand];
    const struct form a =
        instruction->operand_count > 0 ? form_of(lower, forms, operands[0]) : unknown;
    const struct form b =
        instruction->operand_count > 1 ? form_of(lower, forms, operands[1]) : unknown;
    const uint32_t width = a.known ? lower->values[operands[0]].width : 0;
    switch (instruction->op) {
    case VM_OP_index_64:
        return sum(a, b, (int64_t)instruction->size);
    case IR_CASES(iadd):
        return sum(a, b, 1);
    case IR_CASES(isub):
        return sum(a, b, -1);
    case IR_CASES(imul):
        return is_constant(&b)   ? sum(zero, a, b.offset)
               : is_constant(&a) ? sum(zero, b, a.offset)
                                 : unknown;
    case IR_CASES(select):
        return form_of_select(lower, forms, operands);
    case IR_WIDENINGS(zext):
        return form_as_number(a, width, false);
    case IR_WIDENINGS(sext):
        return form_as_number(a, width, true);
    case IR_NARROWINGS:
        return a;
    default:
        return unknown;
    }
}

struct form *lower_forms(struct lower *lower)
{
    struct form *forms = lower_alloc(lower, lower->value_count, sizeof *forms);
    for (struct ir_walk walk = {0}; forms != NULL && ir_walk_next(lower, &walk);) {
        if (walk.instruction->result_count == 1)
            forms[walk.instruction->result] = form_of_result(lower, forms, walk.instruction);
    }
    return forms;
}
