/* How the checks get what they need: a kernel has it as hidden parameters, fills a structure with
 * it where its body begins, and gives that to the functions that it calls. */
#include "reference/probe/insert.h"

#include <string.h>

/* Of a function declarator: behind its `(`, and at its `)`. */
struct parameters {
    uint32_t begin, end;
};

/* False when it cannot be found in the text. */
static bool find_parameters(const struct part *part, uint32_t function,
                            struct parameters *parameters)
{
    const struct ast_node *node = &part->ast.nodes[function];
    const char *text = part->source.text.bytes;
    if (node->name_place.offset == AST_NOWHERE)
        return false;
    uint32_t at = insert_skip_blank(part, node->name_place.offset + (uint32_t)strlen(node->name));
    if (text[at] != '(')
        return false;
    parameters->begin = at + 1;
    unsigned depth = 0; /* no strings are there, and comments are gone */
    do {
        depth += text[at] == '(';
        depth -= text[at] == ')';
        at++;
    } while (depth > 0 && text[at] != '\0');
    parameters->end = at - 1;
    return depth == 0;
}

static unsigned count_parameters(const struct ast *ast, uint32_t function)
{
    unsigned count = 0;
    for (uint32_t i = function + 1; i < ast->nodes[function].next; i = ast->nodes[i].next)
        count += ast->nodes[i].kind == AST_PARAMETER;
    return count;
}

/* Puts parameters before or behind those that there are; `(void)` becomes a comment. `for_local`,
 * with a comma before it, only if local memory is used; NULL = nothing. */
static void add_parameters(struct insertion_program *program, struct part *part, uint32_t function,
                           const struct function *needing, const char *added, bool at_end,
                           const struct function *local_needing, const char *for_local)
{
    struct parameters parameters;
    if (!find_parameters(part, function, &parameters)) {
        program->reason = "the parameters of a function cannot be found in its text";
        return;
    }
    const bool none = count_parameters(&part->ast, function) == 0;
    const bool is_void = none && insert_skip_blank(part, parameters.begin) < parameters.end;
    const uint32_t at = at_end && !none ? parameters.end : parameters.begin;
    const char *text = none     ? added
                       : at_end ? insert_format(program, ", %s", added)
                                : insert_format(program, "%s, ", added);
    insert_at(
        program, part,
        (struct insertion){.offset = at, .order = function, .needing = needing, .text = text});
    if (for_local)
        insert_at(program, part,
                  (struct insertion){.offset = at,
                                     .order = function,
                                     .needing = local_needing,
                                     .is_for_local = true,
                                     .text = for_local});
    if (is_void)
        insert_at(program, part,
                  (struct insertion){
                      .offset = at, .order = function, .needing = needing, .text = " /* "});
    if (is_void)
        insert_at(
            program, part,
            (struct insertion){
                .offset = parameters.end, .order = function, .needing = needing, .text = " */"});
}

/* ---- kernels ---- */

/* Of arguments to global memory, what has been written there: behind all others, since only one of
 * the two copies has them. */
static void add_followed(struct insertion_program *program, struct part *part, uint32_t kernel)
{
    const struct ast *ast = &part->ast;
    struct parameters parameters;
    struct text text = TEXT_INIT;
    unsigned number = 0;
    for (uint32_t i = kernel + 1; i < ast->nodes[kernel].next; i = ast->nodes[i].next) {
        if (ast->nodes[i].kind != AST_PARAMETER)
            continue;
        number++;
        if (type_pointee_space(ast, &ast->nodes[i]) != TYPE_GLOBAL)
            continue;
        text_format(&text, " clerk_FOLLOWED(%u)", number - 1);
        if (program->follow_count < number)
            program->follow_count = number;
    }
    if (text.size > 0 && find_parameters(part, kernel, &parameters))
        insert_at(program, part,
                  (struct insertion){.offset = parameters.end,
                                     .order = kernel,
                                     .text = insert_format(program, "%s", text.bytes)});
    program->no_memory |= text.failed;
    text_release(&text);
}

