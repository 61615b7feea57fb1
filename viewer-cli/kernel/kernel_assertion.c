#include "viewer-cli/kernel/kernel_assertion.h"

#include "trace/base/size.h"
#include "trace/debug/number.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Names of a quantifier, and evaluations that it may take. */
enum { VARIABLES_MAX = 4, CASES_MAX = 1 << 30 };

struct variable {
    const char *name;
    uint64_t count; /* from 0 on */
};

struct kernel_assertion {
    const char *text;
    const char *body; /* in it, behind the names */
    struct kernel_assertion_scope scope;
    struct variable variables[VARIABLES_MAX];
    uint32_t variable_count;
    const struct expression *expression;
};

struct number {
    struct debug_number type;
    uint64_t bits;
};

/* One evaluation. */
struct evaluation {
    const struct kernel_assertion *assertion;
    const uint8_t *const *bytes;
    uint64_t values[VARIABLES_MAX];
    struct error *error;
};

static const struct debug_number int_type = {.width = 4, .is_signed = true};
static const struct debug_number long_type = {.width = 8, .is_signed = true};

static bool evaluate(const struct evaluation *in, const struct expression *expression,
                     struct number *value);

const char *kernel_assertion_text(const struct kernel_assertion *assertion)
{
    return assertion->text;
}

/* ---- names ---- */

static struct debug_number type_of_scalar(const struct replay_scalar *scalar)
{
    return (struct debug_number){
        .width = (uint8_t)scalar->size,
        .is_floating = scalar->kind == REPLAY_SCALAR_FLOAT,
        .is_signed = scalar->kind == REPLAY_SCALAR_SIGNED,
    };
}

/* SIZE_MAX = none. */
static size_t find_argument(const struct kernel_assertion *assertion, const char *name)
{
    size_t i = 0;
    while (i < assertion->scope.count && strcmp(assertion->scope.names[i], name) != 0) {
        i++;
    }
    return i < assertion->scope.count ? i : SIZE_MAX;
}

/* UINT32_MAX = none. */
static uint32_t find_variable(const struct kernel_assertion *assertion, const char *name)
{
    uint32_t i = 0;
    while (i < assertion->variable_count && strcmp(assertion->variables[i].name, name) != 0) {
        i++;
    }
    return i < assertion->variable_count ? i : UINT32_MAX;
}

/* ---- what makes sense ---- */

static enum status check(const struct kernel_assertion *assertion,
                         const struct expression *expression, struct error *error);

static enum status check_name(const struct kernel_assertion *assertion, const char *name,
                              struct error *error)
{
    if (find_variable(assertion, name) != UINT32_MAX) {
        return STATUS_OK;
    }
    const size_t index = find_argument(assertion, name);
    if (index == SIZE_MAX) {
        struct text names = TEXT_INIT;
        for (size_t i = 0; i < assertion->scope.count; i++) {
            text_format(&names, "%s%s", i == 0 ? "" : ", ", assertion->scope.names[i]);
        }
        error_set(error, STATUS_INVALID, "the kernel has no argument '%s'; it has %s", name,
                  names.bytes);
        text_release(&names);
        return STATUS_INVALID;
    }
    const enum kernel_argument_kind kind = assertion->scope.arguments[index].kind;
    return kind == KERNEL_ARGUMENT_BUFFER || kind == KERNEL_ARGUMENT_VALUE
               ? STATUS_OK
               : error_set(error, STATUS_INVALID, "argument '%s' is neither a buffer nor a value",
                           name);
}

/* The argument that an element, a component or the name alone is of; NULL = none. */
static const struct kernel_argument *place_argument(const struct kernel_assertion *assertion,
                                                    const struct expression *expression)
{
    const struct expression *of =
        expression->kind == EXPRESSION_INDEX ? expression->operands[0] : expression;
    const size_t index =
        of->kind == EXPRESSION_NAME ? find_argument(assertion, of->name) : SIZE_MAX;
    return index == SIZE_MAX || find_variable(assertion, of->name) != UINT32_MAX
               ? NULL
               : &assertion->scope.arguments[index];
}

