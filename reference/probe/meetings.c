/* Barriers that maybe not all work-items of a group reach (uniform.c): while the kernel runs the
 * items are counted that come there (checkers/probe/meetings.cl).
 *
 * A driver that runs the items of a group one after the other, from barrier to barrier, lets them
 * all go the way of one of them. So an item also tells what it chose itself: the conditions where
 * items part are noted in an array of their function, 1 = true, 2 = false, 0 = not yet, what a
 * `switch` chooses by as it is, and looked at where a barrier is, or a call of what has one:
 *
 *   if (clerk_choose(&clerk_chose[0], (l < 4) ? 1 : 0))
 *       (clerk_meet(clerk_k, 7, clerk_chose[0] != 1), (barrier(...), clerk_met(clerk_k, 7)), ...);
 *
 * `(barrier(...)` and the last `, ...)` are what insert_barrier makes of it. */
#include "reference/probe/insert.h"

#include <string.h>

static bool is_within(const struct ast *ast, uint32_t node, uint32_t outer)
{
    return outer != 0 && node >= outer && node < ast->nodes[outer].next;
}

static bool has_kind(const struct ast *ast, uint32_t outer, enum ast_kind kind)
{
    for (uint32_t i = outer; i < ast->nodes[outer].next; i++)
        if (ast->nodes[i].kind == kind)
            return true;
    return false;
}

/* ---- what an item must have chosen ---- */

/* An item that has left by the jump does not come to `node`, unless it has chosen again. */
static bool leads_past(const struct ast *ast, uint32_t choice, enum ast_kind jump, uint32_t node)
{
    const uint32_t block = ast->nodes[choice].parent;
    return jump == AST_RETURN ||
           (jump != AST_OTHER && ast->nodes[block].kind == AST_COMPOUND &&
            is_within(ast, node, block) && ast->nodes[ast->nodes[block].parent].kind != AST_SWITCH);
}

/* How an item is at `node` against its choice: "!= 1"; NULL = the choice does not show it. */
static const char *test_of(const struct ast *ast, uint32_t choice, uint32_t node)
{
    const struct ast_node *here = &ast->nodes[choice];
    const uint32_t second = ast_child(ast, choice, 1), third = ast_child(ast, choice, 2);
    if (here->kind == AST_IF) {
        if (is_within(ast, node, second))
            return "!= 1";
        if (is_within(ast, node, third))
            return "!= 2";
        if (leads_past(ast, choice, insert_jump_of(ast, second), node))
            return "== 1";
        return third != 0 && leads_past(ast, choice, insert_jump_of(ast, third), node) ? "== 2"
                                                                                       : NULL;
    }
    if (is_within(ast, node, choice)) /* the body of a loop is what comes last */
        return is_within(ast, node, ast_child(ast, choice, ast_child_count(ast, choice) - 1))
                   ? "!= 1"
                   : NULL;
    return has_kind(ast, choice, AST_BREAK) || has_kind(ast, choice, AST_GOTO) ? NULL : "== 1";
}

/* Its number among those of its function; false: it cannot be noted in the text. */
static bool number_choice(const struct place *place, uint32_t choice, uint32_t *number)
{
    const struct part *part = place->part;
    const uint32_t condition = insert_condition(&part->ast, choice);
    *number = part->choices[choice] != 0 ? part->choices[choice] - 1 : part->choices[place->node];
    return condition != 0 && insert_is_written(part, &part->ast.nodes[condition]);
}

static void note_choice(const struct place *place, uint32_t choice)
{
    struct part *part = place->part;
    const uint32_t condition = insert_condition(&part->ast, choice);
    const struct ast_node *node = &part->ast.nodes[condition];
    const bool is_switch = part->ast.nodes[choice].kind == AST_SWITCH;
    const char *type = is_switch ? insert_switch_type(&part->ast, choice) : "";
    if (part->choices[choice] != 0)
        return;
    part->choices[choice] = ++part->choices[place->node];
    insert_at(place->program, part,
              (struct insertion){
                  .offset = node->begin.offset,
                  .order = condition,
                  .text = insert_format(place->program,
                                        is_switch ? "(%s)clerk_pick(&clerk_chose[%u], (%s)("
                                                  : "%sclerk_choose(&clerk_chose[%u], (%s",
                                        type, part->choices[choice] - 1, type)});
    insert_at(place->program, part,
              (struct insertion){.offset = node->end.offset,
                                 .is_end = true,
                                 .order = condition,
                                 .text = is_switch ? "))" : ") ? 1 : 0)"});
}