/* In the order in which checked_text.c tells of them. */
static void add_hidden_parameters(struct insertion_program *program, struct part *part,
                                  uint32_t kernel, const struct function *function)
{
    const struct ast *ast = &part->ast;
    struct text text = TEXT_INIT;
    unsigned number = 0;
    for (uint32_t i = kernel + 1; i < ast->nodes[kernel].next; i = ast->nodes[i].next) {
        if (ast->nodes[i].kind != AST_PARAMETER)
            continue;
        if (type_pointee_space(ast, &ast->nodes[i]) != TYPE_PRIVATE)
            text_format(&text, "ulong clerk_size_%u, ", number);
        number++;
    }
    text_append(&text, "__global uint *clerk_report, uint clerk_launch");
    number = 0;
    for (uint32_t i = kernel + 1; i < ast->nodes[kernel].next; i = ast->nodes[i].next) {
        if (ast->nodes[i].kind != AST_PARAMETER)
            continue;
        if (insert_is_sampler(&ast->nodes[i]))
            text_format(&text, ", uint clerk_sampler_%u", number);
        number++;
    }
    if (program->has_foreign_pointers)
        text_append(&text, ", __global const ulong *clerk_shared");
    number = 0;
    for (uint32_t i = kernel + 1; i < ast->nodes[kernel].next && insert_has_cells(function);
         i = ast->nodes[i].next) {
        if (ast->nodes[i].kind != AST_PARAMETER)
            continue;
        if (type_pointee_space(ast, &ast->nodes[i]) == TYPE_GLOBAL)
            text_format(&text, ", __global ulong *clerk_cells_%u, ulong clerk_window_%u", number,
                        number);
        number++;
    }
    add_parameters(program, part, kernel, NULL, insert_format(program, "%s", text.bytes), true,
                   function,
                   insert_has_local_cells(function)
                       ? ", __local ulong *clerk_local_cells, uint clerk_local_words"
                       : NULL);
    add_followed(program, part, kernel);
    program->no_memory |= text.failed;
    text_release(&text);
}

/* How many pointers a kernel has so far, by what they lead to. */
struct counts {
    unsigned global, constant, local;
};

static unsigned *count_of(struct counts *counts, enum type_space space)
{
    return space == TYPE_GLOBAL     ? &counts->global
           : space == TYPE_CONSTANT ? &counts->constant
                                    : &counts->local;
}

static void note_counts(struct insertion_program *program, const struct counts *counts)
{
    if (counts->global > program->global_count)
        program->global_count = counts->global;
    if (counts->constant > program->constant_count)
        program->constant_count = counts->constant;
    if (counts->local > program->local_count)
        program->local_count = counts->local;
}

/* Behind what makes the arguments known, in the same order. */
static void begin_local_cells(struct insertion_program *program, struct part *part, uint32_t kernel,
                              const struct function *function)
{
    const struct ast *ast = &part->ast;
    const uint32_t body = ast_child_of_kind(ast, kernel, AST_COMPOUND);
    struct text text = TEXT_INIT;
    unsigned number = 0, index = 0;
    text_format(&text,
                " clerk_local_begin(clerk_k, clerk_local_cells, clerk_local_words, "
                "clerk_shift_%s, clerk_takes_%s);",
                function->name, function->name);
    for (uint32_t i = kernel + 1; i < ast->nodes[kernel].next; i = ast->nodes[i].next) {
        if (ast->nodes[i].kind != AST_PARAMETER)
            continue;
        if (type_pointee_space(ast, &ast->nodes[i]) == TYPE_LOCAL && ast->nodes[i].name[0] != '\0')
            text_format(&text,
                        " const uint clerk_at_%u = clerk_local_cells_of(clerk_k, %u, "
                        "clerk_size_%u);",
                        number, index++, number);
        number++;
    }
    insert_at(program, part,
              (struct insertion){.offset = ast->nodes[body].begin.offset + 1,
                                 .order = body,
                                 .needing = function,
                                 .is_for_local = true,
                                 .text = insert_format(program, "%s", text.bytes)});
    program->no_memory |= text.failed;
    text_release(&text);
}

