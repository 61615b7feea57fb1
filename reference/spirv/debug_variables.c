/* Variables, and where they are. */
#include "reference/spirv/debug_reader.h"

#include <stdlib.h>

enum {
    FLAG_ARTIFICIAL = OpenCLDebugInfo100FlagArtificial,
};

/* ---- expressions ---- */

/* What a DebugExpression says. */
struct expression {
    bool understood;
    bool fragment;
    uint64_t fragment_offset, fragment_size;
    struct debug_step *steps;
    uint32_t step_count;
};

/* A DebugExpression under way: its operations from `at` on. */
struct operations {
    struct debug_reader *reader;
    const struct debug_entry *expression;
    uint32_t at;
};

static const struct debug_entry *operation(const struct operations *operations, uint32_t ahead)
{
    return debug_find_number(
        operations->reader,
        debug_operand(operations->reader, operations->expression, operations->at + ahead),
        OpenCLDebugInfo100DebugOperation);
}

static bool is_operation(const struct operations *operations, uint32_t ahead, uint32_t code)
{
    const struct debug_entry *entry = operation(operations, ahead);
    return entry != NULL && entry->count > 0 && debug_number(operations->reader, entry, 0) == code;
}

static void add_bytes(struct expression *expression, int64_t bytes)
{
    struct debug_step *last =
        expression->step_count > 0 ? &expression->steps[expression->step_count - 1] : NULL;
    int64_t sum;
    if (last != NULL && last->kind == DEBUG_STEP_PLUS &&
        !__builtin_add_overflow(last->bytes, bytes, &sum))
        last->bytes = sum;
    else
        expression->steps[expression->step_count++] = (struct debug_step){DEBUG_STEP_PLUS, bytes};
}

/* A constant is for an addition, or, by clang's custom, the number of the address space that the
 * variable lies in: "Constu 0, Swap, Xderef" at the end, which the pointer's type says already. */
static bool take_constant(struct operations *operations, struct expression *expression,
                          int64_t value)
{
    const bool plus = is_operation(operations, 1, OpenCLDebugInfo100Plus);
    const bool space = is_operation(operations, 1, OpenCLDebugInfo100Swap) &&
                       is_operation(operations, 2, OpenCLDebugInfo100Xderef);
    if (plus || is_operation(operations, 1, OpenCLDebugInfo100Minus))
        add_bytes(expression, plus ? value : -value);
    else if (!space)
        return false;
    operations->at += space ? 2 : 1;
    return true;
}

static bool take_operation(struct operations *operations, struct expression *expression)
{
    struct debug_reader *reader = operations->reader;
    const struct debug_entry *entry = operation(operations, 0);
    if (entry == NULL || entry->count == 0 || expression->fragment)
        return false;
    switch (debug_number(reader, entry, 0)) {
    case OpenCLDebugInfo100Deref:
        expression->steps[expression->step_count++] =
            (struct debug_step){.kind = DEBUG_STEP_DEREFERENCE};
        return true;
    case OpenCLDebugInfo100PlusUconst:
        add_bytes(expression, debug_number(reader, entry, 1));
        return true;
    case OpenCLDebugInfo100Constu:
        return take_constant(operations, expression, debug_number(reader, entry, 1));
    case OpenCLDebugInfo100Fragment:
        expression->fragment = true;
        expression->fragment_offset = debug_number(reader, entry, 1);
        expression->fragment_size = debug_number(reader, entry, 2);
        return true;
    default:
        return false;
    }
}

/* Each is read once, however often it is named. */
static const struct expression *expression_of(struct debug_reader *reader, uint32_t id)
{
    struct debug_entry *entry = debug_find_number(reader, id, OpenCLDebugInfo100DebugExpression);
    if (entry == NULL || entry->made != NULL)
        return entry != NULL ? entry->made : NULL;
    struct expression *made = debug_scratch(reader, 1, sizeof *made);
    struct debug_step *steps = debug_alloc(reader, entry->count, sizeof *steps);
    if (made == NULL || steps == NULL)
        return NULL;
    struct operations operations = {.reader = reader, .expression = entry};
    made->steps = steps;
    made->understood = true;
    for (; operations.at < entry->count && made->understood; operations.at++)
        made->understood = take_operation(&operations, made);
    entry->made = made;
    return made;
}

