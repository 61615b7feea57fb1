/* What a litmus test asks: the values to be shown, the filter, the condition. */
#include "checkers/litmus/parser.h"

/* ---- terms ---- */

static struct litmus_term number_term(int64_t number)
{
    return (struct litmus_term){.kind = LITMUS_NUMBER, .number = number};
}

/* "1:r0" or "P1:r0" */
static struct litmus_term parse_variable_term(struct parser *parser)
{
    const uint32_t line = parser->lexer.token.line;
    const uint32_t number = parser_take_thread(parser);
    const struct token name = parser_take_name(parser, "the name of a register");
    struct litmus_thread *thread = parser_find_thread(parser->test, number);
    if (parser->lexer.status != STATUS_OK) {
        return number_term(0);
    }
    if (thread == NULL) {
        lexer_fail(&parser->lexer, line, "there is no thread P%u", number);
        return number_term(0);
    }
    parser->thread = thread;
    const struct litmus_variable *variable = find_variable(parser, &name);
    if (variable == NULL) {
        lexer_fail(&parser->lexer, line, "P%u has no register '%.*s'", number, (int)name.length,
                   name.start);
        return number_term(0);
    }
    return (struct litmus_term){.kind = LITMUS_VARIABLE,
                                .thread = (uint32_t)(thread - parser->test->threads),
                                .index = (uint32_t)(variable - thread->variables)};
}

/* "x", "[x]", "*x", "a[1]"; of an array without "[1]" it is the first element. */
static struct litmus_term parse_location_term(struct parser *parser, const struct shared **shared,
                                              bool *has_index)
{
    const bool bracket = lexer_accept(&parser->lexer, "[");
    if (!bracket) {
        lexer_accept(&parser->lexer, "*");
    }
    const struct token name = parser_take_name(parser, "a location, a register or '('");
    uint32_t element = 0;
    size_t found = 0;
    *has_index = lexer_accept(&parser->lexer, "[");
    if (*has_index) {
        element = parser_take_number(parser, "the number of an element");
        lexer_expect(&parser->lexer, "]");
    }
    if (bracket) {
        lexer_expect(&parser->lexer, "]");
    }
    for (size_t i = 0; i < parser->shared_count; i++) {
        if (token_is(&name, parser->shared[i].name)) {
            *shared = &parser->shared[i];
            found++;
        }
    }
    if (parser->lexer.status != STATUS_OK) {
        return number_term(0);
    }
    if (found != 1) {
        lexer_fail(&parser->lexer, name.line,
                   found == 0 ? "there is no location '%.*s'"
                              : "'%.*s' is local memory of several work-groups",
                   (int)name.length, name.start);
        return number_term(0);
    }
    if (element >= (*shared)->count) {
        lexer_fail(&parser->lexer, name.line, "'%s' has %u element%s, and no [%u]", (*shared)->name,
                   (*shared)->count, (*shared)->count == 1 ? "" : "s", element);
    }
    return (struct litmus_term){.kind = LITMUS_LOCATION, .index = (*shared)->first + element};
}

/* A number before a colon is a thread's, so one token more has to be looked at. */
static bool at_variable(const struct parser *parser)
{
    struct lexer ahead = parser->lexer;
    if (!parser_at_thread(parser)) {
        return false;
    }
    lexer_next(&ahead);
    return lexer_is(&ahead, ":");
}

/* *whole: the array that is named as a whole, or NULL. */
static struct litmus_term parse_term(struct parser *parser, const struct shared **whole)
{
    const struct shared *shared = NULL;
    bool has_index = true;
    struct litmus_term term;
    if (at_variable(parser)) {
        term = parse_variable_term(parser);
    } else if (parser->lexer.token.kind == TOKEN_NUMBER || lexer_is(&parser->lexer, "-")) {
        term = number_term(parser_take_value(parser));
    } else {
        term = parse_location_term(parser, &shared, &has_index);
    }
    *whole = shared != NULL && shared->is_array && !has_index ? shared : NULL;
    return term;
}

/* ---- comparisons ---- */

static void add_atom(struct parser *parser, struct litmus_condition *condition,
                     struct litmus_atom atom)
{
    if (condition->count == LITMUS_ATOMS_MAX) {
        lexer_fail(&parser->lexer, parser->lexer.token.line, "the condition has more than %d parts",
                   LITMUS_ATOMS_MAX);
        return;
    }
    condition->atoms[condition->count++] = atom;
}

