/* Private to the parser of litmus tests: parse.c reads what stands around the threads, body.c a
 * thread's statements, expression.c what stands in them, access.c the memory operations. After a
 * failure the lexer gives TOKEN_END for ever, so functions go on and need not look; what they then
 * return has no meaning. */
#ifndef CHECKERS_LITMUS_PARSER_H
#define CHECKERS_LITMUS_PARSER_H

#include "checkers/litmus/lexer.h"
#include "checkers/litmus/litmus.h"

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
    uint8_t scratch; /* registers in use behind the variables, by the statement under way */
    uint32_t depth;
    struct litmus_instruction spare; /* what is emitted after a failure goes there */
};

static const struct litmus_type type_int = {4, true};

/* A copy of a name that lives as long as the test. */
const char *parser_name(struct parser *parser, const struct token *token);
void parser_no_memory(struct parser *parser);
/* Takes a name; fails with what is wanted where there is none. */
struct token parser_take_name(struct parser *parser, const char *wanted);
/* A number with a sign. */
int64_t parser_take_value(struct parser *parser);
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
/* The next instruction's number. */
uint32_t here(const struct parser *parser);
uint8_t scratch_register(struct parser *parser);
struct operand emit_constant(struct parser *parser, int64_t value, struct litmus_type type);
void emit_operation(struct parser *parser, enum litmus_operation operation, struct litmus_type type,
                    uint8_t dst, uint8_t a, uint8_t b);
/* dst = source, converted. */
void emit_move(struct parser *parser, uint8_t dst, struct litmus_type type, struct operand source);

struct litmus_variable *find_variable(struct parser *parser, const struct token *name);
/* The index of that parameter's location, or -1. */
int find_parameter(const struct parser *parser, const struct token *name);
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
