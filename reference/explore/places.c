/* The locations of a kernel: whatever bytes it accesses together, found as it does. */
#include "reference/explore/private.h"

#include <string.h>

/* ---- names ---- */

/* The argument that the object was given as, from 0; parameter_count = none. */
static uint32_t argument_of(const struct explorer *explorer, uint32_t object)
{
    const struct sched_launch *request = &explorer->request;
    uint32_t i = 0;
    for (; i < request->code->parameter_count; i++) {
        const struct vm_object *given = launch_argument(request, i, 1 << VM_PARAMETER_GLOBAL);
        if (given && given->root->identity.id == object)
            break;
    }
    return i;
}

/* The parameter's name, if it has one of its own, or "arg2": keys of outcomes must differ. NULL:
 * memory ran out. */
static const char *parameter_name(struct explorer *explorer, uint32_t index)
{
    const struct vm_code *code = explorer->request.code;
    const char *name = code->parameters[index].name;
    bool unique = name[0] != '\0';
    for (uint32_t i = 0; unique && i < code->parameter_count; i++)
        unique = i == index || strcmp(code->parameters[i].name, name) != 0;
    return unique ? name : arena_format(&explorer->arena, "arg%u", index);
}

const char *explorer_object_name(struct explorer *explorer, const struct observer_object *object)
{
    const struct vm_code *code = explorer->request.code;
    const uint32_t argument = object->region == OBSERVER_GLOBAL ? argument_of(explorer, object->id)
                                                                : code->parameter_count;
    return argument < code->parameter_count ? parameter_name(explorer, argument) : object->name;
}

/* "x" of what is one element alone, else "x[2]", and "x+3" of what is not an element. */
static const char *make_name(struct explorer *explorer, const char *name,
                             const struct vm_object *root, const struct explore_place *place)
{
    const uint64_t *counts = explorer->launch->group_count;
    const bool of_group =
        root->identity.region == OBSERVER_LOCAL && counts[0] * counts[1] * counts[2] > 1;
    struct text text = TEXT_INIT;
    text_append(&text, name);
    if (place->offset % place->size != 0)
        text_format(&text, "+%llu", (unsigned long long)place->offset);
    else if (root->size > place->size)
        text_format(&text, "[%llu]", (unsigned long long)(place->offset / place->size));
    if (of_group)
        text_format(&text, " of work-group %u", place->group);
    const char *made = text.failed ? NULL : arena_string(&explorer->arena, text.bytes);
    text_release(&text);
    return made;
}

static bool is_unsigned(const char *type_name)
{
    static const char *const words[] = {"uchar", "ushort", "uint", "ulong", "unsigned", "size_t"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strstr(type_name, words[i]))
            return true;
    }
    return false;
}

static bool is_floating(const char *type_name)
{
    return strstr(type_name, "float") || strstr(type_name, "double");
}

/* ---- locations ---- */

static int64_t initial_value(const struct vm_object *root, const struct explore_place *place,
                             struct litmus_type type)
{
    int64_t value = 0; /* of local memory: the device's is zero, and undefined */
    if (root->identity.region == OBSERVER_GLOBAL)
        memcpy(&value, root->bytes + place->offset, place->size);
    return litmus_convert(value, type);
}

bool explorer_make_places(struct explorer *explorer)
{
    struct litmus_test *test = &explorer->test;
    struct arena *arena = &explorer->arena;
    const size_t count = test->location_count;
    const size_t capacity = count == 0 ? LITMUS_LOCATIONS_MAX : 2 * count;
    struct litmus_location *locations = arena_alloc(arena, capacity, sizeof *locations);
    struct oracle_object *objects = arena_alloc(arena, capacity, sizeof *objects);
    struct explore_place *places = arena_alloc(arena, capacity, sizeof *places);
    if (!locations || !objects || !places)
        return false;
    if (count > 0) {
        memcpy(locations, test->locations, count * sizeof *locations);
        memcpy(objects, test->objects, count * sizeof *objects);
        memcpy(places, explorer->places, count * sizeof *places);
    }
    test->locations = locations;
    test->objects = objects;
    explorer->places = places;
    explorer->place_capacity = capacity;
    return true;
}

static bool make_location(struct explorer *explorer, const struct vm_coming_access *access,
                          const struct explore_place *place)
{
    struct litmus_test *test = &explorer->test;
    const struct vm_object *root = access->object->root;
    const bool local = root->identity.region == OBSERVER_LOCAL;
    const struct vm_code *code = explorer->request.code;
    const uint32_t argument =
        local ? code->parameter_count : argument_of(explorer, root->identity.id);
    const bool given = argument < code->parameter_count;
    const char *type_name = given ? code->parameters[argument].type_name : "";
    const struct litmus_type type = {(uint8_t)place->size, !is_unsigned(type_name)};
    const char *whole = given ? parameter_name(explorer, argument) : root->identity.name;
    const char *name = whole ? make_name(explorer, whole, root, place) : NULL;
    if (!name) {
        explorer_no_memory(explorer, sizeof *place);
        return false;
    }
    test->locations[test->location_count] = (struct litmus_location){
        .name = name,
        .type = type,
        .region = local ? ORACLE_LOCAL : ORACLE_GLOBAL,
        .group = place->group,
        .initial = initial_value(root, place, type),
        .is_floating = place->size >= 4 && (access->is_floating || is_floating(type_name)),
        .rank = (uint64_t)argument << 40 | place->offset,
    };
    test->objects[test->location_count] = (struct oracle_object){
        .region = local ? ORACLE_LOCAL : ORACLE_GLOBAL,
        .sharing = ORACLE_BUFFER,
        .size = place->size,
    };
    explorer->places[test->location_count++] = *place;
    return true;
}

static bool overlaps(const struct explore_place *a, const struct explore_place *b)
{
    return a->object == b->object && a->group == b->group && a->offset < b->offset + b->size &&
           b->offset < a->offset + a->size;
}

bool explorer_locate(struct explorer *explorer, uint32_t group,
                     const struct vm_coming_access *access, uint32_t *location)
{
    const struct litmus_test *test = &explorer->test;
    const struct vm_object *object = access->object;
    const bool local = object->identity.region == OBSERVER_LOCAL;
    const struct explore_place place = {
        .object = object->root->identity.id,
        .size = access->size,
        .offset = object->root_offset + access->offset,
        .group = local ? group : 0,
    };
    for (uint32_t i = 0; i < test->location_count; i++) {
        const struct explore_place *known = &explorer->places[i];
        if (!overlaps(known, &place))
            continue;
        *location = i;
        if (known->offset == place.offset && known->size == place.size)
            return true;
        explorer_fail(
            explorer, access->site,
            "an access of %u overlaps %s, which is accessed as %u bytes: there must be one size",
            place.size, test->locations[i].name, known->size);
        return false;
    }
    if (test->location_count == explorer->place_capacity && !explorer_make_places(explorer)) {
        explorer_no_memory(explorer, sizeof place);
        return false;
    }
    *location = (uint32_t)test->location_count;
    return make_location(explorer, access, &place);
}
