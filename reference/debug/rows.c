/* Which rows an expression is made of. Types are the evaluator's: where it cannot be said
 * beforehand what it would do, there is no row. */
#include "reference/debug/rows.h"

#include "reference/debug/evaluate.h"

#include <string.h>

static const struct debug_number integer = {.width = 4, .is_signed = true};
static const struct debug_number long_integer = {.width = 8, .is_signed = true};
static const struct debug_number address_number = {.width = 8};

/* ---- trees of rows ---- */

struct making {
    const struct debug_lane *lane;
    struct arena *arena;
};

/* NULL: it is no number that rows are computed of, as none is whose operands are NULL. */
static struct debug_row *compile(const struct making *in, const struct expression *expression);

static struct debug_row *make(const struct making *in, enum debug_row_kind kind,
                              const struct debug_number *number)
{
    const enum debug_lanes_kind lanes_kind = debug_lanes_kind_of(number);
    struct debug_row *made =
        lanes_kind == DEBUG_LANES_NONE ? NULL : arena_alloc(in->arena, 1, sizeof *made);
    if (!made || !(made->buffer = arena_alloc(in->arena, VM_LANES, sizeof(uint64_t))))
        return NULL;
    made->kind = kind;
    made->number = *number;
    made->lanes_kind = lanes_kind;
    return made;
}

static struct debug_row *make_of(const struct making *in, enum debug_row_kind kind,
                                 const struct debug_number *number, struct debug_row *a,
                                 struct debug_row *b)
{
    struct debug_row *made = make(in, kind, number);
    if (made) {
        made->operands[0] = a;
        made->operands[1] = b;
    }
    return made;
}

static struct debug_row *convert(const struct making *in, struct debug_row *row,
                                 const struct debug_number *number)
{
    const struct debug_number *from = &row->number;
    const bool is_same = from->width == number->width && from->is_floating == number->is_floating;
    const bool is_wider =
        from->width < 4 && number->width == 4 && !number->is_floating && !from->is_floating;
    if (is_same && from->is_signed == number->is_signed && !number->is_boolean)
        return row;
    return make_of(in,
                   !number->is_floating && !number->is_boolean && number->width >= 4 &&
                           (is_same || is_wider)
                       ? DEBUG_ROW_VIEW
                       : DEBUG_ROW_CONVERT,
                   number, row, NULL);
}

/* What the usual arithmetic conversions make of both. */
static struct debug_number balance(const struct debug_row *a, const struct debug_row *b)
{
    struct debug_value first = {.number = a->number, .count = 1};
    struct debug_value second = {.number = b->number, .count = 1};
    debug_balance(&first, &second);
    return first.number;
}

static struct debug_row *make_pair(const struct making *in, enum debug_row_kind kind,
                                   const struct debug_number *number,
                                   const struct debug_number *operands_number, struct debug_row *a,
                                   struct debug_row *b)
{
    struct debug_row *first = convert(in, a, operands_number);
    struct debug_row *second = convert(in, b, operands_number);
    return first && second ? make_of(in, kind, number, first, second) : NULL;
}

/* ---- what does not change ---- */

static bool is_variable(const struct making *in, const char *name)
{
    const struct debug_site site = debug_site_of(in->lane);
    return site.context->scope && debug_site_find_variable(&site, name);
}

/* Is it the same of a work-item wherever that stands? *varies: not of all work-items. */
static bool is_fixed(const struct making *in, const struct expression *expression, bool *varies)
{
    switch (expression->kind) {
    case EXPRESSION_INTEGER:
    case EXPRESSION_FLOATING:
        return true;
    case EXPRESSION_NAME: /* of an enumerator */
        return !is_variable(in, expression->name);
    case EXPRESSION_REGISTER:
        *varies = true;
        return strcmp(expression->name, "when") != 0 && strcmp(expression->name, "active") != 0;
    case EXPRESSION_CALL:
        *varies = true;
        for (uint32_t i = 0; i < expression->count; i++) {
            if (!is_fixed(in, expression->list[i], varies))
                return false;
        }
        return true;
    case EXPRESSION_INDEX:
        if (expression->operands[0]->kind != EXPRESSION_REGISTER)
            return false;
        break;
    case EXPRESSION_UNARY:
        if (expression->op == OPERATOR_DEREFERENCE)
            return false;
        break;
    case EXPRESSION_MEMBER:
        if (expression->is_arrow)
            return false;
        break;
    case EXPRESSION_BINARY:
    case EXPRESSION_CAST:
        break;
    default:
        return false;
    }
    for (size_t i = 0; i < 3 && expression->operands[i]; i++) {
        if (!is_fixed(in, expression->operands[i], varies))
            return false;
    }
    return true;
}

