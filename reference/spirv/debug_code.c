/* Through the functions: in which context each instruction is, and what is told of variables there.
 * Words are counted as the stripped module has them. */
#include "reference/spirv/debug_reader.h"

#include <stdlib.h>

struct code {
    struct debug_reader *reader;
    struct debug_context *contexts;
    uint32_t context_count;
    uint32_t *buckets; /* index of a context by its content; 0 = free */
    uint32_t bucket_count;
    struct debug_range *ranges;
    uint32_t range_count, range_capacity;
    /* Where it is. */
    uint32_t kept, context, line, column;
};

/* ---- contexts ---- */

/* What a DebugScope says; the first time, it becomes a context. */
static uint32_t find_context(struct code *code, const struct debug_scope *scope,
                             const struct debug_inlining *inlining)
{
    const struct debug_reader *reader = code->reader;
    if (scope == NULL)
        return 0;
    const uint32_t expansion = inlining != NULL ? (uint32_t)(inlining - reader->inlinings) + 1 : 0;
    uint32_t bucket = scope->index * 2654435761u ^ expansion * 2246822519u;
    for (;; bucket++) {
        uint32_t *found = &code->buckets[bucket & (code->bucket_count - 1)];
        if (*found == 0) {
            code->contexts[code->context_count] = (struct debug_context){scope, inlining};
            *found = code->context_count++;
        }
        const struct debug_context *context = &code->contexts[*found];
        if (context->scope == scope && context->inlining == inlining)
            return *found;
    }
}

/* No more contexts than DebugScope. */
static void make_contexts(struct code *code)
{
    struct debug_reader *reader = code->reader;
    uint32_t count = 0;
    for (uint32_t i = 0; i < reader->instruction_count; i++)
        count += reader->instructions[i]->number == OpenCLDebugInfo100DebugScope;
    code->bucket_count = 2;
    while (code->bucket_count < count * 2)
        code->bucket_count *= 2;
    code->contexts = debug_alloc(reader, count + 1, sizeof *code->contexts);
    code->buckets = debug_scratch(reader, code->bucket_count, sizeof *code->buckets);
    code->context_count = 1;
}

/* From here on. Of several where no instruction is between them the last one holds. */
static void set_context(struct code *code, uint32_t context)
{
    struct debug_range *last = code->range_count > 0 ? &code->ranges[code->range_count - 1] : NULL;
    if (context == code->context)
        return;
    code->context = context;
    if (last == NULL || last->word != code->kept)
        last = debug_append(code->reader, (void *)&code->ranges, &code->range_count,
                            &code->range_capacity, sizeof *last);
    if (last != NULL)
        *last = (struct debug_range){code->kept, context};
}

/* ---- instructions ---- */

static void take_definition(struct code *code, const struct debug_entry *entry)
{
    struct debug_reader *reader = code->reader;
    const struct debug_entry *found =
        debug_find_number(reader, debug_operand(reader, entry, 0), OpenCLDebugInfo100DebugFunction);
    const uint32_t id = debug_operand(reader, entry, 1);
    struct debug_scope *scope = found != NULL ? found->made : NULL;
    if (scope != NULL && scope->function == 0 && id < reader->bound &&
        reader->entries[id].kind == DEBUG_ENTRY_FUNCTION)
        scope->function = id;
}

static void take_debug(struct code *code, const struct debug_entry *entry)
{
    struct debug_reader *reader = code->reader;
    const struct debug_telling telling = {.entry = entry,
                                          .value = entry->number == OpenCLDebugInfo100DebugValue,
                                          .word = code->kept,
                                          .line = code->line,
                                          .column = code->column,
                                          .inlining = code->contexts[code->context].inlining};
    switch (entry->number) {
    case OpenCLDebugInfo100DebugScope:
        set_context(code,
                    find_context(code, debug_scope_of(reader, debug_operand(reader, entry, 0)),
                                 debug_inlining_of(reader, debug_operand(reader, entry, 1))));
        break;
    case OpenCLDebugInfo100DebugNoScope:
        set_context(code, 0);
        break;
    case OpenCLDebugInfo100DebugDeclare:
    case OpenCLDebugInfo100DebugValue:
        debug_locate(reader, &telling);
        break;
    case NonSemanticShaderDebugInfo100DebugFunctionDefinition:
        if (entry->set == DEBUG_SET_SHADER)
            take_definition(code, entry);
        break;
    default:
        break;
    }
}

