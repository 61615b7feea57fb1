/* Kernels: their hidden parameters, in the order of which woven->checked tells, and what makes
 * these known to the checks. */
#include "reference/probe/module/writer.h"

/* Ids of hidden parameters; by argument those that are of one. */
struct hidden {
    uint32_t sizes[WOVEN_ARGUMENTS_MAX], cells[WOVEN_ARGUMENTS_MAX], windows[WOVEN_ARGUMENTS_MAX];
    uint32_t report, launch, local_cells, local_words;
    struct words types; /* of the function: its result, its parameters, and these */
    struct words added; /* instructions */
};

static bool is_to(const struct writer *writer, const struct woven_function *kernel, uint32_t number,
                  SpvStorageClass storage)
{
    return woven_is_to(writer->woven, &kernel->function->parameters[number], storage);
}

static bool has_size(const struct writer *writer, const struct woven_function *kernel,
                     uint32_t number)
{
    return is_to(writer, kernel, number, SpvStorageClassCrossWorkgroup) ||
           is_to(writer, kernel, number, SpvStorageClassUniformConstant) ||
           is_to(writer, kernel, number, SpvStorageClassWorkgroup);
}

/* ---- parameters ---- */

static uint32_t add_parameter(struct writer *writer, struct hidden *hidden, uint32_t type)
{
    const uint32_t id = writer_id(writer);
    words_put(&hidden->types, type);
    WORDS_PUT(&hidden->added, SpvOpFunctionParameter, type, id);
    return id;
}

static void add_parameters(struct writer *writer, const struct woven_function *kernel,
                           struct hidden *hidden)
{
    const uint32_t count = kernel->function->parameter_count;
    for (uint32_t i = 0; i < count; i++)
        if (has_size(writer, kernel, i))
            hidden->sizes[i] = add_parameter(writer, hidden, writer->ulong_type);
    hidden->report = add_parameter(writer, hidden, writer_parameter(writer, WRITER_begin, 1)->id);
    hidden->launch = add_parameter(writer, hidden, writer->uint_type);
    for (uint32_t i = 0; i < count && woven_has_cells(kernel); i++) {
        if (!is_to(writer, kernel, i, SpvStorageClassCrossWorkgroup))
            continue;
        hidden->cells[i] =
            add_parameter(writer, hidden, writer_parameter(writer, WRITER_cells, 1)->id);
        hidden->windows[i] = add_parameter(writer, hidden, writer->ulong_type);
    }
    if (woven_has_local_cells(kernel)) {
        hidden->local_cells =
            add_parameter(writer, hidden, writer_parameter(writer, WRITER_local_begin, 1)->id);
        hidden->local_words = add_parameter(writer, hidden, writer->uint_type);
    }
}

/* ---- the beginning of the body ---- */

static void take_arguments(struct writer *writer, const struct woven_function *kernel,
                           const struct hidden *hidden, SpvStorageClass storage,
                           enum writer_check take)
{
    uint32_t index = 0;
    for (uint32_t i = 0; i < kernel->function->parameter_count; i++) {
        const struct spv_instruction *parameter = &kernel->function->parameters[i];
        if (!is_to(writer, kernel, i, storage))
            continue;
        WRITER_CALL(writer, take, parameter->type, parameter->result, hidden->sizes[i],
                    writer_uint(writer, index), writer_uint(writer, i));
        if (hidden->cells[i] != 0)
            WRITER_CALL(writer, WRITER_cells, 0, hidden->cells[i], hidden->windows[i],
                        writer_uint(writer, index));
        index++;
    }
}

static void take_local_variables(struct writer *writer, const struct woven_function *kernel)
{
    const struct woven *woven = writer->woven;
    for (uint32_t i = 0; i < woven->local_variable_count; i++) {
        const struct spv_id *id = &writer->module->ids[woven->local_variables[i]];
        if (kernel->variables[i])
            WRITER_CALL(writer, WRITER_take_local, id->type->id, woven->local_variables[i],
                        writer_ulong(writer, id->variable->type->size),
                        writer_uint(writer, woven->local_count + i),
                        writer_uint(writer, WRITER_VARIABLE));
    }
}

static void begin_local(struct writer *writer, const struct woven_function *kernel,
                        const struct hidden *hidden)
{
    WRITER_CALL(writer, WRITER_spare, writer->spare_type, writer->spare);
    if (woven_has_local_cells(kernel))
        WRITER_CALL(writer, WRITER_local_begin, 0, hidden->local_cells, hidden->local_words,
                    writer_uint(writer, kernel->in_local.shift));
    take_arguments(writer, kernel, hidden, SpvStorageClassWorkgroup, WRITER_take_local);
    take_local_variables(writer, kernel);
}

static void begin_body(struct writer *writer, const struct woven_function *kernel,
                       const struct hidden *hidden)
{
    WRITER_CALL(writer, WRITER_begin, 0, hidden->report, hidden->launch,
                writer_uint(writer, !writer->woven->has_foreign_pointers));
    take_arguments(writer, kernel, hidden, SpvStorageClassCrossWorkgroup, WRITER_take_global);
    if (writer->woven->uses_constant)
        take_arguments(writer, kernel, hidden, SpvStorageClassUniformConstant,
                       WRITER_take_constant);
    if (kernel->uses_local)
        begin_local(writer, kernel, hidden);
}

