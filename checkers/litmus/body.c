/* The statements of a thread. */
#include "checkers/litmus/parser.h"

#include "trace/base/alloc.h"
#include "trace/base/assert.h"

/* ---- instructions ---- */

struct litmus_instruction *emit(struct parser *parser, enum litmus_op op)
{
    struct litmus_thread *thread = parser->thread;
    const struct litmus_instruction made = {.op = op, .line = parser->lexer.last_line};
    if (parser->lexer.status != STATUS_OK) {
        return &parser->spare;
    }
    if (thread->instruction_count == LITMUS_INSTRUCTIONS_MAX) {
        lexer_fail(&parser->lexer, made.line, "P%u is longer than %d instructions", thread->number,
                   LITMUS_INSTRUCTIONS_MAX);
        return &parser->spare;
    }
    struct litmus_instruction *list = alloc_grow(thread->instructions, thread->instruction_count,
                                                 &parser->instruction_capacity, sizeof *list);
    if (list == NULL) {
        parser_no_memory(parser);
        return &parser->spare;
    }
    thread->instructions = list;
    list[thread->instruction_count] = made;
    return &list[thread->instruction_count++];
}

/* The next instruction's number. */
static uint32_t here(const struct parser *parser)
{
    return (uint32_t)parser->thread->instruction_count;
}

void land(struct parser *parser, uint32_t jump)
{
    if (parser->lexer.status == STATUS_OK) {
        ASSERT(jump < here(parser));
        parser->thread->instructions[jump].target = here(parser);
    }
}

uint32_t emit_jump(struct parser *parser, enum litmus_op op, uint8_t condition)
{
    const uint32_t jump = here(parser);
    emit(parser, op)->a = condition;
    return jump;
}

uint8_t scratch_register(struct parser *parser)
{
    if (parser->scratch == LITMUS_REGISTERS_MAX - LITMUS_VARIABLES_MAX) {
        lexer_fail(&parser->lexer, parser->lexer.token.line, "the expression is too long");
        return LITMUS_VARIABLES_MAX;
    }
    return (uint8_t)(LITMUS_VARIABLES_MAX + parser->scratch++);
}

struct operand emit_constant(struct parser *parser, int64_t value, struct litmus_type type)
{
    struct litmus_instruction *instruction = emit(parser, LITMUS_CONSTANT);
    instruction->dst = scratch_register(parser);
    instruction->constant = litmus_convert(value, type);
    return (struct operand){instruction->dst, type};
}

void emit_operation(struct parser *parser, enum litmus_operation operation, struct litmus_type type,
                    uint8_t dst, uint8_t a, uint8_t b)
{
    ASSERT(dst < LITMUS_REGISTERS_MAX && a < LITMUS_REGISTERS_MAX && b < LITMUS_REGISTERS_MAX);
    struct litmus_instruction *instruction = emit(parser, LITMUS_OPERATION);
    instruction->operation = operation;
    instruction->type = type;
    instruction->dst = dst;
    instruction->a = a;
    instruction->b = b;
}

void emit_move(struct parser *parser, uint8_t dst, struct litmus_type type, struct operand source)
{
    emit_operation(parser, LITMUS_SECOND, type, dst, source.index, source.index);
}

/* ---- variables ---- */

const struct litmus_variable *need_variable(struct parser *parser, const struct token *name)
{
    const struct litmus_variable *variable = find_variable(parser, name);
    if (variable == NULL) {
        lexer_fail(&parser->lexer, name->line,
                   find_parameter(parser, name) != NULL
                       ? "'%.*s' is a pointer: '*%.*s' is what it points to"
                       : "'%.*s' is not a register, '%.*s' has no declaration",
                   (int)name->length, name->start, (int)name->length, name->start);
    }
    return variable;
}

struct operand variable_operand(const struct parser *parser, const struct litmus_variable *variable)
{
    ASSERT((size_t)(variable - parser->thread->variables) < parser->thread->variable_count);
    return (struct operand){(uint8_t)(variable - parser->thread->variables), variable->type};
}

/* A variable that is declared twice, in two blocks, is one. */
static struct litmus_variable *declare(struct parser *parser, const struct token *name,
                                       struct litmus_type type)
{
    struct litmus_thread *thread = parser->thread;
    struct litmus_variable *variable = find_variable(parser, name);
    if (find_parameter(parser, name) != NULL) {
        lexer_fail(&parser->lexer, name->line, "'%.*s' is a parameter already", (int)name->length,
                   name->start);
    } else if (variable != NULL &&
               (variable->type.size != type.size || variable->type.is_signed != type.is_signed)) {
        lexer_fail(&parser->lexer, name->line, "'%s' had another type before", variable->name);
    } else if (variable == NULL && thread->variable_count == LITMUS_VARIABLES_MAX) {
        lexer_fail(&parser->lexer, name->line, "P%u has more than %d registers", thread->number,
                   LITMUS_VARIABLES_MAX);
    }
    if (parser->lexer.status != STATUS_OK) {
        return NULL;
    }
    if (variable == NULL) {
        variable = &thread->variables[thread->variable_count++];
        variable->name = parser_name(parser, name);
        variable->type = type;
        const struct initial *initial = parser_initial(parser, true, variable->name);
        variable->initial = initial != NULL ? litmus_convert(initial->values[0], type) : 0;
    }
    return variable;
}

