/* SPIR-V functions to blocks of scalar instructions. Each call becomes a copy of its callee: an
 * *instance*, whose parameters are the caller's values themselves. Calls nest by an explicit chain
 * of instances. */
#include "reference/lower/lower_instance.h"
#include "reference/spirv/grammar.h"

#include <string.h>

enum { CALL_DEPTH_MAX = 256 };

struct pending_phi {
    struct lower_instance *instance;
    const struct spv_instruction *instruction;
    struct ir_ref ref;
    uint32_t block, place;
    struct pending_phi *next, *next_in_block;
};

/* ---- instances ---- */

/* The labels that a block may branch to: operands[first], [first + step] ... below `count`. */
struct targets {
    const uint32_t *operands;
    uint32_t first, step, count;
};

static bool find_targets(struct lower *lower, const struct spv_block *block,
                         struct targets *targets)
{
    const struct spv_instruction *end = &block->instructions[block->count - 1];
    *targets = (struct targets){.operands = end->operands, .step = 1};
    if (end->op == SpvOpBranch) {
        targets->count = 1;
    } else if (end->op == SpvOpBranchConditional) {
        targets->first = 1;
        targets->count = 3;
    } else if (end->op == SpvOpSwitch) {
        const struct spv_type *selector = lower->module->ids[end->operands[0]].type;
        const bool wide =
            selector != NULL && selector->kind == SPV_TYPE_INT && selector->width > 32;
        targets->first = 1;
        targets->step = wide ? 3 : 2;
        targets->count = end->operand_count;
        if ((targets->count - 2) % targets->step != 0) {
            lower_fail(lower, STATUS_MALFORMED, "OpSwitch has a case without a target");
            return false;
        }
    }
    return true;
}

/* The block of a label of this function; FLOW_NONE on failure. */
static uint32_t find_target(struct lower *lower, const struct spv_function *function,
                            uint32_t label)
{
    const struct spv_id *target = label < lower->module->bound ? &lower->module->ids[label] : NULL;
    if (target != NULL && target->kind == SPV_ID_LABEL && target->function == function &&
        target->index != 0)
        return target->index;
    lower_fail(lower, STATUS_MALFORMED, "a branch to id %u, which is not a block to branch to",
               label);
    return FLOW_NONE;
}

/* The blocks that can be reached, in reverse post-order: definitions come before their uses, which
 * translators do not keep to in the order of the module although SPIR-V 1.6, 2.4, asks for it. */
static bool order_blocks(struct lower *lower, struct lower_instance *instance)
{
    const struct spv_function *function = instance->function;
    const uint32_t count = function->block_count;
    uint32_t *stack = lower_alloc(lower, count, sizeof *stack);
    struct targets *left = lower_alloc(lower, count, sizeof *left);
    bool *seen = lower_alloc(lower, count, sizeof *seen);
    uint32_t depth = 0;
    uint32_t post = count;
    if (lower_failed(lower) || !find_targets(lower, &function->blocks[0], &left[0]))
        return false;
    seen[0] = true;
    stack[depth++] = 0;
    while (depth > 0) {
        const uint32_t block = stack[depth - 1];
        if (left[block].first >= left[block].count) {
            instance->order[--post] = block;
            depth--;
            continue;
        }
        const uint32_t target =
            find_target(lower, function, left[block].operands[left[block].first]);
        left[block].first += left[block].step;
        if (target == FLOW_NONE)
            return false;
        if (seen[target])
            continue;
        if (!find_targets(lower, &function->blocks[target], &left[target]))
            return false;
        seen[target] = true;
        stack[depth++] = target;
    }
    instance->order_count = count - post;
    memmove(instance->order, instance->order + post,
            instance->order_count * sizeof *instance->order);
    return true;
}

/* Of the call under way. A debugger tells two expansions by their places. */
static uint32_t place_of_call(struct lower *lower)
{
    const struct vm_place place = lower->places[lower->place];
    return lower->options.debug == NULL
               ? lower->place
               : lower_append(lower, &lower->places, &lower->place_count, &lower->place_capacity,
                              &place, sizeof place);
}

