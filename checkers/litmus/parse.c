#include "checkers/litmus/machine.h"
#include "checkers/litmus/parser.h"

#include "trace/base/alloc.h"
#include "trace/base/assert.h"

#include <string.h>

/* ---- threads ---- */

/* Local memory is of each group its own. */
static const struct shared *find_shared(const struct parser *parser, const char *name,
                                        enum oracle_region region, const struct oracle_unit *unit)
{
    for (size_t i = 0; i < parser->shared_count; i++) {
        const struct litmus_location *location = &parser->test->locations[parser->shared[i].first];
        const bool same_group =
            location->region != ORACLE_LOCAL || region != ORACLE_LOCAL ||
            (location->device == unit->device && location->group == unit->group);
        if (strcmp(name, parser->shared[i].name) == 0 && same_group) {
            return &parser->shared[i];
        }
    }
    return NULL;
}

static void add_location(struct parser *parser, const struct shared *shared, uint32_t element,
                         const struct litmus_location *wanted)
{
    struct litmus_test *test = parser->test;
    if (test->location_count == LITMUS_LOCATIONS_MAX) {
        lexer_fail(&parser->lexer, parser->lexer.token.line, "more than %d locations",
                   LITMUS_LOCATIONS_MAX);
    }
    if (parser->lexer.status != STATUS_OK) {
        return;
    }
    struct litmus_location *location = &test->locations[test->location_count++];
    *location = *wanted;
    location->name = shared->is_array ? arena_format(&test->arena, "%s[%u]", shared->name, element)
                                      : shared->name;
    if (location->name == NULL) {
        parser_no_memory(parser);
    }
}

/* The locations of the name, made as the initial state has them; NULL after a failure. */
static const struct shared *share(struct parser *parser, const char *name, struct litmus_type type,
                                  enum oracle_region region, const struct oracle_unit *unit)
{
    const struct shared *known = find_shared(parser, name, region, unit);
    const struct initial *initial = known == NULL ? parser_initial(parser, false, name) : NULL;
    if (known != NULL) {
        return known;
    }
    ASSERT(parser->shared_count < LITMUS_LOCATIONS_MAX); /* each has a location */
    struct shared *shared = &parser->shared[parser->shared_count];
    *shared = (struct shared){
        .name = name,
        .first = (uint32_t)parser->test->location_count,
        .count = initial != NULL ? initial->count : 1,
        .is_array = initial != NULL && initial->is_array,
    };
    for (uint32_t i = 0; i < shared->count; i++) {
        const struct litmus_location location = {
            .type = type,
            .region = region,
            .device = unit->device,
            .group = unit->group,
            .initial = initial != NULL ? litmus_convert(initial->values[i], type) : 0,
        };
        add_location(parser, shared, i, &location);
    }
    if (parser->lexer.status != STATUS_OK) {
        return NULL;
    }
    parser->shared_count++;
    return shared;
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
    const struct shared *shared = share(parser, parser_name(parser, &name), type, region, unit);
    if (shared == NULL) {
        return;
    }
    const struct litmus_location *location = &parser->test->locations[shared->first];
    if (location->region != region || location->type.size != type.size) {
        lexer_fail(&parser->lexer, name.line, "'%s' has another type here than in another thread",
                   shared->name);
    }
    if (find_parameter(parser, &name) != NULL || parser->parameter_count == LITMUS_LOCATIONS_MAX) {
        lexer_fail(&parser->lexer, name.line, "'%s' is a parameter twice", shared->name);
    }
    if (parser->lexer.status == STATUS_OK) {
        parser->parameters[parser->parameter_count++] = shared;
    }
}