/* The function that the instruction is of reaches to its line, as far as it is known. */
static void note_line(const struct code *code)
{
    const struct debug_scope *scope = code->contexts[code->context].scope;
    while (scope != NULL && scope->kind != DEBUG_SCOPE_FUNCTION)
        scope = scope->parent;
    if (scope != NULL && code->reader->scopes[scope->index].last_line < code->line)
        code->reader->scopes[scope->index].last_line = code->line;
}

/* "This instruction delimits the start of a contiguous group of instructions, to be ended by any of
 * the following: the next end of block, the next DebugScope instruction, or the next DebugNoScope"
 * (OpenCL.DebugInfo.100, DebugScope). So is OpLine. */
static void take_other(struct code *code)
{
    const struct spv_walker *walker = &code->reader->module;
    switch (walker->opcode) {
    case SpvOpLabel:
    case SpvOpFunction:
    case SpvOpFunctionEnd:
        set_context(code, 0);
        code->line = code->column = 0;
        break;
    case SpvOpNoLine:
        code->line = code->column = 0;
        break;
    case SpvOpLine:
        code->line = walker->length == 4 ? spv_walker_operand(walker, 2) : 0;
        code->column = walker->length == 4 ? spv_walker_operand(walker, 3) : 0;
        break;
    default:
        note_line(code);
        break;
    }
}

static void go_through(struct code *code)
{
    struct debug_reader *reader = code->reader;
    struct debug_imports imports = {0};
    uint32_t next = 0; /* of the debugging instructions */
    code->kept = SPV_HEADER_WORDS;
    while (!reader->failed && spv_walker_next(&reader->module)) {
        if (debug_imports_see(&imports, &reader->module) == DEBUG_SET_NONE) {
            take_other(code);
            code->kept += reader->module.length;
        } else if (next < reader->instruction_count &&
                   reader->instructions[next]->word == reader->module.start + 5) {
            take_debug(code, reader->instructions[next++]);
        }
    }
}

/* ---- functions ---- */

static int compare_functions(const void *a, const void *b)
{
    const struct debug_function *left = a, *right = b;
    if (left->id != right->id)
        return left->id < right->id ? -1 : 1;
    return left->scope->index < right->scope->index ? -1 : left->scope->index > right->scope->index;
}

static void index_functions(struct code *code)
{
    struct debug_reader *reader = code->reader;
    uint32_t count = 0;
    for (uint32_t i = 0; i < reader->info->scope_count; i++)
        count += reader->scopes[i].function != 0;
    struct debug_function *functions = debug_alloc(reader, count, sizeof *functions);
    if (functions == NULL)
        return;
    count = 0;
    for (uint32_t i = 0; i < reader->info->scope_count; i++) {
        if (reader->scopes[i].function != 0)
            functions[count++] =
                (struct debug_function){reader->scopes[i].function, &reader->scopes[i]};
    }
    if (count > 0)
        qsort(functions, count, sizeof *functions, compare_functions);
    reader->info->functions = functions;
    reader->info->function_count = count;
}

static void keep_ranges(struct code *code)
{
    struct debug_reader *reader = code->reader;
    struct debug_range *ranges = debug_alloc(reader, code->range_count, sizeof *ranges);
    if (ranges == NULL)
        return;
    if (code->range_count > 0)
        memcpy(ranges, code->ranges, code->range_count * sizeof *ranges);
    reader->info->ranges = ranges;
    reader->info->range_count = code->range_count;
    reader->info->contexts = code->contexts;
    reader->info->context_count = code->context_count;
}

void debug_read_code(struct debug_reader *reader)
{
    struct code code = {.reader = reader};
    make_contexts(&code);
    if (reader->failed)
        return;
    go_through(&code);
    keep_ranges(&code);
    index_functions(&code);
}
