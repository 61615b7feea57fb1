#include "checkers/litmus/machine.h"
#include "checkers/litmus/parser.h"

#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <string.h>

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

static uint32_t take_number(struct parser *parser, const char *wanted)
{
    const struct token token = parser->lexer.token;
    if (token.kind != TOKEN_NUMBER || token.number < 0 || token.number > 1000000) {
        lexer_want(&parser->lexer, wanted);
        return 0;
    }
    lexer_next(&parser->lexer);
    return (uint32_t)token.number;
}

/* A number with a sign. */
static int64_t take_value(struct parser *parser)
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
    {"char", {1, true}, false},        {"uchar", {1, false}, false},
    {"short", {2, true}, false},       {"ushort", {2, false}, false},
    {"int", {4, true}, false},         {"uint", {4, false}, false},
    {"bool", {4, true}, false},        {"long", {8, true}, false},
    {"ulong", {8, false}, false},      {"size_t", {8, false}, false},
    {"atomic_int", {4, true}, false},  {"atomic_uint", {4, false}, false},
    {"atomic_long", {8, true}, false}, {"atomic_ulong", {8, false}, false},
    {"atomic_flag", {4, true}, false}, {"unsigned", {4, false}, false},
    {"signed", {4, true}, false},      {"global", {0, false}, false},
    {"__global", {0, false}, false},   {"local", {0, false}, true},
    {"__local", {0, false}, true},     {"volatile", {0, false}, false},
    {"const", {0, false}, false},      {"restrict", {0, false}, false},
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

/* ---- the initial state ---- */

static void parse_initial(struct parser *parser)
{
    struct litmus_type type;
    enum oracle_region region;
    struct initial initial = {.line = parser->lexer.token.line};
    parser_take_type(parser, &type, &region);
    if (parser->lexer.token.kind == TOKEN_NUMBER) {
        initial.of_thread = true;
        initial.thread = take_number(parser, "the number of a thread");
        lexer_expect(&parser->lexer, ":");
    }
    lexer_accept(&parser->lexer, "*");
    const bool bracket = lexer_accept(&parser->lexer, "[");
    const struct token name = parser_take_name(parser, "the name of a location or register");
    if (bracket) {
        lexer_expect(&parser->lexer, "]");
    }
    lexer_expect(&parser->lexer, "=");
    initial.value = take_value(parser);
    if (!lexer_is(&parser->lexer, "}")) {
        lexer_expect(&parser->lexer, ";");
    }
    if (parser->lexer.status != STATUS_OK) {
        return;
    }
    for (size_t i = 0; i < parser->initial_count; i++) {
        const struct initial *other = &parser->initials[i];
        if (token_is(&name, other->name) && other->of_thread == initial.of_thread &&
            other->thread == initial.thread) {
            lexer_fail(&parser->lexer, initial.line, "'%s' has two initial values", other->name);
            return;
        }
    }
    if (parser->initial_count == PARSER_INITIALS_MAX) {
        lexer_fail(&parser->lexer, initial.line, "more than %d initial values",
                   PARSER_INITIALS_MAX);
        return;
    }
    initial.name = parser_name(parser, &name);
    parser->initials[parser->initial_count++] = initial;
}

int64_t parser_initial(struct parser *parser, bool of_thread, const char *name)
{
    for (size_t i = 0; i < parser->initial_count; i++) {
        struct initial *initial = &parser->initials[i];
        if (initial->of_thread == of_thread && strcmp(initial->name, name) == 0 &&
            (!of_thread || initial->thread == parser->thread->number)) {
            initial->used = true;
            return initial->value;
        }
    }
    return 0;
}

/* ---- threads ---- */

/* Local memory is of each group its own. */
static int find_location(const struct parser *parser, const struct token *name,
                         enum oracle_region region, const struct oracle_unit *unit)
{
    const struct litmus_test *test = parser->test;
    for (size_t i = 0; i < test->location_count; i++) {
        const struct litmus_location *location = &test->locations[i];
        const bool same_group =
            location->region != ORACLE_LOCAL || region != ORACLE_LOCAL ||
            (location->device == unit->device && location->group == unit->group);
        if (token_is(name, location->name) && same_group) {
            return (int)i;
        }
    }
    return -1;
}