/* ---- statements ---- */

static void parse_statement(struct parser *parser);
static void parse_labelled_statement(struct parser *parser);

static void parse_condition_in_parentheses(struct parser *parser, struct operand *condition)
{
    lexer_expect(&parser->lexer, "(");
    *condition = parse_expression(parser);
    lexer_expect(&parser->lexer, ")");
    parser->scratch = 0;
}

static void parse_if(struct parser *parser)
{
    struct operand condition;
    parse_condition_in_parentheses(parser, &condition);
    const uint32_t over = emit_jump(parser, LITMUS_JUMP_IF_ZERO, condition.index);
    parse_statement(parser);
    if (!lexer_accept(&parser->lexer, "else")) {
        land(parser, over);
        return;
    }
    const uint32_t end = emit_jump(parser, LITMUS_JUMP, 0);
    land(parser, over);
    parse_statement(parser);
    land(parser, end);
}

static uint8_t begin_loop(struct parser *parser)
{
    struct litmus_thread *thread = parser->thread;
    if (thread->loop_count == LITMUS_LOOPS_MAX) {
        lexer_fail(&parser->lexer, parser->lexer.token.line, "P%u has more than %d loops",
                   thread->number, LITMUS_LOOPS_MAX);
        return 0;
    }
    emit(parser, LITMUS_LOOP_BEGIN)->loop = (uint8_t)thread->loop_count;
    return (uint8_t)thread->loop_count++;
}

/* The loop goes on at `start`, and is left by the jump `out`. */
static void end_loop(struct parser *parser, uint8_t loop, uint32_t start, uint32_t out)
{
    struct litmus_instruction *back = emit(parser, LITMUS_LOOP_BACK);
    back->loop = loop;
    back->target = start;
    land(parser, out);
    emit(parser, LITMUS_LOOP_END)->loop = loop;
}

static void parse_while(struct parser *parser)
{
    struct operand condition;
    const uint8_t loop = begin_loop(parser);
    const uint32_t start = here(parser);
    parse_condition_in_parentheses(parser, &condition);
    const uint32_t out = emit_jump(parser, LITMUS_JUMP_IF_ZERO, condition.index);
    parse_statement(parser);
    end_loop(parser, loop, start, out);
}

static void parse_do(struct parser *parser)
{
    struct operand condition;
    const uint8_t loop = begin_loop(parser);
    const uint32_t start = here(parser);
    parse_statement(parser);
    lexer_expect(&parser->lexer, "while");
    parse_condition_in_parentheses(parser, &condition);
    lexer_expect(&parser->lexer, ";");
    const uint32_t out = emit_jump(parser, LITMUS_JUMP_IF_ZERO, condition.index);
    end_loop(parser, loop, start, out);
}

static void parse_declarations(struct parser *parser, struct litmus_type type)
{
    do {
        const struct token name = parser_take_name(parser, "the name of a register");
        if (parser->lexer.status != STATUS_OK) {
            return;
        }
        const struct litmus_variable *variable = declare(parser, &name, type);
        if (variable != NULL && lexer_accept(&parser->lexer, "=")) {
            const struct operand value = parse_expression(parser);
            emit_move(parser, variable_operand(parser, variable).index, type, value);
        }
    } while (lexer_accept(&parser->lexer, ","));
    lexer_expect(&parser->lexer, ";");
}

/* What `a OP= b` does, and `a++`. */
static const struct assignment {
    const char *sign;
    enum litmus_operation operation;
    bool is_step;
} assignments[] = {
    {"=", LITMUS_SECOND, false}, {"+=", LITMUS_ADD, false},  {"-=", LITMUS_SUB, false},
    {"*=", LITMUS_MUL, false},   {"/=", LITMUS_DIV, false},  {"%=", LITMUS_MOD, false},
    {"&=", LITMUS_AND, false},   {"|=", LITMUS_OR, false},   {"^=", LITMUS_XOR, false},
    {"<<=", LITMUS_SHL, false},  {">>=", LITMUS_SHR, false}, {"++", LITMUS_ADD, true},
    {"--", LITMUS_SUB, true},
};

static const struct assignment *take_assignment(struct parser *parser)
{
    for (size_t i = 0; i < sizeof assignments / sizeof *assignments; i++) {
        if (lexer_accept(&parser->lexer, assignments[i].sign)) {
            return &assignments[i];
        }
    }
    lexer_want(&parser->lexer, "an assignment");
    return &assignments[0];
}

