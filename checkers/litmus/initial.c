/* The initial state of a litmus test. */
#include "checkers/litmus/parser.h"

#include <string.h>

/* ---- values ---- */

/* "1"; or, as C writes it, ATOMIC_VAR_INIT(1). */
static int64_t take_initial_value(struct parser *parser)
{
    if (lexer_accept(&parser->lexer, "ATOMIC_FLAG_INIT")) {
        return 0;
    }
    const bool wrapped = lexer_accept(&parser->lexer, "ATOMIC_VAR_INIT") ||
                         lexer_accept(&parser->lexer, "ATOMIC_INIT") ||
                         lexer_accept(&parser->lexer, "atomic_init");
    if (wrapped) {
        lexer_expect(&parser->lexer, "(");
    }
    if (lexer_is(&parser->lexer, "&") || parser->lexer.token.kind == TOKEN_NAME) {
        lexer_want(&parser->lexer, "a number (a location or register cannot hold a pointer)");
    }
    const int64_t value = parser_take_value(parser);
    if (wrapped) {
        lexer_expect(&parser->lexer, ")");
    }
    return value;
}

/* "[2]"; "[]", where the values say how many there are. */
static void take_element_count(struct parser *parser, struct initial *initial)
{
    initial->is_array = true;
    initial->count = 0;
    if (lexer_accept(&parser->lexer, "]")) {
        return;
    }
    const struct token token = parser->lexer.token;
    initial->count = parser_take_number(parser, "the number of elements");
    if (parser->lexer.status == STATUS_OK &&
        (initial->count == 0 || initial->count > LITMUS_LOCATIONS_MAX)) {
        lexer_fail(&parser->lexer, token.line, "an array has 1 to %d elements, not %u",
                   LITMUS_LOCATIONS_MAX, initial->count);
    }
    lexer_expect(&parser->lexer, "]");
}

/* "{1, 2}"; elements without a value are 0, as in C. */
static void take_values(struct parser *parser, struct initial *initial, const struct token *name)
{
    int64_t values[LITMUS_LOCATIONS_MAX] = {0};
    uint32_t given = 0;
    initial->is_array = true;
    lexer_expect(&parser->lexer, "{");
    while (!lexer_is(&parser->lexer, "}") && parser->lexer.status == STATUS_OK) {
        const int64_t value = take_initial_value(parser);
        const uint32_t most = initial->count > 0 ? initial->count : LITMUS_LOCATIONS_MAX;
        if (given == most) {
            lexer_fail(&parser->lexer, initial->line,
                       "'%.*s' has %u elements, and more values are given", (int)name->length,
                       name->start, most);
            return;
        }
        values[given++] = value;
        if (!lexer_accept(&parser->lexer, ",")) {
            break;
        }
    }
    lexer_expect(&parser->lexer, "}");
    initial->count = initial->count > 0 ? initial->count : given;
    initial->values = arena_copy(&parser->test->arena, values, initial->count * sizeof *values);
    if (initial->values == NULL && initial->count > 0) {
        parser_no_memory(parser);
    }
}

/* What follows the name and its "[N]". */
static void take_contents(struct parser *parser, struct initial *initial, const struct token *name)
{
    const bool given = lexer_accept(&parser->lexer, "=");
    if (!given && !lexer_is(&parser->lexer, ";") && !lexer_is(&parser->lexer, ",") &&
        !lexer_is(&parser->lexer, "}")) {
        lexer_want(&parser->lexer, "'='");
    } else if (given && (initial->is_array || lexer_is(&parser->lexer, "{"))) {
        take_values(parser, initial, name);
    } else {
        const int64_t value = given ? take_initial_value(parser) : 0;
        int64_t values[LITMUS_LOCATIONS_MAX] = {value};
        initial->count = initial->is_array ? initial->count : 1;
        initial->values = arena_copy(&parser->test->arena, values, initial->count * sizeof *values);
        if (initial->values == NULL && initial->count > 0) {
            parser_no_memory(parser);
        }
    }
    if (parser->lexer.status == STATUS_OK && initial->count == 0) {
        lexer_fail(&parser->lexer, initial->line,
                   "'%.*s' has neither a number of elements nor values", (int)name->length,
                   name->start);
    }
}

/* ---- names ---- */

static void keep_initial(struct parser *parser, struct initial *initial, const struct token *name)
{
    for (size_t i = 0; i < parser->initial_count; i++) {
        const struct initial *other = &parser->initials[i];
        if (token_is(name, other->name) && other->of_thread == initial->of_thread &&
            other->thread == initial->thread) {
            lexer_fail(&parser->lexer, initial->line, "'%s' has two initial values", other->name);
            return;
        }
    }
    if (parser->initial_count == PARSER_INITIALS_MAX) {
        lexer_fail(&parser->lexer, initial->line, "more than %d initial values",
                   PARSER_INITIALS_MAX);
        return;
    }
    initial->name = parser_name(parser, name);
    parser->initials[parser->initial_count++] = *initial;
}

/* "x", "[x]", "*x", "x[2]" or "1:r", and what it holds. */
static void parse_declarator(struct parser *parser, struct litmus_type type)
{
    struct initial initial = {.line = parser->lexer.token.line, .type = type};
    if (parser_at_thread(parser)) {
        initial.of_thread = true;
        initial.thread = parser_take_thread(parser);
    }
    lexer_accept(&parser->lexer, "*");
    const bool bracket = lexer_accept(&parser->lexer, "[");
    const struct token name = parser_take_name(parser, "the name of a location or register");
    if (bracket) {
        lexer_expect(&parser->lexer, "]");
    } else if (!initial.of_thread && lexer_accept(&parser->lexer, "[")) {
        take_element_count(parser, &initial);
    }
    take_contents(parser, &initial, &name);
    if (initial.of_thread && initial.is_array) {
        lexer_fail(&parser->lexer, initial.line, "'%.*s' is a register, and cannot be an array",
                   (int)name.length, name.start);
    }
    if (parser->lexer.status == STATUS_OK) {
        keep_initial(parser, &initial, &name);
    }
}

/* "int x = 1, y", "[x] = 1": several are parted by commas, which may also stand in the place of the
 * semicolon. */
static void parse_declaration(struct parser *parser)
{
    struct litmus_type type = type_int;
    do {
        struct litmus_type own;
        enum oracle_region region;
        type = parser_take_type(parser, &own, &region) ? own : type;
        parse_declarator(parser, type);
    } while (lexer_accept(&parser->lexer, ",") && !lexer_is(&parser->lexer, "}"));
    if (!lexer_is(&parser->lexer, "}")) {
        lexer_expect(&parser->lexer, ";");
    }
}

void parse_initial_state(struct parser *parser)
{
    lexer_expect(&parser->lexer, "{");
    while (parser->lexer.status == STATUS_OK && !lexer_is(&parser->lexer, "}")) {
        if (!lexer_accept(&parser->lexer, ";")) {
            parse_declaration(parser);
        }
    }
    lexer_expect(&parser->lexer, "}");
    lexer_accept(&parser->lexer, ";");
}

const struct initial *parser_initial(struct parser *parser, bool of_thread, const char *name)
{
    for (size_t i = 0; i < parser->initial_count; i++) {
        struct initial *initial = &parser->initials[i];
        if (initial->of_thread == of_thread && strcmp(initial->name, name) == 0 &&
            (!of_thread || initial->thread == parser->thread->number)) {
            initial->used = true;
            return initial;
        }
    }
    return NULL;
}
