/* Sources, scopes and expanded calls. */
#include "reference/spirv/debug_reader.h"

/* ---- sources ---- */

/* Where compilers have no text they may put a checksum in its place. */
static const char checksum_mark[] = "//__CSK_";

/* What is left of the module's size for texts, each of which it has once. */
struct texts {
    struct debug_reader *reader;
    size_t left;
};

/* The text of a DebugSource and the DebugSourceContinued after it, the instructions from `first`
 * on; NULL where there is none. */
static const char *join_text(struct texts *texts, uint32_t first)
{
    struct debug_reader *reader = texts->reader;
    const uint32_t end = reader->instruction_count;
    uint32_t pieces = 1;
    const char *whole = debug_string(reader, reader->instructions[first], 1);
    size_t size = strlen(whole);
    if (size == 0 || strncmp(whole, checksum_mark, sizeof checksum_mark - 1) == 0)
        return NULL;
    while (first + pieces < end && reader->instructions[first + pieces]->set == DEBUG_SET_SHADER &&
           reader->instructions[first + pieces]->number ==
               NonSemanticShaderDebugInfo100DebugSourceContinued)
        size += strlen(debug_string(reader, reader->instructions[first + pieces++], 0));
    if (pieces == 1)
        return whole;
    if (size > texts->left || reader->failed)
        return NULL;
    texts->left -= size;
    char *joined =
        arena_alloc(reader->arena, size + 1, 1); /* may be more than debug_alloc counts */
    reader->failed |= joined == NULL;
    char *at = joined;
    for (uint32_t i = 0; joined != NULL && i < pieces; i++)
        at = stpcpy(at, debug_string(reader, reader->instructions[first + i], i == 0));
    return joined;
}

static uint32_t count_number(const struct debug_reader *reader, uint32_t number)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < reader->instruction_count; i++)
        count += reader->instructions[i]->number == number;
    return count;
}

static void read_sources(struct debug_reader *reader)
{
    const uint32_t count = count_number(reader, OpenCLDebugInfo100DebugSource);
    struct debug_source *sources = debug_alloc(reader, count, sizeof *sources);
    struct texts texts = {reader, reader->module.word_count * sizeof(uint32_t)};
    uint32_t made = 0;
    for (uint32_t i = 0; i < reader->instruction_count && !reader->failed; i++) {
        struct debug_entry *entry = reader->instructions[i];
        if (entry->number != OpenCLDebugInfo100DebugSource)
            continue;
        sources[made] = (struct debug_source){debug_string(reader, entry, 0), join_text(&texts, i)};
        entry->made = &sources[made++];
    }
    reader->info->sources = sources;
    reader->info->source_count = made;
}

const struct debug_source *debug_source_of(const struct debug_reader *reader, uint32_t id)
{
    const struct debug_entry *entry = debug_find_number(reader, id, OpenCLDebugInfo100DebugSource);
    return entry != NULL ? entry->made : NULL;
}

/* ---- scopes ---- */

static bool is_scope(const struct debug_entry *entry)
{
    return entry->number == OpenCLDebugInfo100DebugCompilationUnit ||
           entry->number == OpenCLDebugInfo100DebugFunction ||
           entry->number == OpenCLDebugInfo100DebugLexicalBlock;
}

/* The operand in which an instruction that is no scope itself names the one that it is in; 0 = it
 * is in none. */
static uint32_t parent_operand(const struct debug_entry *entry)
{
    switch (entry->number) {
    case OpenCLDebugInfo100DebugTypedef:
    case OpenCLDebugInfo100DebugTypeEnum:
    case OpenCLDebugInfo100DebugTypeComposite:
    case OpenCLDebugInfo100DebugFunctionDeclaration:
        return 5;
    case OpenCLDebugInfo100DebugLexicalBlockDiscriminator:
        return 2;
    default:
        return 0;
    }
}

/* The scope that an id names, or that what it names is in. */
static struct debug_scope *scope_of(const struct debug_reader *reader, uint32_t id)
{
    const struct debug_entry *entry = debug_find(reader, id);
    for (int i = 0; i < DEBUG_DEPTH_MAX && entry != NULL; i++) {
        if (is_scope(entry))
            return entry->made;
        if (entry->number == OpenCLDebugInfo100DebugTypeTemplate)
            entry = debug_find(reader, debug_operand(reader, entry, 0));
        else if (parent_operand(entry) != 0)
            entry = debug_find(reader, debug_operand(reader, entry, parent_operand(entry)));
        else
            return NULL;
    }
    return NULL;
}

const struct debug_scope *debug_scope_of(const struct debug_reader *reader, uint32_t id)
{
    return scope_of(reader, id);
}

/* The OpFunction that an id names; 0 = none. */
static uint32_t function_id(const struct debug_reader *reader, uint32_t id)
{
    return id < reader->bound && reader->entries[id].kind == DEBUG_ENTRY_FUNCTION ? id : 0;
}

static void fill_function(struct debug_reader *reader, struct debug_scope *scope,
                          const struct debug_entry *entry)
{
    scope->kind = DEBUG_SCOPE_FUNCTION;
    scope->name = debug_string(reader, entry, 0);
    scope->type = debug_type_of(reader, debug_operand(reader, entry, 1));
    scope->source = debug_source_of(reader, debug_operand(reader, entry, 2));
    scope->line = debug_number(reader, entry, 3);
    scope->column = debug_number(reader, entry, 4);
    scope->linkage_name = debug_string(reader, entry, 6);
    /* Of the other set an instruction in the function says it. */
    if (entry->set == DEBUG_SET_OPENCL)
        scope->function = function_id(reader, debug_operand(reader, entry, 9));
}

