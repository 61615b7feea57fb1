#include "reference/native/stretch_undefined.h"

#include "reference/vm/native_call.h"
#include "reference/vm/undefined_rules.h"

#include <inttypes.h>

void stretch_steps_begin(struct stretches *stretches)
{
    stretches->step_count = stretches->known_count = stretches->birth_count = 0;
    text_clear(&stretches->undefined);
    text_clear(&stretches->steps);
    text_clear(&stretches->known);
}

/* ---- stretches that load ---- */

/* The number of a w[N] that is not computed but found, which `what` finds. */
static uint32_t begin_found(struct stretches *stretches, const char *what)
{
    const uint32_t step = ++stretches->step_count;
    text_format(&stretches->steps, "%s_WHOLE(%" PRIu32 ", %" PRIu32 ", ", what, step,
                stretches->birth_count++);
    return step;
}

uint32_t stretch_load_step(struct stretches *stretches, uint32_t memo, uint32_t terms,
                           uint32_t site)
{
    const uint32_t step = begin_found(stretches, "LOAD");
    text_format(&stretches->steps, "%" PRIu32 ", %" PRIu32 ", %" PRIu32 ")\n", memo, terms, site);
    return step;
}

/* Does it make something undefined wholly of an operand that is? */
static bool stays_whole(enum undefined_rule rule)
{
    return undefined_kinds[rule] == UNDEFINED_SPOILS ||
           (undefined_kinds[rule] == UNDEFINED_BITS && rule != RULE_ZERO_EXTEND);
}

/* It is born where the first such operand was. The stretch is left where that is not enough. */
static uint32_t whole_step(struct stretches *stretches, const struct vm_instruction *in,
                           const struct operand *operands, uint32_t count, bool opens)
{
    struct text *steps = &stretches->steps;
    const bool stays = !opens && stays_whole((enum undefined_rule)undefined_rules[in->op]);
    const uint32_t step = stays ? ++stretches->step_count : 0;
    if (stays)
        text_format(steps, "w[%" PRIu32 "] = ", step);
    else
        text_append(steps, "leave |= 0 != (");
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t operand = stretch_step_of(stretches, &operands[i]);
        if (operand)
            text_format(steps, "w[%" PRIu32 "] ? w[%" PRIu32 "] : ", operand, operand);
    }
    text_append(steps, stays ? "0;\n" : "0);\n");
    return step;
}

void stretch_whole_begin(struct stretches *stretches)
{
    text_format(stretches->text, "u32 w[%" PRIu32 "];\nstruct vm_origins births[%" PRIu32 "];\n",
                stretches->step_count + 1, stretches->birth_count + 1);
    text_format(&stretches->before, "BEGIN_WHOLE(0%s)\n%s}\n", stretches->undefined.bytes,
                stretches->steps.bytes);
}

void stretch_whole_end(struct stretches *stretches, const bool wanted[STRETCH_MAX])
{
    struct text *text = stretches->text;
    text_append(text, "if (RARE(whole)) {\n*call->undefined_loads += LANES_LOADED * "
                      "(u64)__builtin_popcountll(loaded);\n");
    for (uint32_t i = 0; i < stretches->value_count; i++) {
        const struct stretch_value *value = &stretches->values[i];
        if (wanted[i] && value->step)
            text_format(text, "PUT_WHOLE(%" PRIu32 ", %" PRIu32 ", %" PRIu32 ")\n", value->step,
                        value->row, value->kind == STRETCH_TRUTH ? 0 : value->width);
    }
    text_append(text, "}\n");
}

/* ---- others ---- */

void stretch_read_step(struct stretches *stretches, const struct operand *operand)
{
    struct stretch_unit *unit = stretch_unit_at(stretches, operand->row);
    if (unit->checked || unit->step || stretches->is_constant[operand->row])
        return;
    if (stretches->loads) {
        unit->step = begin_found(stretches, "READ");
        text_format(&stretches->steps, "%" PRIu32 ", %" PRIu32 ")\n", operand->row, operand->width);
        text_format(&stretches->undefined, " | undefined[%" PRIu32 "]", operand->row);
        return;
    }
    unit->step = ++stretches->step_count;
    text_format(&stretches->undefined, " | undefined[%" PRIu32 "]", operand->row);
    text_format(&stretches->steps, "READS(%" PRIu32 ", %" PRIu32 ")\n", operand->row,
                operand->width);
}

