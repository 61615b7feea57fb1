/* The memory operations of a thread: plain accesses and built-in functions. */
#include "checkers/litmus/parser.h"

#include "trace/base/assert.h"

#include <string.h>

enum form {
    FORM_LOAD,
    FORM_STORE,
    FORM_UPDATE,
    FORM_COMPARE,
    FORM_FLAG_SET,
    FORM_FLAG_CLEAR,
    FORM_EXPLICIT_COUNT, /* those before have a form with _explicit */
    FORM_INIT = FORM_EXPLICIT_COUNT,
    FORM_OLD_UPDATE,
    FORM_OLD_STEP,
    FORM_OLD_COMPARE,
    FORM_FENCE,
    FORM_OLD_FENCE,
    FORM_OLD_READ_FENCE,
    FORM_OLD_WRITE_FENCE,
    FORM_BARRIER,
    FORM_SUB_GROUP_BARRIER,
};

static const struct builtin {
    const char *name;
    enum form form;
    enum litmus_operation operation;
} builtins[] = {
#define BUILTIN(name, form, operation) {#name, FORM_##form, operation},
#include "checkers/litmus/builtins.def"
#undef BUILTIN
};

/* What stands after the other arguments, or is implied. */
struct how {
    enum oracle_order order, failure_order;
    enum oracle_scope scope;
};

static const struct how sequential = {ORACLE_SEQ_CST, ORACLE_SEQ_CST, ORACLE_DEVICE};
static const struct how relaxed = {ORACLE_RELAXED, ORACLE_RELAXED, ORACLE_DEVICE};

/* ---- words ---- */

static enum oracle_order take_order(struct parser *parser)
{
    static const struct {
        const char *word;
        enum oracle_order order;
    } words[] = {
        {"memory_order_relaxed", ORACLE_RELAXED},
        {"memory_order_acquire", ORACLE_ACQUIRE},
        {"memory_order_release", ORACLE_RELEASE},
        {"memory_order_acq_rel", ORACLE_ACQ_REL},
        {"memory_order_seq_cst", ORACLE_SEQ_CST},
        /* As herd shortens them. */
        {"mo_rlx", ORACLE_RELAXED},
        {"mo_acq", ORACLE_ACQUIRE},
        {"mo_rel", ORACLE_RELEASE},
        {"mo_ar", ORACLE_ACQ_REL},
        {"mo_sc", ORACLE_SEQ_CST},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (lexer_accept(&parser->lexer, words[i].word)) {
            return words[i].order;
        }
    }
    lexer_want(&parser->lexer, "a memory order, as memory_order_acquire,");
    return ORACLE_RELAXED;
}

static enum oracle_scope take_scope(struct parser *parser)
{
    static const struct {
        const char *word;
        enum oracle_scope scope;
    } words[] = {
        {"memory_scope_work_item", ORACLE_WORK_ITEM},
        {"memory_scope_sub_group", ORACLE_SUB_GROUP},
        {"memory_scope_work_group", ORACLE_WORK_GROUP},
        {"memory_scope_device", ORACLE_DEVICE},
        {"memory_scope_all_svm_devices", ORACLE_ALL_DEVICES},
        {"memory_scope_all_devices", ORACLE_ALL_DEVICES},
        {"s_wi", ORACLE_WORK_ITEM},
        {"s_sg", ORACLE_SUB_GROUP},
        {"s_wg", ORACLE_WORK_GROUP},
        {"s_dev", ORACLE_DEVICE},
        {"s_all", ORACLE_ALL_DEVICES},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (lexer_accept(&parser->lexer, words[i].word)) {
            return words[i].scope;
        }
    }
    lexer_want(&parser->lexer, "a memory scope, as memory_scope_device,");
    return ORACLE_DEVICE;
}

/* CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE, with or without parentheses; 0. */
static uint32_t take_flags(struct parser *parser)
{
    uint32_t flags = 0;
    const bool parentheses = lexer_accept(&parser->lexer, "(");
    do {
        if (lexer_accept(&parser->lexer, "CLK_LOCAL_MEM_FENCE")) {
            flags |= ORACLE_FLAG_LOCAL;
        } else if (lexer_accept(&parser->lexer, "CLK_GLOBAL_MEM_FENCE")) {
            flags |= ORACLE_FLAG_GLOBAL;
        } else if (lexer_accept(&parser->lexer, "CLK_IMAGE_MEM_FENCE")) {
            flags |= ORACLE_FLAG_IMAGE;
        } else if (parser->lexer.token.kind == TOKEN_NUMBER && parser->lexer.token.number == 0) {
            lexer_next(&parser->lexer);
        } else {
            lexer_want(&parser->lexer, "a fence flag, as CLK_GLOBAL_MEM_FENCE,");
        }
    } while (lexer_accept(&parser->lexer, "|"));
    if (parentheses) {
        lexer_expect(&parser->lexer, ")");
    }
    return flags;
}

/* ", order [, order on failure] [, scope]" of _explicit functions. */
static struct how take_how(struct parser *parser, bool is_explicit, bool two_orders)
{
    struct how how = sequential;
    if (!is_explicit) {
        return how;
    }
    lexer_expect(&parser->lexer, ",");
    how.order = take_order(parser);
    if (two_orders) {
        lexer_expect(&parser->lexer, ",");
        how.failure_order = take_order(parser);
    }
    if (lexer_accept(&parser->lexer, ",")) {
        how.scope = take_scope(parser);
    }
    return how;
}

/* ---- what a test may say ---- */

static const char *order_name(enum oracle_order order)
{
    static const char *const names[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};
    return names[order];
}

/* OpenCL C 3.0, 6.15.12: the orders that each kind of operation may have; memory_scope_work_item is
 * for fences of images. */
static void check_how(struct parser *parser, const struct token *name, enum oracle_kind kind,
                      const struct how *how)
{
    if (!oracle_may_have_order(kind, how->order)) {
        lexer_fail(&parser->lexer, name->line, "%.*s may not have memory_order_%s",
                   (int)name->length, name->start, order_name(how->order));
    }
    if (how->scope == ORACLE_WORK_ITEM) {
        lexer_fail(&parser->lexer, name->line, "%.*s may not have memory_scope_work_item",
                   (int)name->length, name->start);
    }
}

static void check_failure(struct parser *parser, const struct token *name, const struct how *how)
{
    if (!oracle_may_have_order(ORACLE_ATOMIC_READ, how->failure_order)) {
        lexer_fail(&parser->lexer, name->line, "%.*s may not fail with memory_order_%s",
                   (int)name->length, name->start, order_name(how->failure_order));
    } else if (!oracle_may_fail_with(how->order, how->failure_order)) {
        lexer_fail(&parser->lexer, name->line,
                   "%.*s may not fail with memory_order_%s, which is stronger than memory_order_%s",
                   (int)name->length, name->start, order_name(how->failure_order),
                   order_name(how->order));
    }
}

/* ---- instructions ---- */

/* "access outside of the 2 elements of 'a'" */
static const char *fault_words(struct parser *parser, const struct place *place)
{
    const uint32_t count = place->shared->count;
    const char *words =
        arena_format(&parser->test->arena, "access outside of the %u element%s of '%s'", count,
                     count == 1 ? "" : "s", place->shared->name);
    if (words == NULL) {
        parser_no_memory(parser);
    }
    return words;
}

static void emit_at(struct parser *parser, const struct litmus_instruction *access,
                    uint32_t location)
{
    struct litmus_instruction *instruction = emit(parser, access->op);
    const uint32_t line = instruction->line;
    *instruction = *access;
    instruction->line = line;
    instruction->location = location;
}

/* Of the places that an index may choose, one access each, and a fault if it chooses none: an
 * instruction has one location. */