/* ---- variables ---- */

static bool is_variable(const struct debug_entry *entry)
{
    return entry->number == OpenCLDebugInfo100DebugLocalVariable ||
           entry->number == OpenCLDebugInfo100DebugGlobalVariable;
}

static void add_location(struct debug_reader *reader, const struct debug_location *location)
{
    struct debug_location *made =
        debug_append(reader, (void *)&reader->locations, &reader->location_count,
                     &reader->location_capacity, sizeof *made);
    if (made != NULL)
        *made = *location;
}

/* The OpVariable, or the constant that the compiler has made of it. */
static void locate_global(struct debug_reader *reader, const struct debug_variable *variable,
                          uint32_t id)
{
    const enum debug_entry_kind kind =
        id < reader->bound ? (enum debug_entry_kind)reader->entries[id].kind : DEBUG_ENTRY_NONE;
    if (kind == DEBUG_ENTRY_VARIABLE || kind == DEBUG_ENTRY_CONSTANT)
        add_location(reader, &(struct debug_location){.variable = variable->index,
                                                      .id = id,
                                                      .value = kind == DEBUG_ENTRY_CONSTANT});
}

static void fill_variable(struct debug_reader *reader, struct debug_variable *variable,
                          const struct debug_entry *entry)
{
    variable->name = debug_string(reader, entry, 0);
    variable->linkage_name = "";
    variable->type = debug_type_of(reader, debug_operand(reader, entry, 1));
    variable->source = debug_source_of(reader, debug_operand(reader, entry, 2));
    variable->line = debug_number(reader, entry, 3);
    variable->column = debug_number(reader, entry, 4);
    variable->scope = debug_scope_of(reader, debug_operand(reader, entry, 5));
    variable->global = entry->number == OpenCLDebugInfo100DebugGlobalVariable;
    if (variable->global) {
        variable->linkage_name = debug_string(reader, entry, 6);
        locate_global(reader, variable, debug_operand(reader, entry, 7));
        return;
    }
    variable->artificial = (debug_number(reader, entry, 6) & FLAG_ARTIFICIAL) != 0;
    variable->argument = debug_number(reader, entry, 7);
}

void debug_read_variables(struct debug_reader *reader)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < reader->instruction_count; i++)
        count += is_variable(reader->instructions[i]);
    reader->variables = debug_scratch(reader, count, sizeof *reader->variables);
    for (uint32_t i = 0; i < reader->instruction_count && !reader->failed; i++) {
        struct debug_entry *entry = reader->instructions[i];
        if (!is_variable(entry))
            continue;
        struct debug_variable *variable = &reader->variables[reader->variable_count];
        variable->index = reader->variable_count++;
        entry->made = variable;
        fill_variable(reader, variable, entry);
    }
}

/* ---- locations ---- */

/* The local variable that an id names. DebugInlinedVariable says in which expansion. */
static struct debug_variable *local_of(const struct debug_reader *reader, uint32_t id,
                                       const struct debug_inlining **inlining)
{
    const struct debug_entry *entry =
        debug_find_number(reader, id, OpenCLDebugInfo100DebugInlinedVariable);
    if (entry != NULL) {
        *inlining = debug_inlining_of(reader, debug_operand(reader, entry, 1));
        id = debug_operand(reader, entry, 0);
    }
    entry = debug_find_number(reader, id, OpenCLDebugInfo100DebugLocalVariable);
    return entry != NULL ? entry->made : NULL;
}

/* Indices into a composite, and what is no expression, are not understood. */
void debug_locate(struct debug_reader *reader, const struct debug_telling *telling)
{
    const struct debug_entry *entry = telling->entry;
    const struct debug_inlining *inlining = telling->inlining;
    struct debug_variable *variable = local_of(reader, debug_operand(reader, entry, 0), &inlining);
    const uint32_t id = debug_operand(reader, entry, 1);
    const struct expression *expression = expression_of(reader, debug_operand(reader, entry, 2));
    if (variable == NULL)
        return;
    if (variable->column == 0 && variable->line == telling->line)
        variable->column = telling->column;
    if (expression == NULL || !expression->understood || entry->count != 3 || id == 0 ||
        id >= reader->bound || debug_find(reader, id) != NULL)
        return;
    add_location(reader, &(struct debug_location){.variable = variable->index,
                                                  .id = id,
                                                  .value = telling->value,
                                                  .word = telling->word,
                                                  .steps = expression->steps,
                                                  .step_count = expression->step_count,
                                                  .inlining = inlining,
                                                  .fragment = expression->fragment,
                                                  .fragment_offset = expression->fragment_offset,
                                                  .fragment_size = expression->fragment_size});
}

