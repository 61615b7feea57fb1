#include "trace/debug/expression.h"

#include "trace/base/assert.h"
#include "trace/debug/expression_words.h"

#include <math.h>
#include <string.h>

/* How deep an expression may go, so that a long one ends in a sentence and not with the stack. */
enum { DEPTH_MAX = 200 };

/* Unary ones bind closest; of binary ones a higher number does. (OpenCL C 3.0, 6.4.) */
static const struct {
    const char *sign;
    uint8_t binds; /* 0: unary */
} operators[] = {
    [OPERATOR_NONE] = {"", 0},          [OPERATOR_PLUS] = {"+", 0},
    [OPERATOR_MINUS] = {"-", 0},        [OPERATOR_NOT] = {"!", 0},
    [OPERATOR_COMPLEMENT] = {"~", 0},   [OPERATOR_DEREFERENCE] = {"*", 0},
    [OPERATOR_ADDRESS] = {"&", 0},      [OPERATOR_MULTIPLY] = {"*", 12},
    [OPERATOR_DIVIDE] = {"/", 12},      [OPERATOR_REMAINDER] = {"%", 12},
    [OPERATOR_ADD] = {"+", 11},         [OPERATOR_SUBTRACT] = {"-", 11},
    [OPERATOR_SHIFT_LEFT] = {"<<", 10}, [OPERATOR_SHIFT_RIGHT] = {">>", 10},
    [OPERATOR_LESS] = {"<", 9},         [OPERATOR_LESS_EQUAL] = {"<=", 9},
    [OPERATOR_GREATER] = {">", 9},      [OPERATOR_GREATER_EQUAL] = {">=", 9},
    [OPERATOR_EQUAL] = {"==", 8},       [OPERATOR_NOT_EQUAL] = {"!=", 8},
    [OPERATOR_AND] = {"&", 7},          [OPERATOR_EXCLUSIVE_OR] = {"^", 6},
    [OPERATOR_OR] = {"|", 5},           [OPERATOR_LOGICAL_AND] = {"&&", 4},
    [OPERATOR_LOGICAL_OR] = {"||", 3},  [OPERATOR_COMMA] = {",", 1},
};
enum { OPERATOR_COUNT = sizeof operators / sizeof *operators, BINDS_CONDITIONAL = 2 };

const char *expression_operator_sign(enum expression_operator op)
{
    return operators[op].sign;
}

/* ---- from text ---- */

struct parser {
    struct words words;
    uint32_t depth;
};

static const struct expression *parse_binary(struct parser *parser, uint8_t binds);
static const struct expression *parse_unary(struct parser *parser);

static const struct expression *parse_all(struct parser *parser)
{
    return parse_binary(parser, operators[OPERATOR_COMMA].binds);
}

/* One of a list: no comma. */
static const struct expression *parse_one(struct parser *parser)
{
    return parse_binary(parser, BINDS_CONDITIONAL);
}

static bool enter(struct parser *parser)
{
    if (++parser->depth <= DEPTH_MAX)
        return true;
    words_fail(&parser->words, parser->words.word.column, "it is nested deeper than %d times",
               DEPTH_MAX);
    return false;
}

static void leave(struct parser *parser)
{
    parser->depth--;
}

/* NULL when memory is out, and where something else has failed. */
static struct expression *make(struct parser *parser, enum expression_kind kind, uint32_t column)
{
    struct expression *made =
        words_failed(&parser->words) ? NULL : arena_alloc(parser->words.arena, 1, sizeof *made);
    if (made) {
        made->kind = kind;
        made->column = column;
    } else {
        words_fail_memory(&parser->words);
    }
    return made;
}

/* Of operands that may have failed. */
static const struct expression *make_of(struct parser *parser, enum expression_kind kind,
                                        enum expression_operator op, uint32_t column,
                                        const struct expression *first,
                                        const struct expression *second,
                                        const struct expression *third)
{
    struct expression *made = make(parser, kind, column);
    if (!made)
        return NULL;
    made->op = op;
    made->operands[0] = first;
    made->operands[1] = second;
    made->operands[2] = third;
    return made;
}

