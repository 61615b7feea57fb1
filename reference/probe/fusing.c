/* Does a kernel's result depend on checks not standing where they would? A compiler may fuse a
 * product and the sum that it goes into (OpenCL C 3.0, 6.12.2, FP_CONTRACT), which rounds once
 * instead of twice. Within an expression the copy leaves it all it has; but some also keep a
 * product that is stored and read again in a register, and fuse that. With a check between the two
 * they do not, so such a kernel is left as it is.
 *
 * It is one that stores what may be a product to memory and then, with no barrier between, reads
 * what may be the same place into what may be a sum. */
#include "reference/probe/insert.h"

#include <string.h>

enum { PRODUCTS_MAX = 32, ASSIGNMENTS_DEEP = 4, CALLS_DEEP = 8 };

struct walk {
    const struct place *place;
    const struct ast *ast;
    struct root products[PRODUCTS_MAX]; /* where they were stored since the last barrier */
    size_t count;
    unsigned depth; /* of calls */
    bool found;
};

/* ---- places ---- */

static bool is_floating(const struct walk *walk, uint32_t node)
{
    struct type_shape shape;
    return type_shape(walk->ast, &walk->ast->nodes[node], false, &shape) &&
           (strcmp(shape.element, "float") == 0 || strcmp(shape.element, "double") == 0 ||
            strcmp(shape.element, "half") == 0);
}

/* A floating-point object in memory that other work-items may share. */
static bool is_in_memory(const struct walk *walk, uint32_t lvalue)
{
    const enum type_space space = type_space(&walk->ast->nodes[lvalue]);
    return lvalue != 0 && space != TYPE_PRIVATE && space != TYPE_CONSTANT &&
           is_floating(walk, lvalue);
}

static struct root root_of(const struct walk *walk, uint32_t lvalue)
{
    return insert_root(walk->place, lvalue, type_space(&walk->ast->nodes[lvalue]));
}

static bool may_be_one(const struct root *a, const struct root *b)
{
    static const char search[] = "clerk_SEARCH";
    return strcmp(a->argument, search) == 0 || strcmp(b->argument, search) == 0 ||
           (strcmp(a->argument, b->argument) == 0 && strcmp(a->base, b->base) == 0);
}

static bool has_product(const struct walk *walk, uint32_t lvalue)
{
    const struct root root = root_of(walk, lvalue);
    for (size_t i = 0; i < walk->count; i++)
        if (may_be_one(&walk->products[i], &root))
            return true;
    return false;
}

static void note_product(struct walk *walk, uint32_t lvalue)
{
    if (walk->count == PRODUCTS_MAX)
        walk->found = true; /* more than anybody looks at */
    else
        walk->products[walk->count++] = root_of(walk, lvalue);
}

/* ---- what may be a product ---- */

static bool may_be_product(const struct walk *walk, uint32_t node, unsigned depth);

/* Any value that the variable is given in the function. */
static bool variable_may_be(const struct walk *walk, uint32_t declaration, unsigned depth)
{
    const struct ast *ast = walk->ast;
    const struct ast_node *function = &ast->nodes[walk->place->node];
    if (declaration == 0 || ast->nodes[declaration].kind == AST_PARAMETER)
        return !walk->place->function->is_kernel || declaration == 0;
    if (ast_child_count(ast, declaration) > 0 &&
        may_be_product(walk, ast_child(ast, declaration, 0), depth))
        return true;
    for (uint32_t i = walk->place->node + 1; i < function->next; i++) {
        const struct ast_node *node = &ast->nodes[i];
        const bool is_assignment =
            (node->kind == AST_BINARY || node->kind == AST_COMPOUND_ASSIGNMENT) &&
            (strcmp(node->operator, "=") == 0 || strcmp(node->operator, "*=") == 0);
        uint32_t left = is_assignment ? insert_inside(ast, ast_child(ast, i, 0)) : 0;
        while (left != 0 && ast->nodes[left].kind == AST_COMPONENT)
            left = insert_inside(ast, ast_child(ast, left, 0));
        if (left == 0 || ast->nodes[left].kind != AST_REFERENCE ||
            ast_declaration(ast, ast->nodes[left].referred) != declaration)
            continue;
        if (node->operator[0] == '*' || may_be_product(walk, ast_child(ast, i, 1), depth))
            return true;
    }
    return false;
}

static bool value_may_be(const struct walk *walk, uint32_t lvalue, unsigned depth)
{
    const struct ast *ast = walk->ast;
    lvalue = insert_inside(ast, lvalue);
    while (lvalue != 0 && ast->nodes[lvalue].kind == AST_COMPONENT)
        lvalue = insert_inside(ast, ast_child(ast, lvalue, 0));
    if (is_in_memory(walk, lvalue))
        return has_product(walk, lvalue);
    if (type_space(&ast->nodes[lvalue]) == TYPE_CONSTANT)
        return false;
    return ast->nodes[lvalue].kind != AST_REFERENCE ||
           variable_may_be(walk, ast_declaration(ast, ast->nodes[lvalue].referred), depth);
}