bool debug_rows_take(const struct debug_value *value)
{
    return !value->unknown && value->count == 1 && !value->slice && !value->bit_size;
}

static struct debug_row *compile_fixed(const struct making *in, const struct expression *expression,
                                       bool varies)
{
    struct debug_value value;
    struct error error;
    if (!debug_evaluate(in->lane, expression, &value, &error) || !debug_rows_take(&value) ||
        value.number.is_pointer)
        return NULL;
    struct debug_row *made = make(in, DEBUG_ROW_FIXED, &value.number);
    if (made) {
        made->expression = expression;
        made->varies = varies;
    }
    return made;
}

/* ---- variables ---- */

/* Is it a variable, or a part of one that is always the same? */
static bool is_part(const struct expression *expression)
{
    while (true) {
        if (expression->kind == EXPRESSION_NAME)
            return true;
        const bool is_member = expression->kind == EXPRESSION_MEMBER && !expression->is_arrow;
        if (!is_member && (expression->kind != EXPRESSION_INDEX ||
                           expression->operands[1]->kind != EXPRESSION_INTEGER))
            return false;
        expression = expression->operands[0];
    }
}

static struct debug_row *compile_home(const struct making *in, const struct expression *expression)
{
    struct debug_value value;
    struct error error;
    if (!is_part(expression) || !debug_evaluate(in->lane, expression, &value, &error) ||
        !debug_rows_take(&value) || !value.has_spot || !value.spot.variable)
        return NULL;
    const struct vm_debug_variable *variable = value.spot.variable;
    for (uint32_t i = 0; i < variable->home_count; i++) {
        const struct vm_home *home = &variable->homes[i];
        if (home->offset != value.spot.offset || home->width != value.number.width)
            continue;
        struct debug_row *made = make(in, DEBUG_ROW_HOME, &value.number);
        if (made) {
            made->home = home->row;
            made->pointee = value.pointee;
        }
        return made;
    }
    return NULL;
}

/* ---- memory ---- */

/* A variable that lies there, at one address for all work-items. */
static bool find_variable(const struct making *in, const char *name, struct debug_row_place *place)
{
    const struct debug_site site = debug_site_of(in->lane);
    const struct debug_variable *variable =
        site.context->scope ? debug_site_find_variable(&site, name) : NULL;
    const struct debug_location *location =
        variable ? debug_variable_declared(variable, site.context->inlining) : NULL;
    struct debug_spot spot;
    const char *why;
    if (!location || !debug_find_variable(in->lane, variable, &spot, &why) || spot.variable)
        return false;
    for (uint32_t i = 0; i < location->step_count; i++) {
        if (location->steps[i].kind != DEBUG_STEP_PLUS)
            return false;
    }
    place->variable = variable;
    place->type = variable->type;
    return true;
}

static bool find_pointer(const struct making *in, const struct expression *expression,
                         struct debug_row_place *place)
{
    place->pointer = compile(in, expression);
    if (!place->pointer || !place->pointer->number.is_pointer || !place->pointer->pointee)
        return false;
    place->type = place->pointer->pointee;
    place->element_size = place->type->size;
    return true;
}

static bool find_index(const struct making *in, const struct expression *expression,
                       struct debug_row_place *place)
{
    struct debug_row *index = compile(in, expression);
    if (!index || index->number.is_floating || index->number.is_pointer || place->index)
        return false;
    place->index = convert(in, index, &long_integer);
    return place->index != NULL;
}

