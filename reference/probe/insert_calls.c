/* Checks of what built-in functions do through their pointers (OpenCL C 3.0, 6.15). An atomic
 * function, or one with a second result, touches what its pointer leads to, so that pointer is
 * checked. Where that depends on other arguments a function of checks stands in: `vload4(i, p)`
 * becomes `clerk_3_vload4(clerk_k, SITE, BASE, SIZE, ARGUMENT, i, p)`, which calls it. */
#include "reference/probe/calls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool begins(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* "__global" */
static const char *qualifier_of(enum type_space space)
{
    static const char *const names[] = {"__private", "__global", "__constant", "__local",
                                        "clerk_GENERIC"};
    return names[space];
}

/* ---- vload, vstore (6.15.8) ---- */

struct vector_access {
    bool is_store, is_half, is_aligned;
    unsigned count, element_size;
};

/* "vload4", "vstorea_half3_rtz" */
static bool parse_vector_access(const struct call *call, struct vector_access *access)
{
    const char *name = call->name;
    struct type_shape shape;
    *access = (struct vector_access){.is_store = begins(name, "vstore")};
    if (!access->is_store && !begins(name, "vload"))
        return false;
    name += access->is_store ? 6 : 5;
    if (begins(name, "a_half")) {
        access->is_half = access->is_aligned = true;
        name += 6;
    } else if (begins(name, "_half")) {
        access->is_half = true;
        name += 5;
    }
    char *rest;
    access->count = (unsigned)strtoul(name, &rest, 10);
    if (access->count == 0)
        access->count = 1;
    if (call->count != 2u + access->is_store)
        return false;
    const struct ast *ast = &call->place->part->ast;
    const uint32_t pointer = ast_child(ast, call->node, call->count);
    if (!type_shape(ast, &ast->nodes[pointer], true, &shape))
        return false;
    access->element_size = shape.element_size;
    return true;
}

static enum type_space last_space(const struct call *call)
{
    const struct ast *ast = &call->place->part->ast;
    return type_pointee_space(
        ast, &ast->nodes[call_passed(ast, ast_child(ast, call->node, call->count))]);
}

static const char *write_vector_access(const struct call *call, unsigned number)
{
    struct insertion_program *program = call->place->program;
    const enum type_space space = last_space(call);
    const struct ast *ast = &call->place->part->ast;
    struct vector_access access;
    parse_vector_access(call, &access);
    const unsigned stride =
        (access.is_aligned && access.count == 3 ? 4 : access.count) * access.element_size;
    const char *result = access.is_store ? "void" : call_type(call, &ast->nodes[call->node]);
    const char *pointer = call->types[call->count - 1];
    if (!result)
        return NULL;
    const char *at = insert_format(
        program,
        "(%s)clerk_%s(clerk_k, (const volatile %s uchar *)clerk_p + clerk_i * %u, 0, %u, "
        "clerk_base, clerk_size, clerk_argument, %s%s, clerk_site%s)",
        pointer, type_space_name(space), qualifier_of(space), stride,
        access.count * access.element_size,
        insert_kind(access.is_store ? CHECKED_WRITE : CHECKED_READ, ""),
        !access.is_store && (space == TYPE_LOCAL || space == TYPE_GENERIC) ? " | clerk_TAKES" : "",
        space == TYPE_GLOBAL  ? ", clerk_cells, clerk_window"
        : space == TYPE_LOCAL ? ", clerk_cells"
                              : "");
    if (!at)
        return NULL;
    const char *value =
        access.is_store ? insert_format(program, "%s clerk_v, ", call->types[0]) : "";
    return insert_format(
        program,
        "clerk_CHECK %s clerk_%u_%s(__private struct clerk_k *clerk_k, uint clerk_site, "
        "const volatile %s void *clerk_base, ulong clerk_size, uint clerk_argument, "
        "%s%ssize_t clerk_i, %s clerk_p) { %s%s(%s0, %s); } ",
        result, number, call->name, qualifier_of(space),
        space == TYPE_GLOBAL  ? "volatile __global ulong *clerk_cells, ulong clerk_window, "
        : space == TYPE_LOCAL ? "uint clerk_cells, "
                              : "",
        value, pointer, access.is_store ? "" : "return ", call->name,
        access.is_store ? "clerk_v, " : "", at);
}

static void check_vector_access(struct call *call, const struct vector_access *access)
{
    const struct place *place = call->place;
    const struct ast *ast = &place->part->ast;
    const enum type_space space = last_space(call);
    if (space == TYPE_PRIVATE || !call_can_stand_in(call))
        return;
    if (!call_type(call, &ast->nodes[call->node]))
        return;
    const struct root root = insert_root(place, call->arguments[call->count - 1], space);
    const size_t site = call_site(call, access->is_store ? CHECKED_WRITE : CHECKED_READ);
    call_use_space(place, space);
    insert_note_access(place, &root, space, access->element_size, access->is_store);
    call_replace(call, call_stand_in(call, write_vector_access),
                 insert_format(place->program, "clerk_k, %zu, %s, %s, %s%s, ", site, root.base,
                               root.size, root.argument, root.cells));
}

