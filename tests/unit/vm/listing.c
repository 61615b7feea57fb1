#include "tests/unit/vm/listing.h"

#include "reference/vm/shape.h"

#include <inttypes.h>

static const char *const parameter_kinds[] = {
    [VM_PARAMETER_VALUE] = "value",       [VM_PARAMETER_GLOBAL] = "global",
    [VM_PARAMETER_CONSTANT] = "constant", [VM_PARAMETER_LOCAL] = "local",
    [VM_PARAMETER_STRUCT] = "struct",     [VM_PARAMETER_IMAGE] = "image",
    [VM_PARAMETER_SAMPLER] = "sampler",   [VM_PARAMETER_PIPE] = "pipe",
    [VM_PARAMETER_QUEUE] = "queue",
};

static const char *const query_names[VM_QUERY_COUNT] = {
    [VM_QUERY_GLOBAL_ID] = "global id",
    [VM_QUERY_LOCAL_ID] = "local id",
    [VM_QUERY_GLOBAL_LINEAR_ID] = "global linear id",
    [VM_QUERY_LOCAL_LINEAR_ID] = "local linear id",
    [VM_QUERY_ITEM_OWNER] = "item owner",
    [VM_QUERY_GROUP_OWNER] = "group owner",
    [VM_QUERY_SUB_GROUP_LOCAL_ID] = "sub-group local id",
    [VM_QUERY_SUB_GROUP_ID] = "sub-group id",
    [VM_QUERY_SUB_GROUP_SIZE] = "sub-group size",
    [VM_QUERY_GROUP_ID] = "group id",
    [VM_QUERY_GLOBAL_SIZE] = "global size",
    [VM_QUERY_LOCAL_SIZE] = "local size",
    [VM_QUERY_ENQUEUED_LOCAL_SIZE] = "enqueued local size",
    [VM_QUERY_GROUP_COUNT] = "group count",
    [VM_QUERY_GLOBAL_OFFSET] = "global offset",
    [VM_QUERY_WORK_DIM] = "work dim",
    [VM_QUERY_SUB_GROUP_MAX_SIZE] = "sub-group max size",
    [VM_QUERY_SUB_GROUP_COUNT] = "sub-group count",
    [VM_QUERY_ENQUEUED_SUB_GROUP_COUNT] = "enqueued sub-group count",
};

static const char *const order_names[] = {
    [OBSERVER_ORDER_RELAXED] = "relaxed", [OBSERVER_ORDER_ACQUIRE] = "acquire",
    [OBSERVER_ORDER_RELEASE] = "release", [OBSERVER_ORDER_ACQ_REL] = "acq_rel",
    [OBSERVER_ORDER_SEQ_CST] = "seq_cst",
};
static const char *const scope_names[] = {
    [OBSERVER_SCOPE_WORK_ITEM] = "work_item",     [OBSERVER_SCOPE_SUB_GROUP] = "sub_group",
    [OBSERVER_SCOPE_WORK_GROUP] = "work_group",   [OBSERVER_SCOPE_DEVICE] = "device",
    [OBSERVER_SCOPE_ALL_DEVICES] = "all_devices",
};

static const char *const collective_names[] = {
    [VM_COLLECTIVE_NONE] = "none",
    [VM_COLLECTIVE_ALL] = "all",
    [VM_COLLECTIVE_ANY] = "any",
    [VM_COLLECTIVE_BROADCAST] = "broadcast",
    [VM_COLLECTIVE_REDUCE] = "reduce",
    [VM_COLLECTIVE_INCLUSIVE_SCAN] = "inclusive scan",
    [VM_COLLECTIVE_EXCLUSIVE_SCAN] = "exclusive scan",
    [VM_COLLECTIVE_COPY] = "copy",
    [VM_COLLECTIVE_WAIT] = "wait",
    [VM_COLLECTIVE_MEET] = "meet",
    [VM_COLLECTIVE_AGREE] = "agree",
    [VM_COLLECTIVE_BLOCK] = "block",
    [VM_COLLECTIVE_RESERVE] = "reserve",
    [VM_COLLECTIVE_COMMIT] = "commit",
    [VM_COLLECTIVE_NAMED] = "named",
};