static struct litmus_type term_type(const struct litmus_test *test, const struct litmus_term *term)
{
    switch (term->kind) {
    case LITMUS_VARIABLE:
        return test->threads[term->thread].variables[term->index].type;
    case LITMUS_LOCATION:
        return test->locations[term->index].type;
    default:
        return (struct litmus_type){8, true};
    }
}

/* A number is one of the type of what it is compared with: "r=-1" is said of unsigned r, too. */
static void add_comparison(struct parser *parser, struct litmus_condition *condition,
                           enum litmus_operation operation, struct litmus_term left,
                           struct litmus_term right)
{
    struct litmus_type type = {8, true};
    if (parser->lexer.status != STATUS_OK) {
        return;
    }
    if (left.kind == LITMUS_NUMBER || right.kind == LITMUS_NUMBER) {
        type = term_type(parser->test, left.kind == LITMUS_NUMBER ? &right : &left);
    }
    add_atom(parser, condition,
             (struct litmus_atom){.kind = LITMUS_COMPARES,
                                  .operation = operation,
                                  .type = type,
                                  .left = left,
                                  .right = right});
}

static enum litmus_operation take_comparison(struct parser *parser)
{
    static const struct {
        const char *sign;
        enum litmus_operation operation;
    } signs[] = {
        {"=", LITMUS_EQ},  {"==", LITMUS_EQ}, {"!=", LITMUS_NE}, {"<>", LITMUS_NE},
        {"<=", LITMUS_LE}, {">=", LITMUS_GE}, {"<", LITMUS_LT},  {">", LITMUS_GT},
    };
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        if (lexer_accept(&parser->lexer, signs[i].sign)) {
            return signs[i].operation;
        }
    }
    lexer_want(&parser->lexer, "'=' or another comparison");
    return LITMUS_EQ;
}

/* "{1, 2}" after "a=": each element is compared. */
static void parse_elements(struct parser *parser, struct litmus_condition *condition,
                           const struct shared *array)
{
    const uint32_t line = parser->lexer.last_line;
    uint32_t given = 0;
    do {
        const int64_t value = parser_take_value(parser);
        if (given == array->count) {
            lexer_fail(&parser->lexer, line, "'%s' has %u elements, and more values are given",
                       array->name, array->count);
            return;
        }
        const struct litmus_term element = {.kind = LITMUS_LOCATION, .index = array->first + given};
        add_comparison(parser, condition, LITMUS_EQ, element, number_term(value));
        if (given++ > 0) {
            add_atom(parser, condition, (struct litmus_atom){.kind = LITMUS_BOTH});
        }
    } while (lexer_accept(&parser->lexer, ","));
    lexer_expect(&parser->lexer, "}");
    if (given < array->count) {
        lexer_fail(&parser->lexer, line, "'%s' has %u elements, and %u value%s given", array->name,
                   array->count, given, given == 1 ? " is" : "s are");
    }
}

/* "1:r0=2", "x!=1:r0", "a={1, 2}" */
static void parse_comparison(struct parser *parser, struct litmus_condition *condition)
{
    const struct shared *left_array = NULL;
    const struct shared *right_array = NULL;
    const uint32_t line = parser->lexer.token.line;
    const struct litmus_term left = parse_term(parser, &left_array);
    const enum litmus_operation operation = take_comparison(parser);
    if (left_array != NULL && operation <= LITMUS_NE && lexer_accept(&parser->lexer, "{")) {
        parse_elements(parser, condition, left_array);
        if (operation == LITMUS_NE) {
            add_atom(parser, condition, (struct litmus_atom){.kind = LITMUS_NOT});
        }
        return;
    }
    const struct litmus_term right = parse_term(parser, &right_array);
    const struct shared *array = left_array != NULL ? left_array : right_array;
    if (array != NULL) {
        lexer_fail(&parser->lexer, line,
                   "'%s' is an array: one of its elements is wanted, as '%s[0]', or '%s={...}'",
                   array->name, array->name, array->name);
    }
    add_comparison(parser, condition, operation, left, right);
}

/* ---- what joins them ---- */

static void parse_either(struct parser *parser, struct litmus_condition *condition);

