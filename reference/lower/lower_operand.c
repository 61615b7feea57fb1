/* The operands of the instruction under way, its result and its place: what all translators share.
 */
#include "reference/lower/lower_instance.h"
#include "reference/spirv/grammar.h"

#include <string.h>

const struct spv_function *lower_function(const struct lower *lower)
{
    return lower->instance->function;
}

/* ---- operands ---- */

/* What there is after a failure. */
static const struct spv_type nothing = {.kind = SPV_TYPE_VOID, .element = &nothing};
static const uint32_t no_values[16];
static const struct ir_ref none = {.values = no_values, .type = &nothing};

/* `ref` where nothing has failed on the way to it. */
static struct ir_ref if_made(const struct lower *lower, struct ir_ref ref)
{
    return lower_failed(lower) ? none : ref;
}

struct ir_ref lower_ref(struct lower *lower, uint32_t id)
{
    if (lower_failed(lower))
        return none;
    if (id == 0 || id >= lower->module->bound) {
        lower_fail(lower, STATUS_MALFORMED, "id %u is out of bound", id);
        return none;
    }
    const struct spv_id *entry = &lower->module->ids[id];
    switch (entry->kind) {
    case SPV_ID_CONSTANT:
        return if_made(lower, lower_constant_ref(lower, id));
    case SPV_ID_VARIABLE:
        return if_made(lower, lower_variable_ref(lower, id));
    case SPV_ID_VALUE:
        if (entry->function == lower->instance->function &&
            lower->instance->refs[entry->index].type != NULL)
            return lower->instance->refs[entry->index];
        lower_malformed(lower, "uses id %u before its definition", id);
        return none;
    case SPV_ID_FUNCTION:
        lower_refuse(lower, "a function pointer");
        return none;
    default:
        lower_malformed(lower, "uses id %u, which is not a value", id);
        return none;
    }
}

uint32_t lower_word(struct lower *lower, uint32_t index)
{
    if (lower_failed(lower))
        return 0;
    if (index < lower->at->operand_count)
        return lower->at->operands[index];
    lower_malformed(lower, "has too few operands");
    return 0;
}

struct ir_ref lower_operand(struct lower *lower, uint32_t index)
{
    const uint32_t id = lower_word(lower, index);
    return lower_ref(lower, id);
}

uint32_t lower_scalar(struct lower *lower, uint32_t index)
{
    const struct ir_ref ref = lower_operand(lower, index);
    if (ref.count == 1 && spv_type_is_scalar(ref.type))
        return ref.values[0];
    lower_fail(lower, STATUS_MALFORMED, "operand %u of %s is not a scalar", index,
               spv_op_name(lower->at->op));
    return 0;
}

bool lower_constant_operand(struct lower *lower, uint32_t index, uint64_t *bits)
{
    if (lower->choice != NULL && index < 4 && lower->choice->given[index]) {
        *bits = lower->choice->bits[index];
        return !lower_failed(lower);
    }
    const uint32_t value = lower_scalar(lower, index);
    if (lower->values[value].kind != IR_CONSTANT) {
        lower_refuse(lower, "%s with a scope or order that is not a constant",
                     spv_op_name(lower->at->op));
        return false;
    }
    *bits = lower->values[value].bits;
    return true;
}

uint32_t lower_pointer_operand(struct lower *lower, uint32_t index, const struct spv_type **type)
{
    const struct ir_ref ref = lower_operand(lower, index);
    const bool pointer = ref.type->kind == SPV_TYPE_POINTER && ref.type->element != NULL;
    if (!pointer || lower->values[ref.values[0]].width != 8)
        lower_fail(lower, STATUS_MALFORMED, "operand %u of %s is not %s", index,
                   spv_op_name(lower->at->op), pointer ? "an address" : "a pointer");
    *type = lower_failed(lower) ? &nothing : ref.type;
    return lower_failed(lower) ? 0 : ref.values[0];
}

