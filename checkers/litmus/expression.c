/* Integer expressions, by C's rules for types, and what operators do. */
#include "checkers/litmus/parser.h"

/* ---- values ---- */

int64_t litmus_convert(int64_t value, struct litmus_type type)
{
    const uint64_t bits = (uint64_t)value;
    switch (type.size) {
    case 1:
        return type.is_signed ? (int64_t)(int8_t)bits : (int64_t)(uint8_t)bits;
    case 2:
        return type.is_signed ? (int64_t)(int16_t)bits : (int64_t)(uint16_t)bits;
    case 4:
        return type.is_signed ? (int64_t)(int32_t)bits : (int64_t)(uint32_t)bits;
    default:
        return value;
    }
}

static bool less(struct litmus_type type, int64_t a, int64_t b)
{
    return type.is_signed ? a < b : (uint64_t)a < (uint64_t)b;
}

static int64_t divide(struct litmus_type type, int64_t a, int64_t b, bool remainder)
{
    if (b == 0 || (type.is_signed && b == -1)) {
        return b == 0 || remainder ? 0 : (int64_t)(0 - (uint64_t)a);
    }
    if (type.is_signed) {
        return remainder ? a % b : a / b;
    }
    return (int64_t)(remainder ? (uint64_t)a % (uint64_t)b : (uint64_t)a / (uint64_t)b);
}

static int64_t shift(struct litmus_type type, int64_t a, int64_t b, bool left)
{
    const unsigned count = (unsigned)b & (type.size * 8U - 1);
    if (left) {
        return (int64_t)((uint64_t)a << count);
    }
    return type.is_signed ? a >> count : (int64_t)((uint64_t)a >> count);
}

int64_t litmus_operate(enum litmus_operation operation, struct litmus_type type, int64_t a,
                       int64_t b)
{
    a = litmus_convert(a, type);
    b = litmus_convert(b, type);
    int64_t result = b;
    switch (operation) {
    case LITMUS_ADD:
        result = (int64_t)((uint64_t)a + (uint64_t)b);
        break;
    case LITMUS_SUB:
        result = (int64_t)((uint64_t)a - (uint64_t)b);
        break;
    case LITMUS_MUL:
        result = (int64_t)((uint64_t)a * (uint64_t)b);
        break;
    case LITMUS_DIV:
        result = divide(type, a, b, false);
        break;
    case LITMUS_MOD:
        result = divide(type, a, b, true);
        break;
    case LITMUS_AND:
        result = a & b;
        break;
    case LITMUS_OR:
        result = a | b;
        break;
    case LITMUS_XOR:
        result = a ^ b;
        break;
    case LITMUS_SHL:
        result = shift(type, a, b, true);
        break;
    case LITMUS_SHR:
        result = shift(type, a, b, false);
        break;
    case LITMUS_EQ:
        return a == b;
    case LITMUS_NE:
        return a != b;
    case LITMUS_LT:
        return less(type, a, b);
    case LITMUS_LE:
        return !less(type, b, a);
    case LITMUS_GT:
        return less(type, b, a);
    case LITMUS_GE:
        return !less(type, a, b);
    case LITMUS_MIN:
        result = less(type, a, b) ? a : b;
        break;
    case LITMUS_MAX:
        result = less(type, a, b) ? b : a;
        break;
    case LITMUS_SECOND:
        break;
    }
    return litmus_convert(result, type);
}

/* ---- types ---- */

static struct litmus_type promoted(struct litmus_type type)
{
    return type.size < 4 ? type_int : type;
}

/* The usual arithmetic conversions. */
static struct litmus_type common_type(struct litmus_type a, struct litmus_type b)
{
    a = promoted(a);
    b = promoted(b);
    if (a.size != b.size) {
        return a.size > b.size ? a : b;
    }
    return (struct litmus_type){a.size, a.is_signed && b.is_signed};
}

/* ---- expressions ---- */

/* By precedence, the loosest first; && and || are apart, as their right side may not be evaluated.
 */