struct part {
    const struct expression *expression;
    struct part *next;
};

/* Expressions with commas between them, up to the parenthesis that closes. */
static void parse_list(struct parser *parser, struct expression *to)
{
    struct part *first = NULL;
    struct part **last = &first;
    uint32_t count = 0;
    while (to && !words_is(&parser->words, ")") && !words_failed(&parser->words)) {
        struct part *part = arena_alloc(parser->words.arena, 1, sizeof *part);
        if (!part) {
            words_fail_memory(&parser->words);
            return;
        }
        part->expression = parse_one(parser);
        *last = part;
        last = &part->next;
        count++;
        if (!words_take(&parser->words, ","))
            break;
    }
    words_want(&parser->words, ")");
    if (!to || words_failed(&parser->words))
        return;
    const struct expression **list = arena_alloc(parser->words.arena, count, sizeof *list);
    if (!list && count) {
        words_fail_memory(&parser->words);
        return;
    }
    for (uint32_t i = 0; i < count; i++, first = first->next)
        list[i] = first->expression;
    to->list = list;
    to->count = count;
}

static bool is_vector(const struct expression_type *type)
{
    const size_t length = strlen(type->name);
    return type->pointer_count == 0 && type->name[length - 1] >= '0' &&
           type->name[length - 1] <= '9' && !strchr(type->name, ' ') && length > 3;
}

/* After the parenthesis that opens: a cast, or a vector literal. */
static const struct expression *parse_cast(struct parser *parser, uint32_t column)
{
    struct expression_type type;
    words_take_type(&parser->words, &type);
    words_want(&parser->words, ")");
    if (words_failed(&parser->words))
        return NULL;
    const bool is_literal = is_vector(&type) && words_is(&parser->words, "(");
    struct expression *made =
        make(parser, is_literal ? EXPRESSION_VECTOR : EXPRESSION_CAST, column);
    if (!made)
        return NULL;
    made->type = type;
    if (is_literal) {
        words_next(&parser->words);
        parse_list(parser, made);
    } else {
        made->operands[0] = parse_unary(parser);
    }
    return made;
}

static const struct expression *parse_sizeof(struct parser *parser, uint32_t column)
{
    struct expression *made = make(parser, EXPRESSION_SIZEOF, column);
    struct words *words = &parser->words;
    if (!made)
        return NULL;
    const struct words before = *words;
    if (words_take(words, "(") && words_begin_type(words)) {
        words_take_type(words, &made->type);
        words_want(words, ")");
    } else if (!words_failed(words)) {
        *words = before;
        made->operands[0] = parse_unary(parser);
    }
    return made;
}

static const struct expression *parse_literal(struct parser *parser)
{
    const struct word *word = &parser->words.word;
    struct expression *made =
        make(parser, word->kind == WORD_INTEGER ? EXPRESSION_INTEGER : EXPRESSION_FLOATING,
             word->column);
    if (!made)
        return NULL;
    made->bits = word->bits;
    made->value = word->value;
    made->width = word->width;
    made->is_unsigned = word->is_unsigned;
    words_next(&parser->words);
    return made;
}

static const struct expression *parse_name(struct parser *parser)
{
    struct words *words = &parser->words;
    const uint32_t column = words->word.column;
    const bool is_register = words->word.kind == WORD_REGISTER;
    struct expression *made =
        make(parser, is_register ? EXPRESSION_REGISTER : EXPRESSION_NAME, column);
    if (!made)
        return NULL;
    made->name = words_copy(words);
    words_next(words);
    if (!is_register && words_take(words, "(")) {
        made->kind = EXPRESSION_CALL;
        parse_list(parser, made);
    }
    return made;
}