void writer_kernel(struct writer *writer, const struct woven_function *kernel)
{
    const struct spv_function *function = kernel->function;
    const uint32_t *words = writer->module->words + function->parameters[-1].word;
    const struct spv_block *first = &function->blocks[0];
    struct hidden hidden = {0};
    words_put(&hidden.types, function->type->element->id);
    for (uint32_t i = 0; i < function->parameter_count; i++)
        words_put(&hidden.types, function->parameters[i].type);
    add_parameters(writer, kernel, &hidden);
    WORDS_PUT(&writer->body, SpvOpFunction, function->type->element->id, function->id, words[3],
              writer_function_type(writer, hidden.types.at, hidden.types.count));
    for (uint32_t i = 0; i < function->parameter_count; i++)
        writer_copy(writer, &function->parameters[i]);
    words_put_all(&writer->body, hidden.added.at, hidden.added.count);
    WORDS_PUT(&writer->body, SpvOpLabel, first->label);
    uint32_t i = 0;
    for (; i < first->count && first->instructions[i].op == SpvOpVariable; i++)
        writer_copy(writer, &first->instructions[i]);
    writer->state = writer_id(writer);
    WORDS_PUT(&writer->body, SpvOpVariable, writer->state_type, writer->state,
              SpvStorageClassFunction);
    WORDS_PUT(&writer->annotations, SpvOpDecorate, writer->state, SpvDecorationAlignment, 8);
    begin_body(writer, kernel, &hidden);
    for (; i < first->count; i++)
        writer_instruction(writer, kernel, &first->instructions[i]);
    writer->body.failed |= hidden.types.failed || hidden.added.failed;
    alloc_free(hidden.types.at);
    alloc_free(hidden.added.at);
}

/* ---- what is told of them ---- */

static void describe_cells(const struct writer *writer, const struct woven_function *kernel,
                           struct checked_kernel *told)
{
    uint32_t index = 0;
    for (uint32_t i = 0; i < told->argument_count; i++) {
        if (!is_to(writer, kernel, i, SpvStorageClassCrossWorkgroup))
            continue;
        const struct woven_accessed accessed = woven_accessed(kernel, index++);
        told->parameters[told->parameter_count++] =
            (struct checked_parameter){.hidden = CHECKED_HIDDEN_CELLS,
                                       .argument = i,
                                       .shift = accessed.shift,
                                       .is_written = accessed.is_written};
        told->parameters[told->parameter_count++] =
            (struct checked_parameter){.hidden = CHECKED_HIDDEN_WINDOW, .argument = i};
    }
    if (!woven_has_local_cells(kernel))
        return;
    told->parameters[told->parameter_count++] =
        (struct checked_parameter){.hidden = CHECKED_HIDDEN_LOCAL_CELLS,
                                   .shift = kernel->in_local.shift,
                                   .is_written = kernel->in_local.is_written};
    told->parameters[told->parameter_count++] =
        (struct checked_parameter){.hidden = CHECKED_HIDDEN_LOCAL_WORDS};
}

static bool describe_kernel(const struct writer *writer, const struct woven_function *kernel,
                            struct checked_kernel *told)
{
    struct arena *arena = &writer->woven->checked->arena;
    const uint32_t count = kernel->function->parameter_count;
    *told = (struct checked_kernel){
        .name = arena_string(arena, kernel->kernel->name),
        .reason = woven_reason(writer->woven, kernel),
        .argument_count = count,
        .is_ordered_otherwise = kernel->orders,
        .uses_sub_groups = kernel->is_hidden,
        .waits = woven_waits(kernel),
        .parameters = arena_alloc(arena, 3 * (size_t)count + 4, sizeof *told->parameters)};
    if (!told->name || !told->parameters)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (has_size(writer, kernel, i))
            told->parameters[told->parameter_count++] =
                (struct checked_parameter){.hidden = CHECKED_HIDDEN_SIZE, .argument = i};
    told->parameters[told->parameter_count++] =
        (struct checked_parameter){.hidden = CHECKED_HIDDEN_REPORT};
    told->parameters[told->parameter_count++] =
        (struct checked_parameter){.hidden = CHECKED_HIDDEN_LAUNCH};
    if (woven_has_cells(kernel))
        describe_cells(writer, kernel, told);
    return true;
}

bool writer_describe_kernels(struct writer *writer)
{
    struct checked *checked = writer->woven->checked;
    const struct spv_module *module = writer->module;
    checked->kernels =
        arena_alloc(&checked->arena, (size_t)module->kernel_count + 1, sizeof *checked->kernels);
    bool done = checked->kernels != NULL;
    for (uint32_t i = 0; done && i < module->kernel_count; i++)
        done = describe_kernel(writer,
                               woven_function_of(writer->woven, module->kernels[i].function->id),
                               &checked->kernels[checked->kernel_count++]);
    return done;
}
