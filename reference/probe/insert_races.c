/* Races: how large the pieces of memory are that kernels access, so that each has a cell
 * (checkers/probe/cells.cl), and what orders work-items. Barriers do, which the cells know. Where
 * something else may do so too, what they tell is no more than a suspicion. Kernels with sub-groups
 * have no cells: a device whose sub-groups have other sizes could not tell whether they race. */
#include "reference/probe/insert.h"

#include <string.h>

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* ---- kinds ---- */

/* Kinds of cell_layout.h; above them: it is a write to where it leads. */
const char *insert_kind(enum checked_access access, const char *name)
{
    switch (access) {
    case CHECKED_READ:
        return "clerk_READS";
    case CHECKED_ATOMIC:
        if (begins(name, "atomic_init"))
            return "clerk_WRITES";
        if (begins(name, "atomic_load"))
            return "clerk_LOADS";
        return strstr(name, "cmpxchg") || strstr(name, "compare_exchange") ? "clerk_COMPARES"
                                                                           : "clerk_CHANGES";
    default:
        return "clerk_WRITES";
    }
}

bool insert_takes(enum checked_access access, const char *name)
{
    static const char *const others[] = {"atomic_init", "atomic_store",    "atomic_xchg",
                                         "atom_xchg",   "atomic_exchange", "atomic_flag_clear"};
    for (size_t i = 0; access == CHECKED_ATOMIC && i < sizeof others / sizeof *others; i++)
        if (begins(name, others[i]))
            return false;
    return access != CHECKED_WRITE;
}

/* ---- accesses ---- */

enum { SHIFT_MAX = 7 }; /* of the largest vectors */

static void add_access(struct accessed *accessed, uint32_t shift, bool is_written)
{
    if (!accessed->is_accessed || shift < accessed->shift)
        accessed->shift = shift;
    accessed->is_accessed = true;
    accessed->is_written |= is_written;
}

void insert_note_access(const struct place *place, const struct root *root, enum type_space space,
                        unsigned bytes, bool is_write)
{
    enum { SHIFT_UNKNOWN = 2 }; /* of structures: smaller ones are missed, larger ones have more */
    struct function *function = place->function;
    if (space != TYPE_GLOBAL && space != TYPE_GENERIC && space != TYPE_LOCAL)
        return;
    const uint32_t shift = bytes != 0 ? (uint32_t)__builtin_ctz(bytes) : SHIFT_UNKNOWN;
    if (space != TYPE_GLOBAL)
        add_access(&function->in_local, shift, is_write);
    if (space == TYPE_LOCAL)
        return;
    if (root->number >= 0 && !function->through) {
        const unsigned room = ast_child_count(&place->part->ast, place->node) + 1;
        function->through = arena_alloc(place->program->arena, room, sizeof *function->through);
        place->program->no_memory |= !function->through;
        function->argument_count = room;
    }
    if (root->number < 0)
        add_access(&function->elsewhere, shift, is_write);
    else if (function->through && (uint32_t)root->number < function->argument_count)
        add_access(&function->through[root->number], shift, is_write);
}

static bool is_other(const struct accessed *a, const struct accessed *b)
{
    return a->is_accessed != b->is_accessed || a->is_written != b->is_written ||
           a->shift != b->shift;
}

static bool spread_accesses_to(struct function *function)
{
    const struct accessed had = function->elsewhere, had_local = function->in_local;
    for (size_t i = 0; i < function->called_count; i++) {
        const struct accessed *other = &function->called[i]->elsewhere;
        if (other->is_accessed)
            add_access(&function->elsewhere, other->shift, other->is_written);
        const struct accessed *local = &function->called[i]->in_local;
        if (local->is_accessed)
            add_access(&function->in_local, local->shift, local->is_written);
    }
    return is_other(&had, &function->elsewhere) || is_other(&had_local, &function->in_local);
}

void insert_spread_accesses(struct insertion_program *program)
{
    bool is_new = true;
    while (is_new) {
        is_new = false;
        for (struct function *function = program->functions; function; function = function->hh.next)
            is_new |= spread_accesses_to(function);
    }
}

struct accessed insert_accessed(const struct function *kernel, uint32_t argument)
{
    struct accessed accessed = kernel->elsewhere;
    const struct accessed *through =
        argument < kernel->argument_count ? &kernel->through[argument] : NULL;
    if (through && through->is_accessed)
        add_access(&accessed, through->shift, through->is_written);
    if (!accessed.is_accessed)
        accessed.shift = SHIFT_MAX;
    return accessed;
}

