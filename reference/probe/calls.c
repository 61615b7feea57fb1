/* Calls of built-in functions: what their arguments are, and functions of checks that stand in for
 * them. */
#include "reference/probe/calls.h"

#include <string.h>

/* ---- arguments ---- */

/* A pointer before it is converted to the type of the parameter. */
static uint32_t given(const struct ast *ast, uint32_t argument)
{
    const struct ast_node *node = &ast->nodes[argument];
    while (node->kind == AST_IMPLICIT_CAST && node->cast != AST_CAST_LVALUE_TO_RVALUE &&
           node->cast != AST_CAST_ARRAY_TO_POINTER && ast_child(ast, argument, 0) != 0) {
        argument = ast_child(ast, argument, 0);
        node = &ast->nodes[argument];
    }
    return argument;
}

const char *call_type(const struct call *call, const struct ast_node *node)
{
    struct insertion_program *program = call->place->program;
    struct type_shape shape;
    if (!type_shape(&call->place->part->ast, node, false, &shape))
        return type_is_spelled(node->type) ? insert_type(program, node->type) : NULL;
    return shape.count == 1 ? insert_format(program, "%s", shape.element)
                            : insert_format(program, "%s%u", shape.element, shape.count);
}

uint32_t call_passed(const struct ast *ast, uint32_t argument)
{
    const struct ast_node *before = &ast->nodes[given(ast, argument)];
    return type_is_pointer(before) &&
                   type_pointee_space(ast, before) != type_pointee_space(ast, &ast->nodes[argument])
               ? given(ast, argument)
               : argument;
}

bool call_read(struct call *call)
{
    const struct ast *ast = &call->place->part->ast;
    call->count = ast_child_count(ast, call->node) - 1;
    if (call->count > CALL_ARGUMENTS_MAX)
        return false;
    for (unsigned i = 0; i < call->count; i++) {
        const uint32_t argument = ast_child(ast, call->node, i + 1);
        call->arguments[i] = given(ast, argument);
        call->types[i] = call_type(call, &ast->nodes[call_passed(ast, argument)]);
    }
    return true;
}

/* ---- functions that stand in ---- */

uint32_t call_arguments(const struct part *part, const struct ast_node *callee)
{
    if (!callee->end.exact || callee->end.offset > part->source.text.size)
        return 0;
    const uint32_t at = insert_skip_blank(part, callee->end.offset);
    return part->source.text.bytes[at] == '(' ? at + 1 : 0;
}

/* Where a declaration of the program itself begins, with the attributes before it. */
static uint32_t begin_of_declaration(const struct part *part, uint32_t function)
{
    const char *text = part->source.text.bytes;
    uint32_t start = part->ast.nodes[function].begin.offset;
    if (start > part->source.text.size)
        return AST_NOWHERE;
    while (start > 0 && text[start - 1] != ';' && text[start - 1] != '}')
        start--;
    uint32_t line = start; /* that of the preprocessor's which the `;` may belong to */
    while (line > 0 && text[line - 1] != '\n')
        line--;
    if (text[line] == '#' && line < start)
        start += (uint32_t)strcspn(text + start, "\n");
    if (start == 0 && text[0] == '#')
        start += (uint32_t)strcspn(text, "\n");
    return insert_skip_blank(part, start);
}

unsigned call_stand_in(const struct call *call, const char *(*write)(const struct call *, unsigned))
{
    const struct place *place = call->place;
    struct insertion_program *program = place->program;
    struct text key = TEXT_INIT;
    struct stand_in *found;
    text_append(&key, call->name);
    for (unsigned i = 0; i < call->count; i++)
        text_format(&key, ",%s", call->types[i]);
    HASH_FIND_STR(place->part->stand_ins, key.bytes, found);
    if (!found) {
        found = arena_alloc(program->arena, 1, sizeof *found);
        const char *copy = found ? arena_string(program->arena, key.bytes) : NULL;
        program->no_memory |= !copy || key.failed;
        if (copy) {
            *found = (struct stand_in){.key = copy, .number = ++program->stand_in_count};
            HASH_ADD_KEYPTR(hh, place->part->stand_ins, copy, strlen(copy), found);
            program->no_memory |= !found->hh.tbl;
            insert_at(program, place->part,
                      (struct insertion){.offset = begin_of_declaration(place->part, place->node),
                                         .order = place->node,
                                         .text = write(call, found->number)});
        }
    }
    const unsigned number = found ? found->number : 0;
    text_release(&key);
    return number;
}

void call_replace(const struct call *call, unsigned number, const char *leading)
{
    const struct place *place = call->place;
    struct insertion_program *program = place->program;
    const struct ast_node *callee = &place->part->ast.nodes[call->callee];
    insert_at(program, place->part,
              (struct insertion){.offset = callee->begin.offset,
                                 .order = call->callee,
                                 .text = insert_format(program, "clerk_%u_", number)});
    insert_at(program, place->part,
              (struct insertion){.offset = call_arguments(place->part, callee),
                                 .order = call->callee,
                                 .text = leading});
}

void call_use_space(const struct place *place, enum type_space space)
{
    struct insertion_program *program = place->program;
    place->function->has_checks = true;
    program->uses_constant |= space == TYPE_CONSTANT;
    program->uses_generic |= space == TYPE_GENERIC;
    if (space == TYPE_LOCAL || space == TYPE_GENERIC)
        program->uses_local = place->function->uses_local = true;
}

size_t call_site(const struct call *call, enum checked_access access)
{
    const struct ast_node *node = &call->place->part->ast.nodes[call->node];
    const struct ast_node *callee = &call->place->part->ast.nodes[call->callee];
    const uint32_t end = node->end.offset != AST_NOWHERE ? node->end.offset : callee->end.offset;
    return insert_site(call->place->program, call->place->part, access, callee->begin.offset, end);
}

bool call_can_stand_in(const struct call *call)
{
    const struct ast_node *callee = &call->place->part->ast.nodes[call->callee];
    for (unsigned i = 0; i < call->count; i++) {
        if (!call->types[i])
            return false;
    }
    return callee->begin.exact && call_arguments(call->place->part, callee) != 0;
}
