/* Each part of the program is preprocessed and read as a tree; a first look at all parts tells
 * which functions there are, and then checks are inserted into each. */
#include "reference/probe/checked_text.h"

#include "reference/compiler/sources.h"
#include "reference/compiler/tool.h"
#include "reference/probe/checks.h"
#include "reference/probe/clang.h"
#include "reference/probe/insert.h"
#include "reference/probe/options.h"

#include <string.h>

struct making {
    const struct request *request;
    struct checked *checked;
    struct insertion_program program;
    struct arena arena;     /* of what is needed while it is made */
    const char **standards; /* by part */
};

/* ---- trees ---- */

static enum status read_tree(const struct clang *clang, struct part *part, struct error *error)
{
    static const char *const more[] = {"-Xclang", "-finclude-default-header", "-fsyntax-only",
                                       "-Xclang", "-ast-dump=json",           NULL};
    struct text input = TEXT_INIT;
    struct process_result result;
    clang_append_prelude(clang, &input);
    struct ast_reader *reader = ast_reader_create(input.size);
    text_append_n(&input, part->source.text.bytes, part->source.text.size);
    const char *const *arguments = clang_arguments(clang, false, more);
    enum status status = !reader || !arguments || input.failed
                             ? error_no_memory(error, input.size)
                             : tool_run_through(arguments, &input, ast_reader_take, reader,
                                                clang->arena, &result, error);
    if (status == STATUS_OK) {
        /* The reader may have had enough: then it says why. */
        const bool refused = !tool_succeeded(&result) && !result.flooded;
        if (refused)
            status = clang_tell(&result, "clang refuses its text", error);
        else
            status = ast_reader_finish(reader, &part->ast, error);
        if (!refused)
            reader = NULL;
        process_result_release(&result);
    }
    ast_reader_destroy(reader);
    text_release(&input);
    return status;
}

static enum status read_part(struct making *making, size_t number, struct error *error)
{
    struct part *part = &making->program.parts[number];
    struct clang clang;
    enum status status = clang_init(&clang, &making->arena, making->request, part->given, error);
    if (status == STATUS_OK)
        making->standards[number] = clang.options.standard;
    if (status == STATUS_OK && strncmp(clang.options.standard, "CLC++", 5) == 0)
        status = error_set(error, STATUS_UNSUPPORTED, "it is in C++ for OpenCL");
    if (status == STATUS_OK && strcmp(clang.options.standard, OPENCL_CPP) == 0)
        status = error_set(error, STATUS_UNSUPPORTED, "it is in OpenCL C++ 1.0");
    if (status == STATUS_OK)
        status = preprocess(&clang, part->given, &part->source, error);
    if (status == STATUS_OK && part->source.text.size >= AST_NOWHERE)
        status = error_set(error, STATUS_UNSUPPORTED, "its text is too large");
    if (status == STATUS_OK)
        status = read_tree(&clang, part, error);
    if (status != STATUS_OK)
        return status;
    part->changes = arena_alloc(&making->arena, part->ast.count, sizeof *part->changes);
    part->varies = arena_alloc(&making->arena, part->ast.count, sizeof *part->varies);
    part->choices = arena_alloc(&making->arena, part->ast.count, sizeof *part->choices);
    return part->changes && part->varies && part->choices ? STATUS_OK
                                                          : error_no_memory(error, part->ast.count);
}

/* ---- what is told of kernels ---- */

/* Why the kernel is not checked; "" = it is. */
static const char *reason_of(const struct function *function)
{
    if (function && function->is_called)
        return "another function of the program calls it";
    if (function && function->may_fuse)
        return "it adds to a product that it has stored, which its compiler may fuse and with "
               "checks might not";
    return "";
}

/* All its local memory. */
static bool is_local_apart(struct insertion_program *program, struct part *part, uint32_t node,
                           struct function *function)
{
    const struct ast *ast = &part->ast;
    const struct place place = {
        .program = program, .part = part, .node = node, .function = function};
    uint32_t argument = 0;
    for (uint32_t i = node + 1; i < ast->nodes[node].next; i++) {
        const bool is_parameter =
            ast->nodes[i].kind == AST_PARAMETER && ast->nodes[i].parent == node;
        if (is_parameter && type_pointee_space(ast, &ast->nodes[i]) == TYPE_LOCAL &&
            !insert_argument_is_apart(program, function, argument))
            return false;
        if (ast->nodes[i].kind == AST_VARIABLE && type_space(&ast->nodes[i]) == TYPE_LOCAL &&
            !insert_variable_is_apart(&place, i))
            return false;
        argument += is_parameter;
    }
    return true;
}