bool insert_has_cells(const struct function *function)
{
    return function->is_kernel && !function->is_called && !function->uses_sub_groups;
}

/* A goto may lead past where cells are given out. Groups that wait for each other may all have to
 * run at once, and cells leave less local memory for that. */
bool insert_has_local_cells(const struct function *function)
{
    return insert_has_cells(function) && !function->jumps && !function->waits;
}

/* ---- what orders work-items ---- */

static bool is_in_loop(const struct ast *ast, uint32_t node)
{
    for (; node != 0; node = ast->nodes[node].parent) {
        const enum ast_kind kind = ast->nodes[node].kind;
        if (kind == AST_FOR || kind == AST_WHILE || kind == AST_DO)
            return true;
    }
    return false;
}

/* Does anything depend on what the call returns? */
static bool is_used(const struct ast *ast, uint32_t call)
{
    const uint32_t parent = ast->nodes[call].parent;
    switch (ast->nodes[parent].kind) {
    case AST_COMPOUND:
        return false;
    case AST_IF:
        return ast_child(ast, parent, 0) == call;
    case AST_FOR:
    case AST_WHILE:
        return ast->nodes[call].next != ast->nodes[parent].next;
    default:
        return true;
    }
}

/* OpenCL C 3.0, 6.15.12.7: functions without _explicit are memory_order_seq_cst. */
static bool is_relaxed(const struct part *part, const struct ast_node *call, const char *name)
{
    static const char *const functions[] = {"atomic_load",     "atomic_store",
                                            "atomic_exchange", "atomic_compare_exchange",
                                            "atomic_fetch_",   "atomic_flag_"};
    static const char order[] = "memory_order_";
    bool is_old = true;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++)
        is_old &= !begins(name, functions[i]);
    if (is_old)
        return true;
    if (!strstr(name, "_explicit") || call->begin.offset >= call->end.offset ||
        call->end.offset > part->source.text.size)
        return false;
    const char *at = part->source.text.bytes + call->begin.offset;
    const char *end = part->source.text.bytes + call->end.offset;
    bool is_named = false;
    while ((at = memmem(at, (size_t)(end - at), order, strlen(order))) != NULL) {
        at += strlen(order);
        if (!begins(at, "relaxed"))
            return false;
        is_named = true;
    }
    return is_named;
}

static bool is_atomic(const char *name)
{
    return begins(name, "atom_") || (begins(name, "atomic_") && !begins(name, "atomic_init"));
}

static void look_again(struct function *function, const struct ast *ast, uint32_t node)
{
    if (is_in_loop(ast, node))
        function->waits = function->orders = true;
    else
        function->looks = true;
}

static void look_at_call(struct insertion_program *program, const struct part *part, uint32_t call,
                         struct function *function)
{
    const struct ast *ast = &part->ast;
    const uint32_t callee = insert_callee(ast, call);
    if (callee == 0)
        return;
    const char *name = ast->nodes[callee].name;
    if (ast->nodes[ast_declaration(ast, ast->nodes[callee].referred)].kind == AST_FUNCTION) {
        struct function *called = insert_function_of(program, name);
        if (called && is_in_loop(ast, call))
            called->is_in_loop = true;
        return;
    }
    const bool is_of_sub_groups = strstr(name, "sub_group") != NULL;
    function->uses_sub_groups |= is_of_sub_groups;
    if (strstr(name, "mem_fence") || strstr(name, "work_item_fence") || is_of_sub_groups ||
        (begins(name, "work_group_") && strcmp(name, "work_group_barrier") != 0))
        function->orders = true;
    if (!is_atomic(name))
        return;
    function->orders |= !is_relaxed(part, &ast->nodes[call], name);
    if (is_used(ast, call))
        look_again(function, ast, call);
}

void insert_look_at_order(struct insertion_program *program, const struct part *part, uint32_t node,
                          struct function *function)
{
    const struct ast *ast = &part->ast;
    const struct ast_node *here = &ast->nodes[node];
    const uint32_t first = ast_child(ast, node, 0);
    if (here->kind == AST_CALL)
        look_at_call(program, part, node, function);
    else if (here->kind == AST_GOTO)
        function->is_in_loop = function->jumps = true;
    else if (here->kind == AST_IMPLICIT_CAST && here->cast == AST_CAST_LVALUE_TO_RVALUE &&
             first != 0 && type_space(&ast->nodes[first]) != TYPE_PRIVATE &&
             (strstr(ast->nodes[first].type, "volatile") ||
              strstr(ast->nodes[first].plain_type, "volatile")))
        look_again(function, ast, node);
    /* An operator on an object of an atomic type is memory_order_seq_cst. */
    if (here->is_lvalue && here->kind != AST_REFERENCE && begins(here->type, "_Atomic"))
        function->orders |= ast->nodes[here->parent].kind != AST_UNARY;
}