static void emit_chosen(struct parser *parser, const struct litmus_instruction *access,
                        const struct place *place)
{
    static const struct litmus_type type_long = {8, true};
    uint32_t ends[LITMUS_LOCATIONS_MAX] = {0};
    const uint8_t number = scratch_register(parser);
    const uint8_t is_it = scratch_register(parser);
    for (uint32_t i = 0; i < place->shared->count; i++) {
        struct litmus_instruction *constant = emit(parser, LITMUS_CONSTANT);
        constant->dst = number;
        constant->constant = i;
        emit_operation(parser, LITMUS_EQ, type_long, is_it, place->index.index, number);
        const uint32_t over = emit_jump(parser, LITMUS_JUMP_IF_ZERO, is_it);
        emit_at(parser, access, place->shared->first + i);
        ends[i] = emit_jump(parser, LITMUS_JUMP, 0);
        land(parser, over);
    }
    emit(parser, LITMUS_FAULT)->fault = fault_words(parser, place);
    for (uint32_t i = 0; i < place->shared->count; i++) {
        land(parser, ends[i]);
    }
}

/* Adds what all accesses have to the instruction, and emits it. */
static struct litmus_type emit_access(struct parser *parser, struct litmus_instruction access,
                                      const struct place *place, const struct how *how)
{
    if (parser->lexer.status != STATUS_OK) {
        return type_int;
    }
    ASSERT(place->shared != NULL && place->element < place->shared->count);
    access.type = parser->test->locations[place->shared->first].type;
    access.order = how->order;
    access.failure_order = how->failure_order;
    access.scope = how->scope;
    if (place->is_chosen) {
        emit_chosen(parser, &access, place);
    } else {
        emit_at(parser, &access, place->shared->first + place->element);
    }
    return access.type;
}

static struct operand emit_read(struct parser *parser, enum oracle_kind kind,
                                const struct place *place, struct how how)
{
    const struct litmus_instruction access = {
        .op = LITMUS_READ, .kind = kind, .dst = scratch_register(parser)};
    return (struct operand){access.dst, emit_access(parser, access, place, &how)};
}

static void emit_write(struct parser *parser, enum oracle_kind kind, const struct place *place,
                       struct operand value, struct how how)
{
    const struct litmus_instruction access = {.op = LITMUS_WRITE, .kind = kind, .a = value.index};
    emit_access(parser, access, place, &how);
}

static const struct how plain = {ORACLE_RELAXED, ORACLE_RELAXED, ORACLE_WORK_ITEM};

struct operand emit_plain_read(struct parser *parser, const struct place *place)
{
    return emit_read(parser, ORACLE_READ, place, plain);
}

void emit_plain_write(struct parser *parser, const struct place *place, struct operand value)
{
    emit_write(parser, ORACLE_WRITE, place, value, plain);
}

static struct operand emit_update(struct parser *parser, enum litmus_operation operation,
                                  const struct place *place, struct operand value, struct how how)
{
    const struct litmus_instruction access = {.op = LITMUS_UPDATE,
                                              .kind = ORACLE_ATOMIC_UPDATE,
                                              .operation = operation,
                                              .dst = scratch_register(parser),
                                              .a = value.index};
    return (struct operand){access.dst, emit_access(parser, access, place, &how)};
}

static struct operand emit_compare_exchange(struct parser *parser, const struct place *place,
                                            struct operand expected, struct operand desired,
                                            struct how how)
{
    const struct litmus_instruction access = {.op = LITMUS_COMPARE_EXCHANGE,
                                              .kind = ORACLE_ATOMIC_UPDATE,
                                              .dst = scratch_register(parser),
                                              .a = expected.index,
                                              .b = desired.index};
    return (struct operand){access.dst, emit_access(parser, access, place, &how)};
}

/* ---- calls ---- */

static struct operand take_value(struct parser *parser)
{
    lexer_expect(&parser->lexer, ",");
    return parse_expression(parser);
}

