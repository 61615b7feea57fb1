/* Private to the parser of litmus tests: parse.c reads the whole and the heads of threads, words.c
 * what all take,
 * initial.c the initial state, scopes.c a tree of scopes, condition.c what is asked, body.c a
 * thread's statements, expression.c what stands in them, place.c the locations that these name,
 * access.c the memory operations. After a failure the lexer gives TOKEN_END for ever, so functions
 * go on and need not look; what they then return has no meaning. */
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

enum { PARSER_DEPTH_MAX = 60 };

/* A register that holds a value of that type. */
struct operand {
    uint8_t index;
    struct litmus_type type;
};

/* What a name stands for that threads share: a location, or the elements of an array, which are
 * locations one after the other. */
struct shared {
    const char *name;
    uint32_t first, count;
    bool is_array;
};

/* The place that an access goes to: an element of what a parameter points to. */
struct place {
    const struct shared *shared; /* NULL after a failure */
    uint32_t element;            /* unless it is chosen: */
    bool is_chosen;              /* by the value of a register, */
    struct operand index;        /* this one */
};

/* "name = value", "name[2] = {value, value}" or "thread:name = value" of the initial state. */
struct initial {
    const char *name;
    bool of_thread, used, is_array;
    uint32_t thread, line;
    struct litmus_type type;
    const int64_t *values;
    uint32_t count;
};

enum {
    PARSER_INITIALS_MAX = LITMUS_LOCATIONS_MAX,
    PARSER_LABELS_MAX = 64, /* of all threads together: there is a bit for each */
    /* A thread of which no sub-group is said is one by itself, of this number and its own. */
    PARSER_SUB_GROUPS_ALONE = 1000001,
};

/* Where threads run by a tree of scopes, by their numbers. */
struct scope_tree {
    struct {
        uint32_t thread;
        struct oracle_unit unit;
    } threads[LITMUS_THREADS_MAX];
    size_t count;
};

struct parser {
    struct lexer lexer;
    struct litmus_test *test;
    struct initial initials[PARSER_INITIALS_MAX];
    size_t initial_count;
    struct shared shared[LITMUS_LOCATIONS_MAX];
    size_t shared_count;
    const char *labels[PARSER_LABELS_MAX];
    size_t label_count;
    struct scope_tree scopes;
    /* Of the thread under way: */
    struct litmus_thread *thread;
    const struct shared *parameters[LITMUS_LOCATIONS_MAX];
    size_t parameter_count;
    size_t instruction_capacity;
    uint64_t labels_seen;
    uint32_t label;  /* before the statement under way, from 1; 0 = it has none */
    uint8_t scratch; /* registers in use after the variables, by the statement under way */
    uint32_t depth;
    struct litmus_instruction spare; /* what is emitted after a failure goes there */
};

static const struct litmus_type type_int = {4, true};

/* ---- words.c ---- */

/* A copy of a name that lives as long as the test. */
const char *parser_name(struct parser *parser, const struct token *token);
void parser_no_memory(struct parser *parser);
/* Takes a name; fails with what is wanted where there is none. */
struct token parser_take_name(struct parser *parser, const char *wanted);
/* Takes the words of a type, address space and qualifiers; false where none stands. */
bool parser_take_type(struct parser *parser, struct litmus_type *type, enum oracle_region *region);
/* A number below a million. */
uint32_t parser_take_number(struct parser *parser, const char *wanted);
/* A number with a sign. */
int64_t parser_take_value(struct parser *parser);
bool parser_at_thread_name(const struct parser *parser); /* "P1" */
/* "1" or "P1" of a thread, before a colon. */
bool parser_at_thread(const struct parser *parser);
uint32_t parser_take_thread(struct parser *parser);
/* "P1" alone; false after a failure. */
bool parser_take_thread_name(struct parser *parser, uint32_t *number);
/* NULL = there is none of that number. */
struct litmus_thread *parser_find_thread(struct litmus_test *test, uint32_t number);

/* A register of the thread under way; NULL = it has none of that name. */
struct litmus_variable *find_variable(struct parser *parser, const struct token *name);

/* Nesting: false, and a failure, when it is too deep. Each true wants a parser_leave. */
bool parser_enter(struct parser *parser);
void parser_leave(struct parser *parser);

/* ---- initial.c ---- */

/* Reads "{ ... }". */
void parse_initial_state(struct parser *parser);
/* What it says of the name, which counts as used then; NULL = nothing. */
const struct initial *parser_initial(struct parser *parser, bool of_thread, const char *name);

/* ---- scopes.c ---- */

/* A tree of scopes after the threads is wanted before them: reads it ahead, if there is one. */
void parse_scopes_ahead(struct parser *parser);
/* Reads over it. */
void parse_scopes(struct parser *parser);
/* Where the tree has the thread; false if it is not in it, or there is no tree. */
bool parser_find_scope(struct parser *parser, uint32_t thread, struct oracle_unit *unit);

/* ---- condition.c ---- */

/* Reads what is shown, the filter and the condition, to the end of the file. */
void parse_condition(struct parser *parser);

/* ---- body.c ---- */

/* "{ ... }" of a thread. */
void parse_body(struct parser *parser);

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

/* The register of that name; fails, and gives NULL, if there is none. */
const struct litmus_variable *need_variable(struct parser *parser, const struct token *name);
/* The register of a variable of the thread. */
struct operand variable_operand(const struct parser *parser,
                                const struct litmus_variable *variable);

/* ---- expression.c ---- */

struct operand parse_expression(struct parser *parser);
/* One without comparisons and what binds weaker. */
struct operand parse_sum(struct parser *parser);

/* ---- place.c ---- */

/* NULL: the thread has no such parameter. */
const struct shared *find_parameter(const struct parser *parser, const struct token *name);
/* "x", "a + 1", "&a[i]", as the first argument of an atomic function. */
struct place parse_pointer(struct parser *parser);
/* What stands behind a "*". */
struct place parse_pointed(struct parser *parser);
/* "a[i]" or "a", whose name was taken. */
struct place parse_element(struct parser *parser, const struct token *name);

/* ---- access.c ---- */

/* Reads or writes it. */
struct operand emit_plain_read(struct parser *parser, const struct place *place);
void emit_plain_write(struct parser *parser, const struct place *place, struct operand value);
/* A call "name(...)" of a built-in function, whose name was taken. */
struct operand parse_call(struct parser *parser, const struct token *name);

#endif
