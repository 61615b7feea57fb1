/* Checks of what the program reads and writes by itself: through `[]`, `*`, `->` and `.`. */
#include "reference/probe/insert.h"

#include <stdlib.h>
#include <string.h>

/* Which elements of a vector `v.xy` or `v.s13` stands for. */
struct selection {
    unsigned elements[16];
    unsigned count;
};

/* False when it has been wrapped before: clang shows some expressions twice. */
static bool is_first(const struct place *place, const struct ast_node *node)
{
    struct part *part = place->part;
    const uint64_t key = (uint64_t)node->begin.offset << 32 | node->end.offset;
    struct span *span;
    HASH_FIND(hh, part->spans, &key, sizeof key, span);
    if (span)
        return false;
    span = arena_alloc(place->program->arena, 1, sizeof *span);
    if (span) {
        span->key = key;
        HASH_ADD(hh, part->spans, key, sizeof span->key, span);
    }
    place->program->no_memory |= !span || !span->hh.tbl;
    return !place->program->no_memory;
}

static void note_space(const struct place *place, enum type_space space)
{
    struct insertion_program *program = place->program;
    place->function->has_checks = true;
    program->uses_constant |= space == TYPE_CONSTANT;
    program->uses_generic |= space == TYPE_GENERIC;
    if (space == TYPE_LOCAL || space == TYPE_GENERIC) {
        program->uses_local = true;
        place->function->uses_local = true;
    }
}

/* The node's type, to be written; of one without a name, that of its text. */
static const char *spell_type(const struct place *place, const struct ast_node *node)
{
    if (type_is_spelled(node->type))
        return insert_type(place->program, node->type);
    const char *quoted =
        insert_quote(place->program, place->part, node->begin.offset, node->end.offset);
    return quoted ? insert_format(place->program, "__typeof__(%s)", quoted) : NULL;
}

static const char *kind_of_one(enum checked_access access)
{
    return access == CHECKED_READ ? "clerk_READS_ONE" : "clerk_WRITES_ONE";
}

/* Does it take the value that is there? Of local memory `takes` knows. Of global memory each byte
 * is known, also of structures and parts of vectors, and reads take theirs without being told so.
 */
static bool takes_in(const struct place *place, enum type_space space, enum checked_access access,
                     const char *name, bool takes)
{
    if (place->is_one)
        return false;
    return space == TYPE_GLOBAL ? access != CHECKED_READ && insert_takes(access, name)
                                : takes && (space == TYPE_LOCAL || space == TYPE_GENERIC);
}

bool insert_may_be_global(enum type_space space)
{
    return space == TYPE_GLOBAL || space == TYPE_GENERIC;
}

/* `open` takes what comes before the call of the check, with a type. */
static void wrap(const struct place *place, uint32_t number, enum type_space space,
                 enum checked_access access, const char *name, const char *before,
                 const char *bytes, unsigned touched, unsigned first, bool takes)
{
    struct insertion_program *program = place->program;
    const struct ast_node *node = &place->part->ast.nodes[number];
    const bool with_takes = takes_in(place, space, access, name, takes);
    struct root root = insert_root(place, number, space);
    if (access == CHECKED_READ && space == TYPE_GLOBAL && root.number >= 0 &&
        insert_is_overwritten(place, number))
        root.cells = ", 0, 0";
    insert_note_access(place, &root, space, touched != 0 ? touched | first : 0,
                       access != CHECKED_READ);
    const size_t site =
        insert_site(program, place->part, access, node->begin.offset, node->end.offset);
    if (root.variable && !program->no_memory)
        program->sites[site].variable = arena_string(program->arena, root.variable);
    note_space(place, space);
    insert_at(program, place->part,
              (struct insertion){.offset = node->begin.offset, .order = number, .text = before});
    const char *how = place->is_one ? kind_of_one(access) : insert_kind(access, name);
    insert_at(program, place->part,
              (struct insertion){
                  .offset = node->end.offset,
                  .is_end = true,
                  .order = number,
                  .text = insert_format(
                      program, "), %u, %s, %s, %s, %s, %s%s%s, %zu%s))", first, bytes, root.base,
                      root.size, root.argument, how, with_takes ? " | clerk_TAKES" : "",
                      root.is_apart ? " | clerk_APART_MARKS" : "", site, root.cells)});
}

/* ---- lvalues ---- */