static const struct expression *parse_primary(struct parser *parser)
{
    struct words *words = &parser->words;
    const uint32_t column = words->word.column;
    switch (words->word.kind) {
    case WORD_INTEGER:
    case WORD_FLOATING:
        return parse_literal(parser);
    case WORD_REGISTER:
        return parse_name(parser);
    case WORD_NAME:
        if (words_take(words, "sizeof"))
            return parse_sizeof(parser, column);
        if (!words_begin_type(words))
            return parse_name(parser);
        words_fail(words, column, "'%.*s' is a type; a cast is written (%.*s)x",
                   (int)words->word.length, words->word.text, (int)words->word.length,
                   words->word.text);
        return NULL;
    case WORD_SIGN:
        if (words_take(words, "(")) {
            if (words_begin_type(words))
                return parse_cast(parser, column);
            const struct expression *inner = parse_all(parser);
            words_want(words, ")");
            return inner;
        }
        words_fail(words, column, "a value is wanted, not '%.*s'", (int)words->word.length,
                   words->word.text);
        return NULL;
    case WORD_END:
        break;
    }
    words_fail(words, column, "it ends where a value is wanted");
    return NULL;
}

static const struct expression *parse_member(struct parser *parser, const struct expression *of,
                                             uint32_t column, bool is_arrow)
{
    struct words *words = &parser->words;
    if (words->word.kind != WORD_NAME) {
        words_fail(words, words->word.column, "the name of a member is wanted");
        return NULL;
    }
    struct expression *made = make(parser, EXPRESSION_MEMBER, column);
    if (!made)
        return NULL;
    made->is_arrow = is_arrow;
    made->operands[0] = of;
    made->name = words_copy(words);
    words_next(words);
    return made;
}

static const struct expression *parse_index(struct parser *parser, const struct expression *of,
                                            uint32_t column)
{
    const struct expression *first = parse_all(parser);
    const struct expression *last = NULL;
    const bool is_slice = words_take(&parser->words, "..");
    if (is_slice)
        last = parse_all(parser);
    words_want(&parser->words, "]");
    return make_of(parser, is_slice ? EXPRESSION_SLICE : EXPRESSION_INDEX, OPERATOR_NONE, column,
                   of, first, last);
}

static const struct expression *parse_postfix(struct parser *parser)
{
    struct words *words = &parser->words;
    const struct expression *made = parse_primary(parser);
    while (!words_failed(words)) {
        const uint32_t column = words->word.column;
        if (words_take(words, "."))
            made = parse_member(parser, made, column, false);
        else if (words_take(words, "->"))
            made = parse_member(parser, made, column, true);
        else if (words_take(words, "["))
            made = parse_index(parser, made, column);
        else
            break;
    }
    return made;
}

static const struct expression *parse_unary(struct parser *parser)
{
    struct words *words = &parser->words;
    const uint32_t column = words->word.column;
    const struct expression *made = NULL;
    if (!enter(parser))
        return NULL;
    enum expression_operator op = OPERATOR_PLUS;
    while (op <= OPERATOR_ADDRESS && !words_take(words, operators[op].sign))
        op++;
    if (op <= OPERATOR_ADDRESS)
        made = make_of(parser, EXPRESSION_UNARY, op, column, parse_unary(parser), NULL, NULL);
    else
        made = parse_postfix(parser);
    leave(parser);
    return made;
}

/* The binary operator here, if it binds at least so much; or OPERATOR_NONE. */
static enum expression_operator binary_here(const struct parser *parser, uint8_t binds)
{
    for (enum expression_operator op = OPERATOR_MULTIPLY; op <= OPERATOR_COMMA; op++) {
        if (operators[op].binds >= binds && words_is(&parser->words, operators[op].sign))
            return op;
    }
    return OPERATOR_NONE;
}

static const struct expression *
parse_conditional(struct parser *parser, const struct expression *condition, uint32_t column)
{
    const struct expression *then = parse_all(parser);
    words_want(&parser->words, ":");
    return make_of(parser, EXPRESSION_CONDITIONAL, OPERATOR_NONE, column, condition, then,
                   parse_one(parser));
}

