/* The places that accesses go to: what a parameter points to, an element of an array by a constant
 * or by a value. */
#include "checkers/litmus/parser.h"

static const struct place nowhere = {.shared = NULL};

const struct shared *find_parameter(const struct parser *parser, const struct token *name)
{
    for (size_t i = 0; i < parser->parameter_count; i++) {
        if (token_is(name, parser->parameters[i]->name)) {
            return parser->parameters[i];
        }
    }
    return NULL;
}

static struct place need_parameter(struct parser *parser, const struct token *name)
{
    const struct shared *shared = find_parameter(parser, name);
    if (shared == NULL && find_variable(parser, name) != NULL) {
        lexer_fail(&parser->lexer, name->line, "'%.*s' is a register, and no pointer",
                   (int)name->length, name->start);
    } else if (shared == NULL) {
        lexer_fail(&parser->lexer, name->line, "P%u has no parameter '%.*s'",
                   parser->thread->number, (int)name->length, name->start);
    }
    return (struct place){.shared = shared};
}

/* ---- indices ---- */

/* If nothing but a constant was emitted since, takes that back: it need not be computed. */
static bool take_back_constant(struct parser *parser, size_t since, int64_t *value)
{
    struct litmus_thread *thread = parser->thread;
    if (parser->lexer.status != STATUS_OK || thread->instruction_count != since + 1 ||
        thread->instructions[since].op != LITMUS_CONSTANT) {
        return false;
    }
    *value = thread->instructions[since].constant;
    thread->instruction_count = since;
    return true;
}

/* The index that `parse` reads is one of that place's object. */
static void add_index(struct parser *parser, struct place *place, const struct token *name,
                      struct operand (*parse)(struct parser *))
{
    const size_t since = parser->thread->instruction_count;
    const struct operand index = parse(parser);
    int64_t value;
    if (place->shared == NULL || parser->lexer.status != STATUS_OK) {
        *place = nowhere;
        return;
    }
    const uint32_t count = place->shared->count;
    if (place->is_chosen || place->element > 0) {
        lexer_fail(&parser->lexer, name->line, "'%s' has one index too many", place->shared->name);
    } else if (!take_back_constant(parser, since, &value)) {
        place->is_chosen = true;
        place->index = index;
    } else if (value < 0 || value >= count) {
        lexer_fail(&parser->lexer, name->line, "'%s' has %u element%s, and no [%lld]",
                   place->shared->name, count, count == 1 ? "" : "s", (long long)value);
    } else {
        place->element = (uint32_t)value;
    }
}

struct place parse_element(struct parser *parser, const struct token *name)
{
    struct place place = need_parameter(parser, name);
    if (lexer_accept(&parser->lexer, "[")) {
        add_index(parser, &place, name, parse_expression);
        lexer_expect(&parser->lexer, "]");
    }
    return place;
}

/* ---- pointers ---- */

/* "&a[1]", "&*p", "&r". */
static struct place parse_address(struct parser *parser)
{
    if (lexer_accept(&parser->lexer, "*")) {
        return parse_pointed(parser);
    }
    const struct token name = parser_take_name(parser, "the name of a parameter");
    if (find_variable(parser, &name) != NULL) {
        lexer_fail(&parser->lexer, name.line,
                   "'%.*s' is private: atomic operations on private memory are undefined",
                   (int)name.length, name.start);
        return nowhere;
    }
    if (find_parameter(parser, &name) != NULL && !lexer_is(&parser->lexer, "[")) {
        lexer_fail(&parser->lexer, name.line,
                   "'&%.*s' is the address of a pointer: '%.*s' is the one of what it points to",
                   (int)name.length, name.start, (int)name.length, name.start);
        return nowhere;
    }
    return parse_element(parser, &name);
}

/* A pointer to what has that size, too, is one to the place. */
static void check_cast(struct parser *parser, const struct litmus_type *type, uint32_t line,
                       const struct place *place)
{
    if (place->shared == NULL) {
        return;
    }
    const struct litmus_type own = parser->test->locations[place->shared->first].type;
    if (own.size != type->size) {
        lexer_fail(&parser->lexer, line,
                   "the elements of '%s' have %u bytes, but this pointer is to %u",
                   place->shared->name, own.size, type->size);
    }
}

struct place parse_pointed(struct parser *parser)
{
    struct place place = nowhere;
    struct litmus_type type;
    enum oracle_region region;
    const uint32_t line = parser->lexer.token.line;
    if (!parser_enter(parser)) {
        return nowhere;
    }
    if (lexer_accept(&parser->lexer, "&")) {
        place = parse_address(parser);
    } else if (!lexer_accept(&parser->lexer, "(")) {
        const struct token name = parser_take_name(parser, "the name of a parameter");
        place = need_parameter(parser, &name);
    } else if (parser_take_type(parser, &type, &region)) {
        lexer_expect(&parser->lexer, "*");
        lexer_expect(&parser->lexer, ")");
        place = parse_pointed(parser);
        check_cast(parser, &type, line, &place);
    } else {
        place = parse_pointer(parser);
        lexer_expect(&parser->lexer, ")");
    }
    parser_leave(parser);
    return place;
}

struct place parse_pointer(struct parser *parser)
{
    const struct token first = parser->lexer.token;
    struct place place = parse_pointed(parser);
    if (lexer_accept(&parser->lexer, "+")) {
        add_index(parser, &place, &first, parse_sum);
    }
    return place;
}