/* A variable, or a member of one: within bounds by itself. In local memory others may access it. */
static bool is_variable(const struct ast *ast, uint32_t node)
{
    while (ast->nodes[node].kind == AST_PAREN ||
           (ast->nodes[node].kind == AST_MEMBER && !ast->nodes[node].is_arrow))
        node = ast_child(ast, node, 0);
    return ast->nodes[node].kind == AST_REFERENCE;
}

/* A member of a packed structure may lie where its type may not. */
static bool is_packed(const struct ast *ast, uint32_t node)
{
    for (; node != 0; node = ast_child(ast, node, 0)) {
        if (ast->nodes[node].kind == AST_PAREN)
            continue;
        if (ast->nodes[node].kind == AST_SUBSCRIPT || ast->nodes[node].kind == AST_IMPLICIT_CAST)
            continue;
        if (ast->nodes[node].kind != AST_MEMBER)
            return false;
        const uint32_t field = ast_declaration(ast, ast->nodes[node].referred);
        if (field != 0 && (ast_child_of_kind(ast, field, AST_PACKED) != 0 ||
                           ast_child_of_kind(ast, ast->nodes[field].parent, AST_PACKED) != 0))
            return true;
    }
    return false;
}

static void check_lvalue(const struct place *place, uint32_t number, enum checked_access access,
                         const char *bytes, unsigned first, bool takes)
{
    const struct ast *ast = &place->part->ast;
    const struct ast_node *node = &ast->nodes[number];
    const enum type_space space = type_space(node);
    struct type_shape shape;
    unsigned touched = bytes ? (unsigned)strtoul(bytes, NULL, 10) : 0;
    /* Of structures and parts of vectors some bytes may never be written, nor used. */
    takes &= !bytes && type_shape(ast, node, false, &shape) && insert_takes(access, "");
    if (space == TYPE_PRIVATE || !node->is_lvalue ||
        (space != TYPE_LOCAL && is_variable(ast, number)) || is_packed(ast, number) ||
        !insert_is_written(place->part, node))
        return;
    const char *type = spell_type(place, node);
    if (!type || !is_first(place, node))
        return;
    if (!bytes && type_shape(ast, node, false, &shape)) {
        touched = shape.count * shape.element_size;
        if (shape.count == 3)
            bytes = insert_format(place->program, "%u", touched);
    }
    if (!bytes)
        bytes = insert_format(place->program, "sizeof(%s)", type);
    wrap(
        place, number, space, access, "",
        insert_format(place->program, "(*(%s *)clerk_%s(clerk_k, &(", type, type_space_name(space)),
        bytes, touched, first, takes);
}

void insert_pointer(const struct place *place, uint32_t pointer, enum checked_access access,
                    const char *name, const char *bytes, unsigned first)
{
    const struct ast *ast = &place->part->ast;
    const struct ast_node *node = &ast->nodes[pointer];
    struct type_shape shape;
    unsigned touched = bytes ? (unsigned)strtoul(bytes, NULL, 10) : 0;
    const enum type_space space = type_pointee_space(ast, node);
    if (space == TYPE_PRIVATE || !insert_is_written(place->part, node))
        return;
    const char *type = spell_type(place, node);
    if (!type || !is_first(place, node))
        return;
    if (!bytes && type_shape(ast, node, true, &shape))
        touched = shape.count * shape.element_size;
    if (!bytes)
        bytes = insert_format(place->program, "sizeof(*(%s)0)", type);
    wrap(place, pointer, space, access, name,
         insert_format(place->program, "((%s)clerk_%s(clerk_k, (", type, type_space_name(space)),
         bytes, touched, first, access == CHECKED_ATOMIC && insert_takes(access, name));
}

/* ---- components of vectors ---- */

static bool select_by_name(const char *name, unsigned size, struct selection *selection)
{
    static const char *const sets[] = {"xyzw", "rgba"};
    if (size == 3)
        size = 4; /* OpenCL C 3.0, 6.3.7: the fourth is undefined, and may be named by halves */
    if (strcmp(name, "lo") == 0 || strcmp(name, "hi") == 0 || strcmp(name, "even") == 0 ||
        strcmp(name, "odd") == 0) {
        for (unsigned i = 0; i < size / 2; i++)
            selection->elements[selection->count++] = name[0] == 'l'   ? i
                                                      : name[0] == 'h' ? size / 2 + i
                                                      : name[0] == 'e' ? 2 * i
                                                                       : 2 * i + 1;
        return selection->count > 0;
    }
    const bool is_numbered = name[0] == 's' || name[0] == 'S';
    for (const char *at = name + is_numbered; *at != '\0' && selection->count < 16; at++) {
        static const char digits[] = "0123456789abcdef0123456789ABCDEF";
        const char *found = is_numbered                    ? strchr(digits, *at)
                            : strchr(sets[0], *at) != NULL ? strchr(sets[0], *at)
                                                           : strchr(sets[1], *at);
        if (!found)
            return false;
        const size_t element = is_numbered                    ? (size_t)(found - digits) % 16
                               : strchr(sets[0], *at) != NULL ? (size_t)(found - sets[0])
                                                              : (size_t)(found - sets[1]);
        selection->elements[selection->count++] = (unsigned)element;
    }
    return selection->count > 0;
}

