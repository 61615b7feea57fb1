/* Would a compiler get a kernel wrong with checks in it? PoCL's has one thread for all work-items
 * of a group, and what follows a barrier in an if statement it has once for each way there. If an
 * && or || comes behind that barrier, and more choices do, then version 3.1 lets all items go the
 * way that the first goes at the && or ||: a kernel of its own making does so with one || more. To
 * a checked copy the checks are such choices, so over PoCL the kernel is left as it is. */
#include "reference/probe/insert.h"

#include <string.h>

static bool is_barrier_call(const struct place *place, uint32_t node)
{
    const struct ast *ast = &place->part->ast;
    const uint32_t callee = ast->nodes[node].kind == AST_CALL ? insert_callee(ast, node) : 0;
    if (callee == 0)
        return false;
    const char *name = ast->nodes[callee].name;
    const struct function *called = insert_function_of(place->program, name);
    return insert_is_barrier(name) || (called && called->reaches_barrier);
}

/* Within the if statement. */
static bool has_choice_behind_barrier(const struct place *place, uint32_t statement)
{
    const struct ast *ast = &place->part->ast;
    bool is_behind = false;
    for (uint32_t i = statement + 1; i < ast->nodes[statement].next; i++) {
        const struct ast_node *node = &ast->nodes[i];
        if (is_behind && node->kind == AST_BINARY &&
            (strcmp(node->operator, "&&") == 0 || strcmp(node->operator, "||") == 0))
            return true;
        is_behind |= is_barrier_call(place, i);
    }
    return false;
}

bool insert_may_be_led(const struct place *place, uint32_t body)
{
    const struct ast *ast = &place->part->ast;
    for (uint32_t i = body + 1; i < ast->nodes[body].next; i++)
        if (ast->nodes[i].kind == AST_IF && has_choice_behind_barrier(place, i))
            return true;
    return false;
}

void insert_spread_led(struct insertion_program *program)
{
    bool is_new = true;
    while (is_new) {
        is_new = false;
        for (struct function *function = program->functions; function;
             function = function->hh.next) {
            bool may_be_led = function->may_be_led;
            for (size_t i = 0; i < function->called_count; i++)
                may_be_led |= function->called[i]->may_be_led;
            is_new |= may_be_led != function->may_be_led;
            function->may_be_led = may_be_led;
        }
    }
}
