/* What all files of the parser take: names, numbers, types, threads. */
#include "checkers/litmus/parser.h"

#include "trace/base/assert.h"

/* ---- names, values, types ---- */

void parser_no_memory(struct parser *parser)
{
    if (parser->lexer.status == STATUS_OK) {
        parser->lexer.status =
            error_set(parser->lexer.error, STATUS_NO_MEMORY, "out of memory for a litmus test");
        parser->lexer.token.kind = TOKEN_END;
    }
}

const char *parser_name(struct parser *parser, const struct token *token)
{
    const char *name = arena_string_n(&parser->test->arena, token->start, token->length);
    if (name == NULL) {
        parser_no_memory(parser);
        return "";
    }
    return name;
}

struct token parser_take_name(struct parser *parser, const char *wanted)
{
    const struct token token = parser->lexer.token;
    if (token.kind != TOKEN_NAME) {
        lexer_want(&parser->lexer, wanted);
    } else {
        lexer_next(&parser->lexer);
    }
    return token;
}

uint32_t parser_take_number(struct parser *parser, const char *wanted)
{
    const struct token token = parser->lexer.token;
    if (token.kind != TOKEN_NUMBER || token.number < 0 || token.number > 1000000) {
        lexer_want(&parser->lexer, wanted);
        return 0;
    }
    lexer_next(&parser->lexer);
    return (uint32_t)token.number;
}

int64_t parser_take_value(struct parser *parser)
{
    const bool negative = lexer_accept(&parser->lexer, "-");
    const struct token token = parser->lexer.token;
    if (token.kind != TOKEN_NUMBER) {
        lexer_want(&parser->lexer, "a number");
        return 0;
    }
    lexer_next(&parser->lexer);
    return negative ? (int64_t)(0 - (uint64_t)token.number) : token.number;
}

/* Some words make up a type; those without a size are qualifiers and address spaces. */
static const struct type_word {
    const char *word;
    struct litmus_type type;
    bool is_local;
} type_words[] = {
    {"char", {1, true}, false},
    {"uchar", {1, false}, false},
    {"short", {2, true}, false},
    {"ushort", {2, false}, false},
    {"int", {4, true}, false},
    {"uint", {4, false}, false},
    {"bool", {4, true}, false},
    {"long", {8, true}, false},
    {"ulong", {8, false}, false},
    {"size_t", {8, false}, false},
    {"intptr_t", {8, true}, false},
    {"uintptr_t", {8, false}, false},
    {"ptrdiff_t", {8, true}, false},
    {"atomic_int", {4, true}, false},
    {"atomic_uint", {4, false}, false},
    {"atomic_long", {8, true}, false},
    {"atomic_ulong", {8, false}, false},
    {"atomic_size_t", {8, false}, false},
    {"atomic_intptr_t", {8, true}, false},
    {"atomic_uintptr_t", {8, false}, false},
    {"atomic_ptrdiff_t", {8, true}, false},
    {"atomic_flag", {4, true}, false},
    {"unsigned", {4, false}, false},
    {"signed", {4, true}, false},
    {"global", {0, false}, false},
    {"__global", {0, false}, false},
    {"local", {0, false}, true},
    {"__local", {0, false}, true},
    {"private", {0, false}, false},
    {"__private", {0, false}, false},
    {"_Atomic", {0, false}, false},
    {"volatile", {0, false}, false},
    {"const", {0, false}, false},
    {"restrict", {0, false}, false},
};

static const struct type_word *find_type_word(const struct token *token)
{
    for (size_t i = 0; i < sizeof type_words / sizeof *type_words; i++) {
        if (token_is(token, type_words[i].word)) {
            return &type_words[i];
        }
    }
    return NULL;
}

bool parser_take_type(struct parser *parser, struct litmus_type *type, enum oracle_region *region)
{
    bool some = false;
    bool is_unsigned = false;
    *type = type_int;
    *region = ORACLE_GLOBAL;
    for (const struct type_word *word = find_type_word(&parser->lexer.token); word != NULL;
         word = find_type_word(&parser->lexer.token)) {
        is_unsigned = is_unsigned || lexer_is(&parser->lexer, "unsigned");
        some = true;
        if (word->type.size > 0) {
            *type = word->type;
        }
        if (word->is_local) {
            *region = ORACLE_LOCAL;
        }
        lexer_next(&parser->lexer);
    }
    type->is_signed = type->is_signed && !is_unsigned;
    return some;
}

/* ---- threads and their registers ---- */

/* "P" and its number, one token. */
static bool is_thread_name(const struct token *token)
{
    if (token->kind != TOKEN_NAME || token->length < 2 || token->length > 5 ||
        token->start[0] != 'P') {
        return false;
    }
    for (size_t i = 1; i < token->length; i++) {
        if (token->start[i] < '0' || token->start[i] > '9') {
            return false;
        }
    }
    return true;
}

static uint32_t thread_number(const struct token *token)
{
    uint32_t number = 0;
    for (size_t i = 1; i < token->length; i++) {
        number = number * 10 + (uint32_t)(token->start[i] - '0');
    }
    return number;
}

bool parser_at_thread_name(const struct parser *parser)
{
    return is_thread_name(&parser->lexer.token);
}

bool parser_at_thread(const struct parser *parser)
{
    return parser->lexer.token.kind == TOKEN_NUMBER || parser_at_thread_name(parser);
}

uint32_t parser_take_thread(struct parser *parser)
{
    const struct token token = parser->lexer.token;
    uint32_t number;
    if (is_thread_name(&token)) {
        number = thread_number(&token);
        lexer_next(&parser->lexer);
    } else {
        number = parser_take_number(parser, "the number of a thread");
    }
    lexer_expect(&parser->lexer, ":");
    return number;
}

bool parser_take_thread_name(struct parser *parser, uint32_t *number)
{
    if (!parser_at_thread_name(parser)) {
        lexer_want(&parser->lexer, "a thread 'P0'");
        return false;
    }
    *number = thread_number(&parser->lexer.token);
    lexer_next(&parser->lexer);
    return true;
}

struct litmus_thread *parser_find_thread(struct litmus_test *test, uint32_t number)
{
    for (size_t i = 0; i < test->thread_count; i++) {
        if (test->threads[i].number == number) {
            return &test->threads[i];
        }
    }
    return NULL;
}

struct litmus_variable *find_variable(struct parser *parser, const struct token *name)
{
    struct litmus_thread *thread = parser->thread;
    for (size_t i = 0; i < thread->variable_count; i++) {
        if (token_is(name, thread->variables[i].name)) {
            return &thread->variables[i];
        }
    }
    return NULL;
}

/* ---- nesting ---- */

bool parser_enter(struct parser *parser)
{
    if (parser->depth == PARSER_DEPTH_MAX) {
        lexer_fail(&parser->lexer, parser->lexer.token.line, "nested more than %d times",
                   PARSER_DEPTH_MAX);
        return false;
    }
    parser->depth++;
    return true;
}

void parser_leave(struct parser *parser)
{
    ASSERT(parser->depth > 0);
    parser->depth--;
}