/* A number where it stands: `components` are those of the whole. */
static enum status check_place(const struct kernel_assertion *assertion,
                               const struct expression *expression, bool is_component,
                               struct error *error)
{
    const bool indexed = expression->kind == EXPRESSION_INDEX;
    const struct expression *of = indexed ? expression->operands[0] : expression;
    if (of->kind != EXPRESSION_NAME) {
        return error_set(error, STATUS_INVALID, "elements are those of buffers, as in out[0]");
    }
    enum status status = check_name(assertion, of->name, error);
    const struct kernel_argument *argument = place_argument(assertion, expression);
    if (status != STATUS_OK || (argument == NULL && !indexed && !is_component)) {
        return status;
    }
    if (argument == NULL || (indexed && argument->kind != KERNEL_ARGUMENT_BUFFER)) {
        return error_set(error, STATUS_INVALID, "'%s' is no buffer, and has no elements", of->name);
    }
    if (!indexed && argument->kind == KERNEL_ARGUMENT_BUFFER && argument->count != 1) {
        return error_set(error, STATUS_INVALID,
                         "'%s' has %" PRIu64 " elements: %s[0] is the first of them", of->name,
                         argument->count, of->name);
    }
    if (!is_component && argument->type.components > 1) {
        return error_set(error, STATUS_INVALID, "'%s' is of vectors: .x is a component of one",
                         of->name);
    }
    return indexed ? check(assertion, expression->operands[1], error) : STATUS_OK;
}

static enum status check_member(const struct kernel_assertion *assertion,
                                const struct expression *expression, struct error *error)
{
    const struct expression *of = expression->operands[0];
    if (expression->is_arrow || (of->kind != EXPRESSION_NAME && of->kind != EXPRESSION_INDEX)) {
        return error_set(error, STATUS_INVALID,
                         "'.%s' is no component of an element of a buffer, as in out[0].x",
                         expression->name);
    }
    const enum status status = check_place(assertion, of, true, error);
    if (status != STATUS_OK) {
        return status;
    }
    const uint32_t components = place_argument(assertion, of)->type.components;
    return components > 1 && debug_find_component(expression->name, components) != UINT32_MAX
               ? STATUS_OK
               : error_set(error, STATUS_INVALID, "it has no component '%s'", expression->name);
}

static enum status check_cast(const struct expression *expression, struct error *error)
{
    const char *name = expression->type.name;
    const struct kernel_type type = kernel_type_parse(name, strlen(name));
    return expression->type.pointer_count == 0 && type.scalar != NULL && type.components == 1
               ? STATUS_OK
               : error_set(error, STATUS_INVALID, "numbers are cast to numbers, and not to '%s%s'",
                           name, expression->type.pointer_count > 0 ? " *" : "");
}

static enum status check(const struct kernel_assertion *assertion,
                         const struct expression *expression, struct error *error)
{
    enum status status = STATUS_OK;
    switch (expression->kind) {
    case EXPRESSION_INTEGER:
    case EXPRESSION_FLOATING:
        return STATUS_OK;
    case EXPRESSION_NAME:
    case EXPRESSION_INDEX:
        return check_place(assertion, expression, false, error);
    case EXPRESSION_MEMBER:
        return check_member(assertion, expression, error);
    case EXPRESSION_CAST:
        status = check_cast(expression, error);
        break;
    case EXPRESSION_UNARY:
        if (expression->op == OPERATOR_DEREFERENCE || expression->op == OPERATOR_ADDRESS) {
            return error_set(error, STATUS_INVALID, "there are no pointers: write out[0] for *out");
        }
        break;
    case EXPRESSION_BINARY:
    case EXPRESSION_CONDITIONAL:
        break;
    default:
        return error_set(error, STATUS_INVALID,
                         "an assertion has arguments, elements, components, numbers, casts and "
                         "operators, and nothing else");
    }
    for (size_t i = 0; status == STATUS_OK && i < 3 && expression->operands[i] != NULL; i++) {
        status = check(assertion, expression->operands[i], error);
    }
    return status;
}