static void begin_body(struct insertion_program *program, struct part *part, uint32_t kernel,
                       const struct function *function, struct counts *counts)
{
    const struct ast *ast = &part->ast;
    const uint32_t body = ast_child_of_kind(ast, kernel, AST_COMPOUND);
    struct text text = TEXT_INIT;
    unsigned number = 0;
    text_append(&text, " __private struct clerk_k clerk_k[1]; ");
    if (function->is_called)
        text_append(&text, "clerk_begin(clerk_k, 0, 0, 0);");
    else
        text_format(&text, "clerk_begin(clerk_k, clerk_report, clerk_launch, %d);%s",
                    !program->has_foreign_pointers,
                    program->has_foreign_pointers ? " clerk_k->shared = clerk_shared;" : "");
    for (uint32_t i = kernel + 1; i < ast->nodes[kernel].next && !function->is_called;
         i = ast->nodes[i].next) {
        if (ast->nodes[i].kind != AST_PARAMETER)
            continue;
        const enum type_space space = type_pointee_space(ast, &ast->nodes[i]);
        if (space != TYPE_PRIVATE && ast->nodes[i].name[0] != '\0') {
            const char *name = type_space_name(space);
            const unsigned index = (*count_of(counts, space))++;
            text_format(&text,
                        " const volatile __%s void *const clerk_base_%u = %s;"
                        " clerk_take_%s(clerk_k, %u, %u, clerk_base_%u, clerk_size_%u);",
                        name, number, insert_name(program, ast->nodes[i].name), name, index, number,
                        number, number);
            if (space == TYPE_GLOBAL && insert_has_cells(function))
                text_format(
                    &text,
                    insert_argument_is_apart(program, function, number)
                        ? " clerk_know_cells(clerk_k, %u, clerk_APART(clerk_cells_%u), "
                          "clerk_window_%u);"
                        : " clerk_know_cells(clerk_k, %u, clerk_cells_%u, clerk_window_%u);",
                    index, number, number);
            if (space == TYPE_GLOBAL)
                text_format(&text, " clerk_FOLLOW(%u);", number);
        }
        number++;
    }
    const uint32_t begin = ast->nodes[body].begin.offset;
    const uint32_t at = begin != AST_NOWHERE ? begin + 1 : AST_NOWHERE;
    insert_at(program, part,
              (struct insertion){.offset = at,
                                 .order = body,
                                 .needing = function,
                                 .text = insert_format(program, "%s", text.bytes)});
    insert_at(program, part,
              (struct insertion){.offset = at,
                                 .order = body,
                                 .needing = function,
                                 .is_for_local = true,
                                 .text = " __local ulong clerk_spare[clerk_LOCAL_SPARE_BYTES / 8]"
                                         " __attribute__((aligned(clerk_LOCAL_SPARE_BYTES)));"
                                         " clerk_k->spare = clerk_spare;"});
    if (insert_has_local_cells(function))
        begin_local_cells(program, part, kernel, function);
    program->no_memory |= text.failed;
    text_release(&text);
}

/* Arrays in local memory become known where they are declared. */
static void add_local_variables(struct insertion_program *program, struct part *part,
                                uint32_t declarations, const struct function *function,
                                struct counts *counts)
{
    const struct ast *ast = &part->ast;
    const struct ast_node *node = &ast->nodes[declarations];
    for (uint32_t i = declarations + 1; i < node->next; i = ast->nodes[i].next) {
        if (ast->nodes[i].kind != AST_VARIABLE || type_space(&ast->nodes[i]) != TYPE_LOCAL ||
            !node->end.exact)
            continue;
        const char *name = insert_name(program, ast->nodes[i].name);
        const unsigned index = counts->local++;
        insert_at(program, part,
                  (struct insertion){
                      .offset = node->end.offset,
                      .order = i,
                      .needing = function,
                      .text = insert_format(program,
                                            " clerk_take_local(clerk_k, %u, 255, &%s, sizeof(%s));",
                                            index, name, name)});
        if (insert_has_local_cells(function))
            insert_at(program, part,
                      (struct insertion){
                          .offset = node->end.offset,
                          .order = i,
                          .needing = function,
                          .is_for_local = true,
                          .text = insert_format(program,
                                                " const uint clerk_at_v_%s = "
                                                "clerk_local_cells_of(clerk_k, %u, sizeof(%s));",
                                                name, index, name)});
    }
}

/* ---- bodies ---- */

/* One that is not checked makes nothing known of what was written. */
static void look_at_write(const struct place *place, uint32_t lvalue, enum checked_access access)
{
    const size_t before = place->program->site_count;
    const enum type_space space = type_space(&place->part->ast.nodes[lvalue]);
    insert_access(place, lvalue, access);
    if (place->program->site_count == before && (space == TYPE_LOCAL || space == TYPE_GENERIC))
        place->function->hides_writes = true;
    if (place->program->site_count == before && insert_may_be_global(space))
        place->function->hides_global = true;
}

static void look_at(const struct place *place, uint32_t number, struct counts *counts)
{
    const struct ast *ast = &place->part->ast;
    const struct ast_node *node = &ast->nodes[number];
    const uint32_t first = ast_child(ast, number, 0);
    switch (node->kind) {
    case AST_IMPLICIT_CAST:
        if (node->cast == AST_CAST_LVALUE_TO_RVALUE)
            insert_access(place, first, CHECKED_READ);
        break;
    case AST_ASTYPE:
        if (first != 0 && ast->nodes[first].is_lvalue)
            insert_access(place, first, CHECKED_READ);
        break;
    case AST_BINARY:
        if (strcmp(node->operator, "=") == 0)
            look_at_write(place, first, CHECKED_WRITE);
        break;
    case AST_COMPOUND_ASSIGNMENT:
        look_at_write(place, first, CHECKED_UPDATE);
        break;
    case AST_UNARY:
        if (strcmp(node->operator, "++") == 0 || strcmp(node->operator, "--") == 0)
            look_at_write(place, first, CHECKED_UPDATE);
        break;
    case AST_CALL:
        insert_call(place, number);
        break;
    case AST_DECLARATIONS:
        if (place->function->is_kernel)
            add_local_variables(place->program, place->part, number, place->function, counts);
        break;
    default:
        break;
    }
}