/* All operators that bind at least so much. */
static const struct expression *parse_binary(struct parser *parser, uint8_t binds)
{
    if (!enter(parser))
        return NULL;
    const struct expression *made = parse_unary(parser);
    while (!words_failed(&parser->words)) {
        const uint32_t column = parser->words.word.column;
        const enum expression_operator op = binary_here(parser, binds);
        if (op != OPERATOR_NONE) {
            words_next(&parser->words);
            const struct expression *right = parse_binary(parser, operators[op].binds + 1);
            made = make_of(parser, EXPRESSION_BINARY, op, column, made, right, NULL);
        } else if (binds <= BINDS_CONDITIONAL && words_take(&parser->words, "?")) {
            made = parse_conditional(parser, made, column);
        } else {
            break;
        }
    }
    leave(parser);
    return made;
}

/* The operator of an assignment here; false: there is none. */
static bool assignment_here(struct parser *parser, enum expression_operator *op)
{
    *op = OPERATOR_NONE;
    if (words_take(&parser->words, "="))
        return true;
    for (*op = OPERATOR_MULTIPLY; *op <= OPERATOR_OR; ++*op) {
        const char *sign = operators[*op].sign;
        const struct word *word = &parser->words.word;
        const size_t length = strlen(sign);
        if (word->kind == WORD_SIGN && word->length == length + 1 &&
            memcmp(word->text, sign, length) == 0 && word->text[length] == '=' &&
            operators[*op].binds != operators[OPERATOR_LESS].binds) {
            words_next(&parser->words);
            return true;
        }
    }
    return false;
}

static bool may_be_assigned(const struct expression *to)
{
    return to->kind == EXPRESSION_NAME || to->kind == EXPRESSION_MEMBER ||
           to->kind == EXPRESSION_INDEX || to->kind == EXPRESSION_REGISTER ||
           (to->kind == EXPRESSION_UNARY && to->op == OPERATOR_DEREFERENCE);
}

static const struct expression *parse_top(struct parser *parser, bool may_assign)
{
    struct words *words = &parser->words;
    const struct expression *made = parse_all(parser);
    const uint32_t column = words->word.column;
    enum expression_operator op;
    if (words_failed(words) || !assignment_here(parser, &op))
        return made;
    if (!may_assign)
        words_fail(words, column, "nothing can be assigned here");
    else if (!may_be_assigned(made))
        words_fail(words, column, "what stands before it is no place that can be assigned to");
    const struct expression *value = parse_one(parser);
    return make_of(parser, EXPRESSION_ASSIGNMENT, op, column, made, value, NULL);
}

enum status expression_parse(const char *text, bool may_assign, expression_names_type *names_type,
                             void *user, struct arena *arena, const struct expression **expression,
                             struct error *error)
{
    struct parser parser = {
        .words = {.arena = arena, .names_type = names_type, .user = user, .error = error}};
    words_begin(&parser.words, text);
    const struct expression *made = parse_top(&parser, may_assign);
    const struct word *word = &parser.words.word;
    if (word->kind != WORD_END)
        words_fail(&parser.words, word->column, "'%.*s' follows where it should end",
                   (int)word->length, word->text);
    if (words_failed(&parser.words))
        return parser.words.status;
    ASSERT(made);
    *expression = made;
    return STATUS_OK;
}

/* ---- to text ---- */

static void print_type(const struct expression_type *type, struct text *text)
{
    if (type->address_space)
        text_format(text, "%s ", type->address_space);
    text_append(text, type->name);
    for (uint32_t i = 0; i < type->pointer_count; i++)
        text_append(text, i ? "*" : " *");
}

static void print_character(char character, struct text *text)
{
    static const struct {
        char character;
        const char *escaped;
    } escapes[] = {{'\n', "\\n"}, {'\t', "\\t"}, {'\r', "\\r"},
                   {'\0', "\\0"}, {'\'', "\\'"}, {'\\', "\\\\"}};
    text_append_char(text, '\'');
    size_t i = 0;
    while (i < sizeof escapes / sizeof *escapes && escapes[i].character != character)
        i++;
    if (i < sizeof escapes / sizeof *escapes)
        text_append(text, escapes[i].escaped);
    else
        text_append_char(text, character);
    text_append_char(text, '\'');
}

