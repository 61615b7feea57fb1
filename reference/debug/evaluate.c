#include "reference/debug/evaluate.h"

#include "reference/debug/opaque.h"
#include "reference/vm/bits.h"
#include "trace/base/alloc.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LIST_MAX = 16 };

struct evaluation {
    const struct debug_lane *lane;
    struct error *error;
};

static bool evaluate(const struct evaluation *in, const struct expression *expression,
                     struct debug_value *value);

static bool fail(const struct evaluation *in, const char *sentence, const char *name)
{
    error_set(in->error, STATUS_INVALID, sentence, name);
    return false;
}

static const struct debug_number integer = {.width = 4, .is_signed = true};
static const struct debug_number size_number = {.width = 8};
static const struct debug_number difference = {.width = 8, .is_signed = true};

static void set(struct debug_value *value, struct debug_number number, uint64_t bits)
{
    *value = (struct debug_value){.number = number, .count = 1};
    value->bits[0] = bits & bits_low(8 * number.width);
}

/* ---- types ---- */

/* What a type is by its name; *found NULL where it is a number of OpenCL C's. */
static bool find_type(const struct evaluation *in, const struct expression_type *type,
                      const struct debug_type **found, struct debug_number *number, uint32_t *count)
{
    const struct debug_info *info = in->lane->session->code->debug_info;
    const char *space = strchr(type->name, ' ');
    *found = NULL;
    if (info)
        *found = space ? debug_info_find_type(info, space + 1, true)
                       : debug_info_find_type(info, type->name, false);
    if (*found && (type->pointer_count || debug_number_of(*found, number, count)))
        return true;
    *found = type->pointer_count ? debug_named_type(type->name) : NULL;
    if (debug_named_number(type->name, number, count) || strcmp(type->name, "void") == 0)
        return true;
    return fail(in, "there is no type %s", type->name);
}

/* ---- parts ---- */

/* What lies `offset` bytes from the value's spot on; of a slice in each of its elements. */
static void take_part(const struct evaluation *in, const struct debug_type *type, uint64_t offset,
                      struct debug_value *value)
{
    struct debug_spot spot = value->spot;
    spot.offset += offset;
    if (value->slice) {
        value->slice_gap += value->type->size - type->size;
        value->type = type;
        value->spot = spot;
    } else {
        debug_load(in->lane, type, spot, value);
    }
}

static bool take_components(const struct evaluation *in, const char *name,
                            struct debug_value *value)
{
    uint8_t components[16];
    const uint32_t count = debug_read_swizzle(name, value->count, components);
    struct debug_value taken = {.number = value->number, .count = count};
    if (count == 0)
        return fail(in, "a vector has no component '%s'", name);
    for (uint32_t i = 0; i < count; i++) { /* the fourth component of three is undefined */
        const bool exists = components[i] < value->count;
        taken.bits[i] = exists ? value->bits[components[i]] : 0;
        taken.undefined[i] =
            exists ? value->undefined[components[i]] : bits_low(8 * value->number.width);
    }
    if (count == 1 && value->type) {
        taken.type = debug_type_plain(value->type)->base;
        taken.has_spot = value->has_spot;
        taken.spot = value->spot;
        taken.spot.offset += components[0] * (uint64_t)value->number.width;
    }
    *value = taken;
    return true;
}

static const struct debug_type *array_of(const struct debug_value *value)
{
    const struct debug_type *plain =
        value->type && value->count == 0 && !value->unknown ? debug_type_plain(value->type) : NULL;
    return plain && plain->kind == DEBUG_TYPE_ARRAY ? plain : NULL;
}

/* An element of an array; of a slice of arrays that of each. */
static void take_element(const struct evaluation *in, const struct debug_type *array, int64_t index,
                         struct debug_value *value)
{
    if (array->count && (index < 0 || (uint64_t)index >= array->count)) {
        *value = (struct debug_value){.type = array->base, .unknown = "out of bounds", .count = 1};
        return;
    }
    take_part(in, array->base, (uint64_t)index * array->base->size, value);
}