static bool find_place(const struct making *in, const struct expression *expression,
                       struct debug_row_place *place);

static bool find_element(const struct making *in, const struct expression *expression,
                         struct debug_row_place *place)
{
    struct debug_row_place array = *place;
    if (find_pointer(in, expression->operands[0], place))
        return find_index(in, expression->operands[1], place);
    *place = array;
    if (!find_place(in, expression->operands[0], place))
        return false;
    const struct debug_type *plain = debug_type_plain(place->type);
    if (plain->kind != DEBUG_TYPE_ARRAY)
        return false;
    place->type = plain->base;
    place->element_size = plain->base->size;
    place->count = plain->count;
    return find_index(in, expression->operands[1], place);
}

static bool find_member(const struct making *in, const struct expression *expression,
                        struct debug_row_place *place)
{
    struct debug_number number;
    uint32_t count;
    uint64_t bit_offset;
    if (!(expression->is_arrow ? find_pointer : find_place)(in, expression->operands[0], place) ||
        !debug_number_of(place->type, &number, &count))
        return false;
    if (count > 1) {
        const uint32_t component = debug_find_component(expression->name, count);
        place->offset += (uint64_t)component * number.width;
        place->type = debug_type_plain(place->type)->base;
        return component < count;
    }
    const struct debug_member *member =
        count == 0 ? debug_type_find_member(place->type, expression->name, &bit_offset) : NULL;
    if (!member || member->bit_field)
        return false;
    place->offset += bit_offset / 8;
    place->type = member->type;
    return true;
}

static bool find_place(const struct making *in, const struct expression *expression,
                       struct debug_row_place *place)
{
    switch (expression->kind) {
    case EXPRESSION_NAME:
        return find_variable(in, expression->name, place);
    case EXPRESSION_UNARY:
        return expression->op == OPERATOR_DEREFERENCE &&
               find_pointer(in, expression->operands[0], place);
    case EXPRESSION_INDEX:
        return find_element(in, expression, place);
    case EXPRESSION_MEMBER:
        return find_member(in, expression, place);
    default:
        return false;
    }
}

static struct debug_row *compile_load(const struct making *in, const struct expression *expression)
{
    struct debug_number number;
    uint32_t count;
    struct debug_row_place *place = arena_alloc(in->arena, 1, sizeof *place);
    if (!place || in->lane->session->code->big_endian || !find_place(in, expression, place) ||
        !debug_number_of(place->type, &number, &count) || count != 1)
        return NULL;
    struct debug_row *made = make(in, DEBUG_ROW_LOAD, &number);
    if (made) {
        made->place = place;
        if (number.is_pointer)
            made->pointee = debug_type_plain(place->type)->base;
    }
    return made;
}

/* ---- operators ---- */

static struct debug_row *compile_comparison_of_pointers(const struct making *in,
                                                        const struct expression *expression,
                                                        struct debug_row *a, struct debug_row *b)
{
    /* It is converted as a number of C is, but only on the right. */
    if (!a->number.is_pointer || b->number.is_floating || expression->op < OPERATOR_LESS ||
        expression->op > OPERATOR_NOT_EQUAL)
        return NULL;
    struct debug_row *made = make_pair(in, DEBUG_ROW_COMPARE, &integer, &address_number, a, b);
    if (made)
        made->op = expression->op;
    return made;
}

static struct debug_row *operate(const struct making *in, enum expression_operator op,
                                 struct debug_row *a, struct debug_row *b)
{
    const bool is_shift = op == OPERATOR_SHIFT_LEFT || op == OPERATOR_SHIFT_RIGHT;
    const bool compares = op >= OPERATOR_LESS && op <= OPERATOR_NOT_EQUAL;
    const struct debug_number number = !is_shift             ? balance(a, b)
                                       : a->number.width < 4 ? integer
                                                             : a->number;
    const bool is_basic = op == OPERATOR_ADD || op == OPERATOR_SUBTRACT ||
                          op == OPERATOR_MULTIPLY || op == OPERATOR_DIVIDE;
    if (number.is_floating && !compares && !is_basic)
        return NULL;
    struct debug_row *made = compares ? make_pair(in, DEBUG_ROW_COMPARE, &integer, &number, a, b)
                                      : make_pair(in, DEBUG_ROW_OPERATE, &number, &number, a, b);
    if (made)
        made->op = op;
    return made;
}