/* "@sg 0, wg 1, dev 0", in any order; without sg each thread is a sub-group of its own. */
static void parse_unit(struct parser *parser, struct oracle_unit *unit)
{
    const uint32_t number = parser->thread->number;
    const uint32_t line = parser->lexer.token.line;
    const bool has_tree = parser->scopes.count > 0;
    *unit = (struct oracle_unit){.sub_group = PARSER_SUB_GROUPS_ALONE + number, .is_item = true};
    if (has_tree && !parser_find_scope(parser, number, unit)) {
        lexer_fail(&parser->lexer, line, "P%u is not in the tree of scopes", number);
    }
    if (!lexer_accept(&parser->lexer, "@")) {
        return;
    }
    if (has_tree) {
        lexer_fail(&parser->lexer, line, "where P%u runs is said by '@' and by a tree of scopes",
                   number);
    }
    do {
        if (lexer_accept(&parser->lexer, "sg")) {
            unit->sub_group = parser_take_number(parser, "the number of a sub-group");
        } else if (lexer_accept(&parser->lexer, "wg")) {
            unit->group = parser_take_number(parser, "the number of a work-group");
        } else if (lexer_accept(&parser->lexer, "dev")) {
            unit->device = parser_take_number(parser, "the number of a device");
            unit->kernel = unit->device; /* each device runs a kernel-instance of its own */
        } else {
            lexer_want(&parser->lexer, "'sg', 'wg' or 'dev'");
        }
    } while (lexer_accept(&parser->lexer, ","));
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
    const uint32_t line = parser->lexer.token.line;
    uint32_t number = 0;
    if (!parser_take_thread_name(parser, &number)) {
        return;
    }
    if (parser_find_thread(test, number) != NULL) {
        lexer_fail(&parser->lexer, line, "there are two threads P%u", number);
    } else if (test->thread_count == LITMUS_THREADS_MAX) {
        lexer_fail(&parser->lexer, line, "more than %d threads", LITMUS_THREADS_MAX);
    }
    if (parser->lexer.status != STATUS_OK) {
        return;
    }
    struct oracle_unit *unit = &test->units[test->thread_count];
    parser->thread = &test->threads[test->thread_count];
    parser->thread->number = number;
    parser->instruction_capacity = 0;
    parser->labels_seen = 0;
    parse_unit(parser, unit);
    parse_parameters(parser, unit);
    test->thread_count++;
    /* "(*" changes its meaning after the brace, which was not yet read past. */
    if (!lexer_is(&parser->lexer, "{")) {
        lexer_want(&parser->lexer, "'{'");
    }
    parser->lexer.in_thread = true;
    parse_body(parser);
}

/* ---- the whole ---- */

/* "OPENCL name", and strings and lines "Key=text" that describe the test. */
static void parse_title(struct parser *parser)
{
    static const char word[] = "OPENCL";
    const size_t length = sizeof word - 1;
    if (!lexer_is(&parser->lexer, word) && !lexer_is(&parser->lexer, "OpenCL")) {
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
    while (parser->lexer.token.kind == TOKEN_STRING || parser->lexer.token.kind == TOKEN_NAME) {
        const struct token key = parser->lexer.token;
        if (key.kind == TOKEN_NAME) {
            lexer_take_line(&parser->lexer);
            if (memchr(key.start, '=', parser->lexer.token.length) == NULL) {
                lexer_want(&parser->lexer, "'{'");
            }
        }
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
        share(parser, initial->name, initial->type, ORACLE_GLOBAL, &nobody);
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

/* Of a tree of scopes that names others too, not all would be meant. */
static void check_scopes(struct parser *parser)
{
    const struct scope_tree *tree = &parser->scopes;
    for (size_t i = 0; i < tree->count; i++) {
        if (parser_find_thread(parser->test, tree->threads[i].thread) == NULL) {
            lexer_fail(&parser->lexer, parser->lexer.last_line,
                       "the tree of scopes names P%u, but the test has no such thread",
                       tree->threads[i].thread);
        }
    }
}

static void parse_test(struct parser *parser)
{
    parse_title(parser);
    parse_initial_state(parser);
    parse_scopes_ahead(parser);
    do {
        parse_thread(parser);
    } while (parser_at_thread_name(parser));
    parse_scopes(parser);
    check_scopes(parser);
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