/* What a pointer leads to, or an array as the pointer to its first element that it is then. */
static bool follow(const struct evaluation *in, int64_t elements, struct debug_value *value)
{
    const struct debug_type *pointee = value->pointee;
    const struct debug_type *array = array_of(value);
    if (value->unknown)
        return true;
    if (array && !value->slice) {
        take_element(in, array, elements, value);
        return true;
    }
    if (!value->number.is_pointer || !pointee || value->count != 1)
        return fail(in, "this is not a pointer to a known type%s", "");
    if (value->undefined[0]) {
        value->unknown = "the pointer is undefined";
        value->type = pointee;
        return true;
    }
    const struct debug_spot spot = {.offset = value->bits[0] + (uint64_t)elements * pointee->size};
    debug_load(in->lane, pointee, spot, value);
    return true;
}

static bool take_component_of_each(const struct evaluation *in, const char *name,
                                   const struct debug_number *number, uint32_t count,
                                   struct debug_value *value)
{
    const uint32_t component = debug_find_component(name, count);
    if (component >= count)
        return fail(in, "'%s' is no component that each element has", name);
    take_part(in, debug_type_plain(value->type)->base, component * (uint64_t)number->width, value);
    return true;
}

static bool evaluate_member(const struct evaluation *in, const struct expression *expression,
                            struct debug_value *value)
{
    struct debug_number number;
    uint32_t count;
    if (!evaluate(in, expression->operands[0], value))
        return false;
    if (expression->is_arrow && !follow(in, 0, value))
        return false;
    if (value->unknown)
        return true;
    if (value->count > 1)
        return take_components(in, expression->name, value);
    if (value->opaque && debug_opaque_find_part(value, expression->name, value))
        return true;
    if (value->slice && debug_number_of(value->type, &number, &count) && count > 1)
        return take_component_of_each(in, expression->name, &number, count, value);
    uint64_t bit_offset;
    const struct debug_member *member =
        value->type && value->count == 0
            ? debug_type_find_member(value->type, expression->name, &bit_offset)
            : NULL;
    if (!member)
        return fail(in, "it has no member '%s'", expression->name);
    if (member->bit_field && value->slice)
        return fail(in, "'%s' is a bit-field, which is shown of one element alone",
                    expression->name);
    if (member->bit_field)
        debug_load_field(in->lane, member->type, value->spot, bit_offset, member->bit_size, value);
    else
        take_part(in, member->type, bit_offset / 8, value);
    return true;
}

/* A defined integer; false: the value says why not, or the evaluation has failed. */
static bool evaluate_index(const struct evaluation *in, const struct expression *expression,
                           int64_t *index, struct debug_value *value, bool *failed)
{
    struct debug_value number;
    *failed = !evaluate(in, expression, &number);
    if (!*failed && (number.count != 1 || number.number.is_floating))
        *failed = !fail(in, "the index is no integer%s", "");
    if (*failed)
        return false;
    if (number.unknown || number.undefined[0]) {
        value->unknown = number.unknown ? number.unknown : "the index is undefined";
        return false;
    }
    *index = (int64_t)debug_extend(&number.number, number.bits[0]);
    return true;
}

static bool evaluate_element(const struct evaluation *in, const struct expression *expression,
                             struct debug_value *value)
{
    int64_t index;
    bool failed;
    if (!evaluate(in, expression->operands[0], value))
        return false;
    if (!evaluate_index(in, expression->operands[1], &index, value, &failed))
        return !failed;
    if (value->unknown)
        return true;
    if (value->opaque == DEBUG_IMAGE)
        return fail(in, "texels of an image are read by read_imagef(image, (int2)(x, y))%s", "");
    if (value->number.is_pointer && value->count == 1)
        return follow(in, index, value);
    if (value->count > 1) {
        struct debug_value part;
        const char *name;
        if (index < 0 || index >= value->count)
            return fail(in, "the vector has no such component%s", "");
        debug_part(in->lane, value, (uint64_t)index, &part, &name);
        *value = part;
        return true;
    }
    const struct debug_type *array = array_of(value);
    if (!array)
        return fail(in, "this has no elements%s", "");
    take_element(in, array, index, value);
    return true;
}