static const struct binary {
    const char *sign;
    uint32_t level;
    enum litmus_operation operation;
} binaries[] = {
    {"|", 0, LITMUS_OR},  {"^", 1, LITMUS_XOR},  {"&", 2, LITMUS_AND},  {"==", 3, LITMUS_EQ},
    {"!=", 3, LITMUS_NE}, {"<", 4, LITMUS_LT},   {"<=", 4, LITMUS_LE},  {">", 4, LITMUS_GT},
    {">=", 4, LITMUS_GE}, {"<<", 5, LITMUS_SHL}, {">>", 5, LITMUS_SHR}, {"+", 6, LITMUS_ADD},
    {"-", 6, LITMUS_SUB}, {"*", 7, LITMUS_MUL},  {"/", 7, LITMUS_DIV},  {"%", 7, LITMUS_MOD},
};
enum { BINARY_LEVELS = 8, LEVEL_OF_SUMS = 6 };

static struct operand parse_name(struct parser *parser)
{
    const struct token name = parser_take_name(parser, "a value");
    if (lexer_is(&parser->lexer, "(")) {
        return parse_call(parser, &name);
    }
    if (lexer_is(&parser->lexer, "[")) {
        const struct place place = parse_element(parser, &name);
        return emit_plain_read(parser, &place);
    }
    if (token_is(&name, "true") || token_is(&name, "false")) {
        return emit_constant(parser, token_is(&name, "true"), type_int);
    }
    const struct litmus_variable *variable = need_variable(parser, &name);
    if (variable == NULL) {
        return (struct operand){0, type_int};
    }
    /* A copy: what stands further right may assign to the variable. */
    const struct operand operand = variable_operand(parser, variable);
    const uint8_t copy = scratch_register(parser);
    emit_move(parser, copy, operand.type, operand);
    return (struct operand){copy, operand.type};
}

static struct operand parse_number(struct parser *parser)
{
    const struct token token = parser->lexer.token;
    bool is_unsigned = false;
    bool is_long = token.number != litmus_convert(token.number, type_int);
    for (size_t i = 0; i < token.length; i++) {
        is_unsigned = is_unsigned || token.start[i] == 'u' || token.start[i] == 'U';
        is_long = is_long || token.start[i] == 'l' || token.start[i] == 'L';
    }
    lexer_next(&parser->lexer);
    return emit_constant(parser, token.number, (struct litmus_type){is_long ? 8 : 4, !is_unsigned});
}

static struct operand parse_unary(struct parser *parser);

static struct operand parse_read(struct parser *parser)
{
    const struct place place = parse_pointed(parser);
    return emit_plain_read(parser, &place);
}

/* "(int)r" and "(1 + r)", whose parenthesis was taken. */
static struct operand parse_parenthesis(struct parser *parser)
{
    struct litmus_type type;
    enum oracle_region region;
    struct operand result;
    if (!parser_take_type(parser, &type, &region)) {
        result = parse_expression(parser);
        lexer_expect(&parser->lexer, ")");
        return result;
    }
    lexer_expect(&parser->lexer, ")");
    const struct operand value = parse_unary(parser);
    result = (struct operand){scratch_register(parser), type};
    emit_move(parser, result.index, type, value);
    return result;
}

/* `left` operation the next unary expression, with the operands changed to a common type. */
static struct operand emit_unary(struct parser *parser, enum litmus_operation operation,
                                 int64_t left)
{
    const struct operand right = parse_unary(parser);
    const struct litmus_type type = promoted(right.type);
    const struct operand constant = emit_constant(parser, left, type);
    const uint8_t dst = scratch_register(parser);
    emit_operation(parser, operation, type, dst, constant.index, right.index);
    return (struct operand){dst, operation == LITMUS_EQ ? type_int : type};
}

