/* Reads of an element that the same work-item is certain to write right after: what races with the
 * read races with the write too, so that only the write is told to the cells. That halves what
 * `a[i] = f(a[i])` and sorting steps cost.
 *
 * "Right after" is in the same list of statements, with nothing between that another item could be
 * ordered by, or that could end it: only declarations and expressions without calls of the
 * program's functions, of atomic functions, or of what waits. */
#include "reference/probe/insert.h"

#include <string.h>

static bool is_assignment(const struct ast *ast, uint32_t node)
{
    return ast->nodes[node].kind == AST_BINARY && strcmp(ast->nodes[node].operator, "=") == 0;
}

/* The statement of a list of statements that the expression is part of; 0 = there is none. */
static uint32_t statement_of(const struct ast *ast, uint32_t node)
{
    while (node != 0 && ast->nodes[ast->nodes[node].parent].kind != AST_COMPOUND)
        node = ast->nodes[node].parent;
    return node;
}

/* ---- the element ---- */

static bool is_moved(const struct ast *ast, uint32_t node, uint32_t declaration)
{
    const struct ast_node *here = &ast->nodes[node];
    const bool moves = here->kind == AST_COMPOUND_ASSIGNMENT ||
                       (here->kind == AST_UNARY &&
                        (strcmp(here->operator, "++") == 0 || strcmp(here->operator, "--") == 0));
    const uint32_t operand = moves ? ast_child(ast, node, 0) : 0;
    const uint32_t inside = operand != 0 ? insert_inside(ast, operand) : 0;
    return inside != 0 && ast->nodes[inside].kind == AST_REFERENCE &&
           ast_declaration(ast, ast->nodes[inside].referred) == declaration;
}

/* Does the variable keep its value from one statement to the end of another? */
static bool stays(const struct place *place, uint32_t declaration, uint32_t first, uint32_t last)
{
    const struct ast *ast = &place->part->ast;
    if (declaration == 0 || place->part->changes[declaration] == CHANGE_ANY ||
        type_space(&ast->nodes[declaration]) != TYPE_PRIVATE)
        return false;
    for (uint32_t i = first; i < ast->nodes[last].next; i++)
        if (is_moved(ast, i, declaration))
            return false;
    return true;
}

/* Is the address made of numbers and variables alone, which stay as they are? */
static bool is_same_throughout(const struct place *place, uint32_t lvalue, uint32_t first,
                               uint32_t last)
{
    const struct ast *ast = &place->part->ast;
    for (uint32_t i = lvalue; i < ast->nodes[lvalue].next; i++) {
        const struct ast_node *node = &ast->nodes[i];
        const bool is_leaf = node->next == i + 1;
        switch (node->kind) {
        case AST_REFERENCE:
            if (!stays(place, ast_declaration(ast, node->referred), first, last))
                return false;
            break;
        case AST_IMPLICIT_CAST:
            if (node->cast == AST_CAST_LVALUE_TO_RVALUE &&
                ast->nodes[insert_inside(ast, i + 1)].kind != AST_REFERENCE)
                return false;
            break;
        case AST_BINARY:
            if (is_assignment(ast, i))
                return false;
            break;
        case AST_SUBSCRIPT:
        case AST_PAREN:
        case AST_CAST:
            break;
        default:
            if (!is_leaf)
                return false;
        }
    }
    return true;
}

static bool is_same_text(const struct place *place, uint32_t a, uint32_t b)
{
    const struct ast_node *left = &place->part->ast.nodes[a], *right = &place->part->ast.nodes[b];
    const char *text = place->part->source.text.bytes;
    const uint32_t size = left->end.offset - left->begin.offset;
    return left->begin.exact && left->end.exact && right->begin.exact && right->end.exact &&
           right->end.offset - right->begin.offset == size &&
           memcmp(text + left->begin.offset, text + right->begin.offset, size) == 0;
}

/* ---- what is between ---- */

static bool may_order(const char *name)
{
    static const char *const parts[] = {"barrier", "fence", "wait", "atom", "group"};
    bool may = false;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        may |= strncmp(name, "get_", 4) != 0 && strstr(name, parts[i]) != NULL;
    return may;
}

/* Declarations, and expressions that do no more than compute and access memory. */
static bool is_straight(const struct ast *ast, uint32_t statement)
{
    switch (ast->nodes[statement].kind) {
    case AST_DECLARATIONS:
    case AST_BINARY:
    case AST_COMPOUND_ASSIGNMENT:
    case AST_UNARY:
        break;
    default:
        return false;
    }
    for (uint32_t i = statement; i < ast->nodes[statement].next; i++) {
        const uint32_t callee = ast->nodes[i].kind == AST_CALL ? insert_callee(ast, i) : 0;
        if (ast->nodes[i].kind == AST_COMPOUND || (ast->nodes[i].kind == AST_CALL && callee == 0) ||
            (callee != 0 &&
             (may_order(ast->nodes[callee].name) ||
              ast->nodes[ast_declaration(ast, ast->nodes[callee].referred)].kind == AST_FUNCTION)))
            return false;
    }
    return true;
}

bool insert_is_overwritten(const struct place *place, uint32_t lvalue)
{
    const struct ast *ast = &place->part->ast;
    const uint32_t first = statement_of(ast, lvalue);
    if (first == 0 || ast->nodes[lvalue].kind != AST_SUBSCRIPT)
        return false;
    const uint32_t end = ast->nodes[ast->nodes[first].parent].next;
    for (uint32_t at = first; at < end && is_straight(ast, at); at = ast->nodes[at].next) {
        const uint32_t to = is_assignment(ast, at) ? ast_child(ast, at, 0) : 0;
        const uint32_t written = to != 0 ? insert_inside(ast, to) : 0;
        if (written != 0 && written != lvalue && is_same_text(place, lvalue, written) &&
            strcmp(ast->nodes[written].type, ast->nodes[lvalue].type) == 0)
            return is_same_throughout(place, lvalue, first, at);
    }
    return false;
}