static bool evaluate_slice(const struct evaluation *in, const struct expression *expression,
                           struct debug_value *value)
{
    int64_t first;
    int64_t last;
    bool failed;
    if (!evaluate(in, expression->operands[0], value))
        return false;
    if (!evaluate_index(in, expression->operands[1], &first, value, &failed) ||
        !evaluate_index(in, expression->operands[2], &last, value, &failed))
        return !failed;
    if (value->unknown)
        return true;
    const struct debug_type *plain = value->type ? debug_type_plain(value->type) : NULL;
    const struct debug_type *element = value->pointee;
    struct debug_spot spot = {.offset = value->bits[0]};
    const bool is_vector = plain && plain->kind == DEBUG_TYPE_VECTOR && value->count > 1;
    if (value->slice)
        return fail(in, "of a slice no other one is shown%s", "");
    if (is_vector && (first < 0 || last >= value->count))
        return fail(in, "the vector has no such component%s", "");
    if (array_of(value) || (is_vector && value->has_spot && value->texel.size == 0)) {
        element = plain->base;
        spot = value->spot;
    } else if (!value->number.is_pointer || !element || value->count != 1) {
        return fail(in, "this has no elements%s", "");
    }
    if (last < first || last - first >= DEBUG_SLICE_MAX)
        return fail(in, "a slice has from 1 to 200 elements%s", "");
    spot.offset += (uint64_t)first * element->size;
    *value = (struct debug_value){.type = element,
                                  .has_spot = true,
                                  .spot = spot,
                                  .slice = (uint64_t)(last - first) + 1,
                                  .slice_first = (uint64_t)first};
    return true;
}

/* ---- operators ---- */

static bool evaluate_address(const struct evaluation *in, struct debug_value *value)
{
    if (value->unknown)
        return true;
    if (!value->has_spot || value->slice)
        return fail(in, "this has no address%s", "");
    const struct debug_value at = *value;
    set(value, (struct debug_number){.width = 8, .is_pointer = true}, at.spot.offset);
    value->pointee = at.type;
    if (at.spot.variable)
        value->unknown = "it is held as a value, and has no address";
    return true;
}

/* The value of an operand: of an array the address of its first element (C11, 6.3.2.1). */
static bool evaluate_operand(const struct evaluation *in, const struct expression *expression,
                             struct debug_value *value)
{
    if (!evaluate(in, expression, value))
        return false;
    const struct debug_type *array = array_of(value);
    if (!array || value->slice || !evaluate_address(in, value))
        return true;
    value->pointee = array->base;
    return true;
}

/* Of pointers the elements that they lead to count. */
static bool operate_pointers(const struct evaluation *in, enum expression_operator op,
                             const struct debug_value *a, const struct debug_value *b,
                             struct debug_value *value)
{
    const bool both = a->number.is_pointer && b->number.is_pointer;
    const struct debug_value *pointer = a->number.is_pointer ? a : b;
    const struct debug_value *other = a->number.is_pointer ? b : a;
    const uint64_t size = pointer->pointee && pointer->pointee->size ? pointer->pointee->size : 1;
    const bool open = (a->undefined[0] | b->undefined[0]) != 0;
    uint64_t result;
    bool none;
    if (both && op == OPERATOR_SUBTRACT) {
        set(value, difference, (uint64_t)((int64_t)(a->bits[0] - b->bits[0]) / (int64_t)size));
    } else if (!both && !other->number.is_floating &&
               (op == OPERATOR_ADD || (op == OPERATOR_SUBTRACT && other == b))) {
        const uint64_t step = debug_extend(&other->number, other->bits[0]) * size;
        *value = *pointer;
        value->has_spot = false;
        value->bits[0] += op == OPERATOR_ADD ? step : 0 - step;
        return true;
    } else if (op >= OPERATOR_LESS && op <= OPERATOR_NOT_EQUAL &&
               debug_operate(op, &size_number, a->bits[0], debug_extend(&b->number, b->bits[0]),
                             &result, &none)) {
        set(value, integer, result);
    } else {
        return fail(in, "pointers cannot be operands of '%s' so", expression_operator_sign(op));
    }
    value->undefined[0] = open ? bits_low(8 * value->number.width) : 0;
    return true;
}