static const char *const device_function_names[] = {
    [VM_DEVICE_DEFAULT_QUEUE] = "default queue",
    [VM_DEVICE_ENQUEUE] = "enqueue",
    [VM_DEVICE_MARKER] = "marker",
    [VM_DEVICE_CREATE_EVENT] = "create event",
    [VM_DEVICE_RETAIN_EVENT] = "retain event",
    [VM_DEVICE_RELEASE_EVENT] = "release event",
    [VM_DEVICE_IS_VALID_EVENT] = "is valid event",
    [VM_DEVICE_SET_EVENT_STATUS] = "set event status",
    [VM_DEVICE_CAPTURE_TIMES] = "capture times",
    [VM_DEVICE_WORK_GROUP_SIZE] = "work-group size",
    [VM_DEVICE_PREFERRED_MULTIPLE] = "preferred multiple",
    [VM_DEVICE_SUB_GROUP_COUNT] = "sub-group count",
    [VM_DEVICE_SUB_GROUP_SIZE_MAX] = "sub-group size max",
    [VM_DEVICE_SUB_GROUPS_MAX] = "sub-groups max",
    [VM_DEVICE_LOCAL_SIZE] = "local size",
};

static void print_launch(const struct vm_code *code, struct text *text)
{
    for (uint32_t i = 0; i < code->parameter_count; i++) {
        const struct vm_parameter *parameter = &code->parameters[i];
        text_format(text, "  parameter %" PRIu32 " %s %s %s -> r%" PRIu32 "\n", i,
                    parameter_kinds[parameter->kind], parameter->type_name, parameter->name,
                    parameter->row);
    }
    for (uint32_t i = 0; i < code->variable_count; i++) {
        const struct vm_variable *variable = &code->variables[i];
        text_format(text, "  %s %s: %" PRIu64 " bytes -> r%" PRIu32 "\n",
                    variable->region == VM_VARIABLE_LOCAL ? "local" : "private", variable->name,
                    variable->size, variable->row);
    }
    for (uint32_t i = 0; i < code->global_count; i++)
        text_format(text, "  global %" PRIu32 " -> r%" PRIu32 "\n", code->globals[i].index,
                    code->globals[i].row);
    for (uint32_t query = 0; query < VM_QUERY_COUNT; query++) {
        for (uint32_t d = 0; d < 3; d++) {
            if (code->query_rows[query][d])
                text_format(text, "  %s %" PRIu32 " -> r%" PRIu32 "\n", query_names[query], d,
                            code->query_rows[query][d]);
        }
    }
    for (uint32_t i = 0; i < code->constant_count; i++) {
        const struct vm_constant *constant = &code->constants[i];
        text_format(text, "  constant r%" PRIu32 " = 0x%" PRIx64 "%s\n", constant->row,
                    constant->bits,
                    !constant->width    ? " mask"
                    : constant->uniform ? " uniform"
                                        : "");
    }
}

static void print_operands(const struct vm_instruction *in, const struct vm_shape *shape,
                           struct text *text)
{
    const uint32_t values[VM_OPERAND_COUNT] = {in->dst, in->a, in->b, in->c};
    for (uint32_t i = VM_OPERAND_A; i < VM_OPERAND_COUNT; i++) {
        switch (shape->operands[i].kind) {
        case VM_OPERAND_ROW:
            text_format(text, " r%" PRIu32, values[i]);
            break;
        case VM_OPERAND_BLOCK:
            text_format(text, " b%" PRIu32, values[i]);
            break;
        case VM_OPERAND_NUMBER:
            text_format(text, " %" PRId32, (int32_t)values[i]);
            break;
        case VM_OPERAND_NONE:
            break;
        }
    }
}