uint32_t stretch_step_of(struct stretches *stretches, const struct operand *operand)
{
    const struct stretch_value *value = stretch_value_at(stretches, operand->row);
    return value ? value->step : stretch_unit_at(stretches, operand->row)->step;
}

static void append_operand(struct stretches *stretches, const struct operand *operand)
{
    const struct stretch_value *value = stretch_value_at(stretches, operand->row);
    const uint32_t step = stretch_step_of(stretches, operand);
    const bool constant = !value && operand->width && stretches->is_constant[operand->row];
    if (step) {
        text_format(&stretches->steps, "%" PRIu32 ", ", step - 1);
        return;
    }
    if (!constant && !(value && value->once)) {
        text_append(&stretches->steps, "VARYING, ");
        return;
    }
    text_format(&stretches->steps, "KNOWN(%" PRIu32 "), ", stretches->known_count++);
    if (constant)
        text_format(&stretches->known, "(%s)%" PRIu64 "u, ", stretch_type(operand->width),
                    stretches->constants[operand->row]);
    else
        text_format(&stretches->known, "(%s)s_%" PRIu32 ", ", stretch_type(operand->width),
                    value->once);
}

uint32_t stretch_step(struct stretches *stretches, const struct vm_instruction *in,
                      const struct operand *operands, uint32_t count, bool opens)
{
    const enum vm_op op = (enum vm_op)in->op;
    const struct vm_op_form *form = vm_op_form(op);
    bool any = false;
    for (uint32_t i = 0; i < count; i++)
        any |= stretch_step_of(stretches, &operands[i]) != 0;
    if (!any)
        return 0;
    if (stretches->loads)
        return whole_step(stretches, in, operands, count, opens);
    text_format(&stretches->steps, "{%d, %" PRIu32 "u, %" PRIu32 ", %" PRIu32 ", %d, {", (int)op,
                in->c, form->operands[VM_OPERAND_A].width, form->operands[VM_OPERAND_DST].width,
                opens);
    for (uint32_t i = 0; i < count; i++)
        append_operand(stretches, &operands[i]);
    for (uint32_t i = count; i < 3; i++)
        text_append(&stretches->steps, "VARYING, ");
    text_append(&stretches->steps, "}},\n");
    return ++stretches->step_count;
}

bool stretch_steps_end(struct stretches *stretches, const bool wanted[STRETCH_MAX])
{
    struct text *text = &stretches->before;
    struct text gets = TEXT_INIT;
    uint32_t count = 0;
    for (uint32_t i = 0; i < stretches->value_count; i++) {
        const struct stretch_value *value = &stretches->values[i];
        if (!wanted[i] || !value->step)
            continue;
        count++;
        text_format(&gets, "{%" PRIu32 ", %" PRIu32 "}, ", value->row, value->step - 1);
    }
    const bool follows =
        count > 0 && count <= VM_NATIVE_GETS && stretches->step_count <= VM_NATIVE_STEPS;
    if (follows) {
        text_format(text, "static const struct vm_native_step steps[] = {\n%s};\n",
                    stretches->steps.bytes);
        text_format(text, "static const struct vm_native_get gets[] = {%s};\n", gets.bytes);
        text_format(text,
                    "static const struct vm_native_steps follow = {%" PRIu32 ", %" PRIu32
                    ", steps, gets};\n",
                    stretches->step_count, count);
        text_format(text, "const u64 known[] = {%s0};\nFOLLOW(0%s)\n",
                    stretches->known_count ? stretches->known.bytes : "",
                    stretches->undefined.bytes);
        stretches->leaves = true;
    } else if (count > 0) {
        text_append_n(&stretches->checks, stretches->undefined.bytes, stretches->undefined.size);
    }
    text->failed |= gets.failed;
    text_release(&gets);
    return follows;
}
