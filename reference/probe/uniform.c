/* Which places all work-items of a group reach together, as the text shows it. A value is the same
 * for all of them if it is made only of constants, of a kernel's arguments that are values, and of
 * what is known of the group; a variable, if all that it is ever set to is, and is set where all
 * items are. Items part at a condition that is not the same for all, and meet again behind its
 * statement; one that leaves its function or loop there does not come back to them.
 *
 * All is taken for the same at first, and what is not spreads from statement to statement until
 * nothing changes. What the text does not show is taken for not the same: then a barrier is looked
 * at while the kernel runs, which costs time and nothing else. */
#include "reference/probe/insert.h"

#include <string.h>

enum {
    VARIES = 1, /* of a variable; of a statement that chooses or repeats: the items part there */
    APART = 2,  /* of a call: only some items of the group may come there */
};

struct uniform {
    struct insertion_program *program;
    struct part *part;
    const struct ast *ast;
    uint32_t node; /* of the function */
    bool is_kernel;
    uint32_t left_at; /* behind this node some items may have left the function */
    bool is_new;
};

static void set(struct uniform *uniform, uint32_t node, uint8_t flag)
{
    uniform->is_new |= (uniform->part->varies[node] & flag) == 0;
    uniform->part->varies[node] |= flag;
}

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* ---- values ---- */

