/* The first look at a part: its functions and which calls which, which variables change, and what
 * keeps it from being checked. */
#include "reference/probe/insert.h"

#include "trace/base/alloc.h"

#include <string.h>

struct survey {
    struct insertion_program *program;
    struct part *part;
    const struct ast *ast;
    struct function *function; /* whose body it is */
};

struct function *insert_function_of(struct insertion_program *program, const char *name)
{
    struct function *function;
    HASH_FIND_STR(program->functions, name, function);
    if (function)
        return function;
    function = arena_alloc(program->arena, 1, sizeof *function);
    const char *copy = function ? arena_string(program->arena, name) : NULL;
    if (copy) {
        function->name = copy;
        HASH_ADD_KEYPTR(hh, program->functions, copy, strlen(copy), function);
    }
    program->no_memory |= !copy || !function->hh.tbl;
    return program->no_memory ? NULL : function;
}

uint32_t insert_inside(const struct ast *ast, uint32_t node)
{
    while (ast->nodes[node].kind == AST_PAREN && ast_child(ast, node, 0) != 0)
        node = ast_child(ast, node, 0);
    return node;
}

bool insert_is_written(const struct part *part, const struct ast_node *node)
{
    if (!node->begin.exact || !node->end.exact || node->begin.offset >= node->end.offset ||
        node->end.offset > part->source.text.size)
        return false;
    const char *begin = part->source.text.bytes + node->begin.offset;
    return memmem(begin, node->end.offset - node->begin.offset, "\n#", 2) == NULL;
}

uint32_t insert_callee(const struct ast *ast, uint32_t call)
{
    const uint32_t decayed = ast_child(ast, call, 0);
    const uint32_t callee = decayed != 0 && ast->nodes[decayed].kind == AST_IMPLICIT_CAST
                                ? ast_child(ast, decayed, 0)
                                : 0;
    return callee != 0 && ast->nodes[callee].kind == AST_REFERENCE ? callee : 0;
}

bool insert_is_kernel(const struct ast *ast, uint32_t function)
{
    return ast_child_of_kind(ast, function, AST_KERNEL) != 0 ||
           ast_child_of_kind(ast, function, AST_DEVICE_KERNEL) != 0;
}

bool insert_is_barrier(const char *name)
{
    return strcmp(name, "barrier") == 0 || strcmp(name, "work_group_barrier") == 0;
}

uint32_t insert_skip_blank(const struct part *part, uint32_t offset)
{
    const char *text = part->source.text.bytes;
    if (offset > part->source.text.size)
        return (uint32_t)part->source.text.size;
    for (;;) {
        offset += (uint32_t)strspn(text + offset, " \t\r\n\f\v");
        if (text[offset] != '#' || offset == 0 || text[offset - 1] != '\n')
            return offset;
        offset += (uint32_t)strcspn(text + offset, "\n");
    }
}

/* ---- functions ---- */

static void add_called(struct survey *survey, struct function *called)
{
    struct function *caller = survey->function;
    if (!caller || !called)
        return;
    struct function **grown = alloc_grow(caller->called, caller->called_count, &caller->called_room,
                                         sizeof(*caller->called));
    survey->program->no_memory |= !grown;
    if (!grown)
        return;
    caller->called = grown;
    caller->called[caller->called_count++] = called;
}

static void look_at_reference(struct survey *survey, uint32_t number)
{
    const struct ast *ast = survey->ast;
    const struct ast_node *node = &ast->nodes[number];
    const uint32_t declaration = ast_declaration(ast, node->referred);
    if (ast->nodes[declaration].kind != AST_FUNCTION)
        return;
    struct function *function = insert_function_of(survey->program, node->name);
    const uint32_t call = ast->nodes[node->parent].parent;
    const bool is_call = ast->nodes[call].kind == AST_CALL && insert_callee(ast, call) == number;
    if (!function)
        return;
    if (is_call && insert_is_kernel(ast, declaration))
        function->is_called = true;
    function->is_value |= !is_call;
    add_called(survey, function);
}

/* ---- variables ---- */

static bool is_const(const struct ast_node *node)
{
    return strncmp(node->type, "const ", 6) == 0 || strstr(node->type, " const ") != NULL;
}

