/* Which argument or variable an address is of, where the expression shows it: `a[i]` and `*(a + i)`
 * of a parameter `a` of a kernel; also of a pointer that was made from it and is at most moved
 * since. Others are searched for among all arguments while the kernel runs: by the pointer `p` of
 * `p[i]`, or else by the address. */
#include "reference/probe/insert.h"

#include <string.h>

enum { VARIABLES_MAX = 16, ARGUMENT_MAX = 253 };

/* What stands for cells that are not known. */
static const char *no_cells(enum type_space space)
{
    return space == TYPE_GLOBAL ? ", 0, 0" : space == TYPE_LOCAL ? ", ~0u" : "";
}

static struct root unknown(enum type_space space)
{
    return (struct root){"0", "0", "clerk_SEARCH", no_cells(space), -1, false, NULL};
}

int insert_parameter_number(const struct place *place, uint32_t declaration)
{
    const struct ast *ast = &place->part->ast;
    int number = 0;
    for (uint32_t i = place->node + 1; i < ast->nodes[place->node].next; i = ast->nodes[i].next) {
        if (ast->nodes[i].kind != AST_PARAMETER)
            continue;
        if (i == declaration)
            return number;
        number++;
    }
    return -1;
}

/* Of `pointer + number`, `pointer - number` and `number + pointer`; 0 of other operators. */
static uint32_t pointer_operand(const struct ast *ast, uint32_t node)
{
    const uint32_t left = ast_child(ast, node, 0), right = ast_child(ast, node, 1);
    if (right == 0 || (strcmp(ast->nodes[node].operator, "+") != 0 &&
                       strcmp(ast->nodes[node].operator, "-") != 0))
        return 0;
    return type_is_pointer(&ast->nodes[left])    ? left
           : type_is_pointer(&ast->nodes[right]) ? right
                                                 : 0;
}

/* The expression that the address of this one is made of; 0 = none, or not only of one. */
static uint32_t step(const struct ast *ast, uint32_t number)
{
    const struct ast_node *node = &ast->nodes[number];
    const uint32_t first = ast_child(ast, number, 0);
    switch (node->kind) {
    case AST_PAREN:
    case AST_MEMBER:
    case AST_COMPONENT:
        return first;
    case AST_SUBSCRIPT:
        return first != 0 && (type_is_pointer(&ast->nodes[first]) || ast->nodes[first].is_lvalue)
                   ? first
                   : ast_child(ast, number, 1);
    case AST_UNARY:
        return strchr("*&", node->operator[0]) &&
                       node->operator[0] != '\0' && node->operator[1] == '\0'
                   ? first
                   : 0;
    case AST_BINARY:
        return type_is_pointer(node) ? pointer_operand(ast, number) : 0;
    case AST_IMPLICIT_CAST:
    case AST_CAST:
        return node->cast == AST_CAST_ARRAY_TO_POINTER || node->cast == AST_CAST_NO_OP ||
                       node->cast == AST_CAST_BITS || node->cast == AST_CAST_ADDRESS_SPACE
                   ? first
                   : 0;
    default:
        return 0;
    }
}

/* Follows it to the variable that it is of, or whose value it is. */
static uint32_t find_variable(const struct ast *ast, uint32_t node, bool *is_value)
{
    *is_value = false;
    while (node != 0 && ast->nodes[node].kind != AST_REFERENCE) {
        const struct ast_node *here = &ast->nodes[node];
        if (here->kind == AST_IMPLICIT_CAST && here->cast == AST_CAST_LVALUE_TO_RVALUE) {
            node = insert_inside(ast, ast_child(ast, node, 0));
            *is_value = true;
            break;
        }
        /* `p++` and `*p++`: the pointer is where it was, or beside. */
        const bool moves = here->kind == AST_UNARY &&
                           (strcmp(here->operator, "++") == 0 || strcmp(here->operator, "--") == 0);
        node = moves ? insert_inside(ast, ast_child(ast, node, 0)) : step(ast, node);
        if (moves) {
            *is_value = true;
            break;
        }
    }
    return node != 0 && ast->nodes[node].kind == AST_REFERENCE
               ? ast_declaration(ast, ast->nodes[node].referred)
               : 0;
}

/* What a variable is set to where it is declared. */
static uint32_t first_value(const struct ast *ast, uint32_t declaration)
{
    const struct ast_node *node = &ast->nodes[declaration];
    return node->kind == AST_VARIABLE && ast_child_count(ast, declaration) == 1 &&
                   type_space(node) == TYPE_PRIVATE && type_is_pointer(node)
               ? ast_child(ast, declaration, 0)
               : 0;
}

/* Does the name, in the function, mean this declaration alone? */
static bool is_only_one(const struct place *place, uint32_t declaration)
{
    const struct ast *ast = &place->part->ast;
    const char *name = ast->nodes[declaration].name;
    for (uint32_t i = place->node + 1; i < ast->nodes[place->node].next; i++) {
        const bool declares =
            ast->nodes[i].kind == AST_VARIABLE || ast->nodes[i].kind == AST_PARAMETER;
        if (i != declaration && declares && strcmp(ast->nodes[i].name, name) == 0)
            return false;
    }
    return true;
}