/* Whether an item is at `node` against its choice; NULL = that cannot be, or is not known. */
static const char *stray_by(const struct place *place, uint32_t choice, uint32_t node)
{
    const struct ast *ast = &place->part->ast;
    uint32_t number;
    if (!number_choice(place, choice, &number))
        return NULL;
    if (ast->nodes[choice].kind == AST_SWITCH)
        return is_within(ast, node, choice) ? insert_switch_test(place, choice, node, number)
                                            : NULL;
    const char *test = test_of(ast, choice, node);
    return test ? insert_format(place->program, "clerk_chose[%u] %s", number, test) : NULL;
}

/* Whether an item is at the call against its choices, as an expression; NULL = that cannot be. */
static const char *stray(const struct place *place, uint32_t call)
{
    const struct ast *ast = &place->part->ast;
    const char *text = NULL;
    for (uint32_t i = place->node + 1; i < call; i++) {
        const enum ast_kind kind = ast->nodes[i].kind;
        if ((kind != AST_IF && kind != AST_FOR && kind != AST_WHILE && kind != AST_SWITCH) ||
            !insert_parts_items(place->part, i))
            continue;
        const char *test = stray_by(place, i, call);
        if (!test)
            continue;
        note_choice(place, i);
        text = insert_format(place->program, "%s%s%s", text ? text : "", text ? " || " : "", test);
    }
    return text;
}

/* ---- insertions ---- */

void insert_meeting(const struct place *place, uint32_t call)
{
    struct insertion_program *program = place->program;
    const struct ast_node *node = &place->part->ast.nodes[call];
    const uint32_t callee = insert_callee(&place->part->ast, call);
    if (!insert_is_barrier(place->part->ast.nodes[callee].name) || !insert_is_apart(place, call) ||
        !node->begin.exact || !node->end.exact)
        return;
    const size_t site =
        insert_site(program, place->part, CHECKED_BARRIER, node->begin.offset, node->end.offset);
    const char *is_stray = stray(place, call);
    insert_at(program, place->part,
              (struct insertion){.offset = node->begin.offset,
                                 .order = call,
                                 .text = insert_format(program, "(clerk_meet(clerk_k, %zu, %s), ",
                                                       site, is_stray ? is_stray : "0")});
    insert_at(
        program, place->part,
        (struct insertion){.offset = node->end.offset,
                           .is_end = true,
                           .order = call,
                           .text = insert_format(program, ", clerk_met(clerk_k, %zu))", site)});
}

const char *insert_passed_on(const struct place *place, uint32_t call,
                             const struct function *called)
{
    const char *is_stray =
        called->meets && insert_is_apart(place, call) ? stray(place, call) : NULL;
    return is_stray ? insert_format(place->program, "clerk_strayed(clerk_k, %s)", is_stray)
                    : "clerk_k";
}

void insert_begin_meetings(const struct place *place, uint32_t body)
{
    const struct part *part = place->part;
    const uint32_t count = part->choices[place->node];
    struct insertion insertion = {.offset = part->ast.nodes[body].begin.offset + 1,
                                  .order = body,
                                  .needing = place->function};
    insertion.text = " __local uint clerk_meeting[clerk_MEETING_WORDS];"
                     " clerk_meet_begin(clerk_k, clerk_meeting);";
    if (place->function->is_kernel && !place->function->is_called && place->function->meets)
        insert_at(place->program, place->part, insertion);
    insertion.text =
        insert_format(place->program, " __private volatile ulong clerk_chose[%u] = {0};", count);
    if (count > 0)
        insert_at(place->program, place->part, insertion);
}