/* In the order in which insert_functions.c puts them there. */
static void describe_cells(struct insertion_program *program, struct part *part, uint32_t node,
                           struct function *function, struct checked_kernel *kernel)
{
    const struct ast *ast = &part->ast;
    uint32_t argument = 0;
    for (uint32_t i = node + 1; i < ast->nodes[node].next; i = ast->nodes[i].next) {
        if (ast->nodes[i].kind != AST_PARAMETER)
            continue;
        if (type_pointee_space(ast, &ast->nodes[i]) == TYPE_GLOBAL) {
            const struct accessed accessed = insert_accessed(function, argument);
            kernel->parameters[kernel->parameter_count++] =
                (struct checked_parameter){.hidden = CHECKED_HIDDEN_CELLS,
                                           .argument = argument,
                                           .shift = accessed.shift,
                                           .is_written = accessed.is_written};
            kernel->parameters[kernel->parameter_count++] =
                (struct checked_parameter){.hidden = CHECKED_HIDDEN_WINDOW, .argument = argument};
        }
        argument++;
    }
    if (!function->uses_local || !insert_has_local_cells(function))
        return;
    kernel->parameters[kernel->parameter_count++] =
        (struct checked_parameter){.hidden = CHECKED_HIDDEN_LOCAL_CELLS,
                                   .shift = function->in_local.shift,
                                   .is_written = function->in_local.is_written,
                                   .is_apart = is_local_apart(program, part, node, function)};
    kernel->parameters[kernel->parameter_count++] =
        (struct checked_parameter){.hidden = CHECKED_HIDDEN_LOCAL_WORDS};
}

static void describe_samplers(const struct ast *ast, uint32_t node, struct checked_kernel *kernel)
{
    uint32_t argument = 0;
    for (uint32_t i = node + 1; i < ast->nodes[node].next; i = ast->nodes[i].next) {
        if (ast->nodes[i].kind != AST_PARAMETER)
            continue;
        if (insert_is_sampler(&ast->nodes[i]))
            kernel->parameters[kernel->parameter_count++] =
                (struct checked_parameter){.hidden = CHECKED_HIDDEN_SAMPLER, .argument = argument};
        argument++;
    }
}

/* Behind all others. */
static void describe_followed(const struct ast *ast, uint32_t node, struct checked_kernel *kernel)
{
    uint32_t argument = 0;
    for (uint32_t i = node + 1; i < ast->nodes[node].next; i = ast->nodes[i].next) {
        if (ast->nodes[i].kind != AST_PARAMETER)
            continue;
        if (type_pointee_space(ast, &ast->nodes[i]) == TYPE_GLOBAL) {
            kernel->parameters[kernel->parameter_count++] =
                (struct checked_parameter){.hidden = CHECKED_HIDDEN_WRITTEN, .argument = argument};
            kernel->parameters[kernel->parameter_count++] =
                (struct checked_parameter){.hidden = CHECKED_HIDDEN_BEFORE, .argument = argument};
        }
        argument++;
    }
}

static void describe_kernel(struct making *making, struct part *part, uint32_t node)
{
    struct checked *checked = making->checked;
    struct arena *arena = &checked->arena;
    const struct ast *ast = &part->ast;
    struct function *function = insert_function_of(&making->program, ast->nodes[node].name);
    struct checked_kernel *kernel = &checked->kernels[checked->kernel_count];
    const unsigned room = 5 * ast_child_count(ast, node) + 5;
    *kernel =
        (struct checked_kernel){.name = arena_string(arena, ast->nodes[node].name),
                                .reason = reason_of(function),
                                .parameters = arena_alloc(arena, room, sizeof *kernel->parameters)};
    making->program.no_memory |= !kernel->name || !kernel->parameters || !function;
    if (making->program.no_memory)
        return;
    for (uint32_t i = node + 1; i < ast->nodes[node].next; i = ast->nodes[i].next) {
        if (ast->nodes[i].kind != AST_PARAMETER)
            continue;
        if (type_pointee_space(ast, &ast->nodes[i]) != TYPE_PRIVATE)
            kernel->parameters[kernel->parameter_count++] = (struct checked_parameter){
                .hidden = CHECKED_HIDDEN_SIZE, .argument = kernel->argument_count};
        kernel->argument_count++;
    }
    kernel->parameters[kernel->parameter_count++] =
        (struct checked_parameter){.hidden = CHECKED_HIDDEN_REPORT};
    kernel->parameters[kernel->parameter_count++] =
        (struct checked_parameter){.hidden = CHECKED_HIDDEN_LAUNCH};
    describe_samplers(ast, node, kernel);
    if (making->program.has_foreign_pointers)
        kernel->parameters[kernel->parameter_count++] =
            (struct checked_parameter){.hidden = CHECKED_HIDDEN_SHARED};
    kernel->is_ordered_otherwise = function->orders;
    kernel->may_be_led = function->may_be_led;
    kernel->hides_writes = function->hides_global;
    kernel->uses_sub_groups = function->uses_sub_groups;
    kernel->waits = function->waits && function->uses_local;
    kernel->may_diverge = function->meets;
    if (insert_has_cells(function))
        describe_cells(&making->program, part, node, function, kernel);
    describe_followed(ast, node, kernel);
    if (function->is_called)
        kernel->parameter_count = 0;
    checked->kernel_count++;
}

