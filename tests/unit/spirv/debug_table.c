#include "tests/unit/spirv/debug_table.h"

#include "reference/spirv/module_private.h"

#include <inttypes.h>

/* ---- types ---- */

static const char *storage_name(uint32_t storage)
{
    switch (storage) {
    case SpvStorageClassUniformConstant:
        return "constant";
    case SpvStorageClassCrossWorkgroup:
        return "global";
    case SpvStorageClassWorkgroup:
        return "local";
    case SpvStorageClassFunction:
        return "private";
    case SpvStorageClassGeneric:
        return "generic";
    default:
        return "nowhere";
    }
}

static const char *named(const char *name)
{
    return name[0] != '\0' ? name : "_";
}

void debug_table_type(const struct debug_type *type, struct text *text)
{
    static const char *const qualifiers[] = {"const ", "volatile ", "restrict ", "atomic "};
    switch (type->kind) {
    case DEBUG_TYPE_UNKNOWN:
        text_append(text, "?");
        return;
    case DEBUG_TYPE_VOID:
        text_append(text, "void");
        return;
    case DEBUG_TYPE_BASIC:
    case DEBUG_TYPE_TYPEDEF:
        text_append(text, type->name);
        return;
    case DEBUG_TYPE_OPAQUE:
        text_format(text, "opaque %s", type->name);
        return;
    case DEBUG_TYPE_POINTER:
        text_format(text, "%s%s ", type->reference ? "&" : "*", storage_name(type->storage));
        break;
    case DEBUG_TYPE_VECTOR:
        text_format(text, "<%" PRIu64 ">", type->count);
        break;
    case DEBUG_TYPE_ARRAY:
        text_format(text, "[%" PRIu64 "]", type->count);
        break;
    case DEBUG_TYPE_QUALIFIER:
        text_append(text, qualifiers[type->qualifier]);
        break;
    case DEBUG_TYPE_STRUCT:
        text_format(text, "struct %s", named(type->name));
        return;
    case DEBUG_TYPE_UNION:
        text_format(text, "union %s", named(type->name));
        return;
    case DEBUG_TYPE_CLASS:
        text_format(text, "class %s", named(type->name));
        return;
    case DEBUG_TYPE_ENUM:
        text_format(text, "enum %s", named(type->name));
        return;
    case DEBUG_TYPE_FUNCTION:
        text_append(text, "(");
        for (uint32_t i = 0; i < type->parameter_count; i++) {
            text_append(text, i > 0 ? ", " : "");
            debug_table_type(type->parameters[i], text);
        }
        text_append(text, ") ");
        break;
    }
    debug_table_type(type->base, text);
}

static void say_member(const struct debug_member *member, struct text *text)
{
    text_append(text, member->base ? "base " : "");
    debug_table_type(member->type, text);
    if (!member->base)
        text_format(text, " %s", named(member->name));
    text_format(text, " @%" PRIu64, member->bit_offset / 8);
    if (member->bit_field)
        text_format(text, ".%" PRIu64 ":%" PRIu64, member->bit_offset % 8, member->bit_size);
    text_append(text, "; ");
}

static void say_definition(const struct debug_type *type, struct text *text)
{
    static const char *const encodings[] = {"unknown", "address",     "boolean",  "float",
                                            "signed",  "signed char", "unsigned", "unsigned char"};
    debug_table_type(type, text);
    text_format(text, " %" PRIu64 "%s", type->size, type->declaration ? " declared" : "");
    if (type->kind == DEBUG_TYPE_BASIC)
        text_format(text, ": %u %s", type->bits, encodings[type->encoding]);
    if (type->kind == DEBUG_TYPE_TYPEDEF || type->kind == DEBUG_TYPE_ENUM) {
        text_append(text, ": ");
        debug_table_type(type->base, text);
    }
    text_append(text, type->member_count > 0 ? ": " : "");
    for (uint32_t i = 0; i < type->member_count; i++)
        say_member(&type->members[i], text);
    for (uint32_t i = 0; i < type->enumerator_count; i++)
        text_format(text, " %s=%" PRId64, type->enumerators[i].name,
                    (int64_t)type->enumerators[i].value);
    text_append(text, "\n");
}

void debug_table_types(const struct debug_info *info, struct text *text)
{
    for (uint32_t i = 0; i < info->type_count; i++) {
        switch (info->types[i]->kind) {
        case DEBUG_TYPE_BASIC:
        case DEBUG_TYPE_TYPEDEF:
        case DEBUG_TYPE_STRUCT:
        case DEBUG_TYPE_UNION:
        case DEBUG_TYPE_CLASS:
        case DEBUG_TYPE_ENUM:
            say_definition(info->types[i], text);
            break;
        default:
            break;
        }
    }
}

/* ---- scopes ---- */

struct table {
    const struct debug_info *info;
    const struct spv_module *module;
    struct text *text;
};