/* ---- the names of quantifiers ---- */

/* "all NAME:"; false: there is none here. */
static bool take_quantifier(const char **at, const char **name, size_t *length)
{
    static const char space[] = " \t\n";
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
    const char *here = *at + strspn(*at, space);
    if (strncmp(here, "all", 3) != 0 || strspn(here + 3, space) == 0) {
        return false;
    }
    here += 3 + strspn(here + 3, space);
    *name = here;
    *length = strspn(here, letters);
    here += *length;
    here += strspn(here, space);
    if (*length == 0 || (**name >= '0' && **name <= '9') || *here != ':') {
        return false;
    }
    *at = here + 1;
    return true;
}

static enum status take_quantifiers(struct kernel_assertion *assertion, struct arena *arena,
                                    struct error *error)
{
    const char *name;
    size_t length;
    while (take_quantifier(&assertion->body, &name, &length)) {
        if (assertion->variable_count == VARIABLES_MAX) {
            return error_set(error, STATUS_INVALID, "there are more than %d names behind 'all'",
                             VARIABLES_MAX);
        }
        const char *kept = arena_format(arena, "%.*s", (int)length, name);
        if (kept == NULL) {
            return error_no_memory(error, length);
        }
        assertion->variables[assertion->variable_count++] =
            (struct variable){.name = kept, .count = UINT64_MAX};
    }
    return STATUS_OK;
}

/* How far names go that index buffers by themselves. */
static void measure(struct kernel_assertion *assertion, const struct expression *expression)
{
    if (expression->kind == EXPRESSION_INDEX && expression->operands[1]->kind == EXPRESSION_NAME) {
        const uint32_t variable = find_variable(assertion, expression->operands[1]->name);
        const struct kernel_argument *argument = place_argument(assertion, expression);
        if (variable != UINT32_MAX && argument != NULL &&
            argument->count < assertion->variables[variable].count) {
            assertion->variables[variable].count = argument->count;
        }
    }
    for (size_t i = 0; i < 3 && expression->operands[i] != NULL; i++) {
        measure(assertion, expression->operands[i]);
    }
}

static enum status check_variables(const struct kernel_assertion *assertion, struct error *error)
{
    uint64_t cases = 1;
    for (uint32_t i = 0; i < assertion->variable_count; i++) {
        const struct variable *variable = &assertion->variables[i];
        if (variable->count == UINT64_MAX) {
            return error_set(error, STATUS_INVALID,
                             "nothing says how far '%s' goes: it must index a buffer by itself, as "
                             "in out[%s]",
                             variable->name, variable->name);
        }
        if (!size_mul(cases, variable->count, &cases) || cases > CASES_MAX) {
            return error_set(error, STATUS_INVALID, "there are more than %d cases to look at",
                             CASES_MAX);
        }
    }
    return STATUS_OK;
}

enum status kernel_assertion_parse(const char *text, const struct kernel_assertion_scope *scope,
                                   struct arena *arena, const struct kernel_assertion **assertion,
                                   struct error *error)
{
    struct kernel_assertion *made = arena_alloc(arena, 1, sizeof *made);
    if (made == NULL) {
        return error_no_memory(error, sizeof *made);
    }
    *made = (struct kernel_assertion){.text = text, .body = text, .scope = *scope};
    enum status status = take_quantifiers(made, arena, error);
    if (status == STATUS_OK) {
        status = expression_parse(made->body, false, NULL, NULL, arena, &made->expression, error);
    }
    if (status == STATUS_OK) {
        status = check(made, made->expression, error);
    }
    if (status == STATUS_OK) {
        measure(made, made->expression);
        status = check_variables(made, error);
    }
    *assertion = made;
    if (status != STATUS_OK && status != STATUS_NO_MEMORY) {
        error_prefix(error, "--assert '%s'", text);
    }
    return status;
}

/* ---- values ---- */

static struct number number_of(struct debug_number type, uint64_t bits)
{
    const uint32_t shift = 64 - 8U * type.width;
    return (struct number){.type = type, .bits = bits << shift >> shift};
}