static bool spread_orders_to(struct function *function)
{
    const struct function had = *function;
    bool is_new = false;
    for (size_t i = 0; i < function->called_count; i++) {
        struct function *called = function->called[i];
        function->orders |= called->orders;
        function->waits |= called->waits;
        function->uses_sub_groups |= called->uses_sub_groups;
        function->looks |= called->looks;
        is_new |= function->is_in_loop && !called->is_in_loop;
        called->is_in_loop |= function->is_in_loop;
    }
    function->waits |= function->looks && function->is_in_loop;
    function->orders |= function->waits;
    return is_new || had.orders != function->orders || had.waits != function->waits ||
           had.uses_sub_groups != function->uses_sub_groups || had.looks != function->looks;
}

void insert_spread_orders(struct insertion_program *program)
{
    bool is_new = true;
    while (is_new) {
        is_new = false;
        for (struct function *function = program->functions; function; function = function->hh.next)
            is_new |= spread_orders_to(function);
    }
}

/* ---- barriers ---- */

/* Does it do anything, or read memory that others may write meanwhile? */
static bool is_plain(const struct ast *ast, uint32_t expression)
{
    for (uint32_t i = expression; i < ast->nodes[expression].next; i++) {
        const struct ast_node *node = &ast->nodes[i];
        if (node->kind == AST_CALL || node->kind == AST_COMPOUND_ASSIGNMENT ||
            node->kind == AST_SUBSCRIPT || node->kind == AST_MEMBER || node->kind == AST_UNARY ||
            strcmp(node->operator, "=") == 0)
            return false;
    }
    return true;
}

/* The text of the first argument, and of the second, if the call's can be written twice. */
static bool quote_flags(const struct place *place, uint32_t call, uint32_t begin,
                        const char **flags, const char **scope)
{
    const struct ast *ast = &place->part->ast;
    const char *text = place->part->source.text.bytes;
    const uint32_t end = ast->nodes[call].end.offset - 1; /* the `)` */
    const unsigned count = ast_child_count(ast, call) - 1;
    uint32_t comma = begin;
    unsigned depth = 0;
    if (count < 1 || count > 2 || begin >= end || text[end] != ')' ||
        memmem(text + begin, end - begin, "\n#", 2))
        return false;
    for (unsigned i = 1; i <= count; i++) {
        if (!is_plain(ast, ast_child(ast, call, i)))
            return false;
    }
    while (comma < end && (depth > 0 || text[comma] != ',')) {
        depth += text[comma] == '(';
        depth -= text[comma] == ')';
        comma++;
    }
    *flags = insert_quote(place->program, place->part, begin, comma);
    *scope = comma < end ? insert_quote(place->program, place->part, comma + 1, end) : NULL;
    return count == 1 || *scope;
}

bool insert_barrier(const struct place *place, uint32_t call, uint32_t callee, uint32_t arguments)
{
    struct insertion_program *program = place->program;
    const struct ast_node *node = &place->part->ast.nodes[call];
    const struct ast_node *named = &place->part->ast.nodes[callee];
    const char *flags = NULL, *scope = NULL;
    const bool is_wait = strcmp(named->name, "wait_group_events") == 0;
    if (!is_wait && !insert_is_barrier(named->name))
        return false;
    if (!named->begin.exact || !node->end.exact || arguments == 0) {
        program->reason = "a barrier cannot be found in its text";
        return true;
    }
    place->function->has_checks = true;
    const bool is_known = !is_wait && quote_flags(place, call, arguments, &flags, &scope);
    insert_at(program, place->part,
              (struct insertion){.offset = named->begin.offset, .order = call, .text = "("});
    insert_at(program, place->part,
              (struct insertion){
                  .offset = node->end.offset,
                  .is_end = true,
                  .order = call,
                  .text = !is_known ? ", clerk_passed(clerk_k, ~0u))"
                          : scope   ? insert_format(program,
                                                    ", clerk_passed(clerk_k, (%s) == "
                                                      "memory_scope_work_item ? 0u : (uint)(%s)))",
                                                    scope, flags)
                                  : insert_format(program, ", clerk_passed(clerk_k, %s))", flags)});
    return true;
}
