/* Private to the parser of litmus tests: parse.c reads what stands around the threads, body.c a
 * thread's statements, expression.c what stands in them, access.c the memory operations. After a
 * failure the lexer gives TOKEN_END for ever, so functions go on and need not look; what they then
 * return has no meaning. */
#ifndef CHECKERS_LITMUS_PARSER_H
#define CHECKERS_LITMUS_PARSER_H

#include "checkers/litmus/litmus.h"
#include "trace/base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- lexer.c ---- */

/* The words of a litmus test. A token points into the text. */

enum token_kind { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_STRING, TOKEN_SIGN };

struct token {
    enum token_kind kind;
    const char *start;
    size_t length;
    uint32_t line;
    int64_t number;
};

struct lexer {
    const char *at, *end;
    uint32_t line;
    uint32_t last_line; /* of the token before the current one */
    /* In a thread "(*" is a parenthesis before a pointer, elsewhere it begins a comment. */
    bool in_thread;
    struct token token; /* the next one */
    enum status status; /* the first failure; from then on all tokens are TOKEN_END */
    struct error *error;
};

void lexer_start(struct lexer *lexer, const char *text, size_t size, struct error *error);
/* Goes on to the next token. */
void lexer_next(struct lexer *lexer);
/* The rest of the line as it stands, without spaces around it, which becomes the current token; the
 * one that was current is part of it. */
void lexer_take_line(struct lexer *lexer);

/* Is the current token that sign or name? */
bool lexer_is(const struct lexer *lexer, const char *word);
/* The same, and goes on after it. */
bool lexer_accept(struct lexer *lexer, const char *word);
/* The same; another token is a failure. */
void lexer_expect(struct lexer *lexer, const char *word);

bool token_is(const struct token *token, const char *word);

/* Fails, unless it has failed already: "line N: SENTENCE". */
void lexer_fail(struct lexer *lexer, uint32_t line, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Fails at the current token: "line N: WANTED is wanted before 'token'". */
void lexer_want(struct lexer *lexer, const char *wanted);

enum { PARSER_DEPTH_MAX = 60, PARSER_PARAMETERS_MAX = LITMUS_LOCATIONS_MAX };

/* A register that holds a value of that type. */
struct operand {
    uint8_t index;
    struct litmus_type type;
};

struct parameter {
    const char *name;
    uint32_t location;
};

/* "name = value" or "thread:name = value" of the initial state. */
struct initial {
    const char *name;
    bool of_thread, used;
    uint32_t thread, line;
    int64_t value;
};

enum { PARSER_INITIALS_MAX = 64 };

struct parser {
    struct lexer lexer;
    struct litmus_test *test;
    struct initial initials[PARSER_INITIALS_MAX];
    size_t initial_count;
    /* Of the thread under way: */
    struct litmus_thread *thread;
    struct parameter parameters[PARSER_PARAMETERS_MAX];
    size_t parameter_count;
    size_t instruction_capacity;
    uint8_t scratch; /* registers in use after the variables, by the statement under way */
    uint32_t depth;
    struct litmus_instruction spare; /* what is emitted after a failure goes there */
};

static const struct litmus_type type_int = {4, true};

/* A copy of a name that lives as long as the test. */
const char *parser_name(struct parser *parser, const struct token *token);
void parser_no_memory(struct parser *parser);
/* Takes a name; fails with what is wanted where there is none. */
struct token parser_take_name(struct parser *parser, const char *wanted);
/* Takes the words of a type, address space and qualifiers; false where none stands. */
bool parser_take_type(struct parser *parser, struct litmus_type *type, enum oracle_region *region);
/* What the initial state says, or 0. */
int64_t parser_initial(struct parser *parser, bool of_thread, const char *name);

/* "{ ... }" of a thread. */
void parse_body(struct parser *parser);

/* Nesting: false, and a failure, when it is too deep. Each true wants a parser_leave. */
bool parser_enter(struct parser *parser);
void parser_leave(struct parser *parser);

/* The next instruction of the thread, of the line of the last token taken. */
struct litmus_instruction *emit(struct parser *parser, enum litmus_op op);
/* A jump whose target is not known yet, and its number; land lets it go to the next instruction. */
uint32_t emit_jump(struct parser *parser, enum litmus_op op, uint8_t condition);
void land(struct parser *parser, uint32_t jump);
uint8_t scratch_register(struct parser *parser);
struct operand emit_constant(struct parser *parser, int64_t value, struct litmus_type type);
void emit_operation(struct parser *parser, enum litmus_operation operation, struct litmus_type type,
                    uint8_t dst, uint8_t a, uint8_t b);
/* dst = source, converted. */
void emit_move(struct parser *parser, uint8_t dst, struct litmus_type type, struct operand source);

struct litmus_variable *find_variable(struct parser *parser, const struct token *name);
/* The index of that parameter's location, or -1; need_parameter then fails. */
int find_parameter(const struct parser *parser, const struct token *name);
int need_parameter(struct parser *parser, const struct token *name);
/* The register of that name; fails, and gives NULL, if there is none. */
const struct litmus_variable *need_variable(struct parser *parser, const struct token *name);
/* The register of a variable of the thread. */
struct operand variable_operand(const struct parser *parser,
                                const struct litmus_variable *variable);

struct operand parse_expression(struct parser *parser);

/* Reads or writes a parameter's location. */
struct operand emit_plain_read(struct parser *parser, uint32_t location);
void emit_plain_write(struct parser *parser, uint32_t location, struct operand value);
/* A call "name(...)" of a built-in function, whose name was taken. */
struct operand parse_call(struct parser *parser, const struct token *name);

#endif