static bool is_comparison(enum expression_operator op)
{
    return op >= OPERATOR_LESS && op <= OPERATOR_NOT_EQUAL;
}

static bool operate(const struct evaluation *in, enum expression_operator op, struct debug_value *a,
                    struct debug_value *b, struct debug_value *value)
{
    if (a->unknown || b->unknown) {
        *value = a->unknown ? *a : *b;
        return true;
    }
    if (a->count == 0 || b->count == 0 || a->slice || b->slice || a->opaque || b->opaque)
        return fail(in, "'%s' has no operands with parts", expression_operator_sign(op));
    if (a->count == 1 && b->count == 1 && (a->number.is_pointer || b->number.is_pointer))
        return operate_pointers(in, op, a, b, value);
    if (op == OPERATOR_SHIFT_LEFT || op == OPERATOR_SHIFT_RIGHT) {
        /* The left operand alone says the type. */
        struct debug_number number = a->number;
        if (!number.is_floating && number.width < 4 && a->count == 1)
            number = integer;
        debug_cast(a, &number, a->count);
        debug_cast(b, &number, a->count);
    } else if (!debug_balance(a, b)) {
        return fail(in, "the operands of '%s' have different numbers of components",
                    expression_operator_sign(op));
    }
    *value = *a;
    const struct debug_number number = a->number;
    for (uint32_t c = 0; c < a->count; c++) {
        bool open;
        if (!debug_operate(op, &number, a->bits[c], b->bits[c], &value->bits[c], &open))
            return fail(in, "'%s' is no operator of these", expression_operator_sign(op));
        open |= (a->undefined[c] | b->undefined[c]) != 0;
        if (is_comparison(op) && a->count > 1)
            value->bits[c] = value->bits[c] ? bits_low(8 * number.width) : 0;
        value->undefined[c] = open ? bits_low(8 * number.width) : 0;
    }
    if (is_comparison(op)) {
        value->number =
            (struct debug_number){.width = a->count > 1 ? number.width : 4, .is_signed = true};
        for (uint32_t c = 0; c < a->count; c++)
            value->undefined[c] = value->undefined[c] ? bits_low(8 * value->number.width) : 0;
    }
    return true;
}

/* 0, 1, or -1 where it is not defined. */
static int truth_of(const struct debug_value *value)
{
    if (value->unknown || value->count != 1)
        return -1;
    const uint64_t bits = value->bits[0] & ~value->undefined[0];
    const bool zero = value->number.is_floating
                          ? debug_to_double(&value->number, value->bits[0]) == 0
                          : value->bits[0] == 0;
    if (value->undefined[0])
        return bits != 0 && !value->number.is_floating ? 1 : -1;
    return !zero;
}

/* What is to be true or not: one number. */
static bool evaluate_truth(const struct evaluation *in, const struct expression *expression,
                           struct debug_value *value)
{
    return evaluate_operand(in, expression, value) &&
           (value->unknown || (value->count == 1 && !value->slice) ||
            fail(in, "what has parts is neither true nor false%s", ""));
}

static bool evaluate_logical(const struct evaluation *in, const struct expression *expression,
                             struct debug_value *value)
{
    const int decides = expression->op == OPERATOR_LOGICAL_OR;
    struct debug_value operand;
    if (!evaluate_truth(in, expression->operands[0], &operand))
        return false;
    if (operand.unknown) {
        *value = operand;
        return true;
    }
    const int first = truth_of(&operand);
    if (first != decides) {
        if (!evaluate_truth(in, expression->operands[1], &operand))
            return false;
        if (operand.unknown) {
            *value = operand;
            return true;
        }
    }
    const int second = first == decides ? first : truth_of(&operand);
    const bool open = first != decides && second != decides && (first < 0 || second < 0);
    set(value, integer, !open && second == 1 && (first == 1 || decides == 1));
    if (first == decides || second == decides)
        value->bits[0] = (uint64_t)decides;
    value->undefined[0] = open ? bits_low(32) : 0;
    return true;
}