static void look_at_variable(struct survey *survey, uint32_t number)
{
    struct insertion_program *program = survey->program;
    const struct ast_node *node = &survey->ast->nodes[number];
    const enum type_space space = type_space(node);
    if (space == TYPE_CONSTANT)
        program->has_constants = true;
    if (space != TYPE_GLOBAL)
        return;
    program->has_foreign_pointers = program->makes_pointers = true;
    if (!is_const(node) && !program->reason)
        program->reason = "it has variables in global memory";
}

static void change(struct survey *survey, uint32_t operand, enum change change)
{
    const struct ast *ast = survey->ast;
    if (operand == 0)
        return;
    const struct ast_node *node = &ast->nodes[insert_inside(ast, operand)];
    const uint32_t declaration =
        node->kind == AST_REFERENCE ? ast_declaration(ast, node->referred) : 0;
    if (declaration != 0 && survey->part->changes[declaration] < change)
        survey->part->changes[declaration] = (uint8_t)change;
}

static void look_at_operator(struct survey *survey, uint32_t number)
{
    const struct ast_node *node = &survey->ast->nodes[number];
    const uint32_t operand = ast_child(survey->ast, number, 0);
    const char *operator= node->operator;
    if (strcmp(operator, "++") == 0 || strcmp(operator, "--") == 0 ||
        node->kind == AST_COMPOUND_ASSIGNMENT)
        change(survey, operand, CHANGE_MOVED);
    else if ((node->kind == AST_BINARY && strcmp(operator, "=") == 0) ||
             (node->kind == AST_UNARY && strcmp(operator, "&") == 0))
        change(survey, operand, CHANGE_ANY);
}

/* ---- pointers that come from elsewhere ---- */

static void look_at_cast(struct survey *survey, uint32_t number)
{
    const struct ast *ast = survey->ast;
    const struct ast_node *node = &ast->nodes[number];
    const uint32_t operand = ast_child(ast, number, 0);
    if (!type_is_pointer(node) || operand == 0)
        return;
    if (node->kind == AST_ASTYPE || node->cast == AST_CAST_INTEGRAL_TO_POINTER)
        survey->program->has_foreign_pointers = survey->program->makes_pointers = true;
    if (node->cast == AST_CAST_LVALUE_TO_RVALUE && type_space(&ast->nodes[operand]) != TYPE_PRIVATE)
        survey->program->has_foreign_pointers = true;
}

static void look_at(struct survey *survey, uint32_t number)
{
    switch (survey->ast->nodes[number].kind) {
    case AST_REFERENCE:
        look_at_reference(survey, number);
        break;
    case AST_VARIABLE:
        look_at_variable(survey, number);
        break;
    case AST_UNARY:
    case AST_BINARY:
    case AST_COMPOUND_ASSIGNMENT:
        look_at_operator(survey, number);
        break;
    case AST_IMPLICIT_CAST:
    case AST_CAST:
    case AST_ASTYPE:
        look_at_cast(survey, number);
        break;
    case AST_FIELD: /* of a union of a pointer and a number, or copied from memory */
        if (type_is_pointer(&survey->ast->nodes[number]))
            survey->program->has_foreign_pointers = true;
        break;
    case AST_STRING:
        survey->program->has_constants = true;
        break;
    case AST_BLOCK:
        if (!survey->program->reason)
            survey->program->reason = "it has blocks, with which kernels enqueue others";
        break;
    default:
        break;
    }
}

void insert_survey(struct insertion_program *program, struct part *part)
{
    struct survey survey = {.program = program, .part = part, .ast = &part->ast};
    const struct ast *ast = &part->ast;
    for (uint32_t i = 1; i < ast->count && !program->no_memory; i++) {
        const struct ast_node *node = &ast->nodes[i];
        if (node->parent == 0)
            survey.function = NULL;
        if (survey.function)
            insert_look_at_order(program, part, i, survey.function);
        if (node->kind == AST_FUNCTION && node->parent == 0) {
            survey.function = insert_function_of(program, node->name);
            if (!survey.function)
                return;
            survey.function->is_defined |= ast_child_of_kind(ast, i, AST_COMPOUND) != 0;
            survey.function->is_kernel |= insert_is_kernel(ast, i);
        }
        look_at(&survey, i);
    }
}