static bool is_true(const struct number *value)
{
    return value->type.is_floating ? debug_to_double(&value->type, value->bits) != 0
                                   : value->bits != 0;
}

static bool take_index(const struct evaluation *in, const struct expression *expression,
                       const struct kernel_argument *argument, uint64_t *index)
{
    struct number value;
    *index = 0;
    if (expression->kind != EXPRESSION_INDEX) {
        return true;
    }
    if (!evaluate(in, expression->operands[1], &value)) {
        return false;
    }
    const uint64_t wide = debug_extend(&value.type, value.bits);
    const bool is_negative = value.type.is_signed && (int64_t)wide < 0;
    const char *name = expression->operands[0]->name;
    if (value.type.is_floating) {
        error_set(in->error, STATUS_INVALID, "the index of '%s' is no integer", name);
        return false;
    }
    if (is_negative || wide >= argument->count) {
        error_set(in->error, STATUS_INVALID,
                  is_negative ? "'%s' has no element %" PRId64 ": it has %" PRIu64
                              : "'%s' has no element %" PRIu64 ": it has %" PRIu64,
                  name, wide, argument->count);
        return false;
    }
    *index = wide;
    return true;
}

/* A name, an element, or component `component` of one. */
static bool load(const struct evaluation *in, const struct expression *expression,
                 uint32_t component, struct number *value)
{
    const struct kernel_assertion *assertion = in->assertion;
    const struct kernel_argument *argument = place_argument(assertion, expression);
    if (argument == NULL) {
        *value = number_of(long_type, in->values[find_variable(assertion, expression->name)]);
        return true;
    }
    const size_t number = (size_t)(argument - assertion->scope.arguments);
    const bool is_buffer = argument->kind == KERNEL_ARGUMENT_BUFFER;
    const uint8_t *bytes = is_buffer ? in->bytes[number] : argument->bytes;
    const uint32_t size = argument->type.scalar->size;
    uint64_t index;
    if (!take_index(in, expression, argument, &index)) {
        return false;
    }
    value->type = type_of_scalar(argument->type.scalar);
    value->bits = 0;
    memcpy(&value->bits, bytes + index * kernel_type_size(argument->type) + component * size, size);
    return true;
}

static bool load_component(const struct evaluation *in, const struct expression *expression,
                           struct number *value)
{
    const struct kernel_argument *argument = place_argument(in->assertion, expression->operands[0]);
    return load(in, expression->operands[0],
                debug_find_component(expression->name, argument->type.components), value);
}

/* ---- operators ---- */

static struct number convert(const struct number *value, struct debug_number type)
{
    return (struct number){.type = type, .bits = debug_convert(&type, &value->type, value->bits)};
}

static bool operate(const struct evaluation *in, enum expression_operator op,
                    const struct number *a, const struct number *b, struct number *value)
{
    const bool shifts = op == OPERATOR_SHIFT_LEFT || op == OPERATOR_SHIFT_RIGHT;
    const struct debug_number type = debug_common_number(&a->type, shifts ? &a->type : &b->type);
    const struct number first = convert(a, type);
    const struct number second = convert(b, type);
    bool open;
    if (!debug_operate(op, &type, first.bits, second.bits, &value->bits, &open)) {
        error_set(in->error, STATUS_INVALID, "'%s' is no operator of floating-point numbers",
                  expression_operator_sign(op));
        return false;
    }
    if (open) {
        error_set(in->error, STATUS_INVALID, "it divides by 0");
        return false;
    }
    value->type = op >= OPERATOR_LESS && op <= OPERATOR_NOT_EQUAL ? int_type : type;
    return true;
}