static void print_instruction(const struct vm_code *code, uint32_t site, struct text *text)
{
    const struct vm_instruction *in = &code->instructions[site];
    struct vm_shape shape;
    vm_shape_get(in, &shape);
    text_format(text, "  %4" PRIu32 "  ", site);
    if (shape.operands[VM_OPERAND_DST].kind == VM_OPERAND_ROW)
        text_format(text, "r%" PRIu32 " = ", in->dst);
    text_append(text, vm_op_name((enum vm_op)in->op));
    if (shape.traits & VM_SIZED)
        text_format(text, ".%ux%u", in->width, in->count);
    print_operands(in, &shape, text);
    if (shape.traits & VM_BARRIER) {
        const struct vm_barrier *barrier = &code->barriers[in->aux];
        text_format(text, " %s flags %" PRIu32 " then b%" PRIu32, scope_names[barrier->execution],
                    barrier->flags, barrier->next);
        for (uint32_t i = 0; i < barrier->counter_count; i++)
            text_format(text, "%s r%" PRIu32,
                        i                           ? ""
                        : barrier->counters_uniform ? " uniform counters"
                                                    : " counters",
                        barrier->counters[i]);
    } else if (in->op == VM_OP_spin) {
        const struct vm_spin *spin = &code->spins[in->aux];
        text_format(text, " loop %" PRIu32 "%s", in->aux, spin->row_count ? " unless" : "");
        for (uint32_t i = 0; i < spin->row_count; i++)
            text_format(text, " r%" PRIu32 " != r%" PRIu32, spin->rows[2 * i],
                        spin->rows[2 * i + 1]);
    } else if (in->op == VM_OP_spin_begin) {
        text_format(text, " loop %" PRIu32, in->aux);
    } else if (in->op == VM_OP_collective) {
        const struct vm_barrier *barrier = &code->barriers[in->aux];
        text_format(text, " %s", collective_names[barrier->collective]);
        for (uint32_t i = 0; i < barrier->argument_count; i++)
            text_format(text, " r%" PRIu32, barrier->arguments[i]);
    } else if (shape.traits & VM_ORDERED) {
        const struct vm_atomic *atomic = &code->atomics[in->aux];
        text_format(text, " %s %s", order_names[atomic->order], scope_names[atomic->scope]);
    } else if (in->op == VM_OP_printf) {
        const struct vm_print *print = &code->prints[in->aux];
        for (uint32_t i = 0; i < print->row_count; i++)
            text_format(text, " r%" PRIu32, print->rows[i]);
        text_append_char(text, ' ');
        text_append_json(text, print->format);
    } else if (in->op == VM_OP_device_call) {
        const struct vm_device_call *call = &code->device_calls[in->aux];
        text_format(text, " %s", device_function_names[call->function]);
        for (uint32_t i = 0; i < call->row_count; i++)
            text_format(text, " r%" PRIu32, call->rows[i]);
    } else if (shape.traits & (VM_IMAGE | VM_PIPE)) {
        text_format(text, " aux %" PRIu32, in->aux);
    } else if (in->op == VM_OP_sub_group_vote) {
        text_append(text, in->aux ? " all" : " any");
    } else if (in->op == VM_OP_sub_group_reduce) {
        const struct vm_reduction *reduction = &code->reductions[in->aux];
        text_format(text, " %s %s of %" PRIu32, collective_names[reduction->kind],
                    vm_op_name(reduction->combine), reduction->cluster_size);
    } else if (shape.traits & VM_MEMORY && in->aux & VM_ACCESS_VOLATILE) {
        text_append(text, " volatile");
    }
    const uint32_t place = code->instruction_places ? code->instruction_places[site] : 0;
    if (place != 0 && place < code->place_count)
        text_format(text, "  ; %" PRIu32 ":%" PRIu32, code->places[place].line,
                    code->places[place].column);
    text_append_char(text, '\n');
}

void listing_print(const struct vm_code *code, struct text *text)
{
    text_format(
        text, "kernel %s: %" PRIu32 " units, %" PRIu64 " private bytes, %" PRIu64 " local bytes\n",
        code->name, code->frame_units, code->private_size, code->local_size);
    print_launch(code, text);
    for (uint32_t i = 0; i < code->block_count; i++) {
        text_format(text, "b%" PRIu32 ":\n", i);
        for (uint32_t k = 0; k < code->blocks[i].count; k++)
            print_instruction(code, code->blocks[i].first + k, text);
    }
}