static struct lower_instance *enter(struct lower *lower, const struct spv_function *function,
                                    const struct spv_instruction *call)
{
    struct lower_instance *instance = lower_alloc(lower, 1, sizeof *instance);
    if (instance == NULL)
        return NULL;
    *instance = (struct lower_instance){
        .function = function,
        .caller = lower->instance,
        .call = call,
        .caller_place = call != NULL && call->place != 0 ? place_of_call(lower) : 0,
        .depth = lower->instance == NULL ? 1 : lower->instance->depth + 1,
        .refs = lower_alloc(lower, function->local_count, sizeof *instance->refs),
        .blocks = lower_alloc(lower, function->block_count, sizeof *instance->blocks),
        .order = lower_alloc(lower, function->block_count, sizeof *instance->order),
        .first_variable = lower->variable_count,
    };
    lower_find_parts(lower, function);
    if (lower_failed(lower) || !order_blocks(lower, instance))
        return NULL;
    for (uint32_t i = 0; i < instance->order_count; i++)
        instance->blocks[instance->order[i]] = ir_block_add(lower);
    return lower_failed(lower) ? NULL : instance;
}

static void begin(struct lower *lower, struct lower_instance *instance)
{
    lower->instance = instance;
    lower->block = instance->blocks[0];
    lower->function_name =
        instance->function->name[0] != '\0' ? instance->function->name : lower->kernel->name;
}

/* The function that calls a kernel's own, with the kernel's parameters, and does nothing else. */
static bool only_calls(const struct lower *lower)
{
    const struct spv_function *function = lower->instance->function;
    if (lower->instance->caller != NULL || function->block_count != 1 ||
        function->blocks[0].count != 2 ||
        function->parameter_count != lower->at->operand_count - 1u)
        return false;
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        if (lower->at->operands[i + 1] != function->parameters[i].result)
            return false;
    }
    return true;
}

/* What parameter `index` of the callee is. SPIR-V 1.6, Function Parameter Attribute: what ByVal
 * points to is passed by value, so the callee has a copy of its own. */
static struct ir_ref pass(struct lower *lower, const struct spv_function *function, uint32_t index,
                          struct ir_ref argument)
{
    const uint32_t id = function->parameters[index].result;
    const struct spv_type *type = function->type->members[index];
    argument.type = type;
    argument.step = NULL;
    if (type->kind != SPV_TYPE_POINTER || type->element == NULL || only_calls(lower) ||
        !lower_has_attribute(lower, id, SpvFunctionParameterAttributeByVal))
        return argument;
    uint32_t *copy = lower_alloc(lower, 1, sizeof *copy);
    if (copy == NULL)
        return argument;
    *copy = lower_own_copy(lower, id, type, argument.values[0]);
    return (struct ir_ref){.values = copy, .count = 1, .type = type};
}

static void translate_call(struct lower *lower)
{
    const struct spv_instruction *at = lower->at;
    const struct spv_id *entry = &lower->module->ids[lower_word(lower, 0)];
    if (entry->kind != SPV_ID_FUNCTION) {
        lower_malformed(lower, "of id %u, which is not a function", at->operands[0]);
        return;
    }
    const struct spv_function *function = entry->function;
    if (function->block_count == 0 && (lower_translate_import(lower, function->name) ||
                                       lower_translate_group_import(lower, function->name) ||
                                       lower_translate_assertion(lower, function->name)))
        return;
    if (function->block_count == 0) {
        lower_fail(lower, STATUS_UNSUPPORTED, "a call of '%s', which has no body, is not supported",
                   function->name);
        return;
    }
    for (const struct lower_instance *i = lower->instance; i != NULL; i = i->caller) {
        if (i->function == function) {
            lower_refuse(lower, "'%s' calls itself; OpenCL C 3.0, 6.11 (i): recursion",
                         function->name);
            return;
        }
    }
    if (lower->instance->depth >= CALL_DEPTH_MAX) {
        lower_fail(lower, STATUS_UNSUPPORTED, "calls nested deeper than %d are not supported",
                   CALL_DEPTH_MAX);
        return;
    }
    if (at->operand_count - 1u != function->parameter_count) {
        lower_fail(lower, STATUS_MALFORMED, "a call of '%s' with %u arguments for %u parameters",
                   function->name, at->operand_count - 1u, function->parameter_count);
        return;
    }
    struct lower_instance *callee = enter(lower, function, at);
    if (callee == NULL)
        return;
    callee->is_kernel = only_calls(lower);
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        const struct ir_ref argument = lower_operand(lower, i + 1);
        if (!lower_same_shape(lower, argument.type, function->type->members[i])) {
            lower_fail(lower, STATUS_MALFORMED, "argument %u of '%s' has another type", i,
                       function->name);
            return;
        }
        const uint32_t index = lower->module->ids[function->parameters[i].result].index;
        callee->refs[index] = pass(lower, function, i, argument);
        if (callee->refs[index].count == 1)
            lower_name_variable(lower, function->parameters[i].result, callee->caller_place,
                                callee->refs[index].values[0]);
    }
    callee->continuation = ir_block_add(lower);
    ir_exit_branch(lower, callee->blocks[0]);
    begin(lower, callee);
}