bool lower_gather(struct lower *lower, uint32_t first, uint32_t count, struct ir_ref *refs,
                  uint32_t *components)
{
    const struct spv_type *type = lower_result_type(lower);
    for (uint32_t i = 0; i < count; i++) {
        refs[i] = lower_operand(lower, first + i);
        if (refs[i].count != type->components || refs[i].count == 0 || refs[i].count > 16)
            lower_fail(lower, STATUS_MALFORMED, "operand %u of %s does not fit its type", first + i,
                       spv_op_name(lower->at->op));
    }
    *components = (uint32_t)type->components;
    return !lower_failed(lower);
}

bool lower_translate_row(struct lower *lower, const struct lower_row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (rows[i].op == lower->at->op) {
            rows[i].translate(lower);
            return true;
        }
    }
    return false;
}

/* ---- results ---- */

const struct spv_type *lower_result_type(struct lower *lower)
{
    const struct spv_type *type = spv_type_find(lower->module, lower->at->type);
    if (type == NULL)
        lower_malformed(lower, "has no type");
    return type != NULL ? type : &nothing;
}

/* A module from outside may declare another type for a result than its operands give it. */
static bool widths_fit(struct lower *lower, const struct spv_type *type, const uint32_t *values)
{
    struct ir_leaves leaves;
    if (!lower_leaves(lower, type, &leaves))
        return false;
    for (uint32_t c = 0; c < leaves.components; c++) {
        if (lower->values[values[c]].width != leaves.widths[c])
            return false;
    }
    return true;
}

void lower_set_result(struct lower *lower, const uint32_t *values, uint32_t count)
{
    const struct spv_type *type = lower_result_type(lower);
    if (lower_failed(lower))
        return;
    if (type->components != count || !widths_fit(lower, type, values))
        lower_fail(lower, STATUS_MALFORMED, "the operands of %s do not fit its type",
                   spv_op_name(lower->at->op));
    uint32_t *copy = lower_alloc(lower, count, sizeof *copy);
    if (lower_failed(lower))
        return;
    memcpy(copy, values, count * sizeof *copy);
    const struct spv_id *entry = &lower->module->ids[lower->at->result];
    struct ir_ref *ref = entry->kind == SPV_ID_CONSTANT ? &lower->constant_refs[lower->at->result]
                                                        : &lower->instance->refs[entry->index];
    *ref = (struct ir_ref){.values = copy, .count = count, .type = type};
}

void lower_set_step(struct lower *lower, const struct lower_step *step)
{
    const struct spv_id *entry = &lower->module->ids[lower->at->result];
    if (!lower_failed(lower) && entry->kind == SPV_ID_VALUE)
        lower->instance->refs[entry->index].step = step;
}

/* Another line than the one before begins. */
static bool take_place(struct lower *lower, uint32_t spv_place)
{
    struct lower_instance *instance = lower->instance;
    const uint32_t context = lower->options.debug == NULL || lower->at == NULL
                                 ? 0
                                 : debug_info_context(lower->options.debug, lower->at->word);
    if (spv_place == instance->last_spv_place && instance->last_place != 0 &&
        lower->places[instance->last_place].context == context) {
        lower->place = instance->last_place;
        return false;
    }
    const struct spv_place *from = &lower->module->places[spv_place];
    /* A child's own function only calls the block's, and stands where it is enqueued. */
    const bool enqueues = instance->caller == NULL && lower->kernel->phase == SPV_PHASE_CHILD;
    const char *name = enqueues ? "enqueue_kernel" : instance->function->name;
    const struct vm_place place = {
        .function = name[0] != '\0' ? name : lower->kernel->name,
        .file = from->file,
        .line = from->line,
        .column = from->column,
        .caller = instance->caller_place,
        .context = context,
    };
    lower->place = lower_append(lower, &lower->places, &lower->place_count, &lower->place_capacity,
                                &place, sizeof place);
    const uint32_t before = instance->last_place;
    instance->last_spv_place = spv_place;
    instance->last_place = lower->place;
    return context != 0 && lower->at->op != SpvOpPhi &&
           (before == 0 || lower->places[before].context == 0 ||
            lower->places[before].line != place.line);
}

void lower_set_place(struct lower *lower, uint32_t spv_place)
{
    if (take_place(lower, spv_place))
        lower_mark_statement(lower);
}

void lower_set_inner_place(struct lower *lower, uint32_t spv_place)
{
    (void)take_place(lower, spv_place);
}
