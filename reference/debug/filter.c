/* Whether the condition of a breakpoint can hold for any lane, from whole rows. */
#include "reference/debug/filter.h"

#include "reference/debug/evaluate.h"

#include <string.h>

struct debug_filter {
    enum { FILTER_NONE, FILTER_COMPARE, FILTER_BOTH, FILTER_EITHER } kind; /* NONE: it can hold */
    enum expression_operator op;
    struct debug_number number; /* of both */
    vm_row row;
    uint64_t literal;
    const struct debug_filter *operands[2];
};

static const struct debug_filter *compile(const struct debug_lane *lane,
                                          const struct expression *expression, struct arena *arena);

/* ---- what is known of a condition ---- */

/* The one home row that holds the variable whole, as a number of 4 or 8 bytes. */
static bool find_row(const struct debug_lane *lane, const char *name, vm_row *row,
                     struct debug_value *value)
{
    const struct debug_site site = debug_site_of(lane);
    const struct debug_variable *variable =
        site.context->scope ? debug_site_find_variable(&site, name) : NULL;
    struct debug_spot spot;
    const char *why;
    *value = (struct debug_value){.count = 0};
    if (!variable || !debug_find_variable(lane, variable, &spot, &why) || !spot.variable ||
        spot.offset != 0 || spot.variable->home_count != 1 || spot.variable->homes[0].offset != 0 ||
        !variable->type || !debug_number_of(variable->type, &value->number, &value->count))
        return false;
    *row = spot.variable->homes[0].row;
    return value->count == 1 && value->number.width >= 4 && !value->number.is_pointer &&
           spot.variable->homes[0].width == value->number.width;
}

static bool is_literal(const struct expression *expression)
{
    if (expression->kind == EXPRESSION_UNARY && expression->op == OPERATOR_MINUS)
        expression = expression->operands[0];
    return expression->kind == EXPRESSION_INTEGER || expression->kind == EXPRESSION_FLOATING;
}

/* `a < b` is `b > a`. */
static enum expression_operator turn(enum expression_operator op)
{
    switch (op) {
    case OPERATOR_LESS:
        return OPERATOR_GREATER;
    case OPERATOR_LESS_EQUAL:
        return OPERATOR_GREATER_EQUAL;
    case OPERATOR_GREATER:
        return OPERATOR_LESS;
    case OPERATOR_GREATER_EQUAL:
        return OPERATOR_LESS_EQUAL;
    default:
        return op;
    }
}

static bool compile_comparison(const struct debug_lane *lane, const struct expression *expression,
                               struct debug_filter *filter)
{
    struct debug_value name;
    struct debug_value literal;
    struct error error;
    const bool turned = is_literal(expression->operands[0]);
    const struct expression *left = expression->operands[turned];
    if (left->kind != EXPRESSION_NAME || !is_literal(expression->operands[!turned]) ||
        !find_row(lane, left->name, &filter->row, &name) ||
        !debug_evaluate(lane, expression->operands[!turned], &literal, &error))
        return false;
    const struct debug_number own = name.number;
    if (!debug_balance(&name, &literal) || name.number.width != own.width ||
        name.number.is_signed != own.is_signed || name.number.is_floating != own.is_floating)
        return false; /* the variable would have to be converted */
    filter->op = turned ? turn(expression->op) : expression->op;
    filter->number = own;
    filter->literal = literal.bits[0];
    return true;
}

static const struct debug_filter *compile(const struct debug_lane *lane,
                                          const struct expression *expression, struct arena *arena)
{
    static const struct debug_filter none = {.kind = FILTER_NONE};
    struct debug_filter *made = arena_alloc(arena, 1, sizeof *made);
    if (!made || expression->kind != EXPRESSION_BINARY)
        return &none;
    if (expression->op >= OPERATOR_LESS && expression->op <= OPERATOR_NOT_EQUAL) {
        if (compile_comparison(lane, expression, made))
            made->kind = FILTER_COMPARE;
    } else if (expression->op == OPERATOR_LOGICAL_AND || expression->op == OPERATOR_LOGICAL_OR) {
        for (int i = 0; i < 2; i++)
            made->operands[i] = compile(lane, expression->operands[i], arena);
        made->kind = expression->op == OPERATOR_LOGICAL_AND ? FILTER_BOTH : FILTER_EITHER;
    }
    return made;
}

const struct debug_filter *debug_filter_make(const struct debug_lane *lane,
                                             const struct expression *condition,
                                             struct arena *arena)
{
    return compile(lane, condition, arena);
}

/* ---- rows ---- */

/* Of all lanes, also such as do not look now. */
#define ANY(type, op)                                                                              \
    do {                                                                                           \
        int any = 0;                                                                               \
        for (uint32_t lane = 0; lane < VM_LANES; lane++)                                           \
            any |= ((const type *)row)[lane] op literal;                                           \
        return any != 0;                                                                           \
    } while (0)
#define COMPARE(type)                                                                              \
    static bool any_##type(enum expression_operator op, const void *row, uint64_t bits)            \
    {                                                                                              \
        type literal;                                                                              \
        memcpy(&literal, &bits, sizeof literal);                                                   \
        switch (op) {                                                                              \
        case OPERATOR_LESS:                                                                        \
            ANY(type, <);                                                                          \
        case OPERATOR_LESS_EQUAL:                                                                  \
            ANY(type, <=);                                                                         \
        case OPERATOR_GREATER:                                                                     \
            ANY(type, >);                                                                          \
        case OPERATOR_GREATER_EQUAL:                                                               \
            ANY(type, >=);                                                                         \
        case OPERATOR_EQUAL:                                                                       \
            ANY(type, ==);                                                                         \
        default:                                                                                   \
            ANY(type, !=);                                                                         \
        }                                                                                          \
    }
COMPARE(int32_t)
COMPARE(uint32_t)
COMPARE(int64_t)
COMPARE(uint64_t)
COMPARE(float)
COMPARE(double)

static bool any_holds(const struct debug_filter *filter, const void *row)
{
    const bool wide = filter->number.width == 8;
    if (filter->number.is_floating)
        return (wide ? any_double : any_float)(filter->op, row, filter->literal);
    if (filter->number.is_signed)
        return (wide ? any_int64_t : any_int32_t)(filter->op, row, filter->literal);
    return (wide ? any_uint64_t : any_uint32_t)(filter->op, row, filter->literal);
}

bool debug_filter_passes(const struct debug_filter *filter, const struct vm_vector *vector)
{
    switch (filter->kind) {
    case FILTER_COMPARE:
        return any_holds(filter, vector->units + (size_t)filter->row * VM_UNIT_SIZE);
    case FILTER_BOTH:
        return debug_filter_passes(filter->operands[0], vector) &&
               debug_filter_passes(filter->operands[1], vector);
    case FILTER_EITHER:
        return debug_filter_passes(filter->operands[0], vector) ||
               debug_filter_passes(filter->operands[1], vector);
    case FILTER_NONE:
        break;
    }
    return true;
}