/* A phi for each component over all the places that return; undefined when none does. */
static void join_returns(struct lower *lower, const struct lower_instance *callee,
                         const struct spv_type *type)
{
    struct ir_leaves leaves;
    if (!lower_leaves(lower, type, &leaves))
        return;
    uint32_t *values = lower_alloc(lower, leaves.components, sizeof *values);
    for (uint32_t c = 0; c < leaves.components && !lower_failed(lower); c++) {
        values[c] = callee->returns == NULL ? ir_undefined(lower, leaves.widths[c], NULL, 0)
                                            : ir_phi(lower, lower->block, leaves.widths[c]);
        for (const struct return_point *p = callee->returns; p != NULL; p = p->next)
            ir_phi_add(lower, values[c], p->block, p->value.values[c]);
    }
    lower_set_result(lower, values, leaves.components);
}

/* The callee's blocks are done: the caller goes on, with the value that came back. */
static void leave(struct lower *lower)
{
    struct lower_instance *callee = lower->instance;
    begin(lower, callee->caller);
    lower->block = callee->continuation;
    lower->at = callee->call;
    lower_set_place(lower, callee->call->place);
    if (!callee->is_kernel)
        lower_life_end_from(lower, callee->first_variable);
    const struct spv_type *type = callee->function->type->element;
    if (type->kind == SPV_TYPE_VOID || lower_failed(lower))
        return;
    if (callee->returns != NULL && callee->returns->next == NULL) {
        lower_set_result(lower, callee->returns->value.values, callee->returns->value.count);
        return;
    }
    join_returns(lower, callee, type);
}

/* ---- control ---- */

static uint32_t target_block(struct lower *lower, uint32_t label)
{
    /* order_blocks has looked at every label. */
    return lower->instance->blocks[lower->module->ids[label].index];
}

static uint32_t current_block(const struct lower *lower)
{
    return lower->instance->order[lower->instance->block_index];
}

static void end_block(struct lower *lower)
{
    lower->blocks[lower->block].label =
        lower->instance->function->blocks[current_block(lower)].label;
}

static void translate_branch(struct lower *lower)
{
    const struct spv_block *from = &lower->instance->function->blocks[current_block(lower)];
    const uint32_t place = lower->place;
    uint32_t last;
    const uint32_t label = lower_leave_scopes(lower, from, lower->at->operands[0], &last);
    lower->place = place; /* not that where the scopes end, which is where all ways out meet */
    ir_exit_branch(lower, target_block(lower, label));
    end_block(lower);
    lower->blocks[lower->block].label = last;
}

static void translate_switch(struct lower *lower)
{
    const struct spv_instruction *at = lower->at;
    const uint32_t selector = lower_scalar(lower, 0);
    const uint32_t width = lower->values[selector].width;
    if (width == 0 || lower_ref(lower, at->operands[0]).type->kind != SPV_TYPE_INT) {
        lower_malformed(lower, "with a selector that is not an integer");
        return;
    }
    const uint32_t words = width == 8 ? 2 : 1;
    const uint32_t otherwise = target_block(lower, at->operands[1]);
    for (uint32_t i = 2; i < at->operand_count && !lower_failed(lower); i += words + 1) {
        uint64_t literal = at->operands[i];
        if (words == 2)
            literal |= (uint64_t)at->operands[i + 1] << 32;
        const uint32_t target = target_block(lower, at->operands[i + words]);
        const bool last = i + words + 1 >= at->operand_count;
        const uint32_t next = last ? otherwise : ir_block_add(lower);
        if (target == next) {
            ir_exit_branch(lower, next);
        } else {
            const uint32_t equal = ir_op2(lower, IR_BY_WIDTH(ieq, width), selector,
                                          ir_constant(lower, width, literal));
            ir_exit_if(lower, equal, target, next);
        }
        end_block(lower);
        lower->block = next;
        if (last)
            return;
    }
    ir_exit_branch(lower, otherwise);
    end_block(lower);
}

