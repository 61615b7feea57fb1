/* What a debugger is to know of variables: what they are called, and where their values are when
 * they have become some. Each cell of such a variable has a *home row*, into which the lanes that
 * run put each value that it gets; nothing else of the code changes. */
#include "reference/lower/lower_private.h"
#include "reference/vm/memory.h"

void lower_name_variable(struct lower *lower, uint32_t id, uint32_t caller, uint32_t address)
{
    uint32_t count = 0;
    const struct ir_value *value = &lower->values[address];
    if (lower->options.debug == NULL || lower_failed(lower) || value->bits != 0 ||
        (value->kind != IR_VARIABLE && value->kind != IR_GLOBAL))
        return;
    debug_info_of_id(lower->options.debug, id, &count);
    const struct ir_debug_name name = {
        .id = id, .caller = caller, .variable = value->index, .global = value->kind == IR_GLOBAL};
    if (count == 0)
        return;
    if (!name.global)
        lower->variables[name.variable].watched = true;
    lower_append(lower, &lower->debug_names, &lower->debug_name_count, &lower->debug_name_capacity,
                 &name, sizeof name);
}

uint32_t lower_find_home(struct lower *lower, uint32_t variable, uint32_t offset, uint32_t width)
{
    if (!lower->variables[variable].watched)
        return 0;
    for (uint32_t h = lower->home_count; h-- > 0;) {
        if (lower->homes[h].variable == variable && lower->homes[h].offset == offset)
            return h + 1;
    }
    const struct ir_home home = {.variable = variable, .offset = offset, .width = width};
    return 1 + lower_append(lower, &lower->homes, &lower->home_count, &lower->home_capacity, &home,
                            sizeof home);
}

void lower_keep(struct lower *lower, uint32_t home, uint32_t value)
{
    ir_emit(lower, IR_BY_WIDTH(set, lower->homes[home - 1].width), 0, 0, NULL, 0);
    if (lower_failed(lower))
        return;
    ir_last(lower)->home = home;
    ir_last(lower)->kept = value;
}

void lower_finish_homes(struct lower *lower)
{
    for (uint32_t i = 1; i < lower->instruction_count && !lower_failed(lower); i++) {
        const struct ir_instruction *instruction = &lower->instructions[i];
        const struct ir_value *kept = &lower->values[instruction->kept];
        if (instruction->home == 0 || instruction->dead || kept->kind != IR_VARIABLE ||
            lower->variables[kept->index].used)
            continue;
        const uint32_t pointer = ir_constant(lower, 8, VM_POINTER_TO_VALUE(kept->index));
        lower->instructions[i].kept = pointer;
    }
}

void lower_mark_statement(struct lower *lower)
{
    ir_emit(lower, VM_OP_set_mask, 0, 0, NULL, 0);
    if (!lower_failed(lower))
        ir_last(lower)->home = IR_HOME_NONE;
}