static bool is_kernel_here(const struct ast *ast, uint32_t node)
{
    return ast->nodes[node].kind == AST_FUNCTION && insert_is_kernel(ast, node) &&
           ast_child_of_kind(ast, node, AST_COMPOUND) != 0;
}

static void describe_kernels(struct making *making)
{
    struct checked *checked = making->checked;
    const struct insertion_program *program = &making->program;
    size_t count = 0;
    for (size_t i = 0; i < program->part_count; i++) {
        const struct ast *ast = &program->parts[i].ast;
        for (uint32_t node = 1; node < ast->count; node = ast->nodes[node].next)
            count += is_kernel_here(ast, node);
    }
    checked->kernels = arena_alloc(&checked->arena, count + 1, sizeof *checked->kernels);
    making->program.no_memory |= !checked->kernels;
    for (size_t i = 0; i < program->part_count; i++) {
        const struct ast *ast = &program->parts[i].ast;
        for (uint32_t node = 1; node < ast->count && !program->no_memory;
             node = ast->nodes[node].next)
            if (is_kernel_here(ast, node))
                describe_kernel(making, &program->parts[i], node);
    }
}

/* ---- text ---- */

/* What our names begin with in the copy: no name of the program does. */
struct prefixes {
    const char *names, *macros;
};
static const struct prefixes usual = {"clerk_", "CLERK_"};

static bool is_used(const struct insertion_program *program, const char *prefix)
{
    for (size_t i = 0; i < program->part_count; i++)
        if (strstr(program->parts[i].source.text.bytes, prefix))
            return true;
    return false;
}

static struct prefixes choose_prefixes(struct making *making)
{
    const struct insertion_program *program = &making->program;
    struct prefixes prefixes = usual;
    for (unsigned number = 1;
         prefixes.names && prefixes.macros &&
         (is_used(program, prefixes.names) || is_used(program, prefixes.macros));
         number++)
        prefixes = (struct prefixes){arena_format(&making->arena, "clerk%u_", number),
                                     arena_format(&making->arena, "CLERK%u_", number)};
    return prefixes;
}

static bool begins_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Names of the program's lose the mark of insert_name. */
static void append_renamed(struct text *text, const char *from, const struct prefixes *prefixes)
{
    while (*from != '\0') {
        const size_t length = strcspn(from, "cC" INSERT_MARK);
        text_append_n(text, from, length);
        from += length;
        const bool is_name = begins_with(from, usual.names);
        if (is_name || begins_with(from, usual.macros)) {
            text_append(text, is_name ? prefixes->names : prefixes->macros);
            from += strlen(usual.names);
        } else if (*from != '\0') {
            if (*from != INSERT_MARK[0])
                text_append_char(text, *from);
            from++;
        }
    }
}

static void rename_insertions(struct making *making, struct part *part,
                              const struct prefixes *prefixes)
{
    for (size_t i = 0; i < part->insertion_count; i++) {
        struct text text = TEXT_INIT;
        append_renamed(&text, part->insertions[i].text, prefixes);
        part->insertions[i].text = insert_format(&making->program, "%s", text.bytes);
        making->program.no_memory |= text.failed;
        text_release(&text);
    }
}

static void write_part(struct making *making, size_t number, const struct prefixes *prefixes)
{
    struct insertion_program *program = &making->program;
    struct part *part = &program->parts[number];
    struct checked_part *made = &making->checked->parts[number];
    struct text checks = TEXT_INIT, text = TEXT_INIT;
    checks_append(program, making->standards[number], &checks);
    append_renamed(&text, checks.bytes, prefixes);
    if (strcmp(prefixes->names, usual.names) != 0)
        rename_insertions(making, part, prefixes);
    if (!program->no_memory)
        insert_apply(program, part, &text);
    made->text = arena_string_n(&making->checked->arena, text.bytes, text.size);
    made->size = text.size;
    made->options = options_of_copy(part->given->options, &making->checked->arena);
    program->no_memory |= checks.failed || text.failed || !made->text || !made->options;
    text_release(&checks);
    text_release(&text);
}