static bool may_be_product(const struct walk *walk, uint32_t number, unsigned depth)
{
    const struct ast *ast = walk->ast;
    const struct ast_node *node = &ast->nodes[number];
    const uint32_t first = ast_child(ast, number, 0);
    if (depth == 0)
        return true;
    switch (node->kind) {
    case AST_PAREN:
    case AST_CAST:
    case AST_COMPONENT:
    case AST_UNARY:
        return first != 0 && may_be_product(walk, first, depth);
    case AST_IMPLICIT_CAST:
        return first != 0 &&
               (node->cast == AST_CAST_LVALUE_TO_RVALUE ? value_may_be(walk, first, depth - 1)
                                                        : may_be_product(walk, first, depth));
    case AST_BINARY:
        return node->operator[0] == '*' || node->operator[0] == '=' || node->operator[0] == ',';
    case AST_CALL: {
        const uint32_t callee = insert_callee(ast, number);
        return callee == 0 ||
               ast->nodes[ast_declaration(ast, ast->nodes[callee].referred)].kind == AST_FUNCTION;
    }
    default: /* a literal has nothing inside */
        for (unsigned i = 0; i < ast_child_count(ast, number); i++)
            if (may_be_product(walk, ast_child(ast, number, i), depth))
                return true;
        return false;
    }
}

/* ---- what may be a sum ---- */

static bool is_in_sum(const struct ast *ast, uint32_t number)
{
    uint32_t parent = ast->nodes[number].parent;
    while (ast->nodes[parent].kind == AST_PAREN || ast->nodes[parent].kind == AST_IMPLICIT_CAST ||
           ast->nodes[parent].kind == AST_COMPONENT ||
           (ast->nodes[parent].kind == AST_UNARY && ast->nodes[parent].operator[0] == '-'))
        parent = ast->nodes[parent].parent;
    const struct ast_node *node = &ast->nodes[parent];
    if (node->kind != AST_BINARY && node->kind != AST_COMPOUND_ASSIGNMENT)
        return node->kind != AST_SUBSCRIPT;
    if (strcmp(node->operator, "=") == 0) /* to memory: that may be a product then */
        return type_space(&ast->nodes[ast_child(ast, parent, 0)]) == TYPE_PRIVATE;
    return node->operator[0] == '+' || node->operator[0] == '-';
}

/* ---- in the order of execution ---- */

static void go_through(struct walk *walk, uint32_t begin, uint32_t end);

/* As if the body of what it calls stood here. */
static void look_at_call(struct walk *walk, uint32_t call)
{
    const struct ast *ast = walk->ast;
    const uint32_t callee = insert_callee(ast, call);
    const char *name = callee != 0 ? ast->nodes[callee].name : "";
    const struct place *caller = walk->place;
    if (strcmp(name, "barrier") == 0 || strcmp(name, "work_group_barrier") == 0)
        walk->count = 0;
    const uint32_t declared = callee != 0 ? ast_declaration(ast, ast->nodes[callee].referred) : 0;
    const uint32_t body = ast->nodes[declared].kind == AST_FUNCTION
                              ? ast_child_of_kind(ast, declared, AST_COMPOUND)
                              : 0;
    if (body == 0 || walk->depth == CALLS_DEEP)
        return;
    const struct place inside = {.program = caller->program,
                                 .part = caller->part,
                                 .node = declared,
                                 .function = insert_function_of(caller->program, name)};
    walk->place = &inside;
    walk->depth++;
    if (inside.function)
        go_through(walk, body + 1, ast->nodes[body].next);
    walk->depth--;
    walk->place = caller;
}

static void look_at_read(struct walk *walk, uint32_t number)
{
    const struct ast_node *node = &walk->ast->nodes[number];
    uint32_t lvalue = ast_child(walk->ast, number, 0);
    lvalue = lvalue != 0 ? insert_inside(walk->ast, lvalue) : 0;
    if (node->cast == AST_CAST_LVALUE_TO_RVALUE && is_in_memory(walk, lvalue) &&
        is_in_sum(walk->ast, number) && has_product(walk, lvalue))
        walk->found = true;
}

/* What is assigned has been gone through. */
static void look_at_assignment(struct walk *walk, uint32_t number)
{
    const struct ast_node *node = &walk->ast->nodes[number];
    uint32_t left = ast_child(walk->ast, number, 0);
    left = left != 0 ? insert_inside(walk->ast, left) : 0;
    if (!is_in_memory(walk, left))
        return;
    if ((node->operator[0] == '+' || node->operator[0] == '-') && has_product(walk, left))
        walk->found = true;
    if (node->operator[0] ==
        '*' ||(strcmp(node->operator, "=") == 0 &&
               may_be_product(walk, ast_child(walk->ast, number, 1), ASSIGNMENTS_DEEP)))
        note_product(walk, left);
}

static bool is_loop(const struct ast_node *node)
{
    return node->kind == AST_FOR || node->kind == AST_WHILE || node->kind == AST_DO;
}

static void go_through(struct walk *walk, uint32_t begin, uint32_t end)
{
    const struct ast *ast = walk->ast;
    for (uint32_t i = begin; i < end && !walk->found;) {
        const struct ast_node *node = &ast->nodes[i];
        const bool assigns = node->kind == AST_COMPOUND_ASSIGNMENT ||
                             (node->kind == AST_BINARY && strcmp(node->operator, "=") == 0);
        if (assigns || is_loop(node))
            go_through(walk, i + 1, node->next);
        if (assigns)
            look_at_assignment(walk, i);
        else if (is_loop(node) && walk->count > 0)
            go_through(walk, i + 1, node->next); /* once more, after what was stored in it */
        else if (node->kind == AST_CALL)
            look_at_call(walk, i);
        else if (node->kind == AST_IMPLICIT_CAST)
            look_at_read(walk, i);
        i = assigns || is_loop(node) ? node->next : i + 1;
    }
}

bool insert_may_fuse(const struct place *place, uint32_t body)
{
    struct walk walk = {.place = place, .ast = &place->part->ast};
    go_through(&walk, body + 1, walk.ast->nodes[body].next);
    return walk.found;
}