static struct debug_row *compile_binary(const struct making *in,
                                        const struct expression *expression)
{
    const enum expression_operator op = expression->op;
    struct debug_row *a = op == OPERATOR_COMMA ? NULL : compile(in, expression->operands[0]);
    struct debug_row *b = a ? compile(in, expression->operands[1]) : NULL;
    if (!b)
        return NULL;
    if (op == OPERATOR_LOGICAL_AND || op == OPERATOR_LOGICAL_OR) {
        struct debug_row *made = make_of(in, DEBUG_ROW_LOGICAL, &integer, a, b);
        if (made)
            made->op = op;
        return made;
    }
    return a->number.is_pointer || b->number.is_pointer
               ? compile_comparison_of_pointers(in, expression, a, b)
               : operate(in, op, a, b);
}

static struct debug_row *make_call(const struct making *in, enum debug_lanes_function function,
                                   const struct debug_number *number, struct debug_row *a)
{
    struct debug_row *made = make_of(in, DEBUG_ROW_CALL, number, a, NULL);
    if (made)
        made->function = function;
    return made;
}

static struct debug_row *compile_unary(const struct making *in, const struct expression *expression)
{
    const struct expression zero = {.kind = EXPRESSION_INTEGER, .width = 4};
    const struct expression ones = {.kind = EXPRESSION_INTEGER, .width = 4, .bits = UINT32_MAX};
    const enum expression_operator op = expression->op;
    struct debug_row *a = op == OPERATOR_ADDRESS ? NULL : compile(in, expression->operands[0]);
    if (!a)
        return NULL;
    if (op == OPERATOR_NOT)
        return make_of(in, DEBUG_ROW_NOT, &integer, a, NULL);
    if (a->number.is_pointer)
        return NULL;
    if (op == OPERATOR_MINUS && a->number.is_floating)
        return make_call(in, DEBUG_LANES_NEGATE, &a->number, a);
    struct expression *other = arena_alloc(in->arena, 1, sizeof *other);
    struct debug_row *b = NULL;
    if (other) {
        *other = op == OPERATOR_COMPLEMENT ? ones : zero;
        b = compile_fixed(in, other, false);
    }
    if (!b)
        return NULL;
    return op == OPERATOR_MINUS        ? operate(in, OPERATOR_SUBTRACT, b, a)
           : op == OPERATOR_COMPLEMENT ? operate(in, OPERATOR_EXCLUSIVE_OR, a, b)
                                       : operate(in, OPERATOR_ADD, a, b);
}

static struct debug_row *compile_cast(const struct making *in, const struct expression *expression)
{
    const struct expression zero = {.kind = EXPRESSION_INTEGER, .width = 4};
    struct expression cast = *expression; /* what it makes of any number */
    struct debug_value value;
    struct error error;
    struct debug_row *a = compile(in, expression->operands[0]);
    cast.operands[0] = &zero;
    if (!a || a->number.is_pointer || expression->type.pointer_count > 0 ||
        !debug_evaluate(in->lane, &cast, &value, &error) || !debug_rows_take(&value))
        return NULL;
    return convert(in, a, &value.number);
}

/* ---- functions ---- */

static struct debug_row *choose(const struct making *in, bool greater, struct debug_row *a,
                                struct debug_row *b)
{
    const struct debug_number number = balance(a, b);
    struct debug_row *made = make_pair(in, DEBUG_ROW_CHOOSE, &number, &number, a, b);
    if (made)
        made->greater = greater;
    return made;
}