/* ---- apart by form ---- */

bool insert_argument_is_apart(const struct insertion_program *program,
                              const struct function *function, uint32_t number)
{
    const struct fact_kernel *known = facts_find(program->facts, function->name);
    return function->is_kernel && known && number < known->argument_count &&
           known->arguments[number].apart.is_known;
}

bool insert_variable_is_apart(const struct place *place, uint32_t declaration)
{
    const struct fact_kernel *known = facts_find(place->program->facts, place->function->name);
    const char *name = place->part->ast.nodes[declaration].name;
    bool apart = false;
    for (size_t i = 0; known && place->function->is_kernel && i < known->local_count; i++)
        apart |= known->locals[i].apart.is_known && strcmp(known->locals[i].name, name) == 0;
    return apart && is_only_one(place, declaration);
}

/* ---- roots ---- */

static struct root root_of_argument(const struct place *place, int number, enum type_space space)
{
    struct insertion_program *program = place->program;
    struct root root = {insert_format(program, "clerk_base_%d", number),
                        insert_format(program, "clerk_size_%d", number),
                        insert_format(program, "%d", number),
                        no_cells(space),
                        number,
                        false,
                        NULL};
    const bool apart = insert_argument_is_apart(program, place->function, (uint32_t)number);
    if (space == TYPE_LOCAL && insert_has_local_cells(place->function))
        root.cells = insert_format(program, ", clerk_at_%d", number);
    root.is_apart = apart && space == TYPE_LOCAL;
    if (space == TYPE_GLOBAL && insert_has_cells(place->function))
        root.cells = insert_format(program,
                                   apart ? ", clerk_APART(clerk_cells_%d), clerk_window_%d"
                                         : ", clerk_cells_%d, clerk_window_%d",
                                   number, number);
    return root;
}

static struct root root_of_variable(const struct place *place, uint32_t declaration,
                                    enum type_space space)
{
    struct insertion_program *program = place->program;
    const char *name = insert_name(program, place->part->ast.nodes[declaration].name);
    struct root root = {insert_format(program, "&%s", name),
                        insert_format(program, "sizeof(%s)", name),
                        "clerk_VARIABLE",
                        no_cells(space),
                        -1,
                        false,
                        NULL};
    if (space == TYPE_LOCAL && insert_has_local_cells(place->function))
        root.cells = insert_format(program, ", clerk_at_v_%s", name);
    root.is_apart = space == TYPE_LOCAL && insert_variable_is_apart(place, declaration);
    root.variable = name;
    return root;
}

static struct root find_root(const struct place *place, uint32_t node, enum type_space space)
{
    const struct ast *ast = &place->part->ast;
    for (int i = 0; i < VARIABLES_MAX && space != TYPE_GENERIC; i++) {
        bool is_value;
        const uint32_t declaration = find_variable(ast, node, &is_value);
        if (declaration == 0)
            break;
        const struct ast_node *found = &ast->nodes[declaration];
        if (!is_value) /* of another variable's value the name may be hidden here */
            return (i == 0 || is_only_one(place, declaration)) && found->kind == AST_VARIABLE &&
                           type_space(found) == space
                       ? root_of_variable(place, declaration, space)
                       : unknown(space);
        if (place->part->changes[declaration] == CHANGE_ANY)
            break;
        if (found->kind == AST_PARAMETER) {
            const int number = insert_parameter_number(place, declaration);
            const bool known = place->function->is_kernel && number >= 0 &&
                               number <= ARGUMENT_MAX && found->name[0] != '\0' &&
                               type_pointee_space(ast, found) == space;
            return known ? root_of_argument(place, number, space) : unknown(space);
        }
        node = first_value(ast, declaration);
        if (node == 0)
            break;
    }
    return unknown(space);
}

/* A variable whose value points into the object of the address, so that what it points to is
 * searched for before the address, which may be beside. One that changes might do so in this very
 * expression. */
static const char *find_origin(const struct place *place, uint32_t node, enum type_space space)
{
    const struct ast *ast = &place->part->ast;
    bool is_value;
    const uint32_t declaration = find_variable(ast, node, &is_value);
    return declaration != 0 && is_value && place->part->changes[declaration] == CHANGE_NONE &&
                   type_pointee_space(ast, &ast->nodes[declaration]) == space &&
                   type_space(&ast->nodes[declaration]) == TYPE_PRIVATE &&
                   ast->nodes[declaration].name[0] != '\0'
               ? insert_name(place->program, ast->nodes[declaration].name)
               : NULL;
}

struct root insert_root(const struct place *place, uint32_t node, enum type_space space)
{
    struct root root = find_root(place, node, space);
    const char *origin = strcmp(root.argument, "clerk_SEARCH") == 0 && space != TYPE_GENERIC
                             ? find_origin(place, node, space)
                             : NULL;
    if (origin)
        root.base = origin;
    return root;
}