static void indent(const struct table *table, int depth)
{
    for (int i = 0; i < depth; i++)
        text_append(table->text, "  ");
}

static void say_call(const struct table *table, const struct debug_inlining *inlining)
{
    for (; inlining != NULL; inlining = inlining->outer)
        text_format(table->text, " in %s:%u", named(inlining->scope->name), inlining->line);
}

static void say_location(const struct table *table, const struct debug_location *location)
{
    text_format(table->text, " %s%s", location->value ? "=" : "@",
                location->id < table->module->bound ? named(table->module->ids[location->id].name)
                                                    : "beyond");
    for (uint32_t i = 0; i < location->step_count; i++) {
        if (location->steps[i].kind == DEBUG_STEP_DEREFERENCE)
            text_append(table->text, " *");
        else
            text_format(table->text, " %+" PRId64, location->steps[i].bytes);
    }
    if (location->fragment)
        text_format(table->text, " bits %" PRIu64 "..%" PRIu64, location->fragment_offset,
                    location->fragment_offset + location->fragment_size);
    say_call(table, location->inlining);
}

static void say_variable(const struct table *table, const struct debug_variable *variable,
                         int depth)
{
    indent(table, depth);
    if (variable->argument != 0)
        text_format(table->text, "%u. ", variable->argument);
    text_append(table->text, variable->global ? "global " : "");
    text_append(table->text, variable->artificial ? "artificial " : "");
    debug_table_type(variable->type, table->text);
    text_format(table->text, " %s %u:%u", named(variable->name), variable->line, variable->column);
    for (uint32_t i = 0; i < variable->location_count; i++)
        say_location(table, &variable->locations[i]);
    text_append(table->text, "\n");
}

static void say_scope(const struct table *table, const struct debug_scope *scope, int depth)
{
    static const char *const kinds[] = {"unit", "namespace", "function", "block"};
    indent(table, depth);
    text_append(table->text, kinds[scope->kind]);
    if (scope->kind == DEBUG_SCOPE_UNIT)
        text_format(table->text, " %s", scope->source != NULL ? scope->source->file : "?");
    else
        text_format(table->text, " %s%s%u", scope->name, scope->name[0] != '\0' ? " " : "",
                    scope->line);
    if (scope->kind == DEBUG_SCOPE_FUNCTION) {
        text_append(table->text, " ");
        debug_table_type(scope->type, table->text);
        if (scope->linkage_name[0] != '\0')
            text_format(table->text, " %s", scope->linkage_name);
        if (scope->function == 0)
            text_append(table->text, " nowhere");
    }
    text_append(table->text, "\n");
    for (uint32_t i = 0; i < scope->variable_count; i++)
        say_variable(table, &scope->variables[i], depth + 1);
    for (uint32_t i = 0; i < table->info->scope_count; i++) {
        if (table->info->scopes[i].parent == scope)
            say_scope(table, &table->info->scopes[i], depth + 1);
    }
}

void debug_table_scopes(const struct debug_info *info, const struct spv_module *module,
                        struct text *text)
{
    const struct table table = {info, module, text};
    for (uint32_t i = 0; i < info->scope_count; i++) {
        if (info->scopes[i].parent == NULL)
            say_scope(&table, &info->scopes[i], 0);
    }
}

/* ---- places ---- */

/* The first instruction of the line. */
static const struct spv_instruction *find_line(const struct spv_module *module, uint32_t line)
{
    for (uint32_t f = 0; f < module->function_count; f++) {
        for (uint32_t b = 0; b < module->functions[f].block_count; b++) {
            const struct spv_block *block = &module->functions[f].blocks[b];
            for (uint32_t i = 0; i < block->count; i++) {
                if (module->places[block->instructions[i].place].line == line)
                    return &block->instructions[i];
            }
        }
    }
    return NULL;
}

void debug_table_visible(const struct debug_info *info, const struct spv_module *module,
                         uint32_t line, struct text *text)
{
    struct arena arena = {0};
    const struct table table = {info, module, text};
    const struct spv_instruction *at = find_line(module, line);
    uint32_t count = 0;
    if (at == NULL)
        return;
    const struct spv_place *place = &module->places[at->place];
    const struct debug_context *context = &info->contexts[debug_info_context(info, at->word)];
    const struct debug_site site = {context, place->file, place->line, place->column};
    const struct debug_variable **variables = debug_site_variables(&site, &arena, &count);
    text_format(text, "%u: ", line);
    for (const struct debug_scope *scope = context->scope; scope != NULL; scope = scope->parent)
        text_format(text, "%s%u ", scope->kind == DEBUG_SCOPE_BLOCK ? "{" : scope->name,
                    scope->line);
    say_call(&table, context->inlining);
    text_append(text, "|");
    for (uint32_t i = 0; i < count; i++)
        text_format(text, " %s:%u", variables[i]->name, variables[i]->line);
    text_append(text, "\n");
    arena_release(&arena);
}