/* ---- the final order ---- */

/* Variables by scope; those of none come last. Fills `moved`: the new index by the old one. */
static struct debug_variable *sort_variables(struct debug_reader *reader, uint32_t *moved)
{
    const uint32_t scopes = reader->info->scope_count;
    uint32_t *starts = debug_scratch(reader, scopes + 2, sizeof *starts);
    struct debug_variable *sorted = debug_alloc(reader, reader->variable_count, sizeof *sorted);
    if (reader->failed)
        return NULL;
    for (uint32_t i = 0; i < reader->variable_count; i++) {
        const struct debug_scope *scope = reader->variables[i].scope;
        starts[(scope != NULL ? scope->index : scopes) + 1]++;
    }
    for (uint32_t i = 0; i <= scopes; i++)
        starts[i + 1] += starts[i];
    for (uint32_t i = 0; i < scopes; i++) {
        reader->scopes[i].variables = sorted + starts[i];
        reader->scopes[i].variable_count = starts[i + 1] - starts[i];
    }
    for (uint32_t i = 0; i < reader->variable_count; i++) {
        const struct debug_scope *scope = reader->variables[i].scope;
        const uint32_t index = starts[scope != NULL ? scope->index : scopes]++;
        sorted[index] = reader->variables[i];
        sorted[index].index = moved[i] = index;
    }
    return sorted;
}

/* Locations by variable, in the order of the module. */
static const struct debug_location *
sort_locations(struct debug_reader *reader, struct debug_variable *variables, const uint32_t *moved)
{
    const uint32_t count = reader->variable_count;
    uint32_t *starts = debug_scratch(reader, count + 1, sizeof *starts);
    struct debug_location *sorted = debug_alloc(reader, reader->location_count, sizeof *sorted);
    if (reader->failed)
        return NULL;
    for (uint32_t i = 0; i < reader->location_count; i++)
        starts[moved[reader->locations[i].variable] + 1]++;
    for (uint32_t i = 0; i < count; i++) {
        variables[i].locations = sorted + starts[i];
        variables[i].location_count = starts[i + 1];
        starts[i + 1] += starts[i];
    }
    for (uint32_t i = 0; i < reader->location_count; i++) {
        reader->locations[i].variable = moved[reader->locations[i].variable];
        sorted[starts[reader->locations[i].variable]++] = reader->locations[i];
    }
    return sorted;
}

/* By id, then as they stand in the one array that both point into. */
static int compare_ids(const void *a, const void *b)
{
    const struct debug_location *left, *right;
    memcpy(&left, a, sizeof left);
    memcpy(&right, b, sizeof right);
    if (left->id != right->id)
        return left->id < right->id ? -1 : 1;
    return left < right ? -1 : left > right;
}

static void index_locations(struct debug_reader *reader, const struct debug_location *locations)
{
    const uint32_t count = reader->location_count;
    const struct debug_location **by_id =
        debug_alloc(reader, count, sizeof(const struct debug_location *));
    if (by_id == NULL)
        return;
    for (uint32_t i = 0; i < count; i++)
        by_id[i] = &locations[i];
    if (count > 0)
        qsort(by_id, count, sizeof(const struct debug_location *), compare_ids);
    reader->info->by_id = by_id;
    reader->info->by_id_count = count;
}

void debug_finish_variables(struct debug_reader *reader)
{
    uint32_t *moved = debug_scratch(reader, reader->variable_count, sizeof *moved);
    struct debug_variable *variables = moved != NULL ? sort_variables(reader, moved) : NULL;
    if (variables == NULL)
        return;
    const struct debug_location *locations = sort_locations(reader, variables, moved);
    if (locations != NULL)
        index_locations(reader, locations);
    reader->info->variables = variables;
    reader->info->variable_count = reader->variable_count;
}
