/* Checks of asynchronous copies (OpenCL C 3.0, 6.15.11): what is not within is not copied, and the
 * cells are told of both sides where the copy begins (checks_copies.cl). */
#include "reference/probe/calls.h"

#include <string.h>

/* One side of a copy: where it leads, and how it is spelled. */
struct side {
    enum type_space space;
    const char *name; /* "to" */
    bool is_strided;
};

static enum type_space space_of(const struct call *call, unsigned argument)
{
    const struct ast *ast = &call->place->part->ast;
    return type_pointee_space(ast, &ast->nodes[ast_child(ast, call->node, argument + 1)]);
}

/* The parameters of the function that stands in that tell of one side. */
static const char *parameters_of(struct insertion_program *program, const struct side *side)
{
    const bool is_local = side->space == TYPE_LOCAL;
    return insert_format(
        program,
        "uint clerk_%s_site, const volatile %s void *clerk_%s_base, ulong clerk_%s_size, "
        "uint clerk_%s_argument, %s",
        side->name, is_local ? "__local" : "__global", side->name, side->name, side->name,
        is_local ? "uint clerk_at, "
                 : "volatile __global ulong *clerk_cells, ulong clerk_window, ");
}

/* Calls a function for the elements of one side; `of_copy` stands before the last parenthesis. */
static const char *call_for(struct insertion_program *program, const struct side *side,
                            const char *function, const char *how, const char *of_copy)
{
    const char *space = type_space_name(side->space);
    return insert_format(program,
                         "%s_%s(clerk_k, clerk_%s, sizeof(*clerk_%s), clerk_n, %s, clerk_%s_base, "
                         "clerk_%s_size, clerk_%s_argument, %s, clerk_%s_site%s); ",
                         function, space, side->name, side->name,
                         side->is_strided ? "clerk_stride" : "1", side->name, side->name,
                         side->name, how, side->name, of_copy);
}

static const char *cells_of(const struct side *side)
{
    return side->space == TYPE_LOCAL ? ", clerk_at" : ", clerk_cells, clerk_window";
}

static const char *write_copy(const struct call *call, unsigned number)
{
    struct insertion_program *program = call->place->program;
    const bool is_strided = strstr(call->name, "strided") != NULL;
    const struct side to = {space_of(call, 0), "to",
                            is_strided && space_of(call, 0) == TYPE_GLOBAL};
    const struct side from = {space_of(call, 1), "from",
                              is_strided && space_of(call, 1) == TYPE_GLOBAL};
    return insert_format(
        program,
        "clerk_CHECK event_t clerk_%u_%s(__private struct clerk_k *clerk_k, "
        "%s%s%s clerk_to, %s clerk_from, size_t clerk_n, %sevent_t clerk_event) { "
        "clerk_alike(clerk_k, clerk_to_site, (size_t)clerk_to, (size_t)clerk_from, clerk_n, %s); "
        "clerk_n = %sclerk_n = %s%s%sreturn %s(clerk_to, clerk_from, clerk_n, %sclerk_event); } ",
        number, call->name, parameters_of(program, &to), parameters_of(program, &from),
        call->types[0], call->types[1], is_strided ? "size_t clerk_stride, " : "",
        is_strided ? "clerk_stride" : "1", call_for(program, &to, "clerk_fit", "1", ""),
        call_for(program, &from, "clerk_fit", "0", ""),
        call_for(program, &to, "clerk_copied", "clerk_WRITES", cells_of(&to)),
        call_for(program, &from, "clerk_copied", "clerk_READS", cells_of(&from)), call->name,
        is_strided ? "clerk_stride, " : "");
}

/* The bytes of an element. */
static unsigned element_size(const struct call *call, unsigned argument)
{
    const struct ast *ast = &call->place->part->ast;
    struct type_shape shape;
    return type_shape(ast, &ast->nodes[ast_child(ast, call->node, argument + 1)], true, &shape)
               ? shape.count * shape.element_size
               : 0;
}

/* What is copied, or where to, is what the finding names. */
static size_t site_of(const struct call *call, unsigned argument)
{
    const struct place *place = call->place;
    const struct ast_node *node = &place->part->ast.nodes[call->arguments[argument]];
    return node->begin.exact && node->end.exact && node->begin.offset < node->end.offset
               ? insert_site(place->program, place->part, CHECKED_COPY, node->begin.offset,
                             node->end.offset)
               : call_site(call, CHECKED_COPY);
}

void insert_copy(const struct call *call)
{
    const struct place *place = call->place;
    const enum type_space to = space_of(call, 0), from = space_of(call, 1);
    const bool known =
        (to == TYPE_LOCAL && from == TYPE_GLOBAL) || (to == TYPE_GLOBAL && from == TYPE_LOCAL);
    if (!known || !call_can_stand_in(call))
        return;
    const struct root to_root = insert_root(place, call->arguments[0], to);
    const struct root from_root = insert_root(place, call->arguments[1], from);
    const size_t to_site = site_of(call, 0), from_site = site_of(call, 1);
    insert_note_access(place, &to_root, to, element_size(call, 0), true);
    insert_note_access(place, &from_root, from, element_size(call, 1), false);
    call_use_space(place, TYPE_LOCAL);
    call_replace(call, call_stand_in(call, write_copy),
                 insert_format(place->program, "clerk_k, %zu, %s, %s, %s%s, %zu, %s, %s, %s%s, ",
                               to_site, to_root.base, to_root.size, to_root.argument, to_root.cells,
                               from_site, from_root.base, from_root.size, from_root.argument,
                               from_root.cells));
}