static bool evaluate_unary(const struct evaluation *in, const struct expression *expression,
                           struct number *value)
{
    const struct number zero = number_of(int_type, 0);
    const struct number ones = number_of(int_type, UINT64_MAX);
    struct number operand;
    if (!evaluate(in, expression->operands[0], &operand)) {
        return false;
    }
    if (expression->op == OPERATOR_NOT) {
        *value = number_of(int_type, !is_true(&operand));
        return true;
    }
    if (expression->op == OPERATOR_COMPLEMENT) {
        return operate(in, OPERATOR_EXCLUSIVE_OR, &operand, &ones, value);
    }
    if (expression->op == OPERATOR_MINUS && operand.type.is_floating) { /* 0 - 0 is not -0 */
        *value = operand;
        value->bits ^= UINT64_C(1) << (8U * operand.type.width - 1);
        return true;
    }
    return expression->op == OPERATOR_MINUS ? operate(in, OPERATOR_SUBTRACT, &zero, &operand, value)
                                            : operate(in, OPERATOR_ADD, &operand, &zero, value);
}

static bool evaluate_binary(const struct evaluation *in, const struct expression *expression,
                            struct number *value)
{
    const bool is_or = expression->op == OPERATOR_LOGICAL_OR;
    struct number a;
    struct number b;
    if (!evaluate(in, expression->operands[0], &a)) {
        return false;
    }
    const bool is_logical = is_or || expression->op == OPERATOR_LOGICAL_AND;
    if (is_logical && is_true(&a) == is_or) {
        *value = number_of(int_type, is_or);
        return true;
    }
    if (!evaluate(in, expression->operands[1], &b)) {
        return false;
    }
    if (is_logical) {
        *value = number_of(int_type, is_true(&b));
        return true;
    }
    if (expression->op == OPERATOR_COMMA) {
        *value = b;
        return true;
    }
    return operate(in, expression->op, &a, &b, value);
}

static bool evaluate(const struct evaluation *in, const struct expression *expression,
                     struct number *value)
{
    switch (expression->kind) {
    case EXPRESSION_INTEGER:
        *value = number_of((struct debug_number){.width = expression->width,
                                                 .is_signed = !expression->is_unsigned},
                           expression->bits);
        return true;
    case EXPRESSION_FLOATING:
        value->type = (struct debug_number){.width = expression->width, .is_floating = true};
        value->bits = debug_from_double(&value->type, expression->value);
        return true;
    case EXPRESSION_MEMBER:
        return load_component(in, expression, value);
    case EXPRESSION_UNARY:
        return evaluate_unary(in, expression, value);
    case EXPRESSION_BINARY:
        return evaluate_binary(in, expression, value);
    case EXPRESSION_CONDITIONAL:
        return evaluate(in, expression->operands[0], value) &&
               evaluate(in, expression->operands[is_true(value) ? 1 : 2], value);
    case EXPRESSION_CAST: {
        const char *name = expression->type.name;
        const bool good = evaluate(in, expression->operands[0], value);
        if (good) {
            *value = convert(value, type_of_scalar(kernel_type_parse(name, strlen(name)).scalar));
        }
        return good;
    }
    default:
        return load(in, expression, 0, value);
    }
}

/* ---- what is told of a violation ---- */

/* A part of the text, without space and parentheses around it. */
struct part {
    const char *text;
    size_t length;
};

/* Is the part one pair of parentheses? */
static bool is_enclosed(const struct part *part)
{
    int depth = 0;
    size_t i = 0;
    for (; i < part->length; i++) {
        depth += part->text[i] == '(' ? 1 : part->text[i] == ')' ? -1 : 0;
        if (depth == 0) {
            break;
        }
    }
    return part->length > 1 && part->text[0] == '(' && i + 1 == part->length;
}

static void trim(struct part *part)
{
    while (part->length > 0 && (*part->text == ' ' || is_enclosed(part))) {
        part->length -= is_enclosed(part) ? 2 : 1;
        part->text++;
    }
    while (part->length > 0 && part->text[part->length - 1] == ' ') {
        part->length--;
    }
}

/* The text of an operand: what stands before or behind the operator. */
static struct part operand_part(const struct kernel_assertion *assertion,
                                const struct expression *expression, const struct part *whole,
                                bool is_second)
{
    const char *sign = assertion->body + expression->column;
    const char *behind = sign + strlen(expression_operator_sign(expression->op));
    struct part part = {.text = is_second ? behind : whole->text};
    part.length =
        is_second ? (size_t)(whole->text + whole->length - behind) : (size_t)(sign - whole->text);
    trim(&part);
    return part;
}