/* Of atomic_compare_exchange: "&r" of a register, which is returned, or a place. */
static const struct litmus_variable *take_expected(struct parser *parser, struct place *place)
{
    struct lexer ahead = parser->lexer;
    const bool address = lexer_accept(&ahead, "&");
    const struct token name = ahead.token;
    const struct litmus_variable *variable =
        name.kind == TOKEN_NAME ? find_variable(parser, &name) : NULL;
    if (address && variable != NULL) {
        parser->lexer = ahead;
        lexer_next(&parser->lexer);
        return variable;
    }
    if (variable != NULL ||
        (!address && name.kind == TOKEN_NAME && find_parameter(parser, &name) == NULL)) {
        lexer_fail(&parser->lexer, name.line,
                   "'&' and a register is wanted as what is expected, not '%.*s'", (int)name.length,
                   name.start);
    }
    *place = parse_pointer(parser);
    return NULL;
}

/* On failure what was read goes to what was expected, by a plain write. */
static struct operand parse_compare(struct parser *parser, const struct token *name,
                                    const struct place *place, bool is_explicit)
{
    struct place shared;
    lexer_expect(&parser->lexer, ",");
    const struct litmus_variable *variable = take_expected(parser, &shared);
    if (parser->lexer.status != STATUS_OK) {
        return (struct operand){0, type_int};
    }
    const struct operand expected =
        variable != NULL ? variable_operand(parser, variable) : emit_plain_read(parser, &shared);
    const struct operand desired = take_value(parser);
    const struct how how = take_how(parser, is_explicit, true);
    check_how(parser, name, ORACLE_ATOMIC_UPDATE, &how);
    check_failure(parser, name, &how);
    const struct operand old = emit_compare_exchange(parser, place, expected, desired, how);
    const struct operand success = {scratch_register(parser), type_int};
    emit_operation(parser, LITMUS_EQ, old.type, success.index, old.index, expected.index);
    if (variable != NULL) {
        emit_move(parser, expected.index, expected.type, old); /* on success it is the same */
        return success;
    }
    const struct operand zero = emit_constant(parser, 0, type_int);
    const uint8_t failed = scratch_register(parser);
    emit_operation(parser, LITMUS_EQ, type_int, failed, success.index, zero.index);
    const uint32_t over = emit_jump(parser, LITMUS_JUMP_IF_ZERO, failed);
    emit_plain_write(parser, &shared, old);
    land(parser, over);
    return success;
}

static struct operand parse_fence(struct parser *parser, const struct token *name,
                                  const struct builtin *builtin)
{
    struct how how = {ORACLE_ACQ_REL, ORACLE_RELAXED, ORACLE_WORK_GROUP};
    const uint32_t flags = take_flags(parser);
    if (builtin->form == FORM_OLD_READ_FENCE) {
        how.order = ORACLE_ACQUIRE;
    } else if (builtin->form == FORM_OLD_WRITE_FENCE) {
        how.order = ORACLE_RELEASE;
    } else if (builtin->form == FORM_FENCE) {
        lexer_expect(&parser->lexer, ",");
        how.order = take_order(parser);
        lexer_expect(&parser->lexer, ",");
        how.scope = take_scope(parser);
    }
    if (flags == 0) {
        lexer_fail(&parser->lexer, name->line, "a fence without flags is undefined");
    } else if (how.scope == ORACLE_WORK_ITEM && flags != ORACLE_FLAG_IMAGE) {
        lexer_fail(&parser->lexer, name->line,
                   "memory_scope_work_item is for fences with CLK_IMAGE_MEM_FENCE alone");
    }
    struct litmus_instruction *fence = emit(parser, LITMUS_FENCE);
    fence->kind = ORACLE_FENCE;
    fence->order = how.order;
    fence->scope = how.scope;
    fence->flags = flags;
    return (struct operand){0, type_int};
}

static struct operand parse_barrier(struct parser *parser, enum form form)
{
    const uint32_t flags = take_flags(parser);
    enum oracle_scope scope = form == FORM_BARRIER ? ORACLE_WORK_GROUP : ORACLE_SUB_GROUP;
    if (lexer_accept(&parser->lexer, ",")) {
        scope = take_scope(parser);
    }
    struct litmus_instruction *barrier = emit(parser, LITMUS_BARRIER);
    barrier->kind = form == FORM_BARRIER ? ORACLE_BARRIER : ORACLE_SUB_GROUP_BARRIER;
    barrier->scope = scope;
    barrier->flags = flags;
    barrier->target = parser->label;
    return (struct operand){0, type_int};
}