static uint32_t add_location(struct parser *parser, const char *name, struct litmus_type type,
                             enum oracle_region region, const struct oracle_unit *unit)
{
    struct litmus_test *test = parser->test;
    if (test->location_count == LITMUS_LOCATIONS_MAX) {
        lexer_fail(&parser->lexer, parser->lexer.token.line, "more than %d locations",
                   LITMUS_LOCATIONS_MAX);
        return 0;
    }
    test->locations[test->location_count] = (struct litmus_location){
        .name = name,
        .type = type,
        .region = region,
        .device = unit->device,
        .group = unit->group,
        .initial = litmus_convert(parser_initial(parser, false, name), type),
    };
    return (uint32_t)test->location_count++;
}

static void parse_parameter(struct parser *parser, const struct oracle_unit *unit)
{
    struct litmus_type type;
    enum oracle_region region;
    if (!parser_take_type(parser, &type, &region)) {
        lexer_want(&parser->lexer, "the type of a parameter");
    }
    lexer_expect(&parser->lexer, "*");
    while (lexer_accept(&parser->lexer, "const") || lexer_accept(&parser->lexer, "volatile") ||
           lexer_accept(&parser->lexer, "restrict")) {
    }
    const struct token name = parser_take_name(parser, "the name of a parameter");
    if (parser->lexer.status != STATUS_OK) {
        return;
    }
    int location = find_location(parser, &name, region, unit);
    if (location < 0) {
        location = (int)add_location(parser, parser_name(parser, &name), type, region, unit);
    } else if (parser->test->locations[location].region != region ||
               parser->test->locations[location].type.size != type.size) {
        lexer_fail(&parser->lexer, name.line, "'%s' has another type here than in another thread",
                   parser->test->locations[location].name);
    }
    if (find_parameter(parser, &name) >= 0 || parser->parameter_count == PARSER_PARAMETERS_MAX) {
        lexer_fail(&parser->lexer, name.line, "'%.*s' is a parameter twice", (int)name.length,
                   name.start);
    }
    if (parser->lexer.status == STATUS_OK) {
        parser->parameters[parser->parameter_count++] =
            (struct parameter){parser->test->locations[location].name, (uint32_t)location};
    }
}

/* "@sg 0, wg 1, dev 0", in any order; without sg each thread is a sub-group of its own. */
static void parse_place(struct parser *parser, struct oracle_unit *unit)
{
    *unit = (struct oracle_unit){.sub_group = 1000001 + (uint32_t)parser->test->thread_count,
                                 .is_item = true};
    if (!lexer_accept(&parser->lexer, "@")) {
        return;
    }
    do {
        if (lexer_accept(&parser->lexer, "sg")) {
            unit->sub_group = take_number(parser, "the number of a sub-group");
        } else if (lexer_accept(&parser->lexer, "wg")) {
            unit->group = take_number(parser, "the number of a work-group");
        } else if (lexer_accept(&parser->lexer, "dev")) {
            unit->device = take_number(parser, "the number of a device");
            unit->kernel = unit->device; /* each device runs a kernel-instance of its own */
        } else {
            lexer_want(&parser->lexer, "'sg', 'wg' or 'dev'");
        }
    } while (lexer_accept(&parser->lexer, ","));
}

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

static struct litmus_thread *find_thread(struct litmus_test *test, uint32_t number)
{
    for (size_t i = 0; i < test->thread_count; i++) {
        if (test->threads[i].number == number) {
            return &test->threads[i];
        }
    }
    return NULL;
}

static void parse_parameters(struct parser *parser, const struct oracle_unit *unit)
{
    parser->parameter_count = 0;
    lexer_expect(&parser->lexer, "(");
    if (!lexer_is(&parser->lexer, ")")) {
        do {
            parse_parameter(parser, unit);
        } while (lexer_accept(&parser->lexer, ","));
    }
    lexer_expect(&parser->lexer, ")");
}

