#include "tests/fuzz/random_place.h"

static const char *const space_names[] = {"private", "local", "global", "constant"};

struct shapes shapes;
struct scope scope;
struct object objects[OBJECTS_MAX];
uint32_t object_count;
bool generic;
const struct type uint_type = {UINT, 1};

/* How many indices the text is within: those within others are numbers. */
static uint32_t index_depth;

struct object *add_like(const struct object *like, const char *format, uint32_t number)
{
    struct text name = TEXT_INIT;
    struct object added = *like;
    text_format(&name, format, number);
    for (size_t i = 0; i <= name.size && i + 1 < OBJECT_NAME; i++)
        added.name[i] = name.bytes[i];
    text_release(&name);
    if (object_count == OBJECTS_MAX)
        object_count--;
    objects[object_count] = added;
    return &objects[object_count++];
}

struct object *add_object(const char *format, uint32_t number, uint32_t shape, enum space space)
{
    const struct object object = {.shape = shape, .space = space, .writable = space != CONSTANT};
    return add_like(&object, format, number);
}

const struct shape *shape_at(uint32_t shape)
{
    return &shapes.list[shape];
}

bool is_aggregate(uint32_t shape)
{
    return shape_at(shape)->form == STRUCT || shape_at(shape)->form == UNION;
}

bool is_generic(const struct object *object)
{
    return object->pointer && object->qualifier[0] == '\0';
}

const char *pointer_space(enum space space)
{
    return generic && space != CONSTANT && one_in(2) ? "" : space_names[space];
}

/* ---- places ---- */

void put_index(uint32_t count, int32_t first, struct text *out)
{
    struct text *const outer = scope.out;
    if (count == 1 || index_depth > 0 || one_in(3)) {
        text_format(out, "%d", first + (int32_t)below(count));
        return;
    }
    index_depth++;
    scope.out = out;
    put(&scope, first == 0 ? "(" : "(int)((");
    expression(&scope, uint_type, below(2));
    text_format(out, ") %% %uu", count);
    if (first != 0)
        text_format(out, ") - %d", -first);
    scope.out = outer;
    index_depth--;
}

void start_place(struct place *place, const struct object *object)
{
    *place = (struct place){.name = TEXT_INIT, .shape = object->shape, .root = object};
    if (!object->pointer) {
        text_append(&place->name, object->name);
    } else if (object->low == 0 && object->high == 0 && one_in(2)) {
        text_format(&place->name, "(*%s)", object->name);
    } else {
        text_format(&place->name, "%s[", object->name);
        put_index((uint32_t)(object->high - object->low + 1), object->low, &place->name);
        text_append(&place->name, "]");
    }
}

void step_down(struct place *place)
{
    const struct shape *is = shape_at(place->shape);
    if (is->form == ARRAY) {
        text_append(&place->name, "[");
        put_index(is->count, 0, &place->name);
        text_append(&place->name, "]");
        place->shape = is->members[0];
        return;
    }
    const uint32_t member = below(is->count);
    text_format(&place->name, ".m%u", member);
    place->in_union = place->in_union || is->form == UNION;
    place->shape = is->members[member];
}

const struct object *any_object(bool writable)
{
    for (uint32_t tries = 0; tries < 20 && object_count > 0; tries++) {
        const struct object *object = &objects[below(object_count)];
        if (object->writable || !writable)
            return object;
    }
    return NULL;
}

bool value_place(struct place *place, bool writable)
{
    const struct object *object = any_object(writable);
    if (object == NULL)
        return false;
    start_place(place, object);
    while (shape_at(place->shape)->form != VALUE)
        step_down(place);
    return true;
}

bool place_of_shape(struct place *place, uint32_t shape, enum space space, bool writable,
                    uint32_t limit)
{
    for (uint32_t tries = 0; tries < 40 && limit > 0; tries++) {
        const struct object *object = &objects[below(limit)];
        if (object->space != space || (writable && !object->writable) || is_generic(object))
            continue;
        start_place(place, object);
        while (place->shape != shape && shape_at(place->shape)->form != VALUE)
            step_down(place);
        if (place->shape == shape && !place->in_union)
            return true;
        text_release(&place->name);
    }
    return false;
}

/* ---- values ---- */

void put_components(struct type from, uint32_t width, bool distinct)
{
    static const char *const halves[] = {".lo", ".hi", ".even", ".odd"};
    if (from.width == 2 * width && one_in(2)) {
        put(&scope, halves[below(4)]);
        return;
    }
    uint32_t taken = 0;
    put(&scope, ".s");
    for (uint32_t i = 0; i < width; i++) {
        uint32_t component = below(from.width);
        while (distinct && (taken >> component & 1) != 0)
            component = (component + 1) % from.width;
        taken |= 1u << component;
        OUT("%x", component);
    }
}

void put_component(struct type from)
{
    if (one_in(2)) {
        put_components(from, 1, true);
        return;
    }
    put(&scope, "[");
    put_index(from.width, 0, scope.out);
    put(&scope, "]");
}

/* The value at the place as one of another type. */
static void put_converted(const struct place *place, struct type type)
{
    const struct type from = shape_at(place->shape)->value;
    const char *const name = place->name.bytes;
    if (from.width == type.width) {
        const bool same = from.base == type.base;
        OUT(same              ? "%s%s"
            : type.width == 1 ? "((%s)%s"
                              : "convert_%s(%s",
            same ? "" : name_of(type), name);
        put(&scope, same ? "" : ")");
    } else if (type.width == 1 || from.width < type.width) {
        OUT("((%s)(", name_of(type));
        OUT("(%s)%s", name_of((struct type){type.base, 1}), name);
        if (from.width > 1)
            put_component(from);
        put(&scope, "))");
    } else {
        OUT("convert_%s(%s", name_of(type), name);
        put_components(from, type.width, false);
        put(&scope, ")");
    }
}

bool leaf_from_objects(struct scope *of, struct type type)
{
    struct place place;
    (void)of;
    if (!value_place(&place, false))
        return false;
    put_converted(&place, type);
    text_release(&place.name);
    return true;
}
