/* The taking apart and putting together of vectors, arrays and structures. */
#include "reference/lower/lower_private.h"

#include <string.h>

/* Follows literal indices from operand `first` on; the part's first component and type. */
static const struct spv_type *find_part(struct lower *lower, const struct spv_type *type,
                                        uint32_t first, uint32_t *component)
{
    *component = 0;
    for (uint32_t i = first; i < lower->at->operand_count; i++) {
        const uint32_t index = lower->at->operands[i];
        if (type->kind == SPV_TYPE_STRUCT && index < type->member_count) {
            for (uint32_t m = 0; m < index; m++)
                *component += (uint32_t)type->members[m]->components;
            type = type->members[index];
        } else if ((type->kind == SPV_TYPE_ARRAY || type->kind == SPV_TYPE_VECTOR) &&
                   index < type->count) {
            *component += index * (uint32_t)type->element->components;
            type = type->element;
        } else {
            lower_malformed(lower, "with index %u out of range", index);
            return NULL;
        }
    }
    return type;
}

static void translate_extract(struct lower *lower)
{
    const struct ir_ref whole = lower_operand(lower, 0);
    uint32_t component;
    const struct spv_type *part = find_part(lower, whole.type, 1, &component);
    if (part != NULL)
        lower_set_result(lower, whole.values + component, (uint32_t)part->components);
}

static void translate_insert(struct lower *lower)
{
    const struct ir_ref part = lower_operand(lower, 0);
    const struct ir_ref whole = lower_operand(lower, 1);
    uint32_t component;
    const struct spv_type *type = find_part(lower, whole.type, 2, &component);
    uint32_t *results = lower_alloc(lower, whole.count, sizeof *results);
    if (type == NULL || results == NULL)
        return;
    if (type->components != part.count) {
        lower_malformed(lower, "of a part of another type");
        return;
    }
    memcpy(results, whole.values, whole.count * sizeof *results);
    memcpy(results + component, part.values, part.count * sizeof *results);
    lower_set_result(lower, results, whole.count);
}

static void translate_construct(struct lower *lower)
{
    const struct spv_type *type = lower_result_type(lower);
    uint32_t count = 0;
    if (type->components > 65536) {
        lower_refuse(lower, "a value of so many components");
        return;
    }
    uint32_t *results = lower_alloc(lower, type->components, sizeof *results);
    for (uint32_t i = 0; i < lower->at->operand_count && !lower_failed(lower); i++) {
        const struct ir_ref part = lower_operand(lower, i);
        if (part.count > type->components - count) {
            lower_malformed(lower, "of too many parts");
            return;
        }
        if (part.count > 0)
            memcpy(results + count, part.values, part.count * sizeof *results);
        count += part.count;
    }
    lower_set_result(lower, results, count);
}

static void translate_shuffle(struct lower *lower)
{
    const struct ir_ref a = lower_operand(lower, 0);
    const struct ir_ref b = lower_operand(lower, 1);
    const uint32_t count = lower->at->operand_count - 2u;
    uint32_t results[16];
    if (count > 16 || a.count == 0) {
        lower_malformed(lower, "of %u components", count);
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t index = lower->at->operands[2 + i];
        if (index == UINT32_MAX) {
            results[i] = ir_nobodys(lower, lower->values[a.values[0]].width);
        } else if (index < a.count + b.count) {
            results[i] = index < a.count ? a.values[index] : b.values[index - a.count];
        } else {
            lower_malformed(lower, "with component %u of %u", index, a.count + b.count);
            return;
        }
    }
    lower_set_result(lower, results, count);
}

/* The query that a component is, as wide as it is or cut to size_t's 32 bits; NULL = none. */
static const struct ir_value *query_of(const struct lower *lower, uint32_t component)
{
    const struct ir_value *value = &lower->values[component];
    if (value->kind == IR_RESULT && lower->instructions[value->index].op == VM_OP_trunc_64_32)
        value = &lower->values[lower->operands[lower->instructions[value->index].operand]];
    return value->kind == IR_QUERY ? value : NULL;
}

/* OpenCL C 3.0, 6.15.1: "For other values of dimindx" than 0 to get_work_dim() - 1, ids and offsets
 * are 0, sizes and the number of work-groups 1. Below that an index picks one of three queries. */
static uint32_t query_beyond(struct lower *lower, const struct ir_ref *whole, uint32_t index,
                             uint32_t within)
{
    const uint32_t width = lower->values[whole->values[0]].width;
    uint64_t beyond = 0;
    switch (query_of(lower, whole->values[0])->index) {
    case VM_QUERY_GLOBAL_SIZE:
    case VM_QUERY_LOCAL_SIZE:
    case VM_QUERY_ENQUEUED_LOCAL_SIZE:
    case VM_QUERY_GROUP_COUNT:
        beyond = 1;
        break;
    default:
        break;
    }
    const uint32_t in_range =
        ir_op2(lower, VM_OP_ult_32, index, ir_constant(lower, 4, whole->count));
    return ir_select(lower, in_range, within, ir_constant(lower, width, beyond));
}

/* Booleans as bytes, which have rows that an index can pick, and back. */
static void to_bytes(struct lower *lower, uint32_t *values, uint32_t count)
{
    for (uint32_t i = 0; i < count && !lower_failed(lower); i++)
        values[i] = ir_as_byte(lower, values[i]);
}

static void to_booleans(struct lower *lower, uint32_t *values, uint32_t count)
{
    for (uint32_t i = 0; i < count && !lower_failed(lower); i++)
        values[i] = ir_as_boolean(lower, values[i]);
}