/* Nothing of it is executed, or it has to stay a constant. */
static bool is_left_alone(const struct ast_node *node)
{
    return node->kind == AST_SIZEOF || node->kind == AST_OFFSETOF || node->kind == AST_CONSTANT ||
           (node->kind == AST_VARIABLE && type_space(node) == TYPE_CONSTANT);
}

static void look_at_body(const struct place *place, uint32_t body, struct counts *counts)
{
    const struct ast *ast = &place->part->ast;
    for (uint32_t i = body + 1; i < ast->nodes[body].next && !place->program->no_memory;) {
        const bool alone = is_left_alone(&ast->nodes[i]);
        if (!alone)
            look_at(place, i, counts);
        i = alone ? ast->nodes[i].next : i + 1;
    }
}

/* Of a kernel that other functions call only the calls of these are seen to. */
static void pass_through_body(const struct place *place, uint32_t body)
{
    const struct ast *ast = &place->part->ast;
    for (uint32_t i = body + 1; i < ast->nodes[body].next; i++) {
        const uint32_t callee = ast->nodes[i].kind == AST_CALL ? insert_callee(ast, i) : 0;
        if (callee != 0 &&
            ast->nodes[ast_declaration(ast, ast->nodes[callee].referred)].kind == AST_FUNCTION)
            insert_call(place, i);
    }
}

static void look_at_function(const struct place *place)
{
    struct insertion_program *program = place->program;
    struct part *part = place->part;
    const struct function *function = place->function;
    const uint32_t body = ast_child_of_kind(&part->ast, place->node, AST_COMPOUND);
    struct counts counts = {0};
    if (function->is_kernel && !function->is_called)
        add_hidden_parameters(program, part, place->node, function);
    else if (!function->is_kernel && function->is_defined)
        add_parameters(program, part, place->node, function, "__private struct clerk_k *clerk_k",
                       false, NULL, NULL);
    if (body == 0)
        return;
    place->function->may_be_led = insert_may_be_led(place, body);
    if (function->is_kernel) {
        place->function->may_fuse = insert_may_fuse(place, body);
        begin_body(program, part, place->node, function, &counts);
    }
    place->function->hides_global |= function->is_called && function->is_kernel;
    if (function->is_called && function->is_kernel)
        pass_through_body(place, body);
    else
        look_at_body(place, body, &counts);
    insert_begin_meetings(place, body);
    note_counts(program, &counts);
}

void insert_functions(struct insertion_program *program, struct part *part)
{
    const struct ast *ast = &part->ast;
    for (uint32_t i = 1; i < ast->count && !program->no_memory && !program->reason;
         i = ast->nodes[i].next) {
        if (ast->nodes[i].kind != AST_FUNCTION)
            continue;
        const struct place place = {.program = program,
                                    .part = part,
                                    .node = i,
                                    .function = insert_function_of(program, ast->nodes[i].name)};
        if (place.function)
            look_at_function(&place);
    }
}

/* ---- functions that need what the checks need ---- */

static bool spread_to(struct function *function)
{
    const bool had = function->has_checks, used = function->uses_local,
               hid = function->hides_writes, hid_global = function->hides_global;
    for (size_t i = 0; i < function->called_count; i++) {
        function->has_checks |= function->called[i]->has_checks && !function->called[i]->is_kernel;
        function->uses_local |= function->called[i]->uses_local && !function->called[i]->is_kernel;
        function->hides_writes |= function->called[i]->hides_writes;
        function->hides_global |= function->called[i]->hides_global;
    }
    return had != function->has_checks || used != function->uses_local ||
           hid != function->hides_writes || hid_global != function->hides_global;
}

void insert_spread(struct insertion_program *program)
{
    bool is_new = true;
    while (is_new) {
        is_new = false;
        for (struct function *function = program->functions; function; function = function->hh.next)
            is_new |= spread_to(function);
    }
    for (const struct function *function = program->functions; function && !program->reason;
         function = function->hh.next) {
        if (function->is_value && (function->has_checks || function->is_kernel))
            program->reason = "a function is used as a value";
    }
}
