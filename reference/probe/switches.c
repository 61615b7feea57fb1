/* Which labels of a `switch` lead to a place in it, for barriers there (meetings.c): those from the
 * last jump on. Of a `switch` whose labels do not all stand directly in its block, or in a function
 * with `goto`, nothing is said. */
#include "reference/probe/insert.h"

#include <string.h>

static bool is_label(const struct ast_node *node)
{
    return node->kind == AST_CASE || node->kind == AST_DEFAULT;
}

static bool is_within(const struct ast *ast, uint32_t node, uint32_t outer)
{
    return node >= outer && node < ast->nodes[outer].next;
}

static uint32_t last_child(const struct ast *ast, uint32_t node)
{
    const unsigned count = ast_child_count(ast, node);
    return count > 0 ? ast_child(ast, node, count - 1) : 0;
}

/* `case 1: case 2:` are one in the other. */
static bool is_in_block(const struct ast *ast, uint32_t label)
{
    uint32_t parent = ast->nodes[label].parent;
    while (is_label(&ast->nodes[parent]))
        parent = ast->nodes[parent].parent;
    return ast->nodes[parent].kind == AST_COMPOUND &&
           ast->nodes[ast->nodes[parent].parent].kind == AST_SWITCH;
}

/* The value of a label can be written once more, and there is one (not `case 1 ... 3`). */
static bool is_plain(const struct part *part, uint32_t label)
{
    const struct ast *ast = &part->ast;
    const struct ast_node *value = &ast->nodes[ast_child(ast, label, 0)];
    return ast->nodes[label].kind == AST_DEFAULT ||
           (ast_child_count(ast, label) == 2 && insert_is_written(part, value));
}

const char *insert_switch_type(const struct ast *ast, uint32_t choice)
{
    const struct ast_node *value = &ast->nodes[insert_condition(ast, choice)];
    const char *type = value->plain_type[0] != '\0' ? value->plain_type : value->type;
    const char *last = strrchr(type, ' ');
    last = last ? last + 1 : type;
    return strcmp(last, "int") == 0 ? "uint" : strcmp(last, "long") == 0 ? "ulong" : NULL;
}

static bool can_be_told(const struct place *place, uint32_t choice)
{
    const struct ast *ast = &place->part->ast;
    if (!insert_switch_type(ast, choice) ||
        ast->nodes[last_child(ast, choice)].kind != AST_COMPOUND)
        return false;
    for (uint32_t i = place->node; i < ast->nodes[place->node].next; i++)
        if (ast->nodes[i].kind == AST_GOTO)
            return false;
    for (uint32_t i = choice; i < ast->nodes[choice].next; i++)
        if (is_label(&ast->nodes[i]) && (!is_in_block(ast, i) || !is_plain(place->part, i)))
            return false;
    return true;
}

enum ast_kind insert_jump_of(const struct ast *ast, uint32_t statement)
{
    while (statement != 0 && ast->nodes[statement].kind == AST_COMPOUND)
        statement = last_child(ast, statement);
    const enum ast_kind kind = ast->nodes[statement].kind;
    return kind == AST_RETURN || kind == AST_BREAK || kind == AST_CONTINUE ? kind : AST_OTHER;
}

/* The first statement of the block from which on no jump is before `node`. */
static uint32_t segment_of(const struct ast *ast, uint32_t block, uint32_t node)
{
    uint32_t first = block + 1;
    for (uint32_t i = block + 1; i < ast->nodes[block].next && i <= node; i = ast->nodes[i].next) {
        uint32_t statement = i;
        while (is_label(&ast->nodes[statement]))
            statement = last_child(ast, statement);
        if (!is_within(ast, node, i) && insert_jump_of(ast, statement) != AST_OTHER)
            first = ast->nodes[i].next;
    }
    return first;
}

/* Is `default` among the labels of the statements from `first` to `end`? */
static bool has_default(const struct ast *ast, uint32_t first, uint32_t end)
{
    for (uint32_t i = first; i < end; i = ast->nodes[i].next)
        for (uint32_t label = i; is_label(&ast->nodes[label]); label = last_child(ast, label))
            if (ast->nodes[label].kind == AST_DEFAULT)
                return true;
    return false;
}

const char *insert_switch_test(const struct place *place, uint32_t choice, uint32_t node,
                               uint32_t number)
{
    struct insertion_program *program = place->program;
    const struct ast *ast = &place->part->ast;
    const char *test = NULL;
    if (!can_be_told(place, choice))
        return NULL;
    const uint32_t block = last_child(ast, choice);
    const uint32_t first = segment_of(ast, block, node);
    const bool others = has_default(ast, first, node);
    for (uint32_t i = block + 1; i < ast->nodes[block].next; i = ast->nodes[i].next)
        for (uint32_t label = i; is_label(&ast->nodes[label]); label = last_child(ast, label)) {
            const struct ast_node *value = &ast->nodes[ast_child(ast, label, 0)];
            const bool leads = label >= first && label < node;
            if (ast->nodes[label].kind == AST_DEFAULT || leads == others)
                continue;
            test = insert_format(
                program, "%s%sclerk_chose[%u] %s (%s)(%s)", test ? test : "",
                test ? others ? " || " : " && " : "", number,
                others ? "==" : "!=", insert_switch_type(ast, choice),
                insert_quote(program, place->part, value->begin.offset, value->end.offset));
        }
    return test ? insert_format(program, "(%s)", test) : NULL;
}