static void parse_thread(struct parser *parser)
{
    struct litmus_test *test = parser->test;
    const struct token name = parser->lexer.token;
    const uint32_t number = thread_number(&name);
    if (find_thread(test, number) != NULL) {
        lexer_fail(&parser->lexer, name.line, "there are two threads P%u", number);
    } else if (test->thread_count == LITMUS_THREADS_MAX) {
        lexer_fail(&parser->lexer, name.line, "more than %d threads", LITMUS_THREADS_MAX);
    }
    if (parser->lexer.status != STATUS_OK) {
        return;
    }
    lexer_next(&parser->lexer);
    struct oracle_unit *unit = &test->units[test->thread_count];
    parser->thread = &test->threads[test->thread_count];
    parser->thread->number = number;
    parser->instruction_capacity = 0;
    parse_place(parser, unit);
    parse_parameters(parser, unit);
    test->thread_count++;
    /* "(*" changes its meaning after the brace, which was not yet read past. */
    if (!lexer_is(&parser->lexer, "{")) {
        lexer_want(&parser->lexer, "'{'");
    }
    parser->lexer.in_thread = true;
    parse_body(parser);
}

/* ---- the condition ---- */

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

static void parse_equals(struct parser *parser)
{
    if (!lexer_accept(&parser->lexer, "==")) {
        lexer_expect(&parser->lexer, "=");
    }
}

/* "1:r0=2" */
static void parse_variable_atom(struct parser *parser, struct litmus_condition *condition)
{
    struct litmus_atom atom = {.kind = LITMUS_VARIABLE_IS};
    const uint32_t line = parser->lexer.token.line;
    const uint32_t number = take_number(parser, "the number of a thread");
    lexer_expect(&parser->lexer, ":");
    const struct token name = parser_take_name(parser, "the name of a register");
    parse_equals(parser);
    atom.value = take_value(parser);
    struct litmus_thread *thread = find_thread(parser->test, number);
    if (parser->lexer.status != STATUS_OK) {
        return;
    }
    if (thread == NULL) {
        lexer_fail(&parser->lexer, line, "there is no thread P%u", number);
        return;
    }
    parser->thread = thread;
    const struct litmus_variable *variable = find_variable(parser, &name);
    if (variable == NULL) {
        lexer_fail(&parser->lexer, line, "P%u has no register '%.*s'", number, (int)name.length,
                   name.start);
        return;
    }
    atom.thread = (uint32_t)(thread - parser->test->threads);
    atom.index = (uint32_t)(variable - thread->variables);
    atom.value = litmus_convert(atom.value, variable->type);
    add_atom(parser, condition, atom);
}

/* "x=2", "[x]=2", "*x=2" */
static void parse_location_atom(struct parser *parser, struct litmus_condition *condition)
{
    struct litmus_atom atom = {.kind = LITMUS_LOCATION_IS};
    const struct litmus_test *test = parser->test;
    const bool bracket = lexer_accept(&parser->lexer, "[");
    if (!bracket) {
        lexer_accept(&parser->lexer, "*");
    }
    const struct token name = parser_take_name(parser, "a location, a register or '('");
    if (bracket) {
        lexer_expect(&parser->lexer, "]");
    }
    parse_equals(parser);
    atom.value = take_value(parser);
    size_t found = 0;
    for (size_t i = 0; i < test->location_count; i++) {
        if (token_is(&name, test->locations[i].name)) {
            atom.index = (uint32_t)i;
            found++;
        }
    }
    if (parser->lexer.status != STATUS_OK) {
        return;
    }
    if (found != 1) {
        lexer_fail(&parser->lexer, name.line,
                   found == 0 ? "there is no location '%.*s'"
                              : "'%.*s' is local memory of several work-groups",
                   (int)name.length, name.start);
        return;
    }
    atom.value = litmus_convert(atom.value, test->locations[atom.index].type);
    add_atom(parser, condition, atom);
}

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
    } else if (parser->lexer.token.kind == TOKEN_NUMBER) {
        parse_variable_atom(parser, condition);
    } else {
        parse_location_atom(parser, condition);
    }
    parser_leave(parser);
}