/* The functions whose first argument is a location. */
static struct operand parse_atomic(struct parser *parser, const struct token *name,
                                   const struct builtin *builtin, bool is_explicit)
{
    const struct litmus_type type = type_int;
    const struct place place = parse_pointer(parser);
    struct operand value = {0, type};
    struct how how;
    if (parser->lexer.status != STATUS_OK) {
        return value;
    }
    switch (builtin->form) {
    case FORM_LOAD:
        how = take_how(parser, is_explicit, false);
        check_how(parser, name, ORACLE_ATOMIC_READ, &how);
        return emit_read(parser, ORACLE_ATOMIC_READ, &place, how);
    case FORM_STORE:
    case FORM_FLAG_CLEAR:
        value = builtin->form == FORM_STORE ? take_value(parser) : emit_constant(parser, 0, type);
        how = take_how(parser, is_explicit, false);
        check_how(parser, name, ORACLE_ATOMIC_WRITE, &how);
        emit_write(parser, ORACLE_ATOMIC_WRITE, &place, value, how);
        return value;
    case FORM_UPDATE:
    case FORM_FLAG_SET:
        value = builtin->form == FORM_UPDATE ? take_value(parser) : emit_constant(parser, 1, type);
        how = take_how(parser, is_explicit, false);
        check_how(parser, name, ORACLE_ATOMIC_UPDATE, &how);
        return emit_update(parser, builtin->operation, &place, value, how);
    case FORM_COMPARE:
        return parse_compare(parser, name, &place, is_explicit);
    case FORM_INIT:
        value = take_value(parser);
        emit_plain_write(parser, &place, value);
        return value;
    case FORM_OLD_COMPARE:
        value = take_value(parser);
        return emit_compare_exchange(parser, &place, value, take_value(parser), relaxed);
    default:
        value =
            builtin->form == FORM_OLD_STEP ? emit_constant(parser, 1, type) : take_value(parser);
        return emit_update(parser, builtin->operation, &place, value, relaxed);
    }
}

/* The function, and whether the name ends in _explicit; NULL = there is none. */
static const struct builtin *find_builtin(const struct token *name, bool *is_explicit)
{
    static const char suffix[] = "_explicit";
    const size_t suffix_length = sizeof suffix - 1;
    struct token stem = *name;
    *is_explicit = stem.length > suffix_length &&
                   memcmp(stem.start + stem.length - suffix_length, suffix, suffix_length) == 0;
    stem.length -= *is_explicit ? suffix_length : 0;
    for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++) {
        if (token_is(&stem, builtins[i].name) &&
            (!*is_explicit || builtins[i].form < FORM_EXPLICIT_COUNT)) {
            return &builtins[i];
        }
    }
    return NULL;
}

struct operand parse_call(struct parser *parser, const struct token *name)
{
    bool is_explicit;
    struct operand result = {0, type_int};
    const struct builtin *builtin = find_builtin(name, &is_explicit);
    if (builtin == NULL) {
        lexer_fail(&parser->lexer, name->line, "there is no function '%.*s' in litmus tests",
                   (int)name->length, name->start);
        return result;
    }
    lexer_expect(&parser->lexer, "(");
    switch (builtin->form) {
    case FORM_FENCE:
    case FORM_OLD_FENCE:
    case FORM_OLD_READ_FENCE:
    case FORM_OLD_WRITE_FENCE:
        result = parse_fence(parser, name, builtin);
        break;
    case FORM_BARRIER:
    case FORM_SUB_GROUP_BARRIER:
        result = parse_barrier(parser, builtin->form);
        break;
    default:
        result = parse_atomic(parser, name, builtin, is_explicit);
        break;
    }
    lexer_expect(&parser->lexer, ")");
    return result;
}