static void parse_negation(struct parser *parser, struct litmus_condition *condition)
{
    if (!parser_enter(parser)) {
        return;
    }
    if (lexer_accept(&parser->lexer, "~") || lexer_accept(&parser->lexer, "not")) {
        parse_negation(parser, condition);
        add_atom(parser, condition, (struct litmus_atom){.kind = LITMUS_NOT});
    } else if (lexer_accept(&parser->lexer, "(")) {
        parse_either(parser, condition);
        lexer_expect(&parser->lexer, ")");
    } else if (lexer_accept(&parser->lexer, "true")) {
        add_atom(parser, condition, (struct litmus_atom){.kind = LITMUS_TRUE});
    } else if (lexer_accept(&parser->lexer, "false")) {
        add_atom(parser, condition, (struct litmus_atom){.kind = LITMUS_TRUE});
        add_atom(parser, condition, (struct litmus_atom){.kind = LITMUS_NOT});
    } else {
        parse_comparison(parser, condition);
    }
    parser_leave(parser);
}

/* "a => b" is "~a \/ b"; as in herd7 it binds tighter than "/\". */
static void parse_implication(struct parser *parser, struct litmus_condition *condition)
{
    if (!parser_enter(parser)) {
        return;
    }
    parse_negation(parser, condition);
    if (lexer_accept(&parser->lexer, "=>")) {
        add_atom(parser, condition, (struct litmus_atom){.kind = LITMUS_NOT});
        parse_implication(parser, condition);
        add_atom(parser, condition, (struct litmus_atom){.kind = LITMUS_EITHER});
    }
    parser_leave(parser);
}

static void parse_both(struct parser *parser, struct litmus_condition *condition)
{
    parse_implication(parser, condition);
    while (lexer_accept(&parser->lexer, "/\\")) {
        parse_implication(parser, condition);
        add_atom(parser, condition, (struct litmus_atom){.kind = LITMUS_BOTH});
    }
}

static void parse_either(struct parser *parser, struct litmus_condition *condition)
{
    parse_both(parser, condition);
    while (lexer_accept(&parser->lexer, "\\/")) {
        parse_both(parser, condition);
        add_atom(parser, condition, (struct litmus_atom){.kind = LITMUS_EITHER});
    }
}

/* ---- the clauses ---- */

static void show(struct parser *parser, struct litmus_term term)
{
    struct litmus_test *test = parser->test;
    if (test->shown_count == LITMUS_SHOWN_MAX) {
        lexer_fail(&parser->lexer, parser->lexer.last_line, "more than %d values are to be shown",
                   LITMUS_SHOWN_MAX);
    }
    if (parser->lexer.status == STATUS_OK) {
        test->shown[test->shown_count++] = term;
    }
}

/* "locations [x; a; 1:r0;]": an array stands for its elements. */
static void parse_shown(struct parser *parser)
{
    lexer_expect(&parser->lexer, "[");
    while (!lexer_is(&parser->lexer, "]") && parser->lexer.status == STATUS_OK) {
        const struct shared *array = NULL;
        struct litmus_term term = parse_term(parser, &array);
        if (term.kind == LITMUS_NUMBER) {
            lexer_want(&parser->lexer, "a location or register, not a number,");
        }
        for (uint32_t i = 0; i < (array != NULL ? array->count : 1); i++) {
            show(parser, term);
            term.index++;
        }
        if (!lexer_accept(&parser->lexer, ";") && !lexer_accept(&parser->lexer, ",")) {
            break;
        }
    }
    lexer_expect(&parser->lexer, "]");
}

/* A test may ask nothing. */
static void parse_question(struct parser *parser)
{
    struct litmus_test *test = parser->test;
    test->quantifier = LITMUS_FORALL;
    if (parser->lexer.token.kind == TOKEN_END) {
        return;
    }
    if (!lexer_accept(&parser->lexer, "forall")) {
        const bool negated =
            lexer_accept(&parser->lexer, "~") || lexer_accept(&parser->lexer, "not");
        test->quantifier = negated ? LITMUS_NOT_EXISTS : LITMUS_EXISTS;
        if (!lexer_accept(&parser->lexer, "exists") &&
            (negated || !lexer_accept(&parser->lexer, "final"))) {
            lexer_want(&parser->lexer, "'exists', '~exists' or 'forall'");
        }
    }
    parse_either(parser, &test->condition);
    lexer_accept(&parser->lexer, ";");
}

void parse_condition(struct parser *parser)
{
    if (lexer_accept(&parser->lexer, "locations")) {
        parse_shown(parser);
    }
    if (lexer_accept(&parser->lexer, "filter")) {
        parse_either(parser, &parser->test->filter);
        lexer_accept(&parser->lexer, ";");
    }
    parse_question(parser);
    if (parser->lexer.status == STATUS_OK && parser->lexer.token.kind != TOKEN_END) {
        lexer_want(&parser->lexer, "the end of the file");
    }
}