static bool evaluate_binary(const struct evaluation *in, const struct expression *expression,
                            struct debug_value *value)
{
    struct debug_value a;
    struct debug_value b;
    if (expression->op == OPERATOR_LOGICAL_AND || expression->op == OPERATOR_LOGICAL_OR)
        return evaluate_logical(in, expression, value);
    if (!evaluate_operand(in, expression->operands[0], &a) ||
        !evaluate_operand(in, expression->operands[1], &b))
        return false;
    if (expression->op == OPERATOR_COMMA) {
        *value = b;
        return true;
    }
    return operate(in, expression->op, &a, &b, value);
}

static bool evaluate_unary(const struct evaluation *in, const struct expression *expression,
                           struct debug_value *value)
{
    struct debug_value zero;
    struct debug_value operand;
    const bool has_place =
        expression->op == OPERATOR_ADDRESS || expression->op == OPERATOR_DEREFERENCE;
    if (!(has_place ? evaluate : evaluate_operand)(in, expression->operands[0], &operand))
        return false;
    *value = operand;
    if (expression->op == OPERATOR_ADDRESS)
        return evaluate_address(in, value);
    if (expression->op == OPERATOR_DEREFERENCE)
        return follow(in, 0, value);
    if (operand.unknown)
        return true;
    if (expression->op == OPERATOR_NOT && operand.count == 1) {
        const int truth = truth_of(&operand);
        set(value, integer, truth == 0);
        value->undefined[0] = truth < 0 ? bits_low(32) : 0;
        return true;
    }
    set(&zero, integer, expression->op == OPERATOR_COMPLEMENT ? UINT64_MAX : 0);
    if (expression->op == OPERATOR_PLUS)
        return operate(in, OPERATOR_ADD, &operand, &zero, value);
    if (expression->op == OPERATOR_COMPLEMENT)
        return operate(in, OPERATOR_EXCLUSIVE_OR, &operand, &zero, value);
    if (expression->op == OPERATOR_NOT)
        return operate(in, OPERATOR_EQUAL, &operand, &zero, value);
    if (operand.number.is_floating) { /* 0 - 0 is not -0 */
        for (uint32_t c = 0; c < value->count; c++)
            value->bits[c] ^= UINT64_C(1) << (8 * value->number.width - 1);
        value->type = NULL;
        value->has_spot = false;
        return true;
    }
    return operate(in, OPERATOR_SUBTRACT, &zero, &operand, value);
}

static bool evaluate_conditional(const struct evaluation *in, const struct expression *expression,
                                 struct debug_value *value)
{
    if (!evaluate_truth(in, expression->operands[0], value))
        return false;
    const int truth = truth_of(value);
    if (value->unknown)
        return true;
    if (truth < 0) {
        value->unknown = "the condition is undefined";
        return true;
    }
    return evaluate(in, expression->operands[truth ? 1 : 2], value);
}

/* ---- types in expressions ---- */

static bool evaluate_cast(const struct evaluation *in, const struct expression *expression,
                          struct debug_value *value)
{
    const struct debug_type *type;
    struct debug_number number;
    uint32_t count = 1;
    if (!find_type(in, &expression->type, &type, &number, &count) ||
        !evaluate_operand(in, expression->operands[0], value))
        return false;
    if (value->unknown)
        return true;
    if (expression->type.pointer_count > 0) {
        if (value->count != 1 || value->number.is_floating)
            return fail(in, "this cannot become a pointer%s", "");
        debug_cast(value, &size_number, 1);
        value->number.is_pointer = true;
        value->pointee = expression->type.pointer_count == 1 ? type : NULL;
        if (!value->pointee)
            return fail(in, "pointers to '%s' are not known: the program has none by that name",
                        expression->type.name);
        return true;
    }
    if (value->count == 0 || (value->count > 1 && value->count != count))
        return fail(in, "this cannot become a '%s'", expression->type.name);
    debug_cast(value, &number, count);
    value->type = type;
    return true;
}