/* The index of operand `operand` as 32 bits. One that they cannot hold is out of range for any
 * vector: all bits set keep it so. */
static uint32_t dynamic_index(struct lower *lower, uint32_t operand)
{
    uint32_t index = lower_scalar(lower, operand);
    if (lower->values[index].width == 8)
        index = ir_op2(lower, VM_OP_umin_64, index, ir_constant(lower, 8, UINT32_MAX));
    return ir_resize(lower, index, 4, true);
}

static void extract_dynamic(struct lower *lower, const struct ir_ref *whole, uint32_t index)
{
    const bool indexed = lower->at->op == SpvOpVectorExtractDynamic && lower_part_of(lower).indexed;
    const bool boolean = lower->values[whole->values[0]].width == 0;
    uint32_t operands[17];
    memcpy(operands, whole->values, whole->count * sizeof operands[0]);
    if (boolean)
        to_bytes(lower, operands, whole->count);
    operands[whole->count] = index;
    const uint32_t width = lower->values[operands[0]].width;
    const bool query = query_of(lower, whole->values[0]) != NULL;
    const bool told =
        !query && lower_test_component(lower, index, whole->count, width, OBSERVER_READ);
    uint32_t result = ir_emit(lower, VM_OP_extract, width, 1, operands, whole->count + 1);
    ir_last(lower)->count = (uint8_t)whole->count;
    ir_last(lower)->aux = told;
    if (indexed)
        lower_add_indexed(lower, whole->type->element->kind == SPV_TYPE_FLOAT);
    if (query)
        result = query_beyond(lower, whole, index, result);
    if (boolean)
        to_booleans(lower, &result, 1);
    lower_set_result(lower, &result, 1);
}

static void insert_dynamic(struct lower *lower, const struct ir_ref *whole, uint32_t part,
                           uint32_t index)
{
    const bool boolean = lower->values[whole->values[0]].width == 0;
    uint32_t operands[18];
    uint32_t results[16];
    memcpy(operands, whole->values, whole->count * sizeof operands[0]);
    operands[whole->count] = part;
    if (boolean)
        to_bytes(lower, operands, whole->count + 1);
    operands[whole->count + 1] = index;
    const uint32_t width = lower->values[operands[0]].width;
    const bool told = lower_test_component(lower, index, whole->count, width, OBSERVER_WRITE);
    const uint32_t result =
        ir_emit(lower, VM_OP_insert, width, whole->count, operands, whole->count + 2);
    ir_last(lower)->aux = told;
    for (uint32_t i = 0; i < whole->count; i++)
        results[i] = result + i;
    if (boolean)
        to_booleans(lower, results, whole->count);
    lower_set_result(lower, results, whole->count);
}

/* OpVectorExtractDynamic and OpVectorInsertDynamic. */
static void translate_dynamic(struct lower *lower)
{
    const bool insert = lower->at->op == SpvOpVectorInsertDynamic;
    const struct ir_ref whole = lower_operand(lower, 0);
    const uint32_t part = insert ? lower_scalar(lower, 1) : 0;
    const uint32_t index = dynamic_index(lower, insert ? 2 : 1);
    if (whole.type->kind != SPV_TYPE_VECTOR ||
        (insert && lower->values[part].width != lower->values[whole.values[0]].width)) {
        lower_malformed(lower, "of another type");
        return;
    }
    const struct ir_value known = lower->values[index];
    if (known.kind == IR_CONSTANT && known.bits < whole.count) {
        uint32_t values[16];
        memcpy(values, whole.values, whole.count * sizeof values[0]);
        if (insert)
            values[known.bits] = part;
        lower_set_result(lower, insert ? values : values + known.bits, insert ? whole.count : 1);
    } else if (insert) {
        insert_dynamic(lower, &whole, part, index);
    } else {
        extract_dynamic(lower, &whole, index);
    }
}

static void translate_undefined(struct lower *lower)
{
    const struct spv_type *type = lower_result_type(lower);
    struct ir_leaves leaves;
    if (lower_failed(lower) || !lower_leaves(lower, type, &leaves))
        return;
    uint32_t *results = lower_alloc(lower, leaves.components, sizeof *results);
    for (uint32_t c = 0; c < leaves.components && !lower_failed(lower); c++)
        results[c] = ir_gap(lower, leaves.widths[c]);
    lower_set_result(lower, results, leaves.components);
}

static void translate_copy(struct lower *lower)
{
    const struct ir_ref ref = lower_operand(lower, 0);
    lower_set_result(lower, ref.values, ref.count);
}

static void translate_nothing(struct lower *lower)
{
    (void)lower;
}

bool lower_translate_composite(struct lower *lower)
{
    static const struct lower_row rows[] = {
        {SpvOpCompositeExtract, translate_extract},
        {SpvOpCompositeInsert, translate_insert},
        {SpvOpCompositeConstruct, translate_construct},
        {SpvOpVectorShuffle, translate_shuffle},
        {SpvOpVectorExtractDynamic, translate_dynamic},
        {SpvOpVectorInsertDynamic, translate_dynamic},
        {SpvOpUndef, translate_undefined},
        {SpvOpCopyObject, translate_copy},
        {SpvOpCopyLogical, translate_copy},
        {SpvOpExpectKHR, translate_copy},
        {SpvOpNop, translate_nothing},
        {SpvOpNoLine, translate_nothing},
        {SpvOpAssumeTrueKHR, lower_translate_assumption},
    };
    return lower_translate_row(lower, rows, sizeof rows / sizeof rows[0]);
}