/* `v.hi.x`: the outer name selects among what the inner one has selected. */
static bool select_in(const struct selection *inner, const struct selection *outer,
                      struct selection *both)
{
    *both = (struct selection){.count = outer->count};
    for (unsigned i = 0; i < outer->count; i++) {
        if (outer->elements[i] >= inner->count)
            return false;
        both->elements[i] = inner->elements[outer->elements[i]];
    }
    return true;
}

/* "xy" of `v.xy`, which the tree does not tell; NULL when it is not in the text. */
static const char *name_of_component(const struct place *place, const struct ast_node *node)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    const char *text = place->part->source.text.bytes;
    uint32_t begin = node->end.offset;
    if (!insert_is_written(place->part, node))
        return NULL;
    while (begin > node->begin.offset && strchr(letters, text[begin - 1]))
        begin--;
    return insert_quote(place->program, place->part, begin, node->end.offset);
}

static void check_component(const struct place *place, uint32_t number, enum checked_access access)
{
    const struct ast *ast = &place->part->ast;
    struct selection selection = {0};
    struct type_shape shape;
    uint32_t vector = number;
    bool is_pointer = false;
    bool is_first_name = true;
    while (ast->nodes[vector].kind == AST_COMPONENT || ast->nodes[vector].kind == AST_PAREN) {
        const struct ast_node *node = &ast->nodes[vector];
        vector = ast_child(ast, vector, 0);
        if (vector == 0)
            return;
        if (node->kind == AST_PAREN)
            continue;
        const bool leads = type_is_pointer(&ast->nodes[vector]);
        struct selection here = {0}, both;
        const char *name = name_of_component(place, node);
        if (!name || !type_shape(ast, &ast->nodes[vector], leads, &shape) ||
            !select_by_name(name, shape.count, &here))
            return;
        if (!is_first_name && !select_in(&here, &selection, &both))
            return;
        selection = is_first_name ? here : both;
        is_first_name = false;
        is_pointer = leads;
        if (leads)
            break;
    }
    unsigned low = 16, high = 0;
    for (unsigned i = 0; i < selection.count; i++) {
        low = selection.elements[i] < low ? selection.elements[i] : low;
        high = selection.elements[i] > high ? selection.elements[i] : high;
    }
    const char *bytes = insert_format(place->program, "%u", (high - low + 1) * shape.element_size);
    if (is_pointer)
        insert_pointer(place, vector, access, "", bytes, low * shape.element_size);
    else
        check_lvalue(place, vector, access, bytes, low * shape.element_size, false);
}

static void check_access(const struct place *place, uint32_t lvalue, enum checked_access access,
                         bool takes)
{
    const struct ast *ast = &place->part->ast;
    const uint32_t number = lvalue != 0 ? insert_inside(ast, lvalue) : 0;
    const struct ast_node *node = &ast->nodes[number];
    const uint32_t first = ast_child(ast, number, 0);
    if (number == 0)
        return;
    if (node->kind == AST_COMPONENT)
        check_component(place, number, access);
    else if (node->kind == AST_SUBSCRIPT && first != 0 && ast->nodes[first].is_lvalue &&
             !type_is_pointer(&ast->nodes[first])) { /* v[i] of a vector, which has no address */
        struct place one = *place;
        one.is_one = true;
        /* no cell is told of it */
        place->function->hides_writes |= access != CHECKED_READ;
        check_access(&one, first, access == CHECKED_WRITE ? CHECKED_UPDATE : access, false);
    } else {
        check_lvalue(place, number, access, NULL, 0, takes);
    }
}

void insert_access(const struct place *place, uint32_t lvalue, enum checked_access access)
{
    check_access(place, lvalue, access, true);
}