static void translate_return(struct lower *lower)
{
    struct lower_instance *instance = lower->instance;
    const bool value = lower->at->op == SpvOpReturnValue;
    if (value != (instance->function->type->element->kind != SPV_TYPE_VOID)) {
        lower_malformed(lower, "does not fit the type of function '%s'", lower->function_name);
        return;
    }
    end_block(lower);
    lower->blocks[lower->block].place = lower->place;
    if (instance->caller == NULL) {
        lower->blocks[lower->block].exit = IR_EXIT_RETURN;
        return;
    }
    if (value) {
        struct return_point *point = lower_alloc(lower, 1, sizeof *point);
        const struct ir_ref ref = lower_operand(lower, 0);
        if (!lower_same_shape(lower, ref.type, instance->function->type->element)) {
            lower_malformed(lower, "of another type");
            return;
        }
        *point = (struct return_point){lower->block, ref, instance->returns};
        instance->returns = point;
    }
    ir_exit_branch(lower, instance->continuation);
}

static bool translate_control(struct lower *lower)
{
    const struct spv_instruction *at = lower->at;
    switch (at->op) {
    case SpvOpBranch:
        translate_branch(lower);
        return true;
    case SpvOpBranchConditional: {
        const uint32_t condition = lower_scalar(lower, 0);
        const uint32_t target = target_block(lower, at->operands[1]);
        const uint32_t otherwise = target_block(lower, at->operands[2]);
        if (lower->values[condition].width != 0)
            lower_malformed(lower, "with a condition that is not a boolean");
        else if (target == otherwise)
            ir_exit_branch(lower, target);
        else
            ir_exit_if(lower, condition, target, otherwise);
        end_block(lower);
        return true;
    }
    case SpvOpSwitch:
        translate_switch(lower);
        return true;
    case SpvOpReturn:
    case SpvOpReturnValue:
        translate_return(lower);
        return true;
    case SpvOpUnreachable:
        ir_exit_unreachable(lower);
        end_block(lower);
        return true;
    case SpvOpLoopMerge:
    case SpvOpSelectionMerge:
        return true; /* the order of blocks needs no hints */
    default:
        return false;
    }
}

/* ---- phis ---- */

static void translate_phi(struct lower *lower)
{
    const struct spv_type *type = lower_result_type(lower);
    uint32_t count;
    if (!lower_component_count(lower, type, &count))
        return;
    if (type->kind == SPV_TYPE_VOID || lower->blocks[lower->block].count > 0 ||
        lower->block != lower->instance->blocks[current_block(lower)]) {
        lower_malformed(lower, "is not at the start of its block");
        return;
    }
    struct pending_phi *pending = lower_alloc(lower, 1, sizeof *pending);
    uint32_t *values = lower_alloc(lower, count, sizeof *values);
    struct ir_leaves leaves;
    if (lower_failed(lower) || !lower_leaves(lower, type, &leaves))
        return;
    for (uint32_t c = 0; c < count; c++)
        values[c] = ir_phi(lower, lower->block, leaves.widths[c]);
    lower_set_result(lower, values, count);
    *pending = (struct pending_phi){
        .instance = lower->instance,
        .instruction = lower->at,
        .ref = {.values = values, .count = count, .type = type},
        .block = lower->block,
        .place = lower->place,
        .next = lower->pending_phis,
    };
    lower->pending_phis = pending;
}

static void add_phi_operands(struct lower *lower, struct pending_phi *phi, uint32_t pred)
{
    const struct spv_instruction *at = phi->instruction;
    const uint32_t label = lower->blocks[pred].label;
    lower->instance = phi->instance;
    lower->at = at;
    lower->place = phi->place;
    lower->function_name = phi->instance->function->name;
    for (uint32_t i = 0; i + 1 < at->operand_count; i += 2) {
        if (at->operands[i + 1] != label)
            continue;
        const struct ir_ref ref = lower_ref(lower, at->operands[i]);
        if (!lower_same_shape(lower, ref.type, phi->ref.type)) {
            lower_malformed(lower, "with a value of another type");
            return;
        }
        for (uint32_t c = 0; c < ref.count; c++)
            ir_phi_add(lower, phi->ref.values[c], pred, ref.values[c]);
        return;
    }
    lower_malformed(lower, "has no value for predecessor %u", label);
}

/* Now that all predecessors exist. */
static void finish_phis(struct lower *lower)
{
    struct pending_phi **by_block = lower_alloc(lower, lower->block_count, sizeof *by_block);
    if (by_block == NULL)
        return;
    for (struct pending_phi *phi = lower->pending_phis; phi != NULL; phi = phi->next) {
        phi->next_in_block = by_block[phi->block];
        by_block[phi->block] = phi;
    }
    for (uint32_t b = 0; b < lower->block_count; b++) {
        for (uint32_t t = 0; t < ir_target_count(&lower->blocks[b]); t++) {
            for (struct pending_phi *phi = by_block[lower->blocks[b].targets[t]];
                 phi != NULL && !lower_failed(lower); phi = phi->next_in_block)
                add_phi_operands(lower, phi, b);
        }
    }
}