/* A block with a name is a namespace; one of NonSemantic.Shader may have an empty name. */
static void fill_block(struct debug_reader *reader, struct debug_scope *scope,
                       const struct debug_entry *entry)
{
    scope->source = debug_source_of(reader, debug_operand(reader, entry, 0));
    scope->line = debug_number(reader, entry, 1);
    scope->column = debug_number(reader, entry, 2);
    scope->name = debug_string(reader, entry, 4);
    scope->kind = scope->name[0] != '\0' ? DEBUG_SCOPE_NAMESPACE : DEBUG_SCOPE_BLOCK;
}

static void fill_unit(struct debug_reader *reader, struct debug_scope *scope,
                      const struct debug_entry *entry)
{
    scope->kind = DEBUG_SCOPE_UNIT;
    scope->source = debug_source_of(reader, debug_operand(reader, entry, 2));
}

/* Returns the id of the scope outside. */
static uint32_t fill_scope(struct debug_reader *reader, struct debug_scope *scope,
                           const struct debug_entry *entry)
{
    scope->name = scope->linkage_name = "";
    scope->type = debug_type_of(reader, 0);
    switch (entry->number) {
    case OpenCLDebugInfo100DebugFunction:
        fill_function(reader, scope, entry);
        return debug_operand(reader, entry, 5);
    case OpenCLDebugInfo100DebugLexicalBlock:
        fill_block(reader, scope, entry);
        return debug_operand(reader, entry, 3);
    default:
        fill_unit(reader, scope, entry);
        return 0;
    }
}

static void link_scopes(struct debug_reader *reader, uint32_t *parents, uint32_t count)
{
    debug_cut_parents(reader, parents, count);
    for (uint32_t i = 0; i < count && !reader->failed; i++) {
        if (parents[i] != UINT32_MAX)
            reader->scopes[i].parent = &reader->scopes[parents[i]];
    }
}

static void read_scopes(struct debug_reader *reader)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < reader->instruction_count; i++)
        count += is_scope(reader->instructions[i]);
    reader->scopes = debug_alloc(reader, count, sizeof *reader->scopes);
    uint32_t *parents = debug_scratch(reader, count, sizeof *parents);
    if (reader->failed)
        return;
    count = 0;
    for (uint32_t i = 0; i < reader->instruction_count; i++) {
        if (!is_scope(reader->instructions[i]))
            continue;
        reader->scopes[count].index = count;
        reader->instructions[i]->made = &reader->scopes[count++];
    }
    for (uint32_t i = 0; i < reader->instruction_count && !reader->failed; i++) {
        const struct debug_entry *entry = reader->instructions[i];
        if (!is_scope(entry))
            continue;
        struct debug_scope *scope = entry->made;
        const struct debug_scope *parent = scope_of(reader, fill_scope(reader, scope, entry));
        parents[scope->index] = parent != NULL ? parent->index : UINT32_MAX;
    }
    link_scopes(reader, parents, count);
    reader->info->scopes = reader->scopes;
    reader->info->scope_count = count;
}

/* ---- expanded calls ---- */

const struct debug_inlining *debug_inlining_of(const struct debug_reader *reader, uint32_t id)
{
    const struct debug_entry *entry =
        debug_find_number(reader, id, OpenCLDebugInfo100DebugInlinedAt);
    const struct debug_inlining *inlining = entry != NULL ? entry->made : NULL;
    return inlining != NULL && inlining->scope != NULL ? inlining : NULL;
}

/* A call without a scope, or in one that is expanded there itself, says nothing. */
static void read_inlinings(struct debug_reader *reader)
{
    const uint32_t count = count_number(reader, OpenCLDebugInfo100DebugInlinedAt);
    uint32_t *outer = debug_scratch(reader, count, sizeof *outer);
    uint32_t made = 0;
    reader->inlinings = debug_alloc(reader, count, sizeof *reader->inlinings);
    if (reader->failed)
        return;
    for (uint32_t i = 0; i < reader->instruction_count; i++) {
        struct debug_entry *entry = reader->instructions[i];
        if (entry->number != OpenCLDebugInfo100DebugInlinedAt)
            continue;
        reader->inlinings[made] =
            (struct debug_inlining){.scope = scope_of(reader, debug_operand(reader, entry, 1)),
                                    .line = debug_number(reader, entry, 0)};
        entry->made = &reader->inlinings[made++];
    }
    made = 0;
    for (uint32_t i = 0; i < reader->instruction_count; i++) {
        const struct debug_entry *entry = reader->instructions[i];
        if (entry->number != OpenCLDebugInfo100DebugInlinedAt)
            continue;
        const struct debug_inlining *found =
            debug_inlining_of(reader, debug_operand(reader, entry, 2));
        outer[made++] = found != NULL ? (uint32_t)(found - reader->inlinings) : UINT32_MAX;
    }
    debug_cut_parents(reader, outer, made);
    for (uint32_t i = 0; i < made && !reader->failed; i++) {
        if (outer[i] != UINT32_MAX)
            reader->inlinings[i].outer = &reader->inlinings[outer[i]];
    }
}

void debug_read_scopes(struct debug_reader *reader)
{
    read_sources(reader);
    read_scopes(reader);
    read_inlinings(reader);
}