static bool evaluate_vector(const struct evaluation *in, const struct expression *expression,
                            struct debug_value *value)
{
    const struct debug_type *type;
    struct debug_number number;
    uint32_t count;
    uint32_t filled = 0;
    if (!find_type(in, &expression->type, &type, &number, &count))
        return false;
    struct debug_value made = {.number = number, .count = count};
    for (uint32_t i = 0; i < expression->count; i++) {
        struct debug_value item;
        if (!evaluate(in, expression->list[i], &item))
            return false;
        if (item.unknown || item.count == 0) {
            *value = item;
            value->unknown = item.unknown ? item.unknown : "it has parts";
            return true;
        }
        const uint32_t parts = item.count;
        if (parts == 1 && expression->count == 1) {
            debug_cast(&item, &number, count);
            *value = item;
            return true;
        }
        debug_cast(&item, &number, parts);
        if (filled + parts > count)
            return fail(in, "too many components for a '%s'", expression->type.name);
        for (uint32_t c = 0; c < parts; c++, filled++) {
            made.bits[filled] = item.bits[c];
            made.undefined[filled] = item.undefined[c];
        }
    }
    if (filled != count)
        return fail(in, "too few components for a '%s'", expression->type.name);
    *value = made;
    return true;
}

static bool evaluate_sizeof(const struct evaluation *in, const struct expression *expression,
                            struct debug_value *value)
{
    const struct debug_type *type = NULL;
    struct debug_number number = {0};
    uint32_t count = 1;
    uint64_t size;
    if (!expression->operands[0]) {
        if (!find_type(in, &expression->type, &type, &number, &count))
            return false;
        size = expression->type.pointer_count ? 8 : type ? type->size : 0;
    } else {
        struct debug_value operand;
        if (!evaluate(in, expression->operands[0], &operand))
            return false;
        type = operand.type;
        size = type ? (operand.slice ? operand.slice * type->size : type->size) : 0;
        number = operand.number;
        count = operand.count;
    }
    set(value, size_number, size ? size : (uint64_t)number.width * (count == 3 ? 4 : count));
    return true;
}

static bool evaluate_call(const struct evaluation *in, const struct expression *expression,
                          struct debug_value *value)
{
    struct debug_value list[LIST_MAX];
    if (expression->count > LIST_MAX)
        return fail(in, "too many arguments of '%s'", expression->name);
    for (uint32_t i = 0; i < expression->count; i++) {
        if (!evaluate(in, expression->list[i], &list[i]))
            return false;
    }
    return debug_call(in->lane, expression->name, list, expression->count, value, in->error);
}

/* ---- assignments ---- */

static bool evaluate_assignment(const struct evaluation *in, const struct expression *expression,
                                struct debug_value *value)
{
    struct debug_value target;
    struct debug_value source;
    uint8_t bytes[DEBUG_COMPONENTS_MAX * 8];
    const char *why;
    if (!evaluate(in, expression->operands[0], &target) ||
        !evaluate_operand(in, expression->operands[1], &source))
        return false;
    if (target.unknown || source.unknown)
        return fail(in, "it cannot be changed: %s",
                    target.unknown ? target.unknown : source.unknown);
    if (!target.has_spot || target.count == 0 || target.bit_size || source.count == 0)
        return fail(in, "only numbers and vectors that lie in memory can be changed%s", "");
    if (expression->op != OPERATOR_NONE) {
        struct debug_value old = target;
        struct debug_value result;
        if (!operate(in, expression->op, &old, &source, &result))
            return false;
        source = result;
    }
    for (uint32_t c = 0; c < source.count; c++) {
        if (source.undefined[c])
            return fail(in, "the new value is undefined%s", "");
    }
    if (source.count != 1 && source.count != target.count)
        return fail(in, "the new value has another number of components%s", "");
    debug_cast(&source, &target.number, target.count);
    const uint32_t width = target.number.width;
    for (uint32_t i = 0; i < width * target.count; i++) {
        const bool turned = in->lane->session->code->big_endian;
        const uint32_t byte = turned ? width - 1 - i % width : i % width;
        bytes[i] = (uint8_t)(source.bits[i / width] >> 8 * byte);
    }
    if (!debug_poke(in->lane, target.spot, (uint64_t)width * target.count, bytes, &why))
        return fail(in, "it cannot be changed: %s", why);
    debug_load(in->lane, target.type, target.spot, value);
    return true;
}