static void write_all(struct making *making)
{
    struct insertion_program *program = &making->program;
    struct checked *checked = making->checked;
    checked->parts = arena_alloc(&checked->arena, program->part_count + 1, sizeof *checked->parts);
    const struct prefixes prefixes = choose_prefixes(making);
    program->no_memory |= !checked->parts || !prefixes.names || !prefixes.macros;
    for (size_t i = 0; i < program->part_count && !program->no_memory; i++) {
        write_part(making, i, &prefixes);
        checked->part_count++;
    }
    checked->sites =
        arena_copy(&checked->arena, program->sites, program->site_count * sizeof *program->sites);
    checked->site_count = program->site_count;
    program->no_memory |= program->site_count > 0 && !checked->sites;
}

/* ---- all of it ---- */

static bool is_same_text(const struct request_part *a, const struct request_part *b)
{
    return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

/* How many texts there are among the parts before this one, and up to the first that is it. */
static unsigned number_text(const struct request *request, size_t part)
{
    unsigned number = 1;
    for (size_t i = 0; i < part && !is_same_text(&request->parts[i], &request->parts[part]); i++) {
        bool is_new = true;
        for (size_t k = 0; k < i; k++)
            is_new &= !is_same_text(&request->parts[k], &request->parts[i]);
        number += is_new;
    }
    return number;
}

/* As the reference device calls it (sources_merge), which runs the launch again. */
static const char *name_part(const struct request *request, size_t part, struct arena *arena)
{
    const unsigned number = number_text(request, part);
    return number == 1 ? SOURCES_PROGRAM : arena_format(arena, "<source %u>", number);
}

static enum status start(struct making *making, struct error *error)
{
    const struct request *request = making->request;
    struct insertion_program *program = &making->program;
    program->arena = &making->checked->arena;
    program->parts = arena_alloc(&making->arena, request->part_count + 1, sizeof *program->parts);
    making->standards =
        arena_alloc(&making->arena, request->part_count + 1, sizeof *making->standards);
    if (!program->parts || !making->standards)
        return error_no_memory(error, request->part_count);
    for (size_t i = 0; i < request->part_count; i++) {
        program->parts[i] =
            (struct part){.given = &request->parts[i], .source = {.text = TEXT_INIT}};
        program->parts[i].name = name_part(request, i, program->arena);
        program->part_count++;
        program->no_memory |= !program->parts[i].name;
        if (request->parts[i].is_il)
            return error_set(error, STATUS_UNSUPPORTED, "it is linked of source and IL");
    }
    return STATUS_OK;
}

static enum status make(struct making *making, struct error *error)
{
    struct insertion_program *program = &making->program;
    enum status status = start(making, error);
    for (size_t i = 0; i < program->part_count && status == STATUS_OK; i++)
        status = read_part(making, i, error);
    if (status != STATUS_OK)
        return status;
    for (size_t i = 0; i < program->part_count && !program->no_memory; i++)
        insert_survey(program, &program->parts[i]);
    insert_spread_orders(program);
    for (size_t i = 0; i < program->part_count && !program->no_memory; i++)
        insert_find_apart(program, &program->parts[i]);
    insert_spread_apart(program);
    for (size_t i = 0; i < program->part_count && !program->reason && !program->no_memory; i++)
        insert_functions(program, &program->parts[i]);
    insert_spread_led(program);
    insert_spread(program);
    insert_spread_accesses(program);
    if (!program->reason)
        describe_kernels(making);
    if (!program->reason && !program->no_memory)
        write_all(making);
    if (program->no_memory)
        return error_set(error, STATUS_NO_MEMORY, "out of memory");
    return program->reason ? error_set(error, STATUS_UNSUPPORTED, "%s", program->reason)
                           : STATUS_OK;
}

static void release(struct making *making)
{
    insert_release(&making->program);
    arena_release(&making->arena);
}

enum status checked_text_make(const struct request *request, const struct facts *facts,
                              struct checked *checked, struct error *error)
{
    struct making making = {.request = request, .checked = checked, .program = {.facts = facts}};
    struct error why = {0};
    *checked = (struct checked){.reason = ""};
    const enum status status = make(&making, &why);
    release(&making);
    return checked_conclude(checked, status, &why, error);
}