static struct operand parse_assigned(struct parser *parser, const struct assignment *assignment)
{
    return assignment->is_step ? emit_constant(parser, 1, type_int) : parse_expression(parser);
}

/* "*x = e", "a[1] = e" */
static void parse_store(struct parser *parser, const struct place *place)
{
    const struct assignment *assignment = take_assignment(parser);
    struct operand value;
    if (assignment->operation == LITMUS_SECOND) {
        value = parse_assigned(parser, assignment);
    } else {
        const struct operand old = emit_plain_read(parser, place);
        const struct operand other = parse_assigned(parser, assignment);
        value = (struct operand){scratch_register(parser), old.type};
        emit_operation(parser, assignment->operation, old.type, value.index, old.index,
                       other.index);
    }
    emit_plain_write(parser, place, value);
}

/* ---- labels ---- */

/* The label's number in the test, from 1; each thread may have it once. */
static uint32_t find_label(struct parser *parser, const struct token *name)
{
    size_t i = 0;
    while (i < parser->label_count && !token_is(name, parser->labels[i])) {
        i++;
    }
    if (i == PARSER_LABELS_MAX) {
        lexer_fail(&parser->lexer, name->line, "more than %d labels", PARSER_LABELS_MAX);
    } else if (i < parser->label_count && (parser->labels_seen >> i & 1) != 0) {
        lexer_fail(&parser->lexer, name->line, "P%u has two labels '%s'", parser->thread->number,
                   parser->labels[i]);
    }
    if (parser->lexer.status != STATUS_OK) {
        return 0;
    }
    if (i == parser->label_count) {
        parser->labels[parser->label_count++] = parser_name(parser, name);
    }
    parser->labels_seen |= UINT64_C(1) << i;
    return (uint32_t)i + 1;
}

/* "B1: statement", after the name. */
static void parse_labelled(struct parser *parser, const struct token *name)
{
    lexer_expect(&parser->lexer, ":");
    parser->label = find_label(parser, name);
    parse_labelled_statement(parser);
}

/* What begins with a name: a call, or an assignment to a register or an element. */
static void parse_named(struct parser *parser, const struct token *name)
{
    if (lexer_is(&parser->lexer, "(")) {
        parse_call(parser, name);
        return;
    }
    if (lexer_is(&parser->lexer, "[")) {
        const struct place place = parse_element(parser, name);
        parse_store(parser, &place);
        return;
    }
    const struct litmus_variable *variable = need_variable(parser, name);
    if (variable == NULL) {
        return;
    }
    const struct operand target = variable_operand(parser, variable);
    const struct assignment *assignment = take_assignment(parser);
    const struct operand value = parse_assigned(parser, assignment);
    emit_operation(parser, assignment->operation, target.type, target.index, target.index,
                   value.index);
}

static void parse_simple(struct parser *parser)
{
    struct litmus_type type;
    enum oracle_region region;
    if (lexer_accept(&parser->lexer, "*")) {
        const struct place place = parse_pointed(parser);
        parse_store(parser, &place);
    } else if (parser_take_type(parser, &type, &region)) {
        parse_declarations(parser, type);
        return;
    } else {
        const struct token name = parser_take_name(parser, "a statement");
        if (lexer_is(&parser->lexer, ":")) {
            parse_labelled(parser, &name);
            return;
        }
        parse_named(parser, &name);
    }
    lexer_expect(&parser->lexer, ";");
}

/* One that has the label parser->label. */
static void parse_labelled_statement(struct parser *parser)
{
    parser->scratch = 0;
    if (!parser_enter(parser)) {
        return;
    }
    if (lexer_accept(&parser->lexer, "{")) {
        while (parser->lexer.token.kind != TOKEN_END && !lexer_is(&parser->lexer, "}")) {
            parse_statement(parser);
        }
        lexer_expect(&parser->lexer, "}");
    } else if (lexer_accept(&parser->lexer, "if")) {
        parse_if(parser);
    } else if (lexer_accept(&parser->lexer, "while")) {
        parse_while(parser);
    } else if (lexer_accept(&parser->lexer, "do")) {
        parse_do(parser);
    } else if (!lexer_accept(&parser->lexer, ";")) {
        parse_simple(parser);
    }
    parser_leave(parser);
}

static void parse_statement(struct parser *parser)
{
    parser->label = 0;
    parse_labelled_statement(parser);
}

void parse_body(struct parser *parser)
{
    lexer_expect(&parser->lexer, "{");
    while (parser->lexer.token.kind != TOKEN_END && !lexer_is(&parser->lexer, "}")) {
        parse_statement(parser);
    }
    parser->lexer.in_thread = false;
    lexer_expect(&parser->lexer, "}");
}