static bool evaluate(const struct evaluation *in, const struct expression *expression,
                     struct debug_value *value)
{
    switch (expression->kind) {
    case EXPRESSION_INTEGER:
        set(value,
            (struct debug_number){.width = expression->width,
                                  .is_signed = !expression->is_unsigned,
                                  .is_character = expression->width == 1},
            expression->bits);
        return true;
    case EXPRESSION_FLOATING:
        set(value, (struct debug_number){.width = expression->width, .is_floating = true}, 0);
        value->bits[0] = debug_from_double(&value->number, expression->value);
        return true;
    case EXPRESSION_NAME:
        return debug_name(in->lane, expression->name, value, in->error);
    case EXPRESSION_REGISTER:
        return debug_register(in->lane, expression->name, value, in->error);
    case EXPRESSION_MEMBER:
        return evaluate_member(in, expression, value);
    case EXPRESSION_INDEX:
        return evaluate_element(in, expression, value);
    case EXPRESSION_SLICE:
        return evaluate_slice(in, expression, value);
    case EXPRESSION_UNARY:
        return evaluate_unary(in, expression, value);
    case EXPRESSION_BINARY:
        return evaluate_binary(in, expression, value);
    case EXPRESSION_CONDITIONAL:
        return evaluate_conditional(in, expression, value);
    case EXPRESSION_CAST:
        return evaluate_cast(in, expression, value);
    case EXPRESSION_VECTOR:
        return evaluate_vector(in, expression, value);
    case EXPRESSION_CALL:
        return evaluate_call(in, expression, value);
    case EXPRESSION_SIZEOF:
        return evaluate_sizeof(in, expression, value);
    case EXPRESSION_ASSIGNMENT:
        return evaluate_assignment(in, expression, value);
    }
    return fail(in, "this cannot be evaluated%s", "");
}

bool debug_evaluate(const struct debug_lane *lane, const struct expression *expression,
                    struct debug_value *value, struct error *error)
{
    const struct evaluation in = {.lane = lane, .error = error};
    if (!lane->session->code) {
        error_set(error, STATUS_INVALID, "no kernel runs");
        return false;
    }
    return evaluate(&in, expression, value);
}

bool debug_evaluate_condition(const struct debug_lane *lane, const struct expression *condition,
                              struct debug_value *value, struct error *error)
{
    const struct evaluation in = {.lane = lane, .error = error};
    return evaluate_truth(&in, condition, value);
}

static bool names_type(void *user, const char *name)
{
    const struct debug_session *session = user;
    return session->code && session->code->debug_info &&
           debug_info_find_type(session->code->debug_info, name, false) != NULL;
}

enum status debug_parse(struct debug_session *session, const char *text, bool may_assign,
                        struct arena *arena, const struct expression **expression,
                        struct error *error)
{
    return expression_parse(text, may_assign, names_type, session, arena, expression, error);
}

bool debug_evaluate_text(const struct debug_lane *lane, const char *text, bool may_assign,
                         struct debug_value *value, struct error *error)
{
    const struct expression *expression;
    return debug_parse(lane->session, text, may_assign, &lane->session->scratch, &expression,
                       error) == STATUS_OK &&
           debug_evaluate(lane, expression, value, error);
}

bool debug_is_true_value(const struct debug_value *value)
{
    return truth_of(value) == 1;
}

bool debug_is_true(const struct debug_lane *lane, const struct expression *expression)
{
    struct debug_value value;
    struct error error;
    return debug_evaluate(lane, expression, &value, &error) && truth_of(&value) == 1;
}