static void print_integer(const struct expression *of, struct text *text)
{
    if (of->width == 1) {
        print_character((char)of->bits, text);
        return;
    }
    text_format(text, "%llu%s%s", (unsigned long long)of->bits, of->is_unsigned ? "u" : "",
                of->width == 8 ? "L" : "");
}

/* Hexadecimal, so that it is the same number again. */
static void print_floating(const struct expression *of, struct text *text)
{
    const char *suffix = of->width == 4 ? "f" : of->width == 2 ? "h" : "";
    int exponent;
    const double fraction = frexp(of->value, &exponent);
    text_format(text, "0x%llxp%d%s", (unsigned long long)ldexp(fraction, 53),
                of->value == 0 ? 0 : exponent - 53, suffix);
}

static void print_list(const struct expression *of, struct text *text)
{
    text_append_char(text, '(');
    for (uint32_t i = 0; i < of->count; i++) {
        text_append(text, i ? ", " : "");
        expression_print(of->list[i], text);
    }
    text_append_char(text, ')');
}

static void print_in_parentheses(const struct expression *of, struct text *text)
{
    const bool is_plain = of->kind <= EXPRESSION_SLICE || of->kind == EXPRESSION_CALL ||
                          of->kind == EXPRESSION_SIZEOF;
    text_append(text, is_plain ? "" : "(");
    expression_print(of, text);
    text_append(text, is_plain ? "" : ")");
}

void expression_print(const struct expression *of, struct text *text)
{
    const struct expression *const *operands = of->operands;
    switch (of->kind) {
    case EXPRESSION_INTEGER:
        print_integer(of, text);
        break;
    case EXPRESSION_FLOATING:
        print_floating(of, text);
        break;
    case EXPRESSION_REGISTER:
    case EXPRESSION_NAME:
    case EXPRESSION_CALL:
        text_format(text, "%s%s", of->kind == EXPRESSION_REGISTER ? "$" : "", of->name);
        if (of->kind == EXPRESSION_CALL)
            print_list(of, text);
        break;
    case EXPRESSION_MEMBER:
        print_in_parentheses(operands[0], text);
        text_format(text, "%s%s", of->is_arrow ? "->" : ".", of->name);
        break;
    case EXPRESSION_INDEX:
    case EXPRESSION_SLICE:
        print_in_parentheses(operands[0], text);
        text_append_char(text, '[');
        expression_print(operands[1], text);
        text_append(text, of->kind == EXPRESSION_SLICE ? ".." : "");
        if (of->kind == EXPRESSION_SLICE)
            expression_print(operands[2], text);
        text_append_char(text, ']');
        break;
    case EXPRESSION_UNARY:
        text_append(text, operators[of->op].sign);
        print_in_parentheses(operands[0], text);
        break;
    case EXPRESSION_BINARY:
        print_in_parentheses(operands[0], text);
        text_format(text, "%s%s ", of->op == OPERATOR_COMMA ? "" : " ", operators[of->op].sign);
        print_in_parentheses(operands[1], text);
        break;
    case EXPRESSION_CONDITIONAL:
        print_in_parentheses(operands[0], text);
        text_append(text, " ? ");
        print_in_parentheses(operands[1], text);
        text_append(text, " : ");
        print_in_parentheses(operands[2], text);
        break;
    case EXPRESSION_CAST:
    case EXPRESSION_VECTOR:
        text_append_char(text, '(');
        print_type(&of->type, text);
        text_append_char(text, ')');
        if (of->kind == EXPRESSION_VECTOR)
            print_list(of, text);
        else
            print_in_parentheses(operands[0], text);
        break;
    case EXPRESSION_SIZEOF:
        text_append(text, "sizeof(");
        if (operands[0])
            expression_print(operands[0], text);
        else
            print_type(&of->type, text);
        text_append_char(text, ')');
        break;
    case EXPRESSION_ASSIGNMENT:
        expression_print(operands[0], text);
        text_format(text, " %s= ", operators[of->op].sign);
        expression_print(operands[1], text);
        break;
    }
}