static void parse_both(struct parser *parser, struct litmus_condition *condition)
{
    parse_negation(parser, condition);
    while (lexer_accept(&parser->lexer, "/\\")) {
        parse_negation(parser, condition);
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

static void parse_condition(struct parser *parser)
{
    struct litmus_test *test = parser->test;
    if (lexer_accept(&parser->lexer, "filter")) {
        parse_either(parser, &test->filter);
    }
    if (lexer_accept(&parser->lexer, "forall")) {
        test->quantifier = LITMUS_FORALL;
    } else {
        const bool negated =
            lexer_accept(&parser->lexer, "~") || lexer_accept(&parser->lexer, "not");
        test->quantifier = negated ? LITMUS_NOT_EXISTS : LITMUS_EXISTS;
        if (!lexer_accept(&parser->lexer, "exists")) {
            lexer_want(&parser->lexer, "'exists', '~exists' or 'forall'");
        }
    }
    parse_either(parser, &test->condition);
    if (parser->lexer.status == STATUS_OK && parser->lexer.token.kind != TOKEN_END) {
        lexer_want(&parser->lexer, "the end of the file");
    }
}

/* ---- the whole ---- */

/* "OPENCL name", and strings that describe the test. */
static void parse_title(struct parser *parser)
{
    static const char word[] = "OPENCL";
    const size_t length = sizeof word - 1;
    if (!lexer_is(&parser->lexer, word)) {
        lexer_want(&parser->lexer, "'OPENCL'");
        return;
    }
    lexer_take_line(&parser->lexer);
    struct token name = parser->lexer.token;
    name.start += length;
    name.length -= length;
    while (name.length > 0 && (*name.start == ' ' || *name.start == '\t')) {
        name.start++;
        name.length--;
    }
    if (name.length == 0) {
        lexer_fail(&parser->lexer, name.line, "the name of the test is missing after 'OPENCL'");
        return;
    }
    parser->test->name = parser_name(parser, &name);
    lexer_next(&parser->lexer);
    while (parser->lexer.token.kind == TOKEN_STRING) {
        lexer_next(&parser->lexer);
    }
}

/* What the initial state names and no thread does: a location that nobody uses, which the condition
 * may speak of; a register must be there. */
static void use_other_initials(struct parser *parser)
{
    static const struct oracle_unit nobody = {0};
    for (size_t i = 0; i < parser->initial_count; i++) {
        const struct initial *initial = &parser->initials[i];
        if (initial->used) {
            continue;
        }
        if (initial->of_thread) {
            lexer_fail(&parser->lexer, initial->line, "P%u has no register '%s'", initial->thread,
                       initial->name);
            return;
        }
        add_location(parser, initial->name, type_int, ORACLE_GLOBAL, &nobody);
    }
}

/* On several devices only fine-grained SVM with atomics can be shared, so that is what it is. */
static void describe_objects(struct litmus_test *test)
{
    bool several = false;
    for (size_t i = 1; i < test->thread_count; i++) {
        several = several || test->units[i].device != test->units[0].device;
    }
    for (size_t i = 0; i < test->location_count; i++) {
        const enum oracle_region region = test->locations[i].region;
        test->objects[i] = (struct oracle_object){
            .region = region,
            .sharing = several && region == ORACLE_GLOBAL ? ORACLE_SVM_ATOMICS : ORACLE_BUFFER,
            .size = test->locations[i].type.size,
        };
    }
}

static void parse_test(struct parser *parser)
{
    parse_title(parser);
    lexer_expect(&parser->lexer, "{");
    while (parser->lexer.status == STATUS_OK && !lexer_is(&parser->lexer, "}")) {
        parse_initial(parser);
    }
    lexer_expect(&parser->lexer, "}");
    if (!is_thread_name(&parser->lexer.token)) {
        lexer_want(&parser->lexer, "a thread 'P0'");
    }
    while (is_thread_name(&parser->lexer.token)) {
        parse_thread(parser);
    }
    use_other_initials(parser);
    parse_condition(parser);
    ASSERT(parser->depth == 0);
    describe_objects(parser->test);
}

/* ---- what commutes ---- */

static bool is_operand(const struct litmus_thread *thread, uint8_t reg)
{
    for (size_t i = 0; i < thread->instruction_count; i++) {
        const struct litmus_instruction *instruction = &thread->instructions[i];
        if (instruction->a == reg || instruction->b == reg) {
            return true;
        }
    }
    return false;
}

/* Whether the others change anything depends on what they find, which matters to loops that wait.
 */
static bool is_commuting(const struct litmus_thread *thread,
                         const struct litmus_instruction *instruction)
{
    static const bool commutes[] = {
        [LITMUS_ADD] = true, [LITMUS_SUB] = true, [LITMUS_AND] = true, [LITMUS_OR] = true,
        [LITMUS_XOR] = true, [LITMUS_MIN] = true, [LITMUS_MAX] = true, [LITMUS_SECOND] = false,
    };
    const enum litmus_operation operation = instruction->operation;
    const bool changes =
        operation == LITMUS_ADD || operation == LITMUS_SUB || operation == LITMUS_XOR;
    return instruction->op == LITMUS_UPDATE && instruction->order == ORACLE_RELAXED &&
           commutes[operation] && (changes || thread->loop_count == 0) &&
           instruction->dst >= thread->variable_count && !is_operand(thread, instruction->dst);
}

static void find_commuting(struct litmus_thread *thread)
{
    for (size_t i = 0; i < thread->instruction_count; i++) {
        struct litmus_instruction *instruction = &thread->instructions[i];
        if (is_commuting(thread, instruction)) {
            instruction->commuting =
                ((uint32_t)instruction->operation + 1) << 8 | (uint32_t)instruction->scope;
        }
    }
}

enum status litmus_parse(const char *text, size_t size, struct litmus_test **test,
                         struct error *error)
{
    struct parser *parser = alloc_zero(1, sizeof *parser);
    struct litmus_test *made = alloc_zero(1, sizeof *made);
    enum status status = STATUS_NO_MEMORY;
    if (parser == NULL || made == NULL) {
        error_no_memory(error, sizeof *parser + sizeof *made);
        goto out;
    }
    parser->test = made;
    made->machine = &litmus_text_machine;
    made->locations = arena_alloc(&made->arena, LITMUS_LOCATIONS_MAX, sizeof *made->locations);
    made->objects = arena_alloc(&made->arena, LITMUS_LOCATIONS_MAX, sizeof *made->objects);
    if (made->locations == NULL || made->objects == NULL) {
        error_no_memory(error, LITMUS_LOCATIONS_MAX * sizeof *made->locations);
        goto out;
    }
    lexer_start(&parser->lexer, text, size, error);
    parse_test(parser);
    status = parser->lexer.status;
    for (size_t i = 0; i < made->thread_count; i++) {
        find_commuting(&made->threads[i]);
    }
    if (status == STATUS_OK) {
        *test = made;
        made = NULL;
    }
out:
    litmus_destroy(made);
    alloc_free(parser);
    return status;
}

void litmus_destroy(struct litmus_test *test)
{
    if (test == NULL) {
        return;
    }
    for (size_t i = 0; i < LITMUS_THREADS_MAX; i++) {
        alloc_free(test->threads[i].instructions);
    }
    arena_release(&test->arena);
    alloc_free(test);
}

struct oracle_machine litmus_machine(const struct litmus_test *test, enum oracle_scope_rule rule,
                                     bool seq_cst_alone)
{
    return (struct oracle_machine){
        .units = test->units,
        .unit_count = test->thread_count,
        .objects = test->objects,
        .object_count = test->location_count,
        .scope_rule = rule,
        .seq_cst_crosses = !seq_cst_alone,
        .seq_cst_scoped = true,
    };
}