static struct debug_row *compile_call_of_one(const struct making *in, const char *name,
                                             struct debug_row *a)
{
    static const struct {
        const char *name;
        enum debug_lanes_function function;
        bool tests, is_floating;
    } functions[] = {{"isnan", DEBUG_LANES_ISNAN, true, true},
                     {"isinf", DEBUG_LANES_ISINF, true, true},
                     {"isfinite", DEBUG_LANES_ISFINITE, true, true},
                     {"fabs", DEBUG_LANES_FABS, false, true},
                     {"abs", DEBUG_LANES_ABS, false, false}};
    struct debug_number number;
    uint32_t count;
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        if (strcmp(name, functions[i].name) != 0)
            continue;
        number = functions[i].tests ? integer : a->number;
        if (functions[i].function == DEBUG_LANES_ABS)
            number.is_signed = false;
        return functions[i].is_floating == a->number.is_floating
                   ? make_call(in, functions[i].function, &number, a)
                   : NULL;
    }
    const bool is_view = strncmp(name, "as_", 3) == 0;
    const size_t before = is_view ? 3 : strlen("convert_");
    if ((!is_view && strncmp(name, "convert_", before) != 0) ||
        !debug_named_number(name + before, &number, &count) || count != 1)
        return NULL;
    if (!is_view)
        return convert(in, a, &number);
    return number.width == a->number.width && number.width >= 4
               ? make_of(in, DEBUG_ROW_VIEW, &number, a, NULL)
               : NULL;
}

static struct debug_row *compile_call(const struct making *in, const struct expression *expression)
{
    const char *name = expression->name;
    const bool is_min = strcmp(name, "min") == 0 || strcmp(name, "fmin") == 0;
    const bool is_max = strcmp(name, "max") == 0 || strcmp(name, "fmax") == 0;
    struct debug_row *list[3];
    for (uint32_t i = 0; i < expression->count; i++) {
        struct debug_row *made = i < 3 ? compile(in, expression->list[i]) : NULL;
        if (!made || made->number.is_pointer)
            return NULL;
        list[i] = made;
    }
    if (expression->count == 1)
        return compile_call_of_one(in, name, list[0]);
    if (expression->count == 2 && (is_min || is_max))
        return choose(in, is_max, list[0], list[1]);
    if (expression->count != 3 || strcmp(name, "clamp") != 0)
        return NULL;
    list[1] = choose(in, true, list[0], list[1]);
    return list[1] ? choose(in, false, list[1], list[2]) : NULL;
}

/* Its type is that of the operand that is chosen: both have the same one. */
static struct debug_row *compile_conditional(const struct making *in,
                                             const struct expression *expression)
{
    struct debug_row *a = compile(in, expression->operands[1]);
    struct debug_row *b = compile(in, expression->operands[2]);
    struct debug_row *condition = a && b ? compile(in, expression->operands[0]) : NULL;
    if (!condition || a->number.is_pointer || memcmp(&a->number, &b->number, sizeof a->number) != 0)
        return NULL;
    struct debug_row *made = make_of(in, DEBUG_ROW_CONDITIONAL, &a->number, condition, a);
    if (made)
        made->operands[2] = b;
    return made;
}

static struct debug_row *compile(const struct making *in, const struct expression *expression)
{
    bool varies = false;
    struct debug_row *made = NULL;
    if (is_fixed(in, expression, &varies))
        return compile_fixed(in, expression, varies);
    switch (expression->kind) {
    case EXPRESSION_BINARY:
        return compile_binary(in, expression);
    case EXPRESSION_CONDITIONAL:
        return compile_conditional(in, expression);
    case EXPRESSION_CAST:
        return compile_cast(in, expression);
    case EXPRESSION_CALL:
        return compile_call(in, expression);
    case EXPRESSION_UNARY:
        if (expression->op != OPERATOR_DEREFERENCE)
            return compile_unary(in, expression);
        break;
    case EXPRESSION_NAME:
    case EXPRESSION_MEMBER:
    case EXPRESSION_INDEX:
        made = compile_home(in, expression);
        break;
    default:
        return NULL;
    }
    return made ? made : compile_load(in, expression);
}

struct debug_row *debug_rows_make(const struct debug_lane *lane,
                                  const struct expression *expression, struct arena *arena)
{
    const struct making in = {lane, arena};
    return compile(&in, expression);
}