static struct operand parse_unary(struct parser *parser)
{
    struct operand result = {0, type_int};
    if (!parser_enter(parser)) {
        return result;
    }
    if (lexer_accept(&parser->lexer, "-")) {
        result = emit_unary(parser, LITMUS_SUB, 0);
    } else if (lexer_accept(&parser->lexer, "!")) {
        result = emit_unary(parser, LITMUS_EQ, 0);
    } else if (lexer_accept(&parser->lexer, "~")) {
        result = emit_unary(parser, LITMUS_XOR, -1);
    } else if (lexer_accept(&parser->lexer, "+")) {
        result = emit_unary(parser, LITMUS_ADD, 0);
    } else if (lexer_accept(&parser->lexer, "*")) {
        result = parse_read(parser);
    } else if (lexer_accept(&parser->lexer, "(")) {
        result = parse_parenthesis(parser);
    } else if (parser->lexer.token.kind == TOKEN_NUMBER) {
        result = parse_number(parser);
    } else {
        result = parse_name(parser);
    }
    parser_leave(parser);
    return result;
}

static const struct binary *find_binary(const struct parser *parser, uint32_t level)
{
    for (size_t i = 0; i < sizeof binaries / sizeof *binaries; i++) {
        if (binaries[i].level == level && lexer_is(&parser->lexer, binaries[i].sign)) {
            return &binaries[i];
        }
    }
    return NULL;
}

static struct operand parse_level(struct parser *parser, uint32_t level)
{
    if (level == BINARY_LEVELS) {
        return parse_unary(parser);
    }
    struct operand left = parse_level(parser, level + 1);
    for (const struct binary *binary = find_binary(parser, level); binary != NULL;
         binary = find_binary(parser, level)) {
        lexer_next(&parser->lexer);
        const struct operand right = parse_level(parser, level + 1);
        const bool is_shift = binary->level == 5;
        const struct litmus_type type =
            is_shift ? promoted(left.type) : common_type(left.type, right.type);
        const bool is_truth = binary->operation >= LITMUS_EQ && binary->operation <= LITMUS_GE;
        const uint8_t dst = scratch_register(parser);
        emit_operation(parser, binary->operation, type, dst, left.index, right.index);
        left = (struct operand){dst, is_truth ? type_int : type};
    }
    return left;
}

struct operand parse_sum(struct parser *parser)
{
    return parse_level(parser, LEVEL_OF_SUMS);
}

/* dst = is it not 0? */
static void emit_truth(struct parser *parser, uint8_t dst, struct operand value)
{
    const struct operand zero = emit_constant(parser, 0, value.type);
    emit_operation(parser, LITMUS_NE, value.type, dst, value.index, zero.index);
}

/* "a && b", where `stop` is 0, or "a || b", where it is 1: a truth value, and if a decides, b is
 * not evaluated. */
static struct operand parse_logical(struct parser *parser, const char *sign, int stop,
                                    struct operand (*parse_side)(struct parser *))
{
    const struct operand left = parse_side(parser);
    if (!lexer_is(&parser->lexer, sign)) {
        return left;
    }
    const struct operand result = {scratch_register(parser), type_int};
    emit_truth(parser, result.index, left);
    while (lexer_accept(&parser->lexer, sign)) {
        uint8_t go_on = result.index;
        if (stop == 1) {
            const struct operand zero = emit_constant(parser, 0, type_int);
            go_on = scratch_register(parser);
            emit_operation(parser, LITMUS_EQ, type_int, go_on, result.index, zero.index);
        }
        const uint32_t jump = emit_jump(parser, LITMUS_JUMP_IF_ZERO, go_on);
        emit_truth(parser, result.index, parse_side(parser));
        land(parser, jump);
    }
    return result;
}

static struct operand parse_bits(struct parser *parser)
{
    return parse_level(parser, 0);
}

static struct operand parse_and(struct parser *parser)
{
    return parse_logical(parser, "&&", 0, parse_bits);
}

struct operand parse_expression(struct parser *parser)
{
    struct operand result = {0, type_int};
    if (parser_enter(parser)) {
        result = parse_logical(parser, "||", 1, parse_and);
        parser_leave(parser);
    }
    return result;
}