static void print_number(const struct number *value, struct text *text)
{
    const uint64_t wide = debug_extend(&value->type, value->bits);
    if (value->type.is_floating) {
        text_format(text, value->type.width == 8 ? "%.17g" : "%.9g",
                    debug_to_double(&value->type, value->bits));
    } else {
        text_format(text, value->type.is_signed ? "%" PRId64 : "%" PRIu64, wide);
    }
}

static bool is_literal(const struct expression *expression)
{
    const bool is_signed = expression->kind == EXPRESSION_UNARY && expression->op <= OPERATOR_MINUS;
    const struct expression *of = is_signed ? expression->operands[0] : expression;
    return of->kind == EXPRESSION_INTEGER || of->kind == EXPRESSION_FLOATING;
}

/* The comparison that is to blame, and both its sides. */
static void tell_sides(const struct evaluation *in, struct text *text)
{
    const struct kernel_assertion *assertion = in->assertion;
    const struct expression *blamed = assertion->expression;
    struct part whole = {assertion->body, strlen(assertion->body)};
    struct number value;
    trim(&whole);
    while (blamed->kind == EXPRESSION_BINARY && blamed->op == OPERATOR_LOGICAL_AND) {
        const bool is_second = evaluate(in, blamed->operands[0], &value) && is_true(&value);
        whole = operand_part(assertion, blamed, &whole, is_second);
        blamed = blamed->operands[is_second];
    }
    if (blamed->kind != EXPRESSION_BINARY || blamed->op < OPERATOR_LESS ||
        blamed->op > OPERATOR_NOT_EQUAL) {
        return;
    }
    const char *between = text->size > 0 ? ", " : "";
    for (int i = 0; i < 2; i++) {
        if (!is_literal(blamed->operands[i]) && evaluate(in, blamed->operands[i], &value)) {
            const struct part part = operand_part(assertion, blamed, &whole, i > 0);
            text_format(text, "%s%.*s is ", between, (int)part.length, part.text);
            print_number(&value, text);
            between = " and ";
        }
    }
}

static void tell(const struct evaluation *in, struct text *text)
{
    const struct kernel_assertion *assertion = in->assertion;
    for (uint32_t i = 0; i < assertion->variable_count; i++) {
        text_format(text, "%s%s = %" PRIu64, i == 0 ? "for " : ", ", assertion->variables[i].name,
                    in->values[i]);
    }
    tell_sides(in, text);
}

/* ---- the check ---- */

/* The next values of the names, the last one fastest; false: there are none. */
static bool next_values(struct evaluation *evaluation)
{
    const struct kernel_assertion *assertion = evaluation->assertion;
    uint32_t i = assertion->variable_count;
    while (i > 0 && ++evaluation->values[i - 1] == assertion->variables[i - 1].count) {
        evaluation->values[--i] = 0;
    }
    return i > 0;
}

static bool has_cases(const struct kernel_assertion *assertion)
{
    bool has = true;
    for (uint32_t i = 0; i < assertion->variable_count; i++) {
        has = has && assertion->variables[i].count > 0;
    }
    return has;
}

enum status kernel_assertion_check(const struct kernel_assertion *assertion,
                                   const uint8_t *const *bytes,
                                   struct kernel_assertion_result *result, struct error *error)
{
    struct evaluation evaluation = {.assertion = assertion, .bytes = bytes, .error = error};
    result->violated = 0;
    result->cases = 0;
    bool more = has_cases(assertion);
    while (more) {
        struct number value;
        if (!evaluate(&evaluation, assertion->expression, &value)) {
            error_prefix(error, "--assert '%s'", assertion->text);
            return STATUS_INVALID;
        }
        if (!is_true(&value) && result->violated++ == 0) {
            tell(&evaluation, &result->where);
        }
        result->cases++;
        more = next_values(&evaluation);
    }
    return STATUS_OK;
}
