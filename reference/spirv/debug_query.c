/* What is asked of debug information. */
#include "reference/spirv/debug_info.h"

#include <string.h>

/* ---- by word and by id ---- */

uint32_t debug_info_context(const struct debug_info *info, uint32_t word)
{
    uint32_t low = 0, high = info->range_count; /* the last range that starts no later */
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (info->ranges[middle].word <= word)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? info->ranges[low - 1].context : 0;
}

const struct debug_scope *debug_info_function(const struct debug_info *info, uint32_t id)
{
    uint32_t low = 0, high = info->function_count; /* the first of no lower id */
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (info->functions[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < info->function_count && info->functions[low].id == id ? info->functions[low].scope
                                                                       : NULL;
}

/* The first location of no lower id. */
static uint32_t first_of_id(const struct debug_info *info, uint64_t id)
{
    uint32_t low = 0, high = info->by_id_count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (info->by_id[middle]->id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

const struct debug_location *const *debug_info_of_id(const struct debug_info *info, uint32_t id,
                                                     uint32_t *count)
{
    const uint32_t first = first_of_id(info, id);
    *count = first_of_id(info, (uint64_t)id + 1) - first;
    return *count > 0 ? &info->by_id[first] : NULL;
}

const struct debug_location *debug_variable_declared(const struct debug_variable *variable,
                                                     const struct debug_inlining *inlining)
{
    for (uint32_t i = 0; i < variable->location_count; i++) {
        const struct debug_location *location = &variable->locations[i];
        if (!location->value && !location->fragment &&
            (variable->global || location->inlining == inlining))
            return location;
    }
    return NULL;
}

/* ---- types ---- */

const struct debug_type *debug_type_plain(const struct debug_type *type)
{
    while (type->kind == DEBUG_TYPE_TYPEDEF || type->kind == DEBUG_TYPE_QUALIFIER)
        type = type->base;
    return type;
}

enum { MEMBERS_MAX = 65536 }; /* to look at: a type of types may have more than can be counted */

/* `left` is how many may still be looked at. */
static const struct debug_member *find_member(const struct debug_type *type, const char *name,
                                              uint64_t *bit_offset, uint32_t *left)
{
    type = debug_type_plain(type);
    for (uint32_t i = 0; i < type->member_count; i++) {
        const struct debug_member *member = &type->members[i];
        if (*left == 0)
            return NULL;
        --*left;
        if (!member->base && member->name[0] != '\0' && strcmp(member->name, name) == 0) {
            *bit_offset = member->bit_offset;
            return member;
        }
    }
    for (uint32_t i = 0; i < type->member_count; i++) {
        const struct debug_member *member = &type->members[i];
        const struct debug_member *found =
            member->name[0] == '\0' ? find_member(member->type, name, bit_offset, left) : NULL;
        if (found != NULL) {
            *bit_offset += member->bit_offset;
            return found;
        }
    }
    return NULL;
}

const struct debug_member *debug_type_find_member(const struct debug_type *type, const char *name,
                                                  uint64_t *bit_offset)
{
    uint32_t left = MEMBERS_MAX;
    return find_member(type, name, bit_offset, &left);
}

static bool is_named(const struct debug_type *type, const char *name, bool tagged)
{
    const bool basic = type->kind == DEBUG_TYPE_BASIC || type->kind == DEBUG_TYPE_TYPEDEF;
    const bool tag = type->kind == DEBUG_TYPE_STRUCT || type->kind == DEBUG_TYPE_UNION ||
                     type->kind == DEBUG_TYPE_CLASS || type->kind == DEBUG_TYPE_ENUM;
    return (tagged ? tag : basic || tag) && strcmp(type->name, name) == 0;
}

const struct debug_type *debug_info_find_type(const struct debug_info *info, const char *name,
                                              bool tagged)
{
    const struct debug_type *found = NULL;
    if (name[0] == '\0')
        return NULL;
    for (uint32_t i = 0; i < info->type_count; i++) {
        const struct debug_type *type = info->types[i];
        if (!is_named(type, name, tagged))
            continue;
        if (!type->declaration)
            return type;
        if (found == NULL)
            found = type;
    }
    return found;
}

/* ---- what a place sees ---- */

static bool is_declared_after(const struct debug_variable *variable, const struct debug_site *site)
{
    if (variable->global || variable->argument != 0 || site->line == 0 || variable->line == 0 ||
        variable->source == NULL || site->file == NULL ||
        strcmp(variable->source->file, site->file) != 0)
        return false;
    return variable->line > site->line ||
           (variable->line == site->line && variable->column > site->column);
}

/* A walk over the variables that a place may see. */
struct looking {
    const struct debug_site *site;
    const struct debug_scope *scope;
    uint32_t left;   /* variables of the scope */
    bool is_outside; /* of the function: a lambda's and a local class' functions lie in others */
};

/* The next variable from the innermost scope outwards, the last one of a scope first; NULL at the
 * end. */
static const struct debug_variable *next_variable(struct looking *looking)
{
    while (looking->scope != NULL) {
        while (looking->left > 0) {
            const struct debug_variable *variable = &looking->scope->variables[--looking->left];
            if (looking->is_outside ? variable->global
                                    : !is_declared_after(variable, looking->site))
                return variable;
        }
        looking->is_outside |= looking->scope->kind == DEBUG_SCOPE_FUNCTION;
        looking->scope = looking->scope->parent;
        looking->left = looking->scope != NULL ? looking->scope->variable_count : 0;
    }
    return NULL;
}

static struct looking look_around(const struct debug_site *site)
{
    const struct debug_scope *scope = site->context->scope;
    return (struct looking){site, scope, scope != NULL ? scope->variable_count : 0, false};
}

static bool is_among(const struct debug_variable *const *variables, uint32_t count,
                     const char *name)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(variables[i]->name, name) == 0)
            return true;
    }
    return false;
}

/* How many there are, hidden ones included. */
static uint32_t count_variables(const struct debug_site *site)
{
    struct looking looking = look_around(site);
    uint32_t count = 0;
    while (count < DEBUG_VISIBLE_MAX && next_variable(&looking) != NULL)
        count++;
    return count;
}

const struct debug_variable **debug_site_variables(const struct debug_site *site,
                                                   struct arena *arena, uint32_t *count)
{
    const uint32_t limit = count_variables(site);
    const struct debug_variable **found =
        arena_alloc(arena, (size_t)limit + 1, sizeof(const struct debug_variable *));
    struct looking looking = look_around(site);
    uint32_t made = 0;
    if (found == NULL)
        return NULL;
    for (uint32_t i = 0; i < limit; i++) {
        const struct debug_variable *variable = next_variable(&looking);
        if (!is_among(found, made, variable->name))
            found[made++] = variable;
    }
    *count = made;
    return found;
}

const struct debug_variable *debug_site_find_variable(const struct debug_site *site,
                                                      const char *name)
{
    struct looking looking = look_around(site);
    const struct debug_variable *variable;
    while ((variable = next_variable(&looking)) != NULL) {
        if (strcmp(variable->name, name) == 0)
            return variable;
    }
    return NULL;
}