/* A built-in function that gives the same for all items of a group if its arguments are. */
static bool is_the_same_function(const char *name)
{
    static const char *const names[] = {"get_work_dim",
                                        "get_global_size",
                                        "get_local_size",
                                        "get_enqueued_local_size",
                                        "get_num_groups",
                                        "get_group_id",
                                        "get_global_offset",
                                        "min",
                                        "max",
                                        "clamp",
                                        "abs",
                                        "clz",
                                        "mul24",
                                        "mad24"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return begins(name, "convert_");
}

/* The whole group has one result, whatever each item gives. */
static bool is_collective(const struct ast *ast, uint32_t node)
{
    const uint32_t callee = ast->nodes[node].kind == AST_CALL ? insert_callee(ast, node) : 0;
    const char *name = ast->nodes[callee].name;
    return strcmp(name, "work_group_any") == 0 || strcmp(name, "work_group_all") == 0 ||
           begins(name, "work_group_broadcast") || begins(name, "work_group_reduce");
}

static bool call_varies(const struct ast *ast, uint32_t call)
{
    const uint32_t callee = insert_callee(ast, call);
    return callee == 0 ||
           ast->nodes[ast_declaration(ast, ast->nodes[callee].referred)].kind == AST_FUNCTION ||
           !is_the_same_function(ast->nodes[callee].name);
}

static bool variable_varies(const struct uniform *uniform, uint32_t reference)
{
    const struct ast *ast = uniform->ast;
    const uint32_t declaration = ast_declaration(ast, ast->nodes[reference].referred);
    return (uniform->part->varies[declaration] & VARIES) != 0 ||
           (ast->nodes[declaration].kind == AST_PARAMETER && !uniform->is_kernel);
}

/* Is it read through a pointer, or from memory that others may write? */
static bool is_from_memory(const struct ast *ast, uint32_t number)
{
    const struct ast_node *node = &ast->nodes[number];
    const uint32_t first = ast_child(ast, number, 0);
    const enum type_space space = type_space(node);
    if (space == TYPE_CONSTANT)
        return false;
    return space != TYPE_PRIVATE || (node->kind == AST_UNARY && strcmp(node->operator, "*") == 0) ||
           node->is_arrow ||
           (node->kind == AST_SUBSCRIPT && first != 0 && type_is_pointer(&ast->nodes[first]) &&
            ast->nodes[first].cast != AST_CAST_ARRAY_TO_POINTER);
}

static bool node_varies(const struct uniform *uniform, uint32_t number)
{
    const struct ast *ast = uniform->ast;
    const struct ast_node *node = &ast->nodes[number];
    return (node->kind == AST_REFERENCE && variable_varies(uniform, number)) ||
           (node->kind == AST_CALL && call_varies(ast, number)) || node->kind == AST_BLOCK ||
           (node->is_lvalue && is_from_memory(ast, number));
}

static bool expression_varies(const struct uniform *uniform, uint32_t expression)
{
    const struct ast *ast = uniform->ast;
    for (uint32_t i = expression; i < ast->nodes[expression].next;) {
        const bool is_group = is_collective(ast, i);
        if (!is_group && node_varies(uniform, i))
            return true;
        i = is_group ? ast->nodes[i].next : i + 1;
    }
    return false;
}

/* An address that is the same for all items of a group, whatever is there. */
static bool address_varies(const struct uniform *uniform, uint32_t address);

static bool place_varies(const struct uniform *uniform, uint32_t lvalue)
{
    const struct ast *ast = uniform->ast;
    const struct ast_node *node = &ast->nodes[lvalue];
    const uint32_t first = ast_child(ast, lvalue, 0);
    if (node->kind == AST_REFERENCE)
        return type_space(node) == TYPE_PRIVATE;
    if (node->kind == AST_PAREN)
        return place_varies(uniform, first);
    return node->kind != AST_SUBSCRIPT || address_varies(uniform, first) ||
           expression_varies(uniform, ast_child(ast, lvalue, 1));
}

static bool address_varies(const struct uniform *uniform, uint32_t address)
{
    const struct ast *ast = uniform->ast;
    const struct ast_node *node = &ast->nodes[address];
    const uint32_t first = ast_child(ast, address, 0);
    if (node->cast == AST_CAST_ARRAY_TO_POINTER ||
        (node->kind == AST_UNARY && strcmp(node->operator, "&") == 0))
        return place_varies(uniform, first);
    if (node->kind == AST_BINARY &&
        (strcmp(node->operator, "+") == 0 || strcmp(node->operator, "-") == 0))
        return address_varies(uniform, first) ||
               address_varies(uniform, ast_child(ast, address, 1));
    if (node->kind == AST_PAREN || node->kind == AST_CAST ||
        (node->kind == AST_IMPLICIT_CAST && node->cast != AST_CAST_LVALUE_TO_RVALUE))
        return address_varies(uniform, first);
    return expression_varies(uniform, address);
}

/* May it be an asynchronous copy that the items of a group call with different arguments? */
static bool copy_varies(const struct uniform *uniform, uint32_t call, const char *name)
{
    const struct ast *ast = uniform->ast;
    const uint32_t event = ast_child_count(ast, call) - 1;
    bool varies = false;
    if (!begins(name, "async_work_group_"))
        return false;
    for (uint32_t i = 1; i < event; i++)
        varies |= address_varies(uniform, ast_child(ast, call, i));
    return varies;
}

/* ---- statements ---- */

static bool is_loop(enum ast_kind kind)
{
    return kind == AST_FOR || kind == AST_WHILE || kind == AST_DO;
}

uint32_t insert_condition(const struct ast *ast, uint32_t statement)
{
    const struct ast_node *node = &ast->nodes[statement];
    const uint32_t second = ast_child(ast, statement, 2);
    switch (node->kind) {
    case AST_FOR: /* clang writes what is left out as nodes without a type */
        return second != 0 && ast->nodes[second].type[0] != '\0' ? second : 0;
    case AST_DO:
        return ast_child(ast, statement, 1);
    case AST_BINARY:
        return strcmp(node->operator, "&&") == 0 || strcmp(node->operator, "||") == 0
                   ? ast_child(ast, statement, 0)
                   : 0;
    case AST_IF:
    case AST_WHILE:
    case AST_SWITCH:
    case AST_CONDITIONAL:
        return ast_child(ast, statement, 0);
    default:
        return 0;
    }
}

static bool comes_apart(const struct uniform *uniform, uint32_t node)
{
    const struct ast *ast = uniform->ast;
    if (node > uniform->left_at)
        return true;
    for (uint32_t child = node; child != uniform->node; child = ast->nodes[child].parent) {
        const uint32_t parent = ast->nodes[child].parent;
        const enum ast_kind kind = ast->nodes[parent].kind;
        const bool is_once = (kind == AST_FOR && child == ast_child(ast, parent, 0)) ||
                             (!is_loop(kind) && child == insert_condition(ast, parent));
        if ((uniform->part->varies[parent] & VARIES) != 0 && !is_once)
            return true;
    }
    return false;
}

/* The loop, or also the switch, that a jump is in; all = every loop around it. */
static void part_around(struct uniform *uniform, uint32_t jump, bool of_switch, bool all)
{
    const struct ast *ast = uniform->ast;
    for (uint32_t at = ast->nodes[jump].parent; at != uniform->node; at = ast->nodes[at].parent) {
        if (!is_loop(ast->nodes[at].kind) && !(of_switch && ast->nodes[at].kind == AST_SWITCH))
            continue;
        set(uniform, at, VARIES);
        if (!all)
            break;
    }
}

static void look_at_jump(struct uniform *uniform, uint32_t jump)
{
    const enum ast_kind kind = uniform->ast->nodes[jump].kind;
    if (kind == AST_GOTO) {
        uniform->is_new |= uniform->left_at != uniform->node;
        uniform->left_at = uniform->node;
        return;
    }
    if (!comes_apart(uniform, jump))
        return;
    if (kind == AST_RETURN && jump < uniform->left_at) {
        uniform->left_at = jump;
        uniform->is_new = true;
    }
    part_around(uniform, jump, kind == AST_BREAK, kind == AST_RETURN);
}

/* ---- variables ---- */

/* What a pointer leads to is none. */
static void set_variable(struct uniform *uniform, uint32_t lvalue)
{
    const struct ast *ast = uniform->ast;
    while (lvalue != 0 && ast->nodes[lvalue].kind != AST_REFERENCE)
        lvalue =
            ast->nodes[lvalue].cast == AST_CAST_LVALUE_TO_RVALUE ? 0 : ast_child(ast, lvalue, 0);
    const uint32_t declaration =
        lvalue != 0 ? ast_declaration(ast, ast->nodes[lvalue].referred) : 0;
    if (declaration != 0)
        set(uniform, declaration, VARIES);
}

/* What else may write to a variable whose address is taken is not followed. */
static void look_at_value(struct uniform *uniform, uint32_t number)
{
    const struct ast *ast = uniform->ast;
    const struct ast_node *node = &ast->nodes[number];
    const uint32_t first = ast_child(ast, number, 0);
    const bool moves = node->kind == AST_COMPOUND_ASSIGNMENT ||
                       (node->kind == AST_BINARY && strcmp(node->operator, "=") == 0) ||
                       (node->kind == AST_UNARY &&
                        (strcmp(node->operator, "++") == 0 || strcmp(node->operator, "--") == 0));
    if (node->kind == AST_VARIABLE && first != 0) {
        for (uint32_t i = first; i < node->next; i = ast->nodes[i].next)
            if (expression_varies(uniform, i) || comes_apart(uniform, number))
                set(uniform, number, VARIES);
    } else if (moves && (expression_varies(uniform, number) || comes_apart(uniform, number))) {
        set_variable(uniform, first);
    } else if ((node->kind == AST_UNARY && strcmp(node->operator, "&") == 0) ||
               (node->cast == AST_CAST_ARRAY_TO_POINTER &&
                ast->nodes[node->parent].kind != AST_SUBSCRIPT)) {
        set_variable(uniform, first);
    }
}

/* ---- functions ---- */

static void look_at(struct uniform *uniform, uint32_t number)
{
    const enum ast_kind kind = uniform->ast->nodes[number].kind;
    const uint32_t condition = insert_condition(uniform->ast, number);
    if (condition != 0 && expression_varies(uniform, condition))
        set(uniform, number, VARIES);
    if (kind == AST_RETURN || kind == AST_BREAK || kind == AST_CONTINUE || kind == AST_GOTO)
        look_at_jump(uniform, number);
    else
        look_at_value(uniform, number);
}

/* The program's function that is called; NULL = none. */
static struct function *called_by(struct uniform *uniform, uint32_t call)
{
    const struct ast *ast = uniform->ast;
    const uint32_t callee = ast->nodes[call].kind == AST_CALL ? insert_callee(ast, call) : 0;
    return callee != 0 && ast->nodes[ast_declaration(ast, ast->nodes[callee].referred)].kind ==
                              AST_FUNCTION
               ? insert_function_of(uniform->program, ast->nodes[callee].name)
               : NULL;
}

static void find_calls(struct uniform *uniform, struct function *function)
{
    const struct ast *ast = uniform->ast;
    for (uint32_t i = uniform->node + 1; i < ast->nodes[uniform->node].next; i++) {
        if (ast->nodes[i].kind != AST_CALL)
            continue;
        const uint32_t callee = insert_callee(ast, i);
        const bool is_apart = comes_apart(uniform, i);
        struct function *called = called_by(uniform, i);
        if (is_apart)
            set(uniform, i, APART);
        if (called)
            called->is_apart |= is_apart;
        else if (callee != 0 && insert_is_barrier(ast->nodes[callee].name)) {
            function->has_barrier = true;
            function->meets |= is_apart;
        } else if (callee != 0) {
            function->meets |= copy_varies(uniform, i, ast->nodes[callee].name);
        }
    }
}

static void look_at_function(struct insertion_program *program, struct part *part, uint32_t node)
{
    const struct ast *ast = &part->ast;
    struct function *function = insert_function_of(program, ast->nodes[node].name);
    struct uniform uniform = {.program = program,
                              .part = part,
                              .ast = ast,
                              .node = node,
                              .is_kernel = insert_is_kernel(ast, node),
                              .left_at = ast->nodes[node].next,
                              .is_new = true};
    if (!function || ast_child_of_kind(ast, node, AST_COMPOUND) == 0)
        return;
    while (uniform.is_new) {
        uniform.is_new = false;
        for (uint32_t i = node + 1; i < ast->nodes[node].next; i++)
            look_at(&uniform, i);
    }
    find_calls(&uniform, function);
}

void insert_find_apart(struct insertion_program *program, struct part *part)
{
    const struct ast *ast = &part->ast;
    for (uint32_t i = 1; i < ast->count && !program->no_memory; i = ast->nodes[i].next)
        if (ast->nodes[i].kind == AST_FUNCTION)
            look_at_function(program, part, i);
}

static bool spread_to(struct function *function)
{
    const bool met = function->meets, reached = function->reaches_barrier;
    bool is_new = false;
    function->reaches_barrier |= function->has_barrier;
    function->meets |= function->has_barrier && function->is_apart;
    for (size_t i = 0; i < function->called_count; i++) {
        struct function *called = function->called[i];
        is_new |= function->is_apart && !called->is_apart;
        called->is_apart |= function->is_apart;
        function->meets |= called->meets && !called->is_kernel;
        function->reaches_barrier |= called->reaches_barrier;
    }
    return is_new || met != function->meets || reached != function->reaches_barrier;
}

void insert_spread_apart(struct insertion_program *program)
{
    bool is_new = true;
    while (is_new) {
        is_new = false;
        for (struct function *function = program->functions; function; function = function->hh.next)
            is_new |= spread_to(function);
    }
}

bool insert_is_apart(const struct place *place, uint32_t call)
{
    return place->function->is_apart || (place->part->varies[call] & APART) != 0;
}

bool insert_parts_items(const struct part *part, uint32_t statement)
{
    return (part->varies[statement] & VARIES) != 0;
}