/* ---- functions that touch what a pointer leads to ---- */

static bool is_one_of(const char *name, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

/* Which pointer arguments, by number, it touches; -1 = none that is checked. */
static int touched_argument(const char *name, enum checked_access *access)
{
    static const char *const second[] = {"fract", "frexp", "lgamma_r", "modf", "sincos"};
    *access = CHECKED_ATOMIC;
    if (begins(name, "atom_") || begins(name, "atomic_"))
        return strstr(name, "work_item_fence") ? -1 : 0;
    *access = CHECKED_WRITE;
    if (is_one_of(name, second, sizeof second / sizeof second[0]))
        return 1;
    return strcmp(name, "remquo") == 0 ? 2 : -1;
}

static void check_touched(struct call *call)
{
    const struct ast *ast = &call->place->part->ast;
    enum checked_access access;
    const int touched = touched_argument(call->name, &access);
    if (touched < 0 || (unsigned)touched >= call->count)
        return;
    const uint32_t pointer = call->arguments[touched];
    if (type_is_pointer(&ast->nodes[pointer]))
        insert_pointer(call->place, pointer, access, call->name, NULL, 0);
    /* The value that atomic_compare_exchange_* expects lies in memory as well. */
    if (strstr(call->name, "compare_exchange") && call->count > 1 &&
        type_is_pointer(&ast->nodes[call->arguments[1]]))
        insert_pointer(call->place, call->arguments[1], CHECKED_UPDATE, "", NULL, 0);
}

/* ---- all of it ---- */

static bool is_checked(const char *name)
{
    enum checked_access access;
    return begins(name, "vload") || begins(name, "vstore") || begins(name, "async_work_group_") ||
           begins(name, "read_image") || begins(name, "write_image") ||
           touched_argument(name, &access) >= 0;
}

static void pass_checks_on(const struct place *place, uint32_t call, uint32_t callee)
{
    struct insertion_program *program = place->program;
    const struct ast *ast = &place->part->ast;
    const struct function *function = insert_function_of(program, ast->nodes[callee].name);
    if (!function || !function->is_defined || function->is_kernel)
        return;
    const uint32_t at = call_arguments(place->part, &ast->nodes[callee]);
    if (at == 0) {
        program->reason = "a function is called other than by its name and parentheses";
        return;
    }
    insert_at(program, place->part,
              (struct insertion){
                  .offset = at,
                  .order = callee,
                  .needing = function,
                  .text = insert_format(program, "%s%s", insert_passed_on(place, call, function),
                                        ast_child_count(ast, call) > 1 ? ", " : "")});
}

static void check_call(struct call *call)
{
    struct vector_access access;
    if (!is_checked(call->name) || !call_read(call))
        return;
    if (parse_vector_access(call, &access))
        check_vector_access(call, &access);
    else if (strcmp(call->name, "async_work_group_copy") == 0 ||
             strcmp(call->name, "async_work_group_strided_copy") == 0)
        insert_copy(call);
    else if (begins(call->name, "read_image") || begins(call->name, "write_image"))
        insert_image_access(call);
    else
        check_touched(call);
}

/* Could it write to memory of that space? */
static bool takes_pointer(const struct ast *ast, uint32_t call, enum type_space wanted)
{
    for (uint32_t i = ast_child(ast, call, 1); i != 0 && i < ast->nodes[call].next;
         i = ast->nodes[i].next) {
        const enum type_space space = type_pointee_space(ast, &ast->nodes[i]);
        if (space == wanted || space == TYPE_GENERIC)
            return true;
    }
    return false;
}

void insert_call(const struct place *place, uint32_t number)
{
    const struct ast *ast = &place->part->ast;
    const uint32_t callee = insert_callee(ast, number);
    if (callee == 0)
        return;
    if (ast->nodes[ast_declaration(ast, ast->nodes[callee].referred)].kind == AST_FUNCTION) {
        pass_checks_on(place, number, callee);
        return;
    }
    insert_meeting(place, number);
    if (insert_barrier(place, number, callee, call_arguments(place->part, &ast->nodes[callee])))
        return;
    const size_t before = place->program->site_count;
    struct call call = {
        .place = place, .node = number, .callee = callee, .name = ast->nodes[callee].name};
    check_call(&call);
    const bool is_unchecked = place->program->site_count == before;
    if ((is_unchecked || begins(call.name, "async_")) && takes_pointer(ast, number, TYPE_LOCAL))
        place->function->hides_writes = true;
    if (is_unchecked && strcmp(call.name, "prefetch") != 0 &&
        takes_pointer(ast, number, TYPE_GLOBAL))
        place->function->hides_global = true;
}