/* ---- instructions ---- */

/* What computes a value of its operands alone. */
static bool translate_value(struct lower *lower)
{
    return lower_translate_op(lower) || lower_translate_conversion(lower) ||
           lower_translate_composite(lower);
}

/* What work-items do together or tell each other. */
static bool translate_group(struct lower *lower)
{
    return lower_translate_group(lower) || lower_translate_reduction(lower) ||
           lower_translate_sub_group(lower) || lower_translate_block(lower);
}

static void translate_instruction(struct lower *lower)
{
    const struct spv_instruction *at = lower->at;
    lower_set_place(lower, at->place);
    if (lower_failed(lower))
        return;
    if (at->op == SpvOpFunctionCall)
        translate_call(lower);
    else if (at->op == SpvOpPhi)
        translate_phi(lower);
    else if (at->op == SpvOpExtInst)
        lower_translate_builtin(lower);
    else if (!translate_control(lower) && !translate_value(lower) && !lower_translate_bits(lower) &&
             !lower_translate_order(lower) && !lower_translate_memory(lower) &&
             !lower_translate_atomic(lower) && !translate_group(lower) &&
             !lower_translate_generic(lower) && !lower_translate_device(lower) &&
             !lower_translate_image(lower) && !lower_translate_pipe(lower))
        lower_refuse(lower, "%s", spv_op_name(at->op));
}

/* SPIR-V 1.6, OpSpecConstantOp: "performs the operation named". Those that the reader of the module
 * has not evaluated are computed once per vector, in the order of the module, so that operands come
 * first. */
static void translate_expressions(struct lower *lower)
{
    for (uint32_t i = 0; i < lower->module->instruction_count && !lower_failed(lower); i++) {
        const struct spv_instruction *from = &lower->module->instructions[i];
        if (from->op == SpvOpFunction)
            return;
        if (from->op != SpvOpSpecConstantOp ||
            lower->module->ids[from->result].constant->kind != SPV_CONSTANT_EXPRESSION)
            continue;
        struct spv_instruction named = *from;
        named.op = (uint16_t)from->operands[0];
        named.operands = from->operands + 1;
        named.operand_count = (uint16_t)(from->operand_count - 1u);
        lower->at = &named;
        if (!translate_value(lower))
            (void)lower_translate_bits(lower); /* what neither knows is refused where it is used */
    }
}

/* One step: an instruction, or the end of a block or function. False at the end of the kernel. */
static bool step(struct lower *lower)
{
    struct lower_instance *instance = lower->instance;
    if (instance->block_index == instance->order_count) {
        if (instance->caller == NULL)
            return false;
        leave(lower);
        return true;
    }
    const uint32_t index = instance->order[instance->block_index];
    const struct spv_block *block = &instance->function->blocks[index];
    if (instance->instruction_index == block->count) {
        instance->block_index++;
        instance->instruction_index = 0;
        return true;
    }
    if (instance->instruction_index == 0)
        lower->block = instance->blocks[index];
    lower->at = &block->instructions[instance->instruction_index++];
    translate_instruction(lower);
    return true;
}

void lower_translate(struct lower *lower)
{
    lower->constant_refs = lower_alloc(lower, lower->module->bound, sizeof *lower->constant_refs);
    if (lower_failed(lower))
        return;
    ir_block_add(lower); /* the entry: what is made once per vector */
    struct lower_instance *kernel = enter(lower, lower->kernel->function, NULL);
    if (kernel == NULL)
        return;
    const struct spv_function *function = kernel->function;
    struct ir_ref *refs = lower_alloc(lower, function->parameter_count, sizeof *refs);
    if (refs == NULL)
        return;
    lower->block = 0;
    lower->instance = kernel;
    lower->at = &function->blocks[0].instructions[0];
    lower_kernel_parameters(lower, refs);
    translate_expressions(lower);
    for (uint32_t i = 0; i < function->parameter_count && !lower_failed(lower); i++)
        kernel->refs[lower->module->ids[function->parameters[i].result].index] = refs[i];
    ir_exit_branch(lower, kernel->blocks[0]);
    begin(lower, kernel);
    while (!lower_failed(lower) && step(lower))
        continue;
    if (!lower_failed(lower))
        finish_phis(lower);
}
